/** Shows one turn of a session: graph, steps, memory, detail. */
export function Inspector({ session: _session, turn: _turn }: { session: string | null; turn: string | null }) {
  return null;
}
