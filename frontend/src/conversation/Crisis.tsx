import { HeartHandshake, LifeBuoy } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useRead } from "@/api/query";
import type { Settings } from "@/api/types";
import { useStart } from "@/cards/StartCard";
import type { Cards } from "@/cards/types";
import type { BlobRef } from "@/journal/blob";
import type { SafetyView, TurnView } from "@/journal/view";
import { isCountry, RegionSelect } from "@/settings/Region";
import { Markdown } from "@/text/Markdown";
import { t, tIn } from "@/text/language";
import { told } from "@/text/told";
import { prose, visibleText } from "@/text/visible";
import { State } from "@/ui/State";
import { asksAtStart, useAgent } from "./AgentPicker";
import { choose, type Choice } from "./agents";
import { useDanger, useUnsent, type Found, type Numbers } from "./danger";
import { effectsOf } from "./Outcome";
import { Reply } from "./Whole";

/** Who looked at the message, by name. */
export function checkedBy(safety: SafetyView): string[] {
  const tiers = safety.tiers.map(({ tier }) => tier);
  if (tiers.length === 0) return safety.by.split("+").map((name) => foundWord(name));
  return safety.judged ? [...tiers.map((name) => foundWord(name)), safety.judged.practice ? t("conversation.script") : t("conversation.model")] : tiers.map((name) => foundWord(name));
}

/** A kind of danger, in the language of the conversation. */
function kind(to: string, category: string): string {
  switch (category) {
    case "intent": case "plan": case "means": return tIn(to, "conversation.suicide");
    case "self_harm": return tIn(to, "conversation.selfHarm");
    case "harm_others": return tIn(to, "conversation.harmToOthers");
    case "abuse": return tIn(to, "conversation.abuse");
    case "child_abuse": return tIn(to, "conversation.aChildInDanger");
    case "voices": return tIn(to, "conversation.voices");
    case "overdose": return tIn(to, "conversation.overdose");
    case "medical": case "unresponsive": return tIn(to, "conversation.medical");
    case "poisoned": return tIn(to, "conversation.poisoned");
    case "missing_person": return tIn(to, "conversation.missing");
    default: return visibleText(category).replaceAll("_", " ");
  }
}

/** A kind of danger, in the language of the screens. */
export const kindWord = (category: string): string => kind("", category);

/** A tier of the check, or what speaks to it, as people read it. */
export function foundWord(name: string, to = ""): string {
  switch (name) {
    case "rules": return tIn(to, "conversation.tierRules");
    case "words": return tIn(to, "conversation.tierWords");
    case "linear": return tIn(to, "conversation.tierLinear");
    case "meaning": return tIn(to, "conversation.tierMeaning");
    case "model": return tIn(to, "conversation.model");
    case "script": return tIn(to, "conversation.script");
    default: return visibleText(name);
  }
}

type Told = Pick<SafetyView, "region" | "category" | "speaker" | "language" | "informal" | "child" | "foundBy" | "by">;

/** What found it, as the journal says; older journals only say who checked. */
const foundBy = ({ foundBy: names, by, language: to }: Told) => tIn(to, "conversation.foundBy", { foundBy: (names.length > 0 ? names : by.split("+")).map((name) => foundWord(name, to)).join(", ") });

function firstWords(safety: Pick<SafetyView, "category" | "language"> | null, grave: boolean): string {
  const to = safety?.language ?? "";
  if (!safety?.category) return grave ? tIn(to, "conversation.safetyFirst") : tIn(to, "conversation.aQuestionFirst");
  const what = kind(to, safety.category);
  return grave ? tIn(to, "conversation.safetyFirstOf", { kind: what }) : tIn(to, "conversation.aQuestionFirstOf", { kind: what });
}

/** The heading of help with what found it, and below it the first numbers, which are seen without scrolling. */
function Head({ grave, safety, level, help }: { grave: boolean; safety: Told | null; level: "h2" | "h3"; help: Shown }) {
  const Icon = grave ? LifeBuoy : HeartHandshake;
  const Heading = level;
  const to = safety?.language ?? "";
  return (
    <div lang={to || undefined}>
      <header className={`flex flex-wrap items-center gap-x-2 border-b px-pad py-1.5 ${grave ? "border-failed bg-failed-soft text-failed" : ""}`}>
        <Icon aria-hidden className={`size-5 shrink-0 ${grave ? "" : "text-accent"}`} />
        <Heading className="flex-1 basis-44 font-semibold">{firstWords(safety, grave)}</Heading>
        {safety && <span className={`text-xs ${grave ? "" : "text-ink-2"}`}>{foundBy(safety)}{help.region && ` · ${help.region === "international" ? tIn(to, "conversation.noRegionChosen") : visibleText(help.region)}`}</span>}
      </header>
      {help.numbers.length > 0 && (
        <p data-numbers className="flex flex-wrap items-baseline gap-x-6 border-b px-pad py-1">
          {help.numbers.map(({ name, call }) => (
            <span key={`${name} ${call}`}>
              {name ? tIn(to, "conversation.lineCall", { name }) : tIn(to, "conversation.inDangerCall")} <strong className={call.length > 20 ? "" : grave ? "text-2xl whitespace-nowrap" : "whitespace-nowrap"}>{call}</strong>
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

/** The turn was taken over by the safety check: shown apart from replies of a model. */
export function SafetyIntervention({ session, safety, turn, children }: { session: string; safety: SafetyView; turn: TurnView; children: ReactNode }) {
  // The check itself may ask a model; what is said then is fixed all the same.
  const called = turn.modelCalls.some(({ stage }) => stage !== safety.stage);
  const help = useHelp(session, safety, false);
  return (
    <section data-help aria-label={t("conversation.safetyIntervention")} className="rounded-md border-2 border-failed bg-surface">
      <Head grave level="h3" safety={safety} help={help} />
      <div className="p-pad text-lg"><InRegion safety={safety} help={help}>{children}</InRegion></div>
      <footer className="border-t px-pad py-2 text-sm text-ink-2">
        <span lang={safety.language}>{!called && tIn(safety.language, "conversation.thisTextIsFixedNotWritten")}{turn.toolOrder.length === 0 && tIn(safety.language, "conversation.noToolRan")}</span>{effectsOf(turn)}
        {safety.degraded && <State name="degraded" word={prose(told(safety.reason)) || t("conversation.theModelCouldNotBeAsked")} className="ml-2" />}
      </footer>
    </section>
  );
}

/** Help and one question above the reply; the turn goes on. */
export function CheckIn({ session, safety, text, whole = null }: { session: string; safety: SafetyView | null; text: string; whole?: BlobRef | null }) {
  const help = useHelp(session, safety, true);
  return (
    <section data-help data-quiet aria-label={t("conversation.checkIn")} className="rounded-md border border-line-strong bg-surface">
      <Head grave={false} level="h3" safety={safety} help={help} />
      <div className="p-pad">{safety ? <InRegion safety={safety} help={help}><Reply text={text} whole={whole} /></InRegion> : <Reply text={text} whole={whole} />}</div>
      {/* Behind the help: in front of it, it would tell somebody in danger that the alarm is not meant. */}
      {safety?.reason && safety.foundBy.every((name) => name === "model") && <p className="border-t px-pad py-2 text-sm text-ink-2">{prose(told(safety.reason))}</p>}
    </section>
  );
}

/** What becomes of a message that was not sent. */
const unsentNotes = {
  questions: "conversation.theMessageIsStillInTheBox",
  reply: "conversation.theMessageGoesWhenTheReplyIsThere",
  box: "conversation.theMessageWasNotSentAndIsInTheBox",
  nothing: "conversation.theMessageWasNotSentAndTheBoxIsEmpty",
} as const;

/** Help for a message that is still in the box: whoever is in danger answers no questions first. */
export function FirstHelp({ session }: { session: string }) {
  const found = useDanger(({ danger }) => danger[session] ?? null);
  const note = unsentNotes[useUnsent(({ unsent }) => unsent[session] ?? "box")];
  return found && <Help key={`${found.level} ${found.category} ${found.at}`} session={session} found={found} note={tIn(found.language, note)} />;
}

/** How long ago something may have been written that a person still looks at, in milliseconds. */
const JUST_NOW = 15_000;

/** Help for what was written elsewhere than in the message. The person looks at what they wrote: it comes into view. */
export function AsideHelp({ session, safety, text, whole = null }: { session: string; safety: SafetyView; text: string; whole?: BlobRef | null }) {
  const [fresh] = useState(() => Math.abs(Date.now() - Date.parse(safety.at)) < JUST_NOW);
  return <Help session={session} found={{ ...safety, found_by: safety.foundBy, informal: safety.informal === true, text }} note={tIn(safety.language, "conversation.whatYouWroteIsKept")} shown={fresh}><Reply text={text} whole={whole} /></Help>;
}

const nobody: Choice = { agent: "", pattern: "" };

/** Help for what was just written; where it comes into view, it has the focus as well. */
export function Help({ session, found, note, shown = true, children }: { session: string; found: Found; note: string; shown?: boolean; children?: ReactNode }) {
  const box = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it appears
  useEffect(() => {
    if (!shown) return;
    // The beginning says what to do now.
    box.current?.scrollIntoView?.({ block: "start" });
    box.current?.focus({ preventScroll: true });
  }, []);
  const grave = found.level === "intervention";
  const safety = { ...found, foundBy: found.found_by ?? [], by: "rules" };
  // Where a form asks for the country, it is chosen here and there, and for the conversation that begins.
  const { agent, choice } = useAgent(session, nobody);
  const start = useStart(session === "" ? agent : undefined, choice).data;
  const country = agent?.vars?.find((one) => one.region);
  const field = session === "" ? start?.fields.find(({ var: name }) => name === country?.name) : undefined;
  const asked = country && asksAtStart(session, agent, country) ? country : undefined;
  // Before the form knows who writes it has no words for them yet.
  const names = useRead<Settings>(asked && !field ? "/api/settings" : null).data?.regions ?? [];
  const choices = field?.choices ?? asked?.values.filter((value) => value !== asked.withheld).map((value) => ({ value, say: names.find(({ code }) => code === value)?.name ?? (isCountry(value) ? value : t("settings.anotherCountryNoNumbersStored")) }));
  const own = country && choices && { value: choice.vars?.[country.name] ?? field?.value ?? "", choices, choose: (code: string) => choose("", { ...choice, vars: { ...choice.vars, [country.name]: code } }) };
  const help = useHelp(session, safety, !grave, own);
  return (
    <section ref={box} data-help role={shown ? "alert" : "region"} tabIndex={-1} aria-label={grave ? t("conversation.safetyIntervention") : t("conversation.checkIn")} className={`rounded-md bg-surface ${grave ? "border-2 border-failed" : "border border-line-strong"}`}>
      <Head grave={grave} level="h2" safety={safety} help={help} />
      <div lang={found.language} className={`p-pad ${grave ? "text-lg" : ""}`}><InRegion safety={safety} help={help} own={own}>{children ?? <Markdown text={found.text} />}</InRegion></div>
      <footer lang={found.language} className="border-t px-pad py-2 text-sm text-ink-2">{note}</footer>
    </section>
  );
}

/** Help as it is for the region that holds now. */
interface Shown {
  region: string;
  /** The reviewed text, where another region than the journal's holds; "" for what stands there. */
  text: string;
  numbers: Numbers;
  /** The region may be chosen beside it. */
  open: boolean;
}

type Own = NonNullable<Parameters<typeof RegionSelect>[0]["own"]>;

/**
 * The region is that of the conversation, else that of the app. Where none was known when the check
 * looked, it can be chosen beside the help, and chosen anew: heading, numbers and text follow.
 */
function useHelp(session: string, safety: (Told & { numbers?: Numbers }) | null, checkIn: boolean, own?: Own): Shown {
  const unknown = safety?.region === "international";
  const settings = useRead<Settings>(unknown && !own ? "/api/settings" : null).data;
  const said = useRead<Cards | null>(unknown && session ? `/api/sessions/${encodeURIComponent(session)}/cards` : null).data?.asked.find(({ region }) => region)?.value;
  const given = own ? own.value : said;
  const chosen = given ? (isCountry(given) ? given : "international") : (!own && unknown && settings?.region_chosen ? settings.region : "");
  const region = chosen || (safety?.region ?? "");
  const told = safety?.region === region ? safety.numbers : undefined;
  const query = safety && new URLSearchParams({ category: safety.category, speaker: safety.speaker, language: safety.language, region, check_in: String(checkIn), informal: String(safety.informal === true), child: String(safety.child === true) });
  const answer = useRead<{ text: string; numbers?: Numbers }>(query && safety.category && !told ? `/api/help_text?${query}` : null, { staleTime: Number.POSITIVE_INFINITY }).data;
  return { region, text: safety && region !== safety.region ? (answer?.text ?? "") : "", numbers: told ?? answer?.numbers ?? [], open: own ? unknown || own.value !== "" : unknown && !said };
}

/** The reviewed text; where no region was known, a choice that brings the numbers there and then. */
function InRegion({ safety, help, own, children }: { safety: Told; help: Shown; own?: Own | undefined; children: ReactNode }) {
  const to = safety.language;
  return (
    <>
      {help.open && (
        <div lang={to || undefined} className="mb-3 text-base"><RegionSelect language={to} label={tIn(to, "conversation.whereAreYouTheNumbersAre")} hint={own ? tIn(to, "conversation.regionOfThisConversation") : tIn(to, "conversation.regionOfThisComputer")} {...(own ? { own } : {})} /></div>
      )}
      {help.text ? <Markdown text={help.text} /> : children}
    </>
  );
}
