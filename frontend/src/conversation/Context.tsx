import { ChevronRight, CircleSlash, OctagonX, CheckCircle2, LoaderCircle, RotateCcw, type LucideIcon } from "lucide-react";
import type { ToolView } from "@/journal/view";
import { t } from "@/text/language";
import { problemText } from "@/text/problem";
import { toolTitle, withNames } from "@/text/names";
import { visibleText } from "@/text/visible";
import { toneSoft } from "@/ui/State";

const looks: Record<ToolView["state"], { icon: LucideIcon; word: string; tone: string }> = {
  running: { icon: LoaderCircle, get word() { return t("conversation.running"); }, tone: toneSoft.run },
  retrying: { icon: RotateCcw, get word() { return t("conversation.tryingAgain"); }, tone: toneSoft.run },
  done: { icon: CheckCircle2, get word() { return t("conversation.done"); }, tone: toneSoft.done },
  skipped: { icon: CircleSlash, get word() { return t("conversation.skipped"); }, tone: toneSoft.wait },
  failed: { icon: OctagonX, get word() { return t("conversation.failed"); }, tone: toneSoft.failed },
  refused: { icon: CircleSlash, get word() { return t("conversation.refused"); }, tone: toneSoft.wait },
};

/** Why a tool failed, for a person: the error itself is told with its call, in the inspector. */
function failure(tool: ToolView): string {
  const last = tool.failures.at(-1);
  return last?.class === "timeout" ? t("conversation.itTookTooLong") : problemText(last?.error ?? "").message;
}

/** What the pipeline gathered before the reply: one chip a tool, and why some were passed over. */
export function Context({ tools }: { tools: ToolView[] }) {
  if (!tools.length) return null;
  const counts = { done: 0, skipped: 0, failed: 0, running: 0 };
  for (const tool of tools) {
    if (tool.state === "done") counts.done++;
    else if (tool.state === "skipped" || tool.state === "refused") counts.skipped++;
    else if (tool.state === "failed") counts.failed++;
    else counts.running++;
  }
  const summary = [
    counts.running && t("conversation.running2", { running: counts.running }),
    t("conversation.gathered", { done: counts.done }),
    counts.skipped && t("conversation.skipped2", { skipped: counts.skipped }),
    counts.failed && t("conversation.failed2", { failed: counts.failed }),
  ].filter(Boolean).join(", ");
  return (
    <details className="group text-sm" open={counts.failed > 0 || counts.running > 0}>
      <summary className="flex w-fit cursor-pointer list-none items-center gap-1 rounded-sm text-ink-2 hover:text-ink">
        <ChevronRight aria-hidden className="size-4 group-open:rotate-90" />
        {t("conversation.context", { summary })}
      </summary>
      <ul className="mt-1 flex flex-wrap gap-1.5 pl-5">
        {tools.map((tool) => {
          const look = looks[tool.state];
          const Icon = look.icon;
          const why = tool.state === "failed" ? failure(tool) : tool.reason;
          return (
            <li key={tool.key} className={`inline-flex max-w-full items-center gap-1 rounded-sm px-1.5 text-xs ${look.tone}`}>
              <Icon aria-hidden className={`size-3 shrink-0 ${tool.state === "running" ? "spin" : ""}`} />
              <span className="wrap-anywhere">
                {toolTitle(tool.tool)}: {look.word}
                {why && ` (${withNames(visibleText(why))})`}
              </span>
            </li>
          );
        })}
      </ul>
    </details>
  );
}
