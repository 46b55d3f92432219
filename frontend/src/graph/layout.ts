/**
 * Where every stage and edge of an agent's graph is drawn. The coordinates are
 * computed once from the manifest and never measured in the page, so that the
 * picture is the same on every machine and no event moves it.
 *
 * The method is the usual layered one: stages sit in layers along the flow, an
 * edge that jumps over layers passes through a bend in each of them (so it
 * never runs behind a stage), the order within a layer is chosen to cross few
 * edges, and each layer is then placed as close to its neighbours as the gaps
 * allow.
 */

/** A stage as far as the picture needs it; layer and lane come with the manifest when it knows them. */
export interface LayoutStage {
  id: string;
  layer?: number;
  lane?: number;
}

export interface LayoutEdge {
  from: string;
  to: string;
  type: string;
  condition?: string;
  match?: string;
  /** Keeps room for a label; edges with a condition always have one. */
  labelled?: boolean;
}

export interface LayoutManifest {
  stages: readonly LayoutStage[];
  edges: readonly LayoutEdge[];
}

/** "down" for a tall pane, "right" for a wide one. */
export type Direction = "down" | "right";

/** Pixels at zoom 1. */
export interface Size {
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

export interface PlacedStage extends Size, Point {
  id: string;
  layer: number;
  /** Start and end are drawn as small marks, not as stages. */
  terminal: boolean;
}

export interface PlacedEdge {
  id: string;
  from: string;
  to: string;
  type: string;
  condition?: string;
  match?: string;
  /** From the border of one stage to the border of the next, bends in between. */
  points: Point[];
  /** The middle of the label's box. */
  label: Point;
}

export interface Placement extends Size {
  direction: Direction;
  stages: PlacedStage[];
  edges: PlacedEdge[];
}

export interface LayoutOptions {
  direction?: Direction;
  /** Sizes of stages that are not the standard size, such as an opened one. */
  sizes?: Readonly<Record<string, Size>>;
  /** Enlarges gaps and labels with the page's text; 1 for the standard size. Sizes given are not scaled. */
  scale?: number;
}

export const START = "start";
export const END = "end";
/** Start and end, also those of a graph inside of a stage. */
export const isTerminal = (id: string) => /(^|\/)(start|end)$/.test(id);
const hasLabel = (edge: LayoutEdge) => edge.condition !== undefined || edge.labelled === true;
export const STAGE_SIZE: Size = { width: 172, height: 52 };
export const TERMINAL_SIZE: Size = { width: 56, height: 24 };
/** Room for a condition's label of two lines; less where no edge has one. */
const LABEL_GAP: Record<Direction, number> = { down: 64, right: 156 };
const PLAIN_GAP: Record<Direction, number> = { down: 32, right: 40 };
const LANE_GAP = 20;
const LABEL_SIZE: Size = { width: 148, height: 34 };
const BEND: Size = { width: 16, height: 16 };
const SWEEPS = 8;

/** One place in a layer: a stage, or the bend of an edge that passes through. */
interface Slot {
  key: string;
  layer: number;
  /** Extent across the flow, in pixels. */
  breadth: number;
  /** Extent along the flow, in pixels. */
  depth: number;
  hint: number;
  bend: boolean;
  before: Slot[];
  after: Slot[];
  /** Middle, across the flow. */
  at: number;
}

const scaled = ({ width, height }: Size, scale: number): Size => ({ width: width * scale, height: height * scale });

export function edgeId(edge: Pick<LayoutEdge, "from" | "to" | "condition" | "match"> & { type?: string }): string {
  const way = `${edge.from}→${edge.to}`;
  if (edge.condition) return `${way}?${edge.condition}`;
  if (edge.match !== undefined) return `${way}=${edge.match}`;
  return edge.type === "error" || edge.type === "choice" ? `${way}!${edge.type}` : way;
}

export function layout(manifest: LayoutManifest, options: LayoutOptions = {}): Placement {
  const direction = options.direction ?? "down";
  const scale = options.scale ?? 1;
  const ids = stageIds(manifest);
  const edges = manifest.edges.filter((edge) => ids.includes(edge.from) && ids.includes(edge.to));
  if (ids.length === 0) return { direction, stages: [], edges: [], width: 0, height: 0 };
  const backward = backwardEdges(ids, edges);
  const layers = layerOf(manifest, ids, edges, backward);
  const hints = new Map(manifest.stages.map((stage, index) => [stage.id, stage.lane ?? index]));

  const sizeOf = (id: string): Size =>
    options.sizes?.[id] ?? scaled(isTerminal(id) ? TERMINAL_SIZE : STAGE_SIZE, scale);
  const across = (size: Size) => (direction === "down" ? size.width : size.height);
  const along = (size: Size) => (direction === "down" ? size.height : size.width);

  const slots = new Map<string, Slot>();
  for (const id of ids) {
    const size = sizeOf(id);
    slots.set(id, {
      key: id,
      layer: layers.get(id) ?? 0,
      breadth: across(size),
      depth: along(size),
      hint: hints.get(id) ?? 0,
      bend: false,
      before: [],
      after: [],
      at: 0,
    });
  }
  const chains = edges.map((edge) => {
    const forward = !backward.has(edge);
    const chain = chainOf(edge, slots, forward, (size) => across(scaled(size, scale)));
    for (let i = 1; i < chain.length; i++) {
      chain[i - 1]!.after.push(chain[i]!);
      chain[i]!.before.push(chain[i - 1]!);
    }
    return { edge, forward, chain };
  });

  const all = [...slots.values(), ...chains.flatMap(({ chain }) => chain.filter((slot) => slot.bend))];
  const rows = order(all);
  place(rows, LANE_GAP * scale);
  const bands = bandsOf(
    rows,
    direction,
    scale,
    new Set(edges.filter(hasLabel).map((edge) => (backward.has(edge) ? edge.to : edge.from))),
  );

  const left = Math.min(...all.map((slot) => slot.at - slot.breadth / 2));
  const breadth = Math.max(...all.map((slot) => slot.at + slot.breadth / 2)) - left;
  const point = (a: number, f: number): Point =>
    direction === "down"
      ? { x: Math.round(a - left), y: Math.round(f) }
      : { x: Math.round(f), y: Math.round(a - left) };

  const stages: PlacedStage[] = ids.map((id) => {
    const slot = slots.get(id)!;
    const size = sizeOf(id);
    // All stages of a layer begin on one line, however tall an opened one is.
    const corner = point(slot.at - slot.breadth / 2, bands[slot.layer]!.start);
    return { id, layer: slot.layer, terminal: isTerminal(id), ...size, ...corner };
  });

  const placedEdges = chains.map(({ edge, forward, chain }) => {
    const points: Point[] = [];
    const add = (a: number, f: number) => {
      const next = point(a, f);
      const last = points.at(-1);
      if (!last || last.x !== next.x || last.y !== next.y) points.push(next);
    };
    chain.forEach((slot, index) => {
      const band = bands[slot.layer]!;
      // Straight past the layer's stages; it only bends in the gap between layers.
      if (index > 0) add(slot.at, band.start);
      if (slot.bend) add(slot.at, band.start + band.depth);
      else if (index === 0) {
        add(slot.at, band.start + slot.depth);
        add(slot.at, band.start + band.depth);
      }
    });
    const [source, next] = [chain[0]!, chain[1]!];
    const band = bands[source.layer]!;
    const label = point(next.at, band.start + band.depth + band.gap * (direction === "down" ? 0.58 : 0.5));
    if (!forward) points.reverse();
    return {
      id: edgeId(edge),
      from: edge.from,
      to: edge.to,
      type: edge.type,
      condition: edge.condition,
      match: edge.match,
      points,
      label,
    };
  });

  const last = bands[bands.length - 1];
  const length = last ? last.start + last.depth : 0;
  return {
    direction,
    stages,
    edges: placedEdges,
    width: Math.round(direction === "down" ? breadth : length),
    height: Math.round(direction === "down" ? length : breadth),
  };
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

/** The edges that close a cycle, found depth-first from the manifest's order. */
function backwardEdges(ids: readonly string[], edges: readonly LayoutEdge[]): Set<LayoutEdge> {
  const backward = new Set<LayoutEdge>();
  const state = new Map<string, "open" | "done">();
  const visit = (id: string) => {
    state.set(id, "open");
    for (const edge of edges) {
      if (edge.from !== id) continue;
      const seen = state.get(edge.to);
      if (seen === "open") backward.add(edge);
      else if (!seen) visit(edge.to);
    }
    state.set(id, "done");
  };
  for (const id of ids) if (!state.has(id)) visit(id);
  return backward;
}

/** The manifest's layers when every forward edge agrees with them, else the longest path from the start. */
function layerOf(
  manifest: LayoutManifest,
  ids: readonly string[],
  edges: readonly LayoutEdge[],
  backward: ReadonlySet<LayoutEdge>,
): Map<string, number> {
  const forward = edges.filter((edge) => !backward.has(edge));
  const given = new Map<string, number>();
  for (const stage of manifest.stages) if (stage.layer !== undefined) given.set(stage.id, stage.layer);
  for (const id of ids) if (isTerminal(id) && id.endsWith(START) && !given.has(id)) given.set(id, 0);
  for (const id of ids) if (isTerminal(id) && id.endsWith(END) && !given.has(id)) given.set(id, Math.max(0, ...given.values()) + 1);
  const agrees =
    ids.every((id) => given.has(id)) && forward.every((edge) => given.get(edge.to)! > given.get(edge.from)!);
  const layers = agrees ? given : new Map(ids.map((id) => [id, 0]));
  if (!agrees) {
    for (let round = 0; round < ids.length; round++) {
      let moved = false;
      for (const edge of forward) {
        const least = layers.get(edge.from)! + 1;
        if (layers.get(edge.to)! < least) {
          layers.set(edge.to, least);
          moved = true;
        }
      }
      if (!moved) break;
    }
  }
  // Layers are counted without holes, whatever numbers the manifest uses.
  const used = [...new Set(layers.values())].sort((a, b) => a - b);
  return new Map([...layers].map(([id, layer]) => [id, used.indexOf(layer)]));
}

/** The slots an edge passes, from the upper layer to the lower one. */
function chainOf(
  edge: LayoutEdge,
  slots: ReadonlyMap<string, Slot>,
  forward: boolean,
  across: (size: Size) => number,
): Slot[] {
  const upper = slots.get(forward ? edge.from : edge.to)!;
  const lower = slots.get(forward ? edge.to : edge.from)!;
  const chain = [upper];
  for (let layer = upper.layer + 1; layer < lower.layer; layer++) {
    const labelled = hasLabel(edge) && layer === upper.layer + 1;
    chain.push({
      key: `${edgeId(edge)}@${layer}`,
      layer,
      breadth: across(labelled ? LABEL_SIZE : BEND),
      depth: 0,
      hint: lower.hint + 0.5,
      bend: true,
      before: [],
      after: [],
      at: 0,
    });
  }
  chain.push(lower);
  return chain;
}

/** Slots by layer, in the order that crosses the fewest edges among the sweeps tried. */
function order(slots: readonly Slot[]): Slot[][] {
  const depth = Math.max(0, ...slots.map((slot) => slot.layer + 1));
  let rows: Slot[][] = Array.from({ length: depth }, (_, layer) =>
    slots.filter((slot) => slot.layer === layer).sort((a, b) => a.hint - b.hint),
  );
  let best = rows.map((row) => [...row]);
  let fewest = crossings(rows);
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
    const down = sweep % 2 === 0;
    rows = rows.map((row) => [...row]);
    for (let i = 0; i < depth; i++) {
      const layer = down ? i : depth - 1 - i;
      const neighbours = rows[down ? layer - 1 : layer + 1];
      if (!neighbours) continue;
      const rank = new Map(neighbours.map((slot, index) => [slot, index]));
      const wish = new Map(
        rows[layer]!.map((slot, index) => {
          const ranks = (down ? slot.before : slot.after)
            .map((other) => rank.get(other))
            .filter((r) => r !== undefined);
          return [slot, ranks.length === 0 ? index : ranks.reduce((sum, r) => sum + r, 0) / ranks.length];
        }),
      );
      rows[layer]!.sort((a, b) => wish.get(a)! - wish.get(b)!);
    }
    const count = crossings(rows);
    if (count < fewest) {
      fewest = count;
      best = rows.map((row) => [...row]);
    }
  }
  return best;
}

function crossings(rows: readonly (readonly Slot[])[]): number {
  let count = 0;
  for (let layer = 0; layer + 1 < rows.length; layer++) {
    const rank = new Map(rows[layer + 1]!.map((slot, index) => [slot, index]));
    const ends: [number, number][] = [];
    rows[layer]!.forEach((slot, index) => {
      for (const other of slot.after) ends.push([index, rank.get(other)!]);
    });
    for (let i = 0; i < ends.length; i++) {
      for (let j = i + 1; j < ends.length; j++) {
        const [a, b] = [ends[i]!, ends[j]!];
        if ((a[0] - b[0]) * (a[1] - b[1]) < 0) count++;
      }
    }
  }
  return count;
}

/** Gives every slot its middle across the flow: near its neighbours, at least a gap apart, order kept. */
function place(rows: readonly (readonly Slot[])[], gap: number) {
  for (const row of rows)
    settle(
      row,
      row.map(() => 0),
      gap,
    );
  const middle = (others: readonly Slot[], fallback: number) =>
    others.length === 0 ? fallback : others.reduce((sum, other) => sum + other.at, 0) / others.length;
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const row of rows)
      settle(
        row,
        row.map((slot) => middle(slot.before, slot.at)),
        gap,
      );
    for (const row of [...rows].reverse())
      settle(
        row,
        row.map((slot) => middle(slot.after, slot.at)),
        gap,
      );
  }
  for (const row of rows)
    settle(
      row,
      row.map((slot) => middle([...slot.before, ...slot.after], slot.at)),
      gap,
    );
}

/**
 * Least squares with minimum distances: after taking the distances out, the
 * best non-decreasing sequence is found by pooling neighbours that would swap.
 * Bends weigh more, so that long edges stay straight.
 */
function settle(row: readonly Slot[], wishes: readonly number[], gap: number) {
  let offset = 0;
  const pools: { value: number; weight: number; slots: { slot: Slot; offset: number }[] }[] = [];
  row.forEach((slot, index) => {
    if (index > 0) offset += (row[index - 1]!.breadth + slot.breadth) / 2 + gap;
    const weight = slot.bend ? 8 : 1;
    let pool = { value: wishes[index]! - offset, weight, slots: [{ slot, offset }] };
    for (let last = pools[pools.length - 1]; last && last.value > pool.value; last = pools[pools.length - 1]) {
      pools.pop();
      const sum = last.weight + pool.weight;
      pool = {
        value: (last.value * last.weight + pool.value * pool.weight) / sum,
        weight: sum,
        slots: [...last.slots, ...pool.slots],
      };
    }
    pools.push(pool);
  });
  for (const pool of pools) for (const { slot, offset: shift } of pool.slots) slot.at = pool.value + shift;
}

/** Where each layer starts along the flow, how deep it is and the gap after it. */
function bandsOf(
  rows: readonly (readonly Slot[])[],
  direction: Direction,
  scale: number,
  labelled: ReadonlySet<string>,
) {
  let start = 0;
  return rows.map((row) => {
    const depth = Math.max(0, ...row.map((slot) => slot.depth));
    const gap = row.some((slot) => labelled.has(slot.key))
      ? LABEL_GAP[direction] * scale
      : PLAIN_GAP[direction] * scale;
    const band = { start, depth, gap };
    start += depth + gap;
    return band;
  });
}
