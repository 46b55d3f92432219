import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { JournalEvent } from "@/api/types";
import { mount } from "@/inspector/mount.fixture";
import { reduce } from "@/journal/reduce";
import { emptySession } from "@/journal/view";
import { Outcome, SafetyIntervention } from "./Outcome";

const turnOf = (...events: Partial<JournalEvent>[]) =>
  reduce(emptySession("s"), events.map((event, index) => ({ seq: index + 1, at: "2026-03-01T09:00:00Z", session: "s", turn: "t", ...event }) as JournalEvent)).turns.t!;

describe("what became of a turn", () => {
  it("says Abandoned of a turn that I gave up, and Stopped of one that I stopped", () => {
    const gone = turnOf({ kind: "turn_started" }, { kind: "turn_paused" }, { kind: "turn_cancelled", status: "abandoned" });
    const { unmount } = mount(<Outcome session="s" turn={gone} interrupted={null} />);
    expect(screen.getByRole("heading").textContent).toBe("This turn was abandoned");
    unmount();
    mount(<Outcome session="s" turn={turnOf({ kind: "turn_started" }, { kind: "turn_cancelled" })} interrupted={null} />);
    expect(screen.getByRole("heading").textContent).toBe("You stopped this turn");
  });

  it("warns me on a turn that went on with a call whose outcome nobody knows", () => {
    const turn = turnOf({ kind: "turn_started" }, { kind: "turn_resumed", data: { kept: ["a"], rerun: ["b"], unknown: 1 } }, { kind: "turn_failed", stage: "b", error: "gone" });
    mount(<Outcome session="s" turn={turn} interrupted={null} />);
    expect(screen.getByText(/outcome of a call is unknown/)).toBeTruthy();
  });

  it("says that a safety text is fixed although the check itself asked a model, whatever the stages are called", () => {
    const head: Partial<JournalEvent>[] = [
      { kind: "turn_started" },
      { kind: "model_called", stage: "watch", data: {} },
      { kind: "safety_checked", stage: "watch", data: { by: "rules+model", hijack: true } },
    ];
    const fixed = turnOf(...head);
    const { unmount } = mount(<SafetyIntervention safety={fixed.safety!} turn={fixed}>x</SafetyIntervention>);
    expect(screen.getByText(/This text is fixed/)).toBeTruthy();
    unmount();
    const written = turnOf(...head, { kind: "model_called", stage: "answer", data: {} });
    mount(<SafetyIntervention safety={written.safety!} turn={written}>x</SafetyIntervention>);
    expect(screen.queryByText(/This text is fixed/)).toBeNull();
  });
});
