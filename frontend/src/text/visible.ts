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
const unseen = /[\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
const oddSpace = /[^\P{Zs} ]/u;
/** Letters drawn like ASCII ones in another block: full-width and mathematical forms. */
const styled = /[\uff01-\uff5e\u{1d400}-\u{1d7ff}]/u;
const word = /[\p{L}\p{M}\p{Nd}_]+/gu;
const latin = /\p{Script=Latin}/u;
const letter = /\p{L}/u;
/** Letters of other scripts that are drawn like a Latin letter of the same case. */
const twins = new Set("аеорсухіјѕһԁԛԝАВЕКМНОРСТХУІЈЅҮӏονΑΒΕΖΗΙΚΜΝΟΡΤΥΧոսօհցᎪᏴᏟᎬᎻᎫᏦᏞᎷᏢᏚᎢᏙᏔᏃ");

const sentences: Record<Exclude<Piece["kind"], "">, string> = {
  bidi: "Characters that turn the reading direction are hidden in this text.",
  invisible: "Invisible characters are hidden in this text.",
  control: "Control characters are hidden in this text.",
  space: "Unusual spaces are in this text.",
  "look-alike": "Letters that imitate others (mixed scripts) are in this text.",
};

const escaped = (char: string): string => `⟨U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`;

/** Indexes of letters that imitate Latin ones: of another script in a word with Latin letters, or a whole word of twins. */
function imitations(text: string): Set<number> {
  const found = new Set<number>();
  for (const match of text.matchAll(word)) {
    const chars: { char: string; at: number }[] = [];
    let at = match.index;
    for (const char of match[0]) {
      chars.push({ char, at });
      at += char.length;
    }
    const letters = chars.filter(({ char }) => letter.test(char));
    const hasLatin = letters.some(({ char }) => latin.test(char));
    const foreign = letters.filter(({ char }) => !latin.test(char) && char !== "µ" && char !== "º" && char !== "ª");
    const allTwins = foreign.length > 0 && foreign.length === letters.length && foreign.every(({ char }) => twins.has(char));
    if (foreign.length && (hasLatin || allTwins)) for (const entry of foreign) found.add(entry.at);
    const plainDigits = chars.some(({ char }) => /[0-9]/.test(char));
    for (const { char, at: index } of chars) {
      if (/\p{Nd}/u.test(char) && !/[0-9]/.test(char) && (hasLatin || plainDigits)) found.add(index);
    }
  }
  return found;
}

/**
 * Splits text into what can be shown as it is and escapes for characters that a
 * person cannot see or would take for others. Line breaks and tabs stay.
 */
export function visible(text: string): Visible {
  const pieces: Piece[] = [];
  const kinds = new Set<Exclude<Piece["kind"], "">>();
  const twinsAt = imitations(text);
  let plain = 0;
  let at = 0;
  for (const char of text) {
    const kind = kindOf(char, twinsAt.has(at));
    if (kind) {
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

/** The same as one string, for titles and names. */
export const visibleText = (text: string): string => visible(text).pieces.map((piece) => piece.text).join("");
