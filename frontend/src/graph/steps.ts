import { plain, toolTitle } from "@/text/names";
import { told } from "@/text/told";
import { visibleText } from "@/text/visible";
import { states } from "@/ui/State";
import type { Manifest, ManifestEdge, ManifestStage } from "@/api/types";
import { t } from "@/text/language";
import { drawsNested, fullEdges, fullId, poolOf, touched as seenBy } from "./levels";
import { isTerminal, START } from "./geometry";
import {
  attemptsOf,
  visitsOf,
  takenKey,
  type StageProgress,
  type StepState,
  type ToolProgress,
  type TransitionTaken,
  type TurnProgress,
} from "./progress";

/** The list of steps: the same facts as the graph, in the order of the flow. */

export interface Step {
  /** Stage id, or stage id and tool. */
  key: string;
  kind: "stage" | "tool";
  title: string;
  stage: string;
  phase?: number;
  state: StepState;
  /** The state in one word or two, as shown. */
  word: string;
  ms?: number;
  attempts: number;
  /** How often the run came by, for a stage inside of a loop. */
  visits: number;
  /** 1 for a stage inside of a stage. */
  depth: number;
  reason?: string;
  completeness?: number;
  chosen?: TransitionTaken;
  approval?: string;
  /** How often it was entered again within its visits, e.g. for the answers of its tools. */
  again?: number;
  againBecause?: string;
  flags?: readonly string[];
  /** A mutation brought it into this run. */
  added?: boolean;
}

/**
 * Stages that this turn can no longer reach: every way in was passed over in
 * favour of another, or comes from a stage that is itself bypassed.
 */
export function bypassed(manifest: { edges: readonly Way[] }, progress: TurnProgress): Set<string> {
  const gone = new Set<string>();
  const touched = (id: string) => Boolean(progress.stages[id]?.attempts.length || progress.stages[id]?.chosen);
  const left = new Set(Object.values(progress.taken).map(({ from }) => from));
  const round = returning(manifest.edges, progress);
  for (let moved = true; moved;) {
    moved = false;
    for (const { to } of manifest.edges) {
      if (gone.has(to) || touched(to) || isTerminal(to)) continue;
      const ways = manifest.edges.filter((edge) => edge.to === to);
      const closed = ways.every(
        ({ from }) => gone.has(from) || (left.has(from) && !round.has(from) && !progress.taken[takenKey(from, to)]),
      );
      if (closed) {
        gone.add(to);
        moved = true;
      }
    }
  }
  return gone;
}

/** A way between stages; `back` stands for the way in the other direction as well. */
type Way = ManifestEdge & { back?: boolean };

/** Stages that the run may come back to: they can still lead elsewhere. */
export function returning(edges: readonly Way[], progress: TurnProgress): Set<string> {
  const over = progress.state === "completed" || progress.state === "cancelled" || progress.state === "abandoned";
  return over ? new Set() : onCycles(edges);
}

/** Stages from which the graph leads back to themselves. */
function onCycles(edges: readonly Way[]): Set<string> {
  const next = new Map<string, string[]>();
  const add = (from: string, to: string) => next.set(from, [...(next.get(from) ?? []), to]);
  for (const { from, to, back } of edges) {
    add(from, to);
    if (back) add(to, from);
  }
  const found = new Set<string>();
  for (const id of next.keys()) {
    const open = [...(next.get(id) ?? [])];
    const seen = new Set(open);
    while (open.length && !seen.has(id))
      for (const to of next.get(open.pop()!) ?? [])
        if (!seen.has(to)) {
          seen.add(to);
          open.push(to);
        }
    if (seen.has(id)) found.add(id);
  }
  return found;
}

/** A stage's state as shown: what the journal says, or what follows from the paths taken. */
function stateOf(
  id: string,
  stage: StageProgress | undefined,
  passed: boolean,
  turn: TurnProgress["state"],
): Pick<Step, "state" | "word" | "reason"> {
  if (stage && (stage.attempts.length > 0 || stage.state !== "waiting"))
    return { state: stage.state, word: stage.word ?? states[stage.state].word, reason: stage.reason };
  if (passed) return { state: "skipped", word: states.skipped.word, reason: t("graph.notOnThePathThisTurn") };
  if (turn === "completed" && !isTerminal(id)) return { state: "skipped", word: states.skipped.word, reason: t("graph.notReached") };
  return { state: "waiting", word: states.waiting.word, reason: undefined };
}

export function toolStep(tool: ToolProgress): Step {
  return {
    key: tool.key,
    kind: "tool",
    title: toolTitle(tool.tool),
    stage: tool.stage,
    phase: tool.phase,
    state: tool.state,
    word: tool.word ?? states[tool.state].word,
    ms: tool.ms,
    attempts: attemptsOf(tool),
    visits: 1,
    depth: 0,
    reason: tool.reason,
    completeness: tool.completeness,
    approval: tool.approval?.id,
  };
}

/** A stage of the manifest with what the turn made of it. */
export function stageStep(stage: ManifestStage, id: string, progress: TurnProgress, gone: ReadonlySet<string>): Step {
  const seen = progress.stages[id];
  return {
    key: id,
    kind: "stage",
    title: told(visibleText(stage.title || plain(stage.id))),
    stage: id,
    ...stateOf(id, seen, gone.has(id), progress.state),
    ms: seen?.ms,
    attempts: seen ? attemptsOf(seen) : 0,
    visits: seen ? visitsOf(seen) : 0,
    depth: id.split("/").length - 1,
    chosen: seen?.chosen,
    again: seen?.again || undefined,
    againBecause: seen?.againBecause || undefined,
    flags: stage.flags?.length ? stage.flags : undefined,
    added: stage.added || undefined,
  };
}

/** Stages in the manifest's order, each followed by its tools (phase by phase) and nested stages. */
export function stepsOf(manifest: Manifest, progress: TurnProgress): Step[] {
  const steps: Step[] = [];
  const nested = drawsNested(manifest);
  const level = (stages: readonly ManifestStage[], edges: readonly ManifestEdge[], parent: string) => {
    const gone = bypassed({ edges: fullEdges(edges, parent) }, progress);
    const pool = poolOf(stages, edges);
    for (const stage of parent && !nested ? stages : inFlowOrder(stages, edges)) {
      const id = fullId(parent, stage.id);
      const seen = seenBy(id, progress);
      // Inside of a stage: what ran; of a graph that is drawn, also what will, but for a pool's offers.
      const listed = parent === "" || Boolean(progress.stages[id]) || (nested && (!pool.has(stage.id) || stage.added || seen));
      if (isTerminal(id) || !listed) continue;
      steps.push(stageStep(stage, id, progress, gone));
      for (const tool of toolsInOrder(progress.stages[id])) steps.push(toolStep(tool));
      if (stage.stages) level(stage.stages, stage.edges ?? [], id);
    }
  };
  level(manifest.stages, manifest.edges, "");
  return steps;
}

/** Tools of a stage: pipeline tools by phase, then calls in the order they came. */
export function toolsInOrder(stage: StageProgress | undefined): ToolProgress[] {
  const rank = (tool: ToolProgress) => tool.phase ?? Number.MAX_SAFE_INTEGER;
  return [...(stage?.tools ?? [])].sort((a, b) => rank(a) - rank(b));
}

/** Tools of a stage and of the stages inside it. */
export function toolsWithin(progress: TurnProgress, id: string): ToolProgress[] {
  return Object.values(progress.stages)
    .filter((stage) => stage.id === id || stage.id.startsWith(`${id}/`))
    .flatMap(toolsInOrder);
}

/** Stages by the longest way that leads to each, ways back left out; beside each other in the manifest's order. */
function inFlowOrder(stages: readonly ManifestStage[], edges: readonly ManifestEdge[]): ManifestStage[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const order: string[] = [];
  const seen = new Set<string>();
  const visit = (id: string) => {
    if (seen.has(id)) return;
    seen.add(id);
    for (const to of next.get(id) ?? []) visit(to);
    order.unshift(id);
  };
  for (const id of [START, ...stages.map((stage) => stage.id)]) visit(id);
  const place = new Map(order.map((id, index) => [id, index]));
  const depth = new Map<string, number>();
  for (const id of order)
    for (const to of next.get(id) ?? [])
      if (place.get(to)! > place.get(id)!) depth.set(to, Math.max(depth.get(to) ?? 0, (depth.get(id) ?? 0) + 1));
  return [...stages].sort((a, b) => (depth.get(a.id) ?? 0) - (depth.get(b.id) ?? 0));
}

/** How a transition was chosen, e.g. "not safety hijacked, chosen by a condition". */
export function chosenText(taken: TransitionTaken): string {
  return [taken.said?.condition ?? plain(taken.condition ?? ""), taken.resolver ? resolverWord(taken.resolver) : ""]
    .filter(Boolean)
    .join(", ");
}

export function resolverWord(resolver: string): string {
  const words: Record<string, string> = {
    safety: t("graph.chosenByTheSafetyRule"),
    again: t("graph.enteredAgain"),
    route: t("graph.chosenByItsOutput"),
    goto: t("graph.chosenByTheStageItself"),
    terminal: t("graph.endsHere"),
    conditional: t("graph.chosenByACondition"),
    match: t("graph.chosenByWhatItPutOut"),
    error: t("graph.becauseItFailed"),
    static: t("graph.theOnlyWayOn"),
    end: t("graph.nothingMoreToDo"),
  };
  return words[resolver] ?? t("graph.chosenBy", { resolver: plain(resolver) });
}

/** Where the run came from: every branch that a join waited for. */
export const fromText = (taken: TransitionTaken) =>
  taken.said?.from ??
  [...(taken.with ?? []), taken.from].map((id) => plain(id.split("/").pop()!)).join(` ${t("graph.and")} `);

/** e.g. "entered again twice: tool calls present". */
export const againText = ({ again = 0, againBecause = "" }: Pick<Step, "again" | "againBecause">) =>
  t("graph.enteredAgain2", { again: again === 1 ? t("graph.once") : t("graph.times", { again }), againBecause: againBecause ? `: ${plain(visibleText(againBecause))}` : "" });

/** What a step's box has no room to say, for screen readers: it follows the text that is shown. */
export function spoken(step: Step): string {
  const how = step.chosen ? chosenText(step.chosen) : "";
  const parts = [
    step.added ? t("graph.addedByTheModel") : "",
    step.again ? againText(step) : "",
    step.phase ? t("graph.phase3", { phase: step.phase }) : "",
    step.reason ? told(visibleText(step.reason)) : "",
    step.chosen ? t("graph.reachedFrom", { chosen: fromText(step.chosen), how: how ? ` (${how})` : "", reason: step.chosen.reason ? t("graph.because", { reason: told(visibleText(step.chosen.reason)) }) : "" }) : "",
  ].filter(Boolean);
  return parts.length ? `; ${parts.join("; ")}` : "";
}
