import { Gauge } from "lucide-react";
import type { Manifest } from "@/api/types";
import type { TurnView } from "@/journal/view";
import { duration } from "@/text/format";

const number = (n: number) => n.toLocaleString("en");

/** What a turn used up so far of what it may, as far as the journal tells. */
export function usedOf(turn: TurnView): { steps: number; tokens: number; mutations: number } {
  const called = turn.modelCalls.reduce((sum, call) => sum + call.promptTokens + call.outputTokens, 0);
  return { steps: turn.steps, tokens: turn.used.tokens ?? called, mutations: turn.mutations.filter(({ refused }) => !refused).length };
}

/** Steps, tokens and changes of a turn beside their limits; nothing for agents that have none to run into. */
export function Budget({ turn, manifest }: { turn: TurnView; manifest: Manifest }) {
  if (manifest.pipeline?.length) return null;
  const { steps, tokens, mutations } = usedOf(turn);
  const of = (max: number | undefined) => (max ? ` of ${number(max)}` : "");
  const { limits } = manifest;
  const parts = [
    `${number(steps)}${of(manifest.max_steps)} steps`,
    tokens > 0 || limits?.tokens ? `${number(tokens)}${of(limits?.tokens)} tokens` : "",
    mutations > 0 ? `${mutations}${of(limits?.mutations || 10)} changes of the graph` : "",
    limits?.time_ns ? `at most ${duration(limits.time_ns / 1e6)}` : "",
  ].filter(Boolean);
  return (
    <p className="flex items-center gap-1 text-xs text-ink-2">
      <Gauge aria-hidden className="size-3.5 shrink-0 text-ink-3" />
      <span className="sr-only">Used: </span>
      {parts.join(" · ")}
    </p>
  );
}
