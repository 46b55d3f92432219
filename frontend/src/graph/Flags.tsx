import { AlertOctagon, Archive, Eye, Feather, FileText, Flag, FlagOff, Gauge, History, ListChecks, Lock, Minimize2, RotateCcw, SkipForward, UserCheck, Wrench, type LucideIcon } from "lucide-react";

/** What a flag does to a stage, in a word and a sentence. */
const flags: Record<string, { icon: LucideIcon; word: string; text: string }> = {
  critical: { icon: AlertOctagon, word: "critical", text: "If it fails, the turn ends." },
  skip_on_error: { icon: SkipForward, word: "skips on error", text: "It is passed over when a stage that led to it failed." },
  cacheable: { icon: Archive, word: "cacheable", text: "Its output is kept and used again for the same inputs." },
  no_history: { icon: FlagOff, word: "no history", text: "It does not see what was said before." },
  isolated_context: { icon: Lock, word: "isolated", text: "It sees nothing but its inputs and leaves nothing but its output." },
  lightweight: { icon: Feather, word: "light model", text: "It uses the small model." },
  requires_human: { icon: UserCheck, word: "asks a person", text: "It waits until a person lets it run." },
  retryable: { icon: RotateCcw, word: "retried", text: "It is tried again by itself when it fails." },
  verbose: { icon: FileText, word: "verbose", text: "Its whole output is in the journal." },
  observable: { icon: Gauge, word: "measured", text: "Its time, tokens and size are in the journal." },
  summarize_output: { icon: Minimize2, word: "summarised", text: "An output above 1,000 characters is shortened for the stages after it." },
  validate_output: { icon: ListChecks, word: "checked", text: "Its output is checked against a schema." },
  terminal: { icon: Flag, word: "ends", text: "Once it has succeeded, nothing more of its graph runs." },
  readonly: { icon: Eye, word: "read-only", text: "It may change neither records nor the graph." },
  stateful: { icon: History, word: "remembers", text: "What it worked out is kept from one visit to the next." },
  inject_tools: { icon: Wrench, word: "sees all tools", text: "It is shown the schemas of all tools." },
};

const look = (name: string) => flags[name] ?? { icon: Flag, word: name.replaceAll("_", " "), text: "" };

export const flagText = (name: string) => {
  const { word, text } = look(name);
  return text ? `${word}: ${text}` : word;
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
          +{rest.length}<span className="sr-only"> more flags: {rest.map((name) => look(name).word).join(", ")}; </span>
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
