import { render } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { setTransport } from "@/transport";
import { MockTransport } from "@/transport/mock";
import { blocks } from "./blocks";
import { safeHref } from "./link";
import { Markdown } from "./Markdown";

beforeEach(() => setTransport(new MockTransport()));
const html = (text: string) => render(<Markdown text={text} />).container;

describe("links", () => {
  it.each([
    ["https://example.org/a?b=c", "https://example.org/a?b=c"],
    ["mailto:a@example.org", "mailto:a@example.org"],
    ["http://example.org", null],
    ["javascript:alert(1)", null],
    ["JaVaScRiPt:alert(1)", null],
    ["java\tscript:alert(1)", null],
    [" javascript:alert(1)", null],
    ["data:text/html,x", null],
    ["file:///etc/passwd", null],
    ["smb://host/share", null],
    ["ms-msdt:/id", null],
    ["vbscript:x", null],
    ["//example.org", null],
    ["\\\\host\\share", null],
    ["/api/call/approve", null],
    ["#/settings", null],
    ["https://user:secret@example.org", null],
    ["https://example.org/\u202Egpj.exe", null],
    ["", null],
  ])("%j → %j", (raw, safe) => expect(safeHref(raw)).toBe(safe));
});

describe("a reply", () => {
  it.each([
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<iframe src=https://example.org></iframe>",
    "<svg onload=alert(1)>",
    "text <b onclick=alert(1)>bold</b>",
    "<style>body{display:none}</style>",
  ])("shows HTML as text: %s", (text) => {
    const shown = html(text);
    expect(shown.querySelector("script, img, iframe, svg, b, style")).toBeNull();
    expect(shown.textContent).toContain(text.includes("bold") ? "bold" : "<");
  });

  it.each([
    "![beacon](https://tracker.example/p.png)",
    "![beacon][1]\n\n[1]: https://tracker.example/p.png",
    "[![x](https://tracker.example/p.png)](https://example.org)",
    "![x](data:image/svg+xml,<svg/>)",
  ])("loads no image: %s", (text) => expect(html(text).querySelector("img, [src], [srcset]")).toBeNull());

  // "The reply said: no allergy. It had been written backwards, and read as its opposite."
  it.each([
    ["turned \u202Etxt.exe\u202C", "turned ⟨U+202E⟩txt.exe⟨U+202C⟩"],
    ["**bo\u200Bld** and `co\u2066de`", "bo⟨U+200B⟩ld and co⟨U+2066⟩de"],
    ["```\nrm \u202Efr\n```", "rm ⟨U+202E⟩fr\n"],
    ["&#x202e;by entity", "⟨U+202E⟩by entity"],
    ["| a\u0007 |\n|---|\n| \u2800 |", "a⟨U+0007⟩⟨U+2800⟩"],
    ["![al\u202Et](https://x.example/p.png)", "[image not loaded: al⟨U+202E⟩t]"],
    ["[l\u202Ee](smb://h/\u202Ex)", "l⟨U+202E⟩e (link not opened: smb://h/%E2%80%AEx)"],
    ["<b>\u202E</b>", "<b>⟨U+202E⟩</b>"],
    ["give p\u0430racetamol", "give p⟨U+0430⟩racetamol"],
  ])("shows what turns, hides or imitates other text: %j", (text, shown) => expect(html(text).textContent?.trim()).toBe(shown.trim()));

  it.each(["Appelez le 15\u00a0: c’est gratuit\u202f!", "می\u200cخواهم", "क्\u200dष", "👩🏽\u200d⚕\ufe0f and 1\ufe0f⃣", "فاطمة الزهراء", "Привет, как дела?"])(
    "leaves what a script and its typography need: %j", (text) => expect(html(text).textContent).toBe(text));

  it("opens only safe links, and those without handing anything over", () => {
    const shown = html("[a](javascript:alert(1)) [b](smb://h/x) [c](https://example.org/) <javascript:alert(1)> [d](#/settings)");
    const links = [...shown.querySelectorAll("a")];
    expect(links.map((link) => link.getAttribute("href"))).toEqual(["https://example.org/"]);
    expect(links[0]!.rel).toContain("noopener");
    expect(links[0]!.rel).toContain("noreferrer");
    expect(links[0]!.target).toBe("_blank");
  });
});

describe("blocks", () => {
  it.each([
    ["paragraphs", "a\n\nb", 2],
    ["a fence with blank lines", "```\na\n\nb\n```\n\nc", 2],
    ["an unfinished fence", "a\n\n```js\nb\n\nc", 2],
    ["a loose list", "1. a\n\n2. b\n\n   more\n\nc", 2],
    ["a longer closing fence", "````\n```\n\nx\n````\n\ny", 2],
  ])("%s", (_name, text, count) => {
    expect(blocks(text)).toHaveLength(count);
    expect(blocks(text).join("\n")).toBe(text);
  });
});
