import type { Json } from "@/api/types";
import { t } from "@/text/language";
import { type Caret, type Entries, get, itemsOf, keysOf, type Part, readDraft, textOf, textsOf } from "./draft";

type Schema = Record<string, Json | undefined>;

/** What a graph may name besides its own nodes and keys, as the program has it. Schemas are of JSON Schema. */
export interface Words {
  kinds: { kind: string; fields: string[]; writes: string[]; within?: string[]; reads?: string[]; output?: Json }[];
  tools: { name: string; title?: string; description: string; mutates: boolean; parameters: Json }[];
  skills: string[];
  patterns: { pattern: string; with: Record<string, Json>; outputs: string[] }[];
  functions: string[];
  /** Keys that every run has, with their members. */
  keys: Record<string, string[]>;
  events: { event: string; words: Record<string, string[]> }[];
}

export interface Option {
  label: string;
  /** What it is, in a few words. */
  detail: string;
  /** What is typed for it. */
  apply: string;
}

/** The longest explanation that is shown whole beside what may stand somewhere. */
const LONG = 110;

/** An explanation as it is, or its beginning up to a word. */
function brief(about: string): string {
  return about.length <= LONG ? about : `${about.slice(0, about.lastIndexOf(" ", LONG))}…`;
}

export interface Offer {
  /** Where what an option replaces begins. */
  from: number;
  options: Option[];
  /** Something has to stand here, so it is offered before a letter is typed. */
  expected: boolean;
}

const object = (value: Json | undefined): Schema => (value !== null && typeof value === "object" && !Array.isArray(value) ? value : {});

/** A part as the value that it stands for; all that is no list and no entries is a text. */
function plain(part: Part | undefined): Json {
  if (part?.is === "list") return part.items.map(plain);
  if (part?.is === "entries") return Object.fromEntries(part.of.map(({ key, value }) => [key, plain(value)]));
  return part?.text ?? "";
}

/** The node, edge or rule around a place, with the lists and entries that hold it, from the outside in. */
interface Around {
  what: "node" | "edge" | "rule";
  part: Entries;
  /** What holds the list that it stands in. */
  holder: Part;
  list: Part;
}

/** What the schema says of a place. */
interface Spot {
  schema: Schema;
  /** What a text here names; see x-holds. */
  holds: string;
  around: Around[];
}

/** What may stand where somebody writes; null where nothing is known to. */
export function offersAt(root: Json | null, words: Words | null, text: string, at: number): Offer | null {
  const schema = object(root ?? undefined);
  const { root: whole, caret } = readDraft(text, at);
  if (!caret || Object.keys(schema).length === 0) return null;
  return new Place(schema, words, whole, caret).offer(at);
}

class Place {
  private readonly spot: Spot;
  private readonly nodes: Entries[] = [];

  constructor(private readonly root: Schema, private readonly words: Words | null, private readonly whole: Part, private readonly caret: Caret) {
    this.collect(get(whole, "nodes"));
    this.spot = this.walk();
  }

  private collect(list: Part | undefined): void {
    for (const one of itemsOf(list)) {
      if (one.is !== "entries") continue;
      this.nodes.push(one);
      this.collect(get(one, "nodes"));
      this.collect(get(one, "pool"));
    }
  }

  private resolve(one: Schema): Schema {
    const ref = typeof one.$ref === "string" ? /^#\/\$defs\/(\w+)$/.exec(one.$ref)?.[1] : undefined;
    return ref ? object(object(this.root.$defs)[ref]) : one;
  }

  private walk(): Spot {
    const defs = object(this.root.$defs);
    let here = this.root;
    let deep = "";
    const around: Around[] = [];
    const { trail } = this.caret;
    trail.forEach(({ part, step }, index) => {
      const of = (["node", "edge", "rule"] as const).find((name) => here === defs[name]);
      if (part.is === "entries" && of && index >= 2) around.push({ what: of, part, holder: trail[index - 2]!.part, list: trail[index - 1]!.part });
      const held = here["x-holds"];
      const node = around.findLast(({ what }) => what === "node")?.part;
      if (held === "arguments" || held === "with") {
        deep = "template";
        here = object(held === "arguments" ? this.tool(node)?.parameters : { properties: this.pattern(node)?.with });
      } else if (held === "templates") deep = "template";
      const next = step === "[]" ? here.items : (object(here.properties)[step] ?? here.additionalProperties);
      here = this.resolve(object(next));
    });
    // The entries that a key is written into are not on the trail.
    const { keysOf: open } = this.caret;
    const of = (["node", "edge", "rule"] as const).find((name) => here === defs[name]);
    if (open && of && trail.length >= 2) around.push({ what: of, part: open, holder: trail.at(-2)!.part, list: trail.at(-1)!.part });
    const held = typeof here["x-holds"] === "string" ? here["x-holds"] : "";
    const node = around.findLast(({ what }) => what === "node")?.part;
    if (held === "arguments") return { schema: object(this.tool(node)?.parameters), holds: "", around };
    if (held === "with") return { schema: { properties: this.pattern(node)?.with }, holds: "", around };
    return { schema: here, holds: deep || held, around };
  }

  private get node(): Entries | undefined {
    return this.spot.around.findLast(({ what }) => what === "node")?.part;
  }
  private tool(node: Part | undefined) {
    return this.words?.tools.find(({ name }) => name === textOf(node, "tool"));
  }
  private pattern(node: Part | undefined) {
    return this.words?.patterns.find(({ pattern }) => pattern === textOf(node, "use"));
  }
  private kind(node: Part | undefined) {
    return this.words?.kinds.find(({ kind }) => kind === textOf(node, "kind"));
  }

  offer(at: number): Offer | null {
    const { caret, spot } = this;
    const { before } = caret;
    if (caret.keysOf) return this.found(at, /[\w.-]*$/, this.keys(caret.keysOf), false);
    if (spot.holds === "template" || spot.holds === "templates" || spot.holds === "answer") {
      const open = before.lastIndexOf("{{");
      if (open >= 0 && before.indexOf("}}", open) < 0) return this.expression(at, before.slice(open + 2));
    }
    // Entries begin with a key: on a line of their own, or as an item.
    if (!caret.quote && !caret.inline && (spot.schema.properties || spot.holds === "")) {
      const keys = this.keys({ is: "entries", of: [] });
      if (keys.length > 0) return this.found(at, /[\w.-]*$/, keys, false);
    }
    if (spot.holds === "expression") return this.expression(at, before);
    if (spot.holds === "key") return this.path(at, before);
    return this.found(at, /[\w.*-]*$/, this.values(), true);
  }

  private found(at: number, typed: RegExp, options: Option[], expected: boolean): Offer | null {
    const begun = typed.exec(this.caret.before)![0];
    // What stands before is part of the value, too, so no value can begin here.
    if (!this.caret.quote && this.caret.before.trim() !== begun) return null;
    const lead = this.caret.tight && begun === "" ? " " : "";
    return options.length > 0 ? { from: at - begun.length, options: lead ? options.map((one) => ({ ...one, apply: lead + one.apply })) : options, expected } : null;
  }

  /** Keys of entries that they do not have yet. */
  private keys(of: Entries): Option[] {
    const { schema } = this.spot;
    const there = keysOf(of);
    const needed = Array.isArray(schema.required) ? schema.required : [];
    const kind = schema === object(this.root.$defs).node ? this.kind(of) : undefined;
    return Object.entries(object(schema.properties))
      .filter(([name]) => !there.includes(name) && (!kind || kind.fields.includes(name)))
      .map(([name, one]) => {
        const inner = this.resolve(object(one));
        const about = String(object(one).description ?? inner.description ?? "");
        const opens = !this.caret.flow && (inner.type === "array" || inner.type === "object");
        return { label: name, detail: [needed.includes(name) ? t("settings.needed") : "", brief(about)].filter(Boolean).join(": "), apply: opens ? `${name}:` : `${name}: ` };
      });
  }

  private values(): Option[] {
    const { schema, holds } = this.spot;
    const there = this.caret.trail.at(-1)?.part;
    const once = (options: Option[]) => (there?.is === "list" ? options.filter(({ label }) => !textsOf(there).includes(label)) : options);
    const plainly = (labels: readonly string[], detail = "") => once(labels.map((label) => ({ label, detail, apply: label })));
    if (Array.isArray(schema.enum)) return plainly(schema.enum.map((one) => (typeof one === "string" ? one : JSON.stringify(one))));
    if (schema.type === "boolean") return plainly(["true", "false"]);
    const tools = (this.words?.tools ?? []).map(({ name, title, description }) => ({ label: name, detail: title || brief(description), apply: name }));
    const all = { label: "*", detail: t("settings.allOfThem"), apply: this.caret.quote ? "*" : '"*"' };
    switch (holds) {
      case "tool": return tools;
      case "tools": return once([...tools, all]);
      case "skills": return [...plainly(this.words?.skills ?? []), ...once([all])];
      case "pattern_output": return plainly(this.pattern(this.node)?.outputs ?? []);
      default: return once(this.places(holds));
    }
  }

  /** Nodes that may be named. */
  private places(holds: string): Option[] {
    const inner = this.spot.around.at(-1);
    const own = textOf(this.node, "name");
    const list = inner?.what === "edge" ? get(inner.holder, "nodes") : this.spot.around.findLast(({ what }) => what === "node")?.list;
    const names = (of: Part | undefined) => itemsOf(of).flatMap((one) => textOf(one, "name") || []);
    const offered = (() => {
      switch (holds) {
        case "next": return [...names(list).filter((name) => name !== own), "end"];
        case "other": return names(list).filter((name) => name !== own);
        case "way": return [...names(list), "end"];
        case "node": return names(list);
        case "inner": return names(get(inner?.part ?? this.whole, "nodes"));
        case "any_node": return this.nodes.flatMap((one) => textOf(one, "name") || []);
        default: return [];
      }
    })();
    return [...new Set(offered)].map((label) => ({ label, detail: label === "end" ? t("settings.theEnd") : t("settings.aNode"), apply: label }));
  }

  /** Keys of the context, each with what it is and the schema of its value as far as that is known. */
  private context(): Map<string, { detail: string; of: Schema; members: string[] }> {
    const out = new Map<string, { detail: string; of: Schema; members: string[] }>();
    const put = (key: string, detail: string, of: Schema = {}, members: string[] = []) => key && !out.has(key) && out.set(key, { detail, of, members });
    for (const [key, members] of Object.entries(this.words?.keys ?? {})) put(key, t("settings.ofEveryRun"), key === "vars" ? { properties: object(plain(get(this.whole, "vars"))) } : {}, members);
    const rule = this.spot.around.findLast(({ what }) => what === "rule")?.part;
    for (const [word, members] of Object.entries(this.words?.events.find(({ event }) => event === textOf(rule, "event"))?.words ?? {})) put(word, t("settings.ofTheEvent"), {}, members);
    if (rule && this.words && !textOf(rule, "event")) for (const { words } of this.words.events) for (const [word, members] of Object.entries(words)) put(word, t("settings.ofTheEvent"), {}, members);
    for (const word of this.kind(this.node)?.reads ?? []) put(word, t("settings.ofThisNode"));
    if (this.spot.holds === "answer") put("output", t("settings.ofThisNode"), this.output(this.node));
    for (const node of this.nodes) {
      const name = textOf(node, "name");
      const kind = this.kind(node);
      const detail = t("settings.writtenBy", { node: name });
      put(textOf(node, "output"), detail, this.output(node));
      for (const ending of (name && kind?.writes) || []) put(name + ending, detail, ending === kind!.writes[0] ? this.output(node) : {});
      if (name && !kind) put(`${name}_output`, detail, this.output(node));
      for (const key of [...keysOf(get(node, "before")), ...keysOf(get(node, "takes"))]) put(key, detail);
      // Counted inside of it only.
      if (this.spot.around.some(({ part }) => part === node) && this.node !== node) for (const ending of kind?.within ?? []) put(name + ending, detail);
    }
    for (const one of itemsOf(get(this.whole, "rules"))) for (const key of /^(before|after)_node$/.test(textOf(one, "event")) ? keysOf(get(one, "set")) : []) put(key, t("settings.writtenBy", { node: textOf(one, "name") }));
    return out;
  }

  /** The schema of what a node puts out, as far as it is known. */
  private output(node: Part | undefined): Schema {
    const answers = textsOf(get(node, "answers"));
    if (answers.length > 0) return { type: "string", enum: answers };
    for (const field of ["output_schema", "answer"]) if (get(node, field)?.is === "entries") return object(plain(get(node, field)));
    return object(this.kind(node)?.output);
  }

  /** What a path leads to: the names of its members, and the values that it may have. */
  private inside(path: readonly string[]): { members: string[]; values: string[] } {
    const one = this.context().get(path[0] ?? "");
    if (!one) return { members: [], values: [] };
    let { of } = one;
    for (const step of path.slice(1)) of = object(/^\d+$/.test(step) ? of.items : object(of.properties)[step]);
    const values = Array.isArray(of.enum) ? of.enum.filter((each): each is string => typeof each === "string") : [];
    return { members: [...new Set([...(path.length === 1 ? one.members : []), ...Object.keys(object(of.properties))])], values };
  }

  /** A path into the context, as inputs have it. */
  private path(at: number, before: string): Offer | null {
    const [, lead = "", typed = ""] = /^((?:\w+\.)*)(\w*)$/.exec(before.trimStart()) ?? [];
    if (before.trimStart() !== lead + typed) return null;
    const there = this.caret.trail.at(-1)?.part;
    const options = lead
      ? this.inside(lead.split(".").slice(0, -1)).members.map((label) => ({ label, detail: "", apply: label }))
      : [...this.context()].filter(([label]) => !textsOf(there).includes(label)).map(([label, { detail }]) => ({ label, detail, apply: label }));
    return options.length > 0 ? { from: at - typed.length, options, expected: true } : null;
  }

  /** What may go on an expression. */
  private expression(at: number, written: string): Offer | null {
    const text = this.caret.quote === '"' ? written.replaceAll('\\"', '"') : this.caret.quote === "'" ? written.replaceAll("''", "'") : written;
    const quote = openQuote(text);
    const plainly = (labels: readonly string[]) => labels.map((label) => ({ label, detail: "", apply: label }));
    const [, lead = "", typed = ""] = /((?:[A-Za-z_]\w*(?:\[\d+\])?\??\.)*)([A-Za-z_]\w*)?$/.exec(text) ?? [];
    const offer = (begun: string, options: Option[]): Offer | null => (options.length > 0 ? { from: at - begun.length, options, expected: lead !== "" || text.trim() === "" } : null);
    if (quote >= 0) {
      const [, path] = /([A-Za-z_][\w?.]*)\s*(?:==|!=)\s*$/.exec(text.slice(0, quote)) ?? [];
      return path ? offer(text.slice(quote + 1), plainly(this.inside(path.split(/\??\./)).values)) : null;
    }
    const ahead = text.slice(0, text.length - lead.length - typed.length);
    if (lead) return offer(typed, plainly(this.inside(lead.replace(/\[(\d+)\]/g, ".$1").split(/\??\./).filter(Boolean)).members));
    if (/[\w#\]]$/.test(ahead)) return null;
    // The older form of templates has a point before its keys.
    if (ahead.endsWith(".")) return /(^|[\s(])\.$/.test(ahead) ? offer(typed, [...this.context()].map(([label, { detail }]) => ({ label, detail, apply: label }))) : null;
    return offer(typed, [
      ...[...this.context()].map(([label, { detail }]) => ({ label, detail, apply: label })),
      ...(this.words?.functions ?? []).map((label) => ({ label, detail: t("settings.aFunction"), apply: `${label}(` })),
    ]);
  }
}

/** Where a text inside an expression was begun and not ended; -1 where none was. */
function openQuote(text: string): number {
  let at = -1;
  for (let i = 0; i < text.length; i++) {
    if (at < 0 ? `'"\``.includes(text[i]!) : text[i] === text[at]) at = at < 0 ? i : -1;
  }
  return at;
}
