import type { JournalEvent, Json, Mutation, RunStatus, Used } from "@/api/types";
import { sliceBytes, utf8Length } from "./bytes";
import {
  emptyTurn,
  type ApprovalView,
  type MessageView,
  type NoteView,
  type PauseView,
  type QuestionView,
  type SessionView,
  type StageState,
  type StageView,
  type ToolView,
  type TurnView,
} from "./view";

/**
 * Applies a batch of events and returns the next view. Only what an event names is
 * looked at and only what changes is copied, once a batch, so that the cost of an
 * event does not grow with the journal. Stored events must come in order
 * (the journal store sees to that); one that was applied before is ignored.
 */
export function reduce(view: SessionView, events: readonly JournalEvent[]): SessionView {
  if (events.length === 0) return view;
  const batch = new Batch(view);
  for (const event of events) {
    if (event.seq) {
      if (event.seq <= batch.next.seq) continue;
      batch.next.seq = event.seq;
    }
    if (event.turn) apply(batch, event.turn, event);
  }
  return batch.next;
}

/** Copies on first write, once a batch. */
class Batch {
  readonly next: SessionView;
  private readonly owned = new WeakSet<object>();

  constructor(view: SessionView) {
    this.next = { ...view };
  }

  /** The value under key as something this batch may change. */
  own<K extends string, T extends Record<K, unknown>>(holder: T, key: K): NonNullable<T[K]> {
    const value = holder[key] as object;
    if (!this.owned.has(value)) {
      const copy = Array.isArray(value) ? [...value] : { ...value };
      this.owned.add(copy);
      holder[key] = copy as T[K];
    }
    return holder[key] as NonNullable<T[K]>;
  }

  turn(id: string, at: string): TurnView {
    const turns = this.own(this.next, "turns");
    if (!turns[id]) {
      turns[id] = emptyTurn(id, at);
      this.own(this.next, "turnOrder").push(id);
    }
    return this.own(turns, id) as TurnView;
  }

  stage(turn: TurnView, id: string, at: string): StageView {
    const stages = this.own(turn, "stages");
    if (!stages[id]) {
      stages[id] = { id, state: "waiting", attempts: [], startedAt: at, endedAt: null, ms: null, reason: "", error: "", patch: null, cached: false, again: false, pauses: [], notes: [] };
      this.own(turn, "stageOrder").push(id);
    }
    return this.own(stages, id) as StageView;
  }

  message(turn: TurnView, id: string, at: string): MessageView {
    const messages = this.own(turn, "messages");
    if (!messages[id]) {
      messages[id] = {
        id, stage: "", text: "", bytes: 0, holes: false, state: "streaming", startedAt: at, model: "", digest: "",
        promptTokens: 0, outputTokens: 0, tokensPerSecond: 0, context: 0, contextUsed: 0,
      };
      this.own(turn, "messageOrder").push(id);
      this.own(turn, "items").push({ kind: "message", id });
    }
    return this.own(messages, id) as MessageView;
  }

  tool(turn: TurnView, event: JournalEvent): ToolView {
    const name = event.tool ?? "";
    const key = event.call || `${event.stage ?? ""}/${name}`;
    const tools = this.own(turn, "tools");
    if (!tools[key]) {
      tools[key] = {
        key, tool: name, call: event.call ?? "", stage: event.stage ?? "", phase: event.phase ?? planned(turn, event), state: "running",
        startedAt: event.at, endedAt: null, ms: null, args: null, result: null, completeness: null, failures: [],
        attempts: 0, starts: [], why: "", reason: "", gate: "", approval: "", refs: [],
      };
      this.own(turn, "toolOrder").push(key);
      this.own(turn, "items").push({ kind: "tool", id: key });
    }
    const tool = this.own(tools, key) as ToolView;
    if (event.phase) tool.phase = event.phase;
    if (event.tool) tool.tool = event.tool;
    return tool;
  }

  approval(turn: TurnView, event: JournalEvent): ApprovalView {
    const id = event.approval ?? "";
    const approvals = this.own(turn, "approvals");
    if (!approvals[id]) {
      approvals[id] = {
        id, call: event.call ?? "", tool: event.tool ?? "", title: "", digest: "", expiresAt: "",
        requestedAt: event.at, status: "pending", reason: "", reviewer: "",
      };
      this.own(turn, "approvalOrder").push(id);
      this.own(turn, "items").push({ kind: "approval", id });
    }
    return this.own(approvals, id) as ApprovalView;
  }

  question(turn: TurnView, id: string, stage: string, at: string): QuestionView {
    const questions = this.own(turn, "questions");
    if (!questions[id]) {
      questions[id] = { id, stage, at, status: "open", prompt: "", answer: null, answeredAt: "" };
      this.own(turn, "items").push({ kind: "question", id });
    }
    return this.own(questions, id) as QuestionView;
  }

  note(turn: TurnView, event: JournalEvent, kind: NoteView["kind"], more: Partial<NoteView> = {}): void {
    this.own(this.stage(turn, event.stage ?? "", event.at), "notes").push({
      seq: event.seq ?? 0, at: event.at, kind, name: event.tool ?? "", status: event.status ?? "",
      text: event.error || (event.reason ?? ""), attempt: event.attempt ?? 0, data: event.data ?? {}, ...more,
    });
  }
}

const endings: Record<string, RunStatus> = {
  turn_completed: "completed",
  turn_failed: "failed",
  turn_cancelled: "cancelled",
  turn_limited: "limited",
};

function apply(batch: Batch, id: string, event: JournalEvent): void {
  const turn = batch.turn(id, event.at);
  const data = event.data ?? {};
  const at = event.at;
  if (event.seq) {
    batch.own(turn, "events").push(event);
    turn.updatedAt = at;
  }

  switch (event.kind) {
    case "turn_started":
      turn.status = "running";
      turn.startedAt = at;
      turn.input = event.text ?? "";
      turn.agent = str(data.agent);
      turn.fingerprint = str(data.fingerprint);
      turn.model = str(data.model);
      turn.practice = data.practice === true;
      turn.patient = str(data.patient) || str(obj(data.vars).patient);
      turn.vars = texts(data.vars);
      return;

    case "turn_resumed": {
      const resume = { at, kept: names(data.kept), rerun: names(data.rerun), unknown: num(data.unknown) };
      batch.own(turn, "resumes").push(resume);
      batch.own(turn, "items").push({ kind: "resumed", id: String(turn.resumes.length - 1) });
      turn.status = "running";
      turn.endedAt = null;
      turn.error = "";
      turn.errorStage = "";
      turn.limit = 0;
      turn.limitName = "";
      turn.used = {};
      turn.pauses = [];
      for (const kept of resume.kept) {
        const stage = batch.stage(turn, kept, at);
        if (stage.state === "done" || stage.state === "waiting") stage.state = "reused";
      }
      // What was under way when the run stopped did not finish; it starts again with its own event.
      for (const other of turn.stageOrder) {
        const state = turn.stages[other]!.state;
        if (state === "running" || state === "failed") {
          const stage = batch.stage(turn, other, at);
          close(batch, stage, "waiting", at, null, "");
          stage.state = "waiting";
        }
      }
      stopStreaming(batch, turn);
      return;
    }

    case "turn_paused":
      turn.status = "paused";
      turn.pauses = pausesOf(data.pauses);
      restStages(batch, turn, at);
      ask(batch, turn, turn.pauses, at);
      return;

    case "turn_completed":
    case "turn_failed":
    case "turn_cancelled":
    case "turn_limited":
      // To give a turn up is told as its end by hand, with a status of its own.
      turn.status = event.kind === "turn_cancelled" && event.status === "abandoned" ? "abandoned" : endings[event.kind]!;
      turn.endedAt = at;
      turn.pauses = [];
      if (event.kind === "turn_completed") turn.reply = event.text ?? "";
      if (event.error) turn.error = event.error;
      if (event.kind === "turn_failed") turn.errorStage = event.stage ?? turn.errorStage;
      turn.limit = num(data.limit);
      if (event.kind === "turn_limited") {
        turn.limitName = event.status || str(data.name) || "steps";
        turn.used = obj(data.used) as Used;
        turn.steps = num(data.steps) || turn.steps;
        // Nothing runs on before somebody grants more.
        for (const other of turn.stageOrder)
          if (turn.stages[other]!.state === "running") close(batch, batch.stage(turn, other, at), "waiting", at, null, "");
      } else {
        for (const [key, question] of Object.entries(turn.questions))
          if (question.status === "open") batch.question(turn, key, question.stage, at).status = "withdrawn";
      }
      if (event.kind !== "turn_completed") stopStreaming(batch, turn);
      if (event.kind === "turn_cancelled") stopStages(batch, turn, at);
      restStages(batch, turn, at);
      return;

    case "stage_started": {
      const stage = batch.stage(turn, event.stage ?? "", at);
      const attempt = event.attempt ?? stage.attempts.length + 1;
      stage.state = "running";
      stage.error = "";
      stage.endedAt = null;
      stage.ms = null;
      stage.again = false;
      stage.pauses = [];
      if (stage.attempts.length === 0) stage.startedAt = at;
      reopen(batch, turn, stage.id, at);
      batch.own(stage, "attempts").push({ attempt, startedAt: at, endedAt: null, ms: null, state: "running", error: "" });
      return;
    }

    case "stage_completed": {
      const stage = batch.stage(turn, event.stage ?? "", at);
      const reason = degradedBecause(turn, stage.id, event);
      stage.patch = data.patch ? (data.patch as Record<string, Json>) : {};
      stage.reason = reason || (event.reason ?? "");
      stage.cached = event.status === "cached";
      close(batch, stage, reason ? "degraded" : "done", at, numOrNull(data.ms), "");
      if (event.status === "again") Object.assign(stage, { again: true, state: "running", endedAt: null, ms: null });
      return;
    }

    case "stage_skipped": {
      const stage = batch.stage(turn, event.stage ?? "", at);
      stage.reason = event.reason ?? "";
      close(batch, stage, "skipped", at, null, "");
      return;
    }

    case "stage_failed": {
      const stage = batch.stage(turn, event.stage ?? "", at);
      stage.error = event.error ?? "";
      turn.errorStage = stage.id;
      close(batch, stage, "failed", at, numOrNull(data.ms), stage.error);
      return;
    }

    case "stage_paused": {
      const stage = batch.stage(turn, event.stage ?? "", at);
      stage.pauses = pausesOf(data.pauses);
      close(batch, stage, "paused", at, numOrNull(data.ms), "");
      ask(batch, turn, stage.pauses.map((pause) => ({ ...pause, stage: pause.stage || stage.id })), at);
      return;
    }

    case "question_answered": {
      const question = batch.question(turn, str(data.pause) || (event.message ?? ""), event.stage ?? "", at);
      question.status = "answered";
      question.answeredAt = at;
      question.prompt = str(data.prompt);
      question.answer = data.answer ?? null;
      return;
    }

    case "graph_mutated":
    case "mutation_refused": {
      const change = obj(data.mutation);
      batch.own(turn, "mutations").push({
        seq: event.seq ?? 0, at, stage: event.stage ?? "", refused: event.kind === "mutation_refused",
        reason: (event.reason ?? "") || str(change.reason), error: event.error ?? "", hook: event.tool ?? "",
        mutation: str(change.op) ? (change as unknown as Mutation) : null, asked: str(data.asked),
      });
      return;
    }

    case "checkpoint":
      turn.steps = Math.max(turn.steps, num(data.step));
      return;

    case "hook_failed":
      return batch.note(turn, event, "hook");
    case "observed":
      return batch.note(turn, event, "observed");
    case "stage_output":
      return batch.note(turn, event, "output");
    case "stage_retried":
      return batch.note(turn, event, "retry");
    case "warning":
      // Its reason is the sentence; an error beside it says why.
      return batch.note(turn, event, "warning", { text: [event.reason, event.error].filter(Boolean).join(": ") });
    case "guard":
      return batch.note(turn, event, "guard", { name: str(data.guard), text: event.reason ?? "" });

    case "transition":
      batch.own(turn, "transitions").push({
        seq: event.seq ?? 0, at, from: event.from ?? "", to: event.to ?? "",
        condition: event.condition ?? "", resolver: event.resolver ?? "", reason: event.reason ?? "",
      });
      return;

    case "phase_started":
      batch.own(turn, "phases").push({
        phase: event.phase ?? turn.phases.length + 1, stage: event.stage ?? "", tools: strings(data.tools),
        state: "running", startedAt: at, endedAt: null,
      });
      return;

    case "phase_completed": {
      const index = turn.phases.findLastIndex((phase) => phase.phase === event.phase && phase.state === "running");
      if (index >= 0) {
        const phases = batch.own(turn, "phases");
        phases[index] = { ...phases[index]!, state: "done", endedAt: at };
      }
      return;
    }

    case "tool_started": {
      const tool = batch.tool(turn, event);
      tool.state = "running";
      tool.attempts = Math.max(tool.attempts + 1, event.attempt ?? 0);
      batch.own(tool, "starts").push(at);
      tool.endedAt = null;
      if (data.args !== undefined) tool.args = data.args;
      if (event.reason) tool.why = event.reason;
      return;
    }

    case "tool_completed": {
      const tool = batch.tool(turn, event);
      tool.state = "done";
      tool.endedAt = at;
      tool.ms = numOrNull(data.ms);
      if (data.result !== undefined) tool.result = data.result;
      tool.completeness = numOrNull(data.completeness);
      // What the output lacks.
      tool.reason = event.reason ?? "";
      return;
    }

    case "tool_failed": {
      const tool = batch.tool(turn, event);
      const retry = data.retry === true;
      batch.own(tool, "failures").push({
        attempt: event.attempt ?? tool.failures.length + 1, error: event.error ?? "", class: str(data.class), retry, at,
      });
      tool.state = retry ? "retrying" : "failed";
      if (!retry) tool.endedAt = at;
      return;
    }

    case "tool_skipped": {
      const tool = batch.tool(turn, event);
      tool.state = "skipped";
      tool.reason = event.reason ?? "";
      tool.gate = str(data.gate);
      tool.completeness = numOrNull(data.completeness);
      tool.endedAt = at;
      return;
    }

    case "tool_refused": {
      const tool = batch.tool(turn, event);
      tool.state = "refused";
      tool.reason = event.reason ?? event.error ?? "";
      tool.endedAt = at;
      return;
    }

    case "approval_requested": {
      const approval = batch.approval(turn, event);
      approval.title = str(data.title);
      approval.digest = str(data.digest);
      approval.expiresAt = str(data.expires_at);
      approval.status = "pending";
      return;
    }

    case "approval_decided": {
      const approval = batch.approval(turn, event);
      approval.status = event.status === "approved" || event.status === "rejected" || event.status === "modified" ? event.status : approval.status;
      approval.reason = event.reason ?? "";
      approval.reviewer = str(data.reviewer);
      if (data.digest) approval.digest = str(data.digest);
      return;
    }

    case "approval_refused": {
      const approval = batch.approval(turn, event);
      approval.status = event.status === "void" ? "void" : "refused";
      approval.reason = event.error ?? event.reason ?? "";
      return;
    }

    case "mutation_committed": {
      const refs = strings(data.refs);
      const tool = batch.tool(turn, event);
      tool.state = "done";
      tool.endedAt = at;
      tool.approval = event.approval ?? "";
      tool.refs = refs;
      if (data.result !== undefined) tool.result = data.result;
      batch.own(turn, "refs").push(...refs);
      if (event.approval) batch.approval(turn, event).status = "used";
      return;
    }

    case "message_started": {
      const message = batch.message(turn, event.message ?? "", at);
      message.stage = event.stage ?? "";
      return;
    }

    case "token":
      token(batch.message(turn, event.message ?? "", at), event);
      return;

    case "message": {
      if (data.role !== undefined && data.role !== "assistant") return;
      const message = batch.message(turn, event.message ?? "", at);
      message.stage = event.stage ?? message.stage;
      message.text = event.text ?? "";
      message.bytes = utf8Length(message.text);
      message.holes = false;
      message.state = data.partial === true ? "partial" : "done";
      message.model = str(data.model);
      message.digest = str(data.digest);
      message.promptTokens = num(data.prompt_tokens);
      message.outputTokens = num(data.output_tokens);
      message.tokensPerSecond = num(data.tokens_per_second);
      message.context = num(data.context);
      message.contextUsed = num(data.context_used);
      return;
    }

    case "safety_checked":
      turn.safety = {
        seq: event.seq ?? 0, at, stage: event.stage ?? "", by: str(data.by), hijack: data.hijack === true, category: str(data.category),
        region: str(data.region), degraded: data.degraded === true, reason: str(data.reason) || (event.reason ?? ""),
        rules: list(data.rules).map((rule) => ({ rule: str(obj(rule).rule), category: str(obj(rule).category) })),
      };
      return;

    case "model_called":
      batch.own(turn, "modelCalls").push({
        at, stage: event.stage ?? "", role: str(data.role), model: str(data.model), promptTokens: num(data.prompt_tokens),
        evaluated: num(data.evaluated), outputTokens: num(data.output_tokens), ms: num(data.ms),
      });
      return;
  }
}

/** Adds a delta of a streaming message. Offsets are bytes, so that an overlap or a hole is noticed. */
function token(message: MessageView, event: JournalEvent): void {
  if (message.state !== "streaming") return;
  const offset = event.offset ?? 0;
  const text = event.text ?? "";
  if (offset > message.bytes) {
    // Deltas were missed (a reload in mid-reply); the stored message will have them.
    message.holes = true;
    message.text += message.text ? " … " : "";
    message.text += text;
    message.bytes = offset + utf8Length(text);
    return;
  }
  const fresh = offset === message.bytes ? text : sliceBytes(text, message.bytes - offset);
  if (!fresh) return;
  message.text += fresh;
  message.bytes += utf8Length(fresh);
}

/** The phase that was to run the event's tool; 0 when none was. */
const planned = (turn: TurnView, event: JournalEvent): number =>
  turn.phases.findLast(({ stage, tools }) => stage === event.stage && tools.includes(event.tool ?? ""))?.phase ?? 0;

/** Ends the current attempt of a stage. */
function close(batch: Batch, stage: StageView, state: StageState, at: string, ms: number | null, error: string): void {
  stage.state = state;
  stage.endedAt = at;
  stage.ms = ms;
  const last = stage.attempts.length - 1;
  if (last >= 0 && stage.attempts[last]!.endedAt === null) {
    const attempts = batch.own(stage, "attempts");
    attempts[last] = { ...attempts[last]!, endedAt: at, ms, state, error };
  }
}

function stopStreaming(batch: Batch, turn: TurnView): void {
  const last = turn.messageOrder.at(-1);
  if (last !== undefined && turn.messages[last]!.state === "streaming") {
    batch.message(turn, last, turn.updatedAt).state = "partial";
  }
}

function stopStages(batch: Batch, turn: TurnView, at: string): void {
  for (const id of turn.stageOrder) {
    const { state, again } = turn.stages[id]!;
    if (state === "running" || state === "paused" || (state === "waiting" && again)) {
      const stage = batch.stage(turn, id, at);
      stage.reason = turn.status === "abandoned" ? "the turn was abandoned" : "the turn was stopped";
      close(batch, stage, "skipped", at, null, "");
    }
  }
}

/** A visit that goes on in a later round does not run while the turn stands still. */
function restStages(batch: Batch, turn: TurnView, at: string): void {
  for (const id of turn.stageOrder)
    if (turn.stages[id]!.again && turn.stages[id]!.state === "running") batch.stage(turn, id, at).state = "waiting";
}

/** Why a finished stage counts as degraded; "" when it does not. */
function degradedBecause(turn: TurnView, stage: string, event: JournalEvent): string {
  if (event.data?.degraded === true) return event.reason ?? "finished with less than it should have";
  if (turn.safety?.degraded && stage === turn.safety.stage) return turn.safety.reason || "safety was checked by rules only";
  const failed: string[] = [];
  for (const key of turn.toolOrder) {
    const tool = turn.tools[key]!;
    if (tool.stage === stage && tool.phase > 0 && tool.state === "failed") failed.push(tool.tool);
  }
  return failed.length ? `without ${failed.join(", ")}` : "";
}

/** After a stop only the inner stage starts again by name; those around it go on with it. */
function reopen(batch: Batch, turn: TurnView, id: string, at: string): void {
  for (let end = id.lastIndexOf("/"); end > 0; end = id.lastIndexOf("/", end - 1)) {
    const around = id.slice(0, end);
    const known = turn.stages[around];
    if (!known?.attempts.length || known.state !== "waiting") continue;
    const stage = batch.stage(turn, around, at);
    const attempts = batch.own(stage, "attempts");
    const last = attempts.at(-1)!;
    attempts[attempts.length - 1] = { ...last, state: "paused" };
    attempts.push({ attempt: last.attempt + 1, startedAt: at, endedAt: null, ms: null, state: "running", error: "" });
    stage.state = "running";
    stage.endedAt = null;
    stage.ms = null;
  }
}

/** Questions stand in the conversation from the moment the turn waits for them. */
function ask(batch: Batch, turn: TurnView, pauses: readonly PauseView[], at: string): void {
  for (const { id, kind, stage } of pauses) if (kind === "question") batch.question(turn, id, stage, at);
}

function pausesOf(value: Json | undefined): PauseView[] {
  return list(value).map((pause) => ({ id: str(obj(pause).id), kind: str(obj(pause).kind), stage: str(obj(pause).stage) }));
}

const str = (value: Json | undefined): string => (typeof value === "string" ? value : "");
const num = (value: Json | undefined): number => (typeof value === "number" ? value : 0);
const numOrNull = (value: Json | undefined): number | null => (typeof value === "number" ? value : null);
const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const strings = (value: Json | undefined): string[] => list(value).filter((entry) => typeof entry === "string");
const texts = (value: Json | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(obj(value)).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
const obj = (value: Json | undefined): Record<string, Json> =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Record<string, Json>) : {};
/** Older journals carry only how many; the names are then unknown. */
const names = (value: Json | undefined): string[] => strings(value);
