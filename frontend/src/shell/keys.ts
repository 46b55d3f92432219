import { useEffect } from "react";
import type { Approval, ApprovalList } from "@/api/types";
import { useJournals } from "@/journal/store";
import { newSession } from "@/subject/newSession";
import { t } from "@/text/language";
import { transport } from "@/transport";
import { say, sayError } from "@/ui/toasts";
import { currentRoute, go } from "./route";
import { inspectorTabs, setUi, useUi } from "./ui";

/** What the keys do, for the help. The keys of a card work only inside of it. */
export const keyHelp = (): readonly (readonly [string, string])[] => [
  ["Ctrl K", t("shell.commands")],
  ["Ctrl N", t("shell.newSession")],
  ["Ctrl F", t("shell.findInTheSession")],
  ["Ctrl Shift F", t("shell.searchAllSessions")],
  ["Enter", t("shell.sendTheMessage")],
  ["Shift Enter", t("shell.newLineInTheMessage")],
  ["Esc", t("shell.stopTheRunningTurn")],
  ["Ctrl 1 – 4", t("shell.inspectorGraphStepsMemoryDetail")],
  ["Ctrl G", t("shell.inspectorGraph")],
  ["Ctrl Shift G", t("shell.graphInTheWholeWindow")],
  ["Ctrl [ ]", t("shell.inspectorPreviousNextStep")],
  ["Ctrl Shift A", t("shell.nextApprovalOrQuestion")],
  [t("shell.enterInTheGraph"), t("shell.detailsOpensAndClosesAStage")],
  ["Ctrl Shift M", t("shell.memory")],
  ["Ctrl Shift E", t("shell.exportTheSession")],
  ["Ctrl P", t("shell.printTheSession")],
  ["Ctrl ,", t("shell.settings")],
  ["F1", t("shell.thisHelp")],
  ["R, E, Ctrl Enter", t("shell.inAnApprovalRejectModifyApprove")],
];

async function nextApproval(): Promise<void> {
  const approvals: Approval[] = [];
  let questions: ApprovalList["questions"] = null;
  let after = "";
  do {
    const page = await transport().read<ApprovalList>(`/api/approvals?status=pending&limit=500${after ? `&after=${encodeURIComponent(after)}` : ""}`);
    approvals.push(...(page.approvals ?? []));
    questions = page.questions;
    after = page.next ?? "";
  } while (after);
  const waiting = [
    ...approvals.map((one) => ({ id: one.id, at: one.requested_at })),
    ...(questions ?? []).map((one) => ({ id: one.pause, at: one.asked_at })),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  if (!waiting.length) {
    say(t("shell.noApprovalWaits"));
    return go("approvals");
  }
  const route = currentRoute();
  const at = route.screen === "approvals" ? waiting.findIndex((one) => one.id === route.first) : -1;
  go("approvals", waiting[(at + 1) % waiting.length]!.id);
}

function openSession(): string {
  const route = currentRoute();
  return (route.screen === "sessions" || route.screen === "memory") && route.first !== "new" ? route.first : "";
}

function findHere(): void {
  const chosen = String(getSelection() ?? "").trim();
  setUi((ui) => ({ pane: "conversation", finding: chosen && chosen.length < 80 ? chosen : (ui.finding ?? "") }));
  setTimeout(() => {
    const box = document.querySelector<HTMLInputElement>("[data-find]");
    box?.focus();
    box?.select();
  }, 0);
}

function stopRunning(): boolean {
  const session = currentRoute().screen === "sessions" ? openSession() : "";
  const view = useJournals.getState().views[session];
  const turn = view?.turns[view.turnOrder.at(-1) ?? ""];
  if (turn?.status !== "running") return false;
  transport().call("stop", { turn: turn.id }).catch(sayError);
  return true;
}

/** True when some dialog or menu has the keyboard. */
const modal = () => document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null;

/** The keys that work everywhere. */
export function useKeys(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const command = event.ctrlKey || event.metaKey;
      const key = event.key.toLowerCase();
      const done = (run: () => void) => {
        event.preventDefault();
        run();
      };
      if (key === "f1") return done(() => setUi({ help: !useUi.getState().help }));
      if (command && key === "k" && !event.shiftKey) return done(() => setUi({ palette: !useUi.getState().palette }));
      if (modal()) return;
      if (key === "escape" && !command) {
        // Inside of an approval Esc belongs to the card.
        if (!(event.target as Element | null)?.closest?.("[data-approval]") && stopRunning()) event.preventDefault();
        return;
      }
      if (!command || event.altKey) return;
      if (event.shiftKey) {
        if (key === "a") return done(() => void nextApproval().catch(sayError));
        if (key === "m") return done(() => go("memory", openSession()));
        if (key === "e") return done(() => {
          if (openSession()) setUi({ exporting: openSession(), printing: false });
          else say(t("shell.openASessionToExportIt"));
        });
        if (key === "g") return done(() => {
          if (openSession()) setUi({ tab: "graph", pane: "inspector", wholeGraph: true, stage: null });
          else say(t("shell.openASessionToSeeIts"));
        });
        if (key === "f") return done(() => {
          if (currentRoute().screen !== "sessions") go("sessions");
          setUi({ pane: "sessions" });
          setTimeout(() => document.querySelector<HTMLInputElement>("[data-session-search]")?.focus(), 50);
        });
        return;
      }
      if (key === "n") return done(() => newSession());
      // Elsewhere the browser's own search and print do.
      if (key === "f" && currentRoute().screen === "sessions" && openSession()) return done(() => findHere());
      if (key === "p" && openSession()) return done(() => setUi({ exporting: openSession(), printing: true }));
      if (key === ",") return done(() => go("settings"));
      if (key === "g") return done(() => setUi({ tab: "graph", pane: "inspector" }));
      const tab = inspectorTabs[Number(key) - 1];
      if (tab) return done(() => setUi({ tab, pane: "inspector" }));
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}
