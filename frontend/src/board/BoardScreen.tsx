import { FlaskConical, MessagesSquare, SquareKanban } from "lucide-react";
import { useRead } from "@/api/query";
import type { AgentInfo } from "@/api/types";
import { go, href } from "@/shell/route";
import { visibleText } from "@/text/visible";
import { Button } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { Empty, ErrorNote, Loading } from "@/ui/Notice";
import { Time } from "@/ui/Time";
import { Study } from "./Study";
import type { BoardInfo } from "./types";

/** The boards of all studies: the list on the left, one board on the right. */
export function BoardScreen({ turn }: { turn: string }) {
  const { data, error, isPending, refetch } = useRead<{ boards: BoardInfo[] }>("/api/boards");
  const agents = useRead<AgentInfo[] | null>("/api/agents").data ?? [];
  if (error)
    return (
      <div className="p-pad">
        <ErrorNote error={error} title="The boards could not be read." retry={() => void refetch()} />
      </div>
    );
  if (isPending) return <Loading what="Reading the boards…" />;
  const { boards } = data;
  if (boards.length === 0 && !turn)
    return (
      <Empty icon={SquareKanban} title="No study yet" action={<Button look="primary" icon={MessagesSquare} onClick={() => go("sessions", "new")}>Start a session</Button>}>
        Ask the researcher a question: hypotheses, what speaks for and against them, and conflicts between sources are
        kept here, and you have the last word. It searches what is in your library.
      </Empty>
    );
  const chosen = turn || boards[0]?.turn || "";
  const agent = agents.find(({ id }) => id === boards.find((one) => one.turn === chosen)?.agent);
  return (
    <div className="flex h-full min-h-0 flex-col md:flex-row">
      <nav aria-label="Studies" className="max-h-44 shrink-0 overflow-auto border-b bg-surface md:max-h-none md:w-64 md:border-r md:border-b-0">
        <ul>
          {boards.map((one) => (
            <li key={one.turn}>
              <a href={href("board", one.turn)} aria-current={one.turn === chosen ? "page" : undefined} className={`block px-3 py-tight hover:bg-hover ${one.turn === chosen ? "bg-accent-soft" : ""}`}>
                <span className="line-clamp-2 font-medium wrap-anywhere">{visibleText(one.query)}</span>
                <span className="flex justify-between gap-2 text-xs text-ink-3"><span>{one.status}</span><Time at={one.started_at} /></span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <section aria-label="Board" tabIndex={-1} className="min-h-0 min-w-0 flex-1 overflow-auto">
        {agent?.experimental && (
          <p className="flex flex-wrap items-center gap-2 px-pad pt-pad text-sm text-ink-2">
            <Chip icon={FlaskConical}>Experimental</Chip> {visibleText(agent.title)} is new: read what it cites before you rely on it.
          </p>
        )}
        <Study key={chosen} turn={chosen} />
      </section>
    </div>
  );
}
