import { BadgeCheck, Download } from "lucide-react";
import { useState } from "react";
import { useRead } from "@/api/query";
import { Part } from "@/inspector/Detail";
import { PlainText } from "@/inspector/Value";
import { recordKinds } from "@/records/kinds";
import { language, t } from "@/text/language";
import { visibleText } from "@/text/visible";
import { transport } from "@/transport";
import { readText } from "@/transport/text";
import { Button } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { ErrorNote, Loading } from "@/ui/Notice";
import { ShortId } from "@/ui/ShortId";
import { Time } from "@/ui/Time";
import { say, sayError } from "@/ui/toasts";
import { Cards } from "./Cards";
import { FormView } from "./FormView";
import { MapAt } from "./Map";
import { partsOf, recordsOf } from "./changed";
import type { SignedForm } from "./types";

const formats = [["md", "Markdown", "text/markdown"], ["html", "HTML", "text/html"], ["json", "JSON", "application/json"], ["csv", "CSV", "text/csv"]] as const;

/** A form that was kept: who signed it, all of its boxes, the map, and files of it. */
export function KeptForm({ type, id, raw, updated, version }: { type: string; id: string; raw: string; updated: string; version: string }) {
  const { data, error, isPending, refetch } = useRead<SignedForm>(`/api/records/${encodeURIComponent(type)}/${encodeURIComponent(id)}/form`);
  const [busy, setBusy] = useState(false);
  if (error) return <ErrorNote error={error} title={t("forms.theFormCouldNotBeRead")} retry={() => void refetch()} />;
  if (isPending) return <Loading what={t("forms.readingTheForm")} />;
  const save = async (format: string, kind: string) => {
    setBusy(true);
    try {
      if (transport().kind === "wails") {
        const { path } = await transport().call<{ path: string }>("save_export", { session: data.record, format, trace: false, from: "", to: "" });
        if (path) say(t("forms.savedAs", { path }));
      } else {
        const text = await readText(`/api/sessions/${encodeURIComponent(data.record)}/export?format=${format}&language=${language()}`);
        download(new Blob([text], { type: `${kind};charset=utf-8` }), `holdpoint-${id}.${format}`);
      }
    } catch (failure) {
      sayError(failure);
    } finally {
      setBusy(false);
    }
  };
  const about = recordsOf(data).find(([of]) => recordKinds()[of]?.map) ?? partsOf(data.subject).find(({ ref }) => ref)?.ref;
  return (
    <>
      <div className="space-y-2 rounded-md border bg-surface p-pad">
        <p className="flex flex-wrap items-center gap-x-2">
          {data.reviewer && data.signed_at ? (
            <><BadgeCheck aria-hidden className="size-4 text-done" /><span className="font-semibold">{t("forms.signedBy", { reviewer: visibleText(data.reviewer) })}</span><Time at={data.signed_at} className="text-ink-2" /></>
          ) : t("forms.whoSignedItIsNotHere")}
          {data.practice && <Chip>{t("board.practiceAScriptNotAModel")}</Chip>}
        </p>
        {data.modified && <p className="text-sm text-ink-2">{t("forms.theReviewerChangedWhat")}</p>}
        {data.comment && <p className="text-sm wrap-anywhere">{t("forms.quoted", { comment: visibleText(data.comment) })}</p>}
        {data.digest && <p className="text-sm text-ink-2">{t("forms.whatWasSignedHasTheDigest")} <ShortId value={data.digest} what={t("forms.digest2")} /></p>}
        <div role="group" aria-label={t("forms.saveAs")} className="flex flex-wrap items-center gap-2">
          <span className="text-sm">{t("forms.saveAs")}</span>
          {formats.map(([format, title, kind]) => <Button key={format} small icon={Download} disabled={busy} onClick={() => void save(format, kind)}>{title}</Button>)}
        </div>
      </div>
      <FormView form={data} />
      {about && <MapAt path={`/api/records/${encodeURIComponent(about[0])}/${encodeURIComponent(about[1])}/map`} />}
      <Part title={t("forms.recordsThatItIsMadeOf")}><Cards refs={recordsOf(data)} /></Part>
      <Part title={t("records.asItIsStored")}>
        <p className="mb-1 text-xs text-ink-2"><Time at={updated} /> {t("records.version")} <ShortId value={version} length={8} what={t("records.version")} /></p>
        <PlainText text={raw} label={t("records.theRecordAsJson")} tall />
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
