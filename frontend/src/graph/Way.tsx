import { BaseEdge, EdgeLabelRenderer, type Edge, type EdgeProps } from "@xyflow/react";
import { Check } from "lucide-react";
import { memo } from "react";
import { t } from "@/text/language";
import type { Point } from "./geometry";
import { told } from "@/text/told";
import { visibleText } from "@/text/visible";
import { resolverWord } from "./steps";

interface WayView extends Record<string, unknown> {
  points: Point[];
  label: Point;
  kind: string;
  condition?: string;
  match?: string;
  /** The way back is drawn with it. */
  back: boolean;
  /** "taken": the run went this way; "passed": it went another way from here. */
  outcome: "open" | "taken" | "passed";
  resolver?: string;
  /** Why it was taken last, as the stage or the model says. */
  reason?: string;
  /** Which of the choices at its beginning it was, from 1. */
  choices?: number[];
}

export type WayEdge = Edge<WayView, "way">;

/** How the kinds of ways are drawn: the same in the graph and in its legend. */
export const dashes: Record<string, string> = { conditional: "4 3", choice: "1 4", match: "8 3 2 3", error: "10 4" };

/** A way from one stage to the next, along the bends that the layout computed. */
export const Way = memo(function Way({ id, data }: EdgeProps<WayEdge>) {
  if (!data) return null;
  const { points, kind, condition, back, outcome } = data;
  const taken = outcome === "taken";
  const stroke = taken ? "var(--ink-2)" : "var(--line-strong)";
  const dash = condition ? (taken ? undefined : dashes.conditional) : kind === "conditional" ? undefined : dashes[kind];
  const opacity = outcome === "passed" ? 0.5 : 1;
  return (
    <>
      <BaseEdge
        id={id}
        path={path(points)}
        style={{
          stroke,
          strokeWidth: taken ? 2 : 1,
          strokeDasharray: dash,
          strokeLinecap: kind === "choice" ? "round" : undefined,
          opacity,
        }}
        interactionWidth={0}
      />
      <path d={arrow(points)} fill={stroke} opacity={opacity} />
      {back && <path d={arrow([...points].reverse())} fill={stroke} opacity={opacity} />}
      <Label {...data} />
    </>
  );
});

/** Room for two lines, as the layout keeps it: what more there is to say stands in the tooltip. */
function Label({ label, kind, condition, match, outcome, resolver, reason, choices = [] }: WayView) {
  const taken = outcome === "taken";
  const word = condition || (match !== undefined ? `= ${visibleText(match)}` : kind === "error" ? t("graph.onFailure") : "");
  const said = taken && reason && kind !== "error" && !condition ? t("text.quoted", { text: told(visibleText(reason)).slice(0, 120) }) : "";
  if (!word && !said && !(taken && kind === "choice")) return null;
  const how = taken && kind === "choice" ? t("graph.choice", { choices: few(choices) }) : word && outcome === "passed" ? t("graph.notTaken") : "";
  const lines = [word, said, how].filter(Boolean);
  // One line may run over two where nothing else has to be said.
  const only = lines.length === 1;
  return (
    <EdgeLabelRenderer>
      <div
        data-way
        className={`absolute flex max-h-[34px] max-w-37 flex-col items-center overflow-hidden rounded-sm bg-canvas px-1 text-center text-xs ${taken ? "text-ink" : "text-ink-3"}`}
        style={{ transform: `translate(-50%, -50%) translate(${label.x}px, ${label.y}px)` }}
        title={[word, said || reason, taken && resolver ? resolverWord(resolver) : how].filter(Boolean).map((part) => visibleText(part!)).join(", ").slice(0, 600)}
      >
        {lines.slice(0, 2).map((line, index) => (
          <span key={index} className={`flex max-w-full items-center gap-1 leading-4 ${taken && index === 0 ? "font-medium" : ""}`}>
            {taken && index === 0 && word && <Check aria-hidden className="size-3 shrink-0" />}
            <span className={only ? "line-clamp-2 wrap-anywhere" : "truncate"}>{line}</span>
          </span>
        ))}
      </div>
    </EdgeLabelRenderer>
  );
}

const few = (numbers: readonly number[]) => (numbers.length > 4 ? `${numbers.slice(0, 2).join(", ")} … ${numbers.at(-1)}` : numbers.join(", "));

/** Right angles, their corners rounded. */
function path(points: readonly Point[]): string {
  return points
    .map((q, index) => {
      const [p, r] = [points[index - 1], points[index + 1]];
      if (!p) return `M${q.x},${q.y}`;
      if (!r) return `L${q.x},${q.y}`;
      const [a, b] = [towards(q, p), towards(q, r)];
      return `L${a.x},${a.y}Q${q.x},${q.y} ${b.x},${b.y}`;
    })
    .join(" ");
}

/** A point beside a corner, no further than half of the way to the next one. */
function towards(corner: Point, other: Point): Point {
  const [dx, dy] = [other.x - corner.x, other.y - corner.y];
  const length = Math.abs(dx) + Math.abs(dy);
  const part = length === 0 ? 0 : Math.min(6, length / 2) / length;
  return { x: corner.x + dx * part, y: corner.y + dy * part };
}

function arrow(points: readonly Point[]): string {
  const [before, end] = points.slice(-2);
  if (!before || !end) return "";
  const back = (from: number, to: number) => Math.sign(from - to) * 7;
  return before.x === end.x ? `M${end.x},${end.y} l-4,${back(before.y, end.y)} h8 z` : `M${end.x},${end.y} l${back(before.x, end.x)},-4 v8 z`;
}
