import type { ToolView } from "./view";

/** What a turn called to an end: what changed something first, each tool once with how often. */
export function called(tools: readonly ToolView[]): { tool: string; times: number }[] {
  const changes = (one: ToolView) => one.approval !== "" || one.refs.length > 0;
  const done = tools.filter(({ state }) => state === "done");
  const count = new Map<string, number>();
  for (const { tool } of [...done.filter(changes), ...done.filter((one) => !changes(one))]) count.set(tool, (count.get(tool) ?? 0) + 1);
  return [...count].map(([tool, times]) => ({ tool, times }));
}
