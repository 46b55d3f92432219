import type { BlobRef } from "./blob";
import type { JournalEvent, Json, Mutation, RunStatus, Used } from "@/api/types";

/** What a person is told about a stage. Each state has one colour, icon and word. */
export type StageState = "waiting" | "running" | "done" | "skipped" | "reused" | "degraded" | "paused" | "failed";

/** One start of a stage, for the waterfall. Times are ISO. */
interface StageAttempt {
  attempt: number;
  startedAt: string;
  endedAt: string | null;
  /** Milliseconds, as the engine measured them; null while it runs. */
  ms: number | null;
  state: StageState;
  error: string;
}

export interface StageView {
  id: string;
  state: StageState;
  attempts: StageAttempt[];
  startedAt: string;
  endedAt: string | null;
  ms: number | null;
  /** Why it was skipped or degraded. */
  reason: string;
  error: string;
  /** Channel → value or {blob,size}; null until completed. */
  patch: Record<string, Json> | null;
  /** Its output was kept from an earlier visit with the same inputs. */
  cached: boolean;
  /** Its visit goes on: the last round gave no result yet. */
  again: boolean;
  pauses: PauseView[];
  /** What happened besides, in order: retries, warnings, verdicts of guards, metrics, failed hooks, whole outputs. */
  notes: NoteView[];
}

/** Something a stage had to tell beside its result. */
export interface NoteView {
  seq: number;
  at: string;
  /** A kind with a heading of its own has it in inspector/Notes.tsx (titles, noteText) and in the texts inspector.…; "other" is any kind without a case in reduce.ts. */
  kind: "retry" | "warning" | "guard" | "hook" | "observed" | "output" | "rule" | "skill" | "other";
  /** The hook, the guard, or where it happened; of an "other" the kind of event. */
  name: string;
  /** A guard's or a rule's verdict, a warning's kind, the point at which a hook ran. */
  status: string;
  text: string;
  /** Attempt of a retry. */
  attempt: number;
  data: Record<string, Json>;
}

/** A change of the graph that was made or refused. */
export interface MutationView {
  seq: number;
  at: string;
  /** The stage that asked. */
  stage: string;
  refused: boolean;
  reason: string;
  /** Why it was refused. */
  error: string;
  /** The hook that said no. */
  hook: string;
  /** Null when what was asked for is not one. */
  mutation: Mutation | null;
  /** As the model wrote it, of one that makes no sense. */
  asked: string;
}

/** Something a person was asked. */
export interface QuestionView {
  id: string;
  stage: string;
  at: string;
  status: "open" | "answered" | "withdrawn";
  /** Known from the journal once it was answered. */
  prompt: string;
  answer: Json;
  answeredAt: string;
}

interface TransitionView {
  seq: number;
  at: string;
  from: string;
  to: string;
  condition: string;
  /** Which resolver chose the next stage. */
  resolver: string;
  reason: string;
}

interface PhaseView {
  phase: number;
  stage: string;
  tools: string[];
  state: "running" | "done";
  startedAt: string;
  endedAt: string | null;
}

type ToolState = "running" | "done" | "skipped" | "retrying" | "failed" | "refused";

export interface ToolView {
  /** Unique in the turn. */
  key: string;
  tool: string;
  call: string;
  stage: string;
  /** 0 outside a pipeline. */
  phase: number;
  state: ToolState;
  startedAt: string;
  endedAt: string | null;
  ms: number | null;
  args: Json;
  result: Json;
  completeness: number | null;
  /** One entry for each failed attempt. */
  failures: { attempt: number; error: string; class: string; retry: boolean; at: string }[];
  attempts: number;
  /** Why it ran and was not passed over. */
  why: string;
  /** When each attempt began, ISO. */
  starts: string[];
  /** Why it was skipped or refused. */
  reason: string;
  gate: string;
  approval: string;
  /** Records that the call wrote, e.g. "Appointment/1". */
  refs: string[];
}

export interface MessageView {
  id: string;
  stage: string;
  text: string;
  /** Where all of it is, when text may be only the beginning. */
  whole: BlobRef | null;
  /** Bytes of the reply that arrived so far. */
  bytes: number;
  /** True when tokens were missed, so that text is incomplete until the whole message comes. */
  holes: boolean;
  state: "streaming" | "done" | "partial";
  /** Names a reviewed text that no model wrote; "" for what was written for this turn. */
  template: string;
  startedAt: string;
  /** When the last words came that were seen to come. */
  heardAt: string;
  model: string;
  digest: string;
  promptTokens: number;
  outputTokens: number;
  tokensPerSecond: number;
  context: number;
  contextUsed: number;
  /** Parts of the context that the model did not have in full. */
  degraded: { tool: string; reason: string; absent?: boolean; again?: boolean }[];
  /** The model is too small for its word to count alone. */
  weak: boolean;
}

export interface PauseView {
  id: string;
  kind: string;
  stage: string;
}

export interface ApprovalView {
  id: string;
  call: string;
  tool: string;
  title: string;
  /** A person gave it other arguments: told, with the sentence of what would happen since; untold in older journals. */
  changed: "" | "told" | "untold";
  digest: string;
  expiresAt: string;
  requestedAt: string;
  /** "refused": it could not be carried out, whatever the verdict was. */
  status: "pending" | "approved" | "rejected" | "modified" | "refused" | "used" | "void";
  /** The reviewer's words. */
  reason: string;
  /** Why it was not carried out, or is no longer asked. */
  refusal: string;
  reviewer: string;
  /** By what the name is known; "" in older journals. */
  identity: string;
  /** When the verdict came, and when its call was carried out; "" until then. */
  decidedAt: string;
  usedAt: string;
}

export interface SafetyView {
  seq: number;
  at: string;
  /** The stage that checked. */
  stage: string;
  by: string;
  hijack: boolean;
  category: string;
  region: string;
  /** The text addresses a young person. */
  informal?: boolean;
  child?: boolean;
  degraded: boolean;
  reason: string;
  rules: { rule: string; category: string }[];
  level: "none" | "check_in" | "intervention";
  /** Who saw a sign: rules, words, meaning, model, script. */
  foundBy: string[];
  speaker: string;
  language: string;
  tiers: { tier: string; level: string; score: number; reasons: string[] }[];
  /** What the model's classifier said; null when none was asked or it failed. */
  judged: { risk: string; category: string; practice: boolean } | null;
}

/** A prompt that a model reads right now; live only. */
export interface ReadingView {
  at: string;
  stage: string;
  purpose: string;
  /** About how many tokens there are to read, and how many a second; 0 where it is not known. */
  tokens: number;
  perSecond: number;
  /** Words of the answer came, the last that is known of at the time above. */
  begun: boolean;
}

interface ModelCall {
  at: string;
  stage: string;
  role: string;
  model: string;
  promptTokens: number;
  evaluated: number;
  outputTokens: number;
  ms: number;
  /** Earlier conversations that it was told of. */
  memories: { id: string; similarity: number }[];
}

interface ResumeView {
  at: string;
  kept: string[];
  rerun: string[];
  /** Calls whose outcome nobody knows. */
  unknown: number;
  /** It had waited for a person, and goes on where it stood. */
  answered: boolean;
}

/** One thing in the conversation, in the order in which it happened. */
interface TurnItem {
  kind: "message" | "tool" | "approval" | "resumed" | "question";
  id: string;
}

export interface TurnView {
  id: string;
  status: RunStatus;
  input: string;
  reply: string;
  /** Where all of the reply is, when it may be only the beginning. */
  replyWhole: BlobRef | null;
  agent: string;
  fingerprint: string;
  model: string;
  practice: boolean;
  /** Who the turn began for; empty for nobody in particular. */
  caller: string;
  vars: Record<string, string>;
  startedAt: string;
  endedAt: string | null;
  /** Newest event of the turn. */
  updatedAt: string;
  /** When it came to wait last; "" before. */
  pausedAt: string;
  stages: Record<string, StageView>;
  /** Stages in the order of their first event. */
  stageOrder: string[];
  transitions: TransitionView[];
  phases: PhaseView[];
  tools: Record<string, ToolView>;
  toolOrder: string[];
  /** Keys of a pipeline's tools that failed for good, by stage. */
  lost: Record<string, string[]>;
  messages: Record<string, MessageView>;
  messageOrder: string[];
  approvals: Record<string, ApprovalView>;
  approvalOrder: string[];
  items: TurnItem[];
  pauses: PauseView[];
  safety: SafetyView | null;
  /** What was found in what the person wrote elsewhere than in the message, by the id of the help for it. */
  asides: Record<string, SafetyView>;
  modelCalls: ModelCall[];
  reading: ReadingView | null;
  resumes: ResumeView[];
  refs: string[];
  error: string;
  errorStage: string;
  /** The limit that was hit, its name and what had been used then; 0, "" and {} for none. */
  limit: number;
  limitName: string;
  used: Used;
  /** Super-steps so far. */
  steps: number;
  mutations: MutationView[];
  questions: Record<string, QuestionView>;
  /** Whether it keeps a board, and who decided on that last once the turn had ended; null for nobody. */
  board: boolean;
  decidedSince: { who: string; at: string } | null;
  /** All structural events of the turn, in order: the Steps and Detail views read these. */
  events: JournalEvent[];
}

export interface SessionView {
  session: string;
  /** Number of the newest event that was applied. */
  seq: number;
  turns: Record<string, TurnView>;
  turnOrder: string[];
}

export const emptySession = (session: string): SessionView => ({ session, seq: 0, turns: {}, turnOrder: [] });

export const emptyTurn = (id: string, at: string): TurnView => ({
  id,
  status: "running",
  input: "",
  reply: "", replyWhole: null,
  agent: "",
  fingerprint: "",
  model: "",
  practice: false,
  caller: "",
  vars: {},
  startedAt: at,
  endedAt: null,
  updatedAt: at,
  pausedAt: "",
  stages: {},
  stageOrder: [],
  transitions: [],
  phases: [],
  tools: {},
  toolOrder: [],
  lost: {},
  messages: {},
  messageOrder: [],
  approvals: {},
  approvalOrder: [],
  items: [],
  pauses: [],
  safety: null,
  asides: {},
  modelCalls: [],
  reading: null,
  resumes: [],
  refs: [],
  error: "",
  errorStage: "",
  limit: 0,
  limitName: "",
  used: {},
  steps: 0,
  mutations: [],
  questions: {},
  board: false,
  decidedSince: null,
  events: [],
});
