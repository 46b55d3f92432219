import { ArrowLeft, Ban, Send } from "lucide-react";
import { useState, type FormEvent } from "react";
import { useCall, useRead } from "@/api/query";
import { JobRow } from "@/models/JobRow";
import { currentJobs, useClosedJobs, useJobsOf } from "@/models/jobs";
import { href } from "@/shell/route";
import { visibleText } from "@/text/visible";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { ErrorNote, Loading } from "@/ui/Notice";
import { Time } from "@/ui/Time";
import { sayError } from "@/ui/toasts";

const words = {
  title: "Search online",
  about: "Public sources of literature. First you see each request as it would leave this computer; only those that you approve are sent. What comes is imported and stays here.",
  off: "The network is not allowed, so nothing can be asked online.",
  allow: "Allow it under Settings",
  text: "What to look for",
  textHint: "This text leaves this computer. Write no names and nothing about a single patient.",
  sources: "Sources",
  show: "Show the requests",
  waiting: "Waiting for your decision",
  none: "No request waits.",
  asks: (source: string, asks: string) => `${source}: ${asks}`,
  whole: "All that is sent: GET of this address, with the name of the program, and without cookies.",
  send: "Approve and send",
  again: "Send again",
  sendAll: (n: number) => `Approve and send all ${n}`,
  refuse: "Refuse",
  past: "Sent and refused",
  status: { waiting: "Waiting", refused: "Refused, never sent", sending: "On its way", done: "Answered", failed: "No answer that could be used" } as Record<string, string>,
  got: (records: number, total: number, created: number) => `${records} of ${total} records, ${created} new documents`,
  by: "by",
  back: "Library",
  reading: "Reading the requests…",
  failed: "The requests could not be read.",
};

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
  const closed = useClosedJobs((state) => state.closed);
  const jobs = currentJobs(useJobsOf("online"), closed, Date.now());
  const [text, setText] = useState("");
  const [left, setLeft] = useState<string[]>([]);
  if (error) return <div className="p-pad"><ErrorNote error={error} title={words.failed} retry={() => void refetch()} /></div>;
  if (isPending) return <Loading what={words.reading} />;
  const chosen = data.sources.map((one) => one.id).filter((id) => !left.includes(id));
  const waiting = data.requests.filter((one) => one.status === "waiting");
  const past = data.requests.filter((one) => one.status !== "waiting");
  const titleOf = (id: string) => data.sources.find((one) => one.id === id)?.title ?? id;
  const after = { onError: sayError, onSettled: () => void refetch() };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() && chosen.length > 0) plan.mutate({ text, sources: chosen }, { onSettled: () => void refetch() });
  };
  return (
    <section aria-labelledby="online-title" className="mx-auto max-w-3xl space-y-5 p-pad">
      <a href={href("library")} className="inline-flex items-center gap-1 text-accent underline underline-offset-2"><ArrowLeft aria-hidden className="size-4" /> {words.back}</a>
      <header className="space-y-1">
        <h2 id="online-title" className="text-xl font-semibold">{words.title}</h2>
        <p className="text-ink-2">{words.about}</p>
      </header>
      {!data.network ? (
        <p className="rounded-md border p-3">{words.off} <a href={href("settings")} className="text-accent underline underline-offset-2">{words.allow}</a></p>
      ) : (
        <form onSubmit={submit} className="space-y-3">
          <Field label={words.text} hint={words.textHint} value={text} maxLength={1000} onChange={(event) => setText(event.target.value)} />
          <fieldset className="flex flex-wrap gap-x-4 gap-y-1">
            <legend className="mb-1 text-sm font-medium">{words.sources}</legend>
            {data.sources.map((one) => (
              <label key={one.id} className="flex items-center gap-2">
                <input type="checkbox" className="size-4 accent-(--accent)" checked={chosen.includes(one.id)} onChange={(event) => setLeft((all) => event.target.checked ? all.filter((id) => id !== one.id) : [...all, one.id])} />
                {one.title} <span className="text-xs text-ink-2">{one.host}</span>
              </label>
            ))}
          </fieldset>
          {plan.error && <ErrorNote error={plan.error} />}
          <Button type="submit" look="primary" disabled={!text.trim() || chosen.length === 0 || plan.isPending}>{words.show}</Button>
        </form>
      )}
      {jobs.map((job) => <JobRow key={job.id} job={job} />)}
      <section aria-labelledby="online-waiting" className="space-y-2">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <h3 id="online-waiting" className="font-semibold">{words.waiting}</h3>
          {waiting.length > 1 && <Button icon={Send} disabled={!data.network || send.isPending} onClick={() => send.mutate({ ids: waiting.map((one) => one.id) }, after)}>{words.sendAll(waiting.length)}</Button>}
        </div>
        {waiting.length === 0 ? <p className="text-ink-2">{words.none}</p> : <p className="text-sm text-ink-2">{words.whole}</p>}
        <ul className="space-y-2">
          {waiting.map((one) => (
            <li key={one.id} className="space-y-2 rounded-md border bg-surface p-3">
              <p className="font-medium">{words.asks(titleOf(one.source), one.asks)}</p>
              <Address of={one} />
              {one.warning && <p role="alert" className="text-failed">{one.warning}</p>}
              <div className="flex flex-wrap gap-2">
                <Button small look="primary" icon={Send} disabled={!data.network || send.isPending} onClick={() => send.mutate({ ids: [one.id] }, after)}>{words.send}</Button>
                <Button small icon={Ban} disabled={refuse.isPending} onClick={() => refuse.mutate({ ids: [one.id] }, after)}>{words.refuse}</Button>
              </div>
            </li>
          ))}
        </ul>
      </section>
      {past.length > 0 && (
        <section aria-labelledby="online-past" className="space-y-2">
          <h3 id="online-past" className="font-semibold">{words.past}</h3>
          <ul className="divide-y border-y">
            {past.map((one) => (
              <li key={one.id} className="space-y-1 py-2 text-sm">
                <p><span className="font-medium">{words.asks(titleOf(one.source), one.asks)}</span>. {words.status[one.status]}{one.status === "done" ? `: ${words.got(one.records ?? 0, one.total ?? 0, one.created ?? 0)}` : ""}</p>
                <Address of={one} />
                {one.error && <p className="text-failed">{visibleText(one.error)}</p>}
                <p className="text-ink-2">{one.by && <>{words.by} {visibleText(one.by)}, </>}<Time at={one.decided_at ?? one.asked_at} /></p>
                {one.status === "failed" && <Button small icon={Send} disabled={!data.network || send.isPending} onClick={() => send.mutate({ ids: [one.id] }, after)}>{words.again}</Button>}
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
