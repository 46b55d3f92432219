import {
  edgeId, hasLabel, isTerminal, LABEL_SIZE,
  type Arrangement, type LayoutEdge, type PlacedEdge, type PlacedStage, type Placement, type Point, type Route, type Spot,
} from "./geometry";

/** Between rows without labels, at the least. */
const PLAIN_GAP = { down: 32, right: 40 };
/** Before and after the labels between two rows, at the least. */
const LABEL_MARGIN = 14;
/** Between edges that run side by side across the flow. */
const TRACK = 7;
/** An edge leaves and enters a stage no nearer to its corner. */
const CORNER = 14;

/** Part of an edge that runs across the flow: from one place to another, between two rows. */
interface Crossing {
  /** Edges that share it look like one that parts or joins. */
  group: string;
  from: number;
  to: number;
  track: number;
}

/** What lies between a row and the next. */
interface Gap {
  labelled: boolean;
  /** Before and after the labels; without labels all are in the first. */
  zones: [Crossing[], Crossing[]];
}

interface Stop {
  at: number;
  /** How it came here from the stop before. */
  crossing?: { gap: number; zone: 0 | 1; of: Crossing };
}

/** Turns places into pixels: rows below each other, edges with right angles between. */
export function realise(arrangement: Arrangement, ids: readonly string[], edges: readonly LayoutEdge[]): Placement {
  const { direction, scale, spots, routes } = arrangement;
  const [labelAcross, labelAlong] = (direction === "down" ? [LABEL_SIZE.width, LABEL_SIZE.height] : [LABEL_SIZE.height, LABEL_SIZE.width]).map((n) => n * scale) as [number, number];
  const rows = Math.max(0, ...[...spots.values()].map(({ row }) => row + 1));
  const depths = Array.from({ length: rows }, () => 0);
  for (const { row, depth } of spots.values()) depths[row] = Math.max(depths[row]!, depth);
  const gaps: Gap[] = Array.from({ length: rows }, () => ({ labelled: false, zones: [[], []] }));
  for (const { upper, label } of routes.values()) {
    if (label < 0) continue;
    const row = spots.get(upper)!.row + Math.ceil(label / 2);
    if (label % 2 === 0) gaps[row]!.labelled = true;
    else depths[row] = Math.max(depths[row]!, labelAlong + 8 * scale);
  }

  const joins = new Map<string, number>();
  for (const { lower } of routes.values()) joins.set(lower, (joins.get(lower) ?? 0) + 1);
  const stops = new Map([...routes].map(([id, route]) => [id, stopsOf(id, route, spots, gaps, joins)]));
  for (const { zones } of gaps) for (const zone of zones) spread(zone);

  const starts: number[] = [];
  /** Where the parts of a gap lie: its two zones, and the labels between. */
  const middles: { zones: [number, number]; label: number }[] = [];
  let length = 0;
  gaps.forEach(({ labelled, zones }, row) => {
    starts.push(length);
    length += depths[row]!;
    const room = zones.map((zone) => (LABEL_MARGIN + TRACK * Math.max(0, ...zone.map(({ track }) => track + 1))) * scale) as [number, number];
    const plain = Math.max(PLAIN_GAP[direction] * scale, room[0]);
    middles.push(labelled ? { zones: [length + room[0] / 2, length + room[0] + labelAlong + room[1] / 2], label: length + room[0] + labelAlong / 2 } : { zones: [length + plain / 2, length + plain / 2], label: length + plain / 2 });
    const needed = labelled || row < rows - 1 || zones[0].length > 0;
    if (needed) length += labelled ? room[0] + labelAlong + room[1] : plain;
  });

  const point = (at: number, along: number): Point => (direction === "down" ? { x: Math.round(at), y: Math.round(along) } : { x: Math.round(along), y: Math.round(at) });
  const stages: PlacedStage[] = ids.map((id) => {
    const { row, start, breadth, depth } = spots.get(id)!;
    const size = direction === "down" ? { width: breadth, height: depth } : { width: depth, height: breadth };
    // All stages of a row begin on one line, however tall an opened one is.
    return { id, layer: row, terminal: isTerminal(id), ...size, ...point(start, starts[row]!) };
  });

  let breadth = Math.max(0, ...[...spots.values()].map((spot) => spot.start + spot.breadth));
  const placed = edges.map((edge): PlacedEdge => {
    const { from, to, type, condition, match } = edge;
    const id = edgeId(edge);
    const whole = (points: Point[], label: Point): PlacedEdge => ({ id, from, to, type, condition, match, points, label });
    const source = spots.get(from)!;
    const route = routes.get(id);
    if (!route) {
      // Back to itself: out of its far side and in again.
      const [side, top, bottom] = [source.start + source.breadth, starts[source.row]! + source.depth / 3, starts[source.row]! + (source.depth * 2) / 3];
      breadth = Math.max(breadth, side + 12 * scale);
      return whole([point(side, bottom), point(side + 12 * scale, bottom), point(side + 12 * scale, top), point(side, top)], point(side + 12 * scale, (top + bottom) / 2));
    }
    const [upper, lower] = [spots.get(route.upper)!, spots.get(route.lower)!];
    const chain = stops.get(id)!;
    for (const { at } of chain) breadth = Math.max(breadth, at + 8 * scale);
    const corners: [number, number][] = [];
    const beside = upper.row === lower.row && neighbours(upper, lower, spots) && !hasLabel(edge);
    if (beside) {
      const along = starts[upper.row]! + Math.min(upper.depth, lower.depth) / 2;
      corners.push(upper.start < lower.start ? [upper.start + upper.breadth, along] : [upper.start, along], upper.start < lower.start ? [lower.start, along] : [lower.start + lower.breadth, along]);
    } else {
      corners.push([chain[0]!.at, starts[upper.row]! + upper.depth]);
      for (const [index, { at, crossing }] of chain.entries()) {
        if (!crossing) continue;
        const along = middles[crossing.gap]!.zones[crossing.zone] + offset(crossing.of, gaps[crossing.gap]!.zones[crossing.zone]) * scale;
        corners.push([chain[index - 1]!.at, along], [at, along]);
      }
      corners.push([chain.at(-1)!.at, upper.row === lower.row ? starts[lower.row]! + lower.depth : starts[lower.row]!]);
    }
    const points = tidy(corners.map(([at, along]) => point(at, along)));
    if (source !== upper) points.reverse();
    const index = Math.max(0, route.label);
    const row = upper.row + Math.ceil(index / 2);
    const at = route.label < 0 ? (chain.at(-2) ?? chain[0]!).at : route.passes[index]!;
    if (route.label >= 0) breadth = Math.max(breadth, at + labelAcross / 2);
    return whole(points, point(at, index % 2 === 0 ? middles[row]!.label : starts[row]! + depths[row]! / 2));
  });
  return {
    direction,
    stages,
    edges: placed,
    arrangement,
    width: Math.round(direction === "down" ? breadth : length),
    height: Math.round(direction === "down" ? length : breadth),
  };
}

/** Where an edge runs along the flow, and the crossings in between, told to the gaps they lie in. */
function stopsOf(id: string, { upper, lower, passes }: Route, spots: ReadonlyMap<string, Spot>, gaps: readonly Gap[], joins: ReadonlyMap<string, number>): Stop[] {
  const [top, bottom] = [spots.get(upper)!, spots.get(lower)!];
  const inner = passes
    .map((at, index) => ({ at, gap: top.row + Math.floor(index / 2), between: index % 2 === 0 }))
    // Between rows there is nothing to pass by but labels.
    .filter(({ gap, between }) => !between || gaps[gap]!.labelled);
  const ends = inner.length > 0 ? [port(top, inner[0]!.at), port(bottom, inner.at(-1)!.at)] : straight(top, bottom);
  const stops: Stop[] = [{ at: ends[0]! }];
  const cross = (at: number, gap: number, zone: 0 | 1, group: string) => {
    const of: Crossing = { group, from: stops.at(-1)!.at, to: at, track: 0 };
    gaps[gap]!.zones[zone].push(of);
    stops.push({ at, crossing: { gap, zone, of } });
  };
  inner.forEach(({ at, gap, between }, index) => {
    if (between) cross(at, gap, 0, index === 0 ? upper : id);
    else cross(at, gap, gaps[gap]!.labelled ? 1 : 0, index === 0 ? upper : id);
  });
  const last = Math.max(top.row, bottom.row - 1);
  const joined = (joins.get(lower) ?? 0) > 1;
  cross(ends[1]!, last, gaps[last]!.labelled ? 1 : 0, gaps[last]!.labelled || joined || inner.length > 0 ? `→${lower}` : upper);
  return stops;
}

/** Straight on where the stage is, else from its middle. */
const port = ({ start, breadth }: Spot, at: number) => (at > start + CORNER && at < start + breadth - CORNER ? at : start + breadth / 2);

function straight(top: Spot, bottom: Spot): [number, number] {
  const [a, b] = [top.start + top.breadth / 2, bottom.start + bottom.breadth / 2];
  if (port(top, b) === b) return [b, b];
  return port(bottom, a) === a ? [a, a] : [a, b];
}

/** Gives crossings that would lie on each other tracks of their own; those of a group share one. */
function spread(zone: Crossing[]): void {
  const groups = new Map<string, { start: number; end: number; of: Crossing[] }>();
  for (const crossing of zone) {
    const [start, end] = [Math.min(crossing.from, crossing.to), Math.max(crossing.from, crossing.to)];
    if (end - start < 1) continue;
    const group = groups.get(crossing.group);
    if (group) Object.assign(group, { start: Math.min(group.start, start), end: Math.max(group.end, end), of: [...group.of, crossing] });
    else groups.set(crossing.group, { start, end, of: [crossing] });
  }
  const ends: number[] = [];
  for (const { start, end, of } of [...groups.values()].sort((a, b) => a.start - b.start)) {
    let track = ends.findIndex((taken) => taken + 4 < start);
    if (track < 0) track = ends.length;
    ends[track] = end;
    for (const crossing of of) crossing.track = track;
  }
}

/** Tracks lie around the middle of their zone. */
function offset({ track }: Crossing, zone: readonly Crossing[]): number {
  return (track - Math.max(0, ...zone.map((one) => one.track)) / 2) * TRACK;
}

/** Whether nothing stands between two stages of a row. */
const neighbours = (a: Spot, b: Spot, spots: ReadonlyMap<string, Spot>) =>
  ![...spots.values()].some((spot) => spot.row === a.row && spot.start > Math.min(a.start, b.start) && spot.start < Math.max(a.start, b.start));

/** Without repeats and without points in the middle of a straight line. */
function tidy(points: readonly Point[]): Point[] {
  const out: Point[] = [];
  for (const next of points) {
    const [before, last] = [out.at(-2), out.at(-1)];
    if (last && last.x === next.x && last.y === next.y) continue;
    if (before && last && ((before.x === last.x && last.x === next.x) || (before.y === last.y && last.y === next.y))) out.pop();
    out.push(next);
  }
  return out;
}
