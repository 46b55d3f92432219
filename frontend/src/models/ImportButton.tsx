import { Upload } from "lucide-react";
import { useRef, useState } from "react";
import { sendDocuments } from "@/library/uploads";
import { importFile, importFiles } from "@/records/importing";
import { t } from "@/text/language";
import { transport } from "@/transport";
import { Button, type ButtonProps } from "@/ui/Button";
import { say, sayError } from "@/ui/toasts";
import { pathed } from "./dropped";

/** Chooses a file: the native dialog in the window, an upload in the browser. */
export function ImportButton({
  kind,
  name,
  folder = false,
  children,
  ...look
}: {
  kind: "records" | "model" | "library";
  /** Chooses a folder; of records only in the browser, for in the window one is dropped instead. */
  folder?: boolean;
  /** What the model will be called; asked for by the caller. */
  name?: (file: string) => string;
} & Omit<ButtonProps, "name">) {
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const run = async (work: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      sayError(error);
    } finally {
      setBusy(false);
    }
  };
  const choose = () => {
    const { pickFile } = transport();
    if (!pickFile) return input.current?.click();
    void run(async () => {
      const path = await pickFile(kind === "library" && folder ? "library_folder" : kind);
      if (!path) return;
      if (kind === "records") await transport().call("import_records", { path });
      else if (kind === "library") await transport().call("import_library", { path });
      else await transport().call("import_model", { path, name: name?.(path) ?? modelName(path) });
    });
  };
  const upload = (files: FileList | null) => {
    const send = transport().upload;
    if (!files?.length || !send) return;
    const chosen = [...files];
    if (kind === "records" && (folder || chosen.length > 1)) {
      void run(() => importFiles(chosen.map(pathed)));
      return;
    }
    // The cards of documents say what is read, and until when.
    if (kind === "library") return void run(() => sendDocuments(chosen.map(pathed)));
    void run(async () => {
      for (const file of chosen) {
        if (kind === "records") {
          await importFile(file);
          continue;
        }
        say(t("models.reading", { name: file.name }));
        await send(kind, file);
      }
    });
  };
  if (folder && kind !== "library" && !transport().uploadFiles) return null;
  return (
    <>
      <Button icon={Upload} disabled={busy} onClick={choose} {...look}>
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        multiple={kind === "records" || kind === "library"}
        {...(folder ? { webkitdirectory: "" } : {})}
        aria-label={folder ? folders[kind] : labels[kind]}
        accept={folder ? undefined : accepted[kind]}
        onChange={(event) => {
          upload(event.target.files);
          event.target.value = "";
        }}
      />
    </>
  );
}

const labels = { get records() { return t("models.recordsFile"); }, get model() { return t("models.modelFile"); }, get library() { return t("models.documents"); } };
const folders = { get records() { return t("models.recordsFolder"); }, get model() { return ""; }, get library() { return t("models.documentsFolder"); } };
const accepted = {
  records: ".ndjson,.json,.jsonl,.zip,.csv,.geojson",
  model: ".gguf",
  library: ".pdf,.txt,.text,.md,.markdown,.html,.htm,.xhtml,.json,.jsonl,.ndjson,.csv,.tsv,.nbib,.medline,.ris,.zip",
};

/** A model's name from its file's: what Ollama accepts, so letters, digits, dots, dashes and underscores. */
export function modelName(path: string): string {
  const file = path.split(/[\\/]/).pop() ?? "";
  const name = file
    .replace(/\.gguf$/i, "")
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, "");
  return name || "imported";
}
