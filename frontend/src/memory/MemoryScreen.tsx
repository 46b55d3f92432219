import { Brain, MessagesSquare } from "lucide-react";
import { useRead } from "@/api/query";
import type { Session } from "@/api/types";
import { go, href } from "@/shell/route";
import { Button } from "@/ui/Button";
import { Empty, ErrorNote, Loading } from "@/ui/Notice";
import { subjectTitle } from "@/subject/subject";
import { t } from "@/text/language";
import { visibleText } from "@/text/visible";
import { Time } from "@/ui/Time";
import { Earlier } from "./Earlier";
import { SessionMemory } from "./SessionMemory";

/** What each session remembers: sessions on the left, the memory of one on the right. */
export function MemoryScreen({ session }: { session: string }) {
  const { data, error, isPending, refetch } = useRead<{ sessions: Session[] | null }>("/api/sessions?limit=50");
  const sessions = data?.sessions ?? [];
  const chosen = sessions.find(({ id }) => id === session);
  if (error)
    return (
      <div className="p-pad">
        <ErrorNote error={error} title={t("memory.theSessionsCouldNotBeRead")} retry={() => void refetch()} />
      </div>
    );
  if (isPending) return <Loading />;
  if (sessions.length === 0 && !session)
    return (
      <Empty
        icon={Brain}
        title={t("memory.memoryOfYourSessions")}
        action={
          <Button look="primary" icon={MessagesSquare} onClick={() => go("sessions")}>
            {t("memory.startASession")}
          </Button>
        }
      >
        {t("memory.hereYouSeeWhatASession")}
      </Empty>
    );
  return (
    <div className="flex h-full min-h-0 flex-col md:flex-row">
      <nav
        aria-label={t("memory.sessions")}
        className="max-h-44 shrink-0 overflow-auto border-b bg-surface md:max-h-none md:w-72 md:border-r md:border-b-0"
      >
        <ul>
          <li>
            <a href={href("memory")} aria-current={session === "" ? "page" : undefined} className={`block px-3 py-tight font-medium hover:bg-hover ${session === "" ? "bg-accent-soft" : ""}`}>
              {t("memory.acrossSessions")}
            </a>
          </li>
          {sessions.map((one) => (
            <li key={one.id}>
              <a
                href={href("memory", one.id)}
                aria-current={one.id === session ? "page" : undefined}
                className={`block px-3 py-tight hover:bg-hover ${one.id === session ? "bg-accent-soft" : ""}`}
              >
                <span className="block truncate font-medium">{visibleText(one.title || t("memory.untitled"))}</span>
                <span className="flex justify-between gap-2 text-xs text-ink-3">
                  <span className="truncate">{subjectTitle(one)}</span>
                  <Time at={one.updated_at} />
                </span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div className="min-h-0 min-w-0 flex-1 overflow-auto">
        {session ? (
          <div className="mx-auto max-w-3xl">
            <header className="px-pad pt-pad">
              <h1 className="text-xl font-semibold wrap-anywhere">{visibleText(chosen?.title ?? t("memory.memory"))}</h1>
              {chosen && subjectTitle(chosen) && <p className="text-ink-2">{subjectTitle(chosen)}</p>}
            </header>
            <SessionMemory key={session} session={session} />
          </div>
        ) : (
          <Earlier />
        )}
      </div>
    </div>
  );
}
