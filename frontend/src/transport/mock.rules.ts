import type { Rule, Skill } from "@/api/types";

/** Rules of the mock: one that comes along, and one of a person that fired. */
export const rules: Rule[] = [
  { name: "hitl_on_mutating_capability", description: "What changes something waits for a person.", event: "before_tool_call", when: "tool.mutates", verdict: "hold", checkpoint: "mutation", source: "platform" },
  {
    name: "no_weekend_visits", event: "before_tool_call", tools: ["book_appointment"], when: 'input contains "weekend"', verdict: "refuse", reason: "Visits are made on weekdays.", source: "user",
    fired: { at: "2026-03-02T08:00:00Z", session: "s-1", turn: "t-1", verdict: "refuse", tool: "book_appointment" },
  },
];

/** Skills of the mock: one that comes along and lacks a tool, and one of a person that was loaded. */
export const skills: Skill[] = [
  { name: "rrc_rule37", title: "Rule 37: spacing exception", description: "Prepares a spacing exception.", digest: `sha256:${"a".repeat(64)}`, source: "builtin", tools: ["spacing_assessment"], missing: ["spacing_assessment"],
    blocks: [{ name: "affected_distance", description: "How near is affected.", capabilities: ["compute"], parameters: {} }], rules: [{ name: "rule37_filing_is_signed", event: "after_tool_call", verdict: "hold", checkpoint: "pre_filing" }], artifacts: ["references/form_w1.md"] },
  { name: "sums", title: "Sums", description: "Adds up.", digest: `sha256:${"b".repeat(64)}`, source: "user", added_at: "2026-03-01T08:00:00Z", tools: [], missing: [],
    blocks: [{ name: "total", description: "Adds up.", capabilities: [], parameters: {} }], rules: [], artifacts: [], loaded: { at: "2026-03-02T08:00:00Z", session: "s-1", turn: "t-1", digest: `sha256:${"c".repeat(64)}`, tier: 3 } },
];
