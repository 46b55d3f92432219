import { ArrowLeft, MessageSquarePlus, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import { useCall, useRead } from "@/api/query";
import { Decided } from "@/approvals/Decided";
import { plainName } from "@/approvals/plainName";
import type { AgentInfo, Chart as ChartData, LinkedList, RecordFull, RecordVerdict } from "@/api/types";
import { Fact, Facts, Part } from "@/inspector/Detail";
import { PlainText } from "@/inspector/Value";
import { newSession } from "@/subject/newSession";
import { PATIENT, recordTitle, subjectOf, subjectTitle, subjectTypes, typeName } from "@/subject/subject";
import { go, href } from "@/shell/route";
import { relativeTime } from "@/text/format";
import { number, t } from "@/text/language";
import { told, toldDetails } from "@/text/told";
import { momentText } from "@/text/zone";
import { prose, visibleName, visibleText } from "@/text/visible";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { ErrorNote, Loading } from "@/ui/Notice";
import { ShortId } from "@/ui/ShortId";
import { Time } from "@/ui/Time";
import { KeptForm } from "@/forms/KeptForm";
import { MapAt } from "@/forms/Map";
import { Chart } from "./Chart";
import { recordKinds } from "./kinds";
import { links, summarise, typeTitle, type Field } from "./summary";

/** One record: its main fields, what it refers to, and the record exactly as it is stored. */
export function RecordDetail({ type, id }: { type: string; id: string }) {
  const remove = useCall<{ type: string; id: string }>("remove_record");
  const [asking, setAsking] = useState(false);
  const { data, error, isPending, refetch } = useRead<RecordFull>(
    `/api/records/${encodeURIComponent(type)}/${encodeURIComponent(id)}`,
  );
  const agents = useRead<AgentInfo[] | null>("/api/agents").data;
  const subjects = useMemo(() => [...subjectTypes(undefined), ...(agents ?? []).flatMap(subjectTypes)], [agents]);
  const kinds = recordKinds();
  const summary = useMemo(() => (data ? summarise(type, data.resource) : null), [type, data, kinds]);
  const related = useMemo(
    () => (data ? links(data.resource).filter((ref) => ref.type !== type || ref.id !== id) : []),
    [data, type, id],
  );
  const raw = useMemo(() => (data ? JSON.stringify(data.resource, null, 2) : ""), [data]);
  const back = (
    <a
      href={href("records", type)}
      className="inline-flex items-center gap-1 text-accent underline underline-offset-2 lg:hidden"
    >
      <ArrowLeft aria-hidden className="size-4" /> {typeTitle(type)}
    </a>
  );
  if (kinds[type]?.form && data) return <article className="mx-auto max-w-3xl space-y-5 p-pad">{back}<KeptForm type={type} id={id} raw={raw} updated={data.updated_at} version={data.version} /></article>;
  if (error)
    return (
      <div className="space-y-3 p-pad">
        {back}
        <ErrorNote error={error} title={t("records.thisRecordCouldNotBeRead")} retry={() => void refetch()} />
      </div>
    );
  if (isPending || !summary) return <Loading what={t("records.readingTheRecord")} />;
  const own = subjects.includes(type);
  const subject = own ? { type, id } : subjectOf(data);
  return (
    <article className="mx-auto max-w-3xl space-y-5 p-pad">
      {back}
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <p className="text-xs text-ink-3 first-letter:uppercase">{typeName(type)}</p>
          <h2 className="text-xl font-semibold wrap-anywhere">{visibleName(recordTitle(type, data.title || id))}</h2>
          {data.subtitle && <p className="wrap-anywhere text-ink-2">{visibleName(toldDetails(data.subtitle))}</p>}
        </div>
        <div className="flex flex-wrap gap-2">
          {subject && (
            <Button look={own ? "primary" : "plain"} icon={MessageSquarePlus} onClick={() => newSession(subject)}>
              {own ? t("records.newSessionAboutThis", { type: typeName(type) }) : t("records.newSessionAbout", { data: subjectTitle(data) })}
            </Button>
          )}
          <Button look="danger" icon={Trash2} onClick={() => setAsking(true)}>{t("records.remove")}</Button>
        </div>
      </header>
      <Dialog open={asking} onOpenChange={setAsking} title={t("records.removeThisRecord")} description={t("records.aNewImportBringsItBack", { title: visibleName(recordTitle(type, data.title || id)) })}>
        {remove.error && <ErrorNote error={remove.error} title={t("records.itWasNotRemoved")} />}
        <div className="flex flex-wrap gap-2">
          <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate({ type, id }, { onSuccess: () => { setAsking(false); go("records", type); } })}>{t("records.remove")}</Button>
          <Button look="quiet" onClick={() => setAsking(false)}>{t("records.keepIt")}</Button>
        </div>
      </Dialog>
      <Facts>
        {summary.fields.map((field) => (
          <Fact key={field.label} name={field.label}>
            <FieldValue field={field} />
          </Fact>
        ))}
        <Fact name={t("records.stored")}>
          <Time at={data.updated_at} /> <span className="text-ink-3">{t("records.version")}</span>{" "}
          <ShortId value={data.version} length={8} what={t("records.version")} />
        </Fact>
      </Facts>
      <Approved type={type} id={id} />
      {kinds[type]?.map && (
        <Part title={t("records.map")}><MapAt path={`/api/records/${encodeURIComponent(type)}/${encodeURIComponent(id)}/map`} heading={false} /></Part>
      )}
      {type === PATIENT ? <><Chart id={id} /><BesideChart id={id} /></> : <Linked type={type} id={id} />}
      {summary.note && (
        <Part title={t("records.text")}>
          <PlainText text={summary.note} label={t("records.textOfTheDocument")} tall />
        </Part>
      )}
      {related.length > 0 && (
        <Part title={t("records.refersTo")}>
          <ul className="space-y-1">
            {related.map((ref) => (
              <li key={`${ref.type}/${ref.id}`} className="flex flex-wrap items-center gap-x-2">
                <a href={href("records", ref.type, ref.id)} className="text-accent underline underline-offset-2">
                  {ref.type}
                </a>
                {ref.display && <span className="wrap-anywhere">{visibleName(ref.display)}</span>}
                <ShortId value={ref.id} what={t("records.recordId")} />
              </li>
            ))}
          </ul>
        </Part>
      )}
      <Part title={t("records.asItIsStored")}>
        <PlainText text={raw} label={t("records.theRecordAsJson")} tall />
      </Part>
    </article>
  );
}

/** Who approved what was done to the record, also where the session was deleted since; nothing for what was imported only. */
function Approved({ type, id }: { type: string; id: string }) {
  const { data, error, refetch } = useRead<RecordVerdict[] | null>(`/api/records/${encodeURIComponent(type)}/${encodeURIComponent(id)}/approved`);
  if (error) return <ErrorNote error={error} title={t("records.whoApprovedCouldNotBeRead")} retry={() => void refetch()} />;
  if (!data?.length) return null;
  return (
    <Part title={t("records.whoApproved")}>
      <ul aria-label={t("records.whoApproved")} className="divide-y rounded-md border bg-surface">
        {data.map((one) => (
          <li key={one.approval} className="space-y-0.5 px-3 py-1.5 text-sm">
            <p className="flex flex-wrap items-baseline gap-x-2">
              <span className="font-medium wrap-anywhere">{prose(told(one.tool_title ?? "") || plainName(one.tool))}</span>
              <Decided rejected={false} reviewer={one.reviewer} identity={one.identity} at={one.decided_at} />
              {one.used_at && <span className="text-ink-2">{t("records.carriedOut")} <Time at={one.used_at} /></span>}
            </p>
            <p className="flex flex-wrap items-baseline gap-x-3 text-xs text-ink-2">
              {one.practice && <span className="font-semibold text-reused">{t("approvals.aScriptAsked")}</span>}
              <a className="text-accent underline underline-offset-2" href={href("approvals", one.approval)}>{t("records.theApproval")}</a>
              {one.session ? <a className="text-accent underline underline-offset-2 wrap-anywhere" href={href("sessions", one.session)}>{visibleText(one.session_title || t("approvals.openTheSession"))}</a> : <span>{t("records.itsSessionWasDeleted")}</span>}
            </p>
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** What refers to a patient and is in no list of the chart: records of agents' own types. */
function BesideChart({ id }: { id: string }) {
  const { data } = useRead<ChartData>(`/api/patients/${encodeURIComponent(id)}/chart`);
  if (!data) return null; // the chart says why
  const charted = [data.allergies, data.problems, data.medicines, data.visits, data.notes].flatMap((lines) => lines ?? []).map((line) => line.type);
  return <Linked type={PATIENT} id={id} without={new Set(charted)} />;
}

/** What refers to a record, by type: each line opens its record. */
function Linked({ type, id, without }: { type: string; id: string; without?: ReadonlySet<string> }) {
  const { data, error, refetch } = useRead<LinkedList[] | null>(`/api/records/${encodeURIComponent(type)}/${encodeURIComponent(id)}/linked`);
  if (error) return <ErrorNote error={error} title={t("records.whatRefersToThisRecordCould")} retry={() => void refetch()} />;
  return (data ?? []).filter((list) => !without?.has(list.type)).map((list) => (
    <Part key={list.type} title={`${typeTitle(list.type)} (${number(list.count)})`}>
      <ul aria-label={typeTitle(list.type)} className="divide-y rounded-md border bg-surface">
        {(list.records ?? []).map((row) => (
          <li key={row.id}>
            <a href={href("records", list.type, row.id)} className="flex flex-wrap items-baseline gap-x-3 px-3 py-1.5 hover:bg-hover">
              <span className="min-w-0 flex-1 font-medium wrap-anywhere">{visibleName(row.title || row.id)}</span>
              <span className="text-xs text-ink-2 wrap-anywhere">{visibleName(toldDetails(row.subtitle))}</span>
            </a>
          </li>
        ))}
      </ul>
      {list.count > (list.records ?? []).length && <p className="mt-1 text-sm text-ink-2">{t("records.moreAreUnderRecords", { count: (list.count - (list.records ?? []).length) })}</p>}
    </Part>
  ));
}

function FieldValue({ field }: { field: Field }) {
  if (field.kind === "id") return <ShortId value={field.value} what={field.label.toLowerCase()} />;
  if (field.kind === "date") return <DateText value={field.value} />;
  return <>{visibleName(field.value)}</>; // what has many lines is the note
}

/** Dates of a record are shown as they are written; a full instant as the clinic's time, with what is written on hover. */
function DateText({ value }: { value: string }) {
  if (!/T\d/.test(value)) return <span title={relativeTime(value)}>{value}</span>;
  return (
    <time dateTime={value} title={`${value} (${relativeTime(value)})`}>
      {momentText(value)}
    </time>
  );
}
