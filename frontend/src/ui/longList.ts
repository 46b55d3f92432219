import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useState, type CSSProperties, type FocusEvent } from "react";

/** Up to here a list is plain, so that the browser's own search finds all of it. */
export const LONG = 100;
/** Rows kept in the page before and after those in view; Tab walks on into them. */
const AROUND = 12;

interface Options {
  count: number;
  /** A row's height in pixels before it was seen. */
  estimate: number;
  keyOf(index: number): string;
  /** The row to bring into view, which stays in the page; -1 for none. */
  show?: number;
}

/** What each row's element gets: its measure, its place, and how many there are, for screen readers. */
export interface LongRow {
  ref?: (element: HTMLElement | null) => void;
  style?: CSSProperties;
  "data-index"?: number;
  "aria-posinset"?: number;
  "aria-setsize"?: number;
}

export interface LongList {
  /** For the list's element. */
  list: { ref(element: HTMLElement | null): void; style?: CSSProperties; onFocus(event: FocusEvent): void };
  /** The rows in the page, in order. */
  indexes: number[];
  row(index: number): LongRow;
}

/**
 * The rows of a list that have to be in the page: all of a short one; of a long one those
 * in view, the one with the focus and the one to show. Rows keep their place in the
 * text flow, so that borders, Tab and reading order stay as in a plain list.
 */
export function useLongList({ count, estimate, keyOf, show = -1 }: Options): LongList {
  const long = count > LONG;
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [place, setPlace] = useState<{ scroller: HTMLElement | null; margin: number }>({ scroller: null, margin: 0 });
  const [focused, setFocused] = useState(-1);
  useLayoutEffect(() => {
    if (!long || !element) return;
    const scroller = scrollerOf(element);
    const margin = scroller ? element.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop : 0;
    setPlace((before) => (before.scroller === scroller && Math.abs(before.margin - margin) < 1 ? before : { scroller, margin }));
  }, [element, long]);

  const rows = useVirtualizer({
    count: long ? count : 0,
    getScrollElement: () => place.scroller,
    estimateSize: () => estimate,
    getItemKey: keyOf,
    scrollMargin: place.margin,
    overscan: AROUND,
    useFlushSync: false,
    rangeExtractor: ({ startIndex, endIndex, overscan }) => {
      const wanted = new Set([focused, show].filter((index) => index >= 0 && index < count));
      for (let index = Math.max(0, startIndex - overscan); index <= Math.min(count - 1, endIndex + overscan); index++) wanted.add(index);
      return [...wanted].sort((a, b) => a - b);
    },
  });
  useEffect(() => {
    if (long && show >= 0) rows.scrollToIndex(show, { align: "auto" });
  }, [long, show, rows]);

  const items = long ? rows.getVirtualItems() : [];
  const margins = new Map<number, number>();
  let end = place.margin;
  for (const item of items) {
    margins.set(item.index, item.start - end);
    end = item.end;
  }
  const ref = useCallback((next: HTMLElement | null) => setElement(next), []);
  return {
    list: {
      ref,
      style: long ? { display: "flow-root", paddingBottom: Math.max(0, rows.getTotalSize() + place.margin - end) } : undefined,
      onFocus: (event) => {
        const row = event.target.closest<HTMLElement>("[data-index]");
        if (long && row) setFocused(Number(row.dataset.index));
      },
    },
    indexes: long ? items.map(({ index }) => index) : Array.from({ length: count }, (_, index) => index),
    row: (index) =>
      long ? { ref: rows.measureElement, style: { marginTop: margins.get(index) ?? 0 }, "data-index": index, "aria-posinset": index + 1, "aria-setsize": count } : {},
  };
}

/** The element around that scrolls. */
function scrollerOf(element: HTMLElement): HTMLElement | null {
  for (let at = element.parentElement; at; at = at.parentElement) if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  return document.documentElement;
}
