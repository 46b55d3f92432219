import outside from "../../../app/tongue/outside.json";
import { errorsInFrench } from "./fr/told";
import { language } from "./language";
import { frenchMoment } from "./moment";
import { told, toldBy } from "./told";

/**
 * The text of an error in the language of the screens, as app/tongue/problem.go says it on the command line: an
 * error says what it wraps behind a colon, in parentheses or on a line of its own. Each part that is known is said in
 * French; what is a value, or comes from outside, stays. It is for errors only: what people and models wrote may read
 * like a part of one.
 */

/** A text with values: what stands around them, its French, and how many letters of it are no values. */
interface Shape {
  fixed: string[];
  /** Which values are in quotation marks, and so are somebody's words. */
  quoted: boolean[];
  french: string;
  words: number;
  /** A value may be any text, as in "open FILE". */
  opens: boolean;
}

/** What a text came to: itself, with no words, where it has none of the program's. */
interface French {
  text: string;
  /** How many letters are the program's. */
  words: number;
}

const letters = (text: string): number => text.match(/\p{L}/gu)?.length ?? 0;

const place = /\{\d\}/;
const ours: ReadonlyMap<string, string> = new Map(Object.entries(errorsInFrench));
const others: ReadonlyMap<string, string> = new Map(Object.entries(outside));

let known: Shape[] | undefined;
const shapes = (): Shape[] =>
  (known ??= [...[...ours].map((one) => [...one, false] as const), ...[...others].map((one) => [...one, true] as const)]
    .filter(([english]) => place.test(english))
    .map(([english, french, from]) => {
      const fixed = english.split(place);
      const quoted = fixed.slice(1).map((behind, at) => fixed[at]!.endsWith('"') && behind.startsWith('"'));
      return { fixed, quoted, french, words: letters(english), opens: from && fixed[0] !== "" };
    })
    .sort((one, other) => other.words - one.words || other.fixed.length - one.fixed.length || (one.french < other.french ? -1 : 1)));

/** Bounds, as on the command line. */
const LONGEST = 4000;
const LONGEST_PART = 1000;
const MOST_JOINTS = 20;
const MOST_AT_ONCE = 5;
const FEW_LETTERS = 8;
const MANY_LETTERS = 20;
const LONGEST_NAME = 60;
const DEEPEST = 4;

/** The parts that others' words follow: a person's, a program's or a server's. */
const theirs = /(?:^|: )(?:rejected by a person|the program wrote|it answered that it cannot|the server failed): /;

/** A file, an id or a text in quotation marks: what stands before an error and is no error itself. */
const aName = /^(?:\S+|"[^"]*")$/;

/** English that is no value: a sentence with it is another one. */
const aClause = /^(?:the|an?|this|these|that|its?|what|no|not|there) /i;

export function toldFailure(english: string): string {
  if (language() !== "fr" || english.length > LONGEST) return english;
  const found = theirs.exec(english);
  const end = found ? found.index + found[0].length - 2 : english.length;
  const looked: Looked = new Map();
  const lines = english.slice(0, end).split("\n").map((line) => whole(line, 0, looked));
  const behind = english.slice(end);
  return lines.map(({ text }) => text).join("\n") + (behind !== "" && lines.some(({ words }) => words > 0) ? `\u00a0${behind}` : behind);
}

/** The texts that were looked at for one error, each once. */
type Looked = Map<string, French>;

function once(kind: string, english: string, depth: number, looked: Looked, find: (english: string, depth: number, looked: Looked) => French): French {
  const key = `${kind}${depth}${english}`;
  let found = looked.get(key);
  if (!found) looked.set(key, (found = find(english, depth, looked)));
  return found;
}

/** An error with all that it wraps. */
const whole = (english: string, depth: number, looked: Looked): French => once("w", english, depth, looked, composed);

/** One part of an error. */
const part = (english: string, depth: number, looked: Looked): French => once("p", english, depth, looked, ofPart);

function composed(english: string, depth: number, looked: Looked): French {
  let most = part(english, depth, looked);
  if (depth === DEEPEST) return most;
  for (const other of [inParentheses(english, depth, looked), chain(english, depth, looked)]) if (other.words > most.words) most = other;
  if (english.endsWith(".") && most.words < letters(english)) {
    const other = whole(english.slice(0, -1), depth + 1, looked);
    if (other.words > most.words) most = { text: `${other.text}.`, words: other.words };
  }
  return most;
}

/** An error with what it wraps behind a colon. */
function chain(english: string, depth: number, looked: Looked): French {
  const parts = english.split(": ");
  if (parts.length === 1 || parts.length > MOST_JOINTS) return { text: english, words: 0 };
  // The parts are put together so that the most of it is the program's.
  const best: { text: string; words: number; end: number; named: boolean }[] = [];
  best[parts.length] = { text: "", words: 0, end: 0, named: false };
  for (let at = parts.length - 1; at >= 0; at--) {
    best[at] = { text: "", words: -1, end: 0, named: false };
    for (let n = 1; n <= parts.length - at && n <= MOST_AT_ONCE; n++) {
      const joined = parts.slice(at, at + n).join(": ");
      let said = part(joined, depth, looked);
      if (said.words === 0 && n === 1) said = inParentheses(joined, depth, looked);
      if (said.words === 0 && n > 1) continue;
      const words = said.words + best[at + n]!.words;
      const exact = n > 1 && said.words === letters(joined); // a sentence of its own, and not its parts
      if (words > best[at]!.words || (exact && words === best[at]!.words)) best[at] = { text: said.text, words, end: at + n, named: said.words > 0 };
    }
  }
  const named = best[0]!.named || aName.test(parts[0]!) || (parts[0]!.length <= LONGEST_NAME && best[0]!.words >= MANY_LETTERS);
  if (best[0]!.words === 0 || !named) return { text: english, words: 0 };
  const out: string[] = [];
  for (let at = 0; at < parts.length; at = best[at]!.end) out.push(best[at]!.text);
  return { text: out.join("\u00a0: "), words: best[0]!.words };
}

/** An error that says more of itself in parentheses at its end. */
function inParentheses(english: string, depth: number, looked: Looked): French {
  const none = { text: english, words: 0 };
  if (!english.endsWith(")") || depth === DEEPEST) return none;
  let open = 0;
  for (let at = english.length - 1; at > 0; at--) {
    if (english[at] === ")") open++;
    else if (english[at] === "(" && --open === 0) {
      if (english[at - 1] !== " ") return none;
      const head = whole(english.slice(0, at - 1), depth + 1, looked);
      if (head.words === 0) return none;
      const inner = whole(english.slice(at + 1, -1), depth + 1, looked);
      return { text: `${head.text} (${inner.text})`, words: head.words + inner.words };
    }
  }
  return none;
}

function ofPart(english: string, depth: number, looked: Looked): French {
  const exact = ours.get(english) ?? others.get(english);
  if (exact !== undefined) return { text: exact, words: letters(english) };
  let most: French = { text: english, words: 0 };
  if (english.includes(" ") && english.length <= LONGEST_PART) { // a single word is a value
    let inside = 0;
    const said = toldBy(english, (given) => {
      const one = ofValue(given, depth, looked);
      const own = one.words === 0 ? told(given) : given;
      inside += own === given ? one.words : letters(given);
      return own === given ? one.text : own;
    });
    if (said) most = { text: said.text, words: said.words + inside };
  }
  for (const other of [shaped(english, depth, looked), each(english, depth, looked)]) if (other.words > most.words) most = other;
  return most;
}

/** An error's text with values in it. */
function shaped(english: string, depth: number, looked: Looked): French {
  for (const shape of shapes()) {
    const found = valuesOf(english, shape.fixed);
    if (!found) continue;
    let words = shape.words;
    let fits = true;
    const said = found.map((given, at) => {
      if (shape.quoted[at]) return given;
      const one = ofValue(given, depth, looked);
      words += one.words;
      if (one.text === given && (aClause.test(given) || (shape.words < FEW_LETTERS && !shape.opens && given.includes(" ")))) fits = false;
      return one.text;
    });
    if (fits) return { text: shape.french.replace(/\{(\d)\}/g, (name, at: string) => said[Number(at)] ?? name), words };
  }
  return { text: english, words: 0 };
}

/** Errors between semicolons. */
function each(english: string, depth: number, looked: Looked): French {
  const parts = english.split("; ");
  if (parts.length === 1 || parts.length > MOST_JOINTS || depth === DEEPEST) return { text: english, words: 0 };
  const said = parts.map((one) => whole(one, depth + 1, looked));
  if (said[0]!.words === 0) return { text: english, words: 0 };
  return { text: said.map(({ text }) => text).join("\u00a0; "), words: said.reduce((sum, { words }) => sum + words, 0) };
}

/** What stands at a place of an error's text. */
function ofValue(given: string, depth: number, looked: Looked): French {
  const none = { text: given, words: 0 };
  if (depth === DEEPEST) return none;
  const word = others.get(`= ${given}`) ?? ours.get(`= ${given}`) ?? frenchMoment(given);
  if (word !== undefined) return { text: word, words: 0 };
  return given.includes(" ") ? whole(given, depth + 1, looked) : none;
}

/** The values of a text that is made of a sentence. */
function valuesOf(english: string, fixed: string[]): string[] | undefined {
  const last = fixed.length - 1;
  if (!english.startsWith(fixed[0]!)) return undefined;
  const found: string[] = [];
  let at = fixed[0]!.length;
  for (const each of fixed.slice(1, last)) {
    const next = english.indexOf(each, at);
    if (next < 0) return undefined;
    found.push(english.slice(at, next));
    at = next + each.length;
  }
  const end = english.length - fixed[last]!.length;
  if (end < at || !english.endsWith(fixed[last]!)) return undefined;
  found.push(english.slice(at, end));
  for (let n = 1; n < last; n++) {
    if (fixed[n] !== "") continue;
    const both = found[n]!; // a value right behind another is what is added to it
    const cut = both.indexOf("; ");
    [found[n - 1], found[n]] = cut < 0 ? [both, ""] : [both.slice(0, cut), both.slice(cut)];
  }
  return found;
}

/** A warning beside a request: where it says why one cannot be carried out any more it has an error's text in it. */
export const toldCaution = (english: string): string => (english.startsWith("It cannot be carried out any more: ") ? toldFailure(english) : told(english));
