import { recordKinds } from "@/records/kinds";
import type { Box, Form } from "./types";

/** What a box was before a reviewer changed the request; undefined for one that stayed. */
export type Before = ReadonlyMap<string, Box | null>;

const same = (a: Box, b: Box) => a.value === b.value && a.status === b.status && a.source === b.source && (a.unit ?? "") === (b.unit ?? "");

/** The boxes that differ from those of an earlier form; null for one that it did not have. */
export function changedBoxes(form: Form, before: Form | null | undefined): Before {
  const changed = new Map<string, Box | null>();
  if (!before) return changed;
  const old = new Map(before.boxes.map((box) => [box.id, box]));
  for (const box of form.boxes) {
    const was = old.get(box.id);
    if (!was) changed.set(box.id, null);
    else if (!same(was, box)) changed.set(box.id, was);
  }
  return changed;
}

/** Boxes that an earlier form had and this one has not. */
export const goneBoxes = (form: Form, before: Form | null | undefined): Box[] => (before?.boxes ?? []).filter((box) => !form.boxes.some(({ id }) => id === box.id));

/** What may be a record, TYPE/ID; which types there are, the registry says. */
const named = /\b([A-Z][A-Za-z]*)\/([A-Za-z0-9][A-Za-z0-9.-]*[A-Za-z0-9]|[A-Za-z0-9])/g;

/** The parts of a source: plain text, and records that it names. */
export function partsOf(source: string): { text: string; ref?: [string, string] }[] {
  const parts: { text: string; ref?: [string, string] }[] = [];
  let end = 0;
  for (const found of source.matchAll(named)) {
    if (!Object.hasOwn(recordKinds(), found[1]!)) continue;
    if (found.index > end) parts.push({ text: source.slice(end, found.index) });
    parts.push({ text: found[0], ref: [found[1]!, found[2]!] });
    end = found.index + found[0].length;
  }
  if (end < source.length) parts.push({ text: source.slice(end) });
  return parts;
}

/** The records that a form is made of, each once: its subject first. */
export function recordsOf(form: Form): [string, string][] {
  const seen = new Map<string, [string, string]>();
  for (const text of [form.subject, ...form.boxes.map(({ source }) => source)])
    for (const { ref } of partsOf(text)) if (ref) seen.set(ref.join("/"), ref);
  return [...seen.values()];
}
