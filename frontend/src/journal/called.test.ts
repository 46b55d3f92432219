import { expect, it } from "vitest";
import { called } from "./called";
import type { ToolView } from "./view";

const one = (tool: string, more: Partial<ToolView> = {}) => ({ tool, state: "done", approval: "", refs: [], ...more }) as unknown as ToolView;

// "It named the same search twice, and not the booking: the one thing it had done."
it("names what changed something first, and a tool that was called twice once", () => {
  expect(called([one("find_providers"), one("slots"), one("find_providers"), one("book", { approval: "a1" }), one("note", { refs: [{ type: "DocumentReference", id: "d" }] as never }), one("late", { state: "refused" as never, approval: "a2" })])).toEqual([
    { tool: "book", times: 1 }, { tool: "note", times: 1 }, { tool: "find_providers", times: 2 }, { tool: "slots", times: 1 },
  ]);
});
