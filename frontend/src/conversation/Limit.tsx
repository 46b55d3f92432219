import { Play, RotateCcw, Trash2, TriangleAlert } from "lucide-react";
import { useId, useState } from "react";
import { useRead } from "@/api/query";
import type { TurnRow } from "@/api/types";
import { Bars } from "@/filing/Bars";
import { usedOf } from "@/inspector/Budget";
import type { TurnView } from "@/journal/view";
import { duration } from "@/text/format";
import { visibleText } from "@/text/visible";
import { transport } from "@/transport";
import { Button } from "@/ui/Button";
import { inputLook } from "@/ui/Field";
import { ErrorNote } from "@/ui/Notice";
import { sayError } from "@/ui/toasts";

/** Limits by name: as people read them, and what is counted. */
const words: Record<string, { name: string; unit: string }> = {
  steps: { name: "the step limit", unit: "steps" },
  node_iterations: { name: "the limit of rounds in one stage", unit: "rounds" },
  mutations: { name: "the limit of changes to the graph", unit: "changes" },
  tokens: { name: "the token limit", unit: "tokens" },
  cost: { name: "the cost limit", unit: "of cost" },
  time: { name: "the time limit", unit: "seconds" },
  cycle: { name: "the limit of repeated rounds", unit: "repeats" },
  autonomous_steps: { name: "the limit of choices", unit: "choices" },
};

const limitWords = (name: string) => words[name || "steps"] ?? { name: `the limit “${name.replaceAll("_", " ")}”`, unit: "" };

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
    used.steps ? `${used.steps.toLocaleString("en")} steps` : "",
    used.tokens ? `${used.tokens.toLocaleString("en")} tokens` : "",
    used.mutations ? `${used.mutations} ${used.mutations === 1 ? "change" : "changes"} of the graph` : "",
    turn.used.time_ns ? duration(turn.used.time_ns / 1e6) : "",
    turn.used.cost ? `${turn.used.cost} of cost` : "",
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
        <h4 className="font-semibold wrap-anywhere">Stopped at {visibleText(title)}{turn.limit > 0 && ` (${turn.limit.toLocaleString("en")}${unit && ` ${unit}`})`}</h4>
        <p className="text-ink-2">It is not finished. {spent && `Used so far: ${spent}. `}{kept}. {wrote} Continuing runs on from there.</p>
        <Bars session={session} turn={turn} />
        {failure !== null && <ErrorNote error={failure} title="It did not go on." />}
        <div className="flex flex-wrap items-center gap-2 pt-1">
          <label htmlFor={field} className="text-sm">Continue with</label>
          <input id={field} type="number" min={fraction ? 0 : 1} step={fraction ? "any" : 1} inputMode="numeric" value={text} aria-invalid={wrong || undefined} aria-describedby={`${field}-note`} onChange={(event) => setTyped(event.target.value)} className={`${inputLook} min-h-7 max-w-28`} />
          <span className="text-sm">more{unit && ` ${unit}`}</span>
          <Button type="submit" small look="primary" icon={Play} disabled={busy || wrong}>Continue</Button>
          <Button small icon={RotateCcw} disabled={busy} onClick={() => run("regenerate")}>Ask again</Button>
          <Button small look="quiet" icon={Trash2} disabled={busy} onClick={() => run("abandon")}>Abandon</Button>
        </div>
        <p id={`${field}-note`} role={wrong ? "alert" : undefined} className="text-xs text-failed">{wrong && (fraction ? "Enter a number above 0." : "Enter a whole number above 0.")}</p>
      </form>
    </section>
  );
}
