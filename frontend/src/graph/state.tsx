import { states, toneText } from "@/ui/State";
import type { StepState } from "./progress";

/** How a stage's box and a bar of the timeline look in each state. Amber is for hold points only. */
export const boxes: Record<StepState, string> = {
  waiting: "border-line bg-surface",
  running: "border-run bg-run-soft",
  done: "border-done bg-surface",
  skipped: "border-line border-dashed bg-canvas",
  reused: "border-reused bg-surface",
  degraded: "border-degraded bg-degraded-soft",
  paused: "border-held-line bg-held-soft",
  failed: "border-failed bg-failed-soft",
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
