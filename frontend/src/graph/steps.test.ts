import { describe, expect, it } from "vitest";
import type { JournalEvent } from "@/api/types";
import { reduce } from "@/journal/reduce";
import { emptySession } from "@/journal/view";
import { emptyProgress, progressOf } from "./progress";
import { spoken, stepsOf, toolsWithin } from "./steps";
import { timeline } from "./timeline";
import { heldTurn, journal, navigator, wholeTurn, type Row } from "./navigator.fixture";

const turnAfter = (events: JournalEvent[]) =>
  reduce(
    emptySession("s1"),
    events.map((event, index) => ({ ...event, seq: index + 1 })),
  ).turns.t1!;
const play = (events: JournalEvent[]) => progressOf(turnAfter(events), navigator.stages);
const states = (events: JournalEvent[]) =>
  Object.fromEntries(stepsOf(navigator, play(events)).map((step) => [step.key, step.state]));

describe("the steps of a turn that waits at a hold point", () => {
  const progress = play(heldTurn);
  const steps = stepsOf(navigator, progress);
  const step = (key: string) => steps.find((s) => s.key === key)!;

  it("says the state of every stage", () => {
    expect(states(heldTurn)).toMatchObject({
      preflight: "done",
      safety_intervention: "skipped",
      assembly_gate: "done",
      context_assembly: "degraded",
      empathy: "done",
      context_format: "done",
      navigator: "paused",
      finalize: "waiting",
    });
  });

  it("says why a stage is degraded", () => expect(step("context_assembly").reason).toBe("without therapeutic_fit"));

  it("lists the pipeline's tools by phase under their stage", () => {
    const keys = steps.map((s) => s.key);
    expect(keys.slice(keys.indexOf("context_assembly"), keys.indexOf("empathy"))).toEqual([
      "context_assembly",
      "context_assembly/client_signal",
      "context_assembly/patient_context",
      "context_assembly/therapeutic_fit",
    ]);
    expect(step("context_assembly/therapeutic_fit")).toMatchObject({
      phase: 2,
      state: "failed",
      reason: "no candidates",
    });
  });

  it("counts a retry as a second attempt", () =>
    expect(step("context_assembly/client_signal")).toMatchObject({ attempts: 2, state: "done", completeness: 0.6 }));

  it("shows a skipped tool as reused with its reason", () =>
    expect(step("context_assembly/patient_context")).toMatchObject({
      state: "reused",
      reason: expect.stringContaining("0.80"),
    }));

  it("shows the call that waits for a person", () =>
    expect(step("navigator/c1")).toMatchObject({ state: "paused", word: "Awaiting approval", approval: "a1" }));

  it("names the condition and what chose it", () =>
    expect(step("navigator").chosen).toMatchObject({ condition: "not_assembly_failed", resolver: "conditional" }));

  it("names every branch that a join waited for", () =>
    expect(spoken(step("context_format"))).toContain("reached from context assembly and empathy"));

  it("tells screen readers what the picture shows by place", () => {
    expect(spoken(step("context_assembly/client_signal"))).toBe("; phase 1");
    expect(spoken(step("navigator"))).toBe(
      "; reached from context format (not assembly failed, chosen by a condition)",
    );
  });
});

describe("the steps of a finished turn", () => {
  it("does not count going on after a hold point as another attempt", () => {
    expect(stepsOf(navigator, play(wholeTurn)).find((s) => s.key === "navigator")).toMatchObject({
      state: "done",
      attempts: 1,
      ms: 80,
    });
  });

  it("keeps the verdict and what was written with the call", () => {
    expect(play(wholeTurn).stages.navigator!.tools[0]).toMatchObject({
      state: "done",
      approval: { status: "used" },
      refs: ["Appointment/1"],
    });
  });

  it("leaves no stage waiting", () => expect(Object.values(states(wholeTurn))).not.toContain("waiting"));
});

describe("a stage inside of a stage, in a loop", () => {
  const manifest = {
    ...navigator,
    stages: navigator.stages.map((stage) =>
      stage.id === "navigator"
        ? { ...stage, stages: ["think", "act"].map((id) => ({ ...stage, id, title: id })) }
        : stage,
    ),
  };
  const visit = (stage: string, ...inside: Row[]): Row[] => [
    { kind: "stage_started", stage, attempt: 1 },
    ...inside,
    { kind: "stage_completed", stage, data: { ms: 5, patch: {} } },
  ];
  const call = { stage: "navigator/act", tool: "find_providers", call: "c1" };
  const events = journal([
    { kind: "turn_started", text: "x", data: { agent: "navigator" } },
    { kind: "stage_started", stage: "navigator", attempt: 1 },
    ...visit("navigator/think"),
    ...visit("navigator/act", { kind: "tool_started", ...call }, { kind: "tool_completed", ...call, data: { ms: 3 } }),
    ...visit("navigator/think"),
    { kind: "stage_completed", stage: "navigator" },
  ]);
  const steps = stepsOf(manifest, play(events));
  const step = (key: string) => steps.find((one) => one.key === key)!;

  it("is listed under it with its calls", () => {
    const keys = steps.map(({ key }) => key);
    expect(keys.slice(keys.indexOf("navigator"), keys.indexOf("finalize"))).toEqual([
      "navigator",
      "navigator/think",
      "navigator/act",
      "navigator/act/c1",
    ]);
  });

  it("counts coming by again as a visit, not as another attempt", () =>
    expect(step("navigator/think")).toMatchObject({ visits: 2, attempts: 1 }));

  it("takes the time between its own start and end when the journal tells none", () =>
    expect(step("navigator").ms).toBe(90));

  it("shows its calls in the outer stage's box", () =>
    expect(toolsWithin(play(events), "navigator").map(({ tool }) => tool)).toEqual(["find_providers"]));
});

it("holds the outer stage with its inner one", () => {
  const events = journal([
    { kind: "turn_started", text: "x", data: { agent: "navigator" } },
    { kind: "stage_started", stage: "navigator" },
    { kind: "stage_started", stage: "navigator/act" },
    { kind: "stage_paused", stage: "navigator/act", data: { pauses: [] } },
    { kind: "turn_paused" },
  ]);
  expect(play(events).stages.navigator).toMatchObject({ state: "paused", attempts: [{ held: true }] });
});

it("shows a stage that reports incomplete sections as degraded", () => {
  const assembly = { ran: [], degraded: [{ tool: "patient_context", reason: "no patient is selected" }] };
  const events = journal([
    { kind: "turn_started", text: "x", data: { agent: "navigator" } },
    { kind: "stage_started", stage: "context_assembly" },
    { kind: "stage_completed", stage: "context_assembly", data: { ms: 7, patch: { assembly } } },
  ]);
  expect(stepsOf(navigator, play(events)).find(({ key }) => key === "context_assembly")).toMatchObject({
    state: "degraded",
    reason: "patient context: no patient is selected",
  });
});

describe("a call that began before it asked a person", () => {
  const events = [
    ...heldTurn.slice(0, -3),
    ...journal([
      { kind: "tool_started", stage: "navigator", tool: "book_appointment", call: "c1", gap: 5000 },
      {
        kind: "approval_requested",
        stage: "navigator",
        tool: "book_appointment",
        call: "c1",
        approval: "a1",
        data: {},
        gap: 30,
      },
      { kind: "turn_paused" },
    ]),
  ];

  it("counts the time until it asked, and waits from then on", () => {
    const tool = play(events).stages.navigator!.tools[0]!;
    expect(tool).toMatchObject({ state: "paused", ms: 30 });
    expect(tool.attempts).toMatchObject([{ held: true }]);
  });
});

describe("a turn that ends early", () => {
  it("shows a required tool's failure as the stage's once the condition held", () => {
    const events = [
      ...heldTurn.slice(0, 24),
      ...journal([
        {
          kind: "transition",
          from: "context_format",
          to: "finalize",
          condition: "assembly_failed",
          resolver: "conditional",
        },
      ]),
    ];
    expect(states(events)).toMatchObject({ context_assembly: "failed", navigator: "skipped", finalize: "waiting" });
  });

  it("shows what a cancel interrupted as stopped", () => {
    const events = [...heldTurn.slice(0, 13), ...journal([{ kind: "turn_cancelled" }])];
    const step = stepsOf(navigator, play(events)).find((s) => s.key === "context_assembly/client_signal");
    expect(step).toMatchObject({ state: "skipped", word: "Stopped" });
  });

  it("shows a rejected call as rejected, with the comment", () => {
    const events = [
      ...heldTurn,
      ...journal([
        { kind: "approval_decided", approval: "a1", status: "rejected", reason: "wrong day" },
        { kind: "tool_refused", stage: "navigator", tool: "book_appointment", call: "c1", reason: "wrong day" },
      ]),
    ];
    expect(stepsOf(navigator, play(events)).find((s) => s.key === "navigator/c1")).toMatchObject({
      state: "skipped",
      word: "Rejected",
      reason: "wrong day",
    });
  });

  it("shows a safety intervention and passes over everything else", () => {
    const events = journal([
      { kind: "turn_started", text: "x" },
      { kind: "stage_started", stage: "preflight" },
      {
        kind: "safety_checked",
        stage: "preflight",
        data: { by: "rules", hijack: true, degraded: true, reason: "the small model did not answer" },
      },
      { kind: "stage_completed", stage: "preflight", data: { ms: 1 } },
      {
        kind: "transition",
        from: "preflight",
        to: "safety_intervention",
        condition: "safety_hijacked",
        resolver: "safety",
      },
    ]);
    expect(states(events)).toEqual({
      preflight: "degraded",
      safety_intervention: "waiting",
      assembly_gate: "skipped",
      context_assembly: "skipped",
      empathy: "skipped",
      context_format: "skipped",
      navigator: "skipped",
      finalize: "waiting",
    });
  });
});

describe("a turn whose process died", () => {
  const events = heldTurn.slice(0, 13);
  const progress = progressOf(turnAfter(events), navigator.stages, true);

  it("shows what ran as interrupted, not as running", () => {
    const steps = stepsOf(navigator, progress);
    expect(steps.find(({ key }) => key === "context_assembly")).toMatchObject({
      state: "waiting",
      word: "Interrupted",
    });
    expect(steps.find(({ key }) => key === "context_assembly/client_signal")).toMatchObject({ word: "Interrupted" });
    expect(steps.map(({ state }) => state)).not.toContain("running");
  });

  it("ends its timeline at the last event", () => expect(progress.until).toBe(Date.parse(events.at(-1)!.at)));
});

describe("the timeline", () => {
  const progress = play(wholeTurn);
  const axis = timeline(progress, stepsOf(navigator, progress), 0);

  it("cuts out the two days at the hold point", () => {
    expect(axis.breaks).toHaveLength(1);
    expect(axis.breaks[0]!.lasted).toBeGreaterThan(172_000_000);
    expect(axis.length).toBeLessThan(2000);
  });

  it("keeps every span on the axis and in order", () => {
    for (const { spans } of axis.rows)
      for (const span of spans) {
        expect(span.start).toBeGreaterThanOrEqual(0);
        expect(span.length).toBeGreaterThanOrEqual(0);
        expect(span.start + span.length).toBeLessThanOrEqual(axis.length + 0.001);
      }
    expect(axis.rows.find((row) => row.key === "navigator")!.spans).toHaveLength(2);
    expect(
      axis.rows.find((row) => row.key === "context_assembly/client_signal")!.spans.map((s) => Boolean(s.error)),
    ).toEqual([true, false]);
  });

  it("lets a running step grow until now", () => {
    const running = play(heldTurn.slice(0, 2));
    const start = Date.parse(heldTurn[1]!.at);
    expect(timeline(running, stepsOf(navigator, running), start + 70).length).toBe(70);
  });

  it("is empty before anything ran", () => expect(timeline(emptyProgress, [], 0).rows).toEqual([]));
});
