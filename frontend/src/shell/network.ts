import { useSyncExternalStore } from "react";
import { t } from "@/text/language";

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
    () => window.clientInformation?.onLine !== false, // the browser's own name for it is an agent's here
  );
}

interface Said {
  kind: "offline" | "closed" | "open";
  word: string;
  detail: string;
}

/** Two things that are not the same: whether there is a network, and whether Holdpoint may use it. */
export function networkSaid(allowed: boolean, there: boolean): Said {
  if (!there) return { kind: "offline", word: t("shell.offline"), detail: allowed ? t("shell.thisComputerHasNoNetworkNow") : t("shell.thisComputerHasNoNetworkAnd") };
  if (!allowed) return { kind: "closed", word: t("shell.networkNotUsed"), detail: t("shell.thisComputerHasANetworkHoldpoint") };
  return { kind: "open", word: t("shell.networkInUse"), detail: t("shell.holdpointMayUseModelServersAnd") };
}
