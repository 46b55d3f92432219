import { Play, RotateCcw, Trash2, TriangleAlert } from "lucide-react";
import { useId, useState } from "react";
import { useRead } from "@/api/query";
import type { TurnRow } from "@/api/types";
import { Bars } from "@/forms/Bars";
import { usedOf } from "@/inspector/Budget";
import type { TurnView } from "@/journal/view";
import { duration } from "@/text/format";
import { number, t } from "@/text/language";
import { withNames } from "@/text/names";
import { visibleText } from "@/text/visible";
import { transport } from "@/transport";
import { Button } from "@/ui/Button";
import { inputLook } from "@/ui/Field";
import { ErrorNote } from "@/ui/Notice";
import { sayError } from "@/ui/toasts";

/** Limits by name: as people read them, and what is counted. */
const words: Record<string, { name: string; unit: string }> = {
  steps: { get name() { return t("conversation.theStepLimit"); }, get unit() { return t("conversation.stepsUnit"); } },
  node_iterations: { get name() { return t("conversation.theLimitOfRoundsInOne"); }, get unit() { return t("conversation.roundsUnit"); } },
  mutations: { get name() { return t("conversation.theLimitOfChangesToThe"); }, get unit() { return t("conversation.changesUnit"); } },
  tokens: { get name() { return t("conversation.theTokenLimit"); }, get unit() { return t("conversation.tokensUnit"); } },
  cost: { get name() { return t("conversation.theCostLimit"); }, get unit() { return t("conversation.ofCost"); } },
  time: { get name() { return t("conversation.theTimeLimit"); }, get unit() { return t("conversation.secondsUnit"); } },
  cycle: { get name() { return t("conversation.theLimitOfRepeatedRounds"); }, get unit() { return t("conversation.repeatsUnit"); } },
  autonomous_steps: { get name() { return t("conversation.theLimitOfChoices"); }, get unit() { return t("conversation.choicesUnit"); } },
};

const limitWords = (name: string) => words[name || "steps"] ?? { name: t("conversation.theLimit", { name: name.replaceAll("_", " ") }), unit: "" };

/** A turn that came to a limit: which one, what was used, and how to go on. */
export function Limit({ turn, session, kept, wrote }: { turn: TurnView; session: string; kept: string; wrote: string }) {
  const field = useId();
  const name = turn.limitName || "steps";
  const { name: title, unit } = limitWords(name);
  const rows = useRead<TurnRow[] | null>(session ? `/api/sessions/${encodeURIComponent(session)}/turns` : null, { refetchOnMount: "always" });
  const row = rows.data?.find((one) => one.turn === turn.id);
  const usual = row?.more || String(turn.limit || 10);
  const [typed, setTyped] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const text = typed ?? usual;
  const fraction = name === "cost" || name === "time";
  const n = Number(text);
  const wrong = text.trim() === "" || !(n > 0) || n > 1e9 || (!fraction && !Number.isInteger(n));
  const used = usedOf(turn);
  const spent = [
    used.steps ? t("conversation.steps", { steps: used.steps }) : "",
    used.tokens ? t("conversation.tokens", { tokens: used.tokens }) : "",
    used.mutations ? t("conversation.changesOfTheGraph", { mutations: used.mutations }) : "",
    turn.used.time_ns ? duration(turn.used.time_ns / 1e6) : "",
    turn.used.cost ? t("conversation.ofCost2", { cost: turn.used.cost }) : "",
  ].filter(Boolean).join(", ");

  const more = async () => {
    if (wrong || busy) return;
    setBusy(true);
    setFailure(null);
    try {
      await transport().call("more", { turn: turn.id, limit: name, n });
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const run = (call: string) => {
    setBusy(true);
    transport().call(call, { turn: turn.id }).catch(sayError).finally(() => setBusy(false));
  };
  return (
    <section className="flex gap-3 rounded-md border border-degraded bg-degraded-soft p-3">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-degraded" />
      <form className="min-w-0 flex-1 space-y-1" onSubmit={(event) => { event.preventDefault(); void more(); }}>
        <h3 className="font-semibold wrap-anywhere">{t("conversation.stoppedAt", { title: visibleText(title) })}{turn.limit > 0 && ` (${number(turn.limit)}${unit && ` ${unit}`})`}</h3>
        <p className="text-ink-2">{row?.limit_stage && `${t("conversation.itIsTheLimitOf", { stage: withNames(visibleText(row.limit_stage)) })} `}{row?.limit_field && `${t("conversation.theGraphsFileSetsItAs", { field: row.limit_field })} `}{t("conversation.itIsNotFinished")} {spent && `${t("conversation.usedSoFar", { spent })} `}{t("conversation.continuingRunsOnFromThere", { kept, wrote })}</p>
        <Bars session={session} turn={turn} />
        {failure !== null && <ErrorNote error={failure} title={t("conversation.itDidNotGoOn")} />}
        <div className="flex flex-wrap items-center gap-2 pt-1">
          <label htmlFor={field} className="text-sm">{t("conversation.continueWith")}</label>
          <input id={field} type="number" min={fraction ? 0 : 1} step={fraction ? "any" : 1} inputMode="numeric" value={text} aria-invalid={wrong || undefined} aria-describedby={`${field}-note`} onChange={(event) => setTyped(event.target.value)} className={`${inputLook} min-h-7 max-w-28`} />
          <span className="text-sm">{t("conversation.more")}{unit && ` ${unit}`}</span>
          <Button type="submit" small look="primary" icon={Play} disabled={busy || wrong}>{t("conversation.continue")}</Button>
          <Button small icon={RotateCcw} disabled={busy} onClick={() => run("regenerate")}>{t("conversation.askAgain")}</Button>
          <Button small look="quiet" icon={Trash2} disabled={busy} onClick={() => run("abandon")}>{t("conversation.abandon")}</Button>
        </div>
        <p id={`${field}-note`} role={wrong ? "alert" : undefined} className="text-xs text-failed">{wrong && (fraction ? t("conversation.enterANumberAbove0") : t("conversation.enterAWholeNumberAbove0"))}</p>
      </form>
    </section>
  );
}
