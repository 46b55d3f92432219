import { CircleHelp, Command, Cpu, FileText, FlaskConical, Globe, ShieldCheck, UserRound, WifiOff } from "lucide-react";
import { useState } from "react";
import { useRead } from "@/api/query";
import type { AppState, ModelList, PatientBrief } from "@/api/types";
import { noSubject } from "@/subject/subject";
import { t } from "@/text/language";
import { visibleName } from "@/text/visible";
import { IconButton } from "@/ui/Button";
import { useCase } from "./case";
import { networkSaid, useOnline } from "./network";
import { setUi } from "./ui";

/** What it is about, which model, and whether anything can leave the laptop: always in view. */
export function TopBar({ state }: { state: AppState | undefined }) {
  const { title, reading, person, patient } = useCase();
  const About = person ? UserRound : FileText;
  // What was read of the models since the state was: both say the same on one screen.
  const listed = useRead<ModelList>("/api/models", { enabled: false }).data;
  const chosen = listed?.models?.find(({ name }) => name === listed.roles.main);
  const main = state?.model.main ?? (listed?.roles.main ? { name: listed.roles.main, digest: chosen?.digest ?? "" } : undefined);
  const none = withoutModel(state?.model.server.status === "stopped" ? (listed?.server.status ?? "stopped") : state?.model.server.status);
  const network = networkSaid(state?.network.mode === "online", useOnline());
  const Network = { offline: WifiOff, closed: ShieldCheck, open: Globe }[network.kind];
  return (
    <header className="frame flex min-h-(--bar) shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b bg-surface px-3 py-1">
      <p role="group" aria-label={t("shell.case")} className="flex min-w-[min(12rem,100%)] flex-1 items-center gap-2 max-[44rem]:basis-full">
        <About aria-hidden className={`size-4 shrink-0 ${title ? "text-accent" : "text-ink-3"}`} />
        <span className="min-w-0 wrap-anywhere">
          {title ? <Bounded key={title} className="font-semibold" text={visibleName(title)} most={LONG} /> : <span className="text-ink-2">{reading ? t("shell.readingTheCase") : noSubject()}</span>}
          {patient && <Brief patient={patient} />}
        </span>
      </p>
      {state?.practice && (
        <span className="inline-flex items-center gap-1 rounded-sm bg-reused-soft px-2 py-0.5 text-xs font-semibold tracking-wide text-reused">
          <FlaskConical aria-hidden className="size-3.5" />{t("shell.practiceMode")}{state.practice_manner ? `: ${mannerWord(state.practice_manner)}` : ""}
        </span>
      )}
      {!state?.practice && <span className="inline-flex max-w-64 min-w-0 items-center gap-1.5 text-sm text-ink-2" title={main ? `${main.name} ${main.digest}`.trim() : none.detail}>
        <Cpu aria-hidden className="size-4 shrink-0" />
        <span className="truncate">{main ? visibleName(main.name) : none.word}</span>
        {main?.digest && <span className="font-mono text-xs text-ink-3">{main.digest.replace(/^sha256:/, "").slice(0, 8)}</span>}
      </span>}
      <span
        title={network.detail}
        className={`inline-flex items-center gap-1 rounded-sm border px-1.5 text-xs font-medium ${network.kind === "open" ? "border-degraded text-degraded" : "border-line text-ink-2"}`}
      >
        <Network aria-hidden className="size-3.5" />
        {network.word}
        <span className="sr-only">: {network.detail}</span>
      </span>
      <span className="flex">
        <IconButton icon={Command} label={t("shell.commands")} keys="Ctrl K" small onClick={() => setUi({ palette: true })} />
        <IconButton icon={CircleHelp} label={t("shell.help")} keys="F1" small onClick={() => setUi({ help: true })} />
      </span>
    </header>
  );
}

/** What stands for the model's name while none is known: it is found when the first question, or the list of models, needs it. */
function withoutModel(server: string | undefined): { word: string; detail: string } {
  if (server === "ready") return { word: t("shell.noModel"), detail: t("shell.noModelIsChosen") };
  if (server === "failed") return { word: t("models.noModelServer"), detail: t("problems.noModelServerAnswers") };
  return { word: t("shell.modelNotStarted"), detail: t("shell.theModelStartsWithTheFirst") };
}

/** How the practice model behaves. */
const mannerWord = (manner: string): string => ({ stubborn: t("shell.stubborn"), wrong: t("shell.wrong"), slow: t("shell.slow") })[manner] ?? manner.toUpperCase();

/** Who the patient is, so that nobody takes one for another: born, id, allergies; and whether the person lives. */
function Brief({ patient }: { patient: PatientBrief }) {
  const allergies = patient.allergies ?? [];
  return (
    <span className="ml-2 text-sm text-ink-2">
      {patient.deceased && <strong className="mr-2 rounded-sm bg-failed-soft px-1 font-semibold text-failed">{t("shell.deceased")}</strong>}
      {patient.birth_date ? t("shell.born", { birth_date: cut(visibleName(patient.birth_date), SHORT) }) : t("shell.birthDateNotRecorded")}
      {patient.age ? ` (${patient.deceased ? t("shell.diedAt2", { age: patient.age }) : t("shell.age", { age: patient.age })})` : ""} {t("shell.id")} <span className="font-mono text-xs">{cut(visibleName(patient.id), SHORT)}</span> ·{" "}
      {allergies.length > 0 ? <Allergies key={patient.id} names={allergies.map(visibleName)} severe={patient.severe ?? 0} />
        : patient.no_allergies ? <Bounded key={patient.id} text={visibleName(patient.no_allergies)} most={ROOM} /> : t("shell.noAllergiesRecorded")}
    </span>
  );
}

/** How long a name, the allergies, and one of them may be, so that there is room for the screen below. */
const LONG = 160;
const ROOM = 120;
const SHORT = 70;

/** As much of a text as there is room for. */
function cut(text: string, most: number): string {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most).join("")}…` : text;
}

/** What is shown in whole has a height of its own, and scrolls within it. */
const whole = "inline-block max-h-[30vh] max-w-full overflow-y-auto align-top";
const way = "rounded-sm underline underline-offset-2 hover:bg-hover";

/** A text, and of one that is too long the beginning and a way to the rest. */
function Bounded({ text, most, className = "" }: { text: string; most: number; className?: string }) {
  const [all, setAll] = useState(false);
  const short = cut(text, most);
  return (
    <span className={`${className} ${all ? whole : ""}`}>
      {all ? text : short}
      {short !== text && <>{" "}<button type="button" aria-expanded={all} onClick={() => setAll(!all)} className={`${way} text-sm font-normal`}>{all ? t("shell.showLess") : t("shell.showAllOfIt")}</button></>}
    </span>
  );
}

/** All allergies of a patient with some; of one with many those that may endanger life and the first others, how many more there are, and a way to see those. */
function Allergies({ names, severe }: { names: readonly string[]; severe: number }) {
  const [all, setAll] = useState(false);
  const short = names.map((name) => cut(name, SHORT));
  const least = Math.max(severe, 1);
  let fit = names.length;
  while (fit > least && short.slice(0, fit).join(", ").length > ROOM) fit--;
  const more = names.length - fit;
  const longer = more > 0 || short.slice(0, fit).some((name, index) => name !== names[index]);
  const crowded = short.slice(0, fit).join(", ").length > 3 * ROOM;
  return (
    <strong className={`font-semibold text-failed ${all || crowded ? whole : ""}`} {...(crowded && !longer ? { role: "region", "aria-label": t("records.allergies"), tabIndex: 0 } : {})}>
      {t("shell.allergies", { allergies: (all ? names : short.slice(0, fit)).join(", ") })}
      {longer && (
        <>
          {" "}
          <button type="button" aria-expanded={all} onClick={() => setAll(!all)} className={way}>
            {all ? t("shell.showFewer") : more > 0 ? t("shell.andMore", { more }) : t("shell.showAllOfIt")}
          </button>
        </>
      )}
    </strong>
  );
}
