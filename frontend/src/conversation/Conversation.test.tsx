import { expect, it } from "vitest";
import { endOf } from "./Conversation";

/** A view of 400 px, scrolled to `at`, over 1,000 px, with parts at these heights of the whole. */
function view(at: number, html: string, tops: Record<string, number>) {
  const area = document.createElement("div");
  area.innerHTML = html;
  Object.defineProperties(area, { scrollHeight: { value: 1000 }, clientHeight: { value: 400 } });
  area.getBoundingClientRect = () => ({ top: 0 }) as DOMRect;
  for (const [part, top] of Object.entries(tops)) area.querySelector(part)!.getBoundingClientRect = () => ({ top: top - at }) as DOMRect;
  Object.defineProperty(area, "scrollTop", { value: at });
  return area;
}

it("shows help in danger from its first line on, which is longer than the view", () => {
  expect(endOf(view(120, "<article data-turn><section data-help></section></article>", { "[data-help]": 208 }))).toBe(200);
});

it("follows the newest words after a turn of help, and where there is none", () => {
  expect(endOf(view(0, "<article data-turn><section data-help></section></article><article data-turn></article>", { "[data-help]": 208 }))).toBe(600);
  expect(endOf(view(0, "<article data-turn></article>", {}))).toBe(600);
});

// "There was a card about safety, and I thought that no reply came: it was written below what I saw."
it("shows the reply below a question about safety as it comes, from its beginning, and the question before that", () => {
  const turn = (reply: string) => `<article data-turn><section data-help data-quiet></section>${reply}</article>`;
  expect(endOf(view(120, turn(""), { "[data-help]": 208 }))).toBe(200);
  expect(endOf(view(120, turn("<div data-reply></div>"), { "[data-help]": 208, "[data-reply]": 620 }))).toBe(460);
  // All of it fits, or the card is short: nothing is left out above.
  expect(endOf(view(120, turn("<div data-reply></div>"), { "[data-help]": 508, "[data-reply]": 960 }))).toBe(600);
  expect(endOf(view(120, turn("<div data-reply></div>"), { "[data-help]": 208, "[data-reply]": 300 }))).toBe(200);
});

it("shows help that comes before a reply, however long that is, and help for a message that is still in the box", () => {
  expect(endOf(view(600, "<article data-turn><section data-help></section><p></p></article><div data-cards></div>", { "[data-help]": 208, "[data-cards]": 900 }))).toBe(200);
  expect(endOf(view(0, "<article data-turn></article><section data-help></section><div data-cards></div>", { "[data-help]": 308, "[data-cards]": 900 }))).toBe(300);
});
