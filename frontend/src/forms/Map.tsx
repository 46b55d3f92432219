import { Map as MapIcon } from "lucide-react";
import { useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useRead } from "@/api/query";
import { ApiError } from "@/api/types";
import { VisibleText } from "@/approvals/VisibleText";
import { href } from "@/shell/route";
import { language, rich, t } from "@/text/language";
import { told } from "@/text/told";
import { prose, visibleText } from "@/text/visible";
import { Button } from "@/ui/Button";
import { ErrorNote, Loading } from "@/ui/Notice";
import { alongLine, type Label, placeLabels, planOf, reach, type Rect, scaleBar } from "./plan";
import type { DistanceState, MapDistance, MapPoint, SurveyMap } from "./types";

const states = { short: "forms.tooShort", kept: "forms.kept", open: "forms.notDecided", none: "forms.doesNotCount" } as const satisfies Record<DistanceState, string>;

/** US survey feet, for people. */
export const feet = (ft: number) => t("forms.feet", { ft: ft.toLocaleString(language(), { maximumFractionDigits: 1 }) });

/** How a distance stands. Characters that nobody sees are escaped here: those of numbers and of signs have to stay. */
const stateText = ({ state, ft, limit_ft: limit, why }: MapDistance) =>
  state === "short" && limit ? t("forms.tooShortBy", { ft: feet(Math.round((limit - ft) * 10) / 10) }) : why ? t("forms.standsBecause", { state: t(states[state]), why: prose(told(why)) }) : t(states[state]);

/** What a distance goes to: a feature goes by its name, the line of an area by what the agent calls it. */
const placeOf = ({ ref, what }: MapDistance) => (ref ? what : told(what).replace(/^./u, (first) => first.toUpperCase()));

/** The map for those who do not see it. */
const picture = (map: SurveyMap) =>
  t("forms.picture", {
    title: map.title,
    distances: map.distances.map((one) => t("forms.placeAt", { what: placeOf(one), ft: feet(one.ft), state: stateText(one) })).join(" "),
  });

const tone: Record<DistanceState, string> = { short: "text-failed", kept: "text-done", open: "text-degraded", none: "text-wait" };
const dash: Record<DistanceState, string | undefined> = { short: undefined, kept: undefined, open: "6 4", none: "2 4" };

/** The map at an address; nothing where there is none to draw. */
export function MapAt({ path, heading = true }: { path: string; heading?: boolean }) {
  const { data, error, isPending, refetch } = useRead<SurveyMap>(path);
  if (error instanceof ApiError && error.status === 404) return null;
  if (error) return <ErrorNote error={error} title={t("forms.theMapCouldNotBeDrawn")} retry={() => void refetch()} />;
  if (isPending) return <Loading what={t("forms.drawingTheMap")} />;
  return <MapView map={data} heading={heading} />;
}

/** Features, the lines of areas and the distances that matter, drawn here without any tiles, with all of it as a table. */
export function MapView({ map, heading = true }: { map: SurveyMap; heading?: boolean }) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(640);
  const [near, setNear] = useState(false);
  useLayoutEffect(() => {
    const node = box.current;
    if (!node) return;
    const look = () => setWidth(Math.max(240, Math.floor(node.clientWidth) || 640));
    look();
    const watch = new ResizeObserver(look);
    watch.observe(node);
    return () => watch.disconnect();
  }, []);
  const drawn = map.features.length > 0 || map.areas.length > 0;
  return (
    <section aria-labelledby={id} data-map className="space-y-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h4 id={id} className={heading ? "text-lg font-semibold" : "sr-only"}>{rich("forms.mapOf", { title: () => <VisibleText text={map.title} /> })}</h4>
        {drawn && map.areas.length > 0 && map.features.some(({ subject }) => subject) && (
          <div role="group" aria-label={t("forms.partOfTheMap")} className="flex gap-1">
            {[false, true].map((one) => (
              <Button key={String(one)} small look={near === one ? "primary" : "plain"} aria-pressed={near === one} onClick={() => setNear(one)}>{one ? told(map.legend.near) : told(map.legend.whole)}</Button>
            ))}
          </div>
        )}
      </div>
      {map.verdict && <p className="wrap-anywhere"><VisibleText prose text={told(map.verdict)} /></p>}
      <div ref={box} className="overflow-hidden rounded-md border bg-surface">
        {drawn ? <Drawing map={map} width={width} near={near} /> : <p className="flex items-center gap-2 p-3 text-ink-2"><MapIcon aria-hidden className="size-4" />{t("forms.noPlaceOfItIsKnown")}</p>}
      </div>
      {drawn && <Legend map={map} />}
      <Distances map={map} />
      <p className="text-xs text-ink-2">
        {map.measured_from && `${t("forms.measuredFromThe", { from: told(map.measured_from) })} `}{t("forms.placesIn", { datum: map.datum })} {t("forms.drawnFromTheRecords")}
      </p>
      {map.unplaced.length > 0 && <p className="text-xs text-ink-2 wrap-anywhere">{t("forms.notDrawn", { features: prose(map.unplaced.map(told).join("; ")) })}</p>}
      {map.notes.length > 0 && (
        <ul aria-label={t("forms.notes")} className="list-disc space-y-0.5 pl-5 text-sm">
          {map.notes.map((note) => <li key={note} className="wrap-anywhere"><VisibleText prose text={told(note)} /></li>)}
        </ul>
      )}
    </section>
  );
}

function Drawing({ map, width, near }: { map: SurveyMap; width: number; near: boolean }) {
  const id = useId();
  const { plan, labels, subject, around } = useMemo(() => sheetOf(map, width, near), [map, width, near]);
  const line = (points: readonly MapPoint[]) => points.map((point) => plan.at(point).join(" ")).join(" L ");
  const bar = scaleBar(plan);
  return (
    <svg role="img" aria-label={picture(map)} viewBox={`0 0 ${plan.width} ${plan.height + 30}`} width={plan.width} height={plan.height + 30} className="block max-w-full font-sans text-ink" fontSize={12}>
      <clipPath id={id}><rect width={plan.width} height={plan.height} /></clipPath>
      <g clipPath={`url(#${id})`}>
        {map.areas.map((area) => (
          <path key={area.ref} d={area.rings.map((ring) => `M ${line(ring)} Z`).join(" ")} fillRule="evenodd" className="fill-accent-soft stroke-ink-2" fillOpacity={0.55} strokeWidth={1.5} strokeDasharray={area.confirmed ? undefined : "7 4"} />
        ))}
        {subject && around > 0 && (
          <path data-around d={outline(subject.measured.map(plan.at), around * plan.scale)} className="fill-transparent stroke-ink-3" strokeWidth={1} strokeDasharray="3 4" />
        )}
        {map.features.map((feature) => feature.path.length > 1 && (
          <path key={feature.ref} d={`M ${line(feature.path)}`} className={feature.subject ? "stroke-accent" : "stroke-ink-3"} strokeWidth={1.25} fill="none" />
        ))}
        {map.features.map((feature) => feature.measured.length > 1 && (
          <path key={feature.ref} d={`M ${line(feature.measured)}`} className={feature.subject ? "stroke-accent" : "stroke-ink-3"} strokeWidth={feature.subject ? 4 : 2.5} strokeLinecap="round" fill="none" />
        ))}
        {map.distances.map((one) => {
          const [x1, y1] = plan.at(one.from), [x2, y2] = plan.at(one.to);
          return <line key={`${one.ref}/${one.what}`} data-distance={one.state} x1={x1} y1={y1} x2={x2} y2={y2} className={tone[one.state]} stroke="currentColor" strokeWidth={one.state === "none" ? 1 : 2} strokeDasharray={dash[one.state]} />;
        })}
        {map.features.map((feature) => {
          const [x, y] = plan.at(feature.path[0]!);
          return feature.subject ? (
            <g key={feature.ref}><circle cx={x} cy={y} r={7} className="fill-surface stroke-accent" strokeWidth={2} /><circle cx={x} cy={y} r={3.5} className="fill-accent" /></g>
          ) : (
            <g key={feature.ref} className="stroke-ink-2">
              <circle cx={x} cy={y} r={4} className="fill-surface" strokeWidth={1.5} />
              {feature.former && <path d={`M ${x - 6} ${y - 6} L ${x + 6} ${y + 6} M ${x - 6} ${y + 6} L ${x + 6} ${y - 6}`} strokeWidth={1.5} />}
            </g>
          );
        })}
        {labels.filter(({ led }) => led).map((label) => (
          <line key={label.text} x1={label.anchor[0]} y1={label.anchor[1]} x2={clamp(label.anchor[0], label.x, label.x + label.w)} y2={clamp(label.anchor[1], label.y + 1, label.y + label.h - 1)} className="stroke-ink-3" strokeWidth={0.75} />
        ))}
        {labels.map((label) => (
          <g key={`${label.text}${label.x}`}>
            <text data-label x={label.x + label.w / 2} y={label.y + 12} textAnchor="middle" className={`stroke-surface ${label.look}`} strokeWidth={4} paintOrder="stroke" strokeLinejoin="round" fontWeight={label.strong ? 600 : 400}>{label.text}</text>
          </g>
        ))}
      </g>
      <g className="stroke-ink fill-ink" transform={`translate(${plan.width - 20} 14)`} aria-hidden>
        <path d="M 0 22 L 0 2 M -4 8 L 0 1 L 4 8" fill="none" strokeWidth={1.5} />
        <text y={36} textAnchor="middle" stroke="none" fontWeight={600}>{t("forms.north")}</text>
      </g>
      <g className="stroke-ink" aria-hidden transform={`translate(12 ${plan.height + 8})`}>
        <path d={`M 0 -4 L 0 4 M 0 0 L ${bar * plan.scale} 0 M ${bar * plan.scale} -4 L ${bar * plan.scale} 4`} fill="none" strokeWidth={1.5} />
        <text x={bar * plan.scale + 8} y={4} stroke="none" className="fill-ink">{feet(bar)}</text>
      </g>
    </svg>
  );
}

interface Shown extends Label {
  look: string;
  strong: boolean;
}

/** Where everything is on the sheet: what it is about is named first, then what was measured. */
function sheetOf(map: SurveyMap, width: number, near: boolean) {
  const plan = planOf(map, width, near);
  const subject = map.features.find((feature) => feature.subject);
  const around = reach(map);
  const inView = ([x, y]: [number, number]) => x >= 0 && y >= 0 && x <= plan.width && y <= plan.height;
  const taken: Rect[] = [{ x: plan.width - 34, y: 8, w: 30, h: 48 }];
  for (const feature of map.features) {
    const [x, y] = plan.at(feature.path[0]!);
    const r = feature.subject ? 9 : 6;
    taken.push({ x: x - r, y: y - r, w: 2 * r, h: 2 * r });
    for (let i = 1; i < feature.path.length; i++) taken.push(...alongLine(plan.at(feature.path[i - 1]!), plan.at(feature.path[i]!)));
  }
  const lines: Rect[] = [];
  for (const area of map.areas) for (const ring of area.rings) for (let i = 1; i < ring.length; i++) lines.push(...alongLine(plan.at(ring[i - 1]!), plan.at(ring[i]!)));
  for (const one of map.distances) taken.push(...alongLine(plan.at(one.from), plan.at(one.to)));
  const wanted: { text: string; anchor: [number, number]; gap?: number; close?: boolean; look: string; strong: boolean }[] = [];
  const at = ({ from, to }: MapDistance): [number, number] => {
    const [ax, ay] = plan.at(from), [bx, by] = plan.at(to);
    return [(ax + bx) / 2, (ay + by) / 2];
  };
  const fill: Record<DistanceState, string> = { short: "fill-failed", kept: "fill-done", open: "fill-degraded", none: "fill-wait" };
  if (subject) wanted.push({ text: visibleText(subject.name), anchor: plan.at(subject.path[0]!), gap: 11, look: "fill-accent", strong: true });
  const counted = [...map.distances].sort((a, b) => rank(a) - rank(b));
  for (const one of counted) {
    const anchor = at(one);
    if (inView(anchor) && one.state !== "none") wanted.push({ text: `${feet(one.ft)} ${mark(one)}`, anchor, look: fill[one.state], strong: one.state === "short" });
  }
  const measured = new Set(counted.map(({ ref }) => ref));
  for (const feature of [...map.features.filter(({ ref }) => measured.has(ref)), ...map.features.filter(({ ref }) => !measured.has(ref))]) {
    const anchor = plan.at(feature.path[0]!);
    if (!feature.subject && inView(anchor)) wanted.push({ text: visibleText(feature.name), anchor, close: !measured.has(feature.ref), look: "fill-ink", strong: false });
  }
  // What does not count is written last, where there is room left.
  for (const one of counted) {
    const anchor = at(one);
    if (inView(anchor) && one.state === "none") wanted.push({ text: feet(one.ft), anchor, close: true, look: fill.none, strong: false });
  }
  for (const area of map.areas) {
    const [x, y] = corner(area.rings[0]!.map(plan.at));
    const anchor: [number, number] = [Math.min(Math.max(x, 60), plan.width - 60), Math.min(Math.max(y, 12), plan.height - 12)];
    wanted.push({ text: visibleText(area.name), anchor, gap: 4, close: true, look: "fill-ink-2", strong: false });
  }
  const placed = placeLabels(wanted, taken, plan, lines);
  const labels = placed.map((label): Shown => {
    const from = wanted.find((one) => one.text === label.text && one.anchor === label.anchor)!;
    return { ...label, look: from.look, strong: from.strong };
  });
  return { plan, labels, subject, around };
}

const rank = ({ state, ref }: MapDistance) => ["short", "open", "kept", "none"].indexOf(state) * 2 + (ref ? 1 : 0);

/** How a distance stands, beside it: never by colour alone. */
const mark = ({ state, limit_ft: limit }: MapDistance) => (state === "short" ? t("forms.less", { ft: String(limit) }) : state === "kept" ? t("forms.atLeastFeet", { ft: String(limit?.toLocaleString(language())) }) : state === "open" ? `(${t(states.open)})` : "");

const clamp = (n: number, least: number, most: number) => Math.min(Math.max(n, least), most);

/** The corner that is furthest to the upper left. */
const corner = (points: [number, number][]): [number, number] => points.reduce((best, one) => (one[0] + one[1] < best[0] + best[1] ? one : best));

/** The line that is so far away from a place, or from a straight way. */
function outline(points: [number, number][], r: number): string {
  const [ax, ay] = points[0]!, [bx, by] = points.at(-1)!;
  const length = Math.hypot(bx - ax, by - ay);
  if (length < 0.5) return `M ${ax - r} ${ay} A ${r} ${r} 0 1 1 ${ax + r} ${ay} A ${r} ${r} 0 1 1 ${ax - r} ${ay} Z`;
  const nx = (-(by - ay) / length) * r, ny = ((bx - ax) / length) * r;
  return `M ${ax + nx} ${ay + ny} L ${bx + nx} ${by + ny} A ${r} ${r} 0 0 0 ${bx - nx} ${by - ny} L ${ax - nx} ${ay - ny} A ${r} ${r} 0 0 0 ${ax + nx} ${ay + ny} Z`;
}

function Legend({ map }: { map: SurveyMap }) {
  const around = reach(map);
  const sign = (content: React.ReactNode) => <svg aria-hidden width={22} height={12} className="shrink-0">{content}</svg>;
  const items: [string, React.ReactNode, string][] = [];
  if (map.features.some(({ subject }) => subject)) items.push(["subject", sign(<g><circle cx={11} cy={6} r={5} className="fill-surface stroke-accent" strokeWidth={1.5} /><circle cx={11} cy={6} r={2.5} className="fill-accent" /></g>), told(map.legend.subject)]);
  if (map.features.some(({ subject }) => !subject)) items.push(["other", sign(<circle cx={11} cy={6} r={4} className="fill-surface stroke-ink-2" strokeWidth={1.5} />), told(map.legend.other)]);
  if (map.features.some(({ path, measured }) => path.length > 1 || measured.length > 1)) items.push(["path", sign(<path d="M 1 6 H 21" className="stroke-ink-3" strokeWidth={2} />), told(map.legend.path)]);
  for (const confirmed of [true, false]) if (map.areas.some((area) => area.confirmed === confirmed)) items.push([`lines-${confirmed}`, sign(<path d="M 1 6 H 21" className="stroke-ink-2" strokeWidth={1.5} strokeDasharray={confirmed ? undefined : "7 4"} />), told(confirmed ? map.legend.confirmed : map.legend.unconfirmed)]);
  if (around > 0) items.push(["around", sign(<path d="M 1 6 H 21" className="stroke-ink-3" strokeDasharray="3 4" />), t("forms.around", { ft: feet(around) })]);
  for (const state of ["short", "kept", "open", "none"] as const)
    if (map.distances.some((one) => one.state === state)) items.push([state, sign(<path d="M 1 6 H 21" className={tone[state]} stroke="currentColor" strokeWidth={state === "none" ? 1 : 2} strokeDasharray={dash[state]} />), t("forms.distanceIs", { state: t(states[state]) })]);
  return (
    <ul aria-label={t("forms.whatTheSignsMean")} className="flex flex-wrap gap-x-4 gap-y-0.5 text-xs text-ink-2">
      {items.map(([key, picture, text]) => <li key={key} className="inline-flex items-center gap-1.5">{picture}{text}</li>)}
    </ul>
  );
}

/** The same as a table: for screen readers, and for all that had no room on the map. */
function Distances({ map }: { map: SurveyMap }) {
  if (map.distances.length + map.as_filed.length === 0) return map.features.some(({ subject }) => subject) ? <p className="text-sm text-ink-2">{t("forms.noDistanceWasMeasured")}</p> : null;
  const cell = "px-2 py-1 text-left align-top wrap-anywhere";
  return (
    <div className="@container space-y-2">
      {map.distances.length > 0 && (
        <table className="w-full table-fixed border-collapse rounded-md border bg-surface text-sm @max-md:block">
          <caption className="pb-1 text-left text-sm font-semibold @max-md:block">{t("forms.distancesThatMatter")}</caption>
          <thead className="@max-md:sr-only"><tr className="border-b text-xs text-ink-2"><th scope="col" className={`${cell} w-[32%] font-medium`}>{t("forms.to")}</th><th scope="col" className={`${cell} font-medium`}>{t("forms.distance")}</th><th scope="col" className={`${cell} w-[18%] font-medium`}>{t("forms.atLeast")}</th><th scope="col" className={`${cell} w-[30%] font-medium`}>{t("forms.howItStands")}</th></tr></thead>
          <tbody className="@max-md:block">
            {map.distances.map((one) => (
              <tr key={`${one.ref}/${one.what}`} className="border-b last:border-b-0 @max-md:grid @max-md:grid-cols-2">
                <th scope="row" className={`${cell} font-normal`}>{one.ref ? <a href={href("records", ...(one.ref.split("/") as [string, string]))} className="text-accent underline underline-offset-2">{visibleText(one.what)}</a> : placeOf(one)}</th>
                <td className={cell}>{feet(one.ft)}</td>
                <td className={`${cell} @max-md:order-last`}>{one.limit_ft ? <><span className="hidden text-ink-2 @max-md:inline">{t("forms.atLeast2")} </span>{feet(one.limit_ft)}</> : "–"}</td>
                <td className={`${cell} ${tone[one.state]}`}>{stateText(one)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {map.as_filed.length > 0 && (
        <table className="w-full table-fixed border-collapse rounded-md border bg-surface text-sm">
          <caption className="pb-1 text-left text-sm font-semibold">{t("forms.asFiledOnThePermit")}</caption>
          <thead className="sr-only"><tr><th scope="col">{t("forms.to")}</th><th scope="col">{t("forms.distance")}</th><th scope="col">{t("forms.source")}</th></tr></thead>
          <tbody>
            {map.as_filed.map((one, index) => (
              <tr key={index} className="border-b last:border-b-0">
                <th scope="row" className={`${cell} w-[40%] font-normal`}><VisibleText prose text={told(one.what)} /></th>
                <td className={`${cell} w-[24%]`}>{feet(one.ft)}{one.direction ? ` ${visibleText(one.direction)}` : ""}</td>
                <td className={`${cell} text-xs text-ink-2`}><VisibleText prose text={told(one.source)} /></td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
