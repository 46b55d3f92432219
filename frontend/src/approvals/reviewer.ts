import { create } from "zustand";

/**
 * Who decides, from one card to the next: the name is typed once. Null before that, when the
 * settings say who it is. It is there at once: a field that learns of a key later loses the
 * ones that were typed meanwhile.
 */
export const useReviewer = create<{ name: string | null; keep(name: string): void }>((set) => ({
  name: null,
  keep: (name) => set({ name }),
}));
