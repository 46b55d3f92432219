import { create } from "zustand";
import { transport } from "@/transport";
import { sayError } from "@/ui/toasts";

/** Files that were sent from this page, by name: one that was stopped can be sent again. */
const useSent = create<{ files: Record<string, File> }>(() => ({ files: {} }));

/** Sends documents one after the other; their jobs tell how far they are. */
export async function sendDocuments(files: readonly File[]): Promise<void> {
  const { upload } = transport();
  if (!upload) return;
  for (const file of files) {
    useSent.setState((state) => ({ files: { ...state.files, [file.name]: file } }));
    try {
      await upload("library", file);
    } catch (problem) {
      sayError(problem);
    }
  }
}

/** How to go on with an import, by its title; undefined where its file is not at hand any more. */
export function useResumeImport(): (title: string) => (() => void) | undefined {
  const { files } = useSent();
  return (title) => {
    const file = Object.hasOwn(files, title) ? files[title] : undefined;
    if (file) return () => void sendDocuments([file]);
    // In the window the title is the path.
    if (transport().pickFile) return () => void transport().call("import_library", { path: title }).catch(sayError);
    return undefined;
  };
}
