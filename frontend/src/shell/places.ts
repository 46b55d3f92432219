import { useLayoutEffect } from "react";
import { currentRoute, href } from "./route";

/** The address from which the library was entered last; "" while nothing of it is open. */
let entered = "";

/** Where a document was opened from: the board or the conversation that cites it, null for none. */
export function cameFrom(): { screen: "board" | "sessions"; href: string } | null {
  const screen = (["board", "sessions"] as const).find((name) => entered === href(name) || entered.startsWith(`${href(name)}/`));
  return screen ? { screen, href: entered } : null;
}

window.addEventListener("hashchange", ({ oldURL }) => {
  const old = new URL(oldURL || location.href).hash;
  if (currentRoute().screen !== "library") entered = "";
  else if (!old.startsWith(href("library"))) entered = old;
});

/** How far down a person was, by place; and how many parts it had then. */
const tops = new Map<string, { top: number; parts: number }>();

/** Keeps how far down a place is shown; null where there is nothing to come back to. */
export function leave(place: string, top: number | null, parts = 0): void {
  if (top === null) tops.delete(place);
  else tops.set(place, { top, parts });
}

export const left = (place: string) => tops.get(place);

/** What a person opened within places and did not close again. */
const unfolded = new Set<string>();

export const isUnfolded = (part: string) => unfolded.has(part);

export function unfold(part: string, open: boolean): void {
  if (open) unfolded.add(part);
  else unfolded.delete(part);
}

/**
 * Shows a place where it was left, once what stands there has been read. The area is an element in
 * its parent's state: a ref is still empty when the effects of what stands in it run for the first time.
 */
export function useReturn(area: HTMLElement | null, place: string, ready: boolean): void {
  useLayoutEffect(() => {
    const at = left(place);
    if (ready && at && area) area.scrollTop = at.top;
  }, [area, place, ready]);
}
