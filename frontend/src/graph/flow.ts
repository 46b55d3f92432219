import { START, type LayoutEdge } from "./geometry";

/** An edge as the rows count it: from the stage above to the one below. */
export interface Flow {
  edge: LayoutEdge;
  above: string;
  below: string;
}

/**
 * Which stage of each edge stands above the other. An edge that closes a cycle, such as
 * a retry, leads up again: it goes from a stage to one that the search from start came by
 * on its way there. Turned round it asks of the rows only what the way there asks already.
 */
export function flows(ids: readonly string[], edges: readonly LayoutEdge[]): Flow[] {
  const ways = new Map<string, { edge: LayoutEdge; to: string }[]>(ids.map((id) => [id, []]));
  const reached = new Set<string>();
  const add = (edge: LayoutEdge, from: string, to: string) => {
    if (from === to) return;
    ways.get(from)!.push({ edge, to });
    reached.add(to);
  };
  for (const edge of edges) {
    add(edge, edge.from, edge.to);
    if (edge.back) add(edge, edge.to, edge.from);
  }
  const closing = new Set<LayoutEdge>();
  const state = new Map<string, "open" | "done">();
  const visit = (id: string) => {
    if (state.has(id)) return;
    state.set(id, "open");
    for (const { edge, to } of ways.get(id)!) {
      // Of an edge that stands for both ways, the one that is no way up counts.
      if (state.get(to) === "open" && edge.to === to) closing.add(edge);
      visit(to);
    }
    state.set(id, "done");
  };
  for (const id of ids) if (id.endsWith(START)) visit(id);
  for (const id of ids) if (!reached.has(id)) visit(id);
  for (const id of ids) visit(id);
  return edges.filter(({ from, to }) => from !== to).map((edge) => (closing.has(edge) ? { edge, above: edge.to, below: edge.from } : { edge, above: edge.from, below: edge.to }));
}
