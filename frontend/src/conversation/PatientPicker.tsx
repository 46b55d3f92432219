import { Check, UserRound } from "lucide-react";
import { useDeferredValue, useId, useState, type KeyboardEvent } from "react";
import type { Patient } from "@/api/types";
import { useRead } from "@/api/query";
import { visibleText } from "@/text/visible";
import { inputLook } from "@/ui/Field";
import { ErrorNote, Loading } from "@/ui/Notice";

/** Chooses the patient that a session is about, or none. */
export function PatientPicker({ patient, onPick }: { patient: string; onPick(id: string): void }) {
  const id = useId();
  const [search, setSearch] = useState("");
  const [at, setAt] = useState(0);
  const wanted = useDeferredValue(search.trim());
  const read = useRead<Patient[] | null>(`/api/patients?search=${encodeURIComponent(wanted)}`);
  const patients = (read.data ?? []).slice(0, 50);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      setAt((now) => Math.max(0, Math.min(patients.length - 1, now + step)));
    } else if (event.key === "Enter" && patients[at]) {
      event.preventDefault();
      onPick(patients[at].id);
    }
  };

  return (
    <div className="rounded-md border bg-surface">
      <div className="border-b p-2">
        <label htmlFor={id} className="sr-only">Search patients</label>
        <input
          id={id}
          role="combobox"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={patients[at] ? `${id}-${at}` : undefined}
          value={search}
          placeholder="Search patients by name"
          onChange={(event) => { setSearch(event.target.value); setAt(0); }}
          onKeyDown={onKeyDown}
          className={inputLook}
        />
      </div>
      {read.error ? <div className="p-2"><ErrorNote error={read.error} /></div> : read.isPending ? <Loading /> : null}
      <ul id={`${id}-list`} role="listbox" aria-label="Patients" className="max-h-64 overflow-auto">
        {patients.map((one, index) => (
          <li
            key={one.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={patient === one.id}
            onClick={() => onPick(patient === one.id ? "" : one.id)}
            className={`flex cursor-pointer items-center gap-2 px-3 py-1.5 hover:bg-hover ${index === at && search ? "bg-hover" : ""} ${patient === one.id ? "bg-accent-soft font-medium" : ""}`}
          >
            {patient === one.id ? <Check aria-hidden className="size-4 text-accent" /> : <UserRound aria-hidden className="size-4 text-ink-3" />}
            <span className="min-w-0 flex-1 wrap-anywhere">{visibleText(one.name)}</span>
            <span className="text-right text-xs text-ink-2">{one.birth_date} · {visibleText(one.gender)} · {one.age} y</span>
          </li>
        ))}
      </ul>
      {read.data && patients.length === 0 && (
        <p className="p-3 text-ink-2">{wanted ? "No patient has this name." : "No patients yet. Import records, or load the sample clinic, on the Records screen."}</p>
      )}
    </div>
  );
}
