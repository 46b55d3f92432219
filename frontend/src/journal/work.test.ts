import { expect, it } from "vitest";
import type { JournalEvent } from "@/api/types";
import { reduce } from "./reduce";
import { emptySession, emptyTurn, type StageView } from "./view";
import { workOf } from "./work";

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 9, 0, 0) + seconds * 1000).toISOString();
const stage = (...spans: [number, number][]) =>
  ({ attempts: spans.map(([from, to], index) => ({ attempt: index + 1, startedAt: at(from), endedAt: at(to), ms: null, state: "done", error: "" })) }) as unknown as StageView;

it("does not count the night in which a turn waited for a person", () => {
  const turn = { ...emptyTurn("t", at(0)), endedAt: at(40_004), stages: { a: stage([0, 2], [40_000, 40_003]), b: stage([1, 3]), c: stage([40_003, 40_004]) } };
  expect(workOf(turn)).toEqual({ work: 7000, waited: 39_997_000 });
});

it("does not count it in a stage that holds the one which waited", () => {
  const base = { session: "s", turn: "t" };
  const events = [
    { kind: "turn_started", at: at(0) }, { kind: "stage_started", stage: "work", at: at(0) }, { kind: "stage_started", stage: "work/act", at: at(1) },
    { kind: "stage_paused", stage: "work/act", at: at(2), data: { pauses: [] } }, { kind: "turn_paused", at: at(2), data: { pauses: [] } },
    { kind: "approval_decided", approval: "a", status: "approved", at: at(8999) }, { kind: "turn_resumed", at: at(9000), data: { kept: [], rerun: ["work/act"], unknown: 0 } }, { kind: "stage_started", stage: "work/act", at: at(9000) },
    { kind: "stage_completed", stage: "work/act", at: at(9001), data: {} }, { kind: "stage_completed", stage: "work", at: at(9002), data: {} }, { kind: "turn_completed", at: at(9002), text: "ok" },
  ].map((event, index) => ({ ...base, ...event, seq: index + 1 })) as unknown as JournalEvent[];
  const turn = reduce(emptySession("s"), events).turns.t!;
  expect(workOf(turn)).toEqual({ work: 4000, waited: 8_998_000 });
  expect(turn.resumes[0]!.answered).toBe(true);
});

it("counts everything of a turn that waited for nobody", () => {
  expect(workOf({ ...emptyTurn("t", at(0)), endedAt: at(5), stages: { a: stage([0, 2]), b: stage([2.4, 5]) } })).toEqual({ work: 5000, waited: 0 });
  expect(workOf(emptyTurn("t", at(0)))).toEqual({ work: 0, waited: 0 });
});
