import { RotateCw, Square, X } from "lucide-react";
import { useCall } from "@/api/query";
import type { Job } from "@/api/types";
import { Columns } from "@/records/Columns";
import { typeTitle } from "@/records/summary";
import { toldFailure } from "@/text/failure";
import { bytes, duration } from "@/text/format";
import { number, t } from "@/text/language";
import { problemText } from "@/text/problem";
import { told } from "@/text/told";
import { prose, visibleText } from "@/text/visible";
import { Button, IconButton } from "@/ui/Button";
import { State } from "@/ui/State";
import { Time, useNow } from "@/ui/Time";
import { sayError } from "@/ui/toasts";
import { closeJob, documentCounts, remarks, lineErrors, notTaken, pace, tables, typeCounts } from "./jobs";

/** One long work: how far it is, how to stop it, what came of it. */
export function JobRow({ job, onResume }: { job: Job; onResume?: () => void }) {
  const cancel = useCall<{ id: string }>("cancel_job");
  const now = useNow(job.status === "running" ? 1000 : 3_600_000);
  const share = job.total > 0 ? Math.min(1, job.done / job.total) : null;
  const speed = job.status === "running" && job.unit === "bytes" ? pace(job, now) : null;
  const counts = typeCounts(job.result);
  const changed = counts.filter((row) => row.created + row.updated + row.failed > 0);
  const same = counts.reduce((sum, row) => sum + row.unchanged, 0);
  const errors = lineErrors(job.result);
  const missed = notTaken(job.result);
  const documents = documentCounts(job.result);
  const notes = remarks(job.result);
  const title = visibleText(job.kind.startsWith("import") ? job.title : told(job.title));
  return (
    <div className="rounded-md border bg-surface p-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <p className="min-w-0 flex-1 font-medium wrap-anywhere">{job.kind === "check_model" && t("models.whatIsItGoodFor")}{title}</p>
        {job.status === "done" && (missed.lines > 0 || missed.files.length > 0) ? <State name="degraded" word={t("models.doneNotAll")} /> : <State name={job.status} />}
        {job.status === "running" && (
          <Button
            small
            icon={Square}
            disabled={cancel.isPending}
            onClick={() => cancel.mutate({ id: job.id }, { onError: sayError })}
          >
            {t("models.cancel")}
          </Button>
        )}
        {(job.status === "failed" || job.status === "cancelled") && onResume && (
          <Button small icon={RotateCw} onClick={onResume}>
            {t("models.resume")}
          </Button>
        )}
        {job.status !== "running" && (
          <IconButton small icon={X} label={t("models.putAway", { title })} onClick={() => closeJob(job.id)} />
        )}
      </div>
      {job.status === "running" && (
        <div
          role="progressbar"
          aria-label={title}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={share === null ? undefined : Math.round(share * 100)}
          className="mt-2 h-1.5 overflow-hidden rounded-sm bg-sunken"
        >
          <div
            className="h-full bg-run"
            style={{ width: share === null ? "100%" : `${share * 100}%`, opacity: share === null ? 0.35 : 1 }}
          />
        </div>
      )}
      <p className="mt-1 text-sm wrap-anywhere text-ink-2">
        {/* What became of documents is told below; how far their index was when it ended is of no use. */}
        {!(job.status === "done" && documents) &&
          [amountText(job), speed ? t("models.sLeft", { perSecond: bytes(speed.perSecond), left: duration(speed.left) }) : "", job.detail && told(job.detail)]
            .filter(Boolean)
            .join(" · ")}
        {job.status !== "running" && <Time at={job.started_at} className={job.status === "done" && documents ? "text-ink-3" : "ml-2 text-ink-3"} />}
      </p>
      {job.error && <p className="mt-1 text-sm wrap-anywhere text-failed">{visibleText(problemText(job.error).message)} {problemText(job.error).hint}</p>}
      {documents && <p className="mt-1 text-sm text-ink-2">{documents}{job.status === "cancelled" && ` ${t("models.whatWasReadIsKept")}`}</p>}
      {notes.length > 0 && (
        <ul className="mt-1 text-sm text-ink-2" aria-label={t("models.remarks")}>
          {notes.map((entry, index) => <li key={index} className="wrap-anywhere">{visibleText(entry.file)}{entry.line > 0 ? ` ${t("models.line", { line: entry.line })}` : ":"} {prose(toldFailure(entry.error))}</li>)}
        </ul>
      )}
      {changed.length > 0 && <Counts counts={changed} />}
      {same > 0 && (
        <p className="mt-1 text-sm text-ink-2">
          {t("models.recordsWereHereAlreadyUnchanged", { same })}
        </p>
      )}
      {missed.files.length > 0 && (
        <div className="mt-1 text-sm text-ink-2">
          <p>{t("models.passedOver")}</p>
          <ul className="ml-4 list-disc">
            {missed.files.map(({ name, why }, index) => (
              <li key={index} className="wrap-anywhere">{why ? `${visibleText(name)}: ${prose(told(why))}` : visibleText(name)}</li>
            ))}
          </ul>
        </div>
      )}
      {job.kind === "import_records" && job.status !== "running" && tables(job.result).map(({ file, mapping }) => <Columns key={mapping.source} job={job} file={file} mapping={mapping} />)}
      {errors.length > 0 && (
        <div className="mt-2">
          <p className="text-sm font-medium text-failed">
            {t("models.amountNotTaken", { n: missed.lines, documents: documents ? "yes" : "no" })}
            {missed.lines > errors.length && t("models.theFirstAreListed", { errors: errors.length })}
          </p>
          <ul
            tabIndex={0}
            aria-label={documents ? t("models.documentsThatWereNotTaken") : t("models.linesThatWereNotTaken")}
            className="mt-1 max-h-48 overflow-auto rounded-md border bg-sunken p-2 font-mono text-xs"
          >
            {errors.map((entry, index) => (
              <li key={index} className="wrap-anywhere">
                {entry.file && `${visibleText(entry.file)} `}
                {entry.line > 0 && `${t("models.line", { line: entry.line })} `}
                {prose(toldFailure(entry.error))}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

/** How far a job is, e.g. "210 MB of 523 MB (40 %)". */
function amountText({ done, total, unit, status }: Job): string {
  const amount = (n: number) =>
    unit === "bytes" ? bytes(n) : t("models.amount", { n, unit });
  if (total > 0 && done < total) return t("models.of", { done: amount(done), total: amount(total), floor: Math.floor((done / total) * 100) });
  return done > 0 || status === "running" ? amount(done) : "";
}

function Counts({ counts }: { counts: ReturnType<typeof typeCounts> }) {
  const columns = ["read", "created", "updated", "unchanged", "failed"] as const;
  const words = { read: t("models.countRead"), created: t("models.created"), updated: t("models.updated"), unchanged: t("models.unchanged"), failed: t("models.countFailed") };
  return (
    <div className="mt-2 overflow-x-auto" tabIndex={0} role="region" aria-label={t("models.whatWasImported")}>
      <table className="text-sm">
        <thead className="text-ink-3">
          <tr>
            <th scope="col" className="pr-4 text-left font-normal">
              {t("models.type")}
            </th>
            {columns.map((name) => (
              <th scope="col" key={name} className="pr-4 text-right font-normal">
                {words[name]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {counts.map((row) => (
            <tr key={row.type}>
              <th scope="row" className="pr-4 text-left font-normal">
                {typeTitle(row.type)}
              </th>
              {columns.map((name) => (
                <td
                  key={name}
                  className={`pr-4 text-right ${name === "failed" && row.failed > 0 ? "text-failed" : ""}`}
                >
                  {number(row[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
