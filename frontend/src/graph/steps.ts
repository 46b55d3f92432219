import { states } from "@/ui/State";
import type { Manifest, ManifestStage } from "@/api/types";
import { END, START } from "./layout";
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
}

export const plain = (name: string) => name.replaceAll("_", " ");

/**
 * Stages that this turn can no longer reach: every way in was passed over in
 * favour of another, or comes from a stage that is itself bypassed.
 */
export function bypassed(manifest: Pick<Manifest, "edges">, progress: TurnProgress): Set<string> {
  const gone = new Set<string>();
  const touched = (id: string) => Boolean(progress.stages[id]?.attempts.length || progress.stages[id]?.chosen);
  const left = new Set(Object.values(progress.taken).map(({ from }) => from));
  for (let moved = true; moved;) {
    moved = false;
    for (const { to } of manifest.edges) {
      if (gone.has(to) || touched(to) || to === END) continue;
      const ways = manifest.edges.filter((edge) => edge.to === to);
      const closed = ways.every(
        ({ from }) => gone.has(from) || (left.has(from) && !progress.taken[takenKey(from, to)]),
      );
      if (closed) {
        gone.add(to);
        moved = true;
      }
    }
  }
  return gone;
}

/** A stage's state as shown: what the journal says, or what follows from the paths taken. */
export function stateOf(
  id: string,
  stage: StageProgress | undefined,
  passed: boolean,
  turn: TurnProgress["state"],
): Pick<Step, "state" | "word" | "reason"> {
  if (stage && (stage.attempts.length > 0 || stage.state !== "waiting"))
    return { state: stage.state, word: stage.word ?? states[stage.state].word, reason: stage.reason };
  if (passed) return { state: "skipped", word: states.skipped.word, reason: "not on the path this turn took" };
  if (turn === "completed" && id !== END) return { state: "skipped", word: states.skipped.word, reason: "not reached" };
  return { state: "waiting", word: states.waiting.word, reason: undefined };
}

export function toolStep(tool: ToolProgress): Step {
  return {
    key: tool.key,
    kind: "tool",
    title: plain(tool.tool),
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

/** Stages in the manifest's order, each followed by its tools (phase by phase) and nested stages. */
export function stepsOf(manifest: Manifest, progress: TurnProgress): Step[] {
  const gone = bypassed(manifest, progress);
  const steps: Step[] = [];
  const add = (stage: ManifestStage, id: string) => {
    const seen = progress.stages[id];
    steps.push({
      key: id,
      kind: "stage",
      title: stage.title || plain(stage.id),
      stage: id,
      ...stateOf(id, seen, gone.has(id), progress.state),
      ms: seen?.ms,
      attempts: seen ? attemptsOf(seen) : 0,
      visits: seen ? visitsOf(seen) : 0,
      depth: id.split("/").length - 1,
      chosen: seen?.chosen,
    });
    for (const tool of toolsInOrder(seen)) steps.push(toolStep(tool));
    for (const nested of stage.stages ?? []) {
      const full = nestedId(id, nested.id);
      if (progress.stages[full]) add(nested, full);
    }
  };
  for (const stage of inFlowOrder(manifest)) if (stage.id !== START && stage.id !== END) add(stage, stage.id);
  return steps;
}

/** The journal names a nested stage by its path. */
const nestedId = (parent: string, id: string) => (id.startsWith(`${parent}/`) ? id : `${parent}/${id}`);

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

function inFlowOrder(manifest: Manifest): ManifestStage[] {
  const index = new Map(manifest.stages.map((stage, i) => [stage.id, i]));
  return [...manifest.stages].sort(
    (a, b) => (a.layer ?? 0) - (b.layer ?? 0) || (a.lane ?? 0) - (b.lane ?? 0) || index.get(a.id)! - index.get(b.id)!,
  );
}

/** How a transition was chosen, e.g. "not safety hijacked, chosen by a condition". */
export function chosenText(taken: TransitionTaken): string {
  return [taken.condition ? plain(taken.condition) : "", taken.resolver ? resolverWord(taken.resolver) : ""]
    .filter(Boolean)
    .join(", ");
}

export function resolverWord(resolver: string): string {
  const words: Record<string, string> = {
    safety: "chosen by the safety rule",
    goto: "chosen by the stage itself",
    conditional: "chosen by a condition",
    static: "the only way on",
  };
  return words[resolver] ?? `chosen by ${plain(resolver)}`;
}

/** Where the run came from: every branch that a join waited for. */
export const fromText = (taken: TransitionTaken) =>
  [...(taken.with ?? []), taken.from].map((id) => plain(id.split("/").pop()!)).join(" and ");

/** What a step's box has no room to say, for screen readers: it follows the text that is shown. */
export function spoken(step: Step): string {
  const how = step.chosen ? chosenText(step.chosen) : "";
  const parts = [
    step.phase ? `phase ${step.phase}` : "",
    step.reason ?? "",
    step.chosen ? `reached from ${fromText(step.chosen)}${how ? ` (${how})` : ""}` : "",
  ].filter(Boolean);
  return parts.length ? `; ${parts.join("; ")}` : "";
}
