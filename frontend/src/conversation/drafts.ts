import { transport } from "@/transport";

/**
 * What was written and not sent. It is kept by the app, with the records: a browser's own
 * store would be one more place with health data.
 */
const drafts = new Map<string, string>();
/** Those that only this page holds. */
const held = new Set<string>();
const waiting = new Map<string, ReturnType<typeof setTimeout>>();

/** The app's name for it; "" is a session that the next message makes. */
const nameOf = (session: string) => session || "new";

export const draftOf = (session: string): string | undefined => drafts.get(session);

/** Reads what was kept before this page was opened; "" for nothing. */
export async function readDraft(session: string): Promise<string> {
  const known = drafts.get(session);
  if (known !== undefined) return known;
  const { text } = await transport().read<{ text?: string }>(`/api/drafts/${encodeURIComponent(nameOf(session))}`);
  // What was written meanwhile is newer.
  if (!drafts.has(session)) drafts.set(session, text ?? "");
  return drafts.get(session)!;
}

/** Holds it for as long as the page stays at this place; the app gets none of it, and what it kept before is gone. */
export function holdDraft(session: string, text: string): void {
  dropDraft(session);
  drafts.set(session, text);
  held.add(session);
}

/** Forgets what was only held. */
export function letGo(session: string): void {
  if (held.delete(session)) drafts.set(session, "");
}

const PAUSE = 400;

/** Keeps it, a moment after the last letter. */
export function keepDraft(session: string, text: string): void {
  held.delete(session);
  drafts.set(session, text);
  clearTimeout(waiting.get(session));
  waiting.set(session, setTimeout(() => save(session), PAUSE));
}

function save(session: string): void {
  if (!waiting.delete(session)) return;
  transport().call("save_draft", { session: nameOf(session), text: drafts.get(session) ?? "" }).catch(() => undefined); // it stays on this page
}

/** Forgets it at once: it was sent. */
export function dropDraft(session: string): void {
  drafts.set(session, "");
  clearTimeout(waiting.get(session));
  waiting.set(session, setTimeout(() => undefined, 0));
  save(session);
}

/** Lets tests begin anew. */
export function forgetDrafts(): void {
  drafts.clear();
  held.clear();
  for (const timer of waiting.values()) clearTimeout(timer);
  waiting.clear();
}

// A page that goes away takes no time for the last letters.
if (typeof window !== "undefined") window.addEventListener("pagehide", () => { for (const session of [...waiting.keys()]) save(session); });
