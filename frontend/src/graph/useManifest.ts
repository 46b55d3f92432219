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
  // What was read once has the changes and limits up to then; each later change, and each time that a
  // person let it go on, perhaps with more of a limit, is a reason to read again.
  const news = made + turn.resumes.length;
  const known = useRef(news);
  const { refetch } = own;
  useEffect(() => {
    if (known.current === news) return;
    known.current = news;
    void refetch();
  }, [news, refetch]);
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
