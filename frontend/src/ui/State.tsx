import { Ban, CheckCircle2, CircleDashed, CircleSlash, Hand, History, LoaderCircle, OctagonX, TriangleAlert, HelpCircle, Hourglass, RotateCcw, type LucideIcon } from "lucide-react";

/** Every state a person can meet: one colour, one icon, one word. */
export type StateName =
  | "waiting" | "running" | "done" | "skipped" | "reused" | "degraded" | "paused" | "failed" | "retrying" | "refused"
  | "completed" | "cancelled" | "limited" | "abandoned" | "interrupted" | "unknown"
  | "pending" | "approved" | "rejected" | "used" | "expired" | "void";

type Tone = "wait" | "run" | "done" | "reused" | "held" | "degraded" | "failed";

interface Look {
  word: string;
  icon: LucideIcon;
  tone: Tone;
}

export const states: Record<StateName, Look> = {
  waiting: { word: "Waiting", icon: CircleDashed, tone: "wait" },
  running: { word: "Running", icon: LoaderCircle, tone: "run" },
  retrying: { word: "Trying again", icon: RotateCcw, tone: "run" },
  done: { word: "Done", icon: CheckCircle2, tone: "done" },
  completed: { word: "Completed", icon: CheckCircle2, tone: "done" },
  skipped: { word: "Skipped", icon: CircleSlash, tone: "wait" },
  reused: { word: "Reused", icon: History, tone: "reused" },
  degraded: { word: "Degraded", icon: TriangleAlert, tone: "degraded" },
  paused: { word: "Held", icon: Hand, tone: "held" },
  failed: { word: "Failed", icon: OctagonX, tone: "failed" },
  refused: { word: "Refused", icon: Ban, tone: "wait" },
  cancelled: { word: "Stopped", icon: CircleSlash, tone: "wait" },
  limited: { word: "At a limit", icon: TriangleAlert, tone: "degraded" },
  abandoned: { word: "Abandoned", icon: CircleSlash, tone: "wait" },
  interrupted: { word: "Interrupted", icon: TriangleAlert, tone: "degraded" },
  unknown: { word: "Unknown outcome", icon: HelpCircle, tone: "failed" },
  pending: { word: "Needs approval", icon: Hand, tone: "held" },
  approved: { word: "Approved", icon: CheckCircle2, tone: "done" },
  used: { word: "Carried out", icon: CheckCircle2, tone: "done" },
  rejected: { word: "Rejected", icon: Ban, tone: "wait" },
  expired: { word: "Expired", icon: Hourglass, tone: "wait" },
  void: { word: "No longer asked", icon: CircleSlash, tone: "wait" },
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
    <span className={`inline-flex items-center gap-1 text-xs font-medium whitespace-nowrap ${toneText[look.tone]} ${className}`}>
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
