import { useRead } from "@/api/query";
import type { RunReport } from "@/api/types";
import { toldFailure } from "@/text/failure";
import { plain } from "@/text/names";
import type { TurnView } from "@/journal/view";
import { duration } from "@/text/format";
import { number, t } from "@/text/language";
import { useManifest } from "@/graph/useManifest";
import { isTerminal, START } from "@/graph/geometry";
import { resolverWord } from "@/graph/steps";
import { wordsOf, type Words } from "@/graph/words";
import { told } from "@/text/told";
import { visibleText } from "@/text/visible";
import { Fact, Facts, Part } from "./Detail";

/** What a turn came to, summed up: what ran and what did not, what it used, what was odd. */
export function Report({ turn }: { turn: TurnView }) {
  // A turn that goes on after a pause has another report: its last step is part of the path.
  const { data: report } = useRead<RunReport>(`/api/turns/${encodeURIComponent(turn.id)}/report?status=${turn.status}&steps=${turn.steps}`, { staleTime: Number.POSITIVE_INFINITY });
  const words = wordsOf(useManifest(turn).manifest);
  if (!report) return null;
  const { limits, used } = report;
  const spent = [
    t("inspector.ofSteps", { steps: report.steps, max_steps: report.max_steps }),
    limits.tokens ? t("inspector.ofTokens", { tokens: number(used.tokens ?? 0), tokens2: number(limits.tokens) }) : "",
    limits.time_ns ? t("inspector.of2", { duration: duration((used.time_ns ?? 0) / 1e6), duration2: duration(limits.time_ns / 1e6) }) : "",
    limits.mutations && limits.mutations > 0 ? t("inspector.ofChangesOfTheGraph", { mutations: used.mutations ?? 0, mutations2: limits.mutations }) : "",
  ].filter((text) => text !== "");
  const passed = Object.entries(report.errors ?? {}).filter(([stage]) => stage !== report.error_stage);
  return (
    <Part title={t("inspector.report")}>
      <Facts>
        <Stages name={t("inspector.ran")} counts={report.ran} words={words} />
        <Stages name={t("inspector.fromTheCache2")} counts={report.cached} words={words} />
        <Stages name={t("inspector.passedOver")} counts={report.skipped} words={words} />
        <Stages name={t("inspector.failed")} counts={report.failed} words={words} />
        <Stages name={t("inspector.triedAgain2")} counts={report.retries} words={words} />
        {report.tool_calls > 0 && <Fact name={t("inspector.toolCalls")}>{report.tool_calls}</Fact>}
        <Fact name={t("inspector.used2")}>{spent.join(", ")}</Fact>
        {report.limit && <Fact name={t("inspector.cameTo")}>{visibleText(plain(report.limit))}</Fact>}
        {(report.mutations_refused ?? 0) > 0 && <Fact name={t("inspector.changesRefused")}>{report.mutations_refused}</Fact>}
        {(report.hook_failures ?? 0) > 0 && <Fact name={t("inspector.hooksThatFailed")}>{report.hook_failures}</Fact>}
        {passed.map(([stage, error]) => <Fact key={stage} name={t("inspector.stageFailed", { stage: words.stage(stage) })}>{toldFailure(visibleText(error))}</Fact>)}
        {(report.warnings ?? []).map((text, index) => <Fact key={index} name={t("inspector.warning")}>{told(visibleText(text))}</Fact>)}
      </Facts>
      {report.path && report.path.length > 0 && (
        <details>
          <summary className="cursor-pointer text-sm text-ink-2">{t("inspector.theWayStepByStep", { path: report.path.length })}</summary>
          <ol className="mt-1 space-y-1 text-sm">
            {report.path.map(({ from, to, resolver, reason }, index) => (
              <li key={index} className="wrap-anywhere">
                {endWord(words, from)} → {endWord(words, to)} <span className="text-ink-3">({resolverWord(resolver)})</span>
                {reason && <span className="text-ink-2">{t("inspector.colon")} {told(visibleText(reason))}</span>}
              </li>
            ))}
          </ol>
        </details>
      )}
    </Part>
  );
}

/** A stage on the way, or where the way begins and ends. */
const endWord = (words: Words, id: string): string => (isTerminal(id) ? (id === START ? t("inspector.theBeginning") : t("inspector.theEnd")) : words.stage(id));

function Stages({ name, counts, words }: { name: string; counts?: Record<string, number> | undefined; words: Words }) {
  const list = Object.entries(counts ?? {});
  if (list.length === 0) return null;
  return <Fact name={name}>{list.map(([stage, times]) => `${words.stage(stage)}${times > 1 ? ` ×${times}` : ""}`).join(", ")}</Fact>;
}
