import { create } from "zustand";

/** What the check of a message that could not be sent yet says of danger; see app, MessageFinding. */
export interface Found {
  level: "none" | "check_in" | "intervention";
  category: string;
  speaker: string;
  language: string;
  region: string;
  informal: boolean;
  child?: boolean;
  found_by: string[] | null;
  text: string;
}

/** The help that is shown, by session; "" is the session that the next message makes. Nothing else keeps it. */
export const useDanger = create<{ danger: Record<string, Found | null> }>(() => ({ danger: {} }));

/** Shows help, or takes it away. */
export function showDanger(session: string, found: Found | null): void {
  if (found || useDanger.getState().danger[session]) useDanger.setState(({ danger }) => ({ danger: { ...danger, [session]: found } }));
}
