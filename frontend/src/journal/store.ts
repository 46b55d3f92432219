import { useEffect } from "react";
import { create } from "zustand";
import type { JournalEvent } from "@/api/types";
import { transport, type LinkState } from "@/transport";
import { Feed, nextFrame } from "./feed";
import { reduce } from "./reduce";
import { emptySession, type SessionView, type TurnView } from "./view";

interface Journals {
  views: Record<string, SessionView>;
  links: Record<string, LinkState>;
}

/** The views of all journals that were opened, by session. */
export const useJournals = create<Journals>(() => ({ views: {}, links: {} }));

/** A running turn that is silent for this long is re-read: the connection may be half open. */
const STALL_MS = 20_000;
/** Sessions whose view is kept after they were closed. */
const KEEP = 12;

interface Open {
  users: number;
  stop: () => void;
}
const open = new Map<string, Open>();

async function readAll(session: string, after: number): Promise<JournalEvent[]> {
  const all: JournalEvent[] = [];
  for (let from = after; ; ) {
    const page = await transport().read<{ events: JournalEvent[] | null; last: number }>(
      `/api/sessions/${encodeURIComponent(session)}/journal?after=${from}&limit=500`,
    );
    const events = page.events ?? [];
    all.push(...events);
    const last = events.at(-1)?.seq;
    if (!last || last >= page.last) return all;
    from = last;
  }
}

/** Follows a session's journal until the returned function is called. Several users share one stream. */
function openJournal(session: string): () => void {
  const known = open.get(session);
  if (known) known.users++;
  else open.set(session, { users: 1, stop: start(session) });
  let released = false;
  return () => {
    const entry = open.get(session);
    if (released || !entry) return;
    released = true;
    if (--entry.users === 0) {
      entry.stop();
      open.delete(session);
    }
  };
}

function start(session: string): () => void {
  const { views } = useJournals.getState();
  if (!views[session]) {
    const kept = Object.entries(views).filter(([id]) => open.has(id));
    const idle = Object.entries(views).filter(([id]) => !open.has(id)).slice(-KEEP);
    useJournals.setState({ views: { ...Object.fromEntries([...idle, ...kept]), [session]: emptySession(session) } });
  }
  let lastEvent = Date.now();
  const feed = new Feed({
    after: useJournals.getState().views[session]!.seq,
    read: (after) => readAll(session, after),
    frame: nextFrame,
    apply: (events) =>
      useJournals.setState((state) => ({
        views: { ...state.views, [session]: reduce(state.views[session] ?? emptySession(session), events) },
      })),
  });
  const off = transport().journal(
    session,
    () => feed.seq,
    (event) => {
      lastEvent = Date.now();
      feed.push(event);
    },
    (link) => useJournals.setState((state) => ({ links: { ...state.links, [session]: link } })),
  );
  const stall = setInterval(() => {
    const view = useJournals.getState().views[session];
    const newest = view?.turnOrder.at(-1);
    const running = newest !== undefined && view?.turns[newest]?.status === "running";
    if (running && Date.now() - lastEvent > STALL_MS) {
      lastEvent = Date.now();
      void feed.heal();
    }
  }, STALL_MS / 4);
  return () => {
    clearInterval(stall);
    off();
    feed.close();
  };
}

/** Lets go of the view of a session that is gone, and of its stream. */
export function forgetJournal(session: string): void {
  open.get(session)?.stop();
  open.delete(session);
  useJournals.setState(({ views, links }) => {
    const { [session]: _view, ...otherViews } = views;
    const { [session]: _link, ...otherLinks } = links;
    return { views: otherViews, links: otherLinks };
  });
}

/** Follows a journal while the component is mounted and returns its view. */
export function useJournal(session: string | null): SessionView | null {
  useEffect(() => (session ? openJournal(session) : undefined), [session]);
  return useJournals((state) => (session ? (state.views[session] ?? null) : null));
}

/** One turn of a journal that is open somewhere; null until its first event. */
export function useTurn(session: string | null, turn: string | null): TurnView | null {
  return useJournals((state) => (session && turn ? (state.views[session]?.turns[turn] ?? null) : null));
}
