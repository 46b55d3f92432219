import { create } from "zustand";
import type { Dropped } from "@/models/dropped";
import { transport } from "@/transport";
import { sayError } from "@/ui/toasts";

/** What was sent from this page, by the import's title: one that was stopped can be sent again. */
const useSent = create<{ sent: Record<string, readonly Dropped[]> }>(() => ({ sent: {} }));

/** Sends documents, a file or a folder after the other; their jobs tell how far they are. */
export async function sendDocuments(files: readonly Dropped[]): Promise<void> {
  const { upload, uploadFiles } = transport();
  if (!upload || !uploadFiles) return;
  // A folder is one import, and its name the source, as when it is imported by its path.
  const folders = new Map<string, Dropped[]>();
  for (const one of files) {
    const folder = one.path.includes("/") ? one.path.slice(0, one.path.indexOf("/")) : "";
    const list = folders.get(folder);
    if (list) list.push(one);
    else folders.set(folder, [one]);
  }
  for (const [folder, list] of folders) {
    for (const some of folder ? [list] : list.map((one) => [one])) {
      const title = folder || some[0]!.path;
      useSent.setState(({ sent }) => ({ sent: { ...sent, [title]: some } }));
      try {
        if (folder) await uploadFiles("library", title, some);
        else await upload("library", some[0]!.file);
      } catch (problem) {
        sayError(problem);
      }
    }
  }
}

/** How to go on with an import, by its title; undefined where its files are not at hand any more. */
export function useResumeImport(): (title: string) => (() => void) | undefined {
  const { sent } = useSent();
  return (title) => {
    const files = Object.hasOwn(sent, title) ? sent[title] : undefined;
    if (files) return () => void sendDocuments(files);
    // In the window the title is the path.
    if (transport().pickFile) return () => void transport().call("import_library", { path: title }).catch(sayError);
    return undefined;
  };
}
