import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { visible, visibleName, visibleText } from "./visible";

/** The corpus that the program's other ways out are tested on. */
const corpus = JSON.parse(readFileSync("../engine/visible/testdata/corpus.json", "utf8")) as { name: string; raw: string; shown: string }[];

describe("hidden and imitating characters", () => {
  it.each(corpus.map(({ name, raw, shown }) => [name, raw, shown]))("the corpus: %s", (_name, raw, shown) => expect(visibleText(raw)).toBe(shown));

  it.each([
    ["plain text stays", "Book on 1 Dec, 09:30\n\tfor “Amara”", "Book on 1 Dec, 09:30\n\tfor “Amara”"],
    ["accents and other whole scripts stay", "Élise, Müller, Москва, 東京, العربية", "Élise, Müller, Москва, 東京, العربية"],
    ["combining marks stay", "e\u0301", "e\u0301"],
    ["a micro sign stays", "5 µg", "5 µg"],
    ["a right-to-left override", "a\u202Eb", "a⟨U+202E⟩b"],
    ["isolates", "\u2066x\u2069", "⟨U+2066⟩x⟨U+2069⟩"],
    ["a zero-width space", "a\u200Bb", "a⟨U+200B⟩b"],
    ["a byte order mark", "\uFEFFa", "⟨U+FEFF⟩a"],
    ["a soft hyphen", "a\u00ADb", "a⟨U+00AD⟩b"],
    ["tag characters", "a\u{E0041}", "a⟨U+E0041⟩"],
    ["a variation selector", "a\uFE0F", "a⟨U+FE0F⟩"],
    ["a Hangul filler", "a\u3164b", "a⟨U+3164⟩b"],
    ["control characters", "a\u0000\u001b[2Jb\rc", "a⟨U+0000⟩⟨U+001B⟩[2Jb⟨U+000D⟩c"],
    ["C1 controls", "a\u0085b", "a⟨U+0085⟩b"],
    ["line separators", "a\u2028b", "a⟨U+2028⟩b"],
    ["unusual spaces", "a\u00A0b\u2003c", "a⟨U+00A0⟩b⟨U+2003⟩c"],
    ["a Cyrillic letter in a Latin word", "P\u0430tient", "P⟨U+0430⟩tient"],
    ["a Greek letter in a Latin word", "D\u03BFse", "D⟨U+03BF⟩se"],
    ["a word only of twins", "\u0441\u043E\u0440", "⟨U+0441⟩⟨U+043E⟩⟨U+0440⟩"],
    ["full-width letters", "\uFF21bc", "⟨U+FF21⟩bc"],
    ["mathematical letters", "\u{1D400}", "⟨U+1D400⟩"],
    ["foreign digits in a number", "1\u0662", "1⟨U+0662⟩"],
    ["a lone surrogate", "a\uD800b", "a⟨U+D800⟩b"],
  ])("%s", (_name, raw, shown) => expect(visibleText(raw)).toBe(shown));

  it("warns once for each kind", () => {
    expect(visible("\u202E\u202E \u200B").warnings).toHaveLength(2);
    expect(visible("fine").warnings).toEqual([]);
  });

  // "She had an allergy to penicillin, and the banner read: Penicillin none."
  it("shows a line break in a name, as the other ways out do", () => {
    expect(visibleName("Penicillin\r\nnone\t\u202e")).toBe("Penicillin⟨U+000D⟩⟨U+000A⟩none⟨U+0009⟩⟨U+202E⟩");
    expect(visibleName("Élise Müller 東京")).toBe("Élise Müller 東京");
  });

  it("loses nothing of a text of 10,000 lines", () => {
    const text = Array.from({ length: 10_000 }, (_, index) => `line ${index}`).join("\n");
    expect(visible(text).pieces).toEqual([{ text, kind: "" }]);
  });
});
