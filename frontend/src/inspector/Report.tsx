import { useRead } from "@/api/query";
import type { RunReport } from "@/api/types";
import { plain } from "@/text/names";
import type { TurnView } from "@/journal/view";
import { duration } from "@/text/format";
import { visibleText } from "@/text/visible";
import { Fact, Facts, Part } from "./Detail";

/** What a turn came to, summed up: what ran and what did not, what it used, what was odd. */
export function Report({ turn }: { turn: TurnView }) {
  // A turn that goes on after a pause has another report: its last step is part of the path.
  const { data: report } = useRead<RunReport>(`/api/turns/${encodeURIComponent(turn.id)}/report?status=${turn.status}&steps=${turn.steps}`, { staleTime: Number.POSITIVE_INFINITY });
  if (!report) return null;
  const { limits, used } = report;
  const spent = [
    `${report.steps} of ${report.max_steps} steps`,
    limits.tokens ? `${number(used.tokens ?? 0)} of ${number(limits.tokens)} tokens` : "",
    limits.time_ns ? `${duration((used.time_ns ?? 0) / 1e6)} of ${duration(limits.time_ns / 1e6)}` : "",
    limits.mutations && limits.mutations > 0 ? `${used.mutations ?? 0} of ${limits.mutations} changes of the graph` : "",
  ].filter((text) => text !== "");
  const passed = Object.entries(report.errors ?? {}).filter(([stage]) => stage !== report.error_stage);
  return (
    <Part title="Report">
      <Facts>
        <Stages name="Ran" counts={report.ran} />
        <Stages name="From the cache" counts={report.cached} />
        <Stages name="Passed over" counts={report.skipped} />
        <Stages name="Failed" counts={report.failed} />
        <Stages name="Tried again" counts={report.retries} />
        {report.tool_calls > 0 && <Fact name="Tool calls">{report.tool_calls}</Fact>}
        <Fact name="Used">{spent.join(", ")}</Fact>
        {report.limit && <Fact name="Came to">{visibleText(plain(report.limit))}</Fact>}
        {(report.mutations_refused ?? 0) > 0 && <Fact name="Changes refused">{report.mutations_refused}</Fact>}
        {(report.hook_failures ?? 0) > 0 && <Fact name="Hooks that failed">{report.hook_failures}</Fact>}
        {passed.map(([stage, error]) => <Fact key={stage} name={`${visibleText(plain(stage))} failed`}>{visibleText(error)}</Fact>)}
        {(report.warnings ?? []).map((text, index) => <Fact key={index} name="Warning">{visibleText(text)}</Fact>)}
      </Facts>
      {report.path && report.path.length > 0 && (
        <details>
          <summary className="cursor-pointer text-sm text-ink-2">The way, step by step ({report.path.length})</summary>
          <ol className="mt-1 space-y-1 text-sm">
            {report.path.map(({ from, to, resolver, reason }, index) => (
              <li key={index} className="wrap-anywhere">
                {visibleText(plain(from))} → {visibleText(plain(to))} <span className="text-ink-3">by {resolver}</span>
                {reason && <span className="text-ink-2">: {visibleText(reason)}</span>}
              </li>
            ))}
          </ol>
        </details>
      )}
    </Part>
  );
}

const number = (n: number) => n.toLocaleString("en");

function Stages({ name, counts }: { name: string; counts?: Record<string, number> | undefined }) {
  const list = Object.entries(counts ?? {});
  if (list.length === 0) return null;
  return <Fact name={name}>{list.map(([stage, times]) => `${visibleText(plain(stage))}${times > 1 ? ` ×${times}` : ""}`).join(", ")}</Fact>;
}
