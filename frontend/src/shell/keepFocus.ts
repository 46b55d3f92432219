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
    let focused = 0;
    let scrolled = -Infinity;
    let ratio = 0;
    const nowhere = () => document.activeElement === null || document.activeElement === document.body;
    const lost = () => at !== null && nowhere() && (!at.isConnected || at.matches(":disabled"));
    const back = () => {
      if (!at || !nowhere()) return;
      // What was off while it was kept is there again.
      const to = lost() ? instead(at, around) : at as HTMLElement;
      if (!to) return;
      if (!to.matches(ways)) to.tabIndex = -1;
      to.focus();
      ratio = 1; // which scrolled to it
    };
    const onFocus = (event: FocusEvent) => {
      at = event.target instanceof Element ? event.target : null;
      around = [];
      focused = performance.now();
      ratio = 0;
      sight?.disconnect();
      if (at) sight?.observe(at);
      for (let one = at; one?.parentElement; one = one.parentElement) around.push({ area: one.parentElement, index: [...one.parentElement.children].indexOf(one) });
    };
    // What takes its place, or a dialog that closes, may take the focus by itself first.
    const watch = new MutationObserver(() => {
      if (!lost()) return;
      clearTimeout(timer);
      timer = window.setTimeout(back, 80);
    });
    // What comes above, a notice or a list that was still loading, pushes away what is being worked on: it stays in
    // view, unless whoever works there scrolled away.
    const sight = typeof IntersectionObserver === "function" ? new IntersectionObserver((entries) => {
      const { intersectionRatio: now, target, time } = entries.at(-1)!;
      if (now < ratio && time - scrolled > 100 && target === document.activeElement && target.matches(":focus-visible")) target.scrollIntoView({ block: "nearest" });
      ratio = now;
    }, { threshold: [0, 0.25, 0.5, 0.75, 1] }) : null;
    // The browser's own scrolling to what got the focus is not theirs.
    const onScroll = () => { if (performance.now() - focused > 100) scrolled = performance.now(); };
    document.addEventListener("scroll", onScroll, { capture: true, passive: true });
    document.addEventListener("focusin", onFocus);
    watch.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["disabled"] });
    return () => {
      document.removeEventListener("focusin", onFocus);
      watch.disconnect();
      document.removeEventListener("scroll", onScroll, { capture: true });
      sight?.disconnect();
      clearTimeout(timer);
    };
  }, []);
}
