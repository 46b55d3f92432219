import type { EventLess, JournalEvent, Manifest, StageRole } from "@/api/types";

/** The navigator's graph and a turn through it, for tests. */

const stage = (id: string, role?: StageRole, acts = false) => ({
  id,
  title: id.replaceAll("_", " "),
  description: "",
  role,
  acts,
});

export const navigator: Manifest = {
  agent: "navigator",
  title: "Care navigator",
  fingerprint: "f1",
  stages: [
    stage("preflight", "preflight"),
    stage("safety_intervention", "intervention"),
    stage("assembly_gate", "gate"),
    stage("context_assembly", "assembly"),
    stage("empathy"),
    { ...stage("context_format", "format"), join: true },
    stage("navigator", "loop", true),
    stage("finalize", "finalize"),
  ],
  edges: [
    { from: "start", to: "preflight", type: "entry" },
    { from: "preflight", to: "safety_intervention", type: "conditional", condition: "safety_hijacked" },
    { from: "preflight", to: "assembly_gate", type: "conditional", condition: "not_safety_hijacked" },
    { from: "safety_intervention", to: "finalize", type: "terminal_path" },
    { from: "assembly_gate", to: "context_assembly", type: "parallel_branch" },
    { from: "assembly_gate", to: "empathy", type: "parallel_branch" },
    { from: "context_assembly", to: "context_format", type: "join_input" },
    { from: "empathy", to: "context_format", type: "join_input" },
    { from: "context_format", to: "navigator", type: "conditional", condition: "not_assembly_failed" },
    { from: "context_format", to: "finalize", type: "conditional", condition: "assembly_failed" },
    { from: "navigator", to: "finalize", type: "sequence" },
    { from: "finalize", to: "end", type: "exit" },
  ],
  channels: [],
  tools: [],
  pipeline: [["client_signal", "provider_genome", "patient_context", "session_narrative"], ["therapeutic_fit"]],
  mermaid: "",
};

/** An event of the turn; who writes it down fills the rest in. */
export type Row = EventLess<"seq" | "at" | "session" | "turn">;

/** Events of turn "t1", one every `gap` ms. */
export function journal(
  rows: readonly (Row & { gap?: number })[],
): JournalEvent[] {
  let at = Date.parse("2026-03-02T10:00:00.000Z");
  return rows.map(({ gap = 10, ...row }, index) => {
    at += gap;
    return { seq: index + 1, at: new Date(at).toISOString(), session: "s1", turn: "t1", ...row } as JournalEvent;
  });
}

const done = (stage: string): Row[] => [
  { kind: "stage_started", stage },
  { kind: "stage_completed", stage, data: { ms: 10, patch: { completed_stages: [stage] } } },
];

/** A booking that waits at its hold point: a retry, a tool that failed for good, one that was reused. */
export const heldTurn = journal([
  { kind: "turn_started", text: "Book me with Dr. Simonis", data: { agent: "navigator" } },
  { kind: "stage_started", stage: "preflight" },
  { kind: "safety_checked", stage: "preflight", data: { by: "rules+model", hijack: false, degraded: false } },
  { kind: "stage_completed", stage: "preflight", data: { ms: 21, patch: {} } },
  {
    kind: "transition",
    from: "preflight",
    to: "assembly_gate",
    condition: "not_safety_hijacked",
    resolver: "conditional",
  },
  ...done("assembly_gate"),
  { kind: "transition", from: "assembly_gate", to: "context_assembly", resolver: "static" },
  { kind: "transition", from: "assembly_gate", to: "empathy", resolver: "static" },
  { kind: "stage_started", stage: "context_assembly" },
  { kind: "stage_started", stage: "empathy" },
  { kind: "phase_started", stage: "context_assembly", phase: 1, data: { tools: navigator.pipeline[0]! } },
  { kind: "tool_started", stage: "context_assembly", tool: "client_signal" },
  {
    kind: "tool_skipped",
    stage: "context_assembly",
    tool: "patient_context",
    reason: "0.80 is at least 0.40, nothing it reads has changed",
    data: { gate: "completeness", completeness: 0.8 },
  },
  {
    kind: "tool_failed",
    stage: "context_assembly",
    tool: "client_signal",
    error: "timed out after 30 s",
    data: { class: "timeout", retry: true },
  },
  { kind: "tool_started", stage: "context_assembly", tool: "client_signal", gap: 500 },
  {
    kind: "tool_completed",
    stage: "context_assembly",
    tool: "client_signal",
    data: { ms: 40, completeness: 0.6, result: { summary: "back pain" } },
  },
  { kind: "stage_completed", stage: "empathy", data: { ms: 12, patch: {} } },
  { kind: "phase_started", stage: "context_assembly", phase: 2, data: { tools: navigator.pipeline[1]! } },
  { kind: "tool_started", stage: "context_assembly", tool: "therapeutic_fit" },
  {
    kind: "tool_failed",
    stage: "context_assembly",
    tool: "therapeutic_fit",
    error: "no candidates",
    data: { class: "validation", retry: false },
  },
  { kind: "stage_completed", stage: "context_assembly", data: { ms: 610, patch: {} } },
  { kind: "transition", from: "context_assembly", to: "context_format", resolver: "static" },
  { kind: "transition", from: "empathy", to: "context_format", resolver: "static" },
  ...done("context_format"),
  {
    kind: "transition",
    from: "context_format",
    to: "navigator",
    condition: "not_assembly_failed",
    resolver: "conditional",
  },
  { kind: "stage_started", stage: "navigator" },
  {
    kind: "approval_requested",
    stage: "navigator",
    tool: "book_appointment",
    call: "c1",
    approval: "a1",
    data: { title: "Book it", digest: "sha256:ab" },
  },
  { kind: "stage_paused", stage: "navigator", data: { pauses: [] } },
  { kind: "turn_paused" },
]);

/** Two days later the person approves and the turn ends. */
export const wholeTurn = [
  ...heldTurn,
  ...journal([
    { kind: "approval_decided", approval: "a1", status: "approved", gap: 172_800_000, data: { reviewer: "R" } },
    { kind: "turn_resumed", data: { kept: ["preflight"], rerun: ["navigator"], unknown: 0 } },
    { kind: "stage_started", stage: "navigator", attempt: 2 },
    { kind: "tool_started", stage: "navigator", tool: "book_appointment", call: "c1" },
    {
      kind: "mutation_committed",
      stage: "navigator",
      tool: "book_appointment",
      call: "c1",
      approval: "a1",
      data: { refs: ["Appointment/1"] },
    },
    { kind: "tool_completed", stage: "navigator", tool: "book_appointment", call: "c1", data: { ms: 5 } },
    { kind: "stage_completed", stage: "navigator", data: { ms: 80, patch: {} } },
    { kind: "transition", from: "navigator", to: "finalize", resolver: "static" },
    ...done("finalize"),
    { kind: "turn_completed", text: "Booked." },
  ]),
];
