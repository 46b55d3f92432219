import { create } from "zustand";

/**
 * Who decides, from one card of a session to the next: the name is typed once. Another session,
 * and so perhaps another colleague, begins with who the settings say it is. It is there at once: a
 * field that learns of a key later loses the ones that were typed meanwhile.
 */
export const useReviewer = create<{ names: Readonly<Record<string, string>>; keep(session: string, name: string): void }>((set) => ({
  names: {},
  keep: (session, name) => set(({ names }) => ({ names: { ...names, [session]: name } })),
}));
