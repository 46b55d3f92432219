import { create } from "zustand";
import { showDanger } from "./danger";
import { letGo } from "./drafts";

/** Which agent and pattern the next message goes to. */
export interface Choice {
  agent: string;
  pattern: string;
  /** A person chose the agent for the session that is about to begin. */
  picked?: boolean;
  /** Further inputs of the turn, by name, as they were chosen for it. */
  vars?: Record<string, string>;
  /** Those of the message before, which hold until its turn is read. */
  sent?: Record<string, string>;
  /** What a person gave a graph of their own to start with; never kept by the browser. */
  given?: Record<string, string>;
}

const KEY = "holdpoint.agents";

/** Ids only, never what was written; a browser that keeps nothing loses no more than the choice. */
function load(): Record<string, Choice> {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "{}") as unknown;
    if (kept === null || typeof kept !== "object" || Array.isArray(kept)) return {};
    const { "": { vars: _said, ...next } = { agent: "", pattern: "" }, ...rest } = kept as Record<string, Choice>;
    return { ...rest, ...(next.agent ? { "": next } : {}) };
  } catch {
    return {};
  }
}

/** By session; "" is the session that the next message makes. */
export const useChoices = create<{ choices: Record<string, Choice> }>(() => ({ choices: load() }));

/** Takes away what was said before a session began: whoever begins the next one may be somebody else. */
export function forgetStart(): void {
  letGo("");
  showDanger("", null);
  const { agent, pattern } = useChoices.getState().choices[""] ?? { agent: "", pattern: "" };
  if (agent) choose("", { agent, pattern });
}

/** What was chosen for a session's next message has been sent with it: from then on its newest turn says what holds, as a language that was asked for in words. */
export function letVars(session: string, sent: Choice["vars"]): void {
  const { vars: _chosen, ...rest } = useChoices.getState().choices[session] ?? { agent: "", pattern: "" };
  if (rest.agent) choose(session, { ...rest, ...(sent ? { sent } : {}) });
}

export function choose(session: string, choice: Choice): void {
  useChoices.setState(({ choices }) => {
    const next = { ...choices, [session]: choice };
    try {
      // What is said before a session begins is not kept, see load.
      const kept = Object.fromEntries(Object.entries(next).map(([id, { given: _given, ...one }]) => [id, one]));
      sessionStorage.setItem(KEY, JSON.stringify({ ...kept, ...(next[""] ? { "": { agent: next[""].agent, pattern: next[""].pattern } } : {}) }));
    } catch {
      // Full or forbidden: it lasts as long as the page.
    }
    return { choices: next };
  });
}
