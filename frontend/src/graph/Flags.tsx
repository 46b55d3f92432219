import { AlertOctagon, Archive, Eye, Feather, FileText, Flag, FlagOff, Gauge, History, ListChecks, Lock, Minimize2, RotateCcw, SkipForward, UserCheck, Wrench, type LucideIcon } from "lucide-react";
import { t } from "@/text/language";

/** What a flag does to a stage, in a word and a sentence. */
const flags: Record<string, { icon: LucideIcon; word: string; text: string }> = {
  critical: { icon: AlertOctagon, get word() { return t("graph.critical"); }, get text() { return t("graph.ifItFailsTheTurnEnds"); } },
  skip_on_error: { icon: SkipForward, get word() { return t("graph.skipsOnError"); }, get text() { return t("graph.itIsPassedOverWhenA"); } },
  cacheable: { icon: Archive, get word() { return t("graph.cacheable"); }, get text() { return t("graph.itsOutputIsKeptAndUsed"); } },
  no_history: { icon: FlagOff, get word() { return t("graph.noHistory"); }, get text() { return t("graph.itDoesNotSeeWhatWas"); } },
  isolated_context: { icon: Lock, get word() { return t("graph.isolated"); }, get text() { return t("graph.itSeesNothingButItsInputs"); } },
  lightweight: { icon: Feather, get word() { return t("graph.lightModel"); }, get text() { return t("graph.itUsesTheSmallModel"); } },
  requires_human: { icon: UserCheck, get word() { return t("graph.asksAPerson"); }, get text() { return t("graph.itWaitsUntilAPersonLets"); } },
  retryable: { icon: RotateCcw, get word() { return t("graph.retried"); }, get text() { return t("graph.itIsTriedAgainByItself"); } },
  verbose: { icon: FileText, get word() { return t("graph.verbose"); }, get text() { return t("graph.itsWholeOutputIsInThe"); } },
  observable: { icon: Gauge, get word() { return t("graph.measured"); }, get text() { return t("graph.itsTimeTokensAndSizeAre"); } },
  summarize_output: { icon: Minimize2, get word() { return t("graph.summarised"); }, get text() { return t("graph.anOutputAbove1000Characters"); } },
  validate_output: { icon: ListChecks, get word() { return t("graph.checked"); }, get text() { return t("graph.itsOutputIsCheckedAgainstA"); } },
  terminal: { icon: Flag, get word() { return t("graph.ends"); }, get text() { return t("graph.onceItHasSucceededNothingMore"); } },
  readonly: { icon: Eye, get word() { return t("graph.readOnly"); }, get text() { return t("graph.itMayChangeNeitherRecordsNor"); } },
  stateful: { icon: History, get word() { return t("graph.remembers"); }, get text() { return t("graph.whatItWorkedOutIsKept"); } },
  inject_tools: { icon: Wrench, get word() { return t("graph.seesAllTools"); }, get text() { return t("graph.itIsShownTheSchemasOf"); } },
};

const look = (name: string) => flags[name] ?? { icon: Flag, word: name.replaceAll("_", " "), text: "" };

export const flagText = (name: string) => {
  const { word, text } = look(name);
  return text ? t("text.named", { name: word, what: text }) : word;
};

const ROOM = 3;

/** Badges in the corner of a stage's box; the words are in their tooltips and in Detail. */
export function FlagIcons({ names }: { names: readonly string[] }) {
  const shown = names.length > ROOM ? names.slice(0, ROOM - 1) : names;
  const rest = names.slice(shown.length);
  return (
    <span className="flex shrink-0 items-center gap-1 text-ink-3">
      {shown.map((name) => {
        const { icon: Icon } = look(name);
        return (
          <span key={name} title={flagText(name)}>
            <Icon aria-hidden className="size-3.5" />
            <span className="sr-only">{look(name).word}; </span>
          </span>
        );
      })}
      {rest.length > 0 && (
        <span className="text-xs" title={rest.map(flagText).join("\n")}>
          +{rest.length}<span className="sr-only"> {t("graph.moreFlags", { rest: rest.map((name) => look(name).word).join(", ") })} </span>
        </span>
      )}
    </span>
  );
}

/** Flags in words, for Detail. */
export function FlagList({ names }: { names: readonly string[] }) {
  return (
    <ul className="space-y-1">
      {names.map((name) => {
        const { icon: Icon, word, text } = look(name);
        return (
          <li key={name} className="flex items-start gap-1.5">
            <Icon aria-hidden className="mt-0.5 size-3.5 shrink-0 text-ink-3" />
            <span><span className="font-medium">{word}</span>{text && <span className="text-ink-2"> — {text}</span>}</span>
          </li>
        );
      })}
    </ul>
  );
}
