import { useMemo } from "react";
import { create } from "zustand";

/** A text that somebody was writing on a card, and what it was for. */
export interface Piece {
  label: string;
  text: string;
}

/** What was begun on cards and not sent, by id and digest, as long as the page lives. */
const useStore = create<{ by: ReadonlyMap<string, readonly Piece[]> }>(() => ({ by: new Map() }));

const none: readonly Piece[] = [];
const key = (id: string, digest: string) => `${id}/${digest}`;

/** Keeps what is being written on a card; nothing once it is sent. */
export function keepBegun(id: string, digest: string, pieces: readonly Piece[]): void {
  useStore.setState(({ by }) => {
    if (pieces.length === 0 && !by.has(key(id, digest))) return { by };
    const next = new Map(by);
    if (pieces.length > 0) next.set(key(id, digest), pieces);
    else next.delete(key(id, digest));
    return { by: next };
  });
}

/** Forgets all that was written about an approval or a question. */
export function dropBegun(id: string): void {
  useStore.setState(({ by }) => ({ by: new Map([...by].filter(([of]) => !of.startsWith(key(id, "")))) }));
}

/** What was written about it and is on no open card: all but what the card of a digest has in its own fields. */
export function useBegun(id: string, open?: string): readonly Piece[] {
  const by = useStore((state) => state.by);
  return useMemo(() => {
    const found = [...by].filter(([of]) => of.startsWith(key(id, "")) && (open === undefined || of !== key(id, open)));
    return found.length > 0 ? found.flatMap(([, pieces]) => pieces) : none;
  }, [by, id, open]);
}
