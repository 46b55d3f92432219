import { Gauge } from "lucide-react";
import type { Manifest } from "@/api/types";
import type { TurnView } from "@/journal/view";
import { duration } from "@/text/format";
import { number, t } from "@/text/language";


/** What a turn used up so far of what it may, as far as the journal tells. */
export function usedOf(turn: TurnView): { steps: number; tokens: number; mutations: number } {
  const called = turn.modelCalls.reduce((sum, call) => sum + call.promptTokens + call.outputTokens, 0);
  return { steps: turn.steps, tokens: turn.used.tokens ?? called, mutations: turn.mutations.filter(({ refused }) => !refused).length };
}

/** Steps, tokens and changes of a turn beside their limits; nothing for agents that have none to run into. */
export function Budget({ turn, manifest }: { turn: TurnView; manifest: Manifest }) {
  if (manifest.pipeline?.length) return null;
  const { steps, tokens, mutations } = usedOf(turn);
  const of = (max: number | undefined) => (max ? ` ${t("inspector.of", { max: number(max) })}` : "");
  const { limits } = manifest;
  const parts = [
    t("inspector.steps", { steps: number(steps), max_steps: of(manifest.max_steps) }),
    tokens > 0 || limits?.tokens ? t("inspector.tokens", { tokens: number(tokens), tokens2: of(limits?.tokens) }) : "",
    mutations > 0 ? t("inspector.changesOfTheGraph", { mutations, mutations2: of(limits?.mutations || 10) }) : "",
    limits?.time_ns ? t("inspector.atMost", { duration: duration(limits.time_ns / 1e6) }) : "",
  ].filter(Boolean);
  return (
    <p className="flex items-center gap-1 text-xs text-ink-2">
      <Gauge aria-hidden className="size-3.5 shrink-0 text-ink-3" />
      <span className="sr-only">{t("inspector.used")} </span>
      {parts.join(" · ")}
    </p>
  );
}
