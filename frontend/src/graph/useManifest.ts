import { useEffect, useMemo, useRef } from "react";
import { useRead } from "@/api/query";
import type { Manifest } from "@/api/types";
import type { TurnView } from "@/journal/view";
import { withMutations } from "./mutations";

/**
 * The graph of a turn: as the run has it, with what the journal tells of since. Where
 * the run's own graph cannot be built any more, that of its agent as it is now.
 */
export function useManifest(turn: TurnView): { manifest: Manifest | undefined; error: unknown; refetch: () => void } {
  const { agent, id } = turn;
  const own = useRead<Manifest>(agent ? `/api/turns/${encodeURIComponent(id)}/manifest` : null, { staleTime: Infinity });
  const pattern = turn.vars.pattern;
  const instead = useRead<Manifest>(
    agent && own.error ? `/api/agents/${encodeURIComponent(agent)}${pattern ? `?pattern=${encodeURIComponent(pattern)}` : ""}` : null,
    { staleTime: Infinity },
  );
  const made = turn.mutations.filter(({ refused }) => !refused).length;
  // What was read once has the changes up to then; each later one is a reason to read again.
  const known = useRef(made);
  const { refetch } = own;
  useEffect(() => {
    if (known.current === made) return;
    known.current = made;
    void refetch();
  }, [made, refetch]);
  const read = own.data ?? instead.data;
  const manifest = useMemo(() => (read ? withMutations(read, turn.mutations) : undefined), [read, turn.mutations]);
  return {
    manifest,
    error: own.error && instead.error,
    refetch: () => {
      void own.refetch();
      void instead.refetch();
    },
  };
}
