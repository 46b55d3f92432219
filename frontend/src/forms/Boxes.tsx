import { Plus, Trash2 } from "lucide-react";
import { useId } from "react";
import type { Json } from "@/api/types";
import { IconButton } from "@/ui/Button";
import { Field, inputLook } from "@/ui/Field";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { prose, visibleText } from "@/text/visible";
import type { Entry, Form } from "./types";

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
    return found ? prose(told(found.label)) : t("forms.boxNamed", { box: visibleText(box) });
  };
  const free = form.boxes.filter((box) => !entries.some((one) => one.box === box.id));
  const group = (title: string, status: (one: string) => boolean) => {
    const boxes = free.filter((box) => status(box.status));
    return boxes.length > 0 && <optgroup label={title}>{boxes.map((box) => <option key={box.id} value={box.id}>{prose(`${box.id.split(".")[0]} ${told(box.label)}`)}</option>)}</optgroup>;
  };
  return (
    <fieldset className="space-y-3">
      <legend className="text-sm font-medium">{t("forms.boxesFilledInByYou")}</legend>
      <p className="text-xs text-ink-2">{t("forms.aValueGoesInWithWhere")}</p>
      {entries.map((one, index) => (
        <div key={one.box} className="grid items-start gap-2 sm:grid-cols-[1fr_1fr_auto]">
          <Field label={t("forms.valueOf", { label: label(one.box) })} value={one.value} onChange={(event) => set(index, { value: event.target.value })} />
          <Field label={t("forms.sourceIn", { label: label(one.box) })} value={one.source} onChange={(event) => set(index, { source: event.target.value })} problem={one.value && !one.source.trim() ? t("forms.sayWhereItIsFrom") : undefined} />
          <IconButton icon={Trash2} label={t("forms.takeOut", { label: label(one.box) })} className="sm:mt-6" onClick={() => put(entries.filter((_, i) => i !== index))} />
        </div>
      ))}
      <div>
        <label htmlFor={id} className="mb-1 flex items-center gap-1 text-sm font-medium"><Plus aria-hidden className="size-4" />{t("forms.fillInABox")}</label>
        <select id={id} data-first value="" onChange={(event) => event.target.value && put([...entries, { box: event.target.value, value: "", source: "" }])} className={inputLook}>
          <option value="">{t("forms.chooseABox")}</option>
          {group(t("forms.missingOnes"), (status) => status === "missing")}
          {group(t("forms.filledFromTheRecords"), (status) => status !== "missing")}
        </select>
      </div>
    </fieldset>
  );
}
