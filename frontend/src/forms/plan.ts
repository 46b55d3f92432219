import type { MapPoint, SurveyMap } from "./types";

/** Places a map on a sheet of so many pixels. */
export interface Plan {
  width: number;
  height: number;
  /** Pixels for a foot. */
  scale: number;
  at(point: MapPoint): [number, number];
}

/** Room around the drawing, for labels. */
const margin = 34;

/** Everything that has to be in view: all areas, or what is near the subject. */
function needed(map: SurveyMap, near: boolean): MapPoint[] {
  const subject = map.features.find((one) => one.subject);
  const ends = map.distances.flatMap(({ from, to }) => [from, to]);
  const around = reach(map);
  const own = subject ? [...subject.measured, ...subject.path].flatMap(([x, y]): MapPoint[] => [[x - around, y - around], [x + around, y + around]]) : [];
  if (near && subject) {
    const line = map.distances.filter(({ ref }) => !ref).flatMap(({ from, to }) => [from, to]);
    return [...own, ...line];
  }
  const areas = map.areas.flatMap(({ rings }) => rings.flat());
  const all = [...own, ...ends, ...areas];
  return all.length > 0 ? all : map.features.flatMap(({ path }) => path);
}

/** The radius that is drawn around the subject: how far the line of an area has to be. */
export const reach = (map: SurveyMap): number => map.distances.find(({ ref }) => !ref)?.limit_ft ?? 0;

/** Fits the map to a width; the height follows from what is drawn. */
export function planOf(map: SurveyMap, width: number, near = false): Plan {
  const points = needed(map, near);
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const west = Math.min(...xs, 0), east = Math.max(...xs, 0), south = Math.min(...ys, 0), north = Math.max(...ys, 0);
  // A place alone has no extent: a few hundred feet around it are shown.
  const wide = Math.max(east - west, 400), high = Math.max(north - south, 400);
  const inner = width - 2 * margin;
  const most = Math.max(260, Math.min(520, width * 0.95)) - 2 * margin;
  const scale = Math.min(inner / wide, most / high);
  const height = Math.max(220, Math.round(high * scale) + 2 * margin);
  const middle: MapPoint = [(west + east) / 2, (south + north) / 2];
  return { width, height, scale, at: ([x, y]) => [round(width / 2 + (x - middle[0]) * scale), round(height / 2 - (y - middle[1]) * scale)] };
}

const round = (n: number) => Math.round(n * 10) / 10;

/** The longest round number of feet that is no longer than a quarter of the sheet. */
export function scaleBar({ scale, width }: Pick<Plan, "scale" | "width">): number {
  const most = width / 4 / scale;
  const power = 10 ** Math.floor(Math.log10(most));
  return [5, 2, 1].map((n) => n * power).find((n) => n <= most) ?? power;
}

export interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface Label extends Rect {
  text: string;
  /** Where it belongs to. */
  anchor: [number, number];
  /** It stands away from its place, so that a line leads there. */
  led: boolean;
}

const meet = (a: Rect, b: Rect) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/** Pixels that a text takes at 12 px: a little more than it does. */
const widthOf = (text: string) => Math.ceil([...text].length * 6.9) + 4;

const LINE = 16;

/**
 * Puts labels beside their places, so that none lies on another, on a mark or over the
 * edge: the nearest free place counts, and one off the lines before one on them. One for which there is no room, or none close by
 * where it has to be close, is left out: the table below the map has what matters.
 */
export function placeLabels(wanted: readonly { text: string; anchor: [number, number]; gap?: number; close?: boolean }[], taken: readonly Rect[], sheet: { width: number; height: number }, lines: readonly Rect[] = []): Label[] {
  const placed: Label[] = [];
  for (const { text, anchor, gap = 8, close } of wanted) {
    const w = widthOf(text), h = LINE;
    const [ax, ay] = anchor;
    const free = candidates(ax, ay, w, h, gap).filter((rect) =>
      rect.x >= 2 && rect.y >= 2 && rect.x + w <= sheet.width - 2 && rect.y + h <= sheet.height - 2
      && !taken.some((one) => meet(one, rect)) && !placed.some((one) => meet(one, rect)));
    const clear = (rect: Rect) => !lines.some((one) => meet(one, rect));
    const label = free.find((rect) => !rect.far && clear(rect)) ?? free.find((rect) => !rect.far) ?? (close ? undefined : (free.find(clear) ?? free[0]));
    if (label) placed.push({ ...label, text, anchor, led: label.far });
  }
  return placed;
}

function candidates(ax: number, ay: number, w: number, h: number, gap: number): (Rect & { far: boolean })[] {
  const out: (Rect & { far: boolean })[] = [];
  for (let ring = 0; ring < 7; ring++) {
    const d = gap + ring * 14;
    const far = ring > 1;
    for (const [x, y] of [
      [ax + d, ay - h / 2], [ax - w - d, ay - h / 2],
      [ax - w / 2, ay - h - d], [ax - w / 2, ay + d],
      [ax + d * 0.8, ay - h - d * 0.6], [ax - w - d * 0.8, ay - h - d * 0.6],
      [ax + d * 0.8, ay + d * 0.6], [ax - w - d * 0.8, ay + d * 0.6],
    ] as [number, number][]) out.push({ x, y, w, h, far });
  }
  return out;
}

/** Rectangles along a line, which labels keep clear of. */
export function alongLine([ax, ay]: [number, number], [bx, by]: [number, number], thick = 4): Rect[] {
  const n = Math.max(1, Math.ceil(Math.hypot(bx - ax, by - ay) / 8));
  return Array.from({ length: n + 1 }, (_, i) => ({ x: ax + ((bx - ax) * i) / n - thick / 2, y: ay + ((by - ay) * i) / n - thick / 2, w: thick, h: thick }));
}
