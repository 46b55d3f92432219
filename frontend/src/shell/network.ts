import { useSyncExternalStore } from "react";

/** Whether this computer has a network, as the system says. */
export function useOnline(): boolean {
  return useSyncExternalStore(
    (changed) => {
      window.addEventListener("online", changed);
      window.addEventListener("offline", changed);
      return () => {
        window.removeEventListener("online", changed);
        window.removeEventListener("offline", changed);
      };
    },
    () => navigator.onLine !== false,
  );
}

interface Said {
  kind: "offline" | "closed" | "open";
  word: string;
  detail: string;
}

/** Two things that are not the same: whether there is a network, and whether Holdpoint may use it. */
export function networkSaid(allowed: boolean, there: boolean): Said {
  if (!there) return { kind: "offline", word: "Offline", detail: allowed ? "This computer has no network now. When it has one, Holdpoint may use it." : "This computer has no network, and Holdpoint would not use one." };
  if (!allowed) return { kind: "closed", word: "Network not used", detail: "This computer has a network. Holdpoint does not use it, except to pull a model when you ask for one." };
  return { kind: "open", word: "Network in use", detail: "Holdpoint may use model servers and tools beyond this computer, and send requests for literature that you approved. Settings switches that off." };
}
