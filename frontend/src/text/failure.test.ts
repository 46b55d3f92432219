import { readFileSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { toldFailure } from "./failure";
import { keepLanguage } from "./language";

afterEach(() => keepLanguage("en"));

const cases = JSON.parse(readFileSync("../app/tongue/testdata/problems.json", "utf8")) as [string, string | null][];
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, " ");

// "The message began in French and ended in English." The command line says the same list the same way.
it.each(cases)("each part of an error is said: %s", (english, french) => {
  expect(toldFailure(english)).toBe(english);
  keepLanguage("fr");
  expect(plain(toldFailure(english))).toBe(french ?? english);
});

it("a hostile text takes no time", () => {
  keepLanguage("fr");
  const began = performance.now();
  for (const hostile of ["is: ".repeat(1000), "is not ; ".repeat(400), "(".repeat(3000) + ")".repeat(900), "a has no b: ".repeat(20)]) toldFailure(hostile);
  expect(performance.now() - began).toBeLessThan(5000);
});
