import type { Arrangement, Direction, PlacedEdge, PlacedStage, Size } from "./geometry";
import { layout } from "./layout";
import type { ShownEdge, ShownLevel } from "./levels";
import { boxSize, offersHeight, openSize } from "./Stage";

/** What the layout depends on, and nothing else: the same plan gives the same picture. */
export interface PlanStage {
  id: string;
  added?: boolean;
  /** Rows of tools, by phase; none when they are folded away. */
  tools: { phase: number; tools: number }[];
  nested: Plan | null;
}

export interface Plan {
  stages: PlanStage[];
  edges: ShownEdge[];
  offers: string[];
  pool: boolean;
}

interface DrawnStage extends PlacedStage {
  direction: Direction;
}

interface DrawnEdge extends PlacedEdge {
  back: boolean;
}

export interface Drawing extends Size {
  stages: DrawnStage[];
  edges: DrawnEdge[];
  /** By the stage that holds it ("" for the outermost graph): what a grown picture keeps of this one. */
  kept: Map<string, { arrangement: Arrangement; top: number }>;
}

export function planOf(level: ShownLevel, closed: ReadonlySet<string>, toolsOf: (id: string) => PlanStage["tools"]): Plan {
  return {
    stages: level.stages.map(({ id, stage, nested }) => ({
      id,
      added: stage.added,
      tools: closed.has(id) || nested ? [] : toolsOf(id),
      nested: nested && !closed.has(id) ? planOf(nested, closed, toolsOf) : null,
    })),
    edges: level.edges,
    offers: level.offers,
    pool: level.pool,
  };
}

const PAD = 12;

/** Places a graph, and inside of its opened stages the graphs that they hold. Stages that were drawn `before` keep their places. */
export function draw(plan: Plan, direction: Direction, scale: number, before?: Drawing | null, within = ""): Drawing {
  const flow: Direction = plan.pool ? "right" : direction;
  const kept: Drawing["kept"] = new Map();
  const inner = new Map<string, { drawing: Drawing; top: number }>();
  const sizes: Record<string, Size> = {};
  for (const stage of plan.stages) {
    if (stage.nested) {
      const drawing = draw(stage.nested, direction, scale, before, stage.id);
      const width = Math.max(drawing.width + 2 * PAD, 220 * scale);
      const head = boxSize(stage.added, scale).height + offersHeight(stage.nested.offers, width / scale) * scale + PAD;
      // What can be chosen gets less; what was chosen does not move up for it.
      const top = Math.max(head, drawing.kept.get(stage.id)?.top ?? 0);
      for (const [id, one] of drawing.kept) kept.set(id, id === stage.id ? { ...one, top } : one);
      inner.set(stage.id, { drawing, top });
      sizes[stage.id] = { width, height: top + drawing.height + PAD };
    } else if (stage.tools.length > 0) sizes[stage.id] = openSize(stage.tools, scale, stage.added);
    else if (stage.added) sizes[stage.id] = boxSize(true, scale);
  }
  const placed = layout({ stages: plan.stages, edges: plan.edges }, { direction: flow, sizes, scale, before: before?.kept.get(within)?.arrangement });
  kept.set(within, { arrangement: placed.arrangement, top: before?.kept.get(within)?.top ?? 0 });
  const backs = new Set(plan.edges.filter(({ back }) => back).map(({ from, to }) => `${from}→${to}`));
  const stages: DrawnStage[] = [];
  const edges: DrawnEdge[] = placed.edges.map((edge) => ({ ...edge, back: backs.has(`${edge.from}→${edge.to}`) }));
  for (const stage of placed.stages) {
    stages.push({ ...stage, direction: flow });
    const child = inner.get(stage.id);
    if (!child) continue;
    const x = stage.x + PAD;
    const y = stage.y + Math.round(child.top);
    const moved = <P extends { x: number; y: number }>(point: P): P => ({ ...point, x: point.x + x, y: point.y + y });
    stages.push(...child.drawing.stages.map(moved));
    edges.push(...child.drawing.edges.map((edge) => ({ ...edge, points: edge.points.map(moved), label: moved(edge.label) })));
  }
  return { stages, edges, kept, width: placed.width, height: placed.height };
}

/**
 * How far a pane is scrolled along one axis so that it shows all of some boxes in its middle, or where there are too many for it the
 * first one with as many of the others as go: a turn begins at its start, which need not be in the corner.
 */
export function sight(boxes: readonly { at: number; length: number }[], room: number): number {
  if (boxes.length === 0) return 0;
  const from = Math.min(...boxes.map(({ at }) => at));
  const to = Math.max(...boxes.map(({ at, length }) => at + length));
  const first = boxes[0]!.at + boxes[0]!.length / 2;
  return Math.max(0, to - from <= room ? (from + to - room) / 2 : Math.min(Math.max(first - room / 2, from), to - room));
}
