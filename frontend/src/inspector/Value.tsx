import { useMemo, useState } from "react";
import { useBlob } from "@/api/blob";
import type { Json } from "@/api/types";
import { blobOf, type BlobRef } from "@/journal/blob";
import { bytes } from "@/text/format";
import { t } from "@/text/language";
import { visible } from "@/text/visible";
import { Button } from "@/ui/Button";
import { ErrorNote } from "@/ui/Notice";

/** Any value as text: strings as they are, everything else as indented JSON, unseen characters made visible. */
export function Value({ value, label }: { value: Json | undefined; label: string }) {
  const blob = blobOf(value);
  if (value === undefined) return null;
  return blob ? <Blob blob={blob} label={label} /> : <PlainText text={asText(value)} label={label} />;
}

export const asText = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

/** Above this a text opens in parts, so that one huge value does not stop the page. */
const PART = 20_000;

/** Hostile text: never markup, never collapsed without saying so. */
export function PlainText({ text, label, tall }: { text: string; label: string; tall?: boolean }) {
  const [parts, setParts] = useState(1);
  const shown = text.length > PART * parts ? text.slice(0, PART * parts) : text;
  const { pieces, warnings } = useMemo(() => visible(shown), [shown]);
  return (
    <div>
      <pre
        tabIndex={0}
        role="group"
        aria-label={label}
        className={`overflow-auto rounded-md border bg-sunken p-2 text-xs wrap-anywhere whitespace-pre-wrap ${tall ? "max-h-[60vh]" : "max-h-[min(18rem,45vh)]"}`}
      >
        {pieces.map((piece, index) =>
          piece.kind ? (
            <mark key={index} title={piece.kind} className="rounded-sm bg-degraded-soft px-0.5 text-degraded">
              {piece.text}
            </mark>
          ) : (
            piece.text
          ),
        )}
      </pre>
      {warnings.map((warning) => (
        <p key={warning} className="mt-1 text-xs text-degraded">
          {warning}
        </p>
      ))}
      {shown.length < text.length && (
        <Button small look="quiet" className="mt-1" onClick={() => setParts(parts + 5)}>
          {t("inspector.showMoreCharactersLeft", { text: (text.length - shown.length) })}
        </Button>
      )}
    </div>
  );
}

/** JSON is indented; anything else stays as it is. */
function indented(text: string): string {
  try {
    return asText(JSON.parse(text) as Json);
  } catch {
    return text;
  }
}

function Blob({ blob, label }: { blob: BlobRef; label: string }) {
  const [wanted, setWanted] = useState(false);
  const { data, error, isFetching, refetch } = useBlob(blob, wanted);
  if (data !== undefined) return <PlainText text={indented(data)} label={label} />;
  if (error) return <ErrorNote error={error} title={t("inspector.thisPartCouldNotBeRead")} retry={() => void refetch()} />;
  return (
    <Button
      small
      disabled={isFetching}
      onClick={() => setWanted(true)}
      aria-label={t("inspector.show", { label, blob: bytes(blob.size) })}
    >
      {isFetching ? t("inspector.reading") : t("inspector.show2", { blob: bytes(blob.size) })}
    </Button>
  );
}
