import { Plus, Trash2 } from "lucide-react";
import { useId } from "react";
import type { Json } from "@/api/types";
import { IconButton } from "@/ui/Button";
import { Field, inputLook } from "@/ui/Field";
import { visibleText } from "@/text/visible";
import type { Entry, Form } from "./types";

const words = {
  title: "Boxes filled in by you",
  hint: "A value goes in with where it is from: a record, a document, or who said it. Without a source it is refused.",
  add: "Fill in a box",
  choose: "Choose a box…",
  missing: "Missing",
  filled: "Filled from the records",
  value: (label: string) => `${label}: value`,
  source: (label: string) => `${label}: source`,
  remove: (label: string) => `Take ${label} out`,
};

const entry = (one: Json): Entry => {
  const { box, value, source } = one !== null && typeof one === "object" && !Array.isArray(one) ? one : {};
  return { box: String(box ?? ""), value: value === undefined || value === null ? "" : String(value), source: String(source ?? "") };
};

/** Values for boxes of a form, one row each. */
export function Boxes({ form, value, change }: { form: Form; value: Json | undefined; change(value: Json | undefined): void }) {
  const id = useId();
  const entries = Array.isArray(value) ? value.map(entry) : [];
  const put = (next: Entry[]) => change(next.length > 0 ? (next as unknown as Json) : undefined);
  const set = (index: number, part: Partial<Entry>) => put(entries.map((one, i) => (i === index ? { ...one, ...part } : one)));
  const label = (box: string) => {
    const found = form.boxes.find((one) => one.id === box);
    return visibleText(found ? found.label : `box ${box}`);
  };
  const free = form.boxes.filter((box) => !entries.some((one) => one.box === box.id));
  const group = (title: string, status: (one: string) => boolean) => {
    const boxes = free.filter((box) => status(box.status));
    return boxes.length > 0 && <optgroup label={title}>{boxes.map((box) => <option key={box.id} value={box.id}>{visibleText(`${box.id.split(".")[0]} ${box.label}`)}</option>)}</optgroup>;
  };
  return (
    <fieldset className="space-y-3">
      <legend className="text-sm font-medium">{words.title}</legend>
      <p className="text-xs text-ink-2">{words.hint}</p>
      {entries.map((one, index) => (
        <div key={one.box} className="grid items-start gap-2 sm:grid-cols-[1fr_1fr_auto]">
          <Field label={words.value(label(one.box))} value={one.value} onChange={(event) => set(index, { value: event.target.value })} />
          <Field label={words.source(label(one.box))} value={one.source} onChange={(event) => set(index, { source: event.target.value })} problem={one.value && !one.source.trim() ? "Say where it is from." : undefined} />
          <IconButton icon={Trash2} label={words.remove(label(one.box))} className="sm:mt-6" onClick={() => put(entries.filter((_, i) => i !== index))} />
        </div>
      ))}
      <div>
        <label htmlFor={id} className="mb-1 flex items-center gap-1 text-sm font-medium"><Plus aria-hidden className="size-4" />{words.add}</label>
        <select id={id} data-first value="" onChange={(event) => event.target.value && put([...entries, { box: event.target.value, value: "", source: "" }])} className={inputLook}>
          <option value="">{words.choose}</option>
          {group(words.missing, (status) => status === "missing")}
          {group(words.filled, (status) => status !== "missing")}
        </select>
      </div>
    </fieldset>
  );
}
