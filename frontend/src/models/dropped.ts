import { t } from "@/text/language";
/** A file with its path in what was dropped. */
export interface Dropped {
  path: string;
  file: File;
}

/** The file with its path in the folder that was chosen, or its name. */
export const pathed = (file: File): Dropped => ({ path: file.webkitRelativePath || file.name, file });

/** More than anybody means to drop. */
const MOST = 10_000;

/** All files of a drop, those of folders and their folders too. To be called before the event is over. */
export async function filesOf(data: DataTransfer): Promise<Dropped[]> {
  const entries = [...data.items].map((item) => (item.kind === "file" ? (item.webkitGetAsEntry?.() ?? null) : null));
  const files = [...data.files];
  if (entries.every((entry) => entry === null)) return files.map(pathed);
  const out: Dropped[] = [];
  for (const entry of entries) if (entry) await walk(entry, out);
  return out;
}

async function walk(entry: FileSystemEntry, out: Dropped[]): Promise<void> {
  if (out.length >= MOST) throw new Error(t("models.thatIsMoreThanFilesImport", { MOST }));
  if (entry.isFile) {
    const file = await new Promise<File>((found, failed) => (entry as FileSystemFileEntry).file(found, failed));
    out.push({ path: entry.fullPath.replace(/^\//, ""), file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // A reader gives some at a time, and none at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((found, failed) => reader.readEntries(found, failed));
    if (some.length === 0) return;
    for (const one of some) await walk(one, out);
  }
}

/** What an import of several files is called. */
export function titleOf(files: readonly Dropped[]): string {
  const roots = [...new Set(files.map(({ path }) => path.split("/")[0]!))];
  return roots.length === 1 ? roots[0]! : t("models.files", { files: files.length });
}
