import type { Attempt, TurnProgress } from "./progress";
import type { Step } from "./steps";

/**
 * The waterfall's time axis. A turn may wait for days at a hold point, so time
 * in which no step ran is cut out and shown as a break of fixed width.
 */

interface Span {
  /** Milliseconds on the axis, breaks cut to their width. */
  start: number;
  length: number;
  error?: boolean;
}

interface Break {
  at: number;
  /** What the break really lasted, in ms. */
  lasted: number;
}

interface Row {
  key: string;
  spans: Span[];
}

export interface Timeline {
  /** Length of the axis in ms. */
  length: number;
  rows: Row[];
  breaks: Break[];
}

/** Shorter pauses are drawn to scale. */
const BREAK_MS = 2000;

export function timeline(progress: TurnProgress, steps: readonly Step[], now: number): Timeline {
  const attempts = steps.map((step) => ({ step, list: attemptsFor(progress, step) }));
  const spans = attempts
    .flatMap(({ list }) => list)
    .map((a) => [a.start, Math.max(a.start, a.end ?? now)] as const)
    .sort((a, b) => a[0] - b[0]);
  const first = spans[0];
  if (!first) return { length: 0, rows: [], breaks: [] };

  const gaps: { from: number; to: number }[] = [];
  let covered = first[1];
  for (const [start, end] of spans) {
    if (start - covered > BREAK_MS) gaps.push({ from: covered, to: start });
    covered = Math.max(covered, end);
  }
  const running = covered - first[0] - gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0);
  const width = gaps.length ? Math.max(1, running * 0.06) : 0;
  const axis = (t: number) => {
    let at = t - first[0];
    for (const gap of gaps) if (t >= gap.to) at -= gap.to - gap.from - width;
    return at;
  };
  return {
    length: Math.max(1, axis(covered)),
    rows: attempts
      .filter(({ list }) => list.length > 0)
      .map(({ step, list }) => ({
        key: step.key,
        spans: list.map((a) => ({
          start: axis(a.start),
          length: Math.max(0, axis(a.end ?? Math.max(now, a.start)) - axis(a.start)),
          error: Boolean(a.error),
        })),
      })),
    breaks: gaps.map((gap) => ({ at: axis(gap.from), lasted: gap.to - gap.from })),
  };
}

function attemptsFor(progress: TurnProgress, step: Step): readonly Attempt[] {
  const stage = progress.stages[step.stage];
  return (step.kind === "stage" ? stage?.attempts : stage?.tools.find((tool) => tool.key === step.key)?.attempts) ?? [];
}
