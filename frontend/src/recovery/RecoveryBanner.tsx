import { Play, Search, Trash2, TriangleAlert } from "lucide-react";
import { useState } from "react";
import type { AppState, Interrupted } from "@/api/types";
import { queryClient, useRead } from "@/api/query";
import { go } from "@/shell/route";
import { setUi } from "@/shell/ui";
import { t } from "@/text/language";
import { visibleText } from "@/text/visible";
import { transport } from "@/transport";
import { Button } from "@/ui/Button";
import { Time } from "@/ui/Time";
import { sayError } from "@/ui/toasts";

/** What would happen to an interrupted turn, in one line. */
function recoveryLine({ kept, rerun, unknown }: Pick<Interrupted, "kept" | "rerun" | "unknown">): string {
  const parts = [t("recovery.stepsKept", { kept }), t("recovery.willRunAgain", { rerun })];
  if (unknown) parts.push(t("recovery.unknown", { unknown }));
  return parts.join(", ");
}

/** Names the damaged rows that lists leave out. */
function LeftOut() {
  const lost = useRead<AppState>("/api/state").data?.lost ?? [];
  if (!lost.length) return null;
  return (
    <section aria-label={t("recovery.leftOut")} className="flex max-h-24 shrink-0 items-center gap-3 overflow-auto border-b border-degraded bg-degraded-soft px-pad py-1.5">
      <TriangleAlert aria-hidden className="size-4 shrink-0 text-degraded" />
      <p className="min-w-48 flex-1 wrap-anywhere">
        <span className="font-semibold">{t("recovery.leftOut")} </span>
        {lost.map(({ table, id }) => visibleText(`${table} ${id}`)).join(", ")}
        <span className="block text-sm text-ink-2">{t("recovery.checkSays")}</span>
      </p>
    </section>
  );
}

/** Lists turns that were under way when Holdpoint stopped, and what is damaged; nothing resumes without being told. */
export function RecoveryBanner() {
  return <><LeftOut /><InterruptedTurns /></>;
}

function InterruptedTurns() {
  const state = useRead<AppState>("/api/state");
  const [busy, setBusy] = useState("");
  const interrupted = state.data?.interrupted ?? [];
  if (!interrupted.length) return null;
  const run = (name: string, turn: string) => {
    setBusy(turn);
    transport().call(name, { turn }).catch(sayError).finally(() => {
      setBusy("");
      void queryClient.invalidateQueries({ queryKey: ["api", "state"] });
    });
  };
  return (
    <section aria-label={t("recovery.interruptedTurns")} className="max-h-48 shrink-0 overflow-auto border-b border-degraded bg-degraded-soft">
      <ul>
        {interrupted.map((entry) => (
          <li key={entry.turn} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-pad py-1.5">
            <TriangleAlert aria-hidden className="size-4 shrink-0 text-degraded" />
            <p className="min-w-48 flex-1 wrap-anywhere">
              <span className="font-semibold">{t("recovery.interrupted")} </span>
              {visibleText(entry.title || entry.input)} <span className="text-ink-2">(<Time at={entry.started_at} />)</span>
              <span className="block text-sm text-ink-2" title={[...(entry.kept_stages ?? []).map((stage) => `kept: ${stage}`), ...(entry.rerun_stages ?? []).map((stage) => `again: ${stage}`)].join("\n")}>
                {recoveryLine(entry)}
              </span>
            </p>
            <span className="flex gap-1">
              <Button small look="primary" icon={Play} disabled={busy === entry.turn} onClick={() => { run("resume", entry.turn); go("sessions", entry.session); }}>{t("recovery.resume")}</Button>
              <Button small icon={Search} onClick={() => { setUi({ turn: entry.turn, tab: "steps", pane: "inspector" }); go("sessions", entry.session); }}>{t("recovery.inspect")}</Button>
              <Button small look="quiet" icon={Trash2} disabled={busy === entry.turn} onClick={() => run("abandon", entry.turn)}>{t("recovery.abandon")}</Button>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
