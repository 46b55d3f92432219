import { useCallback, useEffect, useRef, useState, type RefObject } from "react";
import { useKept } from "@/ui/kept";

/** The scrolling area that something is in. */
export function areaOf(node: Element | null): Element | null {
  for (let area = node?.parentElement ?? null; area; area = area.parentElement) {
    const { overflowY } = getComputedStyle(area);
    if (overflowY === "auto" || overflowY === "scroll") return area;
  }
  return null;
}

/** From where to where the card can be read: what its bar covers cannot. */
function viewOf(card: Element): { top: number; bottom: number; area: Element } {
  const area = areaOf(card) ?? document.scrollingElement ?? document.documentElement;
  const box = area === document.scrollingElement ? { top: 0, bottom: innerHeight } : area.getBoundingClientRect();
  const bar = card.querySelector("[data-decide]")?.getBoundingClientRect().top ?? innerHeight;
  return { top: Math.max(box.top, 0), bottom: Math.min(box.bottom, innerHeight, bar), area };
}

const parts = (card: Element) => [...card.querySelectorAll<HTMLElement>("[data-read]")].filter((part) => part.getClientRects().length > 0); // what is folded is not in the way

/**
 * What of a card has been in sight. Its parts that a person has to have seen are marked data-read, each with a
 * name that changes with what it says; one was seen once its end was, or once somebody went there by keyboard.
 */
export function useSeen(card: RefObject<HTMLElement | null>, of: string): {
  /** Something has not been in sight. */
  rest: boolean;
  /** Looks now; whether all has been in sight. */
  whole(): boolean;
  /** Scrolls on to what has not been in sight, a window at a time. */
  readOn(): void;
  /** Counts a part as seen. */
  count(part: Element | null): void;
} {
  const [kept, keep] = useKept<readonly string[]>(of, "seen", () => []);
  const seen = useRef(new Set(kept));
  const [rest, setRest] = useState(true);
  const whole = useCallback(() => {
    const node = card.current;
    if (!node) return false;
    const { top, bottom } = viewOf(node);
    const before = seen.current.size;
    let all = true;
    for (const part of parts(node)) {
      const end = part.getBoundingClientRect().bottom;
      if (document.visibilityState !== "hidden" && end >= top && end <= bottom + 2) seen.current.add(part.dataset.read!);
      all &&= seen.current.has(part.dataset.read!);
    }
    if (seen.current.size > before) keep([...seen.current]);
    setRest(!all);
    return all;
  }, [card, keep]);
  useEffect(() => {
    const node = card.current;
    if (!node) return;
    const look = () => void whole();
    look();
    // Every scrolling area tells of itself; what grows or is folded moves the rest.
    addEventListener("scroll", look, { capture: true, passive: true });
    addEventListener("resize", look);
    const watch = typeof ResizeObserver === "undefined" ? null : new ResizeObserver(look);
    watch?.observe(node);
    const sight = typeof IntersectionObserver === "undefined" ? null : new IntersectionObserver(look, { threshold: [0, 1] });
    for (const part of parts(node)) sight?.observe(part);
    return () => {
      removeEventListener("scroll", look, { capture: true });
      removeEventListener("resize", look);
      watch?.disconnect();
      sight?.disconnect();
    };
  }, [card, whole]);
  const count = useCallback((part: Element | null) => {
    const name = part instanceof HTMLElement ? part.dataset.read : undefined;
    if (!name) return;
    seen.current.add(name);
    keep([...seen.current]);
    whole();
  }, [keep, whole]);
  const readOn = useCallback(() => {
    const node = card.current;
    const next = node && parts(node).find((part) => !seen.current.has(part.dataset.read!));
    if (!node || !next) return;
    const { top, bottom, area } = viewOf(node);
    const room = Math.max(bottom - top - 32, 24); // a line or two stay, so that nothing is skipped
    const box = next.getBoundingClientRect();
    const before = area.scrollTop;
    const way = box.bottom < top && box.bottom - box.top <= room ? box.top - top - 8 : box.bottom - bottom + 8;
    area.scrollTo({ top: before + Math.min(way, room), behavior: "instant" });
    // What cannot be brought into sight stops nobody.
    if (Math.abs(area.scrollTop - before) < 1) count(next);
    else whole();
  }, [card, count, whole]);
  return { rest, whole, readOn, count };
}
