import { Database, FlaskConical } from "lucide-react";
import { useCall, useRead } from "@/api/query";
import { DropZone } from "@/models/DropZone";
import { ImportButton } from "@/models/ImportButton";
import { JobRow } from "@/models/JobRow";
import { currentJobs, useClosedJobs, useJobsOf } from "@/models/jobs";
import { href } from "@/shell/route";
import { number, t } from "@/text/language";
import { Button } from "@/ui/Button";
import { Empty, ErrorNote, Loading } from "@/ui/Notice";
import { sayError } from "@/ui/toasts";
import { RecordDetail } from "./RecordDetail";
import { RecordList } from "./RecordList";
import { byType, typeTitle } from "./summary";

/** The data that a session reads and that approvals change: types, records of one type, one record. */
export function RecordsScreen({ type, id }: { type: string; id: string }) {
  const { data, error, isPending, refetch } = useRead<{ type: string; count: number }[] | null>("/api/records");
  const jobs = useJobsOf("import_records", "sample");
  const closed = useClosedJobs((state) => state.closed);
  const shown = currentJobs(jobs, closed, Date.now());
  if (error)
    return (
      <div className="p-pad">
        <ErrorNote error={error} title={t("records.theRecordsCouldNotBeRead")} retry={() => void refetch()} />
      </div>
    );
  if (isPending) return <Loading what={t("records.readingTheRecords")} />;
  const types = [...(data ?? [])].filter(({ count }) => count > 0).sort(byType);
  const chosen = type || types[0]?.type || "";
  const progress = shown.length > 0 && (
    <div className="space-y-2 p-3">
      {shown.map((job) => (
        <JobRow key={job.id} job={job} />
      ))}
    </div>
  );
  if (types.length === 0)
    return (
      <DropZone kind="records" className="h-full overflow-auto"><div className="mx-auto max-w-2xl">
        <Empty
          icon={Database}
          title={t("records.noRecordsYet")}
          action={
            <div className="flex flex-wrap justify-center gap-2">
              <Sample look="primary" />
              <ImportButton kind="records">{t("records.importAFile")}</ImportButton>
              <ImportButton kind="records" folder>{t("records.importAFolder")}</ImportButton>
            </div>
          }
        >
          {t("records.recordsAreWhatTheAgentMay")}
        </Empty>
        {progress}
      </div></DropZone>
    );
  return (
    // In a low window the screen scrolls as a whole: what an import says must not leave the list without a line.
    <DropZone kind="records" className="flex h-full min-h-0 flex-col [@media(max-height:32rem)]:overflow-y-auto">
      <header className="flex shrink-0 flex-wrap items-center gap-2 border-b bg-surface px-pad py-tight">
        <h1 className="mr-auto text-xl font-semibold">{t("records.records")}</h1>
        <Sample />
        <ImportButton kind="records">{t("records.importAFile")}</ImportButton>
        <ImportButton kind="records" folder>{t("records.importAFolder")}</ImportButton>
      </header>
      {progress && <div className="max-h-[40%] shrink-0 overflow-auto border-b">{progress}</div>}
      <div className="flex min-h-0 flex-1 flex-col lg:flex-row [@media(max-height:32rem)]:h-80 [@media(max-height:32rem)]:flex-none">
        <nav
          aria-label={t("records.kindsOfRecords")}
          className={`shrink-0 overflow-auto border-b bg-surface lg:w-[min(14rem,22%)] lg:border-r lg:border-b-0 ${id ? "hidden lg:block" : ""}`}
        >
          <ul className="flex max-h-[25vh] flex-wrap lg:block lg:max-h-none">
            {types.map((one) => (
              <li key={one.type}>
                <a
                  href={href("records", one.type)}
                  aria-current={one.type === chosen ? "page" : undefined}
                  className={`flex items-baseline justify-between gap-2 px-3 py-tight hover:bg-hover ${one.type === chosen ? "bg-accent-soft font-medium" : ""}`}
                >
                  {typeTitle(one.type)}
                  <span className="text-xs font-normal text-ink-3">{number(one.count)}</span>
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div
          className={`min-h-0 min-w-0 flex-1 lg:w-[min(24rem,34%)] lg:flex-none lg:border-r ${id ? "hidden lg:block" : ""}`}
        >
          {types.some((one) => one.type === chosen) ? (
            <RecordList key={chosen} type={chosen} selected={id} />
          ) : (
            <Empty title={t("records.no", { chosen: typeTitle(chosen).toLowerCase() })}>{t("records.chooseAnotherKindOfRecord")}</Empty>
          )}
        </div>
        <div className={`min-h-0 min-w-0 flex-1 overflow-auto ${id ? "" : "hidden lg:block"}`}>
          {id ? (
            <RecordDetail key={`${chosen}/${id}`} type={chosen} id={id} />
          ) : (
            <Empty icon={Database} title={t("records.chooseARecord")}>
              {t("records.itsMainFieldsAreShownFirst")}
            </Empty>
          )}
        </div>
      </div>
    </DropZone>
  );
}

function Sample({ look }: { look?: "primary" }) {
  const load = useCall<Record<string, never>>("import_sample");
  return (
    <Button
      look={look}
      icon={FlaskConical}
      disabled={load.isPending}
      onClick={() => load.mutate({}, { onError: sayError })}
    >
      {t("records.loadTheSampleClinic")}
    </Button>
  );
}
