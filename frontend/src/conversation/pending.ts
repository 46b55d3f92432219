import { create } from "zustand";

/** A message that was sent and of which the journal has not told yet. */
export interface Pending {
  /** "" for a session that the message makes. */
  session: string;
  text: string;
  /** When it was sent, in ms since 1970. */
  at: number;
  /** Known once the server answered. */
  turn: string;
}

export const usePending = create<{ pending: Pending | null }>(() => ({ pending: null }));
export const setPending = (pending: Pending | null) => usePending.setState({ pending });
