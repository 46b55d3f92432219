import { useSyncExternalStore } from "react";

export type Screen = "sessions" | "approvals" | "memory" | "board" | "library" | "records" | "models" | "settings" | "start";

/** Where the person is: #/screen/first/second. */
export interface Route {
  screen: Screen;
  /** Session, approval or record type, as the screen says. */
  first: string;
  /** Turn or record id. */
  second: string;
}

const screens: readonly Screen[] = ["sessions", "approvals", "memory", "board", "library", "records", "models", "settings", "start"];

function parseRoute(hash: string): Route {
  const parts = hash.replace(/^#\/?/, "").split("/").map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return "";
    }
  });
  const screen = screens.find((name) => name === parts[0]) ?? "sessions";
  return { screen, first: parts[1] ?? "", second: parts[2] ?? "" };
}

export function href(screen: Screen, first = "", second = ""): string {
  return `#/${[screen, first, second].filter(Boolean).map(encodeURIComponent).join("/")}`;
}

export function go(screen: Screen, first = "", second = ""): void {
  location.hash = href(screen, first, second).slice(1);
}

let cached: { hash: string; route: Route } | null = null;

export function currentRoute(): Route {
  const { hash } = location;
  if (cached?.hash !== hash) cached = { hash, route: parseRoute(hash) };
  return cached.route;
}

export function useRoute(): Route {
  return useSyncExternalStore((changed) => {
    window.addEventListener("hashchange", changed);
    return () => window.removeEventListener("hashchange", changed);
  }, currentRoute);
}
