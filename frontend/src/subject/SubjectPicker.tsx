import { Check, FileText, UserRound } from "lucide-react";
import { useDeferredValue, useEffect, useId, useState, type KeyboardEvent } from "react";
import { keepPreviousData } from "@tanstack/react-query";
import type { PatientPage, RecordRow } from "@/api/types";
import { useRead } from "@/api/query";
import { typeTitle } from "@/records/summary";
import { href } from "@/shell/route";
import { rich, t } from "@/text/language";
import { told, toldDetails } from "@/text/told";
import { visibleName } from "@/text/visible";
import { inputLook } from "@/ui/Field";
import { ErrorNote, Loading } from "@/ui/Notice";
import { Button } from "@/ui/Button";
import { PATIENT, typeName, type Subject } from "./subject";

interface Choice {
  id: string;
  title: string;
  detail: string;
}

/** Chooses the record that a session is about, or none. */
export function SubjectPicker({ types, subject, about = "", onPick }: {
  types: readonly string[];
  subject: Subject | null;
  /** Offers only what is about this record, as TYPE/ID; of types that are about nobody all. */
  about?: string;
  onPick(subject: Subject | null): void;
}) {
  const id = useId();
  const [wanted, setType] = useState(subject?.type ?? types[0]!);
  const type = types.includes(wanted) ? wanted : types[0]!;
  const [search, setSearch] = useState("");
  const [at, setAt] = useState(0);
  const [most, setMost] = useState(page);
  const asked = useDeferredValue(search.trim());
  const { choices, total, error, pending, stale: earlier } = useChoices(type, asked, most, about);
  // What still stands there from the search before is not what Enter would choose.
  const stale = earlier || asked !== search.trim();
  const titles = typeTitle(type).toLowerCase();
  useEffect(() => { setAt(0); setMost(page); }, [type]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (stale && ["ArrowDown", "ArrowUp", "Enter"].includes(event.key)) return event.preventDefault();
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      setAt((now) => Math.max(0, Math.min(choices.length - 1, now + step)));
    } else if (event.key === "Enter" && choices[at]) {
      event.preventDefault();
      onPick({ type, id: choices[at].id });
    }
  };
  const Icon = type === "Patient" ? UserRound : FileText;

  return (
    <div className="rounded-md border bg-surface">
      <div className="flex gap-2 border-b p-2">
        {types.length > 1 && (
          <select aria-label={t("subject.kindOfRecord")} value={type} onChange={(event) => setType(event.target.value)} className={`${inputLook} max-w-48`}>
            {types.map((one) => <option key={one} value={one}>{typeTitle(one)}</option>)}
          </select>
        )}
        <label htmlFor={id} className="sr-only">{t("subject.search", { titles })}</label>
        <input
          id={id}
          role="combobox"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={choices[at] && !stale ? `${id}-${at}` : undefined}
          value={search}
          placeholder={t("subject.searchByName", { titles })}
          onChange={(event) => { setSearch(event.target.value); setAt(0); setMost(page); }}
          onKeyDown={onKeyDown}
          className={inputLook}
        />
      </div>
      {error ? <div className="p-2"><ErrorNote error={error} /></div> : pending ? <Loading /> : null}
      <div id={`${id}-list`} role="listbox" aria-label={typeTitle(type)} aria-busy={stale} className={`max-h-64 overflow-auto ${stale ? "opacity-60" : ""}`}>
        {choices.map((one, index) => {
          const chosen = subject?.type === type && subject.id === one.id;
          return (
            // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the field above keeps the focus and names the active option
            <div
              key={one.id}
              id={`${id}-${index}`}
              role="option"
              aria-selected={chosen}
              onClick={() => onPick(chosen ? null : { type, id: one.id })}
              className={`flex cursor-pointer flex-wrap items-center gap-x-2 px-3 py-1.5 hover:bg-hover ${index === at && search && !stale ? "bg-hover" : ""} ${chosen ? "bg-accent-soft font-medium" : ""}`}
            >
              {chosen ? <Check aria-hidden className="size-4 text-accent" /> : <Icon aria-hidden className="size-4 text-ink-3" />}
              <span className="min-w-[min(10rem,70%)] flex-1 wrap-anywhere">{visibleName(one.title)}</span>
              <span className="max-w-full text-right text-xs text-ink-2 wrap-anywhere">{visibleName(one.detail)}</span>
            </div>
          );
        })}
      </div>
      {choices.length > 0 && (total === "more" || total > choices.length) && (
        <p className="flex flex-wrap items-center gap-2 border-t px-3 py-1.5 text-xs text-ink-2">
          {total === "more" ? t("subject.theFirstAreShown", { choices: choices.length }) : t("subject.ofAreShown", { choices: choices.length, total })} {t("subject.typeMoreOfTheNameOr")}
          {choices.length === most ? <Button small onClick={() => setMost(most + page)}>{t("subject.showMore")}</Button> : t("subject.theBirthDate")}
        </p>
      )}
      {!pending && !error && choices.length === 0 && (
        <p className="p-3 text-ink-2">{search.trim() ? t("subject.noHasThisName", { type: typeName(type) }) : rich("subject.noYetImportRecordsOrLoad", { titles, records: (chunks) => <a href={href("records")} className="text-accent underline underline-offset-2">{chunks}</a> })}</p>
      )}
    </div>
  );
}

/** How many are shown at first, and more at each press; what one read of the API gives at the most. */
const page = 50;
const mostOfAll = 500;

/** The first that a search finds, and of how many; "more" where the API does not count them. */
function useChoices(type: string, search: string, most: number, about: string): { choices: Choice[]; total: number | "more"; error: Error | null; pending: boolean; stale: boolean } {
  const limit = Math.min(most, type === PATIENT ? mostOfAll : 200);
  const ask = `limit=${limit}&search=${encodeURIComponent(search)}`;
  const people = useRead<PatientPage>(type === PATIENT ? `/api/patients?${ask}` : null, { placeholderData: keepPreviousData });
  const rows = useRead<{ records: RecordRow[] | null; next?: string }>(type === PATIENT ? null : `/api/records/${encodeURIComponent(type)}?${ask}${about ? `&about=${encodeURIComponent(about)}` : ""}`, { placeholderData: keepPreviousData });
  if (type === PATIENT) {
    const choices = (people.data?.patients ?? []).map((one) => ({ id: one.id, title: one.name, detail: [one.birth_date, one.gender && told(one.gender), one.deceased && t("shell.deceased"), one.age && (one.deceased ? t("shell.diedAt2", { age: one.age }) : t("shell.age", { age: one.age }))].filter(Boolean).join(" · ") }));
    return { choices, total: people.data?.total ?? choices.length, error: people.error, pending: people.isPending, stale: people.isPlaceholderData };
  }
  const choices = (rows.data?.records ?? []).map((one) => ({ id: one.id, title: one.title || one.id, detail: toldDetails(one.subtitle) }));
  return { choices, total: rows.data?.next ? "more" : choices.length, error: rows.error, pending: rows.isPending, stale: rows.isPlaceholderData };
}
