import { CloudOff, HardDriveDownload, LoaderCircle } from "lucide-react";
import type { AppState } from "@/api/types";
import { useJournals } from "@/journal/store";
import { fixed } from "@/text/format";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { visibleText } from "@/text/visible";
import type { LinkState } from "@/transport";
import { useRoute } from "./route";

/** The safety line, what the last reply cost, and whether what was said is on disk. */
export function Footer({ state, lost }: { state: AppState | undefined; lost: LinkState }) {
  const route = useRoute();
  const session = route.screen === "sessions" ? route.first : "";
  const turn = useJournals((journals) => {
    const view = journals.views[session];
    return view ? view.turns[view.turnOrder.at(-1) ?? ""] : undefined;
  });
  const link = useJournals((journals) => journals.links[session]);
  const message = turn?.messageOrder.map((id) => turn.messages[id]!).findLast((one) => one.outputTokens > 0);
  const cut = turn && (state?.interrupted ?? []).some((entry) => entry.turn === turn.id);
  const streaming = turn?.status === "running" && !cut && turn.messageOrder.some((id) => turn.messages[id]!.state === "streaming");
  const share = message?.context ? Math.round((message.contextUsed / message.context) * 100) : 0;
  return (
    <footer className="frame flex min-h-(--foot) shrink-0 flex-wrap items-center gap-x-4 border-t bg-surface px-3 text-xs text-ink-2">
      <p className="min-w-40 flex-1">{(state && told(state.safety_line)) || t("shell.decisionSupportNotADiagnosis")}</p>
      {state?.caller && <Caller caller={state.caller} />}
      {message && message.tokensPerSecond > 0 && <span>{t("shell.tokensS", { tokensPerSecond: fixed(message.tokensPerSecond) })}</span>}
      {message && message.context > 0 && (
        <span title={t("shell.ofTokens", { contextUsed: message.contextUsed, context: message.context })}>{t("shell.context", { share })}</span>
      )}
      <span role="status" className="inline-flex items-center gap-1">
        {link === "refused" || lost === "refused" ? (
          <><CloudOff aria-hidden className="size-3.5 text-failed" /><span className="text-failed">{t("shell.notConnected")}</span></>
        ) : lost === "lost" || link === "lost" ? (
          <><CloudOff aria-hidden className="size-3.5 text-failed" /><span className="text-failed">{t("shell.notConnectedTryingAgain")}</span></>
        ) : streaming ? (
          <><LoaderCircle aria-hidden className="spin size-3.5" /><span className="aside">{t("shell.writingTheReply")}</span></>
        ) : (
          <><HardDriveDownload aria-hidden className="size-3.5" /><span className="aside">{t("shell.savedOnThisLaptop")}</span></>
        )}
      </span>
    </footer>
  );
}

/** For whom turns run: tools of servers may ask. */
export function Caller({ caller }: { caller: NonNullable<AppState["caller"]> }) {
  if (caller.expired) return <span className="text-degraded">{t("shell.theCallersTokenRanOutTurns")}</span>;
  const roles = caller.roles?.length ? ` (${caller.roles.map(visibleText).join(", ")})` : "";
  return <span>{t("shell.actingFor", { subject: visibleText(caller.subject || t("shell.aCallerWithoutAName")), roles })}</span>;
}
