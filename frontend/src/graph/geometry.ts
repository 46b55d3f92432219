/** The words of the layout: what is given to it, what it places, and the sizes that all agree on. */

/** A stage as far as the picture needs it. */
interface LayoutStage {
  id: string;
}

export interface LayoutEdge {
  from: string;
  to: string;
  type: string;
  condition?: string;
  match?: string;
  /** Stands for the way back between the two stages as well. */
  back?: boolean;
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

export type Boxes = ReadonlyMap<string, { breadth: number; depth: number }>;

export interface PlacedStage extends Size, Point {
  id: string;
  /** Its row along the flow, from 0. */
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
  /** From the border of one stage to the border of the next, bends in between; each part runs along or across the flow. */
  points: Point[];
  /** The middle of the label's box. */
  label: Point;
}

/** A stage's place: its row, where it begins across the flow, and its extents. */
export interface Spot {
  row: number;
  start: number;
  breadth: number;
  depth: number;
}

/** An edge's way from the upper stage to the lower one, which is the same row's where a grown graph left no other. */
export interface Route {
  upper: string;
  lower: string;
  /** Where it passes, across the flow: after the upper stage's row, in the next row, after that, and so on to the lower one. */
  passes: number[];
  /** At which of these its label stands; -1 for none. */
  label: number;
}

/** What a later, grown picture keeps of this one. */
export interface Arrangement {
  direction: Direction;
  scale: number;
  spots: Map<string, Spot>;
  routes: Map<string, Route>;
}

export interface Placement extends Size {
  direction: Direction;
  stages: PlacedStage[];
  edges: PlacedEdge[];
  arrangement: Arrangement;
}

export interface LayoutOptions {
  direction?: Direction;
  /** Sizes of stages that are not the standard size, such as an opened one. */
  sizes?: Readonly<Record<string, Size>>;
  /** Enlarges gaps and labels with the page's text; 1 for the standard size. Sizes given are not scaled. */
  scale?: number;
  /** The picture that this one grew from. Its stages stay where they are unless there is no room for what is new. */
  before?: Arrangement;
}

export const START = "start";
/** Start and end, also those of a graph inside of a stage. */
export const isTerminal = (id: string) => /(^|\/)(start|end)$/.test(id);
export const hasLabel = (edge: LayoutEdge) => edge.condition !== undefined || edge.labelled === true;
export const STAGE_SIZE: Size = { width: 172, height: 52 };
export const TERMINAL_SIZE: Size = { width: 56, height: 24 };
export const LABEL_SIZE: Size = { width: 148, height: 34 };
/** Between stages of a row, and between edges that pass one. */
export const LANE_GAP = 20;
export const EDGE_GAP = 16;

export const scaled = ({ width, height }: Size, scale: number): Size => ({ width: width * scale, height: height * scale });

export function edgeId(edge: Pick<LayoutEdge, "from" | "to" | "condition" | "match"> & { type?: string }): string {
  const way = `${edge.from}→${edge.to}`;
  if (edge.condition) return `${way}?${edge.condition}`;
  if (edge.match !== undefined) return `${way}=${edge.match}`;
  return edge.type === "error" || edge.type === "choice" ? `${way}!${edge.type}` : way;
}
