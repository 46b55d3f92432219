import { useCallback, useState } from "react";

/** What was begun and not sent, by a key, as long as the page lives: a card may be drawn anew, as when the window is narrowed. */
const kept = new Map<string, unknown>();

/** State of something, by its name, that outlasts its component. Secrets have no place in it. */
export function useKept<T>(of: string, name: string, first: () => T): [T, (next: T | ((now: T) => T)) => void] {
  const key = of + name;
  const [value, setValue] = useState<T>(() => (kept.has(key) ? (kept.get(key) as T) : first()));
  const set = useCallback(
    (next: T | ((now: T) => T)) =>
      setValue((now) => {
        const then = typeof next === "function" ? (next as (now: T) => T)(now) : next;
        kept.set(key, then);
        return then;
      }),
    [key],
  );
  return [value, set];
}

/** Forgets what was kept under keys that begin so. */
export function forget(prefix: string): void {
  for (const key of kept.keys()) if (key.startsWith(prefix)) kept.delete(key);
}
