import { create } from "zustand";

/** Which agent and pattern the next message goes to. */
export interface Choice {
  agent: string;
  pattern: string;
  /** Further inputs of the turn, by name. */
  vars?: Record<string, string>;
}

const KEY = "holdpoint.agents";

/** Ids only, never what was written; a browser that keeps nothing loses no more than the choice. */
function load(): Record<string, Choice> {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "{}") as unknown;
    return kept !== null && typeof kept === "object" && !Array.isArray(kept) ? (kept as Record<string, Choice>) : {};
  } catch {
    return {};
  }
}

/** By session; "" is the session that the next message makes. */
export const useChoices = create<{ choices: Record<string, Choice> }>(() => ({ choices: load() }));

export function choose(session: string, choice: Choice): void {
  useChoices.setState(({ choices }) => {
    const next = { ...choices, [session]: choice };
    try {
      sessionStorage.setItem(KEY, JSON.stringify(next));
    } catch {
      // Full or forbidden: it lasts as long as the page.
    }
    return { choices: next };
  });
}
