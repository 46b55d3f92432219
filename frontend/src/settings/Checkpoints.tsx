import { useId, useState, type FormEvent } from "react";
import { useRead } from "@/api/query";
import type { Checkpoint, Person, Reviewer, Term } from "@/forms/types";
import { number, t } from "@/text/language";
import { holdTitle } from "@/text/names";
import { visibleText } from "@/text/visible";
import { Button } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { Field, inputLook } from "@/ui/Field";
import { ErrorNote, Loading } from "@/ui/Notice";
import { Standing, stands, type By } from "./Standing";
import { useSave } from "./useSave";

/** How long holds of each type wait, for whom, and what happens when nobody comes. */
export function Checkpoints() {
  const { data, error, isPending, refetch } = useRead<{ checkpoints: Checkpoint[] }>("/api/checkpoints");
  const people = useRead<{ people: Person[] }>("/api/people");
  const [open, setOpen] = useState("");
  const roles = [...new Set((people.data?.people ?? []).flatMap((one) => one.roles))];
  const names = (people.data?.people ?? []).map((one) => one.name);
  return (
    <div className="space-y-6">
      <p className="text-ink-2">{t("settings.holdsWhat")}</p>
      {error && <ErrorNote error={error} title={t("settings.holdsUnread")} retry={() => void refetch()} />}
      {isPending && <Loading />}
      <datalist id="people-roles">{roles.map((one) => <option key={one} value={one} />)}</datalist>
      <datalist id="people-names">{names.map((one) => <option key={one} value={one} />)}</datalist>
      {data && (
        <ul aria-label={t("settings.holdTypes")} className="space-y-2">
          {data.checkpoints.map((one) => {
            const title = nameOf(one.type);
            const shown = open === one.type;
            return (
              <li key={one.type} className="space-y-3 rounded-md border bg-surface p-3">
                <div className="flex flex-wrap items-start justify-between gap-2">
                  <div className="min-w-0 space-y-1">
                    <h3 className="flex flex-wrap items-center gap-2 font-medium wrap-anywhere">{title}{one.type.includes("_") && <span className="font-mono text-xs font-normal text-ink-3">{visibleText(one.type)}</span>}{one.set && <Chip>{t("settings.setByAPerson")}</Chip>}</h3>
                    <Said of={one} />
                    {one.rules.length > 0 && <p className="text-sm text-ink-2 wrap-anywhere">{t("settings.holdRules", { rules: one.rules.map((rule) => visibleText(rule)).join(", ") })}</p>}
                  </div>
                  <Button small aria-expanded={shown} aria-label={shown ? t("settings.closeNamed", { name: title }) : t("settings.changeNamed", { name: title })} onClick={() => setOpen(shown ? "" : one.type)}>{shown ? t("settings.close") : t("settings.change")}</Button>
                </div>
                {shown && <Change of={one} people={people.data?.people ?? []} title={title} done={() => setOpen("")} />}
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}

const nameOf = (type: string) => (type === "*" ? t("settings.allOtherHolds") : holdTitle(type));
const who = (reviewer: Reviewer | undefined) => (reviewer?.name ? visibleText(reviewer.name) : reviewer?.role ? t("settings.anybodyWithRole", { role: visibleText(reviewer.role) }) : "");

/** Hours as a person says them. */
const long = (hours = 0) => (hours >= 48 && hours % 24 === 0 ? t("settings.days", { n: hours / 24 }) : t("settings.hours", { n: hours }));

function Said({ of }: { of: Checkpoint }) {
  const lines = [
    t("settings.holdDecides", { who: who(of.reviewer) || t("settings.anybodyUnlessNamed") }),
    t("settings.holdTimes", { due: long(of.due_hours), remind: long(of.remind_hours), expires: long(of.expires_hours) }),
    of.escalate_to ? t("settings.holdEscalates", { who: who(of.escalate_to), after: long(of.escalate_hours) }) : t("settings.holdNeverEscalates"),
  ];
  if (of.no_delegation) lines.push(t("settings.holdStays"));
  return <>{lines.map((line) => <p key={line} className="text-sm text-ink-2 wrap-anywhere">{line}</p>)}</>;
}

type Times = "due_hours" | "remind_hours" | "escalate_hours" | "expires_hours";

/** What a person sets; a field left empty is as usual, which stands in it in grey. */
function Change({ of, people, title, done }: { of: Checkpoint; people: Person[]; title: string; done(): void }) {
  const [by, setBy] = useState<By>({ name: "", passphrase: "" });
  const own = of.own ?? {};
  const [times, setTimes] = useState<Record<Times, string>>({ due_hours: text(own.due_hours), remind_hours: text(own.remind_hours), escalate_hours: text(own.escalate_hours), expires_hours: text(own.expires_hours) });
  const [reviewer, setReviewer] = useState<Reviewer | undefined>(own.reviewer);
  const [next, setNext] = useState<Reviewer | undefined>(own.escalate_to);
  const [stays, setStays] = useState(own.no_delegation ?? false);
  const [problem, setProblem] = useState("");
  const { busy, failure, save } = useSave("checkpoints");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const term: Term = {};
    for (const [key, value] of Object.entries(times) as [Times, string][]) {
      if (value.trim()) term[key] = Number(value.replace(",", "."));
    }
    if (reviewer) term.reviewer = reviewer;
    if (next) term.escalate_to = next;
    if (stays) term.no_delegation = true;
    const wrong = Object.values(term).some((one) => typeof one === "number" && !(one > 0)) ? t("settings.hoursAreANumber") : [reviewer, next].some((one) => one && !(one.name ?? one.role ?? "").trim()) ? t("settings.enterAName") : "";
    setProblem(wrong);
    if (!wrong && (await save("set_checkpoint", { type: of.type, term: Object.keys(term).length > 0 ? term : null, ...stands(by) }, t("settings.saved")))) done();
  };
  const hours = (key: Times, label: string, usual: number | undefined) => (
    <Field label={label} inputMode="decimal" autoComplete="off" value={times[key]} placeholder={usual ? number(usual) : ""} onChange={(event) => setTimes({ ...times, [key]: event.target.value })} />
  );
  return (
    <form aria-label={t("settings.changeNamed", { name: title })} className="space-y-4 border-t pt-3" onSubmit={(event) => void submit(event)}>
      <p className="text-sm text-ink-2">{t("settings.emptyIsUsual")}</p>
      <Who label={t("settings.whoDecides")} value={reviewer} nobody={t("settings.asUsual")} set={setReviewer} />
      <div className="grid gap-3 sm:grid-cols-3">
        {hours("due_hours", t("settings.wantedAfterHours"), of.due_hours)}
        {hours("remind_hours", t("settings.reminderAfterHours"), of.remind_hours)}
        {hours("expires_hours", t("settings.deniedAfterHours"), of.expires_hours)}
      </div>
      <Who label={t("settings.whoDecidesLater")} value={next} nobody={t("settings.asUsual")} set={setNext} />
      {next && <div className="grid gap-3 sm:grid-cols-3">{hours("escalate_hours", t("settings.laterAfterHours"), of.escalate_to ? of.escalate_hours : of.due_hours)}</div>}
      <label className="flex items-start gap-3">
        <input type="checkbox" checked={stays} onChange={(event) => setStays(event.target.checked)} className="mt-0.5 size-4 accent-(--accent)" />
        <span>{t("settings.mayNotPassOn")}</span>
      </label>
      <Standing people={people} by={by} set={setBy} />
      {problem && <p role="alert" className="text-sm text-failed">{problem}</p>}
      {failure !== null && <ErrorNote error={failure} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" disabled={busy}>{t("settings.save")}</Button>
        {of.set && <Button disabled={busy} onClick={() => void save("set_checkpoint", { type: of.type, term: null, ...stands(by) }, t("settings.saved")).then((ok) => ok && done())}>{t("settings.asUsualAgain")}</Button>}
      </div>
    </form>
  );
}

const text = (n: number | undefined) => (n ? String(n) : "");

/** Nobody in particular, one person, or anybody with a role. */
function Who({ label, nobody, value, set }: { label: string; nobody: string; value: Reviewer | undefined; set(to: Reviewer | undefined): void }) {
  const id = useId();
  const kind = !value ? "" : value.name !== undefined ? "name" : "role";
  const named = value?.name ?? value?.role ?? "";
  return (
    <fieldset className="grid gap-3 sm:grid-cols-2">
      <legend className="mb-1 text-sm font-medium">{label}</legend>
      <div>
        <label htmlFor={id} className="sr-only">{label}</label>
        <select id={id} className={inputLook} value={kind} onChange={(event) => set(event.target.value === "name" ? { name: named } : event.target.value === "role" ? { role: named } : undefined)}>
          <option value="">{nobody}</option>
          <option value="name">{t("settings.oneNamedPerson")}</option>
          <option value="role">{t("settings.anybodyOfARole")}</option>
        </select>
      </div>
      {value && (
        <div>
          <label htmlFor={`${id}-of`} className="sr-only">{kind === "name" ? t("settings.name") : t("settings.role")}</label>
          <input id={`${id}-of`} list={kind === "name" ? "people-names" : "people-roles"} autoComplete="off" placeholder={kind === "name" ? t("settings.name") : t("settings.role")} className={inputLook} value={named} onChange={(event) => set(kind === "name" ? { name: event.target.value } : { role: event.target.value })} />
        </div>
      )}
    </fieldset>
  );
}
