import { FolderDown } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { sendDocuments } from "@/library/uploads";
import { importFiles } from "@/records/importing";
import { t } from "@/text/language";
import { transport } from "@/transport";
import { sayError } from "@/ui/toasts";
import { filesOf } from "./dropped";

/** What is dropped here is imported: files, folders and archives. */
export function DropZone({ kind, children, className = "" }: { kind: "records" | "library"; children: ReactNode; className?: string }) {
  const [over, setOver] = useState(false);
  const depth = useRef(0);
  useEffect(
    () =>
      transport().onDropped?.((paths) => {
        for (const path of paths) transport().call(`import_${kind}`, { path }).catch(sayError);
      }),
    [kind],
  );
  const files = (event: React.DragEvent) => event.dataTransfer.types.includes("Files");
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside do the same by keyboard
    <div
      data-dropzone
      className={`relative ${className}`}
      onDragEnter={(event) => {
        if (!files(event)) return;
        depth.current++;
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (files(event) && --depth.current <= 0) setOver(false);
      }}
      onDragOver={(event) => files(event) && event.preventDefault()}
      onDrop={(event) => {
        if (!files(event)) return;
        event.preventDefault();
        depth.current = 0;
        setOver(false);
        filesOf(event.dataTransfer).then(kind === "records" ? importFiles : sendDocuments).catch(sayError);
      }}
    >
      {children}
      {over && (
        <p className="pointer-events-none absolute inset-2 z-20 flex items-center justify-center gap-2 rounded-md border-2 border-dashed border-accent bg-accent-soft p-4 text-center text-lg font-medium text-accent">
          <FolderDown aria-hidden className="size-6 shrink-0" />{kind === "records" ? t("models.dropFhirFilesAFolderOr") : t("models.dropDocumentsAFolderOr")}
        </p>
      )}
    </div>
  );
}
