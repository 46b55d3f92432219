// The shapes of Holdpoint's local API. Names are those of the wire (snake_case).
import type { Form } from "@/forms/types";
import { told } from "@/text/told";
import { problemText } from "@/text/problem";
import type { JournalEvent, Mutation, Used } from "./journal";

export type { Blob, JournalEvent, Mutation, Used } from "./journal";
export type { Notice as AppEvent, Problem } from "./notice";

/** An event of one kind. */
export type EventOfKind<K extends JournalEvent["kind"]> = Extract<JournalEvent, { kind: K }>;

/** An event without what whoever keeps it fills in; each kind stays what it is. */
export type EventLess<Members extends keyof JournalEvent, E extends JournalEvent = JournalEvent> = E extends JournalEvent ? Omit<E, Members> : never;

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };

interface ModelInfo {
  name: string;
  digest: string;
  context: number;
  tools: boolean;
  practice: boolean;
}

export interface ModelServer {
  kind: "own" | "user" | "none";
  url: string;
  version: string;
  status: "stopped" | "starting" | "ready" | "failed";
  error: string;
}

export interface Interrupted {
  session: string;
  turn: string;
  title: string;
  input: string;
  kept: number;
  rerun: number;
  unknown: number;
  stage: string;
  started_at: string;
  kept_stages: string[] | null;
  rerun_stages: string[] | null;
}

export interface AppState {
  version: string;
  flavour: { desktop: boolean; ollama: boolean };
  network: { mode: "offline" | "online"; detail: string };
  /** The clinic's time zone, e.g. Europe/London; "" where the server does not know. */
  zone?: string;
  region: string;
  /** False until a person chose the region. */
  region_chosen: boolean;
  practice: boolean;
  /** How the scripted model behaves: "" as asked, stubborn, wrong or slow. */
  practice_manner?: string;
  /** Who turns run for, by a token that the program was started with; absent for nobody in particular. */
  caller?: { subject: string; roles?: string[]; scopes?: string[]; expired?: boolean };
  first_run: boolean;
  model: {
    main: ModelInfo | null;
    light: ModelInfo | null;
    embed: ModelInfo | null;
    encoder?: EncoderView;
    server: ModelServer;
  };
  counts: { approvals: number; questions?: number; sessions: number; patients: number; providers: number; /** Of all types. */ records: number };
  interrupted: Interrupted[] | null;
  /** Damaged rows, which lists leave out. */
  lost?: { table: string; id: string }[];
  safety_line: string;
  reviewer: string;
  /** What a person calls tools, by their names. */
  names?: Record<string, string>;
}

export interface Pattern {
  id: string;
  title: string;
  /** One paragraph. */
  description: string;
  /** A message to try it with. */
  example: string;
}

/** An input of a turn. */
export interface AgentVar {
  name: string;
  title?: string;
  values: string[];
  /** What people call the values. */
  titles?: string[] | null;
  /** A session keeps the value of its first turn. */
  fixed?: boolean;
  /** Any other value may be given as well, e.g. a name. */
  open?: boolean;
  /** What a card sends where a person leaves it open. */
  unsaid?: string;
  default?: string;
  /** It need not be asked for where the region was chosen for the program. */
  region?: boolean;
  /** It chooses the language of the agent's texts. */
  language?: boolean;
  /** It chooses the audience of the agent's texts. */
  audience?: boolean;
  /** The value of somebody who rather does not say. */
  withheld?: string;
  /** Said once, not chosen beforehand. */
  once?: boolean;
  /** Asked for when a session begins, never guessed. */
  start?: boolean;
}

/** A value that a graph of one's own is started with. */
export interface AgentAsk {
  name: string;
  /** JSON Schema of the value, with what it is for as its description. */
  schema: Json;
  /** Those to choose from. */
  values?: string[] | null;
  /** Taken where nothing is given. */
  default?: string;
  required?: boolean;
}

/** The file of a person's own graph. */
export interface AgentFile {
  id: string;
  yaml: string;
  /** Names the text, so that a change is made to the one that was read. */
  digest: string;
  /** Turns that began with a graph of this name and go on as it was then. */
  unfinished: number;
}

/** A type of records that an agent brings along. */
export interface RecordKind {
  type: string;
  /** Heads lists of its records. */
  plural?: string;
  /** What people call its members. */
  names?: Record<string, string> | null;
  /** Its records are forms with boxes. */
  form?: boolean;
  /** One of them can be drawn. */
  map?: boolean;
}

export interface AgentInfo {
  id: string;
  title: string;
  description: string;
  kind?: "builtin" | "file";
  /** It is new and may be wrong in ways that nobody knows yet. */
  experimental?: boolean;
  /** Types of records that its sessions may be about; patients where it says nothing. */
  subjects?: string[] | null;
  /** Types of records that it draws. */
  maps?: string[] | null;
  /** Types of records that it brings along. */
  records?: RecordKind[] | null;
  /** Graphs to choose from, the usual one first. */
  patterns?: Pattern[] | null;
  /** Inputs that each of its turns has, e.g. a language. */
  vars?: AgentVar[] | null;
  /** What a graph of one's own is started with. */
  asks?: AgentAsk[] | null;
  /** It asks people questions and shows cards; its texts can be changed. */
  cards?: boolean;
  texts?: boolean;
  /** It keeps a board of hypotheses and evidence. */
  boards?: boolean;
  /** Why the agent of a file cannot run. */
  error?: string;
}

/** What a stage is to the person who watches; the same words in every agent. */
export type StageRole = "preflight" | "intervention" | "gate" | "assembly" | "format" | "loop" | "hold" | "reply" | "finalize";

export interface ManifestStage {
  id: string;
  title: string;
  description: string;
  join?: boolean;
  acts?: boolean;
  /** What it is made of: prompt, router, autonomous, human… */
  kind?: string;
  role?: StageRole | (string & {});
  flags?: string[] | null;
  inputs?: string[] | null;
  output?: string;
  /** A mutation brought it into this run. */
  added?: boolean;
  /** A graph of its own inside of the stage; ids without the stage's. */
  stages?: ManifestStage[] | null;
  edges?: ManifestEdge[] | null;
}

export interface ManifestEdge {
  from: string;
  to: string;
  type:
    | "entry" | "conditional" | "terminal_path" | "parallel_branch" | "join_input" | "sequence" | "exit"
    | "choice" | "match" | "error" | (string & {});
  condition?: string;
  /** The output that a match edge leads on from. */
  match?: string;
  priority?: number;
}

/** Limits of a run; absent ones do not bound it. Time in nanoseconds. */
interface Limits {
  node_iterations?: number;
  mutations?: number;
  tokens?: number;
  cost?: number;
  time_ns?: number;
  cycle?: number;
  own?: Record<string, number> | null;
}

export interface Manifest {
  agent: string;
  title: string;
  fingerprint: string;
  stages: ManifestStage[];
  edges: ManifestEdge[];
  /** Titles word them for a person. */
  conditions?: { name: string; title?: string }[] | null;
  channels: { name: string; type: string; reducer: string }[];
  tools: { name: string; description: string; mutates: boolean; parameters: Json }[];
  /** Tool names per phase, in order. */
  pipeline: string[][];
  mermaid: string;
  description?: string;
  kind?: "builtin" | "file";
  pattern?: string;
  max_steps?: number;
  limits?: Limits | null;
  /** Changes that are in force in this graph, in order. */
  mutations?: Mutation[] | null;
}

export type RunStatus =
  | "running"
  | "paused"
  | "completed"
  | "failed"
  | "cancelled"
  | "limited"
  | "abandoned";

export interface Session {
  id: string;
  title: string;
  agent: string;
  /** What it is about, "TYPE/ID", and its title; of patients the older fields below say the same. */
  subject?: string;
  subject_title?: string;
  subject_name?: string;
  patient?: string;
  practice?: boolean;
  turns: number;
  /** What the whole of it is at: what a person has to decide comes before how the newest turn ended. */
  status: RunStatus | "interrupted" | "damaged" | "";
  /** What is kept of it cannot be read: it can only be deleted. */
  damaged?: boolean;
  /** What it waits for where it is paused. */
  waits?: "approval" | "answer" | "resume";
  approvals: number;
  interrupted?: boolean;
  created_at: string;
  updated_at: string;
  patient_name?: string;
  /** The turn of another session that this one was made from. */
  branch?: string;
  /** What it was made from; only of one session that is read by itself. */
  branch_of?: { session: string; title: string; input: string } | null;
}

export interface TurnRow {
  turn: string;
  run: string;
  status: RunStatus;
  input: string;
  output: string;
  error: string;
  started_at: string;
  updated_at: string;
  model: string;
  practice: boolean;
  live: boolean;
  agent: string;
  vars?: Record<string, string> | null;
  /** The limit that it came to, whose it is, where a graph's file sets it, and how much more is sensible. */
  limit_stage?: string;
  limit_field?: string;
  limit?: string;
  more?: string;
  limits?: Limits;
  steps?: number;
  max_steps?: number;
  used?: Used;
  /** What of each limit is used up. */
  budget?: BudgetLine[] | null;
  questions?: { id: string; stage: string; kind: string; data?: QuestionData | null }[] | null;
}

/** A limit of a turn beside what was used of it. */
export interface BudgetLine {
  limit: string;
  used: number;
  max: number;
  unit: string;
  reached?: boolean;
  more?: string;
}

export interface QuestionData {
  prompt?: string;
  choices?: string[] | null;
  schema?: Json;
  /** What the stage that asks to run would read. */
  inputs?: Record<string, Json> | null;
}

/** What a turn waits for a person to say, as the inbox lists it. */
export interface Question {
  session: string;
  session_title: string;
  turn: string;
  pause: string;
  stage: string;
  prompt: string;
  choices?: string[] | null;
  /** What kind of answer is expected, as a JSON Schema. */
  schema?: Json;
  asked_at: string;
}

/** A tool of a server outside, as the server describes it. */
export interface OutsideTool {
  name: string;
  title?: string;
  description: string;
  parameters: Json;
  class: "read" | "mutating";
  /** What the server says about itself; nobody checked it. */
  read_only_hint?: boolean;
  /** Why no model is offered it. */
  unusable?: string;
  digest: string;
  changed?: boolean;
  /** What it was when it was trusted; only of a changed tool. */
  before?: { description: string; parameters: Json } | null;
}

export interface ToolServer {
  id: string;
  title: string;
  transport: "stdio" | "http";
  command?: string;
  args?: string[] | null;
  /** Names only. */
  env?: string[] | null;
  url?: string;
  /** Whether it gets the caller's token with each call. */
  identity?: boolean;
  /** What a caller has to have, e.g. "role:clinician". */
  needs?: string[] | null;
  status: "ready" | "stopped" | "failed" | "changed" | "new";
  error?: string;
  tools: OutsideTool[] | null;
  /** Absent before it was trusted. */
  pinned_at?: string;
  /** Of all that is shown. */
  digest: string;
  /** Sentences: what differs from what was trusted. */
  changes?: string[] | null;
}

interface Ref {
  type: string;
  id: string;
}

/** A line of what a request means; a time has `from` and perhaps `until`. */
export interface Fact {
  kind: "person" | "provider" | "time" | "place" | "about" | "reason";
  text?: string;
  from?: string;
  until?: string;
}

export interface Approval {
  id: string;
  session: string;
  turn: string;
  call: string;
  tool: string;
  args: Json;
  targets: (Ref & { version?: string })[] | null;
  policy_version: string;
  digest: string;
  status: "pending" | "approved" | "rejected" | "expired" | "used" | "void";
  title: string;
  reason?: string;
  /** Type of the hold point, who alone may decide, and the rule that holds it with its reason. */
  checkpoint?: string;
  for?: { name?: string; role?: string };
  rule?: string;
  because?: string;
  changes: { ref: Ref; before: Json; after: Json }[] | null;
  risk_high?: boolean;
  requested_at: string;
  expires_at: string;
  reviewer?: string;
  /** By what the name is known: typed, account, passphrase or signature; absent in older stores. */
  identity?: string;
  meaning?: string;
  comment?: string;
  /** The warnings that stood beside it when the verdict was given. */
  warned?: string[] | null;
  decided_at?: string;
  used_at?: string;
  original?: { args: Json; digest: string; reason?: string };
  /** Its session was deleted: who gave it is left, and nothing of what it said. */
  erased?: boolean;
  practice?: boolean;
  /** What it means in words, as its tool says it. */
  summary?: Fact[] | null;
  /** Records that are no longer as `changes` has them before; only of one that waits. */
  current?: (Ref & { resource: Json })[] | null;
  /** The zone of the times in `title`, where that is not the clinic's any more. */
  title_zone?: string;
  /** What a person calls the tool, and the records that it names, by TYPE/ID. */
  tool_title?: string;
  names?: Record<string, string> | null;
  /** The model that asked is too small for its word to count alone. */
  weak?: boolean;
  /** What the person wrote whose turn it is, at its beginning. */
  message?: string;
  /** Only in lists. */
  session_title?: string;
  subject?: string;
  subject_title?: string;
  subject_name?: string;
  patient_name?: string;
  unknown?: boolean;
  /** Only from GET /api/approvals/{id}: needed once, to decide. */
  nonce?: string;
  /** What speaks against it, where it would be, and the JSON Schema of the arguments; only of one that waits. */
  warnings?: string[] | null;
  places?: string[] | null;
  parameters?: Json;
  /** The arguments that nobody can change: the session is about what they name. */
  fixed?: string[] | null;
  /** The form that it would keep, and as the agent asked for it where a reviewer changed it. */
  form?: Form | null;
  form_before?: Form | null;
  /** By when a decision is wanted, whether that is past, and who may decide, in words. */
  due_at?: string;
  overdue?: boolean;
  /** It counts as expired before its time, since the clock was set back. */
  clock_set_back?: boolean;
  escalated?: boolean;
  may_decide?: string;
  /** Its checkpoint does not let reviewers pass it on. */
  no_delegation?: boolean;
  /** What became of its call, where that is known: "refused" is a no that came after the verdict. */
  outcome?: string;
  /** Why it is no longer asked; only of one that is void. */
  why?: string;
  display?: { args: { name: string; value: string }[] | null };
}

/** Who approved a change of a record that was carried out. */
export interface RecordVerdict {
  approval: string;
  tool: string;
  tool_title?: string;
  reviewer: string;
  identity?: string;
  meaning?: string;
  decided_at: string;
  used_at?: string;
  digest: string;
  modified?: boolean;
  practice?: boolean;
  /** Where it was asked; absent where that was deleted since. */
  session?: string;
  session_title?: string;
}

/** A rule, with when it fired last. */
export interface Rule {
  name: string;
  description?: string;
  event: "before_model_call" | "before_tool_call" | "after_tool_call" | "before_output";
  agents?: string[] | null;
  tools?: string[] | null;
  when?: string;
  verdict: "allow" | "warn" | "ask" | "hold" | "refuse";
  reason?: string;
  checkpoint?: string;
  reviewer?: { name?: string; role?: string };
  question?: string;
  off?: boolean;
  /** platform, user, or skill:NAME. */
  source?: string;
  fired?: { at: string; session: string; turn: string; verdict: string; tool?: string; error?: string };
}

/** A skill, with when it was loaded last. */
export interface Skill {
  name: string;
  title: string;
  description: string;
  digest: string;
  source: "builtin" | "user";
  added_at?: string;
  tools: string[];
  missing: string[];
  blocks: { name: string; description: string; capabilities: string[]; hidden?: boolean; parameters: Json }[];
  rules: Rule[];
  artifacts: string[];
  definition?: string;
  loaded?: { at: string; session: string; turn: string; digest: string; tier: number };
  error?: string;
}

interface UnknownEntry {
  call: string;
  session: string;
  turn: string;
  tool: string;
  approval: string;
  digest: string;
  state: string;
  updated_at: string;
  session_title: string;
  check: string;
}

export interface ApprovalList {
  approvals: Approval[] | null;
  /** After which the next page begins; "" at the end. */
  next?: string;
  unknown: UnknownEntry[] | null;
  questions?: Question[] | null;
  /** Turns that stand because what they asked is no longer asked. */
  stranded?: Stranded[] | null;
}

/** A turn that was held for a verdict that nobody can give any more; it goes on when a person resumes it. */
export interface Stranded {
  session: string;
  session_title: string;
  turn: string;
  approval: string;
  title: string;
  status: "expired" | "void";
  requested_at: string;
  expires_at: string;
}

export interface SessionMemory {
  tools: {
    tool: string;
    title: string;
    completeness: number;
    output: Json;
    turn: string;
    at: string;
    reads: { type: string; id: string; version: string }[] | null;
    reason?: string;
    /** A very small model wrote it. */
    weak?: boolean;
    /** The output as people read it, where the agent says that. */
    lines?: { title: string; text: string; from?: string }[] | null;
    language?: string;
  }[] | null;
  signal: Json;
  signal_weak?: boolean;
  entities: { kind: string; text: string; source: string }[] | null;
  threshold: number;
  /** Notes of the session's agents, and the records that it touched last, the newest last. */
  scratchpad?: string;
  recent?: string[] | null;
  /** What later conversations are told of this one. */
  episodes?: Episode[] | null;
}

/** What is remembered of a conversation. */
export interface Episode {
  id: string;
  /** A record as TYPE/ID, or "person" for a conversation about none. */
  about: string;
  about_name?: string;
  session: string;
  session_title?: string;
  text: string;
  /** "code", "person", an agent or the name of a model. */
  by: string;
  /** The title of that agent. */
  by_name?: string;
  /** A very small model wrote it. */
  weak?: boolean;
  at: string;
  turns: number;
  /** From 0 to 1; absent in a list. */
  similarity?: number;
  /** What the person agreed to whom an agent asks; decides in the place of the setting. */
  consent?: string;
}

export interface Memories {
  on: boolean;
  /** What switching it on means. */
  says: string;
  episodes: Episode[] | null;
  /** How a search compared. */
  method?: "meaning" | "words";
  encoder?: string;
  lake: { waiting: number; making: number; kept: number; failed: number; problem?: string };
}

export interface RecordRow {
  version: string;
  type: string;
  id: string;
  title: string;
  subtitle: string;
  updated_at: string;
}

export interface RecordFull extends RecordRow {
  resource: Json;
  subject?: string;
  subject_title?: string;
  patient: { id: string; name: string } | null;
}

/** The records of one type that refer to another; the first ones of them. */
export interface LinkedList {
  type: string;
  count: number;
  records: RecordRow[] | null;
}

export interface Patient {
  id: string;
  name: string;
  birth_date: string;
  gender: string;
  /** In whole years; of one who died, at death. */
  age: number;
  deceased?: boolean;
}

/** A page of patients by name; next is passed as after, "" at the end. */
export interface PatientPage {
  patients: Patient[];
  total: number;
  next: string;
}

/** Who a patient is, in short: what the case banner shows. */
export interface PatientBrief {
  id: string;
  name: string;
  birth_date?: string;
  gender?: string;
  age?: number;
  deceased?: boolean;
  /** Those that hold, the worst first. */
  allergies: string[] | null;
  /** How many of them, from the first on, may endanger life. */
  severe?: number;
  /** What the record says where it states that none is known. */
  no_allergies?: string;
}

/** A line of a chart; it opens its record. */
export interface ChartLine {
  type: string;
  id: string;
  text: string;
  detail?: string;
  date?: string;
  /** It no longer holds: resolved, stopped, over. */
  past?: boolean;
  /** It never held, in the record's own word: refuted or entered-in-error. */
  untrue?: string;
  /** It states that there is none. */
  none?: boolean;
}

export interface Chart {
  patient: Omit<PatientBrief, "allergies" | "severe" | "no_allergies">;
  allergies: ChartLine[] | null;
  problems: ChartLine[] | null;
  medicines: ChartLine[] | null;
  visits: ChartLine[] | null;
  notes: ChartLine[] | null;
  omitted?: Record<string, number> | null;
}

export interface ModelList {
  server: ModelServer;
  models: {
    name: string;
    size: number;
    digest: string;
    family: string;
    parameters: string;
    quantization: string;
    capabilities: string[] | null;
    roles: string[] | null;
    loaded: boolean;
    /** What five questions said the model is good for; absent before anybody asked them. */
    check?: { says: string; failed: string[] };
  }[] | null;
  roles: { main: string; light: string; embed: string };
  encoder?: EncoderView;
  practice: boolean;
  /** How the scripted model behaves: "" as asked, stubborn, wrong or slow. */
  practice_manner?: string;
  starters: { name: string; size: number; why: string }[] | null;
}

/** What compares meanings, and what the sentence encoder is. */
export interface EncoderView {
  /** inside the program, a file in the data folder, a model on the server, or words: nothing. */
  use: "inside" | "file" | "model" | "words";
  name?: string;
  dimension?: number;
  title?: string;
  license?: string;
  source?: string;
  digest?: string;
  problem?: string;
  /** The embedding model that was chosen and is not at hand. */
  chosen?: string;
}

export interface Job {
  id: string;
  kind: "pull" | "import_model" | "check_model" | "import_records" | "import_library" | "index_library" | "online" | "sample" | "vectors";
  title: string;
  status: "running" | "done" | "failed" | "cancelled";
  done: number;
  /** 0 when unknown. */
  total: number;
  unit: "bytes" | "lines" | "texts" | "questions" | "documents" | "entries" | "requests";
  detail: string;
  error: string;
  result?: Json;
  started_at: string;
}

export interface Check {
  id: string;
  title: string;
  ok: boolean;
  /** Nobody looked yet: it is neither well nor in need of attention. */
  open?: boolean;
  detail: string;
  fix: string;
}

/** A region as a person chooses it, with whom to call there. */
export interface Region {
  code: string;
  name: string;
  emergency: string;
  source: string;
  deaf?: string;
  silent?: string;
  lines: { for: string[]; name: string; text: string; source: string; cost?: string; unconfirmed?: boolean }[];
}

export interface Settings {
  region: string;
  /** False until a person chose one: then no country's numbers are shown. */
  region_chosen: boolean;
  regions: Region[] | null;
  /** The day on which the sources of the lines were last looked at. */
  lines_checked: string;
  threshold: number;
  reviewer: string;
  theme: "system" | "light" | "dark";
  density: "comfortable" | "compact";
  /** "" for that of the system. */
  language?: "en" | "fr" | "";
  network: boolean;
  /** "" for the zone of the machine. */
  zone?: string;
  ollama_url: string;
  /** Whether conversations are remembered across sessions, and what that means. */
  memory?: boolean;
  memory_says?: string;
}

export interface HelpTopic {
  id: string;
  title: string;
  markdown: string;
  /** What it is written in. */
  language: string;
}

/** What the server says when something did not work. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly hint = "",
    readonly safe = "",
    readonly status = 0,
    /** The reviewed text for a message that was refused and speaks of danger; "" for none. */
    readonly help = "",
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** Whether an answer says that there is no such thing. */
export const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** Turns whatever was thrown into the three things a person needs to know. */
export function explain(error: unknown): { message: string; hint: string; safe: string; code: string } {
  const known = error instanceof ApiError ? error : null;
  const { message, hint } = problemText(error instanceof Error ? error.message : String(error));
  return { message, hint: hint || told(known?.hint ?? ""), safe: told(known?.safe ?? ""), code: known?.code ?? "error" };
}

/** What a turn came to, summed up from its journal; see GET /api/turns/{turn}/report. */
export interface RunReport {
  status: string;
  steps: number;
  max_steps: number;
  /** By stage, how often. */
  ran?: Record<string, number>;
  skipped?: Record<string, number>;
  cached?: Record<string, number>;
  failed?: Record<string, number>;
  retries?: Record<string, number>;
  /** The transitions in order, with who decided. */
  path?: { from: string; to: string; resolver: string; reason?: string }[];
  model_calls: number;
  tool_calls: number;
  prompt_tokens: number;
  output_tokens: number;
  used: { tokens?: number; time_ns?: number; mutations?: number };
  limits: { tokens?: number; time_ns?: number; mutations?: number };
  /** The limit that it came to. */
  limit?: string;
  mutations_refused?: number;
  hook_failures?: number;
  warnings?: string[];
  error?: string;
  error_stage?: string;
  /** Errors of stages that were passed by. */
  errors?: Record<string, string>;
}
