import { act, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import type { SafetyTier } from "@/api/journal";
import { heldTurn, navigator } from "@/graph/navigator.fixture";
import { reduce } from "@/journal/reduce";
import { useJournals } from "@/journal/store";
import { emptySession } from "@/journal/view";
import { setUi, useUi } from "@/shell/ui";
import { Inspector } from "./Inspector";
import { mount } from "./mount.fixture";

const answers = { "/api/agents/navigator": navigator, "/api/state": { interrupted: null } };

beforeEach(() => {
  useJournals.setState({ views: { s1: reduce(emptySession("s1"), heldTurn) }, links: {} });
  setUi({ tab: "steps", stage: null });
});

const items = () =>
  [...within(screen.getByRole("list", { name: "Steps of this turn" })).getAllByRole("listitem")].map(
    (item) => item.textContent ?? "",
  );

describe("the inspector", () => {
  it("lists every stage with its state, and its tools under it", async () => {
    mount(<Inspector session="s1" turn="t1" />, answers);
    await screen.findByRole("list", { name: "Steps of this turn" });
    const all = items();
    expect(all.find((text) => text.startsWith("7navigator"))).toContain("Held");
    expect(all.find((text) => text.startsWith("7navigator"))).toContain("not assembly failed, chosen by a condition");
    expect(all.find((text) => text.startsWith("Phase 1client signal"))).toContain(
      "Attempt 1 failed (timeout): timed out after 30 s",
    );
    expect(all.find((text) => text.startsWith("patient context"))).toContain("Reused");
    expect(all.find((text) => text.startsWith("Phase 2therapeutic fit"))).toContain("no candidates");
  });

  it("moves between steps with Ctrl and brackets, also while something is typed elsewhere", async () => {
    mount(
      <>
        <textarea aria-label="message" />
        <Inspector session="s1" turn="t1" />
      </>,
      answers,
    );
    await screen.findByRole("list", { name: "Steps of this turn" });
    await userEvent.click(screen.getByLabelText("message"));
    await userEvent.keyboard("{Control>}]{/Control}");
    expect(useUi.getState().stage).toBe("preflight");
    await userEvent.keyboard("{Control>}]{/Control}");
    expect(useUi.getState().stage).toBe("safety_intervention");
    await userEvent.keyboard("{Control>}[[{/Control}");
    expect(useUi.getState().stage).toBe("preflight");
  });

  it("leaves letters that are typed elsewhere alone", async () => {
    mount(
      <>
        <textarea aria-label="message" />
        <Inspector session="s1" turn="t1" />
      </>,
      answers,
    );
    await screen.findByRole("list", { name: "Steps of this turn" });
    await userEvent.type(screen.getByLabelText("message"), "g1]");
    expect(screen.getByLabelText<HTMLTextAreaElement>("message").value).toBe("g1]");
    expect(useUi.getState()).toMatchObject({ tab: "steps", stage: null });
  });

  it("shows the details of a step that another screen chose by its call", async () => {
    setUi({ tab: "detail", stage: "c1" });
    mount(<Inspector session="s1" turn="t1" />, answers);
    expect((await screen.findByRole("heading", { level: 2 })).textContent).toContain("book appointment");
  });

  // "It stopped me, and nowhere did it say which of my words were to blame." The strongest phrases, the kind of
  // danger that lies nearest, and a statement that means the same.
  it("says what each tier saw in a message", async () => {
    const tiers: SafetyTier[] = [
      { tier: "rules", level: "check_in", score: 3, check_in: 2, intervention: 5, reasons: ["so hopeless"] },
      { tier: "words", level: "none", score: -1, check_in: 0, intervention: 2, reasons: [] },
      { tier: "meaning", level: "intervention", score: 2, check_in: 0, intervention: 2, reasons: ["near attempt means", "says “I have the rope”, more or less", "all is ready"] },
    ];
    const seen = heldTurn.map((event) => event.kind === "safety_checked" ? { ...event, data: { ...event.data, found_by: ["rules", "meaning"], tiers } } : event);
    useJournals.setState({ views: { s1: reduce(emptySession("s1"), seen) }, links: {} });
    setUi({ tab: "detail", stage: "preflight" });
    mount(<Inspector session="s1" turn="t1" />, answers);
    const fact = async (name: string) => (await screen.findByText(name)).nextElementSibling?.textContent;
    expect(await fact("What rules saw")).toBe("“so hopeless”");
    expect(await fact("What meaning saw")).toBe("near in meaning: means at hand, says “I have the rope”, more or less, “all is ready”");
    expect(screen.queryByText("What words saw")).toBeNull();
  });

  it("says that a turn's run was interrupted instead of showing it as running", async () => {
    useJournals.setState({ views: { s1: reduce(emptySession("s1"), heldTurn.slice(0, 13)) }, links: {} });
    mount(<Inspector session="s1" turn="t1" />, { ...answers, "/api/state": { interrupted: [{ turn: "t1" }] } });
    await screen.findAllByText("Interrupted");
    expect(screen.queryByText("Running")).toBeNull();
  });

  it("says what it is for before anything ran", () => {
    mount(<Inspector session={null} turn={null} />);
    expect(screen.getByText("Nothing has run yet")).toBeTruthy();
  });

  it("shows a new event of the open turn", async () => {
    mount(<Inspector session="s1" turn="t1" />, answers);
    await screen.findByRole("list", { name: "Steps of this turn" });
    const view = useJournals.getState().views.s1!;
    const { at, session, turn } = heldTurn[0]!;
    const next = { at, session, turn, seq: view.seq + 1, kind: "turn_cancelled" } as const;
    act(() => useJournals.setState({ views: { s1: reduce(view, [next]) } }));
    expect(items().find((text) => text.startsWith("7navigator"))).toContain("Stopped");
  });

  it("says when the graph cannot be read, and what to do", async () => {
    mount(<Inspector session="s1" turn="t1" />, {});
    const alert = await screen.findByRole("alert");
    expect(within(alert).getByRole("button", { name: "Try again" })).toBeTruthy();
  });
});
