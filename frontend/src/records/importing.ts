import type { Job } from "@/api/types";
import { titleOf, type Dropped } from "@/models/dropped";
import { t } from "@/text/language";
import { transport } from "@/transport";
import { say } from "@/ui/toasts";

/** Files of the browser by their import's title: it cannot open them again by itself. */
const chosen = new Map<string, readonly Dropped[]>();

/** Imports files as one job, with one report. */
export async function importFiles(files: readonly Dropped[]): Promise<void> {
  const there = transport();
  if (files.length === 0 || !there.uploadFiles) return;
  const title = titleOf(files);
  if (files.length > 1) say(t("records.reading", { files: title }));
  chosen.set(title, files);
  await there.uploadFiles("records", title, files);
}

/** Imports a file of the browser by itself. */
export async function importFile(file: File): Promise<void> {
  chosen.set(file.name, [{ path: file.name, file }]);
  await transport().upload?.("records", file);
}

/** How to import the same once more; null where its files have to be chosen anew. */
export function importAgain(job: Job): (() => Promise<unknown>) | null {
  const files = chosen.get(job.title);
  if (files) return () => importFiles(files);
  if (transport().pickFile) return () => transport().call("import_records", { path: job.title });
  return null;
}
