import { Ban, CheckCircle2, CircleDashed, CircleSlash, Hand, History, LoaderCircle, OctagonX, TriangleAlert, HelpCircle, Hourglass, RotateCcw, type LucideIcon } from "lucide-react";
import { t } from "@/text/language";

/** Every state a person can meet: one colour, one icon, one word. */
export type StateName =
  | "waiting" | "running" | "done" | "skipped" | "reused" | "degraded" | "paused" | "failed" | "retrying" | "refused"
  | "completed" | "cancelled" | "limited" | "abandoned" | "interrupted" | "damaged" | "unknown"
  | "pending" | "approved" | "rejected" | "used" | "expired" | "void";

type Tone = "wait" | "run" | "done" | "reused" | "held" | "degraded" | "failed";

interface Look {
  word: string;
  icon: LucideIcon;
  tone: Tone;
}

export const states: Record<StateName, Look> = {
  waiting: { get word() { return t("ui.waiting"); }, icon: CircleDashed, tone: "wait" },
  running: { get word() { return t("ui.running"); }, icon: LoaderCircle, tone: "run" },
  retrying: { get word() { return t("ui.tryingAgain"); }, icon: RotateCcw, tone: "run" },
  done: { get word() { return t("ui.done"); }, icon: CheckCircle2, tone: "done" },
  completed: { get word() { return t("ui.completed"); }, icon: CheckCircle2, tone: "done" },
  skipped: { get word() { return t("ui.skipped"); }, icon: CircleSlash, tone: "wait" },
  reused: { get word() { return t("ui.reused"); }, icon: History, tone: "reused" },
  degraded: { get word() { return t("ui.degraded"); }, icon: TriangleAlert, tone: "degraded" },
  paused: { get word() { return t("ui.held"); }, icon: Hand, tone: "held" },
  failed: { get word() { return t("ui.failed"); }, icon: OctagonX, tone: "failed" },
  refused: { get word() { return t("ui.refused"); }, icon: Ban, tone: "wait" },
  cancelled: { get word() { return t("ui.stopped"); }, icon: CircleSlash, tone: "wait" },
  limited: { get word() { return t("ui.atALimit"); }, icon: TriangleAlert, tone: "degraded" },
  abandoned: { get word() { return t("ui.abandoned"); }, icon: CircleSlash, tone: "wait" },
  interrupted: { get word() { return t("ui.interrupted"); }, icon: TriangleAlert, tone: "degraded" },
  damaged: { get word() { return t("ui.damaged"); }, icon: OctagonX, tone: "failed" },
  unknown: { get word() { return t("ui.unknownOutcome"); }, icon: HelpCircle, tone: "failed" },
  pending: { get word() { return t("ui.needsApproval"); }, icon: Hand, tone: "held" },
  approved: { get word() { return t("ui.approved"); }, icon: CheckCircle2, tone: "done" },
  used: { get word() { return t("ui.carriedOut"); }, icon: CheckCircle2, tone: "done" },
  rejected: { get word() { return t("ui.rejected"); }, icon: Ban, tone: "wait" },
  expired: { get word() { return t("ui.expired"); }, icon: Hourglass, tone: "wait" },
  void: { get word() { return t("ui.noLongerAsked"); }, icon: CircleSlash, tone: "wait" },
};

export const toneText: Record<Tone, string> = {
  wait: "text-wait", run: "text-run", done: "text-done", reused: "text-reused", held: "text-held", degraded: "text-degraded", failed: "text-failed",
};

export const toneSoft: Record<Tone, string> = {
  wait: "bg-wait-soft text-wait", run: "bg-run-soft text-run", done: "bg-done-soft text-done", reused: "bg-reused-soft text-reused",
  held: "bg-held-soft text-held", degraded: "bg-degraded-soft text-degraded", failed: "bg-failed-soft text-failed",
};

/** Icon and word in the state's colour. */
export function State({ name, word, className = "" }: { name: StateName; word?: string; className?: string }) {
  const look = states[name];
  const Icon = look.icon;
  return (
    <span className={`inline-flex items-center gap-1 text-xs max-w-full font-medium ${toneText[look.tone]} ${className}`}>
      <Icon aria-hidden className={`size-3.5 shrink-0 ${look.icon === LoaderCircle ? "spin" : ""}`} />
      {word ?? look.word}
    </span>
  );
}

/** The same on a soft ground, for lists. */
export function StateBadge({ name, word }: { name: StateName; word?: string }) {
  return (
    <span className={`inline-flex items-center rounded-sm px-1.5 ${toneSoft[states[name].tone]}`}>
      <State name={name} word={word} />
    </span>
  );
}
