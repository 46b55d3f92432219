import type { Manifest, ManifestEdge, ManifestStage } from "@/api/types";
import { isTerminal } from "./geometry";
import { takenKey, type TurnProgress } from "./progress";

/**
 * A graph with the graphs inside of its stages, as far as they are drawn. All ids
 * are whole ("work/plan"), as the journal names them.
 */
export interface Shown {
  id: string;
  stage: ManifestStage;
  nested: ShownLevel | null;
}

export interface ShownLevel {
  stages: Shown[];
  edges: ShownEdge[];
  /** What a model can still choose here and has not: titles, in the manifest's order. */
  offers: string[];
  /** Laid out to the right of its chooser, whatever the pane's shape. */
  pool: boolean;
}

export interface ShownEdge extends ManifestEdge {
  /** The way back between the same two stages is drawn with this one. */
  back?: boolean;
  labelled: boolean;
}

/** The journal names a nested stage by its path. */
export const fullId = (parent: string, id: string) => (parent && !id.startsWith(`${parent}/`) ? `${parent}/${id}` : id);

/** The agents with a pipeline show what is inside of a stage as a list of its tools. */
export const drawsNested = (manifest: Pick<Manifest, "pipeline">) => !manifest.pipeline?.length;

export function shownGraph(manifest: Manifest, progress: TurnProgress): ShownLevel {
  return shown(manifest.stages, manifest.edges, "", progress, drawsNested(manifest));
}

/** The edges of a level with whole ids. */
export const fullEdges = (edges: readonly ManifestEdge[], parent: string): ManifestEdge[] =>
  parent ? edges.map((edge) => ({ ...edge, from: fullId(parent, edge.from), to: fullId(parent, edge.to) })) : [...edges];

/** Stages of a pool: what only a model's choice leads to. Their ids are those of the level. */
export function poolOf(stages: readonly ManifestStage[], edges: readonly ManifestEdge[]): Set<string> {
  const choosers = new Set(stages.filter(({ kind }) => kind === "choose").map(({ id }) => id));
  if (choosers.size === 0) return choosers;
  return new Set(
    stages
      .filter(({ id }) => {
        const ways = edges.filter((edge) => edge.to === id && edge.from !== id);
        return ways.some((edge) => choosers.has(edge.from)) && ways.every((edge) => edge.type === "choice");
      })
      .map(({ id }) => id),
  );
}

/** Whether the run has come to a stage, or means to. */
export const touched = (id: string, progress: TurnProgress) => {
  const seen = progress.stages[id];
  return Boolean(seen && (seen.attempts.length > 0 || seen.chosen || seen.state !== "waiting" || seen.tools.length > 0));
};

function shown(stages: readonly ManifestStage[], edges: readonly ManifestEdge[], parent: string, progress: TurnProgress, nested: boolean): ShownLevel {
  const pool = poolOf(stages, edges);
  const here = stages.filter((stage) => !pool.has(stage.id) || stage.added || touched(fullId(parent, stage.id), progress));
  const ids = new Set(here.map(({ id }) => fullId(parent, id)));
  const ways = fullEdges(edges, parent).filter((edge) => inDrawing(edge, ids, parent, progress));
  if (parent) ways.push(...toEnd(ways, parent, progress));
  return {
    stages: here.map((stage) => ({
      id: fullId(parent, stage.id),
      stage,
      nested: nested && stage.stages?.length ? shown(stage.stages, stage.edges ?? [], fullId(parent, stage.id), progress, nested) : null,
    })),
    edges: paired(ways),
    offers: stages.filter((stage) => !here.includes(stage)).map((stage) => stage.title || stage.id),
    pool: pool.size > 0,
  };
}

/** Inside of a stage its box says where it begins and ends; only an end that was chosen is drawn. */
function inDrawing({ from, to }: ManifestEdge, ids: ReadonlySet<string>, parent: string, progress: TurnProgress): boolean {
  const ends = (id: string) => ids.has(id) || (isTerminal(id) && (parent === "" || (id.endsWith("/end") && chosenEnd(from, id, progress))));
  return ends(from) && ends(to);
}

const chosenEnd = (from: string, to: string, progress: TurnProgress) => {
  const way = progress.ways[takenKey(from, to)];
  return Boolean(way && (way.resolver === "goto" || way.resolver === "route" || way.resolver === "error"));
};

/** A chooser that says the work is done takes a way that the manifest does not list. */
function toEnd(ways: readonly ManifestEdge[], parent: string, progress: TurnProgress): ManifestEdge[] {
  const end = `${parent}/end`;
  return Object.values(progress.ways)
    .filter(({ from, to }) => to === end && chosenEnd(from, to, progress) && !ways.some((edge) => edge.from === from && edge.to === to))
    .map(({ from, to }) => ({ from, to, type: "choice" }));
}

const talks = (edge: ManifestEdge) => Boolean(edge.condition || edge.match !== undefined || edge.type === "choice" || edge.type === "match" || edge.type === "error");

/** A plain way back between two stages is drawn as the second arrow of the way there. */
function paired(edges: readonly ManifestEdge[]): ShownEdge[] {
  const out: ShownEdge[] = [];
  edges.forEach((edge, index) => {
    const other = edges.findIndex((one) => one.from === edge.to && one.to === edge.from);
    const partner = other >= 0 ? edges[other]! : null;
    if (partner && !talks(edge) && talks(partner)) return;
    if (partner && talks(edge) && !talks(partner)) out.push({ ...edge, back: true, labelled: true });
    else if (!partner || other !== index) out.push({ ...edge, labelled: talks(edge) });
  });
  return out;
}
