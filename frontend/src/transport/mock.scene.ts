import type { Approval, AppState, Chart, Check, EncoderView, Episode, EventLess, HelpTopic, JournalEvent, Json, ModelList, Patient, Region, Session, SessionMemory } from "@/api/types";
import { navigator } from "@/graph/navigator.fixture";
import { autonomousScript, graphHelp, questionScript } from "./mock.reasoner";

/** What the mock starts with: an ordinary day, the very first start, a start after a crash, hostile content, or years of use. */
export type Scene = "clinic" | "first" | "recovery" | "hostile" | "autonomous" | "limited" | "question" | "servers" | "long";

export const manifest = navigator;

const digest = `sha256:${"9f2b41c07d3e8a65".repeat(4)}`;
const model = { name: "qwen3:8b", digest, context: 8192, tools: true, practice: false };

export const patients: Patient[] = [
  { id: "p-1", name: "Amara Osei", birth_date: "1958-03-02", gender: "female", age: 68 },
  { id: "p-2", name: "Jonas Lindqvist", birth_date: "1974-11-20", gender: "male", age: 52 },
  { id: "p-3", name: "Mireille Fontaine-Abernathy of the Northern Highlands", birth_date: "1990-07-14", gender: "female", age: 36 },
];

export const help: HelpTopic[] = [
  { id: "approvals", title: "Approvals", language: "en", markdown: "A call that changes a record waits here. **What was shown is what runs**, byte for byte." },
  ...graphHelp,
];

const encoder: EncoderView = { use: "inside", name: "universal-sentence-encoder-multilingual-3", dimension: 512, title: "Universal Sentence Encoder, multilingual, version 3", license: "Apache-2.0", source: "Google", digest };

export function stateOf(scene: Scene, approvals: number, start: number): AppState {
  const first = scene === "first";
  return {
    version: "0.0.0", flavour: { desktop: false, ollama: false }, network: { mode: "offline", detail: "Nothing leaves this laptop." }, zone: "UTC",
    region: first ? "international" : "US", region_chosen: !first, practice: scene === "hostile", first_run: first,
    model: {
      main: first ? null : model, light: first ? null : model, embed: null,
      encoder,
      server: { kind: first ? "none" : "user", url: "http://127.0.0.1:11434", version: "0.12", status: first ? "stopped" : "ready", error: "" },
    },
    counts: { approvals, sessions: 4, patients: first ? 0 : 10, providers: first ? 0 : 31, records: first ? 0 : 420 },
    interrupted: scene === "recovery"
      ? [{ session: "s-fail", turn: "t-fail", title: "Medication review", input: "Check her medicines", kept: 3, rerun: 1, unknown: 1, stage: "navigator", started_at: new Date(start).toISOString(), kept_stages: ["preflight", "context_assembly", "empathy"], rerun_stages: ["navigator"] }]
      : [],
    safety_line: "Decision support for professionals, not a diagnosis.", reviewer: first ? "" : "Dr. R. Vance",
  };
}

export function regions(): Region[] {
  const line = (name: string, call: string) => ({ for: ["suicide"], name, text: `${name}: call ${call} (day and night)`, source: "a test" });
  return [
    { code: "international", name: "Not chosen", emergency: "your local emergency number", source: "a test", lines: [] },
    { code: "US", name: "United States", emergency: "911", source: "a test", lines: [line("988 Suicide & Crisis Lifeline", "988")] },
    { code: "GB", name: "United Kingdom", emergency: "999 or 112", source: "a test", lines: [line("Samaritans", "116 123")] },
    { code: "FR", name: "France", emergency: "112", source: "a test", lines: [line("Numéro national de prévention du suicide", "3114")] },
  ];
}

export function doctor(state: AppState): Check[] {
  const ok = state.model.main !== null;
  return [
    { id: "ollama", title: "Model server", ok, detail: ok ? "Ollama 0.12 answers at 127.0.0.1:11434." : "No Ollama answers.", fix: "Start Ollama, or use practice mode." },
    { id: "models", title: "Models", ok, detail: ok ? "qwen3:8b" : "No model is installed.", fix: "Pull one or import a GGUF file." },
    { id: "disk", title: "Disk", ok: true, detail: "212 GB free.", fix: "" },
    { id: "memory", title: "Memory", ok: true, detail: "23 GB.", fix: "" },
    { id: "store", title: "Store", ok: true, detail: "holdpoint.db opens and is whole.", fix: "" },
  ];
}

export function models(state: AppState): ModelList {
  return {
    server: state.model.server,
    models: state.model.main
      ? [{ name: model.name, size: 5_200_000_000, digest, family: "qwen3", parameters: "8B", quantization: "Q4_K_M", capabilities: ["completion", "tools"], roles: ["main", "light"], loaded: true }]
      : [],
    roles: { main: state.model.main?.name ?? "", light: state.model.light?.name ?? "", embed: "" },
    encoder,
    practice: state.practice,
    starters: [
      { name: "qwen3:4b", size: 2_600_000_000, why: "Small; calls tools; 8 GB of memory are enough." },
      { name: "qwen3:8b", size: 5_200_000_000, why: "Better replies; needs 12 GB." },
    ],
  };
}

export const episodes: Episode[] = [
  { id: "mem-1", about: "Patient/p-1", about_name: "Amara Osei", session: "s-done", session_title: "Blood pressure", text: "Asked for the next free visit about her blood pressure. Decided: approved and done: a follow-up with Dr. Imani Okafor.", by: "code", at: new Date().toISOString(), turns: 2 },
];

export const memory: SessionMemory = {
  scratchpad: "Ask again about the cuff size.",
  recent: ["Patient/p-1", "Practitioner/dr-9"],
  episodes,
  tools: [
    { tool: "patient_summary", title: "Patient summary", completeness: 0.95, output: { conditions: ["hypertension"] }, turn: "t-done", at: new Date().toISOString(), reads: [{ type: "Patient", id: "p-1", version: "ab12" }] },
    { tool: "provider_search", title: "Providers", completeness: 0.4, output: { providers: [] }, turn: "t-done", at: new Date().toISOString(), reads: [], reason: "no specialty was named" },
  ],
  signal: { wants: "an appointment" },
  entities: [{ kind: "condition", text: "hypertension", source: "Condition/c-7" }],
  threshold: 0.7,
};

export function recordsOf(type: string, id: string): unknown {
  if (!type) return [{ type: "Patient", count: 10 }, { type: "Practitioner", count: 31 }, { type: "Appointment", count: 4 }];
  const rows = patients.map((one) => ({ type, id: one.id, title: one.name, subtitle: one.birth_date, updated_at: new Date().toISOString(), version: "ab12cd" }));
  if (!id) return { records: rows, next: "" };
  const row = rows.find((one) => one.id === id);
  return row && { ...row, resource: { resourceType: type, id, name: [{ text: row.title }] }, patient: { id, name: row.title } };
}

type Step = EventLess<"seq" | "at">;

const args: Json = { appointment_type: "follow-up", patient: "Patient/p-1", practitioner: "Practitioner/dr-9", reason: "Blood pressure above target on two visits.", start: "2026-12-01T09:30:00Z" };

/** What the tool takes, as its schema says. */
const parameters: Json = {
  type: "object", required: ["patient", "practitioner", "start"], additionalProperties: false,
  properties: {
    patient: { type: "string", description: "patient id" }, practitioner: { type: "string" }, start: { type: "string", format: "date-time" },
    appointment_type: { type: "string", enum: ["first", "follow-up", "urgent"] }, reason: { type: "string", maxLength: 300 },
  },
};

export function approvalOf(session: string, turn: string, id: string, at: number): Approval {
  return {
    id, session, turn, call: `${turn}-c1`, tool: "book_appointment", args, digest, policy_version: "2026-10-01",
    targets: [{ type: "Patient", id: "p-1", version: "ab12" }, { type: "Practitioner", id: "dr-9", version: "cd34" }], status: "pending",
    title: "Book a follow-up for Amara Osei with Dr. Imani Okafor on Tuesday 1 December 2026 at 09:30 UTC",
    reason: "She asked for the next free visit about her blood pressure.",
    changes: [{ ref: { type: "Appointment", id: "a-204" }, before: null, after: { resourceType: "Appointment", status: "booked", start: "2026-12-01T09:30:00Z", end: "2026-12-01T10:20:00Z", description: "Blood pressure above target on two visits.", participant: [{ actor: { reference: "Patient/p-1", display: "Amara Osei" } }, { actor: { reference: "Practitioner/dr-9", display: "Dr. Imani Okafor" } }] } }],
    warnings: ["There is a visit on that day already: Tuesday 1 December 2026 at 15:00 UTC with Dr. Nils Berg."], places: ["Hillside clinic"], parameters,
    requested_at: new Date(at).toISOString(), expires_at: new Date(at + 86_400_000).toISOString(),
    session_title: "Blood pressure follow-up", subject: "Patient/p-1", patient_name: "Amara Osei",
    message: "Could you find her the next free visit about her blood pressure?",
  };
}

const reply = `Her last two readings were **above target** (148/92 and 151/94 mmHg).

1. Medicines: lisinopril 10 mg, taken daily
2. No allergies are recorded

| Date | Systolic | Diastolic |
| --- | --- | --- |
| 3 Nov | 148 | 92 |
| 17 Nov | 151 | 94 |

A follow-up within two weeks fits the clinic’s rule for stage 2 readings.`;

/** The events of a whole turn. Texts that ask for a booking stop at a hold point. */
export function script(session: string, turn: string, text: string, practice: boolean): Step[] {
  const base = { session, turn };
  const books = /book|appointment|visit/i.test(text);
  const crisis = /suicid|kill myself/i.test(text);
  const stage = (id: string, ms: number, inner: Step[] = []): Step[] => [
    { ...base, kind: "stage_started", stage: id, attempt: 1 },
    ...inner,
    { ...base, kind: "stage_completed", stage: id, data: { ms, patch: {} } },
  ];
  const go = (from: string, to: string, resolver: string, condition = ""): Step => ({ ...base, kind: "transition", from, to, resolver, condition });
  const head: Step[] = [
    { ...base, kind: "turn_started", text, data: { agent: "navigator", fingerprint: "f1", model: model.name, practice, vars: { patient: "p-1" } } },
    go("start", "preflight", "static"),
    ...stage("preflight", 12, [
      { ...base, kind: "safety_checked", stage: "preflight", data: { by: "rules+model", hijack: crisis, category: crisis ? "suicide" : "", region: "US", degraded: false, reason: "", rules: crisis ? [{ rule: "intent", category: "suicide" }] : [] } },
    ]),
  ];
  if (crisis) {
    const words = "I am really glad you said this. You do not have to face it alone.\n\n**Call or text 988** (Suicide & Crisis Lifeline), at any hour. If you are in danger now, call **911**.";
    return [...head, go("preflight", "safety_intervention", "safety", "safety_hijacked"), ...stage("safety_intervention", 2), go("safety_intervention", "finalize", "static"), ...stage("finalize", 1), { ...base, kind: "turn_completed", text: words }];
  }
  const gather: Step[] = [
    { ...base, kind: "phase_started", stage: "context_assembly", phase: 1, data: { tools: ["patient_summary", "client_signal"] } },
    { ...base, kind: "tool_started", stage: "context_assembly", phase: 1, tool: "patient_summary", attempt: 1 },
    { ...base, kind: "tool_completed", stage: "context_assembly", phase: 1, tool: "patient_summary", data: { completeness: 0.95, ms: 31, result: { conditions: ["hypertension"] } } },
    { ...base, kind: "tool_skipped", stage: "context_assembly", phase: 1, tool: "client_signal", reason: "already complete (0.92)", data: { gate: "completeness", completeness: 0.92 } },
    { ...base, kind: "phase_completed", stage: "context_assembly", phase: 1, data: { ran: ["patient_summary"], skipped: ["client_signal"], failed: [] } },
    { ...base, kind: "phase_started", stage: "context_assembly", phase: 2, data: { tools: ["provider_search"] } },
    { ...base, kind: "tool_started", stage: "context_assembly", phase: 2, tool: "provider_search", attempt: 1 },
    { ...base, kind: "tool_failed", stage: "context_assembly", phase: 2, tool: "provider_search", attempt: 1, error: "no answer in 2 s", data: { class: "timeout", retry: true } },
    { ...base, kind: "tool_started", stage: "context_assembly", phase: 2, tool: "provider_search", attempt: 2 },
    { ...base, kind: "tool_failed", stage: "context_assembly", phase: 2, tool: "provider_search", attempt: 2, error: "no answer in 2 s", data: { class: "timeout", retry: false } },
  ];
  const streamed: Step[] = [...[0, 1, 2].map((): Step => ({ ...base, kind: "model_reading", stage: "navigator", data: { role: "main", purpose: "reply", model: model.name, tokens: 1930, per_second: 240 } })), { ...base, kind: "message_started", stage: "navigator", message: `${turn}-m1` }];
  let offset = 0;
  for (const part of reply.match(/[\s\S]{1,24}/g) ?? []) {
    streamed.push({ ...base, kind: "token", message: `${turn}-m1`, offset, text: part });
    offset += new TextEncoder().encode(part).length;
  }
  streamed.push({
    ...base, kind: "message", stage: "navigator", message: `${turn}-m1`, text: reply,
    data: { role: "assistant", partial: false, model: model.name, digest, prompt_tokens: 1820, output_tokens: 141, tokens_per_second: 23.4, context: 8192, context_used: 1961 },
  });
  const middle: Step[] = [
    go("preflight", "assembly_gate", "conditional", "not_safety_hijacked"),
    ...stage("assembly_gate", 1),
    { ...base, kind: "stage_started", stage: "context_assembly", attempt: 1 },
    { ...base, kind: "stage_started", stage: "empathy", attempt: 1 },
    ...gather,
    { ...base, kind: "stage_completed", stage: "empathy", data: { ms: 64, patch: {} } },
    { ...base, kind: "stage_completed", stage: "context_assembly", data: { ms: 2100, patch: {} } },
    ...stage("context_format", 3),
    go("context_format", "navigator", "conditional", "not_assembly_failed"),
    { ...base, kind: "stage_started", stage: "navigator", attempt: 1 },
    ...streamed,
  ];
  if (books) {
    const approval = `${turn}-a1`;
    const call = `${turn}-c1`;
    const shown = approvalOf(session, turn, approval, Date.now());
    return [
      ...head, ...middle,
      { ...base, kind: "tool_started", stage: "navigator", tool: "book_appointment", call, attempt: 1, data: { args } },
      { ...base, kind: "approval_requested", stage: "navigator", tool: "book_appointment", call, approval, data: { title: shown.title, digest: shown.digest, expires_at: shown.expires_at } },
      { ...base, kind: "stage_paused", stage: "navigator", data: { pauses: [{ id: approval, kind: "approval", stage: "navigator" }] } },
      { ...base, kind: "turn_paused", data: { pauses: [{ id: approval, kind: "approval", stage: "navigator" }] } },
    ];
  }
  return [
    ...head, ...middle,
    { ...base, kind: "stage_completed", stage: "navigator", data: { ms: 6100, patch: { reply } } },
    ...stage("finalize", 2),
    { ...base, kind: "turn_completed", text: reply },
  ];
}

/** Numbers events as a store would; tokens are not stored. */
export function stored(steps: Step[], start: number, after = 0): JournalEvent[] {
  return steps.filter((step) => step.kind !== "token").map((step, index) => ({ ...step, seq: after + index + 1, at: new Date(start + index * 120).toISOString() }));
}

export function sessionsOf(scene: Scene, start: number): { sessions: Session[]; journals: Map<string, JournalEvent[]>; approvals: Approval[] } {
  const journals = new Map<string, JournalEvent[]>();
  if (scene === "first") return { sessions: [], journals, approvals: [] };
  const at = new Date(start).toISOString();
  const row = (id: string, title: string, status: Session["status"], more: Partial<Session> = {}): Session => ({
    id, title, agent: "navigator", patient: "p-1", patient_name: "Amara Osei", turns: 1, status, approvals: 0, created_at: at, updated_at: at, ...more,
  });
  journals.set("s-done", stored(script("s-done", "t-done", "How were her last blood pressure readings?", false), start));
  const first = stored(script("s-held", "t-held0", "How were her last blood pressure readings?", false), start - 600_000);
  journals.set("s-held", [...first, ...stored(script("s-held", "t-held", "Book the next free visit for her.", false), start, first.length)]);
  journals.set("s-safe", stored(script("s-safe", "t-safe", "I keep thinking about suicide", false), start));
  const whole = script("s-fail", "t-fail", "Check her medicines", false);
  const cut = whole.slice(0, whole.findIndex((step) => step.kind === "message"));
  const fail: Step[] = scene === "recovery" ? [] : [
    { session: "s-fail", turn: "t-fail", kind: "message", message: "t-fail-m1", stage: "navigator", text: "Her medicines are lisinopril 10 mg and", data: { role: "assistant", partial: true, model: model.name, digest } },
    { session: "s-fail", turn: "t-fail", kind: "stage_failed", stage: "navigator", error: "the model server closed the connection" },
    { session: "s-fail", turn: "t-fail", kind: "turn_failed", stage: "navigator", error: "the model server closed the connection" },
  ];
  journals.set("s-fail", stored([...cut, ...fail], start));
  const approvals = [approvalOf("s-held", "t-held", "t-held-a1", start)];
  if (scene === "hostile") {
    const bad = approvals[0]!;
    bad.title = "Book for Am\u0430ra\u202Eieso\u202C **approve me** <script>alert(1)</script>";
    bad.args = { note: `line one\u200b\n${"a very long line of text that goes on and on ".repeat(40)}\n<img src=x onerror=alert(1)>`, patient: "P\u0430tient/p-1", start: "2026-12-01T09:30:00Z" };
    bad.risk_high = true;
    const words = "<script>document.title='bad'</script>\n\n![beacon](https://tracker.example/p.png) [run](javascript:alert(1)) [share](smb://host/x) [open](ms-msdt:/id) [fine](https://example.org/a)\n\n<img src=x onerror=alert(1)>";
    journals.set("s-done", stored([
      { session: "s-done", turn: "t-done", kind: "turn_started", text: "<b>hello</b> \u202E", data: { agent: "navigator", fingerprint: "f1", model: model.name, practice: true, vars: {} } },
      { session: "s-done", turn: "t-done", kind: "turn_completed", text: words },
    ], start));
  }
  const more: Session[] = [];
  if (scene === "autonomous") {
    journals.set("s-auto", stored(autonomousScript("s-auto", "t-auto", "Work out 12 * 37 + 9 and explain the result.", "done"), start));
    more.push(row("s-auto", "Work out 12 * 37 + 9", "completed", { agent: "reasoner", patient: "", patient_name: "" }));
  }
  if (scene === "limited") {
    journals.set("s-lim", stored(autonomousScript("s-lim", "t-lim", "Work out 12 * 37 + 9 and explain the result.", "limited"), start));
    more.push(row("s-lim", "Work out 12 * 37 + 9", "limited", { agent: "reasoner", patient: "", patient_name: "" }));
  }
  if (scene === "question") {
    journals.set("s-ask", stored(questionScript("s-ask", "t-ask", "Sort the night’s messages"), start));
    more.push(row("s-ask", "Night of 20 November", "paused", { agent: "night_triage", patient: "", patient_name: "" }));
  }
  if (scene === "long") {
    const turns: JournalEvent[] = [];
    for (let n = 1; n <= 120; n++) turns.push(...stored(script("s-long", `t-long${n}`, `Question ${n}: how were her readings?`, false), start, turns.length));
    journals.set("s-long", turns);
    more.push(row("s-long", "A session of 120 turns", "completed", { turns: 120 }));
    for (let n = 1; n <= 400; n++) more.push(row(`s-old${n}`, `Session ${n} of years ago`, "completed"));
  }
  return {
    sessions: [
      ...more,
      row("s-held", "Blood pressure follow-up", "paused", { approvals: 1, turns: 2 }),
      row("s-done", "Readings of the last month, and whether they fit the rule of the clinic", "completed"),
      row("s-fail", "Medication review", scene === "recovery" ? "running" : "failed", { interrupted: scene === "recovery" }),
      row("s-safe", "I keep thinking", "completed", { patient: "", patient_name: "" }),
    ],
    journals,
    approvals,
  };
}

export function chartOf(patient: Patient): Chart {
  return {
    patient,
    allergies: [{ type: "AllergyIntolerance", id: "al-1", text: "Penicillin", detail: "criticality high, hives", date: "2011-04-02" }],
    problems: [{ type: "Condition", id: "c-7", text: "Hypertension", detail: "active", date: "2019-06-01" }, { type: "Condition", id: "c-2", text: "Fracture of the wrist", detail: "resolved", date: "1999", past: true }],
    medicines: [{ type: "MedicationRequest", id: "m-1", text: "Lisinopril 10 mg", detail: "once a day, active", date: "2020-01-15" }],
    visits: [{ type: "Appointment", id: "a-9", text: "Blood pressure", detail: "booked, with Dr. Imani Okafor", date: "2026-12-03T15:00:00Z" }],
    notes: [],
  };
}
