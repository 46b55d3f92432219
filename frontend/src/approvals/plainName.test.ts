import { expect, it } from "vitest";
import { keepLanguage } from "@/text/language";
import { plainPath } from "./plainName";

// "« Motif » stood there twice, with two different texts." Members that one record has beside each other have names of their own.
it.each(["en", "fr"] as const)("tells the members of one record apart (%s)", (language) => {
  keepLanguage(language);
  try {
    for (const beside of [["description", "reason", "note"], ["description", "reasonCode", "reasonReference"], ["basedOn", "requester"]]) {
      const names = beside.map(plainPath);
      expect(new Set(names).size, names.join(", ")).toBe(names.length);
    }
  } finally {
    keepLanguage("en");
  }
});
