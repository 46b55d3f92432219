import { useEffect, useMemo, useRef } from "react";
import { attemptsOf, type TurnProgress } from "@/graph/progress";
import { flagText } from "@/graph/Flags";
import { mutationText } from "@/graph/mutations";
import { timesText } from "@/graph/Stage";
import { chosenText, fromText, type Step } from "@/graph/steps";
import type { MutationView } from "@/journal/view";
import { toldFailure } from "@/text/failure";
import { withNames } from "@/text/names";
import { told } from "@/text/told";
import { visibleText } from "@/text/visible";
import { noteText } from "./Notes";
import { duration } from "@/text/format";
import { CompletenessBar } from "@/memory/CompletenessBar";
import { t } from "@/text/language";
import { useLongList } from "@/ui/longList";
import { State } from "@/ui/State";

/** The same facts as the graph, as a list for keyboards and screen readers. */
export function StepList({
  steps,
  progress,
  mutations,
  selected,
  onSelect,
  onOpen,
}: {
  steps: readonly Step[];
  progress: TurnProgress;
  mutations: readonly MutationView[];
  selected: string | null;
  onSelect: (key: string) => void;
  onOpen: (key: string) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  const entries = useMemo(() => entriesOf(steps), [steps]);
  const long = useLongList({
    count: entries.length,
    estimate: 36,
    keyOf: (index) => entries[index]!.stage.key,
    show: entries.findIndex(({ stage, tools }) => stage.key === selected || tools.some(({ key }) => key === selected)),
  });
  useEffect(() => {
    if (selected)
      list.current?.querySelector(`[data-step="${CSS.escape(selected)}"]`)?.scrollIntoView({ block: "nearest" });
  }, [selected]);
  return (
    <div ref={list}>
      <ol {...long.list} aria-label={t("inspector.stepsOfThisTurn")} className="divide-y">
        {long.indexes.map((index) => {
          const { stage, tools, number } = entries[index]!;
          return (
            <li key={stage.key} {...long.row(index)}>
              <Row
                step={stage}
                number={number}
                selected={selected === stage.key}
                onSelect={onSelect}
                onOpen={onOpen}
                asides={asidesOf(progress, mutations, stage)}
              />
              {tools.length > 0 && (
                <ol aria-label={t("inspector.toolsOf", { title: stage.title })} className="pb-1">
                  {tools.map((tool, at) => (
                    <li key={tool.key}>
                      {tool.phase !== undefined && tool.phase !== tools[at - 1]?.phase && (
                        <p className="pt-1 pl-13 text-xs text-ink-3">{t("inspector.phase2", { phase: tool.phase })}</p>
                      )}
                      <Row
                        step={tool}
                        selected={selected === tool.key}
                        onSelect={onSelect}
                        onOpen={onOpen}
                        failures={failuresOf(progress, tool)}
                      />
                    </li>
                  ))}
                </ol>
              )}
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** A stage with its tools; stages are counted, those inside of others are not. */
function entriesOf(steps: readonly Step[]): { stage: Step; tools: Step[]; number: number }[] {
  const tools = new Map<string, Step[]>();
  for (const step of steps) if (step.kind === "tool") tools.set(step.stage, [...(tools.get(step.stage) ?? []), step]);
  let number = 0;
  return steps.filter(({ kind }) => kind === "stage").map((stage) => ({ stage, tools: tools.get(stage.stage) ?? [], number: stage.depth === 0 ? ++number : number }));
}

function Row({
  step,
  number,
  selected,
  onSelect,
  onOpen,
  failures = [],
  asides = [],
}: {
  step: Step;
  number?: number;
  selected: boolean;
  onSelect: (key: string) => void;
  onOpen: (key: string) => void;
  failures?: string[];
  asides?: { text: string; bad: boolean }[];
}) {
  const how = step.chosen ? chosenText(step.chosen) : "";
  return (
    <button
      type="button"
      data-step={step.key}
      aria-current={selected ? "step" : undefined}
      onClick={() => (selected ? onOpen(step.key) : onSelect(step.key))}
      title={selected ? t("inspector.showDetails") : undefined}
      className={`flex w-full gap-2 px-3 py-tight text-left hover:bg-hover ${step.kind === "tool" ? "pl-13" : step.depth > 0 ? "pl-9" : ""} ${selected ? "bg-accent-soft" : ""}`}
    >
      {number !== undefined && step.depth === 0 && <span className="w-4 shrink-0 text-right text-ink-3">{number}</span>}
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-x-3">
          <span className={`min-w-0 wrap-anywhere ${step.kind === "stage" ? "font-medium" : ""}`}>{step.title}</span>
          <State name={step.state} word={step.word} />
          {step.added && <span className="text-xs text-ink-2">{t("inspector.addedByTheModel")}</span>}
          <span className="ml-auto flex items-center gap-2 text-xs text-ink-2">
            {step.attempts > 1 && <span>{t("inspector.attempts2", { attempts: step.attempts })}</span>}
            {(step.visits > 1 || step.again) && <span>{timesText(step)}</span>}
            {step.completeness !== undefined && <CompletenessBar value={step.completeness} />}
            {step.ms !== undefined && <span className="min-w-14 text-right">{duration(step.ms)}</span>}
          </span>
        </span>
        {how && step.chosen && (
          <span className="block text-xs text-ink-3">
            {t("inspector.from2", { chosen: fromText(step.chosen), how })}
            {step.chosen.reason && t("inspector.because", { reason: clipped(step.chosen.reason) })}
          </span>
        )}
        {step.flags && (
          <span className="block text-xs text-ink-3" title={step.flags.map(flagText).join("\n")}>
            {step.flags.map((flag) => flagText(flag).split(":")[0]).join(", ")}
          </span>
        )}
        {step.reason && <span className="block text-xs wrap-anywhere text-ink-2">{withNames(step.reason)}</span>}
        {asides.map(({ text, bad }, index) => (
          <span key={index} className={`block text-xs wrap-anywhere ${bad ? "text-failed" : "text-ink-2"}`}>
            {text}
          </span>
        ))}
        {failures.map((failure, index) => (
          <span key={index} className="block text-xs wrap-anywhere text-failed">
            {failure}
          </span>
        ))}
      </span>
    </button>
  );
}

const cut = (text: string) => (text.length > 140 ? `${text.slice(0, 140)}…` : text);
const clipped = (reason: string) => cut(told(visibleText(reason)));

/** What a stage told beside its result, a line each; whole outputs and metrics are in Detail. */
function asidesOf(progress: TurnProgress, mutations: readonly MutationView[], step: Step): { text: string; bad: boolean }[] {
  const notes = (progress.stages[step.stage]?.notes ?? [])
    .filter(({ kind }) => kind !== "output" && kind !== "observed")
    .map((note) => ({ text: noteText(note), bad: note.kind === "hook" || note.kind === "retry" || note.status === "block" }));
  const changes = mutations
    .filter(({ stage }) => stage === step.stage)
    .map((one) => ({ text: `${t("text.named", { name: one.refused ? t("inspector.refused") : t("inspector.changedTheGraph"), what: cut(mutationText(one)) })}${one.error ? ` — ${cut(toldFailure(visibleText(one.error)))}` : ""}`, bad: one.refused }));
  return [...notes, ...changes];
}

/** Attempts that failed although the tool went on, each with what went wrong. */
function failuresOf(progress: TurnProgress, step: Step): string[] {
  const tool = progress.stages[step.stage]?.tools.find(({ key }) => key === step.key);
  if (!tool || attemptsOf(tool) < 2) return [];
  return tool.attempts.flatMap(({ error, class: kind }, index) =>
    error && toldFailure(error) !== step.reason ? [t("inspector.attemptFailed2", { index: index + 1, kind: kind ? ` (${kind})` : "", error: toldFailure(error) })] : [],
  );
}
