import type { Approval, Json } from "@/api/types";
import { isInstant } from "@/text/zone";

export interface Argument {
  name: string;
  value: string;
}

/** Canonical text of a JSON value: keys sorted, indented for reading. */
export function pretty(value: Json | undefined): string {
  return JSON.stringify(sorted(value ?? null), null, 2);
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (value && typeof value === "object") {
    const keys = Object.keys(value).sort();
    return Object.fromEntries(keys.map((key) => [key, sorted(value[key] ?? null)]));
  }
  return value;
}

const isObject = (value: Json | undefined): value is Record<string, Json> =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** Arguments by name, each value in full. */
export function argumentsOf(args: Json): Argument[] {
  if (!isObject(args)) return [{ name: "arguments", value: pretty(args) }];
  return Object.keys(args).sort().map((name) => {
    const value = args[name] ?? null;
    return { name, value: typeof value === "string" ? value : pretty(value) };
  });
}

/** What people call the record that a value names, as TYPE/ID or by its id alone; "" for none. */
export function nameOf(value: string, names: Record<string, string> | null | undefined): string {
  const found = Object.entries(names ?? {}).filter(([ref]) => ref === value || ref.slice(ref.indexOf("/") + 1) === value);
  return found.length === 1 ? found[0]![1] : "";
}

/** What the server wants displayed, or the same computed from the arguments. */
export const shownArguments = (approval: Approval): Argument[] => approval.display?.args ?? argumentsOf(approval.args);

/**
 * Whether the changes say every argument: those of a call that changes records mostly are there again, under the
 * records' own names. Yes and no, and short texts, could be there by chance: they are said by nothing else.
 */
export function saidBy({ args, changes, summary }: Approval): boolean {
  if (!changes?.length || !isObject(args)) return false;
  const after = changes.flatMap((change) => [...leaves(change.after)]);
  const texts = new Set([...after.map(([, value]) => value), ...changes.map(({ ref }) => `${ref.type}/${ref.id}`)]);
  const ids = new Set([...texts].map((text) => /^[A-Z][A-Za-z]+\/([^/]+)$/.exec(text)?.[1] ?? ""));
  const instants = new Set([...texts, ...(summary ?? []).flatMap(({ from, until }) => [from ?? "", until ?? ""])].filter(isInstant).map((text) => Date.parse(text)));
  return [...leaves(args)].every(([path, value]) => {
    if (value === "null" || value === "" || value === "[]" || value === "{}") return true;
    if (isInstant(value)) return instants.has(Date.parse(value));
    if (value.length >= 3 && value !== "true" && value !== "false" && !/^-?[\d.]+$/.test(value)) return texts.has(value) || ids.has(value);
    const name = plainly(path);
    return after.some(([where, text]) => text === value && plainly(where) === name);
  });
}

const plainly = (path: string) => path.split(".").at(-1)!.replace(/[_[\]]/g, "").toLowerCase();

export interface Difference {
  path: string;
  before: string | null;
  after: string | null;
}

/** Leaves of before and after side by side; only what differs unless all is asked for. */
export function differences(before: Json, after: Json): { changed: Difference[]; same: number } {
  const left = leaves(before);
  const right = leaves(after);
  const changed: Difference[] = [];
  let same = 0;
  for (const path of new Set([...left.keys(), ...right.keys()])) {
    const was = left.get(path) ?? null;
    const is = right.get(path) ?? null;
    if (was === is) same++;
    else changed.push({ path, before: was, after: is });
  }
  return { changed, same };
}

function leaves(value: Json, path = "", into = new Map<string, string>()): Map<string, string> {
  if (value === null || value === undefined) {
    if (path) into.set(path, "null");
  } else if (Array.isArray(value)) {
    if (!value.length) into.set(path, "[]");
    value.forEach((entry, index) => leaves(entry, `${path}[${index}]`, into));
  } else if (typeof value === "object") {
    const keys = Object.keys(value);
    if (!keys.length && path) into.set(path, "{}");
    for (const key of keys) leaves(value[key] ?? null, path ? `${path}.${key}` : key, into);
  } else into.set(path || "value", typeof value === "string" ? value : JSON.stringify(value));
  return into;
}
