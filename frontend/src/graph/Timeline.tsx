import { useMemo } from "react";
import { duration } from "@/text/format";
import { language, t } from "@/text/language";
import { useLongList } from "@/ui/longList";
import { useNow } from "@/ui/Time";
import { bars, StateIcon } from "./state";
import type { TurnProgress } from "./progress";
import type { Step } from "./steps";
import { timeline } from "./timeline";

/** What ran when, one bar an attempt. Time at hold points is cut to a break. */
export function Timeline({
  progress,
  steps,
  selected,
  onSelect,
}: {
  progress: TurnProgress;
  steps: readonly Step[];
  selected: string | null;
  onSelect: (key: string) => void;
}) {
  const live = progress.state === "running" && progress.until === undefined;
  const now = useNow(live ? 500 : 3_600_000);
  const axis = useMemo(() => timeline(progress, steps, progress.until ?? now), [progress, steps, now]);
  const byKey = useMemo(() => new Map(steps.map((step) => [step.key, step])), [steps]);
  const long = useLongList({ count: axis.rows.length, estimate: 22, keyOf: (index) => axis.rows[index]!.key, show: axis.rows.findIndex(({ key }) => key === selected) });
  if (axis.rows.length === 0) return <p className="p-3 text-sm text-ink-3">{t("graph.theTimelineFillsAsStepsBegin")}</p>;
  const percent = (ms: number) => `${(ms / axis.length) * 100}%`;
  return (
    <section aria-label={t("graph.timeline")} className="p-3 text-xs">
      <div className="mb-1 flex justify-between text-ink-3">
        <span>{t("graph.n0Ms")}</span>
        <span>
          {t("graph.ofWork", { axis: duration(axis.length) })}
          {axis.breaks.length > 0 &&
            t("graph.ofWaitingCutOut", { reduce: waited(axis.breaks.reduce((sum, gap) => sum + gap.lasted, 0)) })}
        </span>
      </div>
      <ul {...long.list}>
        {long.indexes.map((index) => {
          const { key, spans } = axis.rows[index]!;
          const step = byKey.get(key)!;
          return (
            <li key={key} {...long.row(index)}>
              <button
                type="button"
                tabIndex={-1}
                aria-current={selected === key ? "step" : undefined}
                onClick={() => onSelect(key)}
                className={`grid w-full grid-cols-[minmax(5rem,9rem)_1fr_3.5rem] items-center gap-2 rounded-sm py-0.5 text-left hover:bg-hover ${selected === key ? "bg-accent-soft" : ""}`}
              >
                <span className={`flex min-w-0 items-center gap-1 ${step.kind === "tool" ? "pl-4" : ""}`}>
                  <StateIcon state={step.state} />
                  <span className="truncate">{step.title}</span>
                  <span className="sr-only">{step.word}</span>
                </span>
                <span className="relative block h-3 rounded-sm bg-sunken">
                  {axis.breaks.map((gap) => (
                    <span
                      key={gap.at}
                      className="absolute inset-y-0 border-l border-dashed border-line-strong"
                      style={{ left: percent(gap.at) }}
                    />
                  ))}
                  {spans.map((span) => (
                    <span
                      key={span.start}
                      className={`absolute inset-y-0.5 min-w-0.5 rounded-sm ${bars[span.error ? "failed" : step.state]}`}
                      style={{ left: percent(span.start), width: percent(span.length) }}
                    />
                  ))}
                </span>
                <span className="text-right text-ink-2">{step.ms !== undefined ? duration(step.ms) : ""}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** A wait may last days, so it is told in the largest unit that fits. */
function waited(ms: number): string {
  for (const [unit, size] of [
    ["day", 86_400_000],
    ["hour", 3_600_000],
    ["minute", 60_000],
  ] as const)
    if (ms >= size)
      return new Intl.NumberFormat(language(), { style: "unit", unit, unitDisplay: "long" }).format(Math.round(ms / size));
  return duration(ms);
}
