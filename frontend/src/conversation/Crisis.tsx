import { HeartHandshake, LifeBuoy } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { AppState } from "@/api/types";
import { useRead } from "@/api/query";
import type { BlobRef } from "@/journal/blob";
import type { SafetyView, TurnView } from "@/journal/view";
import { RegionSelect } from "@/settings/Region";
import { Markdown } from "@/text/Markdown";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { prose, visibleText } from "@/text/visible";
import { transport } from "@/transport";
import { State } from "@/ui/State";
import { sayError } from "@/ui/toasts";
import { useDanger, type Found } from "./danger";
import { effectsOf } from "./Outcome";
import { Reply } from "./Whole";

/** Who looked at the message, by name. */
export function checkedBy(safety: SafetyView): string[] {
  const tiers = safety.tiers.map(({ tier }) => tier);
  if (tiers.length === 0) return safety.by.split("+").map(foundWord);
  return safety.judged ? [...tiers.map(foundWord), safety.judged.practice ? t("conversation.script") : t("conversation.model")] : tiers.map(foundWord);
}

const kinds: Record<string, string> = {
  get intent() { return t("conversation.suicide"); }, get plan() { return t("conversation.suicide"); }, get means() { return t("conversation.suicide"); }, get self_harm() { return t("conversation.selfHarm"); }, get harm_others() { return t("conversation.harmToOthers"); }, get abuse() { return t("conversation.abuse"); }, get child_abuse() { return t("conversation.aChildInDanger"); }, get voices() { return t("conversation.voices"); }, get poisoned() { return t("conversation.poisoned"); },
};

const kind = (category: string) => kinds[category] ?? visibleText(category).replaceAll("_", " ");

/** A tier of the check, or what speaks to it, as people read it. */
export const foundWord = (name: string): string => ({ rules: t("conversation.tierRules"), linear: t("conversation.tierLinear"), meaning: t("conversation.tierMeaning"), model: t("conversation.model"), script: t("conversation.script") })[name] ?? visibleText(name);

/** What found it, as the journal says; older journals only say who checked. */
const foundBy = (safety: Pick<SafetyView, "foundBy" | "by">) => t("conversation.foundBy", { foundBy: (safety.foundBy.length > 0 ? safety.foundBy : safety.by.split("+")).map(foundWord).join(", ") });

/** The turn was taken over by the safety check: shown apart from replies of a model. */
export function SafetyIntervention({ safety, turn, children }: { safety: SafetyView; turn: TurnView; children: ReactNode }) {
  // The check itself may ask a model; what is said then is fixed all the same.
  const called = turn.modelCalls.some(({ stage }) => stage !== safety.stage);
  return (
    <section data-help aria-label={t("conversation.safetyIntervention")} className="rounded-md border-2 border-failed bg-surface">
      <header className="flex flex-wrap items-center gap-2 border-b border-failed bg-failed-soft px-pad py-2 text-failed">
        <LifeBuoy aria-hidden className="size-5 shrink-0" />
        <h3 className="flex-1 font-semibold">{t("conversation.safetyFirst")}{safety.category ? `: ${kind(safety.category)}` : ""}</h3>
        <span className="text-xs">{foundBy(safety)}{safety.region && ` · ${regionOf(safety)}`}</span>
      </header>
      <div className="p-pad text-lg"><InRegion safety={safety} checkIn={false}>{children}</InRegion></div>
      <footer className="border-t px-pad py-2 text-sm text-ink-2">
        {!called && t("conversation.thisTextIsFixedNotWritten")}{turn.toolOrder.length === 0 && t("conversation.noToolRan")}{effectsOf(turn)}
        {safety.degraded && <State name="degraded" word={prose(told(safety.reason)) || t("conversation.theModelCouldNotBeAsked")} className="ml-2" />}
      </footer>
    </section>
  );
}

/** Help and one question above the reply; the turn goes on. */
export function CheckIn({ safety, text, whole = null }: { safety: SafetyView | null; text: string; whole?: BlobRef | null }) {
  return (
    <section aria-label={t("conversation.checkIn")} className="rounded-md border border-line-strong bg-surface">
      <header className="flex flex-wrap items-center gap-2 border-b px-pad py-1.5">
        <HeartHandshake aria-hidden className="size-4 shrink-0 text-accent" />
        <h3 className="flex-1 text-sm font-semibold">{t("conversation.aQuestionFirst")}{safety?.category ? `: ${kind(safety.category)}` : ""}</h3>
        {safety && <span className="text-xs text-ink-2">{foundBy(safety)}{safety.region && ` · ${regionOf(safety)}`}</span>}
      </header>
      {safety?.reason && safety.foundBy.every((name) => name === "model") && <p className="px-pad pt-2 text-sm text-ink-2">{prose(told(safety.reason))}</p>}
      <div className="p-pad">{safety ? <InRegion safety={safety} checkIn><Reply text={text} whole={whole} /></InRegion> : <Reply text={text} whole={whole} />}</div>
    </section>
  );
}

/** Help for a message that is still in the box: whoever is in danger answers no questions first. */
export function FirstHelp({ session }: { session: string }) {
  const found = useDanger(({ danger }) => danger[session] ?? null);
  return found && <Help key={`${found.level} ${found.text}`} found={found} note={t("conversation.theMessageIsStillInTheBox")} />;
}

/** How long ago something may have been written that a person still looks at, in milliseconds. */
const JUST_NOW = 15_000;

/** Help for what was written elsewhere than in the message. The person looks at what they wrote: it comes into view. */
export function AsideHelp({ safety, text, whole = null }: { safety: SafetyView; text: string; whole?: BlobRef | null }) {
  const [fresh] = useState(() => Math.abs(Date.now() - Date.parse(safety.at)) < JUST_NOW);
  return <Help found={{ ...safety, found_by: safety.foundBy, informal: safety.informal === true, text }} note={t("conversation.whatYouWroteIsKept")} shown={fresh}><Reply text={text} whole={whole} /></Help>;
}

/** Help for what was just written; where it comes into view, it has the focus as well. */
export function Help({ found, note, shown = true, children }: { found: Found; note: string; shown?: boolean; children?: ReactNode }) {
  const box = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it appears
  useEffect(() => {
    if (!shown) return;
    // The beginning says what to do now.
    box.current?.scrollIntoView?.({ block: "start" });
    box.current?.focus({ preventScroll: true });
  }, []);
  const grave = found.level === "intervention";
  const Icon = grave ? LifeBuoy : HeartHandshake;
  const safety = { ...found, foundBy: found.found_by ?? [], by: "rules" };
  return (
    <section ref={box} data-help role={shown ? "alert" : "region"} tabIndex={-1} aria-label={grave ? t("conversation.safetyIntervention") : t("conversation.checkIn")} className={`rounded-md bg-surface ${grave ? "border-2 border-failed" : "border border-line-strong"}`}>
      <header className={`flex flex-wrap items-center gap-2 border-b px-pad py-2 ${grave ? "border-failed bg-failed-soft text-failed" : ""}`}>
        <Icon aria-hidden className={`size-5 shrink-0 ${grave ? "" : "text-accent"}`} />
        <h2 className="flex-1 font-semibold">{grave ? t("conversation.safetyFirst") : t("conversation.aQuestionFirst")}{found.category ? `: ${kind(found.category)}` : ""}</h2>
        <span className="text-xs">{foundBy(safety)}{` · ${regionOf(found)}`}</span>
      </header>
      <div lang={found.language} className={`p-pad ${grave ? "text-lg" : ""}`}><InRegion safety={safety} checkIn={!grave}>{children ?? <Markdown text={found.text} />}</InRegion></div>
      <footer className="border-t px-pad py-2 text-sm text-ink-2">{note}</footer>
    </section>
  );
}

const regionOf = (safety: Pick<SafetyView, "region">) => (safety.region === "international" ? t("conversation.noRegionChosen") : visibleText(safety.region));

/** The reviewed text; where no region was chosen, a choice that brings the numbers there and then. */
function InRegion({ safety, checkIn, children }: { safety: Pick<SafetyView, "region" | "category" | "speaker" | "language" | "informal" | "child">; checkIn: boolean; children: ReactNode }) {
  const state = useRead<AppState>("/api/state");
  const [text, setText] = useState("");
  if (text !== "") return <Markdown text={text} />;
  const show = (region: string) => {
    const query = new URLSearchParams({ category: safety.category, speaker: safety.speaker, language: safety.language, region, check_in: String(checkIn), informal: String(safety.informal === true), child: String(safety.child === true) });
    transport().read<{ text: string }>(`/api/help_text?${query}`).then((answer) => setText(answer.text), sayError);
  };
  return (
    <>
      {safety.region === "international" && state.data && !state.data.region_chosen && (
        <div className="mb-3 text-base"><RegionSelect label={t("conversation.whereAreYouTheNumbersAre")} onChosen={show} /></div>
      )}
      {children}
    </>
  );
}
