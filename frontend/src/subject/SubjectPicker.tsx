import { Check, FileText, UserRound } from "lucide-react";
import { useDeferredValue, useEffect, useId, useState, type KeyboardEvent } from "react";
import type { Patient, RecordRow } from "@/api/types";
import { useRead } from "@/api/query";
import { typeTitle } from "@/records/summary";
import { visibleText } from "@/text/visible";
import { inputLook } from "@/ui/Field";
import { ErrorNote, Loading } from "@/ui/Notice";
import { typeName, type Subject } from "./subject";

interface Choice {
  id: string;
  title: string;
  detail: string;
}

/** Chooses the record that a session is about, or none. */
export function SubjectPicker({ types, subject, onPick }: { types: readonly string[]; subject: Subject | null; onPick(subject: Subject | null): void }) {
  const id = useId();
  const [wanted, setType] = useState(subject?.type ?? types[0]!);
  const type = types.includes(wanted) ? wanted : types[0]!;
  const [search, setSearch] = useState("");
  const [at, setAt] = useState(0);
  const { choices, error, pending } = useChoices(type, useDeferredValue(search.trim()));
  const titles = typeTitle(type).toLowerCase();
  useEffect(() => setAt(0), [type]);

  const onKeyDown = (event: KeyboardEvent) => {
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
          <select aria-label="Kind of record" value={type} onChange={(event) => setType(event.target.value)} className={`${inputLook} max-w-48`}>
            {types.map((one) => <option key={one} value={one}>{typeTitle(one)}</option>)}
          </select>
        )}
        <label htmlFor={id} className="sr-only">Search {titles}</label>
        <input
          id={id}
          role="combobox"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={choices[at] ? `${id}-${at}` : undefined}
          value={search}
          placeholder={`Search ${titles} by name`}
          onChange={(event) => { setSearch(event.target.value); setAt(0); }}
          onKeyDown={onKeyDown}
          className={inputLook}
        />
      </div>
      {error ? <div className="p-2"><ErrorNote error={error} /></div> : pending ? <Loading /> : null}
      <div id={`${id}-list`} role="listbox" aria-label={typeTitle(type)} className="max-h-64 overflow-auto">
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
              className={`flex cursor-pointer items-center gap-2 px-3 py-1.5 hover:bg-hover ${index === at && search ? "bg-hover" : ""} ${chosen ? "bg-accent-soft font-medium" : ""}`}
            >
              {chosen ? <Check aria-hidden className="size-4 text-accent" /> : <Icon aria-hidden className="size-4 text-ink-3" />}
              <span className="min-w-0 flex-1 wrap-anywhere">{visibleText(one.title)}</span>
              <span className="text-right text-xs text-ink-2">{visibleText(one.detail)}</span>
            </div>
          );
        })}
      </div>
      {!pending && !error && choices.length === 0 && (
        <p className="p-3 text-ink-2">{search.trim() ? `No ${typeName(type)} has this name.` : `No ${titles} yet. Import records, or load the sample clinic, on the Records screen.`}</p>
      )}
    </div>
  );
}

/** The first fifty that a search finds; of patients the API tells more than of other records. */
function useChoices(type: string, search: string): { choices: Choice[]; error: Error | null; pending: boolean } {
  const people = useRead<Patient[] | null>(type === "Patient" ? `/api/patients?search=${encodeURIComponent(search)}` : null);
  const rows = useRead<{ records: RecordRow[] | null }>(type === "Patient" ? null : `/api/records/${encodeURIComponent(type)}?limit=50&search=${encodeURIComponent(search)}`);
  const read = type === "Patient" ? people : rows;
  const choices =
    type === "Patient"
      ? (people.data ?? []).map((one) => ({ id: one.id, title: one.name, detail: `${one.birth_date} · ${one.gender} · ${one.age} y` }))
      : (rows.data?.records ?? []).map((one) => ({ id: one.id, title: one.title || one.id, detail: one.subtitle }));
  return { choices: choices.slice(0, 50), error: read.error, pending: read.isPending };
}
