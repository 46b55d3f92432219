import { CircleHelp, Command, Cpu, FlaskConical, Globe, ShieldCheck, UserRound, WifiOff } from "lucide-react";
import type { AppState, PatientBrief } from "@/api/types";
import { NO_SUBJECT } from "@/subject/subject";
import { visibleText } from "@/text/visible";
import { IconButton } from "@/ui/Button";
import { useCase } from "./case";
import { networkSaid, useOnline } from "./network";
import { setUi } from "./ui";

/** What it is about, which model, and whether anything can leave the laptop: always in view. */
export function TopBar({ state }: { state: AppState | undefined }) {
  const { title, reading, patient } = useCase();
  const main = state?.model.main;
  const network = networkSaid(state?.network.mode === "online", useOnline());
  const Network = { offline: WifiOff, closed: ShieldCheck, open: Globe }[network.kind];
  return (
    <header className="flex min-h-(--bar) shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b bg-surface px-3 py-1">
      <p role="group" aria-label="Case" className="flex min-w-48 flex-1 items-center gap-2 max-sm:basis-full">
        <UserRound aria-hidden className={`size-4 shrink-0 ${title ? "text-accent" : "text-ink-3"}`} />
        <span className="min-w-0 wrap-anywhere">
          <span className={title ? "font-semibold" : "text-ink-2"}>{title ? visibleText(title) : reading ? "Reading the case…" : NO_SUBJECT}</span>
          {patient && <Brief patient={patient} />}
        </span>
      </p>
      {state?.practice && (
        <span className="inline-flex items-center gap-1 rounded-sm bg-reused-soft px-2 py-0.5 text-xs font-semibold tracking-wide text-reused">
          <FlaskConical aria-hidden className="size-3.5" />PRACTICE MODE{state.practice_manner ? `: ${state.practice_manner.toUpperCase()}` : ""}
        </span>
      )}
      <span className="inline-flex max-w-64 min-w-0 items-center gap-1.5 text-sm text-ink-2" title={main ? `${main.name} ${main.digest}` : "No model is chosen"}>
        <Cpu aria-hidden className="size-4 shrink-0" />
        <span className="truncate">{main ? visibleText(main.name) : "No model"}</span>
        {main?.digest && <span className="font-mono text-xs text-ink-3">{main.digest.replace(/^sha256:/, "").slice(0, 8)}</span>}
      </span>
      <span
        title={network.detail}
        className={`inline-flex items-center gap-1 rounded-sm border px-1.5 text-xs font-medium ${network.kind === "open" ? "border-degraded text-degraded" : "border-line text-ink-2"}`}
      >
        <Network aria-hidden className="size-3.5" />
        {network.word}
        <span className="sr-only">: {network.detail}</span>
      </span>
      <span className="flex">
        <IconButton icon={Command} label="Commands" keys="Ctrl K" small onClick={() => setUi({ palette: true })} />
        <IconButton icon={CircleHelp} label="Help" keys="F1" small onClick={() => setUi({ help: true })} />
      </span>
    </header>
  );
}

/** Who the patient is, so that nobody takes one for another: born, id, allergies; and whether the person lives. */
function Brief({ patient }: { patient: PatientBrief }) {
  const allergies = patient.allergies ?? [];
  return (
    <span className="ml-2 text-sm text-ink-2">
      {patient.deceased && <strong className="mr-2 rounded-sm bg-failed-soft px-1 font-semibold text-failed">Deceased</strong>}
      {patient.birth_date ? `born ${visibleText(patient.birth_date)}` : "birth date not recorded"}
      {patient.age ? ` (${patient.deceased ? "died at" : "age"} ${patient.age})` : ""} · id <span className="font-mono text-xs">{visibleText(patient.id)}</span> ·{" "}
      {allergies.length > 0 ? <strong className="font-semibold text-failed">Allergies: {allergies.map(visibleText).join(", ")}</strong> : "no allergies recorded"}
    </span>
  );
}
