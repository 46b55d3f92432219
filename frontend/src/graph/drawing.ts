import { layout, type Direction, type PlacedEdge, type PlacedStage, type Size } from "./layout";
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

export interface DrawnStage extends PlacedStage {
  direction: Direction;
}

export interface DrawnEdge extends PlacedEdge {
  direction: Direction;
  back: boolean;
}

export interface Drawing extends Size {
  stages: DrawnStage[];
  edges: DrawnEdge[];
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

/** Places a graph, and inside of its opened stages the graphs that they hold. */
export function draw(plan: Plan, direction: Direction, scale: number): Drawing {
  const flow: Direction = plan.pool ? "right" : direction;
  const inner = new Map<string, { drawing: Drawing; top: number }>();
  const sizes: Record<string, Size> = {};
  for (const stage of plan.stages) {
    if (stage.nested) {
      const drawing = draw(stage.nested, direction, scale);
      const width = Math.max(drawing.width + 2 * PAD, 220 * scale);
      const top = boxSize(stage.added, scale).height + offersHeight(stage.nested.offers, width / scale) * scale + PAD;
      inner.set(stage.id, { drawing, top });
      sizes[stage.id] = { width, height: top + drawing.height + PAD };
    } else if (stage.tools.length > 0) sizes[stage.id] = openSize(stage.tools, scale, stage.added);
    else if (stage.added) sizes[stage.id] = boxSize(true, scale);
  }
  const placed = layout({ stages: plan.stages, edges: plan.edges }, { direction: flow, sizes, scale });
  const backs = new Set(plan.edges.filter(({ back }) => back).map(({ from, to }) => `${from}→${to}`));
  const stages: DrawnStage[] = [];
  const edges: DrawnEdge[] = placed.edges.map((edge) => ({ ...edge, direction: flow, back: backs.has(`${edge.from}→${edge.to}`) }));
  for (const stage of placed.stages) {
    stages.push({ ...stage, direction: flow });
    const child = inner.get(stage.id);
    if (!child) continue;
    // In the middle of a box that is wider than what it holds.
    const x = stage.x + Math.round((stage.width - child.drawing.width) / 2);
    const y = stage.y + Math.round(child.top);
    const moved = <P extends { x: number; y: number }>(point: P): P => ({ ...point, x: point.x + x, y: point.y + y });
    stages.push(...child.drawing.stages.map(moved));
    edges.push(...child.drawing.edges.map((edge) => ({ ...edge, points: edge.points.map(moved), label: moved(edge.label) })));
  }
  return { stages, edges, width: placed.width, height: placed.height };
}
