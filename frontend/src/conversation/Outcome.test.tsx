import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { JournalEvent, Manifest } from "@/api/types";
import { queryClient } from "@/api/query";
import { Budget } from "@/inspector/Budget";
import { mount } from "@/inspector/mount.fixture";
import { reduce } from "@/journal/reduce";
import { emptySession } from "@/journal/view";
import { setTransport } from "@/transport";
import { MockTransport } from "@/transport/mock";
import { CheckIn, SafetyIntervention } from "./Crisis";
import { Outcome } from "./Outcome";

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

  // "I stopped it before a word was there, and it said that a partial answer above stays."
  it("speaks of a partial answer only where there is one", () => {
    const { unmount } = mount(<Outcome session="s" turn={turnOf({ kind: "turn_started" }, { kind: "turn_cancelled" })} interrupted={null} />);
    expect(screen.queryByText(/partial answer/)).toBeNull();
    unmount();
    mount(<Outcome session="s" turn={turnOf({ kind: "turn_started" }, { kind: "message", message: "m", text: "Hal", data: { role: "assistant", partial: true } }, { kind: "turn_cancelled" })} interrupted={null} />);
    expect(screen.getByText(/The partial answer above stays/)).toBeTruthy();
  });

  it("counts steps as the budget beside it does: “17 steps, and 4 finished steps are kept”", () => {
    const loop = [1, 2, 3].flatMap((step) => [{ kind: "stage_started", stage: "check" }, { kind: "stage_completed", stage: "check" }, { kind: "checkpoint", data: { step } }] as Partial<JournalEvent>[]);
    const turn = turnOf({ kind: "turn_started" }, ...loop, { kind: "turn_failed", stage: "write", error: "gone" });
    mount(<><Outcome session="s" turn={turn} interrupted={null} /><Budget turn={turn} manifest={{ max_steps: 50 } as Manifest} /></>);
    expect(screen.getByText(/3 finished steps are kept/)).toBeTruthy();
    expect(screen.getByText(/3 of 50 steps/)).toBeTruthy();
  });

  it("lets me try a failed turn again", () => {
    mount(<Outcome session="s" turn={turnOf({ kind: "turn_started" }, { kind: "turn_failed", stage: "gather", error: "the record could not be read" })} interrupted={null} />);
    expect(screen.getByRole("button", { name: "Try again" })).toBeTruthy();
    expect(screen.getByText("the record could not be read")).toBeTruthy();
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
    const { unmount } = mount(<SafetyIntervention session="s" safety={fixed.safety!} turn={fixed}>x</SafetyIntervention>);
    expect(screen.getByText(/This text is fixed/)).toBeTruthy();
    unmount();
    const written = turnOf(...head, { kind: "model_called", stage: "answer", data: {} });
    mount(<SafetyIntervention session="s" safety={written.safety!} turn={written}>x</SafetyIntervention>);
    expect(screen.queryByText(/This text is fixed/)).toBeNull();
  });

  it("says truly who found danger: the words, a model, or a script", () => {
    for (const [found, said] of [[["rules", "words"], "found by rules, words"], [["model"], "found by model"], [["script"], "found by script"]] as const) {
      const turn = turnOf({ kind: "turn_started" }, { kind: "safety_checked", stage: "watch", data: { by: "rules+model", hijack: true, level: "intervention", category: "means", found_by: [...found], region: "GB" } });
      const { unmount } = mount(<SafetyIntervention session="s" safety={turn.safety!} turn={turn}>x</SafetyIntervention>);
      expect(screen.getByText(new RegExp(`^${said} · GB`))).toBeTruthy();
      unmount();
    }
  });

  it("shows a check-in above the reply and lets me say where I am, there and then", async () => {
    const turn = turnOf(
      { kind: "turn_started" },
      { kind: "safety_checked", stage: "watch", data: { by: "rules", hijack: false, concern: true, level: "check_in", category: "intent", found_by: ["rules"], region: "international" } },
      { kind: "message", message: "t/check-in", text: "Are you safe?", data: { role: "assistant", template: "check_in" } },
      { kind: "message", message: "t/m1", text: "Here is the list.", data: { role: "assistant", model: "m" } },
    );
    expect(turn.items.map(({ id }) => turn.messages[id]?.template)).toEqual(["check_in", ""]);
    queryClient.clear();
    const mock = new MockTransport("first");
    setTransport(mock);
    render(<QueryClientProvider client={queryClient}><CheckIn session="s" safety={turn.safety} text="Are you safe?" /></QueryClientProvider>);
    expect(screen.getByText("Are you safe?")).toBeTruthy();
    const select = (await screen.findByRole("combobox")) as HTMLSelectElement;
    await waitFor(() => expect(select.disabled).toBe(false));
    await userEvent.setup().selectOptions(select, "GB");
    expect(await screen.findByText("999 or 112")).toBeTruthy();
    // A mis-click is undone where it was made.
    expect(screen.getByText(/· GB$/)).toBeTruthy();
    expect(screen.getByText(/For everybody who uses Holdpoint here/)).toBeTruthy();
    await userEvent.selectOptions(screen.getByRole("combobox"), "FR");
    expect(await screen.findByText(/· FR$/)).toBeTruthy();
    expect(screen.queryByText("999 or 112")).toBeNull();
  });

  it("says of a check-in that only a very small model asked for what its word is worth", () => {
    const reason = "a model that is too small to tell danger by itself saw a crisis, of which the words had no sign";
    const turn = turnOf(
      { kind: "turn_started" },
      { kind: "safety_checked", stage: "watch", reason, data: { by: "rules+model", hijack: false, concern: true, level: "check_in", category: "intent", found_by: ["model"], region: "GB", reason } },
      { kind: "message", message: "t/check-in", text: "Are you safe?", data: { role: "assistant", template: "check_in" } },
    );
    queryClient.clear();
    setTransport(new MockTransport("first"));
    render(<QueryClientProvider client={queryClient}><CheckIn session="s" safety={turn.safety} text="Are you safe?" /></QueryClientProvider>);
    expect(screen.getByText(/too small to tell danger by itself/i)).toBeTruthy();
  });
});
