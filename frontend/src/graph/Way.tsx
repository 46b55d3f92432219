import { BaseEdge, EdgeLabelRenderer, type Edge, type EdgeProps } from "@xyflow/react";
import { Check } from "lucide-react";
import { memo } from "react";
import type { Direction, Point } from "./layout";
import { plain, resolverWord } from "./steps";

export interface WayView extends Record<string, unknown> {
  points: Point[];
  label: Point;
  direction: Direction;
  condition?: string;
  /** "taken": the run went this way; "passed": it went another way from here. */
  outcome: "open" | "taken" | "passed";
  resolver?: string;
}

export type WayEdge = Edge<WayView, "way">;

/** A way from one stage to the next, along the bends that the layout computed. */
export const Way = memo(function Way({ id, data }: EdgeProps<WayEdge>) {
  if (!data) return null;
  const { points, label, direction, condition, outcome, resolver } = data;
  const taken = outcome === "taken";
  const stroke = taken ? "var(--ink-2)" : "var(--line-strong)";
  return (
    <>
      <BaseEdge
        id={id}
        path={curve(points, direction)}
        style={{
          stroke,
          strokeWidth: taken ? 2 : 1,
          strokeDasharray: taken || !condition ? undefined : "4 3",
          opacity: outcome === "passed" ? 0.5 : 1,
        }}
        interactionWidth={0}
      />
      <path d={arrow(points, direction)} fill={stroke} opacity={outcome === "passed" ? 0.5 : 1} />
      {condition && (
        <EdgeLabelRenderer>
          <div
            className={`absolute flex max-w-37 flex-col items-center rounded-sm bg-canvas px-1 text-center text-xs ${taken ? "text-ink" : "text-ink-3"}`}
            style={{ transform: `translate(-50%, -50%) translate(${label.x}px, ${label.y}px)` }}
            title={taken && resolver ? `${plain(condition)}, ${resolverWord(resolver)}` : undefined}
          >
            <span className={`flex max-w-full items-center gap-1 leading-4 ${taken ? "font-medium" : ""}`}>
              {taken && <Check aria-hidden className="size-3 shrink-0" />}
              <span className="truncate">{plain(condition)}</span>
            </span>
            {taken && resolver && <span className="leading-4 text-ink-3">resolver: {resolver}</span>}
            {outcome === "passed" && <span className="leading-4">not taken</span>}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
});

/** Straight along the flow, an even S across it. */
function curve(points: readonly Point[], direction: Direction): string {
  return points
    .map((q, index) => {
      const p = points[index - 1];
      if (!p) return `M${q.x},${q.y}`;
      const straight = direction === "down" ? p.x === q.x : p.y === q.y;
      if (straight) return `L${q.x},${q.y}`;
      const middle = direction === "down" ? (p.y + q.y) / 2 : (p.x + q.x) / 2;
      return direction === "down"
        ? `C${p.x},${middle} ${q.x},${middle} ${q.x},${q.y}`
        : `C${middle},${p.y} ${middle},${q.y} ${q.x},${q.y}`;
    })
    .join(" ");
}

function arrow(points: readonly Point[], direction: Direction): string {
  const end = points.at(-1);
  const before = points.at(-2);
  if (!end || !before) return "";
  const back = direction === "down" ? Math.sign(before.y - end.y) * 7 : Math.sign(before.x - end.x) * 7;
  return direction === "down" ? `M${end.x},${end.y} l-4,${back} h8 z` : `M${end.x},${end.y} l${back},-4 v8 z`;
}
