import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { IntlMessageFormat } from "intl-messageformat";
import { afterEach, describe, expect, it, vi } from "vitest";
import { en } from "./en";
import { fr } from "./fr";
import { duration, bytes, relativeTime } from "./format";
import { keepLanguage, t } from "./language";
import { keepZone, momentText, offset, spanText } from "./zone";

type Ast = ReturnType<IntlMessageFormat["getAst"]>;

/** The names of the values and tags of a message, each once. */
function named(ast: Ast): string[] {
  const found = new Set<string>();
  const walk = (parts: Ast) => {
    for (const part of parts) {
      const { type, value } = part as { type: number; value: string };
      const { options, children } = part as { options?: Record<string, { value: Ast }>; children?: Ast };
      // 0 is text and 7 the # of a plural.
      if (type !== 0 && type !== 7) found.add(type === 8 ? `<${value}>` : value);
      for (const option of Object.values(options ?? {})) walk(option.value);
      if (children) walk(children);
    }
  };
  walk(ast);
  return [...found].sort();
}

const messages = (catalog: Record<string, Record<string, string>>) => Object.entries(catalog).flatMap(([file, texts]) => Object.entries(texts).map(([name, text]) => [`${file}.${name}`, text] as const));
const english = messages(en);
const french = new Map(messages(fr));

describe("the catalogs", () => {
  it("have the same keys, and the same values and tags in each text", () => {
    expect([...french.keys()].sort()).toEqual(english.map(([key]) => key).sort());
    const differ = english.filter(([key, text]) => named(new IntlMessageFormat(french.get(key)!, "fr").getAst()).join() !== named(new IntlMessageFormat(text, "en").getAst()).join());
    expect(differ.map(([key, text]) => `${key}: ${text} | ${french.get(key)}`)).toEqual([]);
  });

  it("are given every value that they name", () => {
    const lacking: string[] = [];
    for (const file of readdirSync("src", { recursive: true, encoding: "utf8" }).filter((one) => /\.tsx?$/.test(one) && !/\.test\./.test(one))) {
      const source = readFileSync(join("src", file), "utf8");
      for (const { 1: key, index } of source.matchAll(/\b(?:t|rich|tIn)\((?:\w+, )?"(\w+\.\w+)"/g)) {
        const text = english.find(([one]) => one === key)?.[1] ?? "";
        // Up to the bracket that closes the call.
        let end = index;
        for (let depth = 0; end < source.length; end++) {
          if (source[end] === "(") depth++;
          else if (source[end] === ")" && --depth === 0) break;
        }
        const given = source.slice(index, end);
        for (const name of named(new IntlMessageFormat(text, "en").getAst()))
          if (!new RegExp(`[{,]\\s*${name.replace(/[<>]/g, "")}\\s*[:,}]`).test(given)) lacking.push(`${file}: ${key} lacks ${name}`);
      }
    }
    expect(lacking).toEqual([]);
  });

  // "The list says steps, the note beside it says stage: are they two things?"
  it("call what a graph is made of steps on every screen, not stages or nodes", () => {
    const code = /^settings\.|^help\./; // the words of the YAML that people write there
    const wrong = [...english].filter(([key, text]) => !code.test(key) && /\b(stage|node)s?\b(?!\})/i.test(text));
    expect(wrong).toEqual([]);
  });

  it("set French as it is set: unbreakable spaces, curly apostrophes", () => {
    const samples = /^settings\.(nameMyAgentTitleMyAgent|rulesNameNoWeekendVisitsEvent)$/;
    const wrong = [...french].filter(([key, text]) => !samples.test(key) && / [:;?!»]|« |\p{L}'\p{L}|[^\s\u00a0\u202f\d/][?!](?![\w}])/u.test(text.replace(/https?:\S*/g, "")));
    expect(wrong).toEqual([]);
  });
});

describe("in French", () => {
  afterEach(() => {
    keepLanguage("en");
    keepZone("");
  });

  it("numbers, plurals, sizes and times are French", () => {
    keepLanguage("fr");
    expect(document.documentElement.lang).toBe("fr");
    expect(t("library.documentsPassages", { documents: 1, passages: 12_345 })).toBe("1 document, 12\u202f345 passages");
    expect(t("library.documentsPassages", { documents: 0, passages: 2 })).toBe("0 document, 2 passages");
    expect(bytes(1_500_000)).toBe("1,5 Mo");
    expect(duration(1500)).toBe("1,5 s");
    expect(relativeTime("2026-12-01T10:00:00Z", Date.parse("2026-12-01T12:00:00Z"))).toBe("il y a 2 heures");
    keepZone("America/New_York");
    expect(momentText("2026-12-01T14:30:00Z")).toBe("mardi 1er décembre 2026 à 09:30, heure de New York (UTC-05:00)");
    expect(spanText("2026-12-01T14:30:00Z", "2026-12-01T15:20:00Z")).toBe("mardi 1er décembre 2026, de 09:30 à 10:20, heure de New York (UTC-05:00)");
    expect(offset(new Date("2026-12-01T14:30:00Z"))).toBe("UTC-05:00");
    keepZone("UTC");
    expect(momentText("2026-12-01T10:00:00Z")).toBe("mardi 1er décembre 2026 à 10:00 UTC");
    expect(spanText("2026-12-01T10:00:00Z", "2026-12-01T10:30:00Z")).toBe("mardi 1er décembre 2026, de 10:00 à 10:30 UTC");
  });

  it("what the system speaks is followed until somebody chooses", () => {
    vi.stubGlobal("clientInformation", { languages: ["de-CH", "fr-CH"] }); // jsdom has it by its other name only
    keepLanguage("");
    expect(t("shell.sessions")).toBe("Sessions");
    expect(t("shell.approvals")).toBe("Approbations");
    keepLanguage("en");
    expect(t("shell.approvals")).toBe("Approvals");
    vi.unstubAllGlobals();
  });
});
