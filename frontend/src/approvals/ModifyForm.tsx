import { Pencil, Plus, Trash2 } from "lucide-react";
import { useId, useState } from "react";
import type { Json, RecordFull } from "@/api/types";
import { useRead } from "@/api/query";
import { Boxes } from "@/forms/Boxes";
import type { Form } from "@/forms/types";
import { SubjectPicker } from "@/subject/SubjectPicker";
import { t } from "@/text/language";
import { toldDetails } from "@/text/told";
import { dayOf, dayText, fieldOf, instantOf, momentText, zoneWord } from "@/text/zone";
import { visibleName, visibleText } from "@/text/visible";
import { Button, IconButton } from "@/ui/Button";
import { Field, inputLook, TextField } from "@/ui/Field";
import { pretty } from "./arguments";
import { problemOf, rowOf, type FormField } from "./form";
import { plainName } from "./plainName";

/** The arguments as a form: dates, records and choices to pick; what has no field of its own stays as it is. */
export function ModifyForm({ fields, args, form, about = "", change, checked }: {
  fields: readonly FormField[];
  args: Record<string, Json | undefined>;
  /** The form whose boxes a list of values fills. */
  form?: Form | null;
  /** What the session is about, as TYPE/ID: records of others are not offered. */
  about?: string;
  change(name: string, value: Json | undefined): void;
  /** Says what is wrong only once somebody tried to save. */
  checked: boolean;
}) {
  // Whose open times are offered for the beginning of a visit.
  const who = fields.find((field) => field.kind === "record" && field.type === "Practitioner");
  const when = fields.find((field) => field.kind === "moment");
  const provider = who ? String(args[who.name] ?? "").replace(/^Practitioner\//, "") : "";
  // The boxes of a form are what somebody most likely wants to fill in; what nobody can change stands last.
  const rank = (field: FormField) => (field.fixed ? 2 : form && !isBoxes(field) ? 1 : 0);
  const ordered = [...fields].sort((a, b) => rank(a) - rank(b));
  return (
    <div role="group" aria-label={t("approvals.changeTheRequest")} className="grid gap-3 sm:grid-cols-2">
      {ordered.map((field, index) => (
        <div key={field.name} className={wide.includes(field.kind) ? "sm:col-span-2" : ""}>
          {form && isBoxes(field) ? (
            <Boxes form={form} value={args[field.name]} change={(value) => change(field.name, value)} />
          ) : <One field={field} provider={field === when ? provider : ""} about={about} value={args[field.name]} change={(value) => change(field.name, value)} checked={checked} first={index === 0} />}
        </div>
      ))}
    </div>
  );
}

const isBoxes = ({ kind, fields }: FormField) => kind === "list" && Boolean(fields?.some((one) => one.name === "box"));
const wide: readonly FormField["kind"][] = ["long", "record", "json", "list", "group"];

function One({ field, provider, about, value, change, checked, first, among }: { field: FormField; provider: string; about: string; value: Json | undefined; change(value: Json | undefined): void; checked: boolean; first: boolean; /** What the field is called among others of its name. */ among?: string }) {
  const id = useId();
  const problem = checked ? problemOf(field, value) : "";
  const name = among ?? plainName(field.name);
  const label = field.required ? name : t("approvals.optional", { name });
  const text = typeof value === "string" ? value : "";
  const rest = { label, problem: problem || undefined, "data-first": first || undefined };
  if (field.fixed) return <Fixed name={name} type={field.type} value={text} />;
  switch (field.kind) {
    case "moment": {
      const there = text && !Number.isNaN(Date.parse(text));
      return (
        <div className="space-y-2">
          <Field {...rest} type="datetime-local" value={there ? fieldOf(text) : ""} hint={there ? momentText(text) : t("approvals.in2", { zoneWord: zoneWord() })} onChange={(event) => change(instantOf(event.target.value) || undefined)} />
          {provider && <OpenTimes provider={provider} value={text} onPick={change} />}
        </div>
      );
    }
    case "day":
      return <Field {...rest} type="date" value={text} onChange={(event) => change(event.target.value)} />;
    case "number":
    case "integer":
      return <Field {...rest} type="number" step={field.kind === "integer" ? 1 : "any"} min={field.min} max={field.max} value={typeof value === "number" ? value : ""} onChange={(event) => change(event.target.value === "" ? undefined : Number(event.target.value))} />;
    case "long":
      return <TextField {...rest} rows={Math.min(12, Math.max(3, text.split("\n").length + 1))} value={text} onChange={(event) => change(event.target.value)} />;
    case "text":
      return (
        <>
          <Field {...rest} list={field.usual && `${id}-usual`} value={text} onChange={(event) => change(event.target.value)} />
          {field.usual && <datalist id={`${id}-usual`}>{field.usual.map((one) => <option key={one} value={one} />)}</datalist>}
        </>
      );
    case "choice":
      return (
        <div>
          <label htmlFor={id} className="mb-1 block text-sm font-medium">{label}</label>
          <select id={id} data-first={first || undefined} value={text} onChange={(event) => change(event.target.value || undefined)} className={inputLook}>
            {(!field.required || !text) && <option value="">{field.required ? t("approvals.chooseOne") : t("approvals.none")}</option>}
            {field.choices!.map((choice) => <option key={choice} value={choice}>{plainName(choice)}</option>)}
          </select>
          {problem && <p role="alert" className="mt-1 text-xs text-failed">{problem}</p>}
        </div>
      );
    case "yes_no":
      return (
        <label className="flex items-center gap-2 pt-6">
          <input type="checkbox" data-first={first || undefined} checked={value === true} onChange={(event) => change(event.target.checked)} className="size-4 accent-(--accent)" />
          {label}
        </label>
      );
    case "record":
      return <RecordField label={label} type={field.type!} about={about} value={text} change={change} first={first} />;
    case "group":
      return <Group field={field} title={name} value={value} change={change} checked={checked} first={first} />;
    case "list":
      return <List field={field} title={name} value={value} change={change} checked={checked} first={first} />;
    case "json":
      return (
        <div>
          <p className="mb-1 text-sm font-medium">{label}</p>
          <pre className="rounded-md bg-sunken p-2 text-xs whitespace-pre-wrap wrap-anywhere">{value === undefined ? t("approvals.notGiven") : visibleText(pretty(value))}</pre>
          <p className="mt-1 text-xs text-ink-2">{t("approvals.thisHasNoFieldOfIts")}</p>
        </div>
      );
  }
}

interface Nested {
  field: FormField;
  title: string;
  value: Json | undefined;
  change(value: Json | undefined): void;
  checked: boolean;
  first: boolean;
}

/** An object with its members as fields. */
function Group({ field, title, value, change, checked, first }: Nested) {
  const members = value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
  const set = (name: string, part: Json | undefined) => {
    const { [name]: _, ...rest } = members;
    change(part === undefined ? rest : { ...rest, [name]: part });
  };
  return (
    <fieldset className="rounded-md border p-2">
      <legend className="px-1 text-sm font-medium">{title}</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {field.fields!.map((one, index) => (
          <div key={one.name} className={wide.includes(one.kind) ? "sm:col-span-2" : ""}>
            <One field={one} provider="" about="" value={members[one.name]} change={(part) => set(one.name, part)} checked={checked} first={first && index === 0} />
          </div>
        ))}
      </div>
    </fieldset>
  );
}

/** A list with a row for each entry; rows are added and taken out. */
function List({ field, title, value, change, checked, first }: Nested) {
  const rows = Array.isArray(value) ? value : [];
  const put = (next: Json[]) => change(next.length > 0 ? next : undefined);
  const full = field.most !== undefined && rows.length >= field.most;
  return (
    <fieldset className="space-y-2">
      <legend className="text-sm font-medium">{field.required ? title : t("approvals.optional", { name: title })}</legend>
      {rows.map((row, index) => {
        const label = t("approvals.rowOf", { name: title, index: index + 1 });
        return (
          <div key={index} className="flex items-start gap-2">
            <div className="min-w-0 flex-1">
              <One field={rowOf(field)} among={label} provider="" about="" value={row} change={(next) => put(rows.map((one, at) => (at === index ? (next ?? "") : one)))} checked={checked} first={first && index === 0} />
            </div>
            <IconButton icon={Trash2} label={t("approvals.takeOutRow", { row: label })} className="mt-6" onClick={() => put(rows.filter((_, at) => at !== index))} />
          </div>
        );
      })}
      <Button small icon={Plus} data-first={(first && rows.length === 0) || undefined} disabled={full} onClick={() => put([...rows, field.item ? "" : {}])}>{t("approvals.addRow", { name: title })}</Button>
    </fieldset>
  );
}

interface SlotPage {
  slots: { start: string; end: string }[] | null;
  assumed: boolean;
  more: number;
}

/** When the provider is free: a time that is picked here is one that can be booked. */
function OpenTimes({ provider, value, onPick }: { provider: string; value: string; onPick(start: string): void }) {
  const id = useId();
  const read = useRead<SlotPage>(`/api/providers/${encodeURIComponent(provider)}/slots`);
  const slots = read.data?.slots ?? [];
  const days = [...new Set(slots.map(({ start }) => dayOf(start)))];
  const chosen = slots.find(({ start }) => Date.parse(start) === Date.parse(value))?.start ?? "";
  if (read.error) return <p className="text-xs text-ink-2">{t("approvals.theOpenTimesCouldNotBe")}</p>;
  if (!read.data) return <p role="status" className="text-xs text-ink-2">{t("approvals.readingTheOpenTimes")}</p>;
  if (slots.length === 0) return <p className="text-xs text-ink-2">{t("approvals.noOpenTimesInTheNext")}</p>;
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">{t("approvals.openTimes")}</label>
      <select id={id} value={chosen} onChange={(event) => event.target.value && onPick(instantOf(fieldOf(event.target.value)))} className={inputLook}>
        <option value="">{value ? t("approvals.anotherTimeEnteredAbove") : t("approvals.chooseAnOpenTime")}</option>
        {days.map((day) => (
          <optgroup key={day} label={dayText(slots.find(({ start }) => dayOf(start) === day)!.start)}>
            {slots.filter(({ start }) => dayOf(start) === day).map(({ start, end }) => <option key={start} value={start}>{t("approvals.to", { start: fieldOf(start).slice(11), end: fieldOf(end).slice(11), zoneWord: zoneWord() })}</option>)}
          </optgroup>
        ))}
      </select>
      {read.data.assumed && <p className="mt-1 text-xs text-ink-2">{t("approvals.theRecordsHaveNoScheduleOf")}</p>}
      {read.data.more > 0 && <p className="mt-1 text-xs text-ink-2">{t("approvals.laterOnesAreNotListed", { more: read.data.more })}</p>}
    </div>
  );
}

/** What the session is about: shown, and not to be chosen. */
function Fixed({ name, type, value }: { name: string; type: string | undefined; value: string }) {
  return (
    <div>
      <p className="mb-1 text-sm font-medium">{name}</p>
      <p className="flex flex-wrap items-baseline gap-2">{type ? <Named type={type} id={value.replace(`${type}/`, "")} /> : <span className="wrap-anywhere">{visibleText(value)}</span>}</p>
      <p className="mt-1 text-xs text-ink-2">{t("approvals.theSessionIsAboutIt")}</p>
    </div>
  );
}

/** A record by its name. */
function Named({ type, id }: { type: string; id: string }) {
  const { data } = useRead<RecordFull>(`/api/records/${encodeURIComponent(type)}/${encodeURIComponent(id)}`);
  return <span className="wrap-anywhere">{visibleName(data?.title || id)} {data?.subtitle && <span className="text-sm text-ink-2">{visibleName(toldDetails(data.subtitle))}</span>} <span className="font-mono text-xs text-ink-3">{visibleText(id)}</span></span>;
}

/** A record by its name; another one is found by searching. */
function RecordField({ label, type, about, value, change, first }: { label: string; type: string; about: string; value: string; change(value: string): void; first: boolean }) {
  const [open, setOpen] = useState(false);
  const id = value.replace(`${type}/`, "");
  return (
    <div>
      <p className="mb-1 text-sm font-medium">{label}</p>
      <div className="flex flex-wrap items-center gap-2">
        <Named type={type} id={id} />
        <Button small icon={Pencil} data-first={first || undefined} aria-expanded={open} aria-label={t("approvals.chooseAnother", { label })} onClick={() => setOpen(!open)}>{open ? t("approvals.keepIt") : t("approvals.chooseAnother2")}</Button>
      </div>
      {open && (
        <div className="mt-1">
          <SubjectPicker
            types={[type]}
            about={about}
            subject={{ type, id }}
            onPick={(picked) => {
              if (picked) change(value.startsWith(`${type}/`) ? `${type}/${picked.id}` : picked.id);
              setOpen(false);
            }}
          />
        </div>
      )}
    </div>
  );
}
