import { useEffect } from "react";

const places = "article,section,li,form,aside,main,[role=region],[role=group],[role=dialog]";
const ways = "a[href],button:not(:disabled),input:not(:disabled),select:not(:disabled),textarea:not(:disabled),summary,[tabindex]";

/** Something that holds what had the focus, and which of its children led there. */
interface Around { area: Element; index: number }

/** What stands in the place of what went away: the next row of a list, what became of a card; else what it stood in. */
function instead(at: Element, around: Around[]): HTMLElement | null {
  const main = document.getElementById("main");
  const within = around.filter(({ area }) => area.isConnected && (main?.contains(area) || area.closest("[role=dialog]")));
  const near = within[0];
  if (!near || at.isConnected) return (within.find(({ area }) => area.matches(places))?.area ?? main) as HTMLElement | null;
  const next = near.area.children[Math.min(near.index, near.area.children.length - 1)] as HTMLElement | undefined;
  if (!next) return (within.find(({ area }) => area.matches(places))?.area ?? main) as HTMLElement | null;
  return next.matches("li,tr") ? (next.querySelector<HTMLElement>(ways) ?? next) : next;
}

/**
 * Keeps the focus near where it was when what had it goes away: a card that was decided on, a row that was deleted,
 * a notice that was closed. Without this the browser drops it, and whoever works by keyboard starts at the top.
 */
export function useKeepFocus(): void {
  useEffect(() => {
    let at: Element | null = null;
    let around: Around[] = [];
    let timer = 0;
    const nowhere = () => document.activeElement === null || document.activeElement === document.body;
    const lost = () => at !== null && nowhere() && (!at.isConnected || at.matches(":disabled"));
    const back = () => {
      if (!at || !nowhere()) return;
      // What was off while it was kept is there again.
      const to = lost() ? instead(at, around) : at as HTMLElement;
      if (!to) return;
      if (!to.matches(ways)) to.tabIndex = -1;
      to.focus();
    };
    const onFocus = (event: FocusEvent) => {
      at = event.target instanceof Element ? event.target : null;
      around = [];
      for (let one = at; one?.parentElement; one = one.parentElement) around.push({ area: one.parentElement, index: [...one.parentElement.children].indexOf(one) });
    };
    // What takes its place, or a dialog that closes, may take the focus by itself first.
    const watch = new MutationObserver(() => {
      if (!lost()) return;
      clearTimeout(timer);
      timer = window.setTimeout(back, 80);
    });
    // A notice that comes above pushes down what is being worked on: it stays in view.
    let height = 0;
    const size = typeof ResizeObserver === "function" ? new ResizeObserver(([main]) => {
      const { height: now } = main!.contentRect;
      const here = document.activeElement;
      if (now < height && here !== main!.target && main!.target.contains(here) && here?.matches(":focus-visible")) here.scrollIntoView({ block: "nearest" });
      height = now;
    }) : null;
    const main = document.getElementById("main");
    if (main) size?.observe(main);
    document.addEventListener("focusin", onFocus);
    watch.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["disabled"] });
    return () => {
      document.removeEventListener("focusin", onFocus);
      watch.disconnect();
      size?.disconnect();
      clearTimeout(timer);
    };
  }, []);
}
