import { FlaskConical, MessagesSquare, SquareKanban } from "lucide-react";
import { useState } from "react";
import { useRead } from "@/api/query";
import type { AgentInfo } from "@/api/types";
import { choose } from "@/conversation/agents";
import { leave } from "@/shell/places";
import { go, href } from "@/shell/route";
import { t } from "@/text/language";
import { told } from "@/text/told";
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
  const [area, setArea] = useState<HTMLElement | null>(null);
  if (error)
    return (
      <div className="p-pad">
        <ErrorNote error={error} title={t("board.theBoardsCouldNotBeRead")} retry={() => void refetch()} />
      </div>
    );
  if (isPending) return <Loading what={t("board.readingTheBoards")} />;
  const { boards } = data;
  const keeping = agents.filter(({ boards: has }) => has);
  if (boards.length === 0 && !turn)
    return (
      <Empty icon={SquareKanban} title={t("board.noStudyYet")} action={<Button look="primary" icon={MessagesSquare} onClick={() => { const one = keeping[0]; if (one) choose("", { agent: one.id, pattern: "", picked: true }); go("sessions", "new"); }}>{t("board.startASession")}</Button>}>
        {t("board.askAnAgentAQuestion", { n: keeping.length, agents: keeping.map(({ title }) => visibleText(told(title))).join(", ") })}
      </Empty>
    );
  const chosen = turn || boards[0]?.turn || "";
  const agent = agents.find(({ id }) => id === boards.find((one) => one.turn === chosen)?.agent);
  return (
    <div className="flex h-full min-h-0 flex-col md:flex-row">
      <nav aria-label={t("board.studies")} className="max-h-44 shrink-0 overflow-auto border-b bg-surface md:max-h-none md:w-64 md:border-r md:border-b-0">
        <ul>
          {boards.map((one) => (
            <li key={one.turn}>
              <a href={href("board", one.turn)} aria-current={one.turn === chosen ? "page" : undefined} className={`block px-3 py-tight hover:bg-hover ${one.turn === chosen ? "bg-accent-soft" : ""}`}>
                <span className="line-clamp-2 font-medium wrap-anywhere">{visibleText(one.query)}</span>
                <span className="flex justify-between gap-2 text-xs text-ink-3"><span>{told(one.status)}</span><Time at={one.started_at} /></span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <section ref={setArea} aria-label={t("board.board")} tabIndex={-1} onScroll={(event) => leave(href("board", chosen), event.currentTarget.scrollTop)} className="min-h-0 min-w-0 flex-1 overflow-auto">
        {agent?.experimental && (
          <p className="flex flex-wrap items-center gap-2 px-pad pt-pad text-sm text-ink-2">
            <Chip icon={FlaskConical}>{t("board.experimental")}</Chip> {t("board.isNewReadWhatItCites", { title: told(visibleText(agent.title)) })}
          </p>
        )}
        <Study key={chosen} turn={chosen} area={area} />
      </section>
    </div>
  );
}
