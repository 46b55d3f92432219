import { useEffect, useRef } from "react";
import { useRead } from "@/api/query";
import type { ApprovalList } from "@/api/types";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { visibleText } from "@/text/visible";
import { say } from "@/ui/toasts";
import { currentRoute, go, href } from "./route";

/** Whether this browser can tell of something while its window is not looked at. */
export const canNotify = () => typeof Notification !== "undefined";

/** Asks the browser for leave; only when somebody pressed the button for it. */
export const askToNotify = async (): Promise<boolean> => canNotify() && (await Notification.requestPermission()) === "granted";

/** As much of a text as a notice has room for. */
const shown = (text: string) => visibleText(text.length > 170 ? `${text.slice(0, 170)}…` : text);

/** The newest of what waits, and all questions. What has come to wait is among them, however much waits before it. */
export function useHeld(): ApprovalList | undefined {
  const held = useRead<ApprovalList>("/api/approvals?status=pending&newest=1&limit=50").data;
  useHeldNotice(held);
  return held;
}

/** Tells of each request and question that comes to wait: here, and by the system while nobody looks at the window. */
function useHeldNotice(list: ApprovalList | undefined): void {
  const known = useRef<Set<string> | null>(null);
  const last = useRef(0);
  useEffect(() => {
    if (!list) return;
    const waiting = [
      ...(list.approvals ?? []).filter(({ status }) => status === "pending").map(({ id, session, title, tool, requested_at }) => ({ id, session, at: Date.parse(requested_at), text: t("shell.waitsForYourApproval", { title: shown(told(title || tool)) }) })),
      ...(list.questions ?? []).map(({ pause, session, prompt, asked_at }) => ({ id: pause, session, at: Date.parse(asked_at), text: t("shell.waitsForYourAnswer", { prompt: shown(told(prompt)) }) })),
    ];
    const before = known.current;
    known.current = new Set(waiting.map(({ id }) => id));
    const since = last.current;
    last.current = Math.max(since, ...waiting.map(({ at }) => at || 0));
    // What waited when the page was opened is counted beside Approvals.
    if (!before) return;
    for (const { id, session, at, text } of waiting) {
      // One that is older came into a long list because others left it.
      if (before.has(id) || at < since) continue;
      const { screen, first } = currentRoute();
      const here = (screen === "sessions" && first === session) || (screen === "approvals" && first === id);
      if (!here) say(text, "held", { text: t("shell.lookAtIt"), href: href("approvals", id), also: href("sessions", session) });
      if (document.hasFocus() || !canNotify() || Notification.permission !== "granted") continue;
      // It may be read on a locked screen: who it is about is not said.
      const notice = new Notification("Holdpoint", { body: t("shell.somethingWaitsForYourApprovalOr"), tag: id });
      notice.onclick = () => {
        window.focus();
        go("approvals", id);
        notice.close();
      };
    }
  }, [list]);
}
