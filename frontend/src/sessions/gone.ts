import { comeTo, forgetReads, keyOf, queryClient } from "@/api/query";
import type { Approval } from "@/api/types";
import { forgetJournal } from "@/journal/store";
import { forgetSession } from "@/shell/Rail";
import { currentRoute, go } from "@/shell/route";
import { setUi } from "@/shell/ui";
import { t } from "@/text/language";
import { say } from "@/ui/toasts";

// Before any screen hears of it.
window.addEventListener("hashchange", () => {
  const { screen, first } = currentRoute();
  if (screen === "sessions" || screen === "memory") comeTo(first);
});

/** Takes what was read of a deleted session away. */
export function forget(id: string): void {
  forgetReads(id);
  forgetJournal(id);
  forgetSession(id);
}

/** Leaves a session that was deleted, from wherever that was, and what it asked for. */
export function leaveDeleted(id: string): void {
  const { screen, first } = currentRoute();
  const asked = screen === "approvals" && first ? queryClient.getQueriesData<Approval>({ queryKey: keyOf(`/api/approvals/${encodeURIComponent(first)}`).slice(0, 3) }) : [];
  const here = ((screen === "sessions" || screen === "memory") && first === id) || asked.some(([, read]) => read?.session === id && read.status !== "used");
  if (here) {
    setUi({ turn: null, stage: null, seq: null, exporting: null });
    // What is said before would go with the screen that is left.
    window.addEventListener("hashchange", () => say(screen === "approvals" ? t("approvals.theSessionWasDeletedAndWhatItAsked") : t("sessions.theSessionWasDeleted")), { once: true });
    go(screen);
  }
  forget(id);
}
