import type { TurnView } from "./view";

/** How long a turn was at work and how long it stood still, in ms: for a person, after a limit or a crash. */
export function workOf(turn: Pick<TurnView, "startedAt" | "endedAt" | "stages">): { work: number; waited: number } {
  const began = Date.parse(turn.startedAt);
  const ended = turn.endedAt ? Date.parse(turn.endedAt) : began;
  const spans = Object.values(turn.stages)
    .flatMap(({ attempts }) => attempts)
    .map(({ startedAt, endedAt, state }) => [Date.parse(startedAt), endedAt ? Date.parse(endedAt) : state === "running" ? ended : Date.parse(startedAt)] as const)
    .filter(([from, to]) => to >= from)
    .sort((a, b) => a[0] - b[0]);
  // Holes between stages that nobody waited in are the engine's own work.
  const HOLE = 1000;
  let waited = 0;
  let until = began;
  for (const [from, to] of spans) {
    if (from - until > HOLE) waited += from - until;
    until = Math.max(until, to);
  }
  if (ended - until > HOLE) waited += ended - until;
  return { work: Math.max(0, ended - began - waited), waited };
}
