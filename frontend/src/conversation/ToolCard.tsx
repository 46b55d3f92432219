import { ChevronRight, Wrench } from "lucide-react";
import type { ToolView } from "@/journal/view";
import { toldFailure } from "@/text/failure";
import { duration } from "@/text/format";
import { toolTitle } from "@/text/names";
import { visibleText } from "@/text/visible";
import { withMoments } from "@/text/zone";
import { pretty } from "@/approvals/arguments";
import { t } from "@/text/language";
import { State, type StateName } from "@/ui/State";

const names: Record<ToolView["state"], StateName> = {
  running: "running", done: "done", skipped: "skipped", retrying: "retrying", failed: "failed", refused: "refused",
};

/** Calls that followed each other; three and more of the same tool with the same end are one line until it is opened. */
export function ToolCards({ tools, held }: { tools: ToolView[]; held: ReadonlySet<string> }) {
  const runs: ToolView[][] = [];
  for (const tool of tools) {
    const last = runs.at(-1)?.[0];
    if (last && last.tool === tool.tool && last.state === tool.state && !held.has(tool.call) && !held.has(last.call) && tool.refs.length === 0 && last.refs.length === 0) runs.at(-1)!.push(tool);
    else runs.push([tool]);
  }
  return (
    <>
      {runs.map((run) => (run.length < 3 ? run.map((tool) => <ToolCard key={tool.key} tool={tool} held={held.has(tool.call)} />) : <Folded key={run[0]!.key} tools={run} />))}
    </>
  );
}

function Folded({ tools }: { tools: ToolView[] }) {
  const { tool, state } = tools[0]!;
  return (
    <details className="group/all rounded-md border bg-surface">
      <summary className="flex cursor-pointer list-none flex-wrap items-center gap-x-2 px-3 py-1.5 hover:bg-hover">
        <ChevronRight aria-hidden className="size-4 shrink-0 text-ink-3 group-open/all:rotate-90" />
        <Wrench aria-hidden className="size-4 shrink-0 text-ink-3" />
        <span className="min-w-0 flex-1 truncate">{t("conversation.times", { tool: toolTitle(tool), tools: tools.length })}</span>
        <State name={names[state]} />
      </summary>
      <div className="space-y-2 border-t p-2">{tools.map((one) => <ToolCard key={one.key} tool={one} held={false} />)}</div>
    </details>
  );
}

/** One call of the agent: what was asked and what came back, folded until it is opened. */
function ToolCard({ tool, held }: { tool: ToolView; held: boolean }) {
  return (
    <details className="group rounded-md border bg-surface">
      <summary className="flex cursor-pointer list-none flex-wrap items-center gap-x-2 px-3 py-1.5 hover:bg-hover">
        <ChevronRight aria-hidden className="size-4 shrink-0 text-ink-3 group-open:rotate-90" />
        <Wrench aria-hidden className="size-4 shrink-0 text-ink-3" />
        <span className="min-w-0 flex-1 truncate">{toolTitle(tool.tool)}</span>
        {tool.ms !== null && <span className="text-xs text-ink-3">{duration(tool.ms)}</span>}
        {held ? <State name="pending" /> : <State name={names[tool.state]} />}
      </summary>
      <div className="border-t p-3"><Facts tool={tool} /></div>
    </details>
  );
}

/** What became of a call that a person decided on, folded below the verdict. */
export function CallDetails({ tool }: { tool: ToolView }) {
  return (
    <details className="group text-sm">
      <summary className="flex w-fit cursor-pointer list-none items-center gap-1 rounded-sm text-ink-2 hover:text-ink">
        <ChevronRight aria-hidden className="size-4 group-open:rotate-90" />{t("conversation.detailsOfThisCall", { tool: toolTitle(tool.tool) })}
      </summary>
      <div className="mt-1 pl-5"><Facts tool={tool} /></div>
    </details>
  );
}

function Facts({ tool }: { tool: ToolView }) {
  const failure = tool.failures.at(-1);
  return (
    <div className="space-y-2 text-sm">
      {tool.reason && <p className="wrap-anywhere">{withMoments(toldFailure(visibleText(tool.reason)))}</p>}
      {failure && <p className="text-failed wrap-anywhere">{failure.class && `${failure.class}: `}{visibleText(failure.error)}</p>}
      {tool.refs.length > 0 && <p>{t("conversation.wrote")} <span className="font-mono">{tool.refs.map(visibleText).join(", ")}</span></p>}
      {tool.args !== null && <Plain label={t("conversation.asked")} text={pretty(tool.args)} />}
      {tool.result !== null && <Plain label={t("conversation.answered")} text={typeof tool.result === "string" ? tool.result : pretty(tool.result)} />}
    </div>
  );
}

function Plain({ label, text }: { label: string; text: string }) {
  return (
    <div>
      <p className="text-xs text-ink-3">{label}</p>
      <pre tabIndex={0} role="group" aria-label={label} className="max-h-64 overflow-auto rounded-md bg-sunken p-2 text-xs whitespace-pre-wrap wrap-anywhere">{visibleText(text)}</pre>
    </div>
  );
}
