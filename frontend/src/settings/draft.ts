/** A text, as far as it is written. */
export interface Scalar {
  is: "text";
  text: string;
}
export interface List {
  is: "list";
  items: Part[];
}
export interface Entries {
  is: "entries";
  of: { key: string; value: Part }[];
}
export type Part = Scalar | List | Entries;

/** Where somebody writes in a YAML text. */
export interface Caret {
  /** What it stands in, from the outside in, each with the step that leads further: a key, or "[]" for an item. */
  trail: { part: List | Entries; step: string }[];
  /** The entries that get another key here; null where a value is written. */
  keysOf: Entries | null;
  /** What is written before it of this key or value. */
  before: string;
  /** The value stands on the line of its key, or between brackets. */
  inline: boolean;
  /** It stands between brackets. */
  flow: boolean;
  /** The quote or the sign before it, if it is no plain text: ", ', | or >. */
  quote: string;
  /** The colon before it has no space behind it yet. */
  tight: boolean;
}

export interface Draft {
  root: Part;
  /** null where nothing can be written, as in a comment. */
  caret: Caret | null;
}

/** Stands for the caret while the text is read; no text has it. */
const MARK = "\uE000";
/** Lists and entries inside each other that are looked into. */
const DEEPEST = 60;

const blank = (): Scalar => ({ is: "text", text: "" });
const isBlank = (line: string) => /^\s*(#.*)?$/.test(line);
const indentOf = (line: string) => line.length - line.trimStart().length;

/**
 * Reads YAML that is being written: it need not be whole. What is indented no further than the key around it ends a bracket or
 * quote that nobody closed. Nothing is refused; what cannot be understood is passed over.
 */
export function readDraft(text: string, at: number): Draft {
  const reader = new Reader(`${text.slice(0, at).replaceAll(MARK, " ")}${MARK}${text.slice(at).replaceAll(MARK, " ")}`);
  return { root: reader.document(), caret: reader.caret };
}

class Reader {
  caret: Caret | null = null;
  private readonly lines: string[];
  /** Where each line begins. */
  private readonly starts: number[] = [];
  private line = 0;
  private column = 0;
  private trail: Caret["trail"] = [];

  constructor(private readonly text: string) {
    this.lines = text.split("\n");
    let start = 0;
    for (const line of this.lines) {
      this.starts.push(start);
      start += line.length + 1;
    }
  }

  document(): Part {
    this.next(0);
    let root: Part = blank();
    while (this.line < this.lines.length) {
      const part = this.rest.startsWith("{") ? this.value(-1, false) : /^-(\s|$)/.test(this.rest) ? this.list() : this.entries();
      if (root.is === "text") root = part;
    }
    return root;
  }

  /** The first line from this one on that says something. */
  private next(from: number): void {
    this.line = from;
    while (this.line < this.lines.length && isBlank(this.lines[this.line]!)) this.line++;
    this.column = indentOf(this.lines[this.line] ?? "");
  }

  private get rest(): string {
    return (this.lines[this.line] ?? "").slice(this.column);
  }

  private within<T>(part: List | Entries, step: string, read: () => T): T {
    this.trail.push({ part, step });
    const out = read();
    this.trail.pop();
    return out;
  }

  private found(what: Partial<Caret>): void {
    this.caret ??= { trail: [...this.trail], keysOf: null, before: "", inline: true, flow: false, quote: "", tight: false, ...what };
  }

  /** What begins here and is indented further than its parent. */
  private block(parent: number): Part {
    if (this.trail.length < DEEPEST && /^-(\s|$)/.test(this.rest)) return this.list();
    if (this.trail.length < DEEPEST && (keyIn(this.rest) || this.begun())) return this.entries();
    return this.value(parent, false);
  }

  /** Whether this is a key that is being written above others. */
  private begun(): boolean {
    if (!/^[\w\uE000-]+$/.test(this.rest)) return false;
    let line = this.line + 1;
    while (line < this.lines.length && isBlank(this.lines[line]!)) line++;
    const below = this.lines[line] ?? "";
    return indentOf(below) === this.column && keyIn(below.trimStart()) !== null;
  }

  private list(): List {
    const out: List = { is: "list", items: [] };
    const { column } = this;
    while (this.line < this.lines.length && this.column === column && /^-(\s|$)/.test(this.rest)) {
      const [dash] = /^-\s*/.exec(this.rest)!;
      this.column += dash.length;
      out.items.push(this.within(out, "[]", () => this.following(column, false)));
      this.passOver(column);
    }
    return out;
  }

  private entries(): Entries {
    const out: Entries = { is: "entries", of: [] };
    const { column } = this;
    while (this.line < this.lines.length && this.column === column) {
      const found = keyIn(this.rest);
      if (!found) {
        if (/^-(\s|$)/.test(this.rest)) break;
        this.word(out);
      } else {
        const key = this.named(found.key, out);
        this.column += found.length;
        out.of.push({ key, value: this.within(out, key, () => this.following(column, true)) });
      }
      this.passOver(column);
    }
    return out;
  }

  /** A line of entries that is no entry yet. */
  private word(of: Entries): void {
    const at = this.rest.indexOf(MARK);
    if (at >= 0 && !/["'#[{]/.test(this.rest.slice(0, at))) this.found({ keysOf: of, before: this.rest.slice(0, at), inline: false });
    this.next(this.line + 1);
  }

  private named(key: string, of: Entries, flow = false): string {
    const at = key.indexOf(MARK);
    if (at >= 0) this.found({ keysOf: of, before: key.slice(0, at), inline: flow, flow });
    return key.replace(MARK, "");
  }

  /** Lines that belong to what was read and do not fit into it. */
  private passOver(column: number): void {
    while (this.line < this.lines.length && this.column > column) this.next(this.line + 1);
  }

  /** The value behind a dash or a colon, on the same line or below. */
  private following(parent: number, ofKey: boolean): Part {
    if (!isBlank(this.rest)) return ofKey ? this.value(parent, true) : this.block(parent);
    this.next(this.line + 1);
    if (this.line >= this.lines.length) return blank();
    // Items may stand in the column of the key that holds them.
    if (this.column > parent || (ofKey && this.column === parent && /^-(\s|$)/.test(this.rest))) return this.block(parent);
    return blank();
  }

  /** Where what begins on this line ends at the latest: before the next line that is indented no further than its parent. */
  private limit(parent: number): number {
    for (let line = this.line + 1; line < this.lines.length; line++) {
      const one = this.lines[line]!;
      if (!isBlank(one) && indentOf(one) <= parent && !/^\s*[\]}]/.test(one)) return this.starts[line]! - 1;
    }
    return this.text.length;
  }

  private value(parent: number, inline: boolean): Part {
    const from = this.starts[this.line]! + this.column;
    const to = this.limit(parent);
    const { rest } = this;
    const tight = inline && rest.startsWith(MARK) && this.lines[this.line]![this.column - 1] === ":";
    if (/^[|>][-+0-9]*\s*(#.*)?$/.test(rest)) {
      const begin = Math.min(to, from + rest.length + 1);
      const text = this.text.slice(begin, to);
      if (text.includes(MARK)) this.found({ before: text.slice(0, text.indexOf(MARK)), quote: rest[0]! });
      this.after(to);
      return { is: "text", text: text.replace(MARK, "") };
    }
    const flow = new Flow(this.text, from, to, this.trail, (caret) => this.found({ inline, tight, ...caret }));
    let part: Part;
    if (/^["'[{]/.test(rest)) {
      part = flow.value();
      this.after(flow.at);
      return part;
    }
    const plain = rest.replace(/\s#.*$/, "");
    const more = this.text.slice(from + rest.length, to);
    const at = `${plain}${more}`.indexOf(MARK);
    if (at >= 0) this.found({ before: `${plain}${more}`.slice(0, at), inline, tight });
    part = { is: "text", text: `${plain}${more}`.replace(MARK, "").trim().replace(/\s+/g, " ") };
    this.after(to);
    return part;
  }

  /** Goes on with the first line that begins behind a place. */
  private after(place: number): void {
    let line = this.line;
    while (line < this.lines.length && this.starts[line]! < place) line++;
    this.next(Math.max(line, this.line + 1));
  }
}

/** The key that a line begins with, and its length with the colon and the spaces behind it. */
function keyIn(rest: string): { key: string; length: number } | null {
  const match = /^(?:"([^"]*)"|'([^']*)'|([^\s"'#[\]{},&*!|>%@`](?:[^:#[\]{}]|:(?=[^\s\uE000])){0,200}?))\s*:(?:\s+|$|(?=\uE000))/.exec(rest);
  return match && { key: match[1] ?? match[2] ?? match[3]!, length: match[0].length };
}

/** Reads what stands between brackets or quotes. */
class Flow {
  constructor(private readonly text: string, public at: number, private readonly to: number, private readonly trail: Caret["trail"], private readonly found: (caret: Partial<Caret>) => void) {}

  value(): Part {
    const first = this.text[this.at];
    if (this.at >= this.to || first === undefined) return blank();
    if (first === '"' || first === "'") return this.quoted(first);
    if (this.trail.length >= DEEPEST) {
      this.at = this.to;
      return blank();
    }
    if (first === "[") return this.list();
    if (first === "{") return this.entries();
    return this.plain(/[,[\]{}\n]|:(?=[\s,[\]{}"']|$)|\s#/g);
  }

  private inside(part: List | Entries, step: string): Part {
    this.trail.push({ part, step });
    const out = this.value();
    this.trail.pop();
    return out;
  }

  private list(): List {
    const out: List = { is: "list", items: [] };
    this.at++;
    for (;;) {
      this.space();
      if (this.done("]}")) break;
      if (this.text[this.at] === "," || this.text[this.at] === ":") this.at++;
      else out.items.push(this.inside(out, "[]"));
    }
    if (this.text[this.at] === "]" && this.at < this.to) this.at++;
    return out;
  }

  private entries(): Entries {
    const out: Entries = { is: "entries", of: [] };
    this.at++;
    for (;;) {
      this.space();
      if (this.done("]}")) break;
      if (this.text[this.at] === "," || this.text[this.at] === ":") {
        this.at++;
        continue;
      }
      const key = this.key(out);
      this.space();
      if (this.at < this.to && this.text[this.at] === ":") {
        this.at++;
        const tight = this.text[this.at] === MARK;
        this.space();
        const entry = { key, value: blank() as Part };
        out.of.push(entry);
        if (!this.done(",]}")) entry.value = tight ? this.tight(out, key) : this.inside(out, key);
      }
    }
    if (this.text[this.at] === "}" && this.at < this.to) this.at++;
    return out;
  }

  private tight(out: Entries, key: string): Part {
    this.trail.push({ part: out, step: key });
    this.found({ flow: true, tight: true });
    this.trail.pop();
    return this.inside(out, key);
  }

  private key(of: Entries): string {
    const first = this.text[this.at]!;
    if (first === '"' || first === "'") return this.quoted(first).text;
    if (first === "[" || first === "{") {
      this.value();
      return "";
    }
    const end = this.end(/[,[\]{}\n]|:(?=[\s,[\]{}"'\uE000]|$)/g);
    const key = this.text.slice(this.at, end);
    const mark = key.indexOf(MARK);
    if (mark >= 0) this.found({ keysOf: of, before: key.slice(0, mark), inline: true, flow: true });
    this.at = Math.max(end, this.at + (end === this.at ? 1 : 0));
    return key.replace(MARK, "").trim();
  }

  private end(stop: RegExp): number {
    stop.lastIndex = this.at;
    const match = stop.exec(this.text);
    return Math.min(this.to, match ? match.index : this.to);
  }

  private plain(stop: RegExp): Scalar {
    const end = this.end(stop);
    const text = this.text.slice(this.at, end);
    const mark = text.indexOf(MARK);
    if (mark >= 0) this.found({ before: text.slice(0, mark), inline: true, flow: true });
    this.at = end === this.at ? end + 1 : end;
    return { is: "text", text: text.replace(MARK, "").trim() };
  }

  private quoted(quote: string): Scalar {
    let end = this.at + 1;
    for (; end < this.to; end++) {
      if (quote === '"' && this.text[end] === "\\") end++;
      else if (this.text[end] === quote) {
        if (quote === "'" && this.text[end + 1] === "'") end++;
        else break;
      }
    }
    const text = this.text.slice(this.at + 1, Math.min(end, this.to));
    const mark = text.indexOf(MARK);
    if (mark >= 0) this.found({ before: text.slice(0, mark), inline: true, flow: true, quote });
    this.at = Math.min(this.to, end + 1);
    return { is: "text", text: text.replace(MARK, "") };
  }

  /** Spaces, ends of lines and comments. */
  private space(): void {
    while (this.at < this.to && /\s/.test(this.text[this.at]!)) this.at++;
    if (this.at < this.to && this.text[this.at] === "#") {
      while (this.at < this.to && this.text[this.at] !== "\n") this.at++;
      this.space();
    }
  }

  private done(closers: string): boolean {
    return this.at >= this.to || closers.includes(this.text[this.at]!);
  }
}

/** The value of a key; the first where it stands twice. */
export function get(part: Part | undefined, key: string): Part | undefined {
  return part?.is === "entries" ? part.of.find((one) => one.key === key)?.value : undefined;
}

/** The text of a key; "" where there is none. */
export function textOf(part: Part | undefined, key: string): string {
  const value = get(part, key);
  return value?.is === "text" ? value.text : "";
}

export const keysOf = (part: Part | undefined): string[] => (part?.is === "entries" ? part.of.map(({ key }) => key).filter(Boolean) : []);
export const itemsOf = (part: Part | undefined): Part[] => (part?.is === "list" ? part.items : []);
export const textsOf = (part: Part | undefined): string[] => itemsOf(part).flatMap((one) => (one.is === "text" && one.text ? [one.text] : []));
