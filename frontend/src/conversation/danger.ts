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
  /** Those to call first. */
  numbers?: Numbers;
}

/** Numbers to call; name is "" for the emergency number. */
export type Numbers = { name: string; call: string }[];

/** The help that is shown, by session; "" is the session that the next message makes. Nothing else keeps it. */
export const useDanger = create<{ danger: Record<string, (Found & { at: number }) | null> }>(() => ({ danger: {} }));

/** What becomes of the message that the help is about; "box" for one that goes when somebody sends it. */
export type Unsent = "questions" | "reply" | "box" | "nothing";

/** Where the message of a session is, as its box says; help says nothing else of it. */
export const useUnsent = create<{ unsent: Record<string, Unsent> }>(() => ({ unsent: {} }));

export function keepUnsent(session: string, now: Unsent): void {
  if (useUnsent.getState().unsent[session] !== now) useUnsent.setState(({ unsent }) => ({ unsent: { ...unsent, [session]: now } }));
}

/** Whether help in danger is shown for a message that is not sent: nothing else is asked beside it. */
export const useGrave = (session: string): boolean => useDanger(({ danger }) => danger[session]?.level === "intervention");

/** Shows help, or takes it away. What is only told anew, as after another choice of the country, is no new alarm. */
export function showDanger(session: string, found: Found | null, again = false): void {
  const before = useDanger.getState().danger[session];
  if (found || before) useDanger.setState(({ danger }) => ({ danger: { ...danger, [session]: found && { ...found, at: again && before ? before.at : Date.now() } } }));
}
