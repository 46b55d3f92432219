import type { Json } from "@/api/types";
import { t } from "@/text/language";

/** Where a line of YAML stands: the keys that lead to it ("[]" for an item), what stands before the caret, and what is being typed. */
export interface Place {
  path: string[];
  /** The key whose value is typed; null where a key is. */
  key: string | null;
  /** The letters before the caret that a completion replaces. */
  typed: string;
  /** Keys that stand beside this place already. */
  beside: string[];
}

interface Line {
  /** Column of the first key, after dashes. */
  indent: number;
  /** Columns of the dashes before it. */
  dashes: number[];
  key: string | null;
  value: string;
}

function read(line: string): Line | null {
  const [, lead = "", rest = ""] = /^(\s*(?:-\s+)*-?)(.*)$/.exec(line) ?? [];
  if (rest.trim().startsWith("#") || line.trim() === "") return null;
  const dashes = [...lead].flatMap((char, index) => (char === "-" ? [index] : []));
  const [, key, value = ""] = /^([A-Za-z_][\w-]*)\s*:(?:\s+(.*))?$/.exec(rest) ?? [];
  return { indent: dashes.length > 0 && lead.endsWith("-") ? lead.length + 1 : lead.length, dashes, key: key ?? null, value: key ? value : rest };
}

/** Looks only at how lines are indented, so that it works while the text is no YAML yet. */
export function placeAt(text: string, at: number): Place {
  const before = text.slice(0, at).split("\n");
  const current = before.pop() ?? "";
  const [, lead = "", rest = ""] = /^(\s*(?:-\s+)*)(.*)$/.exec(current) ?? [];
  const [, key, value] = /^([A-Za-z_][\w-]*)\s*:\s*(.*)$/.exec(rest) ?? [];
  const own = [...lead].flatMap((char, index) => (char === "-" ? [index] : []));
  const indent = lead.length;
  const path: string[] = [];
  const beside: string[] = [];
  // What is further to the left, from below upwards, leads here.
  let edge = indent;
  let dashes = [...own];
  const close = (column: number) => {
    while (dashes.length > 0 && dashes.at(-1)! >= column) {
      path.unshift("[]");
      edge = dashes.pop()!;
    }
  };
  if (own.length > 0) close(0);
  for (const line of before.reverse()) {
    const one = read(line);
    if (!one) continue;
    if (one.indent === edge && one.dashes.length > 0 && path[0] !== "[]" && one.key !== null) {
      // The first key of the item that this place is in.
      if (edge === indent) beside.push(one.key);
      dashes = [...one.dashes];
      close(0);
      continue;
    }
    if (one.indent === edge && edge === indent && own.length === 0 && one.key !== null && path.length === 0) beside.push(one.key);
    // Items may stand in the column of the key that holds them.
    const holds = one.key !== null && one.value === "" && (one.indent < edge || (one.indent === edge && path[0] === "[]"));
    if (!holds) continue;
    path.unshift(one.key!);
    edge = one.indent;
    dashes = [...one.dashes];
    close(0);
  }
  const list = key === undefined && own.length > 0 && path[0] !== undefined;
  const typed = /[\w.-]*$/.exec(key === undefined ? rest : value!)![0];
  return { path, key: key ?? (list ? "" : null), typed, beside };
}

type Schema = Record<string, Json | undefined>;
const object = (value: Json | undefined): Schema => (value !== null && typeof value === "object" && !Array.isArray(value) ? value : {});

/** The part of a JSON Schema that a path leads to; {} where it says nothing. */
export function schemaAt(root: Schema, path: readonly string[]): Schema {
  const whole = (one: Schema): Schema => {
    const ref = typeof one.$ref === "string" ? /^#\/\$defs\/(\w+)$/.exec(one.$ref)?.[1] : undefined;
    return ref ? object(object(root.$defs)[ref]) : one;
  };
  let here = root;
  for (const step of path) here = whole(step === "[]" ? object(here.items) : object(object(here.properties)[step]));
  return whole(here);
}

export interface Option {
  label: string;
  /** What it is, in a few words. */
  detail: string;
  /** What is typed for it. */
  apply: string;
}

/** Keys that name another node. */
const names = ["to", "from", "default_next", "on_error", "entry", "inherit_context_from"];

/** What may stand at a place. */
export function optionsAt(root: Schema, text: string, place: Place): Option[] {
  const { path, key, beside } = place;
  const at = schemaAt(root, path);
  const values = (schema: Schema, name: string): Option[] => {
    const choices = Array.isArray(schema.enum) ? schema.enum.filter((one): one is string => typeof one === "string") : [];
    if (choices.length > 0) return choices.map((label) => ({ label, detail: "", apply: label }));
    if (schema.type === "boolean") return ["true", "false"].map((label) => ({ label, detail: "", apply: label }));
    if (!names.includes(name)) return [];
    const nodes = [...text.matchAll(/^\s*-\s+name:\s*([\w-]+)\s*$/gm)].map((match) => match[1]!);
    return [...new Set([...nodes, "end"])].map((label) => ({ label, detail: label === "end" ? t("settings.theEnd") : t("settings.aNode"), apply: label }));
  };
  const keys = (schema: Schema): Option[] =>
    Object.entries(object(schema.properties))
      .filter(([name]) => !beside.includes(name))
      .map(([name, one]) => {
        const inner = schemaAt({ ...root, properties: { one } }, ["one"]);
        const needed = Array.isArray(schema.required) && schema.required.includes(name);
        const about = String(inner.description ?? object(one).description ?? "");
        return { label: name, detail: [needed ? t("settings.needed") : "", about.split(/[.;]/)[0]!.slice(0, 70)].filter(Boolean).join(": "), apply: inner.type === "array" || inner.type === "object" ? `${name}:` : `${name}: ` };
      });
  if (key === null) return keys(at);
  // An item of a list: a value, or the first key of an object.
  if (key === "") return at.properties ? keys(at) : values(at, path.findLast((step) => step !== "[]") ?? "");
  return values(schemaAt(root, [...path, key]), key);
}
