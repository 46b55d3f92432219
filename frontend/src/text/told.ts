import { saidInFrench, toldInFrench } from "./fr/told";
import { language } from "./language";
import { frenchMoment } from "./moment";

/** A sentence with values in it: how its English is recognised, and its French. */
interface Shape {
  english: RegExp;
  key: string;
  french: string;
  /** How much of it is not values: of two that fit, the longer one is meant. */
  words: number;
  letters: number;
}

let shapes: Shape[] | undefined;

function frenchShapes(): Shape[] {
  return (shapes ??= Object.entries({ ...toldInFrench, ...saidInFrench })
    .filter(([english]) => /\{\d\}/.test(english))
    .map(([english, french]) => ({
      english: new RegExp(`^${english.replace(/[.*+?^$()|[\]\\]|\{(?!\d\})|(?<!\{\d)\}/g, "\\$&").replace(/(?<=\})\{\d\}/g, "((?:; .*?)?)").replace(/\{\d\}/g, "(.*?)").replace(/ on \(\.\*\?\)(?=$| \\\()/, " on (\\w+day \\d.*?)")}$`, "s"), // a day, whatever people are called
      key: english,
      french,
      words: english.replace(/\{\d\}/g, "").length,
      letters: english.match(/\p{L}/gu)?.length ?? 0,
    }))
    .sort((one, other) => other.words - one.words));
}

const whole = (english: string): string | undefined => toldInFrench[english] ?? (saidInFrench as Readonly<Record<string, string>>)[english];

function inFrench(english: string): string {
  const found = whole(english) ?? frenchMoment(english);
  if (found !== undefined) return found;
  return english.length > 1000 ? english : (each(english) ?? shaped(english));
}

/** A sentence with values in it. */
const shaped = (english: string): string => shapedBy(english, inFrench)?.text ?? english;

/** Sizes, lengths and multiples with a point in them. */
const measured = /\b(\d+)\.(\d+)(\s(?:(?:Go|Mo|Ko|ft)\b|×))/g;

function shapedBy(english: string, say: (value: string) => string): { text: string; words: number } | undefined {
  for (const shape of frenchShapes()) {
    const found = shape.english.exec(english);
    if (found) return { text: shape.french.replace(/\{(\d)\}/g, (place, at: string) => {
      const value = found[Number(at) + 1] ?? "";
      return shape.key.includes(`"${place}"`) ? value : say(value); // in quotation marks stand somebody's words
    }).replace(measured, "$1,$2$3"), words: shape.letters };
  }
  return undefined;
}

/** How many sentences of a list are looked at, and how many parts as one sentence with semicolons. */
const MOST_PARTS = 20;
const MOST_JOINED = 3;

/** A list of sentences between semicolons, where each of them is the program's. A sentence may have semicolons of its own. */
function each(english: string): string | undefined {
  const parts = english.split("; ");
  if (parts.length === 1 || parts.length > MOST_PARTS) return undefined;
  const out: string[] = [];
  for (let at = 0; at < parts.length; ) {
    let taken = 0;
    for (let n = 1; n <= MOST_JOINED && at + n <= parts.length && n < parts.length && taken === 0; n++) {
      const one = parts.slice(at, at + n).join("; ");
      const french = whole(one) ?? shaped(one);
      if (french === one) continue;
      out.push(french);
      taken = n;
    }
    if (taken === 0) return undefined;
    at += taken;
  }
  return out.join("\u202f; ");
}

/**
 * A sentence or name of the program's other side, which speaks English, in the language of the
 * screens: titles of agents, stages, tools and conditions, what a request would do, checks,
 * errors and what to do about them. What is not in the tables stays as it is, as titles of
 * people's own graphs do.
 */
export const told = (english: string): string => (language() === "fr" ? inFrench(english) : english);

/** A sentence that is told, with each of its values said by a function, and how many letters are not values; undefined for a text that is none. */
export function toldBy(english: string, say: (value: string) => string): { text: string; words: number } | undefined {
  if (language() !== "fr") return undefined;
  const found = whole(english);
  return found !== undefined ? { text: found, words: english.match(/\p{L}/gu)?.length ?? 0 } : shapedBy(english, say);
}

/** The line below a record's title: details between points, of which each that is the program's own word is in the tables with a point before it. */
export const toldDetails = (english: string): string =>
  language() === "fr" ? english.split(" · ").map((detail) => { const own = inFrench(`· ${detail}`); return own.startsWith("· ") ? detail : own; }).join(" · ") : english;
