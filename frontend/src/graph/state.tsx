import { states, toneText } from "@/ui/State";
import type { StepState } from "./progress";

/** How a stage's box and a bar of the timeline look in each state. Amber is for hold points only. */
export const boxes: Record<StepState, { line: string; ground: string }> = {
  waiting: { line: "border-line", ground: "bg-surface" },
  running: { line: "border-run", ground: "bg-run-soft" },
  done: { line: "border-done", ground: "bg-surface" },
  skipped: { line: "border-line-strong border-dashed", ground: "bg-canvas" },
  reused: { line: "border-reused", ground: "bg-surface" },
  degraded: { line: "border-degraded", ground: "bg-degraded-soft" },
  paused: { line: "border-held-line border-2", ground: "bg-held-soft" },
  failed: { line: "border-failed", ground: "bg-failed-soft" },
};

export const bars: Record<StepState, string> = {
  waiting: "bg-wait",
  running: "bg-run",
  done: "bg-done",
  skipped: "bg-wait",
  reused: "bg-reused",
  degraded: "bg-degraded",
  paused: "bg-held-line",
  failed: "bg-failed",
};

export const textOf = (state: StepState) => toneText[states[state].tone];

/** The state's icon alone, where the word stands elsewhere in the same row. */
export function StateIcon({ state }: { state: StepState }) {
  const Icon = states[state].icon;
  return <Icon aria-hidden className={`size-3.5 shrink-0 ${textOf(state)} ${state === "running" ? "spin" : ""}`} />;
}
