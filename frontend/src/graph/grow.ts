import type { Flow } from "./flow";
import { EDGE_GAP, edgeId, hasLabel, LABEL_SIZE, LANE_GAP, type Arrangement, type Boxes, type Route, type Spot } from "./geometry";

type Span = [start: number, end: number];

/**
 * Adds what is new to a picture and leaves the rest where it was. Undefined when a
 * stage is gone, or one that is now larger has no room: the whole is placed anew then.
 */
export function addTo(before: Arrangement, boxes: Boxes, flow: readonly Flow[]): Arrangement | undefined {
  const { direction, scale } = before;
  const spots = new Map<string, Spot>();
  for (const [id, spot] of before.spots) {
    const box = boxes.get(id);
    if (!box) return undefined;
    spots.set(id, { ...spot, ...box });
  }
  const routes = new Map<string, Route>();
  for (const { edge } of flow) {
    const route = before.routes.get(edgeId(edge));
    if (route && hasLabel(edge) === route.label >= 0) routes.set(edgeId(edge), route);
  }
  const label = (direction === "down" ? LABEL_SIZE.width : LABEL_SIZE.height) * scale;
  const gap = EDGE_GAP * scale;
  for (const [id, spot] of spots) if (taken(spot.row, spots, routes, label, 1, id).some((span) => overlap(span, [spot.start, spot.start + spot.breadth]))) return undefined;

  for (const id of stagesByFlow([...boxes.keys()].filter((one) => !spots.has(one)), flow, spots)) {
    const box = boxes.get(id)!;
    const from = spotsOf(flow.filter(({ below }) => below === id).map(({ above }) => above), spots);
    const to = spotsOf(flow.filter(({ above }) => above === id).map(({ below }) => below), spots);
    const row = from.length ? Math.max(...from.map((spot) => spot.row)) + 1 : to.length ? Math.min(...to.map((spot) => spot.row)) - 1 : 0;
    if (row < 0) return undefined;
    const near = from.length ? from : to;
    const wish = near.length ? near.reduce((sum, spot) => sum + middle(spot), 0) / near.length : 0;
    const at = nearest(wish, box.breadth / 2, taken(row, spots, routes, label, LANE_GAP * scale));
    spots.set(id, { row, start: at - box.breadth / 2, ...box });
  }

  for (const { edge } of flow) {
    const id = edgeId(edge);
    if (routes.has(id)) continue;
    const [from, to] = [spots.get(edge.from)!, spots.get(edge.to)!];
    const [upper, lower] = from.row <= to.row ? [edge.from, edge.to] : [edge.to, edge.from];
    const [first, last] = [spots.get(upper)!.row, spots.get(lower)!.row];
    const between = Array.from({ length: Math.max(0, last - first - 1) }, (_, index) => taken(first + 1 + index, spots, routes, label, gap)).flat();
    const column = between.length ? nearest(middle(spots.get(lower)!), 1, between) : middle(spots.get(lower)!);
    const passes = Array.from({ length: Math.max(1, 2 * (last - first) - 1) }, () => column);
    // A label stands right after the stage above.
    if (hasLabel(edge)) passes[0] = nearest(first === last ? (middle(from) + middle(to)) / 2 : column, label / 2, labelsAfter(first, spots, routes, label));
    routes.set(id, { upper, lower, passes, label: hasLabel(edge) ? 0 : -1 });
  }
  return { direction, scale, spots, routes };
}

const middle = ({ start, breadth }: Spot) => start + breadth / 2;
const overlap = ([a, b]: Span, [c, d]: Span) => a < d && c < b;
const spotsOf = (ids: readonly string[], spots: ReadonlyMap<string, Spot>) => ids.flatMap((id) => spots.get(id) ?? []);

/** New stages, each after those that lead to it. */
function stagesByFlow(ids: readonly string[], flow: readonly Flow[], spots: ReadonlyMap<string, Spot>): string[] {
  const order: string[] = [];
  const rest = new Set(ids);
  while (rest.size) {
    const ready = [...rest].find((id) => flow.some(({ above, below }) => below === id && (spots.has(above) || order.includes(above)))) ?? [...rest][0]!;
    rest.delete(ready);
    order.push(ready);
  }
  return order;
}

/** What stands in a row or passes it, a gap around each. */
function taken(row: number, spots: ReadonlyMap<string, Spot>, routes: ReadonlyMap<string, Route>, label: number, gap: number, except?: string): Span[] {
  const spans: Span[] = [];
  for (const [id, spot] of spots) if (spot.row === row && id !== except) spans.push([spot.start - gap, spot.start + spot.breadth + gap]);
  for (const route of routes.values()) {
    const pass = 2 * (row - spots.get(route.upper)!.row) - 1;
    const at = pass > 0 && pass < route.passes.length ? route.passes[pass] : undefined;
    if (at !== undefined) spans.push(pass === route.label ? [at - label / 2 - gap, at + label / 2 + gap] : [at - gap, at + gap]);
  }
  return spans;
}

function labelsAfter(row: number, spots: ReadonlyMap<string, Spot>, routes: ReadonlyMap<string, Route>, label: number): Span[] {
  return [...routes.values()].flatMap((route) => {
    const pass = 2 * (row - spots.get(route.upper)!.row);
    return pass === route.label ? [[route.passes[pass]! - label / 2 - 4, route.passes[pass]! + label / 2 + 4] as Span] : [];
  });
}

/** The middle of the free place nearest to what is wished, not before 0. */
function nearest(wish: number, half: number, spans: readonly Span[]): number {
  const free = (at: number) => at >= half && !spans.some((span) => overlap(span, [at - half, at + half]));
  const places = [Math.max(wish, half), ...spans.flatMap(([start, end]) => [start - half, end + half])].filter(free);
  return places.reduce((best, at) => (Math.abs(at - wish) < Math.abs(best - wish) ? at : best), places[0] ?? Math.max(half, ...spans.map(([, end]) => end + half)));
}
