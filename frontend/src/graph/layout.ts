import { Graph, layout as dagre, type EdgeLabel, type GraphLabel, type NodeLabel } from "@dagrejs/dagre";
import {
  EDGE_GAP, edgeId, hasLabel, isTerminal, LABEL_SIZE, LANE_GAP, scaled, STAGE_SIZE, START, TERMINAL_SIZE,
  type Arrangement, type Boxes, type Direction, type LayoutManifest, type LayoutOptions, type Placement, type Route, type Spot,
} from "./geometry";
import { flows, type Flow } from "./flow";
import { addTo } from "./grow";
import { realise } from "./route";

/**
 * Where every stage and edge of an agent's graph is drawn. The coordinates are
 * computed from the manifest and never measured in the page, so that the picture is
 * the same on every machine.
 *
 * dagre says which row a stage stands in and where in it, and is told every edge downwards
 * (flow.ts), so that a way back lifts no stage above the one that leads to it; rows are then spaced and
 * edges drawn with right angles by us (route.ts). A graph that grows keeps what was
 * drawn and only gets the new stage placed (grow.ts): dagre would move the others.
 *
 * Positions are kept without a direction: `at` runs across the flow, rows along it.
 */
export function layout(manifest: LayoutManifest, options: LayoutOptions = {}): Placement {
  const direction = options.direction ?? "down";
  const scale = options.scale ?? 1;
  const ids = stageIds(manifest);
  const known = new Set(ids);
  const edges = manifest.edges.filter((edge) => known.has(edge.from) && known.has(edge.to));
  const boxes = new Map(
    ids.map((id) => {
      const { width, height } = options.sizes?.[id] ?? scaled(isTerminal(id) ? TERMINAL_SIZE : STAGE_SIZE, scale);
      return [id, direction === "down" ? { breadth: width, depth: height } : { breadth: height, depth: width }];
    }),
  );
  const kept = options.before?.direction === direction && options.before.scale === scale ? options.before : undefined;
  const flow = flows(ids, edges);
  const arrangement = (kept && addTo(kept, boxes, flow)) ?? { direction, scale, ...arrange(boxes, flow, direction, scale) };
  return realise(arrangement, ids, edges);
}

/** Stages in the manifest's order, with start and end where edges name them. */
function stageIds(manifest: LayoutManifest): string[] {
  const ids = manifest.stages.map((stage) => stage.id);
  const named = new Set(manifest.edges.flatMap((edge) => [edge.from, edge.to]));
  for (const id of named) {
    if (!isTerminal(id) || ids.includes(id)) continue;
    if (id.endsWith(START)) ids.unshift(id);
    else ids.push(id);
  }
  return ids;
}

/** A whole graph placed anew. */
function arrange(boxes: Boxes, flow: readonly Flow[], direction: Direction, scale: number): Pick<Arrangement, "spots" | "routes"> {
  const graph = new Graph<GraphLabel, NodeLabel, EdgeLabel>({ multigraph: true });
  graph.setGraph({ nodesep: LANE_GAP * scale, edgesep: EDGE_GAP * scale });
  for (const [id, { breadth, depth }] of boxes) graph.setNode(id, { width: breadth, height: depth });
  const label = scaled(LABEL_SIZE, scale);
  const [across, along] = direction === "down" ? [label.width, label.height] : [label.height, label.width];
  for (const { edge, above, below } of flow) {
    // A branch begins beside the others of its choice, and what it leads to may be further on.
    const weight = edge.type === "sequence" || edge.type === "terminal_path" || edge.type === "join_input" ? 1 : 2;
    graph.setEdge({ v: above, w: below, name: edgeId(edge) }, { weight, labelpos: "c", ...(hasLabel(edge) ? { width: across, height: along } : {}) });
  }
  if (boxes.size === 0) return { spots: new Map(), routes: new Map() };
  dagre(graph);

  // dagre puts the first of several last.
  const mirrored = (x: number) => graph.graph().width! - x;
  // Ranks between those of stages are dagre's own, for labels.
  const ranks = [...new Set([...boxes.keys()].map((id) => graph.node(id).rank!))].sort((a, b) => a - b);
  const middles = ranks.map((rank) => graph.node([...boxes.keys()].find((id) => graph.node(id).rank === rank)!).y!);
  const spots = new Map<string, Spot>();
  for (const [id, box] of boxes) {
    const { x, rank } = graph.node(id);
    spots.set(id, { row: ranks.indexOf(rank!), start: mirrored(x!) - box.breadth / 2, ...box });
  }
  const routes = new Map<string, Route>();
  for (const { edge, above: upper, below: lower } of flow) {
    const { points = [], x = 0, y = 0 } = graph.edge({ v: upper, w: lower, name: edgeId(edge) });
    const bends = points.slice(1, -1);
    const [first, last] = [spots.get(upper)!.row, spots.get(lower)!.row];
    const passes: number[] = [];
    let label = -1;
    for (let row = first; row < last; row++) {
      const [here, next] = [middles[row]!, middles[row + 1]!];
      if (row > first) {
        if (hasLabel(edge) && Math.abs(y - here) < 1) label = passes.length;
        passes.push(mirrored(bends.find((bend) => Math.abs(bend.y - here) < 1)?.x ?? x));
      }
      if (hasLabel(edge) && y > here + 1 && y < next - 1) label = passes.length;
      passes.push(mirrored(bends.find((bend) => bend.y > here + 1 && bend.y < next - 1)?.x ?? x));
    }
    routes.set(edgeId(edge), { upper, lower, passes, label });
  }
  return { spots, routes };
}
