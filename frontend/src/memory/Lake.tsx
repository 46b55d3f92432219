import type { Memories } from "@/api/types";
import { visibleText } from "@/text/visible";

const words = {
  title: "What is being remembered",
  queued: "Queued", working: "Working on", written: "Written", failed: "Failed",
  since: "Written and failed count since Holdpoint was started.",
  nothing: "Nothing waits to be remembered.",
  waiting: (count: number, now: number) => `${count} ${count === 1 ? "conversation waits" : "conversations wait"} to be remembered, ${now} of them now.`,
  again: (count: number, problem: string) => `${count} tries failed and are made again: ${problem}`,
};

/** How far conversations are on their way into memory. */
export function Lake({ lake }: { lake: Memories["lake"] }) {
  const figures: [string, number][] = [[words.queued, Math.max(0, lake.waiting - lake.making)], [words.working, lake.making], [words.written, lake.kept], [words.failed, lake.failed]];
  return (
    <section aria-label={words.title} className="rounded-md border bg-surface p-3 text-sm">
      <dl className="flex flex-wrap gap-x-6 gap-y-1">
        {figures.map(([name, count]) => (
          <div key={name} className="flex gap-1.5">
            <dt className="text-ink-2">{name}</dt>
            <dd className={`font-medium tabular-nums ${name === words.failed && count > 0 ? "text-degraded" : ""}`}>{count}</dd>
          </div>
        ))}
      </dl>
      <p className="text-xs text-ink-2">{words.since}</p>
      {(lake.waiting > 0 || lake.failed > 0) && (
        <p role="status">
          {lake.waiting === 0 ? words.nothing : words.waiting(lake.waiting, lake.making)}
          {lake.failed > 0 && <span className="block text-degraded wrap-anywhere">{words.again(lake.failed, visibleText(lake.problem ?? ""))}</span>}
        </p>
      )}
    </section>
  );
}
