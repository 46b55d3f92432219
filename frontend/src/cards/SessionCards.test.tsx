import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { mount } from "@/inspector/mount.fixture";
import { SessionCards } from "./SessionCards";
import type { Cards } from "./types";

const cards: Cards = {
  language: "en", scale: 1, words: { sources_title: "Where the advice comes from", feedback_title: "Was that helpful?", answers_title: "What you told me" }, asked: [], progress: { done: 6, total: 6, say: "" },
  consent: { scope: "full", say: "", asked: false, kept: 0, keeps: "", delete: "", scopes: [] },
  sources: [{ id: "S1", title: "A quarrel", source: "WHO" }], feedback: { turn: "advice", choices: [{ value: "yes", say: "Yes" }] },
};

// "I had said thank you, and below it stood the sources of what it had told me before."
it("closes the sources and the question about advice once something was answered after it", () => {
  const shown = (newest: string) => {
    const view = mount(<SessionCards session="s" cards={cards} choice={{ agent: "companion", pattern: "" }} running={false} newest={newest} />);
    const folded = ["A quarrel", "Yes"].map((text) => screen.getByText(text).closest("details"));
    const named = folded.map((one) => one?.querySelector("summary")?.textContent);
    view.unmount();
    return [folded.map((one) => one !== null && !one.open), named];
  };
  expect(shown("advice")).toEqual([[false, false], [undefined, undefined]]);
  expect(shown("later")).toEqual([[true, true], ["Where the advice comes from", "Was that helpful?"]]);
});

// "A box showed the program's own sentences as if the paper under it said them."
it("shows a summary as one, with what it rests on, and quotes only a passage of the library", () => {
  const own = { id: "S1", title: "Sleep", source: "Paruthi", text: "Eight hours.", about: "A summary written for Holdpoint. It rests on: Paruthi" };
  const words = { ...cards.words, read_passage: "Read the passage", read_summary: "Read the summary" };
  mount(<SessionCards session="s" cards={{ ...cards, words, sources: [own, { id: "S2", title: "Salt", source: "salt.md", text: "Less salt.", document: "d", passage: 1 }] }} choice={{ agent: "companion", pattern: "" }} running={false} newest="advice" />);
  expect(screen.getByText("Eight hours.").closest("blockquote")).toBeNull();
  expect(screen.getByText(own.about).closest("details")!.textContent).toContain("Read the summary");
  expect(screen.getByText("Less salt.").closest("blockquote")).not.toBeNull();
  expect(screen.getByText("Less salt.").closest("details")!.textContent).toContain("Read the passage");
});
