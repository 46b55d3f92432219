import type { Json, ManifestStage, RunStatus } from "@/api/types";
import { toldFailure } from "@/text/failure";
import { toolTitle } from "@/text/names";
import { told } from "@/text/told";
import { stageOf } from "./roles";
import { plainWords, type Words } from "./words";
import type { ApprovalView, NoteView, StageState, StageView, ToolView, TurnView } from "@/journal/view";
import { t } from "@/text/language";

/**
 * A turn of the journal seen step by step: what belongs to a stage stands with
 * that stage, and each step has one state. The journal's reducer keeps the
 * facts; nothing here looks at single events.
 */

export type StepState = StageState;

export interface Attempt {
  /** Milliseconds since 1970. */
  start: number;
  /** Absent while it runs. */
  end?: number;
  error?: string;
  /** Kind of failure: timeout, unavailable, server, request, validation, refusal, error. */
  class?: string;
  /** Whether another attempt follows. */
  retry?: boolean;
  /** Ended at a hold point: what follows is the same work going on, not another attempt. */
  held?: boolean;
  /** Begins the stage anew: the run came by again. */
  visit?: boolean;
}

interface ModelCall {
  role: string;
  model: string;
  promptTokens: number;
  /** Prompt tokens that the model's prefix cache did not have; 0 when not told. */
  evaluated: number;
  outputTokens: number;
  ms: number;
}

export interface ToolProgress {
  key: string;
  stage: string;
  tool: string;
  call: string;
  /** Phase of the pipeline, from 1; absent for a tool that the agent calls. */
  phase?: number;
  state: StepState;
  /** Replaces the state's usual word where it says more, e.g. "refused". */
  word?: string;
  attempts: Attempt[];
  ms?: number;
  completeness?: number;
  /** Why it was skipped, refused or failed. */
  reason?: string;
  gate: string;
  /** Why it ran and was not passed over. */
  why?: string;
  approval?: ApprovalView;
  input: Json;
  output: Json;
  refs: string[];
}

export interface TransitionTaken {
  from: string;
  /** The other branches of a join. */
  with?: string[];
  to: string;
  condition?: string;
  resolver?: string;
  reason?: string;
  /** Where it came from and why, as the graph words it; absent without a graph. */
  said?: { from: string; condition: string };
}

/** All that went one way in this turn. */
interface WayTaken {
  from: string;
  to: string;
  count: number;
  /** Which of the choices made at its beginning these were, from 1. */
  choices: number[];
  /** Resolver and reason of the newest. */
  resolver: string;
  reason: string;
}

export interface StageProgress {
  id: string;
  state: StepState;
  word?: string;
  attempts: Attempt[];
  ms?: number;
  reason?: string;
  patch: Record<string, Json> | null;
  tools: ToolProgress[];
  /** Tool names per phase, in order. */
  phases: string[][];
  models: ModelCall[];
  /** How the run came here, last. */
  chosen?: TransitionTaken;
  /** How often it was entered again without being left, and why last, e.g. "tool_calls_present". */
  again: number;
  againBecause: string;
  /** Attempts of a stage that is tried again by itself. */
  retries: number;
  notes: NoteView[];
}

export interface TurnProgress {
  turn: string;
  state: RunStatus;
  start?: number;
  /** When an interrupted turn was last heard of, in ms since 1970. */
  until?: number;
  stages: Readonly<Record<string, StageProgress>>;
  /** Transitions by takenKey. */
  taken: Readonly<Record<string, TransitionTaken>>;
  /** The same with counts; by takenKey. */
  ways: Readonly<Record<string, WayTaken>>;
}

export const takenKey = (from: string, to: string) => `${from}→${to}`;

export const emptyProgress: TurnProgress = { turn: "", state: "running", stages: {}, taken: {}, ways: {} };

/**
 * The cost is that of the turn's stages and tools, not of its events. A journal
 * cannot tell a run that works from one whose process died: the caller says so. The
 * stages of the manifest say what role each has.
 */
export function progressOf(turn: TurnView, manifest: readonly ManifestStage[] = [], interrupted = false, words: Words = plainWords): TurnProgress {
  const taken: Record<string, TransitionTaken> = {};
  const chosen: Record<string, TransitionTaken> = {};
  const ways: Record<string, WayTaken> = {};
  const choices: Record<string, number> = {};
  const again: Record<string, { count: number; reason: string }> = {};
  let before: TransitionTaken | undefined;
  for (const { from, to, condition, resolver, reason } of turn.transitions) {
    if (resolver === "again") {
      again[from] = { count: (again[from]?.count ?? 0) + 1, reason };
      continue;
    }
    const way = (ways[takenKey(from, to)] ??= { from, to, count: 0, choices: [], resolver, reason });
    way.count++;
    way.choices.push((choices[from] = (choices[from] ?? 0) + 1));
    way.resolver = resolver;
    way.reason = reason;
    const transition: TransitionTaken = {
      from,
      to,
      condition: condition || undefined,
      resolver: resolver || undefined,
      reason: reason || undefined,
    };
    // Branches reach their join one right after the other.
    const joined = before?.to === to && before.from !== from ? [...(before.with ?? []), before.from] : undefined;
    before = joined ? { ...transition, with: joined } : transition;
    taken[takenKey(from, to)] = transition;
    chosen[to] = { ...before, said: { from: [...(before.with ?? []), from].map(words.stage).join(` ${t("graph.and")} `), condition: condition ? words.condition(condition) : "" } };
  }
  const tools = toolsByStage(turn);
  const stages: Record<string, StageProgress> = {};
  for (const id of new Set([...turn.stageOrder, ...Object.keys(tools), ...Object.keys(chosen)])) {
    stages[id] = stageProgress(id, turn, tools[id] ?? [], chosen[id], again[id]);
  }
  const [format, finalize] = [stageOf(manifest, "format"), stageOf(manifest, "finalize")];
  if (format && finalize && taken[takenKey(format, finalize)]) {
    // Only the way past the reply tells that a tool which failed was a required one.
    for (const stage of Object.values(stages)) {
      const failed = stage.tools.filter((tool) => tool.phase && tool.state === "failed").map((tool) => tool.tool);
      if (failed.length)
        stages[stage.id] = { ...stage, state: "failed", reason: t("graph.failedAndIsRequired", { failed: failed.map(toolTitle).join(", ") }) };
    }
  }
  for (const stage of Object.values(stages)) stages[stage.id] = holding(stage, stages);
  if (interrupted) for (const stage of Object.values(stages)) stages[stage.id] = cutOff(stage);
  const until = interrupted ? time(turn.updatedAt) : undefined;
  return { turn: turn.id, state: turn.status, start: time(turn.startedAt), until, stages, taken, ways };
}

function stageProgress(id: string, turn: TurnView, tools: ToolProgress[], chosen?: TransitionTaken, again?: { count: number; reason: string }): StageProgress {
  const view: StageView | undefined = turn.stages[id];
  const pipeline = tools.filter(({ phase }) => phase);
  const phases: string[][] = [];
  for (const { stage, phase, tools: names } of turn.phases) if (stage === id) phases[phase - 1] = names;
  const attempts = (view?.attempts ?? []).map(({ attempt, startedAt, endedAt, error, state }, index, all): Attempt => ({
    start: time(startedAt)!,
    end: time(endedAt),
    error: error || undefined,
    held: state === "paused" || undefined,
    visit: index === 0 || (attempt === 1 && all[index - 1]!.state !== "paused") || undefined,
  }));
  const lacking = view?.state === "done" ? lacks(view.patch) : "";
  const reused = view?.state === "done" && pipeline.length > 0 && pipeline.every(({ state }) => state === "reused");
  const notes = view?.notes ?? [];
  const cached = view?.state === "done" && view.cached;
  const odd = view?.state === "done" ? notes.findLast(({ kind, status }) => kind === "warning" && status === "over_time")?.text : "";
  const stopped = view?.state === "skipped" && view.attempts.length > 0 && turn.status !== "completed";
  const limited = turn.status === "limited" && view?.state === "waiting" && view.attempts.length > 0;
  return {
    id,
    state: lacking ? "degraded" : reused || cached ? "reused" : (view?.state ?? "waiting"),
    word: stopped ? t("graph.stopped") : limited ? t("graph.atTheLimit") : undefined,
    attempts,
    ms: view?.ms ?? spent(attempts),
    reason: (view?.error && toldFailure(view.error)) || view?.reason || lacking || (reused ? t("graph.allSectionsKeptFromBefore") : cached ? t("graph.theSameInputsAsBeforeIts") : odd || undefined),
    patch: view?.patch ?? null,
    tools,
    phases: Array.from(phases, (names) => names ?? []),
    models: turn.modelCalls.filter(({ stage }) => stage === id),
    chosen,
    again: again?.count ?? 0,
    againBecause: again?.reason ?? "",
    retries: Math.max(0, ...notes.filter(({ kind }) => kind === "retry").map(({ attempt }) => attempt)),
    notes,
  };
}

/** A stage whose inner stage stopped at a hold point waits with it; the journal names only the inner one. */
function holding(stage: StageProgress, stages: Readonly<Record<string, StageProgress>>): StageProgress {
  if (stage.state !== "running") return stage;
  const inner = Object.values(stages).filter(({ id }) => id.startsWith(`${stage.id}/`));
  const held = inner.filter(({ state }) => state === "paused");
  if (held.length === 0 || inner.some(({ state }) => state === "running")) return stage;
  const end = Math.max(...held.map(({ attempts }) => attempts.at(-1)?.end ?? 0));
  const attempts = stage.attempts.map((attempt) =>
    attempt.end === undefined ? { ...attempt, end, held: true } : attempt,
  );
  return { ...stage, state: "paused", attempts };
}

/** What ran when the process died: nothing of it goes on until a person resumes the turn. */
function cutOff(stage: StageProgress): StageProgress {
  const cut = { state: "waiting", word: t("graph.interrupted") } as const;
  const tools = stage.tools.map((tool) => (tool.state === "running" ? { ...tool, ...cut } : tool));
  return stage.state === "running" ? { ...stage, ...cut, tools } : { ...stage, tools };
}

function toolsByStage(turn: TurnView): Record<string, ToolProgress[]> {
  const byStage: Record<string, ToolProgress[]> = {};
  const asked = new Map<string, ApprovalView>();
  for (const id of turn.approvalOrder) {
    const approval = turn.approvals[id]!;
    asked.set(approval.call || id, approval);
  }
  const known = new Set<string>();
  for (const key of turn.toolOrder) {
    const tool = turn.tools[key]!;
    known.add(tool.call);
    const approval = asked.get(tool.call) ?? turn.approvals[tool.approval];
    (byStage[tool.stage] ??= []).push(toolProgress(tool, approval, turn));
  }
  // A call that waits for a person has not started, so it is known only by its approval.
  for (const approval of asked.values()) {
    if (known.has(approval.call)) continue;
    const stage = turn.pauses.find(({ id }) => id === approval.id || id === approval.call)?.stage || holder(turn);
    (byStage[stage] ??= []).push({
      key: `${stage}/${approval.call || approval.id}`,
      stage,
      tool: approval.tool,
      call: approval.call,
      ...held(approval, turn.status),
      attempts: [],
      reason: approval.reason || undefined,
      gate: "",
      approval,
      input: null,
      output: null,
      refs: [],
    });
  }
  return byStage;
}

/** The stage that stopped at a hold point; approvals name none. */
const holder = (turn: TurnView) =>
  turn.stageOrder.findLast((id) => turn.stages[id]!.attempts.some(({ state }) => state === "paused")) ??
  turn.stageOrder.findLast((id) => turn.stages[id]!.state === "running") ??
  "";

function held(approval: ApprovalView, status: RunStatus): { state: StepState; word?: string } {
  if (approval.status === "approved") return { state: "waiting", word: t("graph.approved") };
  if (approval.status === "rejected") return { state: "skipped", word: t("graph.rejected") };
  if (approval.status === "refused") return { state: "failed", word: t("graph.refused2") };
  if (approval.status === "void") return { state: "skipped", word: t("graph.noLongerAsked") };
  if (approval.status === "used") return { state: "done" };
  if (status === "cancelled" || status === "abandoned") return { state: "skipped", word: t("graph.stopped") };
  return {
    state: "paused",
    word: approval.status === "modified" ? t("graph.modifiedAwaitingApproval") : t("graph.awaitingApproval"),
  };
}

function toolProgress(tool: ToolView, approval: ApprovalView | undefined, turn: TurnView): ToolProgress {
  const stopped = turn.status !== "running" && turn.status !== "paused";
  const states: Record<ToolView["state"], { state: StepState; word?: string }> = {
    running: stopped ? { state: "skipped", word: t("graph.stopped") } : { state: "running" },
    retrying: stopped ? { state: "failed" } : { state: "running", word: t("graph.willRetry") },
    done: { state: "done" },
    skipped: { state: "reused" },
    failed: { state: "failed" },
    refused: { state: "skipped", word: approval?.status === "rejected" ? t("graph.rejected") : t("graph.refused2") },
  };
  let state = states[tool.state];
  if (tool.state === "running" && approval && (approval.status === "pending" || approval.status === "modified"))
    state = held(approval, turn.status);
  const attempts = tool.starts.map((start, index): Attempt => {
    const failure = tool.failures[index];
    const last = index === tool.starts.length - 1;
    const attempt = {
      start: time(start)!,
      end: time(failure?.at ?? (last ? tool.endedAt : tool.starts[index + 1]!)),
      error: failure?.error,
      class: failure?.class || undefined,
      retry: failure?.retry,
    };
    // A call that asked a person did nothing from then on until it was started again.
    const asked = index === 0 && !failure ? time(approval?.requestedAt) : undefined;
    const waits = asked !== undefined && asked >= attempt.start && (!last || state.state !== "done");
    return waits ? { ...attempt, end: asked, held: true } : attempt;
  });
  return {
    key: `${tool.stage}/${tool.phase ? tool.tool : tool.call || tool.tool}`,
    stage: tool.stage,
    tool: tool.tool,
    call: tool.call,
    phase: tool.phase || undefined,
    ...state,
    attempts,
    ms: tool.ms ?? spent(attempts),
    completeness: tool.completeness ?? undefined,
    reason: tool.reason || approval?.reason || (tool.state === "done" ? undefined : toldFailure(tool.failures.at(-1)?.error ?? "") || undefined),
    gate: tool.gate,
    why: tool.why || undefined,
    approval,
    input: tool.args,
    output: tool.result,
    refs: tool.refs,
  };
}

/** Attempts of the visit that took most, as a person counts them: going on after a hold point is not a new one. */
export function attemptsOf(step: { attempts: readonly Attempt[]; retries?: number }): number {
  let [most, count] = [step.retries ? step.retries + 1 : 0, 0];
  step.attempts.forEach((attempt, index) => {
    if (attempt.visit) count = 0;
    if (index === 0 || !step.attempts[index - 1]!.held) count++;
    most = Math.max(most, count);
  });
  return most;
}

/** How often the run came by a stage; entering it again for its tools is the same visit. */
export const visitsOf = (step: { attempts: readonly Attempt[]; again?: number }) =>
  Math.max(Math.min(1, step.attempts.length), step.attempts.filter(({ visit }) => visit).length - (step.again ?? 0));

/** Time spent running in ms, pauses left out; undefined while it runs. */
function spent(attempts: readonly Attempt[]): number | undefined {
  if (attempts.length === 0 || attempts.some(({ end }) => end === undefined)) return undefined;
  return attempts.reduce((sum, { start, end }) => sum + (end! - start), 0);
}

/** The sections that a stage which gathers reports as incomplete, e.g. "medication list: nothing is known". */
function lacks(patch: Record<string, Json> | null): string {
  return Object.values(patch ?? {})
    .flatMap((report) => (report !== null && typeof report === "object" && !Array.isArray(report) && Array.isArray(report.degraded) ? report.degraded : []))
    .flatMap((one) =>
      one !== null && typeof one === "object" && !Array.isArray(one) && typeof one.tool === "string" && one.absent !== true
        ? [t("text.named", { name: toolTitle(one.tool), what: typeof one.reason === "string" ? told(one.reason) : t("graph.incomplete") })]
        : [],
    )
    .join("; ");
}

function time(iso: string | null | undefined): number | undefined {
  const at = iso ? Date.parse(iso) : NaN;
  return Number.isNaN(at) ? undefined : at;
}
