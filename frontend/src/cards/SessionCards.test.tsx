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
