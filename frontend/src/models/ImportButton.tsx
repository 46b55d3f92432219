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
  kind: "records" | "model";
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
      else await transport().call("import_model", { path, name: name?.(path) ?? modelName(path) });
    });
  };
  const upload = (file: File | undefined) => {
    const send = transport().upload;
    if (!file || !send) return;
    say(`Reading ${file.name}…`);
    void run(() => send(kind, file));
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
        aria-label={kind === "records" ? "Records file" : "Model file"}
        accept={kind === "records" ? ".ndjson,.json,.jsonl,.zip,.csv,.geojson" : ".gguf"}
        onChange={(event) => {
          upload(event.target.files?.[0]);
          event.target.value = "";
        }}
      />
    </>
  );
}

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
