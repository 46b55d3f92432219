import { useRead } from "@/api/query";
import type { Chart as ChartData, ChartLine } from "@/api/types";
import { Part } from "@/inspector/Detail";
import { href } from "@/shell/route";
import { t } from "@/text/language";
import { told, toldDetails } from "@/text/told";
import { visibleName } from "@/text/visible";
import { isInstant, momentText } from "@/text/zone";
import { ErrorNote, Loading } from "@/ui/Notice";

/** Lists of a chart, in the order in which they are looked for. */
const parts = () => [
  ["allergies", t("records.allergies"), t("records.noAllergiesAreRecorded")],
  ["problems", t("records.problems"), t("records.noProblemsAreRecorded")],
  ["medicines", t("records.medicines"), t("records.noMedicinesAreRecorded")],
  ["visits", t("records.visits"), t("records.noVisitsAreRecorded")],
  ["notes", t("records.notesAndDocuments"), t("records.noNotesAreRecorded")],
] as const;

/** What stands where a record has no words of its own. */
const nameless = new Set(["Appointment", "Encounter"]);

/** A patient's one page: each line opens its record. What no longer holds comes last and says so. */
export function Chart({ id }: { id: string }) {
  const { data, error, isPending, refetch } = useRead<ChartData>(`/api/patients/${encodeURIComponent(id)}/chart`);
  if (error) return <ErrorNote error={error} title={t("records.theChartCouldNotBeRead")} retry={() => void refetch()} />;
  if (isPending) return <Loading what={t("records.readingTheChart")} />;
  return (
    <>
      {parts().map(([name, title, none]) => {
        const lines = data[name] ?? [];
        const left = data.omitted?.[name] ?? 0;
        return (
          <Part key={name} title={title}>
            {lines.length === 0 ? (
              <p className="text-ink-2">{none}</p>
            ) : (
              <ul aria-label={title} className="divide-y rounded-md border bg-surface">
                {lines.map((line) => <Line key={`${line.type}/${line.id}`} line={line} alarm={name === "allergies"} />)}
              </ul>
            )}
            {left > 0 && <p className="mt-1 text-sm text-ink-2">{t("records.olderOnesAreUnderRecords", { left })}</p>}
          </Part>
        );
      })}
    </>
  );
}

function Line({ line, alarm }: { line: ChartLine; alarm: boolean }) {
  const date = line.date ?? "";
  return (
    <li>
      <a href={href("records", line.type, line.id)} className="flex flex-wrap items-baseline gap-x-3 px-3 py-1.5 hover:bg-hover">
        <span className={`min-w-0 flex-1 wrap-anywhere ${line.past ? "text-ink-2" : alarm && !line.none ? "font-semibold text-failed" : "font-medium"}`}>
          {visibleName(nameless.has(line.text) ? told(line.text) : line.text)}
          {line.detail && <span className="font-normal text-ink-2">, {visibleName(line.detail.split(", ").map(toldDetails).join(", "))}</span>}
          {line.past && <span className="font-normal text-ink-2"> {t(line.untrue === "refuted" ? "records.refuted" : line.untrue ? "records.enteredInError" : "records.past")}</span>}
        </span>
        <span className="text-xs text-ink-2">{isInstant(date) ? momentText(date) : visibleName(date)}</span>
      </a>
    </li>
  );
}
