import type { Memories } from "@/api/types";
import { t } from "@/text/language";
import { visibleText } from "@/text/visible";

/** How far conversations are on their way into memory. */
export function Lake({ lake }: { lake: Memories["lake"] }) {
  const figures: [string, number][] = [[t("memory.lakeQueued"), Math.max(0, lake.waiting - lake.making)], [t("memory.lakeWorking"), lake.making], [t("memory.lakeWritten"), lake.kept], [t("memory.lakeFailed"), lake.failed]];
  return (
    <section aria-label={t("memory.lakeTitle")} className="rounded-md border bg-surface p-3 text-sm">
      <dl className="flex flex-wrap gap-x-6 gap-y-1">
        {figures.map(([name, count]) => (
          <div key={name} className="flex gap-1.5">
            <dt className="text-ink-2">{name}</dt>
            <dd className={`font-medium tabular-nums ${name === t("memory.lakeFailed") && count > 0 ? "text-degraded" : ""}`}>{count}</dd>
          </div>
        ))}
      </dl>
      <p className="text-xs text-ink-2">{t("memory.lakeSince")}</p>
      {(lake.waiting > 0 || lake.failed > 0) && (
        <p role="status">
          {lake.waiting === 0 ? t("memory.nothingWaitsToBeRemembered") : t("memory.conversationsWaitToBeRememberedOf", { waiting: lake.waiting, making: lake.making })}
          {lake.failed > 0 && <span className="block text-degraded wrap-anywhere">{t("memory.triesFailedAndAreMadeAgain", { failed: lake.failed, problem: visibleText(lake.problem ?? "") })}</span>}
        </p>
      )}
    </section>
  );
}
