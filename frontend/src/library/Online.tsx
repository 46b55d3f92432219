import { ArrowLeft, Ban, Send, Trash2 } from "lucide-react";
import { useState, type FormEvent } from "react";
import { useCall, useRead } from "@/api/query";
import { JobRow } from "@/models/JobRow";
import { currentJobs, useClosedJobs, useJobsOf } from "@/models/jobs";
import { href } from "@/shell/route";
import { toldFailure } from "@/text/failure";
import { t } from "@/text/language";
import { prose, visibleText } from "@/text/visible";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { ErrorNote, Loading } from "@/ui/Notice";
import { Time } from "@/ui/Time";
import { sayError } from "@/ui/toasts";
import { told } from "@/text/told";

const statuses = {
  waiting: "library.onlineStatusWaiting", refused: "library.onlineStatusRefused", sending: "library.onlineStatusSending", done: "library.onlineStatusDone", failed: "library.onlineStatusFailed",
} as const;

interface Request {
  id: string;
  source: string;
  url: string;
  text: string;
  asks: string;
  warning?: string;
  status: "waiting" | "refused" | "sending" | "done" | "failed";
  asked_at: string;
  by?: string;
  decided_at?: string;
  total?: number;
  records?: number;
  created?: number;
  error?: string;
}

interface View {
  network: boolean;
  sources: { id: string; title: string; host: string }[];
  requests: Request[];
}

/** Searches of public sources: each request is looked at and approved before it leaves. */
export function Online() {
  const { data, error, isPending, refetch } = useRead<View>("/api/library/online");
  const plan = useCall<{ text: string; sources: string[] }>("plan_online");
  const send = useCall<{ ids: string[] }>("send_online");
  const refuse = useCall<{ ids: string[] }>("refuse_online");
  const forget = useCall<{ ids: string[] }>("forget_online");
  const closed = useClosedJobs((state) => state.closed);
  const jobs = currentJobs(useJobsOf("online"), closed, Date.now());
  const [text, setText] = useState("");
  const [left, setLeft] = useState<string[]>([]);
  if (error) return <div className="p-pad"><ErrorNote error={error} title={t("library.onlineFailed")} retry={() => void refetch()} /></div>;
  if (isPending) return <Loading what={t("library.onlineReading")} />;
  const chosen = data.sources.map((one) => one.id).filter((id) => !left.includes(id));
  const waiting = data.requests.filter((one) => one.status === "waiting");
  const past = data.requests.filter((one) => one.status !== "waiting");
  const over = past.filter((one) => one.status !== "sending");
  const titleOf = (id: string) => data.sources.find((one) => one.id === id)?.title ?? id;
  const after = { onError: sayError, onSettled: () => void refetch() };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() && chosen.length > 0) plan.mutate({ text, sources: chosen }, { onSettled: () => void refetch() });
  };
  return (
    <section aria-labelledby="online-title" className="mx-auto max-w-3xl space-y-5 p-pad">
      <a href={href("library")} className="inline-flex items-center gap-1 text-accent underline underline-offset-2"><ArrowLeft aria-hidden className="size-4" /> {t("library.library")}</a>
      <header className="space-y-1">
        <h2 id="online-title" className="text-xl font-semibold">{t("library.onlineTitle")}</h2>
        <p className="text-ink-2">{t("library.onlineAbout")}</p>
      </header>
      {!data.network ? (
        <p className="rounded-md border p-3">{t("library.onlineOff")} <a href={href("settings")} className="text-accent underline underline-offset-2">{t("library.onlineAllow")}</a></p>
      ) : (
        <form onSubmit={submit} className="space-y-3">
          <Field label={t("library.onlineText")} hint={t("library.onlineTextHint")} value={text} maxLength={1000} onChange={(event) => setText(event.target.value)} />
          <fieldset className="flex flex-wrap gap-x-4 gap-y-1">
            <legend className="mb-1 text-sm font-medium">{t("library.onlineSources")}</legend>
            {data.sources.map((one) => (
              <label key={one.id} className="flex items-center gap-2">
                <input type="checkbox" className="size-4 accent-(--accent)" checked={chosen.includes(one.id)} onChange={(event) => setLeft((all) => event.target.checked ? all.filter((id) => id !== one.id) : [...all, one.id])} />
                {one.title} <span className="text-xs text-ink-2">{one.host}</span>
              </label>
            ))}
          </fieldset>
          {plan.error && <ErrorNote error={plan.error} />}
          <Button type="submit" look="primary" disabled={!text.trim() || chosen.length === 0 || plan.isPending}>{t("library.onlineShow")}</Button>
        </form>
      )}
      {jobs.map((job) => <JobRow key={job.id} job={job} />)}
      <section aria-labelledby="online-waiting" className="space-y-2">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <h3 id="online-waiting" className="font-semibold">{t("library.onlineWaiting")}</h3>
          {waiting.length > 1 && <Button icon={Send} disabled={!data.network || send.isPending} onClick={() => send.mutate({ ids: waiting.map((one) => one.id) }, after)}>{t("library.onlineSendAll", { count: waiting.length })}</Button>}
        </div>
        {waiting.length === 0 ? <p className="text-ink-2">{t("library.onlineNone")}</p> : <p className="text-sm text-ink-2">{t("library.onlineWhole")}</p>}
        <ul className="space-y-2">
          {waiting.map((one) => (
            <li key={one.id} className="space-y-2 rounded-md border bg-surface p-3">
              <p className="font-medium">{t("library.onlineAsks", { source: titleOf(one.source), asks: told(one.asks) })}</p>
              <Address of={one} />
              {one.warning && <p role="alert" className="text-failed">{told(one.warning)}</p>}
              <div className="flex flex-wrap gap-2">
                <Button small look="primary" icon={Send} disabled={!data.network || send.isPending} onClick={() => send.mutate({ ids: [one.id] }, after)}>{t("library.onlineSend")}</Button>
                <Button small icon={Ban} disabled={refuse.isPending} onClick={() => refuse.mutate({ ids: [one.id] }, after)}>{t("library.onlineRefuse")}</Button>
              </div>
            </li>
          ))}
        </ul>
      </section>
      {past.length > 0 && (
        <section aria-labelledby="online-past" className="space-y-2">
          <div className="flex flex-wrap items-center justify-between gap-2">
            <h3 id="online-past" className="font-semibold">{t("library.onlinePast")}</h3>
            {over.length > 1 && <Button small icon={Trash2} disabled={forget.isPending} onClick={() => forget.mutate({ ids: over.map((one) => one.id) }, after)}>{t("library.onlineForgetAll")}</Button>}
          </div>
          <ul className="divide-y border-y">
            {past.map((one) => (
              <li key={one.id} className="space-y-1 py-2 text-sm">
                <p><span className="font-medium">{t("library.onlineAsks", { source: titleOf(one.source), asks: told(one.asks) })}</span>. {t(statuses[one.status])}{one.status === "done" ? `: ${t("library.onlineGot", { records: one.records ?? 0, total: one.total ?? 0, created: one.created ?? 0 })}` : ""}</p>
                <Address of={one} />
                {one.error && <p className="text-failed">{prose(toldFailure(one.error))}</p>}
                <p className="text-ink-2">{one.by && <>{t("library.onlineBy", { name: visibleText(one.by) })}, </>}<Time at={one.decided_at ?? one.asked_at} /></p>
                <div className="flex flex-wrap gap-2">
                  {one.status === "failed" && <Button small icon={Send} disabled={!data.network || send.isPending} onClick={() => send.mutate({ ids: [one.id] }, after)}>{t("library.onlineAgain")}</Button>}
                  {one.status !== "sending" && <Button small icon={Trash2} disabled={forget.isPending} onClick={() => forget.mutate({ ids: [one.id] }, after)}>{t("library.onlineForget")}</Button>}
                </div>
              </li>
            ))}
          </ul>
        </section>
      )}
    </section>
  );
}

/** The whole address; it is text, since following it would be a request of the browser's. */
function Address({ of }: { of: Request }) {
  return <p className="rounded-sm bg-sunken px-2 py-1 font-mono text-xs wrap-anywhere text-ink">{visibleText(of.url)}</p>;
}
