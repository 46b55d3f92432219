import { t } from "./language";
import { styledCodes, twinCodes } from "./lookalikes";

/** A piece of text as it is shown to a person who decides on it. */
interface Piece {
  text: string;
  /** What is wrong with the character that the escape stands for; "" for plain text. */
  kind: "" | "invisible" | "bidi" | "control" | "space" | "look-alike";
}

export interface Visible {
  pieces: Piece[];
  /** One sentence for each kind that was found. */
  warnings: string[];
}

const bidi = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const unseen = /[\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}]/u;
const oddSpace = /[^\P{Zs} ]/u;
const word = /[\p{L}\p{M}\p{Nd}_]+/gu;
const latin = /\p{Script=Latin}/u;
const letter = /\p{L}/u;
const digit = /\p{Nd}/u;
/** Letters that may stand in one word with Latin ones: scripts without blanks between words, Greek letters of units and names, signs. */
const besideLatin =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Greek}\p{Script=Common}]/u;

const classOf = (codes: string): RegExp =>
  new RegExp(`[${codes.replace(/[0-9a-f]+/g, (code) => `\\u{${code}}`).replaceAll(" ", "")}]`, "u");
/** Letters drawn like ASCII ones in another shape. */
const styled = classOf(styledCodes);
/** Letters of other scripts that are drawn like a Latin letter or a digit. */
const twin = classOf(twinCodes);

const sentences: Record<Exclude<Piece["kind"], "">, string> = {
  get bidi() { return t("text.charactersThatTurnTheReadingDirection"); },
  get invisible() { return t("text.invisibleCharactersAreHiddenInThis"); },
  get control() { return t("text.controlCharactersAreHiddenInThis"); },
  get space() { return t("text.unusualSpacesAreInThisText"); },
  get "look-alike"() { return t("text.lettersThatImitateOthersMixedScripts"); },
};

const escaped = (char: string): string => `⟨U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`;

/** A name such as TNFα or γGT: the first or the last letter beside capitals and digits. */
const greekName = /^(?:[αγ][A-Z0-9]+|[A-Z0-9]+[αγ])$/u;

/**
 * Indexes of letters that imitate Latin ones: of another script in a word with Latin letters, or in
 * a word of twins that has no word beside it which shows its script. The same rules as in
 * engine/visible, tested on the same corpus.
 */
function imitations(line: string, from: number, found: Set<number>): void {
  let twins: number[] = [];
  let shown = false;
  const end = (): void => {
    if (!shown) for (const at of twins) found.add(at);
    twins = [];
    shown = false;
  };
  for (const match of line.matchAll(word)) {
    const chars: { char: string; at: number }[] = [];
    let at = from + match.index;
    for (const char of match[0]) {
      chars.push({ char, at });
      at += char.length;
    }
    const letters = chars.filter(({ char }) => letter.test(char) && (latin.test(char) || !"µºª".includes(char)));
    const hasLatin = letters.some(({ char }) => latin.test(char));
    const foreign = letters.filter(({ char }) => !latin.test(char));
    if (hasLatin) {
      end();
      if (!greekName.test(match[0])) for (const { char, at: index } of foreign) if (twin.test(char) || !besideLatin.test(char)) found.add(index);
    } else if (foreign.some(({ char }) => !twin.test(char))) shown = true;
    else if (match[0] !== "α") for (const { at: index } of foreign) twins.push(index);
    if (hasLatin || /[0-9]/.test(match[0])) for (const { char, at: index } of chars) if (digit.test(char) && !/[0-9]/.test(char)) found.add(index);
  }
  end();
}

// Signs that are ordinary typography at most places, and imitate ASCII within ids, tokens and words: the rules of
// engine/visible/sign.go.
const hyphens = "\u2010\u02d7\u2043\u2796\ufe58";
const dashes = "\u2011\u2012\u2013";
const minus = "\u2212";
const dotless = "\u0131";
const strokes = "\ua781\u01c3\u01c1\u2223\u23ae\u066d\u2217\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06";
const quotes = "\u2032\u02b9\u055a";
const colons = "\uff1a";
const signs = hyphens + dashes + minus + dotless + strokes + quotes + colons;
const sign = new RegExp(`[${signs}]`, "gu");
const notPlain = new RegExp(`[^\\0-\\x7f${signs}]`, "u");
const ofType = /(?:^|[^A-Za-z])[A-Z][A-Za-z]+\/[^/]*$|_/u;
const idLike = /^[^'’&]*(?:[0-9_-]|[A-Z][A-Za-z]+\/)[^'’&]*$/u;
const signed = new RegExp(`^[${hyphens}${dashes}${minus}][0-9]+(?:[.,][0-9]+)?$`, "u");
const lower = /[a-z]/u;
const asciiLetter = /[A-Za-z]/u;
const alnum = /[A-Za-z0-9]/u;

/** Indexes of signs that imitate ASCII where they stand. */
function imitatedSigns(line: string, from: number, found: Set<number>): void {
  for (const { 0: token, index: start } of line.matchAll(/[^ \t\n"]+/gu)) {
    const end = start + token.length;
    const whole = (start === 0 || line[start - 1] === '"') && (end === line.length || line[end] === '"' || line.slice(end) === "\n");
    for (const { 0: char, index: i } of token.matchAll(sign)) {
      const before = token[i - 1] ?? "";
      const after = token[i + 1] ?? "";
      const between = alnum.test(before) && alnum.test(after);
      if (
        (hyphens.includes(char) && between) ||
        (char === minus && between && (asciiLetter.test(before) || asciiLetter.test(after))) ||
        (dashes.includes(char) && between && (ofType.test(token.slice(0, i)) || (whole && (lower.test(before) || lower.test(after))))) ||
        ((hyphens + dashes + minus).includes(char) && i === 0 && whole && signed.test(token)) ||
        (char === dotless && !notPlain.test(token) && idLike.test(token)) ||
        (strokes.includes(char) && (alnum.test(before) || alnum.test(after))) ||
        (quotes.includes(char) && asciiLetter.test(before) && asciiLetter.test(after)) ||
        (colons.includes(char) && between)
      )
        found.add(from + start + i);
    }
  }
}

/** How many combining marks one letter may have: more of them strike through what stands beside it. */
const mostMarks = 4;
const manyMarks = new RegExp(`[\\p{Mn}\\p{Me}]{${mostMarks + 1},}`, "gu");

/** Indexes of the marks beyond those that a letter may have. */
function stackedMarks(text: string, from: number, found: Set<number>): void {
  for (const { 0: marks, index: start } of text.matchAll(manyMarks)) {
    let at = from + start;
    for (const [i, char] of [...marks].entries()) {
      if (i >= mostMarks) found.add(at);
      at += char.length;
    }
  }
}

/**
 * Splits text into what can be shown as it is and escapes for characters that a
 * person cannot see or would take for others. Line breaks and tabs stay.
 */
export const visible = (text: string): Visible => split(text, false);

/** The same for a name or anything else that has one line: a line break and a tab are escapes, too. A page would draw them as a blank. */
export const visibleInLine = (text: string): Visible => split(text, false, true);

/** Scripts whose letters are joined or kept apart by characters that nobody sees. */
const joining =
  "[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}]";
const afterLetter = new RegExp(`${joining}$`, "u");
const beforeLetter = new RegExp(`^${joining}`, "u");
const afterPicture = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u;
const beforePicture = /^\p{Extended_Pictographic}/u;
const afterSign = /[\p{Extended_Pictographic}0-9#*]$/u;

/** Whether prose has the character at this place by the rules of its script: a blank of typography, a joiner of letters or of a picture. */
function natural(text: string, at: number, char: string): boolean {
  if (char === "\u00a0" || char === "\u202f") return true;
  const before = text.slice(Math.max(0, at - 2), at);
  const after = text.slice(at + 1, at + 3);
  if (char === "\ufe0f") return afterSign.test(before);
  if (char === "\u200d" && afterPicture.test(before) && beforePicture.test(after)) return true;
  return (char === "\u200c" || char === "\u200d") && afterLetter.test(before) && beforeLetter.test(after);
}

/** Whether an unbreakable blank stands where French has one: behind a word, before ; : ? ! » or %, or after «. As in engine/visible. */
const french = (text: string, at: number, char: string): boolean =>
  (char === "\u00a0" || char === "\u202f") && (text[at - 1] === "«" || (/[;:?!»%]/.test(text[at + 1] ?? "") && /\S/.test(text[at - 1] ?? "")));

function split(text: string, calm: boolean, line = false): Visible {
  const pieces: Piece[] = [];
  const kinds = new Set<Exclude<Piece["kind"], "">>();
  const twinsAt = new Set<number>();
  for (let from = 0; from < text.length; ) {
    const next = text.indexOf("\n", from);
    const to = next < 0 ? text.length : next + 1;
    const one = text.slice(from, to);
    if (/[^\0-\x7f]/.test(one)) {
      imitations(one, from, twinsAt);
      imitatedSigns(one, from, twinsAt);
      stackedMarks(one, from, twinsAt);
    }
    from = to;
  }
  let plain = 0;
  let at = 0;
  for (const char of text) {
    const kind = line && (char === "\n" || char === "\t") ? "control" : kindOf(char, twinsAt.has(at));
    if (kind && !(calm && natural(text, at, char)) && !french(text, at, char)) {
      if (plain < at) pieces.push({ text: text.slice(plain, at), kind: "" });
      pieces.push({ text: escaped(char), kind });
      kinds.add(kind);
      plain = at + char.length;
    }
    at += char.length;
  }
  if (plain < text.length) pieces.push({ text: text.slice(plain), kind: "" });
  return { pieces, warnings: [...kinds].map((kind) => sentences[kind]) };
}

function kindOf(char: string, imitates: boolean): Piece["kind"] {
  const code = char.codePointAt(0)!;
  if (code >= 0x20 && code < 0x7f) return "";
  if (code === 0x0a || code === 0x09) return "";
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return "control";
  if (bidi.test(char)) return "bidi";
  if (unseen.test(char)) return "invisible";
  if (oddSpace.test(char)) return "space";
  if (imitates || styled.test(char)) return "look-alike";
  return "";
}

const joined = ({ pieces }: Visible): string => pieces.map((piece) => piece.text).join("");

/** What is visible as one string. */
export const visibleText = (text: string): string => joined(visible(text));

/** The same for a name. */
export const visibleName = (text: string): string => joined(visibleInLine(text));

/** Prose, piece by piece. */
export const visibleProse = (text: string): Visible => split(text, true);

/**
 * Prose as one string: what a person or a model says in whole sentences. What its script and typography need stays, such
 * as the blank before a French colon; what turns, hides or imitates other text is an escape here, too.
 */
export const prose = (text: string): string => joined(visibleProse(text));
