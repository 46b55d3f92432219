import { Upload } from "lucide-react";
import { useRef, useState } from "react";
import { transport } from "@/transport";
import { Button, type ButtonProps } from "@/ui/Button";
import { say, sayError } from "@/ui/toasts";

/** Chooses a file: the native dialog in the window, an upload in the browser. */
export function ImportButton({
  kind,
  name,
  children,
  ...look
}: {
  kind: "records" | "model" | "library" | "library_folder";
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
      const path = await pickFile(kind);
      if (!path) return;
      if (kind === "records") await transport().call("import_records", { path });
      else if (kind === "library" || kind === "library_folder") await transport().call("import_library", { path });
      else await transport().call("import_model", { path, name: name?.(path) ?? modelName(path) });
    });
  };
  const upload = (files: FileList | null) => {
    const send = transport().upload;
    if (!files || !send) return;
    const chosen = [...files];
    void run(async () => {
      for (const file of chosen) {
        say(`Reading ${file.name}…`);
        await send(kind === "library_folder" ? "library" : kind, file);
      }
    });
  };
  return (
    <>
      <Button icon={Upload} disabled={busy} onClick={choose} {...look}>
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={labels[kind]}
        accept={accepted[kind]}
        multiple={kind === "library"}
        onChange={(event) => {
          upload(event.target.files);
          event.target.value = "";
        }}
      />
    </>
  );
}

const labels = { records: "Records file", model: "Model file", library: "Documents", library_folder: "Folder" };
const accepted = {
  records: ".ndjson,.json,.jsonl,.zip,.csv,.geojson",
  model: ".gguf",
  library: ".pdf,.txt,.text,.md,.markdown,.html,.htm,.xhtml,.json,.jsonl,.ndjson,.csv,.tsv,.nbib,.medline,.ris,.zip",
  library_folder: "",
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
