import { describe, expect, it } from "vitest";
import type { EventLess, JournalEvent, Manifest, Mutation } from "@/api/types";
import { reduce } from "@/journal/reduce";
import { emptySession, type TurnView } from "@/journal/view";
import { stored } from "@/transport/mock.scene";
import { autonomous, autonomousScript, questionScript, triage } from "@/transport/mock.reasoner";
import { draw, planOf } from "./drawing";
import { shownGraph, type Shown, type ShownLevel } from "./levels";
import { mutationText, withMutations } from "./mutations";
import { progressOf } from "./progress";
import { bypassed, stepsOf } from "./steps";

const start = Date.parse("2026-03-01T09:00:00Z");
const events = stored(autonomousScript("s", "t", "Work it out", "done"), start);
const viewOf = (list: readonly JournalEvent[]): TurnView => reduce(emptySession("s"), list).turns.t!;
const upTo = (find: (event: JournalEvent) => boolean, last = false) => events.slice(0, (last ? events.findLastIndex(find) : events.findIndex(find)) + 1);
const whole = viewOf(events);
const flat = (level: ShownLevel): Shown[] => level.stages.flatMap((one) => [one, ...(one.nested ? flat(one.nested) : [])]);
const idsOf = (view: TurnView, manifest: Manifest = autonomous) => flat(shownGraph(withMutations(manifest, view.mutations), progressOf(view))).map(({ id }) => id);
const poolOf = (view: TurnView) => shownGraph(withMutations(autonomous, view.mutations), progressOf(view)).stages[0]!.nested!;

describe("a graph that the model builds", () => {
  it("shows no node of the pool before it is chosen, and says what can be", () => {
    const view = viewOf(upTo(({ kind }) => kind === "turn_started"));
    expect(idsOf(view)).toEqual(["work", "work/work_choose"]);
    expect(poolOf(view).offers).toEqual(["Plan", "Act", "Think", "Reflect", "Answer"]);
  });

  it("grows by the node that was chosen, at the transition and not later", () => {
    const chosen = upTo(({ kind, to }) => kind === "transition" && to === "work/plan");
    expect(idsOf(viewOf(chosen.slice(0, -1)))).toEqual(["work", "work/work_choose"]);
    expect(idsOf(viewOf(chosen))).toEqual(["work", "work/work_choose", "work/plan"]);
    expect(poolOf(viewOf(chosen)).offers).toEqual(["Act", "Think", "Reflect", "Answer"]);
  });

  it("never loses a node again", () => {
    let before: string[] = [];
    for (let n = 1; n <= events.length; n++) {
      const now = idsOf(viewOf(events.slice(0, n)));
      expect(now).toEqual(expect.arrayContaining(before));
      before = now;
    }
  });

  it("does not call a node passed by while the model can still choose it", () => {
    const added = upTo(({ kind }) => kind === "graph_mutated", true);
    const next = events.slice(0, events.findIndex(({ seq, kind, to }) => kind === "transition" && to === "work/work_choose" && seq! > added.at(-1)!.seq!) + 1);
    for (const list of [added, next]) {
      const level = poolOf(viewOf(list));
      expect(level.stages.map(({ id }) => id)).toContain("work/units");
      expect([...bypassed(level, progressOf(viewOf(list)))]).toEqual([]);
    }
  });

  it("counts how often each way was taken, and keeps the newest reason", () => {
    const { ways } = progressOf(whole);
    expect(ways["work/work_choose→work/think"]).toMatchObject({ count: 2, choices: [3, 5], resolver: "goto", reason: expect.stringContaining("once more") });
    expect(ways["work/work_choose→work/plan"]).toMatchObject({ count: 1, choices: [1] });
  });

  it("tells entering a stage again for its tools from coming by again", () => {
    const steps = stepsOf(withMutations(autonomous, whole.mutations), progressOf(whole));
    const step = (key: string) => steps.find((one) => one.key === key)!;
    expect(step("work/act")).toMatchObject({ visits: 1, again: 1, againBecause: "tool_calls_present" });
    expect(step("work/think")).toMatchObject({ visits: 2, attempts: 2 });
    expect(step("work/think").again).toBeUndefined();
    expect(step("work/work_choose")).toMatchObject({ visits: 6, again: 1, againBecause: "invalid_choice" });
  });

  it("lists the steps in the graph and in the list alike", () => {
    const keys = stepsOf(withMutations(autonomous, whole.mutations), progressOf(whole)).filter(({ kind }) => kind === "stage").map(({ key }) => key);
    expect(new Set(keys)).toEqual(new Set(idsOf(whole)));
  });

  it("draws the way back with the way there, once", () => {
    const { edges } = poolOf(whole);
    expect(edges.filter(({ from }) => from === "work/plan")).toEqual([]);
    expect(edges.find(({ to }) => to === "work/plan")).toMatchObject({ from: "work/work_choose", back: true, labelled: true });
  });

  it("places what a stage holds inside of its box, nothing over another, in both directions", () => {
    const level = shownGraph(withMutations(autonomous, whole.mutations), progressOf(whole));
    for (const direction of ["down", "right"] as const) {
      const { stages } = draw(planOf(level, new Set(), () => []), direction, 1);
      const box = stages.find(({ id }) => id === "work")!;
      const inside = stages.filter(({ id }) => id.startsWith("work/"));
      expect(inside.length).toBe(6);
      for (const one of inside) {
        expect(one.x).toBeGreaterThanOrEqual(box.x);
        expect(one.y).toBeGreaterThan(box.y + 52);
        expect(one.x + one.width).toBeLessThanOrEqual(box.x + box.width);
        expect(one.y + one.height).toBeLessThanOrEqual(box.y + box.height);
        for (const other of inside)
          if (other !== one) expect(one.x + one.width <= other.x || other.x + other.width <= one.x || one.y + one.height <= other.y || other.y + other.height <= one.y).toBe(true);
      }
    }
  });

  it.each(["down", "right"] as const)("keeps every node where it was drawn while the run adds others (%s)", (direction) => {
    let before: ReturnType<typeof draw> | null = null;
    let kept = 0;
    for (let n = 1; n <= events.length; n++) {
      const view = viewOf(events.slice(0, n));
      const next: ReturnType<typeof draw> = draw(planOf(shownGraph(withMutations(autonomous, view.mutations), progressOf(view)), new Set(), () => []), direction, 1, before);
      for (const stage of before?.stages ?? []) {
        const now = next.stages.find(({ id }) => id === stage.id)!;
        // What comes after the stage that grows makes room for it, along the flow only.
        const moves = stage.id === "end";
        expect([stage.id, moves && direction === "right" ? 0 : now.x, moves && direction === "down" ? 0 : now.y]).toEqual([stage.id, moves && direction === "right" ? 0 : stage.x, moves && direction === "down" ? 0 : stage.y]);
        kept++;
      }
      before = next;
    }
    expect(before!.stages.length).toBe(9);
    expect(kept).toBeGreaterThan(events.length);
  });

  it("folds a stage that holds a graph to its head", () => {
    const level = shownGraph(withMutations(autonomous, whole.mutations), progressOf(whole));
    expect(draw(planOf(level, new Set(["work"]), () => []), "down", 1).stages.filter(({ id }) => id.startsWith("work")).map(({ id }) => id)).toEqual(["work"]);
  });
});

describe("changes of the graph", () => {
  const grown = upTo(({ kind }) => kind === "graph_mutated", true);

  it("are applied from the events at once, and marked", () => {
    const manifest = withMutations(autonomous, viewOf(grown).mutations);
    expect(manifest.stages[0]!.stages!.find(({ id }) => id === "units")).toMatchObject({ title: "Check the units", kind: "critique", added: true });
    expect(manifest.stages[0]!.edges!.filter(({ from, to }) => from === "units" || to === "units")).toHaveLength(2);
    expect(idsOf(viewOf(grown))).toContain("work/units");
  });

  it("are not applied again to a graph that was read with them", () => {
    const once = withMutations(autonomous, viewOf(grown).mutations);
    expect(withMutations(once, viewOf(grown).mutations)).toEqual(once);
    expect(autonomous.stages[0]!.stages).toHaveLength(6);
  });

  it("that were refused change nothing and say why", () => {
    const refused = whole.mutations.filter((one) => one.refused);
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatchObject({ stage: "work/think", error: "safety edges are the agent’s own", hook: "policy" });
    expect(withMutations(autonomous, refused)).toBe(autonomous);
  });

  it("are told in words, also those that make no sense", () => {
    expect(whole.mutations.map(mutationText).slice(0, 2)).toEqual(["adds the step “units” (critique) in “work”", "adds a way from “work_choose” to “units” in “work”"]);
    expect(mutationText({ mutation: null, asked: "{\"op\":1}" })).toBe('asked for: {"op":1}');
  });

  it("remove the one way that is named", () => {
    const mutation: Mutation = { op: "remove_edge", edge: { from: "sort", to: "ask", type: "choice" } };
    const view = viewOf([...stored(questionScript("s", "t", "x"), start), { seq: 99, at: "", session: "s", turn: "t", kind: "graph_mutated", data: { mutation } }]);
    const edges = withMutations(triage, view.mutations).edges;
    expect(edges).toHaveLength(triage.edges.length - 1);
    expect(edges.some(({ from, to }) => from === "sort" && to === "ask")).toBe(false);
  });

  it("stay with a run that changes them in the middle of a batch", () => {
    const single = events.reduce((view, one) => reduce(view, [one]), emptySession("s"));
    expect(single).toEqual(reduce(emptySession("s"), events));
  });
});

type Told = EventLess<"seq" | "at" | "session" | "turn">;
const told = (...events: Told[]): JournalEvent[] =>
  [{ kind: "stage_started", stage: "a", attempt: 1 }, ...events].map((event, index) => ({ ...event, seq: index + 1, at: new Date(start).toISOString(), session: "s", turn: "t" }) as JournalEvent);

describe("an approval that was taken back", () => {
  it("is no longer asked, and its call does not wait in the graph", () => {
    const view = viewOf(told(
      { kind: "stage_paused", stage: "a", data: { pauses: [{ id: "ap", kind: "approval", stage: "a" }] } },
      { kind: "approval_requested", approval: "ap", call: "c", tool: "lab.order", data: { title: "Order" } },
      { kind: "turn_paused", data: { pauses: [{ id: "ap", kind: "approval", stage: "a" }] } },
      { kind: "approval_refused", approval: "ap", call: "c", tool: "lab.order", status: "void", reason: "the tool is another" },
    ));
    expect(view.approvals.ap).toMatchObject({ status: "void", refusal: "the tool is another" });
    expect(progressOf(view).stages.a!.tools).toMatchObject([{ state: "skipped", word: "No longer asked" }]);
  });
});

describe("what stages tell beside their results", () => {
  const notes = whole.stages["work/think"]!.notes;
  it("is kept in order with its kind", () => expect(notes.map(({ kind }) => kind)).toEqual(["retry", "guard", "hook", "output"]));
  it("counts a retry as another attempt of the same visit", () => expect(progressOf(whole).stages["work/think"]!.retries).toBe(1));
  it("says that an output came from the cache", () => {
    expect(progressOf(viewOf(told({ kind: "stage_completed", stage: "a", status: "cached", data: { ms: 0, patch: {} } }))).stages.a)
      .toMatchObject({ state: "reused", reason: expect.stringContaining("kept") });
    expect(progressOf(viewOf(told({ kind: "stage_completed", stage: "a", data: { ms: 0, patch: {} } }))).stages.a!.state).toBe("done");
  });
  it("is not done while its visit goes on, and does not run while the turn stands still", () => {
    const round: Told = { kind: "stage_completed", stage: "a", status: "again", data: { ms: 1, patch: {} } };
    expect(progressOf(viewOf(told(round))).stages.a!.state).toBe("running");
    for (const end of ["turn_limited", "turn_failed", "turn_paused"] as const) expect(progressOf(viewOf(told(round, { kind: end }))).stages.a!.state).toBe("waiting");
    expect(progressOf(viewOf(told(round, { kind: "turn_cancelled" }))).stages.a!.state).toBe("skipped");
    expect(progressOf(viewOf(told(round, { kind: "turn_paused" }, { kind: "turn_cancelled" }))).stages.a!.state).toBe("skipped");
  });
});

describe("a turn at a limit", () => {
  const limited = stored(autonomousScript("s", "t", "Work it out", "limited"), start);
  const view = viewOf(limited);
  it("knows which one, and what was used", () =>
    expect(view).toMatchObject({ status: "limited", limit: 6, limitName: "autonomous_steps", steps: 12, used: { tokens: 4820, mutations: 3 } }));
  it("has nothing running", () => {
    const { stages } = progressOf(view);
    expect(Object.values(stages).filter(({ state }) => state === "running")).toEqual([]);
    expect(stages.work).toMatchObject({ state: "waiting", word: "At the limit" });
  });
  it("goes on with what is around the stage that goes on, as the same visit", () => {
    const at = new Date(start + 60_000).toISOString();
    const more = (seq: number, event: Told): JournalEvent => ({ ...event, seq: limited.length + seq, at, session: "s", turn: "t" });
    const on = viewOf([...limited, more(1, { kind: "turn_resumed", data: { kept: [], rerun: [], unknown: 0 } }), more(2, { kind: "stage_started", stage: "work/work_choose", attempt: 1 })]);
    expect(on).toMatchObject({ status: "running", limitName: "", limit: 0 });
    const { stages } = progressOf(on);
    expect(stages.work!.state).toBe("running");
    expect(stepsOf(autonomous, progressOf(on)).find(({ key }) => key === "work")).toMatchObject({ visits: 1, attempts: 1 });
  });
});

describe("questions", () => {
  const asked = stored(questionScript("s", "t", "Sort"), start);
  const id = "ask.t.ask.1";
  const event = (told: Told): JournalEvent => ({ ...told, seq: asked.length + 1, at: "", session: "s", turn: "t" });

  it("stand in the conversation once, from the pause on", () => {
    const view = viewOf(asked);
    expect(view.status).toBe("paused");
    expect(view.items.filter(({ kind }) => kind === "question").map((item) => item.id)).toEqual([id, "human.t.calm.1"]);
    expect(view.questions[id]).toMatchObject({ status: "open", stage: "ask" });
  });
  it("keep their answer, and the others stay open", () => {
    const view = viewOf([...asked, event({ kind: "question_answered", stage: "ask", message: id, data: { pause: id, prompt: "How urgent?", answer: { answer: "now" } } })]);
    expect(view.questions[id]).toMatchObject({ status: "answered", prompt: "How urgent?", answer: { answer: "now" } });
    expect(view.questions["human.t.calm.1"]!.status).toBe("open");
  });
  it("are withdrawn when the turn ends without them", () => {
    const view = viewOf([...asked, event({ kind: "turn_cancelled", status: "abandoned" })]);
    expect(Object.values(view.questions).map(({ status }) => status)).toEqual(["withdrawn", "withdrawn"]);
  });
  it("leave approvals as they are: a pause of another kind is none", () => {
    const view = viewOf([...asked, event({ kind: "stage_paused", stage: "calm", data: { pauses: [{ id: "a9", kind: "approval", stage: "calm" }] } })]);
    expect(Object.keys(view.questions)).toHaveLength(2);
  });
});
