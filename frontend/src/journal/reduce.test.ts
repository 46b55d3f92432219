import { describe, expect, it } from "vitest";
import type { EventOfKind, JournalEvent } from "@/api/types";
import { script, stored } from "@/transport/mock.scene";
import { effectsOf } from "@/conversation/Outcome";
import { states } from "@/ui/State";
import { noteText } from "@/inspector/Notes";
import { reduce } from "./reduce";
import { emptySession } from "./view";

const start = Date.parse("2026-03-01T09:00:00Z");
let seq = 0;
const event = <K extends JournalEvent["kind"]>(kind: K, more: Partial<EventOfKind<K>> = {}) =>
  ({ seq: ++seq, at: new Date(start + seq * 10).toISOString(), session: "s", turn: "t", kind, ...more }) as JournalEvent;
const token = (text: string, offset: number): JournalEvent => ({ at: "", session: "s", turn: "t", kind: "token", message: "m", text, offset });
const run = (...events: JournalEvent[]) => reduce(emptySession("s"), events);
const fresh = () => { seq = 0; };

describe("the reducer", () => {
  const held = stored(script("s", "t", "Book a visit", false), start);

  it("gives the same view whether events come one by one or in any batches", () => {
    const whole = reduce(emptySession("s"), held);
    const single = held.reduce((view, one) => reduce(view, [one]), emptySession("s"));
    const halves = reduce(reduce(emptySession("s"), held.slice(0, 13)), held.slice(13));
    expect(single).toEqual(whole);
    expect(halves).toEqual(whole);
  });

  it("ignores events that it has applied before", () => {
    const whole = reduce(emptySession("s"), held);
    expect(reduce(whole, held)).toEqual(whole);
  });

  it("leaves the view that it was given untouched", () => {
    const before = reduce(emptySession("s"), held.slice(0, 12));
    const copy = structuredClone(before);
    reduce(before, held.slice(12));
    expect(before).toEqual(copy);
  });

  it("copies only what a batch touches", () => {
    const before = reduce(emptySession("s"), held);
    const other = stored(script("s", "t2", "Hello", false), start, held.length);
    const next = reduce(before, other.slice(0, 3));
    expect(next.turns.t).toBe(before.turns.t);
    const more = reduce(next, other.slice(3, 4));
    expect(more.turns.t2!.stages).not.toBe(undefined);
    expect(more.turns.t).toBe(before.turns.t);
  });

  it("keeps for whom a turn began", () => {
    fresh();
    const view = run(event("turn_started", { data: { agent: "a", fingerprint: "f", model: "m", practice: false, caller: "dr-alder" } }), event("turn_resumed", { data: { kept: [], rerun: [], unknown: 0, caller: "dr-birch" } }));
    expect(view.turns.t!.caller).toBe("dr-alder");
  });

  // "It says that a model found it, and that the model did not judge it in time; both cannot be so."
  it("takes a check for whole once the model has judged late", () => {
    fresh();
    const checked = (stage: string, more: object) => event("safety_checked", { stage, data: { by: "rules", category: "", concern: false, degraded: false, hijack: false, reason: "", region: "", rules_version: "1", score: 0, threshold: 10, level: "none", ...more } as never });
    const early = [event("turn_started"), event("stage_started", { stage: "preflight" }), checked("preflight", { degraded: true, reason: "not in time" }), event("stage_completed", { stage: "preflight", data: { ms: 4, patch: {} } })];
    expect(run(...early).turns.t!.stages.preflight).toMatchObject({ state: "degraded", reason: "not in time" });
    const late = run(...early, event("stage_started", { stage: "read" }), checked("read", { by: "rules+model", model: { risk: "none", category: "none", who: "self" } }));
    expect(late.turns.t!.stages.preflight).toMatchObject({ state: "done", reason: "" });
  });

  it("shows parallel stages as running side by side", () => {
    fresh();
    const { stages } = run(event("turn_started"), event("stage_started", { stage: "a" }), event("stage_started", { stage: "b" }), event("stage_completed", { stage: "b", data: { ms: 4, patch: {} } })).turns.t!;
    expect([stages.a!.state, stages.b!.state, stages.b!.ms]).toEqual(["running", "done", 4]);
  });

  // "It says 'definition:' before the reason; what is that?"
  // "My own kind of event was in the journal, and no screen showed it."
  it("keeps an event of a kind that it does not know as a note of its stage, by its name", () => {
    fresh();
    const strange = { ...event("turn_started"), seq: 2, kind: "equipment_moved", stage: "a", reason: "to the north" } as unknown as JournalEvent;
    const turn = run({ ...event("turn_started"), seq: 1 }, strange, { ...strange, seq: 3, stage: "" }).turns.t!;
    expect(turn.stageOrder).toEqual(["a"]);
    expect(turn.stages.a!.notes.map(noteText)).toEqual(["Equipment moved: to the north"]);
  });

  it("says why a stage failed without the name of the part that saw it, and leaves people's words alone", () => {
    fresh();
    const { stages, transitions } = run(event("turn_started"), event("stage_failed", { stage: "a", error: "definition: add was not done: no" }),
      event("transition", { from: "a", to: "b", resolver: "error", reason: "definition: add was not done: no" }),
      event("transition", { from: "b", to: "c", resolver: "human", reason: "record: look it up" })).turns.t!;
    expect([stages.a!.error, ...transitions.map(({ reason }) => reason)]).toEqual(["add was not done: no", "add was not done: no", "record: look it up"]);
  });

  it("marks a stage degraded whose pipeline tool failed for good, and names it", () => {
    const { stages, tools } = reduce(emptySession("s"), held).turns.t!;
    expect(stages.context_assembly).toMatchObject({ state: "degraded", reason: "without provider_search" });
    const tool = tools["context_assembly/provider_search"]!;
    expect([tool.attempts, tool.starts.length, tool.failures.map(({ retry }) => retry)]).toEqual([2, 2, [true, false]]);
  });

  it("pauses at a hold point and goes on after the verdict with what was kept", () => {
    const paused = reduce(emptySession("s"), held);
    expect(paused.turns.t).toMatchObject({ status: "paused", pauses: [{ id: "t-a1", kind: "approval", stage: "navigator" }] });
    expect(paused.turns.t!.stages.navigator!.state).toBe("paused");
    expect(paused.turns.t!.approvals["t-a1"]!.status).toBe("pending");
    seq = held.length;
    const done = reduce(paused, [
      event("approval_decided", { approval: "t-a1", status: "approved", reason: "fine", data: { reviewer: "R", digest: "sha256:1" } }),
      event("turn_resumed", { data: { kept: ["preflight"], rerun: ["navigator"], unknown: 0 } }),
      event("stage_started", { stage: "navigator", attempt: 2 }),
      event("mutation_committed", { call: "t-c1", tool: "book_appointment", approval: "t-a1", data: { refs: ["Appointment/1"], result: {} } }),
      event("stage_completed", { stage: "navigator", data: { ms: 9, patch: {} } }),
      event("turn_completed", { text: "Booked." }),
    ]).turns.t!;
    expect(done).toMatchObject({ status: "completed", reply: "Booked.", refs: ["Appointment/1"], pauses: [] });
    expect(done.stages.preflight!.state).toBe("reused");
    expect(done.stages.navigator!.attempts.map(({ attempt, state }) => [attempt, state])).toEqual([[1, "paused"], [2, "done"]]);
    expect(done.approvals["t-a1"]).toMatchObject({ status: "used", reviewer: "R" });
  });

  it("shows the digest that is signed once a request was passed on to somebody", () => {
    const paused = reduce(emptySession("s"), held);
    seq = held.length;
    const passed = reduce(paused, [event("approval_delegated", { approval: "t-a1", data: { from: "R", to: "S", was: "sha256:1", digest: "sha256:2" } })]).turns.t!;
    expect(passed.approvals["t-a1"]).toMatchObject({ status: "pending", digest: "sha256:2" });
  });

  it("puts back what was running when a turn resumes after a crash", () => {
    fresh();
    const { turns } = run(event("turn_started"), event("stage_started", { stage: "navigator" }), event("message_started", { message: "m" }), event("turn_resumed", { data: { kept: [], rerun: ["navigator"], unknown: 1 } }));
    expect(turns.t!.stages.navigator!.state).toBe("waiting");
    expect(turns.t!.messages.m!.state).toBe("partial");
    expect(turns.t!.resumes[0]!.unknown).toBe(1);
  });

  it("tells me how many calls have an outcome that nobody knows", () => {
    fresh();
    const { turns } = run(event("turn_started"), event("turn_resumed", { data: { kept: [], rerun: [], unknown: 2 } }));
    expect(turns.t!.resumes[0]!.unknown).toBe(2);
    expect(effectsOf(turns.t!)).toContain("outcome of a call is unknown");
  });

  it("says that a turn which I gave up is abandoned, not stopped", () => {
    fresh();
    const { turns } = run(event("turn_started"), event("stage_started", { stage: "n" }), event("turn_cancelled", { status: "abandoned", reason: "given up by a person" }));
    expect(turns.t).toMatchObject({ status: "abandoned", stages: { n: { state: "skipped", reason: "the turn was abandoned" } } });
    expect(states[turns.t!.status as "abandoned"].word).toBe("Abandoned");
  });

  it("leaves no stage running in a turn that failed", () => {
    fresh();
    const view = run(event("turn_started"), event("stage_started", { stage: "answer" }), event("stage_started", { stage: "tone" }), event("stage_started", { stage: "answer/think" }),
      event("stage_failed", { stage: "answer/think", error: "gone" }), event("turn_failed", { stage: "answer/think", error: "gone" }));
    const { stages } = view.turns.t!;
    expect([stages.answer!.state, stages["answer/think"]!.state, stages.tone!.state]).toEqual(["failed", "failed", "waiting"]);
  });

  it("marks a stopped reply as partial", () => {
    fresh();
    const { turns } = run(event("turn_started"), event("stage_started", { stage: "n" }), event("message_started", { message: "m" }), token("Hal", 0), event("turn_cancelled"));
    expect(turns.t).toMatchObject({ status: "cancelled", messages: { m: { state: "partial", text: "Hal" } }, stages: { n: { state: "skipped" } } });
  });
});

describe("a streaming message", () => {
  const open = () => { fresh(); return [event("turn_started"), event("message_started", { message: "m" })]; };
  const textOf = (...tokens: JournalEvent[]) => run(...open(), ...tokens).turns.t!.messages.m!;

  it("grows by its tokens", () => expect(textOf(token("Hel", 0), token("lo", 3)).text).toBe("Hello"));
  it("counts bytes, not characters", () => expect(textOf(token("é€", 0), token("x", 5)).text).toBe("é€x"));
  it("drops a token that came twice", () => expect(textOf(token("Hel", 0), token("Hel", 0), token("lo", 3)).text).toBe("Hello"));
  it("takes only the new part of an overlapping token", () => expect(textOf(token("é", 0), token("éa", 0)).text).toBe("éa"));
  it("takes an offset of 0 that the wire leaves out", () => {
    const first = token("Hi", 0);
    delete first.offset;
    expect(textOf(first).text).toBe("Hi");
  });
  it("says that the beginning is missing after a reload in the middle", () => {
    const message = textOf(token("later", 40), token(" on", 45));
    expect(message).toMatchObject({ text: "later on", holes: true });
  });
  it("is replaced by the stored message, and later tokens change nothing", () => {
    const view = run(...open(), token("later", 40), event("message", { message: "m", text: "All of it, later", data: { role: "assistant", partial: false, model: "q" } }), token("!", 16));
    expect(view.turns.t!.messages.m).toMatchObject({ text: "All of it, later", holes: false, state: "done", model: "q" });
  });
});
