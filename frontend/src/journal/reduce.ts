import { create } from "mutative";
import type { JournalEvent, Json, RunStatus } from "@/api/types";
import { t } from "@/text/language";
import { withoutParts } from "@/text/problem";
import { blobOf, type BlobRef } from "./blob";
import { sliceBytes, utf8Length } from "./bytes";
import {
  emptyTurn,
  type ApprovalView,
  type MessageView,
  type NoteView,
  type PauseView,
  type QuestionView,
  type SafetyView,
  type SessionView,
  type StageState,
  type StageView,
  type ToolView,
  type TurnView,
} from "./view";

/**
 * Applies a batch of events and returns the next view; what no event names stays the
 * same object. Only what an event names is looked at, so that the cost of an event does
 * not grow with the journal. Stored events must come in order (the journal store sees
 * to that); one that was applied before is ignored.
 */
export function reduce(view: SessionView, events: readonly JournalEvent[]): SessionView {
  if (events.length === 0) return view;
  // As plain objects: the library's own type of what may be changed does not end on JSON.
  return create(view as object, (draft) => {
    const next = draft as SessionView;
    for (const event of events) {
      if (event.seq) {
        if (event.seq <= next.seq) continue;
        next.seq = event.seq;
      }
      if (event.turn) apply(turnOf(next, event.turn, event.at), event);
    }
  }) as SessionView;
}

function turnOf(view: SessionView, id: string, at: string): TurnView {
  if (!view.turns[id]) {
    view.turns[id] = emptyTurn(id, at);
    view.turnOrder.push(id);
  }
  return view.turns[id]!;
}

function stageOf(turn: TurnView, id: string, at: string): StageView {
  if (!turn.stages[id]) {
    turn.stages[id] = { id, state: "waiting", attempts: [], startedAt: at, endedAt: null, ms: null, reason: "", error: "", patch: null, cached: false, again: false, pauses: [], notes: [] };
    turn.stageOrder.push(id);
  }
  return turn.stages[id]!;
}

/** What came while a text was written says more than the beginning that its event has. */
const longer = (text: string, whole: BlobRef | null, came: string) =>
  whole && came.length > text.length && came.startsWith(text.replace(/…$/, "")) ? came : text;

function messageOf(turn: TurnView, id: string, at: string): MessageView {
  if (!turn.messages[id]) {
    turn.messages[id] = {
      id, stage: "", text: "", whole: null, bytes: 0, holes: false, state: "streaming", startedAt: at, heardAt: at, model: "", digest: "", template: "",
      promptTokens: 0, outputTokens: 0, tokensPerSecond: 0, context: 0, contextUsed: 0, degraded: [], weak: false,
    };
    turn.messageOrder.push(id);
    turn.items.push({ kind: "message", id });
  }
  return turn.messages[id]!;
}

function toolOf(turn: TurnView, event: JournalEvent): ToolView {
  const name = event.tool ?? "";
  const key = event.call || `${event.stage ?? ""}/${name}`;
  if (!turn.tools[key]) {
    turn.tools[key] = {
      key, tool: name, call: event.call ?? "", stage: event.stage ?? "", phase: event.phase ?? planned(turn, event), state: "running",
      startedAt: event.at, endedAt: null, ms: null, args: null, result: null, completeness: null, failures: [],
      attempts: 0, starts: [], why: "", reason: "", gate: "", approval: "", refs: [],
    };
    turn.toolOrder.push(key);
    turn.items.push({ kind: "tool", id: key });
  }
  const tool = turn.tools[key]!;
  if (event.phase) tool.phase = event.phase;
  if (event.tool) tool.tool = event.tool;
  return tool;
}

function approvalOf(turn: TurnView, event: JournalEvent): ApprovalView {
  const id = event.approval ?? "";
  if (!turn.approvals[id]) {
    turn.approvals[id] = {
      id, call: event.call ?? "", tool: event.tool ?? "", title: "", changed: "", digest: "", expiresAt: "",
      requestedAt: event.at, status: "pending", reason: "", refusal: "", reviewer: "", identity: "", decidedAt: "", usedAt: "",
    };
    turn.approvalOrder.push(id);
    turn.items.push({ kind: "approval", id });
  }
  return turn.approvals[id]!;
}

function questionOf(turn: TurnView, id: string, stage: string, at: string): QuestionView {
  if (!turn.questions[id]) {
    turn.questions[id] = { id, stage, at, status: "open", prompt: "", answer: null, answeredAt: "" };
    turn.items.push({ kind: "question", id });
  }
  return turn.questions[id]!;
}

function note(turn: TurnView, event: JournalEvent, kind: NoteView["kind"], more: Partial<NoteView> = {}): void {
  stageOf(turn, event.stage ?? "", event.at).notes.push({
    seq: event.seq ?? 0, at: event.at, kind, name: event.tool ?? "", status: event.status ?? "",
    text: withoutParts(event.error ?? "") || (event.reason ?? ""), attempt: event.attempt ?? 0, data: event.data ?? {}, ...more,
  });
}

const endings: Record<string, RunStatus> = {
  turn_completed: "completed",
  turn_failed: "failed",
  turn_cancelled: "cancelled",
  turn_limited: "limited",
};

function apply(turn: TurnView, event: JournalEvent): void {
  const at = event.at;
  // When it was last heard of: what stood still since was no work.
  const heard = turn.updatedAt;
  if (event.seq) {
    turn.events.push(event);
    turn.updatedAt = at;
  }
  if (event.kind in endings || event.kind === "turn_paused") turn.reading = null;

  switch (event.kind) {
    case "turn_started": {
      const data = dataOf(event);
      turn.status = "running";
      turn.startedAt = at;
      turn.input = event.text ?? "";
      turn.agent = str(data.agent);
      turn.fingerprint = str(data.fingerprint);
      turn.model = str(data.model);
      turn.practice = data.practice === true;
      turn.caller = str(data.caller);
      turn.vars = texts(data.vars);
      return;
    }

    case "turn_resumed": {
      const data = dataOf(event);
      const resume = { at, kept: names(data.kept), rerun: names(data.rerun), unknown: num(data.unknown), answered: turn.status === "paused" };
      turn.resumes.push(resume);
      turn.items.push({ kind: "resumed", id: String(turn.resumes.length - 1) });
      // A verdict and an answer are told while nothing runs.
      const stood = turn.status === "paused" && turn.pausedAt !== "" ? turn.pausedAt : heard;
      turn.status = "running";
      turn.endedAt = null;
      turn.error = "";
      turn.errorStage = "";
      turn.limit = 0;
      turn.limitName = "";
      turn.used = {};
      turn.pauses = [];
      for (const kept of resume.kept) {
        const stage = stageOf(turn, kept, at);
        if (stage.state === "done" || stage.state === "waiting") stage.state = "reused";
      }
      // What was under way when the run stopped did not finish; it starts again with its own event.
      for (const other of turn.stageOrder) {
        const stage = turn.stages[other]!;
        if (stage.state === "running" || stage.state === "failed") close(stage, "waiting", stood, null, "");
      }
      stopStreaming(turn);
      return;
    }

    case "turn_paused":
      turn.pausedAt = at;
      turn.status = "paused";
      turn.pauses = pausesOf(dataOf(event).pauses);
      restStages(turn);
      ask(turn, turn.pauses, at);
      return;

    case "turn_completed":
    case "turn_failed":
    case "turn_cancelled":
    case "turn_limited":
      // To give a turn up is told as its end by hand, with a status of its own.
      turn.status = event.kind === "turn_cancelled" && event.status === "abandoned" ? "abandoned" : endings[event.kind]!;
      turn.endedAt = at;
      turn.pauses = [];
      if (event.kind === "turn_completed") {
        const said = turn.messageOrder.map((id) => turn.messages[id]!).findLast(({ text }) => text !== "");
        turn.replyWhole = blobOf(dataOf(event).text);
        turn.reply = longer(event.text ?? "", turn.replyWhole, said?.text ?? "");
      }
      if (event.error) turn.error = event.error; // whole: what is known of it goes by its part
      if (event.kind === "turn_failed") turn.errorStage = event.stage ?? turn.errorStage;
      turn.limit = 0;
      if (event.kind === "turn_limited") {
        const data = dataOf(event);
        turn.limit = num(data.limit);
        turn.limitName = event.status || str(data.name) || "steps";
        turn.used = data.used ?? {};
        turn.steps = num(data.steps) || turn.steps;
        // Nothing runs on before somebody grants more.
        for (const other of turn.stageOrder) {
          const stage = turn.stages[other]!;
          if (stage.state === "running") close(stage, "waiting", at, null, "");
        }
      } else {
        for (const question of Object.values(turn.questions)) if (question.status === "open") question.status = "withdrawn";
      }
      if (event.kind !== "turn_completed") stopStreaming(turn);
      if (event.kind === "turn_cancelled") stopStages(turn, at);
      if (event.kind === "turn_failed") failStages(turn, at);
      restStages(turn);
      return;

    case "stage_started": {
      const stage = stageOf(turn, event.stage ?? "", at);
      const attempt = event.attempt ?? stage.attempts.length + 1;
      stage.state = "running";
      stage.error = "";
      stage.endedAt = null;
      stage.ms = null;
      stage.again = false;
      stage.pauses = [];
      if (stage.attempts.length === 0) stage.startedAt = at;
      reopen(turn, stage.id, at);
      stage.attempts.push({ attempt, startedAt: at, endedAt: null, ms: null, state: "running", error: "" });
      return;
    }

    case "stage_completed": {
      const data = dataOf(event);
      const stage = stageOf(turn, event.stage ?? "", at);
      const reason = degradedBecause(turn, stage.id);
      stage.patch = data.patch ? (data.patch as Record<string, Json>) : {};
      stage.reason = reason || (event.reason ?? "");
      stage.cached = event.status === "cached";
      close(stage, reason ? "degraded" : "done", at, numOrNull(data.ms), "");
      if (event.status === "again") Object.assign(stage, { again: true, state: "running", endedAt: null, ms: null });
      return;
    }

    case "stage_skipped": {
      const stage = stageOf(turn, event.stage ?? "", at);
      stage.reason = event.reason ?? "";
      close(stage, "skipped", at, null, "");
      return;
    }

    case "stage_failed": {
      const stage = stageOf(turn, event.stage ?? "", at);
      stage.error = withoutParts(event.error ?? "");
      turn.errorStage = stage.id;
      close(stage, "failed", at, null, stage.error);
      return;
    }

    case "stage_paused": {
      const data = dataOf(event);
      const stage = stageOf(turn, event.stage ?? "", at);
      stage.pauses = pausesOf(data.pauses);
      close(stage, "paused", at, null, "");
      ask(turn, stage.pauses.map((pause) => ({ ...pause, stage: pause.stage || stage.id })), at);
      return;
    }

    case "question_answered": {
      const data = dataOf(event);
      const question = questionOf(turn, str(data.pause) || (event.message ?? ""), event.stage ?? "", at);
      question.status = "answered";
      question.answeredAt = at;
      question.prompt = str(data.prompt);
      question.answer = data.answer ?? null;
      return;
    }

    case "graph_mutated":
    case "mutation_refused": {
      const data = dataOf(event);
      const change = data.mutation && "op" in data.mutation ? data.mutation : null;
      turn.mutations.push({
        seq: event.seq ?? 0, at, stage: event.stage ?? "", refused: event.kind === "mutation_refused",
        reason: event.reason || (change?.reason ?? ""), error: event.error ?? "", hook: event.tool ?? "",
        mutation: change, asked: "asked" in data ? str(data.asked) : "",
      });
      return;
    }

    case "checkpoint":
      turn.steps = Math.max(turn.steps, num(dataOf(event).step));
      return;

    case "hook_failed":
      note(turn, event, "hook");
      return;
    case "observed":
      note(turn, event, "observed");
      return;
    case "stage_output":
      note(turn, event, "output");
      return;
    case "stage_retried":
      note(turn, event, "retry");
      return;
    case "warning":
      // Its reason is the sentence; an error beside it says why.
      note(turn, event, "warning", { text: [event.reason, event.error].filter(Boolean).join(": ") });
      return;
    case "rule_fired":
      note(turn, event, "rule", { name: str(dataOf(event).rule), text: [event.reason, event.error].filter(Boolean).join(": ") });
      return;
    case "skill_loaded":
      note(turn, event, "skill", { name: str(dataOf(event).title) });
      return;
    case "guard":
      note(turn, event, "guard", { name: str(dataOf(event).guard), text: event.reason ?? "" });
      return;

    case "transition":
      turn.transitions.push({
        seq: event.seq ?? 0, at, from: event.from ?? "", to: event.to ?? "",
        condition: event.condition ?? "", resolver: event.resolver ?? "",
        reason: event.resolver === "error" ? withoutParts(event.reason ?? "") : event.reason ?? "", // else somebody's words
      });
      return;

    case "phase_started":
      turn.phases.push({
        phase: event.phase ?? turn.phases.length + 1, stage: event.stage ?? "", tools: strings(dataOf(event).tools),
        state: "running", startedAt: at, endedAt: null,
      });
      return;

    case "phase_completed": {
      const phase = turn.phases.findLast((one) => one.phase === event.phase && one.state === "running");
      if (phase) Object.assign(phase, { state: "done", endedAt: at });
      return;
    }

    case "tool_started": {
      const data = dataOf(event);
      const tool = toolOf(turn, event);
      become(turn, tool, "running");
      tool.attempts = Math.max(tool.attempts + 1, event.attempt ?? 0);
      tool.starts.push(at);
      tool.endedAt = null;
      if (data.args !== undefined) tool.args = data.args;
      if (event.reason) tool.why = event.reason;
      return;
    }

    case "tool_completed": {
      const data = dataOf(event);
      const tool = toolOf(turn, event);
      become(turn, tool, "done");
      tool.endedAt = at;
      tool.ms = numOrNull(data.ms);
      if (data.result !== undefined) tool.result = data.result;
      tool.completeness = numOrNull(data.completeness);
      // What the output lacks.
      tool.reason = event.reason ?? "";
      return;
    }

    case "tool_failed": {
      const data = dataOf(event);
      const tool = toolOf(turn, event);
      const retry = data.retry === true;
      tool.failures.push({
        attempt: event.attempt ?? tool.failures.length + 1, error: event.error ?? "", class: str(data.class), retry, at,
      });
      become(turn, tool, retry ? "retrying" : "failed");
      if (!retry) tool.endedAt = at;
      return;
    }

    case "tool_skipped": {
      const data = dataOf(event);
      const tool = toolOf(turn, event);
      become(turn, tool, "skipped");
      tool.reason = event.reason ?? "";
      tool.gate = str(data.gate);
      tool.completeness = numOrNull(data.completeness);
      tool.endedAt = at;
      return;
    }

    case "tool_refused": {
      const tool = toolOf(turn, event);
      become(turn, tool, "refused");
      tool.reason = event.reason ?? event.error ?? "";
      tool.endedAt = at;
      // A yes that came too late: what was approved was not done, and is not called approved.
      for (const approval of Object.values(turn.approvals))
        if (approval.call === event.call && event.call && approval.status === "approved") Object.assign(approval, { status: "refused", refusal: tool.reason });
      return;
    }

    case "approval_requested": {
      const data = dataOf(event);
      const approval = approvalOf(turn, event);
      approval.title = str(data.title);
      approval.digest = str(data.digest);
      approval.expiresAt = str(data.expires_at);
      approval.status = "pending";
      return;
    }

    case "approval_delegated": {
      // Who may decide is part of what is signed.
      approvalOf(turn, event).digest = str(dataOf(event).digest);
      return;
    }

    case "approval_decided": {
      const data = dataOf(event);
      const approval = approvalOf(turn, event);
      approval.status = event.status === "approved" || event.status === "rejected" || event.status === "modified" ? event.status : approval.status;
      approval.reason = event.reason ?? "";
      approval.reviewer = str(data.reviewer);
      approval.identity = str(data.identity);
      if (data.digest) approval.digest = str(data.digest);
      if (event.status !== "modified") approval.decidedAt = at;
      if (event.status === "modified") {
        // What would happen is another thing now; older journals have only the first sentence.
        approval.changed = data.title ? "told" : "untold";
        approval.title = str(data.title) || approval.title;
      }
      return;
    }

    case "approval_refused": {
      const approval = approvalOf(turn, event);
      approval.status = event.status === "void" || event.status === "expired" ? "void" : "refused";
      approval.refusal = event.reason || event.error || ""; // the reason is for people
      return;
    }

    case "mutation_committed": {
      const data = dataOf(event);
      const refs = strings(data.refs);
      const tool = toolOf(turn, event);
      become(turn, tool, "done");
      tool.endedAt = at;
      tool.approval = event.approval ?? "";
      tool.refs = refs;
      if (data.result !== undefined) tool.result = data.result;
      turn.refs.push(...refs);
      if (event.approval) Object.assign(approvalOf(turn, event), { status: "used", usedAt: at });
      return;
    }

    case "message_started": {
      const message = messageOf(turn, event.message ?? "", at);
      message.stage = event.stage ?? "";
      return;
    }

    case "model_reading": {
      const data = dataOf(event);
      turn.reading = { at, stage: event.stage ?? "", purpose: str(data.purpose), tokens: num(data.tokens), perSecond: num(data.per_second), begun: data.begun === true };
      return;
    }
    case "token": {
      turn.reading = null;
      const message = messageOf(turn, event.message ?? "", at);
      token(message, event);
      message.heardAt = at;
      message.weak ||= dataOf(event).weak === true;
      return;
    }

    case "message": {
      const data = dataOf(event);
      if (data.role !== undefined && data.role !== "assistant") return;
      const message = messageOf(turn, event.message ?? "", at);
      message.stage = event.stage ?? message.stage;
      message.whole = blobOf(data.text);
      message.text = longer(event.text ?? "", message.whole, message.holes ? "" : message.text);
      message.bytes = utf8Length(message.text);
      message.holes = false;
      message.state = data.partial === true ? "partial" : "done";
      message.model = str(data.model);
      message.template = str(data.template);
      message.digest = str(data.digest);
      message.weak = data.weak === true;
      message.promptTokens = num(data.prompt_tokens);
      message.outputTokens = num(data.output_tokens);
      message.tokensPerSecond = num(data.tokens_per_second);
      message.context = num(data.context);
      message.contextUsed = num(data.context_used);
      message.degraded = list(data.degraded).map((section) => ({
        tool: str(obj(section).tool), reason: str(obj(section).reason), ...(obj(section).absent === true ? { absent: true } : {}), ...(obj(section).again === true ? { again: true } : {}),
      }));
      return;
    }

    case "board_searched":
      turn.board = true;
      return;

    case "hypothesis_changed":
    case "conflict_changed": {
      const data = dataOf(event);
      turn.board = true;
      if (turn.endedAt !== null && data.by === "person") turn.decidedSince = { who: str(data.who), at };
      return;
    }

    case "safety_checked": {
      const data = dataOf(event);
      const found: SafetyView = {
        seq: event.seq ?? 0, at, stage: event.stage ?? "", by: str(data.by), hijack: data.hijack === true, category: str(data.category),
        region: str(data.region), ...(data.informal === true ? { informal: true } : {}), ...(data.child === true ? { child: true } : {}), degraded: data.degraded === true, reason: str(data.reason) || (event.reason ?? ""),
        rules: list(data.rules).map((rule) => ({ rule: str(obj(rule).rule), category: str(obj(rule).category) })),
        // Older journals know one level and who checked, not who found.
        level: data.level === "check_in" || data.concern === true ? "check_in" : data.hijack === true ? "intervention" : "none",
        foundBy: list(data.found_by).map(str), speaker: str(data.speaker), language: str(data.language),
        tiers: list(data.tiers).map((tier) => ({ tier: str(obj(tier).tier), level: str(obj(tier).level), score: num(obj(tier).score), reasons: list(obj(tier).reasons).map(str) })),
        judged: data.model ? { risk: str(obj(data.model).risk), category: str(obj(data.model).category), practice: obj(data.model).practice === true } : null,
      };
      if (data.written && event.message) {
        turn.asides[event.message] = found;
        return;
      }
      // What the model could not say at first it has said by now.
      const early = turn.safety?.degraded && found.judged && !found.degraded ? turn.stages[turn.safety.stage] : undefined;
      if (early?.state === "degraded") Object.assign(early, { state: "done", reason: "" });
      turn.safety = found;
      return;
    }

    case "model_called": {
      const data = dataOf(event);
      if (turn.reading?.stage === event.stage) turn.reading = null;
      turn.modelCalls.push({
        at, stage: event.stage ?? "", role: str(data.role), model: str(data.model), promptTokens: num(data.prompt_tokens),
        evaluated: num(data.evaluated), outputTokens: num(data.output_tokens), ms: num(data.ms),
        memories: list(data.memories).map((one) => ({ id: str(obj(one).id), similarity: num(obj(one).similarity) })).filter(({ id }) => id !== ""),
      });
      return;
    }

    // Told by other screens, or by what they belong to.
    case "approval_reminded":
    case "approval_escalated":
    case "assembly_failed":
    case "evidence_added":
    case "evidence_judged":
    case "memory_updated":
    case "span":
      return;

    default: {
      // A kind that has no case of its own is a note of its stage, by its name.
      const other = event as JournalEvent;
      if (other.stage) note(turn, other, "other", { name: other.kind, text: [other.reason, other.error].filter(Boolean).join(": ") });
    }
  }
}

/** What an event of its kind tells. */
const dataOf = <E extends JournalEvent>(event: E) => (event.data ?? {}) as NonNullable<E["data"]>;

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
function close(stage: StageView, state: StageState, at: string, ms: number | null, error: string): void {
  stage.state = state;
  stage.endedAt = at;
  stage.ms = ms;
  const last = stage.attempts.at(-1);
  if (last?.endedAt === null) Object.assign(last, { endedAt: at, ms, state, error });
}

function stopStreaming(turn: TurnView): void {
  const last = turn.messageOrder.at(-1);
  const message = last === undefined ? undefined : turn.messages[last];
  if (message?.state === "streaming") message.state = "partial";
}

function stopStages(turn: TurnView, at: string): void {
  for (const id of turn.stageOrder) {
    const stage = turn.stages[id]!;
    const { state, again } = stage;
    if (state === "running" || state === "paused" || (state === "waiting" && again)) {
      stage.reason = turn.status === "abandoned" ? t("conversation.theTurnWasAbandoned") : t("conversation.theTurnWasStopped");
      close(stage, "skipped", at, null, "");
    }
  }
}

/** Only the stage that failed tells of it: those around it failed with it, and those beside it run again when the turn does. */
function failStages(turn: TurnView, at: string): void {
  for (const id of turn.stageOrder) {
    const stage = turn.stages[id]!;
    if (stage.state !== "running") continue;
    const around = turn.errorStage.startsWith(`${id}/`);
    if (around) stage.error = turn.error;
    close(stage, around ? "failed" : "waiting", at, null, around ? turn.error : "");
  }
}

/** A visit that goes on in a later round does not run while the turn stands still. */
function restStages(turn: TurnView): void {
  for (const id of turn.stageOrder) {
    const stage = turn.stages[id]!;
    if (stage.again && stage.state === "running") stage.state = "waiting";
  }
}

/** A pipeline's tool that failed for good is kept with its stage, so that the stage's end need not look at every tool. */
function become(turn: TurnView, tool: ToolView, state: ToolView["state"]): void {
  tool.state = state;
  if (tool.phase === 0) return;
  const lost = turn.lost[tool.stage] ?? [];
  const known = lost.includes(tool.key);
  if (state === "failed" && !known) turn.lost[tool.stage] = [...lost, tool.key];
  else if (state !== "failed" && known) turn.lost[tool.stage] = lost.filter((key) => key !== tool.key);
}

/** Why a finished stage counts as degraded; "" when it does not. */
function degradedBecause(turn: TurnView, stage: string): string {
  if (turn.safety?.degraded && stage === turn.safety.stage) return turn.safety.reason || t("conversation.safetyWasCheckedByRulesOnly");
  const lost = (turn.lost[stage] ?? []).map((key) => turn.tools[key]!.tool);
  return lost.length ? t("conversation.without", { tools: lost.join(", ") }) : "";
}

/** After a stop only the inner stage starts again by name; those around it go on with it. */
function reopen(turn: TurnView, id: string, at: string): void {
  for (let end = id.lastIndexOf("/"); end > 0; end = id.lastIndexOf("/", end - 1)) {
    const around = id.slice(0, end);
    const stage = turn.stages[around];
    const last = stage?.attempts.at(-1);
    if (!stage || !last || stage.state !== "waiting") continue;
    last.state = "paused";
    stage.attempts.push({ attempt: last.attempt + 1, startedAt: at, endedAt: null, ms: null, state: "running", error: "" });
    stage.state = "running";
    stage.endedAt = null;
    stage.ms = null;
  }
}

/** Questions stand in the conversation from the moment the turn waits for them. */
function ask(turn: TurnView, pauses: readonly PauseView[], at: string): void {
  for (const { id, kind, stage } of pauses) if (kind === "question") questionOf(turn, id, stage, at);
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
