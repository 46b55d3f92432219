import type { Json, Manifest, ManifestEdge, ManifestStage, Mutation } from "@/api/types";
import type { MutationView } from "@/journal/view";
import { t } from "@/text/language";
import { visibleText } from "@/text/visible";

/**
 * The graph of a run while it changes: the manifest that was read, and the changes
 * that the journal has told of since. Reading the manifest again gives the same.
 */
export function withMutations(manifest: Manifest, mutations: readonly MutationView[]): Manifest {
  const made = mutations.filter(({ refused, mutation }) => !refused && mutation).map(({ mutation }) => mutation!);
  const fresh = made.slice(manifest.mutations?.length ?? 0);
  return fresh.reduce(mutated, manifest);
}

/** Places that are no stage of their own; the engine draws them without being told. */
const fixed = (id: string) => id === "start" || id === "end";

function mutated(manifest: Manifest, mutation: Mutation): Manifest {
  const path = mutation.within ? mutation.within.split("/") : [];
  const level = changed(manifest, path, mutation);
  return { ...manifest, ...level, mutations: [...(manifest.mutations ?? []), mutation] };
}

interface Level {
  stages: ManifestStage[];
  edges: ManifestEdge[];
}

function changed(level: { stages?: ManifestStage[] | null; edges?: ManifestEdge[] | null }, path: string[], mutation: Mutation): Level {
  const stages = level.stages ?? [];
  const edges = level.edges ?? [];
  const [head, ...rest] = path;
  if (head !== undefined)
    return { stages: stages.map((stage) => (stage.id === head ? { ...stage, ...changed(stage, rest, mutation) } : stage)), edges };
  const { op, edge } = mutation;
  if (op === "add_stage") {
    const stage = stageOf(mutation);
    return stages.some(({ id }) => id === stage.id) ? { stages, edges } : { stages: [...stages, stage], edges };
  }
  if (!edge) return { stages, edges };
  // What the engine refused never comes here; a way between stages that are unknown is not drawn.
  if (op === "add_edge") return { stages, edges: [...edges, { ...edge, type: edge.type || "sequence" }] };
  if (op === "remove_edge") {
    const at = edges.findIndex((one) => one.from === edge.from && one.to === edge.to && (!edge.type || one.type === edge.type) && (one.condition ?? "") === (edge.condition ?? "") && (one.match ?? "") === (edge.match ?? ""));
    return { stages, edges: edges.filter((_, index) => index !== at) };
  }
  return { stages, edges };
}

const text = (value: Json | undefined) => (typeof value === "string" ? value : "");

/** The stage of an add_stage mutation as a manifest has it, as far as its definition says. */
function stageOf(mutation: Mutation): ManifestStage {
  const { stage } = mutation;
  const definition = stage !== null && typeof stage === "object" && !Array.isArray(stage) ? stage : {};
  const id = mutation.id || text(definition.name);
  return {
    id,
    title: text(definition.title) || id.replaceAll("_", " "),
    description: text(definition.description),
    kind: text(definition.kind),
    flags: Array.isArray(definition.flags) ? definition.flags.filter((flag) => typeof flag === "string") : [],
    added: true,
  };
}

/** What a change does, in words; hidden characters in its names are shown. */
export function mutationText({ mutation, asked }: Pick<MutationView, "mutation" | "asked">): string {
  if (!mutation) return asked ? t("graph.askedFor", { asked: visibleText(asked) }) : t("graph.askedForAChangeThatCannot");
  const { op, edge } = mutation;
  const within = mutation.within ? ` ${t("graph.in", { within: visibleText(mutation.within) })}` : "";
  const way = edge ? t("graph.to", { from: fixed(edge.from) ? t("graph.the", { from: visibleText(edge.from) }) : `“${visibleText(edge.from)}”`, to: fixed(edge.to) ? t("graph.the2", { to: visibleText(edge.to) }) : `“${visibleText(edge.to)}”` }) : "";
  if (op === "add_stage") {
    const { id, kind } = stageOf(mutation);
    return t("graph.addsTheStage", { id: visibleText(id), kind: kind ? ` (${visibleText(kind)})` : "", within });
  }
  if (op === "add_edge") return t("graph.addsAWayFrom", { way, within });
  if (op === "remove_edge") return t("graph.removesTheWayFrom", { way, within });
  return t("graph.asksFor", { op: visibleText(op), within });
}
