import { User } from "lucide-react";
import { useManifest } from "@/graph/useManifest";
import { wordsOf } from "@/graph/words";
import { usedOf } from "@/inspector/Budget";
import type { ReadingView, TurnView } from "@/journal/view";
import { number, t } from "@/text/language";
import { prose } from "@/text/visible";
import { State } from "@/ui/State";
import { useNow } from "@/ui/Time";
import type { Pending } from "./pending";

/** Whole seconds, and minutes beyond the first. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return seconds < 60 ? `${seconds} s` : t("conversation.minS", { floor: Math.floor(seconds / 60), seconds: seconds % 60 });
}

/** How much of a prompt was read, as far as the model's pace tells. */
export const readSoFar = ({ at, tokens, perSecond }: ReadingView, now: number): number => Math.min(tokens, Math.round((perSecond * Math.max(0, now - Date.parse(at))) / 1000));

/** What runs now: the step in plain words, for how long, and how much of the prompt was read. */
export function Progress({ turn }: { turn: TurnView }) {
  const now = useNow(1000);
  const words = wordsOf(useManifest(turn).manifest);
  const running = turn.stageOrder.filter((id) => turn.stages[id]!.state === "running")
    // A stage works by what it holds.
    .filter((id, _, all) => !all.some((other) => other.startsWith(`${id}/`)));
  const written = turn.messageOrder.map((id) => turn.messages[id]!).filter(({ state, text }) => state === "streaming" && text !== "").at(-1);
  const writing = written !== undefined;
  const since = Date.parse(turn.resumes.at(-1)?.at ?? turn.startedAt);
  const { reading } = turn;
  const { steps, tokens } = usedOf(turn);
  const step = writing ? t("conversation.writingTheReply") : running.map(words.stage).join(", ") || t("conversation.starting");
  return (
    <div className="space-y-1">
      <p className="flex flex-wrap items-center gap-x-3 text-xs text-ink-2">
        <span role="status"><State name="running" word={step} /></span>
        <span>{elapsed(now - since)}</span>
        {reading && !writing && <Reading reading={reading} now={now} />}
        {written && now - Date.parse(written.heardAt) >= pause && <Silence since={written.heardAt} now={now} />}
        {steps > 0 && <span className="text-ink-3">{t("conversation.step", { steps })}{tokens > 0 && t("conversation.tokensSoFar", { tokens })}</span>}
      </p>
    </div>
  );
}

/** How long a model may write nothing before that is said, in milliseconds. */
const pause = 8000;

/** The model writes, or wrote and has fallen silent. */
function Silence({ since, now }: { since: string; now: number }) {
  const still = now - Date.parse(since);
  return <span>{still >= pause ? t("conversation.theModelHasBegunAndNothingCame", { time: elapsed(still) }) : t("conversation.theModelWritesItsAnswer")}</span>;
}

/** How long a model whose pace is not known is said to read, in milliseconds; then it is waited for. */
const silent = 5000;

function Reading({ reading, now }: { reading: ReadingView; now: number }) {
  const { tokens, perSecond } = reading;
  const all = number(tokens);
  if (reading.begun) return <Silence since={reading.at} now={now} />;
  const read = readSoFar(reading, now);
  const waited = now - Date.parse(reading.at);
  // What was said to be read stays so; only what was never known is a wait for the server alone.
  if (perSecond > 0 && tokens > 0 && read >= tokens) return <span>{t("conversation.readingTakesLongerThanThought", { all, time: elapsed(waited), thought: elapsed((tokens / perSecond) * 1000) })}</span>;
  if (perSecond > 0 ? read >= tokens : waited >= silent) return <span>{t("conversation.waitingForTheModelServer", { time: elapsed(waited) })}</span>;
  if (perSecond <= 0) return tokens > 0 ? <span>{t("conversation.theModelReadsAboutTokens", { all })}</span> : null;
  return (
    <span className="inline-flex items-center gap-2" title={t("conversation.estimatedFromHowFastThisModel")}>
      <span
        role="progressbar"
        aria-label={t("conversation.promptReadEstimated")}
        aria-valuemin={0}
        aria-valuemax={tokens}
        aria-valuenow={read}
        className="inline-block h-1.5 w-24 overflow-hidden rounded-sm bg-sunken"
      >
        <span className="block h-full bg-run" style={{ width: `${(read / tokens) * 100}%` }} />
      </span>
      {t("conversation.aboutOfTokensRead", { read, all })}
    </span>
  );
}

/** A message on its way: shown at once, before anything of it is on disk. */
export function OnItsWay({ pending }: { pending: Pending }) {
  const now = useNow(1000);
  return (
    <article data-turn="" aria-label={t("conversation.yourMessageBeingSent")} className="space-y-3 border-l-2 border-transparent pl-4">
      <p className="flex items-center gap-2 text-xs text-ink-3"><User aria-hidden className="size-3.5" /><span className="font-semibold text-ink-2">{t("conversation.you")}</span></p>
      <p className="rounded-md bg-sunken px-3 py-2 whitespace-pre-wrap wrap-anywhere">{prose(pending.text)}</p>
      <p className="flex flex-wrap items-center gap-x-3 text-xs text-ink-2">
        <span role="status"><State name="running" word={t("conversation.startingTheMessageIsCheckedAnd")} /></span>
        <span>{elapsed(now - pending.at)}</span>
      </p>
    </article>
  );
}
