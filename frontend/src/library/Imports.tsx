import { X } from "lucide-react";
import type { Job } from "@/api/types";
import { JobRow } from "@/models/JobRow";
import { closeJob, documentCounts, remarks, importSum, notTaken } from "@/models/jobs";
import { t } from "@/text/language";
import { IconButton } from "@/ui/Button";
import { useResumeImport } from "./uploads";

/** Imports and indexing: what runs or needs an eye has a card each, what went well is one line. */
export function Imports({ jobs }: { jobs: readonly Job[] }) {
  const resume = useResumeImport();
  const well = jobs.filter(wentWell);
  const folded = well.length > 1 ? well : [];
  const row = (job: Job) => {
    const again = job.kind === "import_library" && !nothingIn(job) ? resume(job.title) : undefined;
    return <JobRow key={job.id} job={job} onResume={again && (() => { closeJob(job.id); again(); })} />;
  };
  return (
    <div className="max-h-[40%] shrink-0 space-y-2 overflow-auto border-b p-3">
      {jobs.filter((job) => !folded.includes(job)).map(row)}
      {folded.length > 0 && (
        <div className="flex items-start gap-3 rounded-md border bg-surface p-3">
          <details className="min-w-0 flex-1">
            <summary className="cursor-pointer">{t("library.importsAreDone", { n: folded.length })} {documentCounts(importSum(folded))}</summary>
            <div className="mt-2 space-y-2">{folded.map(row)}</div>
          </details>
          <IconButton small icon={X} label={t("library.putAllAway")} onClick={() => { for (const { id } of folded) closeJob(id); }} />
        </div>
      )}
    </div>
  );
}

/** Says whether all that an import was given was passed over: the same again would be, too. */
const nothingIn = (job: Job) => job.status === "failed" && (job.result as { read?: number } | null)?.read === 0 && notTaken(job.result).files.length > 0;

/** Says whether nothing of an import is left for a person to see to. */
function wentWell(job: Job): boolean {
  const missed = notTaken(job.result);
  return job.kind === "import_library" && job.status === "done" && missed.lines === 0 && missed.files.length === 0 && remarks(job.result).length === 0;
}
