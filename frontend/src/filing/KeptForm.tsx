import { BadgeCheck, Download } from "lucide-react";
import { useState } from "react";
import { useRead } from "@/api/query";
import { Part } from "@/inspector/Detail";
import { PlainText } from "@/inspector/Value";
import { visibleText } from "@/text/visible";
import { transport } from "@/transport";
import { readText } from "@/transport/text";
import { Button } from "@/ui/Button";
import { ErrorNote, Loading } from "@/ui/Notice";
import { ShortId } from "@/ui/ShortId";
import { Time } from "@/ui/Time";
import { say, sayError } from "@/ui/toasts";
import { Cards } from "./Cards";
import { FormView } from "./FormView";
import { MapAt } from "./Map";
import { partsOf, recordsOf } from "./changed";
import type { SignedForm } from "./types";

/** The type of the records of forms that a person signed. */
export const FILING = "Filing";

const words = {
  failed: "The form could not be read.",
  reading: "Reading the form…",
  signed: "Signed by",
  nobody: "Who signed it is not here any more.",
  changed: "The reviewer changed what the agent had asked for.",
  digest: "What was signed has the digest",
  save: "Save as",
  stored: "As it is stored",
  json: "The record as JSON",
  records: "Records that it is made of",
  version: "version",
};

const formats = [["md", "Markdown", "text/markdown"], ["html", "HTML", "text/html"], ["json", "JSON", "application/json"], ["csv", "CSV", "text/csv"]] as const;

/** A form that was kept: who signed it, all of its boxes, the map, and files of it. */
export function KeptForm({ type, id, raw, updated, version }: { type: string; id: string; raw: string; updated: string; version: string }) {
  const { data, error, isPending, refetch } = useRead<SignedForm>(`/api/records/${encodeURIComponent(type)}/${encodeURIComponent(id)}/form`);
  const [busy, setBusy] = useState(false);
  if (error) return <ErrorNote error={error} title={words.failed} retry={() => void refetch()} />;
  if (isPending) return <Loading what={words.reading} />;
  const save = async (format: string, kind: string) => {
    setBusy(true);
    try {
      if (transport().kind === "wails") {
        const { path } = await transport().call<{ path: string }>("save_export", { session: data.record, format, trace: false, from: "", to: "" });
        if (path) say(`Saved as ${path}.`);
      } else {
        const text = await readText(`/api/sessions/${encodeURIComponent(data.record)}/export?format=${format}`);
        download(new Blob([text], { type: `${kind};charset=utf-8` }), `holdpoint-${id}.${format}`);
      }
    } catch (failure) {
      sayError(failure);
    } finally {
      setBusy(false);
    }
  };
  const about = recordsOf(data).find(([of]) => of === "Well" || of === "Lease") ?? partsOf(data.subject).find(({ ref }) => ref)?.ref;
  return (
    <>
      <div className="space-y-2 rounded-md border bg-surface p-pad">
        <p className="flex flex-wrap items-center gap-x-2">
          {data.reviewer && data.signed_at ? (
            <><BadgeCheck aria-hidden className="size-4 text-done" /><span className="font-semibold">{words.signed} {visibleText(data.reviewer)}</span><Time at={data.signed_at} className="text-ink-2" /></>
          ) : words.nobody}
        </p>
        {data.modified && <p className="text-sm text-ink-2">{words.changed}</p>}
        {data.comment && <p className="text-sm wrap-anywhere">“{visibleText(data.comment)}”</p>}
        {data.digest && <p className="text-sm text-ink-2">{words.digest} <ShortId value={data.digest} what="digest" /></p>}
        <div role="group" aria-label={words.save} className="flex flex-wrap items-center gap-2">
          <span className="text-sm">{words.save}</span>
          {formats.map(([format, title, kind]) => <Button key={format} small icon={Download} disabled={busy} onClick={() => void save(format, kind)}>{title}</Button>)}
        </div>
      </div>
      <FormView form={data} />
      {about && <MapAt path={`/api/records/${encodeURIComponent(about[0])}/${encodeURIComponent(about[1])}/map`} />}
      <Part title={words.records}><Cards refs={recordsOf(data)} /></Part>
      <Part title={words.stored}>
        <p className="mb-1 text-xs text-ink-2"><Time at={updated} /> {words.version} <ShortId value={version} length={8} what="version" /></p>
        <PlainText text={raw} label={words.json} tall />
      </Part>
    </>
  );
}

function download(blob: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
