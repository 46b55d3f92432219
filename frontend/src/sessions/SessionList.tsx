import { useInfiniteQuery } from "@tanstack/react-query";
import { Check, MessageSquarePlus, MessagesSquare, Pencil, Search, Trash2, TriangleAlert, X } from "lucide-react";
import { useDeferredValue, useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import type { AgentInfo, Session } from "@/api/types";
import { queryClient, useRead } from "@/api/query";
import { newSession } from "@/subject/newSession";
import { noSubject, subjectTitle } from "@/subject/subject";
import { go, href } from "@/shell/route";
import { setUi } from "@/shell/ui";
import { t } from "@/text/language";
import { visibleText } from "@/text/visible";
import { dayOf, dayText } from "@/text/zone";
import { transport } from "@/transport";
import { forget } from "./gone";
import { SaidHits } from "./SaidHits";
import { Button, IconButton } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { inputLook } from "@/ui/Field";
import { Empty, ErrorNote, Loading } from "@/ui/Notice";
import { useLongList, type LongRow } from "@/ui/longList";
import { State, type StateName } from "@/ui/State";
import { Time } from "@/ui/Time";
import { say, sayError } from "@/ui/toasts";

interface Page {
  sessions: Session[] | null;
  next: string;
}

const filters = () => [
  ["", t("sessions.all")],
  ["paused", t("sessions.waitsForYou")],
  ["running", t("sessions.running")],
  ["interrupted", t("sessions.interrupted")],
  ["failed", t("sessions.failed")],
  ["completed", t("sessions.completed")],
  ["damaged", t("sessions.damaged")],
] as const;

function stateOf(session: Session): { name: StateName; word?: string } | null {
  if (session.damaged) return { name: "damaged", word: t("sessions.damaged") };
  if (session.status === "running") return { name: "running" };
  if (session.approvals > 0) return { name: "pending" };
  if (session.waits === "answer") return { name: "paused", word: t("sessions.needsAnswer") };
  if (session.waits === "resume") return { name: "paused", word: t("sessions.toBeResumed") };
  if (session.interrupted) return { name: "interrupted" };
  return session.status ? { name: session.status } : null;
}

/** All sessions, newest first. */
export function SessionList({ chosen }: { chosen: string }) {
  const [search, setSearch] = useState("");
  const [status, setStatus] = useState("");
  const wanted = useDeferredValue(search.trim());
  const list = useInfiniteQuery({
    queryKey: ["api", "sessions", "list", wanted, status],
    initialPageParam: "",
    queryFn: ({ pageParam }) =>
      transport().read<Page>(`/api/sessions?${new URLSearchParams({ search: wanted, status, before: pageParam, limit: "50" })}`),
    getNextPageParam: (page: Page) => page.next || undefined,
  });
  const [by, setBy] = useState<"day" | "subject">("day");
  const pages = list.data?.pages;
  const sessions = useMemo(() => {
    const all = pages?.flatMap((page) => page.sessions ?? []) ?? [];
    return by === "day" ? all : [...all].sort((a, b) => groupOf(a, by).localeCompare(groupOf(b, by)));
  }, [pages, by]);
  // One stop for Tab: the arrows walk the rows.
  const [at, setAt] = useState("");
  const known = (id: string) => sessions.findIndex((one) => one.id === id);
  const active = Math.max(0, known(at) >= 0 ? known(at) : known(chosen));
  const long = useLongList({ count: sessions.length, estimate: 76, keyOf: (index) => sessions[index]!.id, show: at ? active : -1 });
  // Tab finds a row of those in the page, also when the active one has been scrolled away.
  const stop = long.indexes.includes(active) ? active : (long.indexes[0] ?? 0);
  const area = useRef<HTMLDivElement>(null);
  const walking = useRef(false);
  useEffect(() => {
    if (!walking.current || !at) return;
    walking.current = false;
    area.current?.querySelector<HTMLElement>(`[data-session="${CSS.escape(at)}"]`)?.focus();
  }, [at]);
  const walk = (event: KeyboardEvent) => {
    if (!(event.target as HTMLElement).matches("[data-session]") || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = { ArrowDown: stop + 1, ArrowUp: stop - 1, Home: 0, End: sessions.length - 1, PageDown: stop + 10, PageUp: stop - 10 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = sessions[Math.max(0, Math.min(sessions.length - 1, to))];
    if (!next) return;
    walking.current = true;
    setAt(next.id);
  };
  const end = useRef<HTMLDivElement>(null);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  useEffect(() => {
    if (!end.current || !hasNextPage || isFetchingNextPage) return;
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && void fetchNextPage());
    watch.observe(end.current);
    return () => watch.disconnect();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);

  return (
    <nav aria-label={t("sessions.sessions")} className="@container flex h-full min-h-0 flex-col bg-surface">
      <div className="shrink-0 space-y-2 border-b p-tight">
        <Button look="primary" icon={MessageSquarePlus} keys="Ctrl N" className="w-full @max-[14rem]:[&_kbd]:hidden" onClick={() => newSession()}>{t("sessions.newSession")}</Button>
        <div className="relative">
          <Search aria-hidden className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-ink-3" />
          <input data-session-search type="search" aria-label={t("sessions.searchSessions")} placeholder={t("sessions.searchTitlesRecordsTexts")} value={search} onChange={(event) => setSearch(event.target.value)} className={`${inputLook} pl-8`} />
        </div>
        <div className="flex gap-1">
          <select aria-label={t("sessions.filterByState")} value={status} onChange={(event) => setStatus(event.target.value)} className={`${inputLook} min-w-0`}>
            {filters().map(([value, word]) => <option key={value} value={value}>{word}</option>)}
          </select>
          <select aria-label={t("sessions.groupBy")} value={by} onChange={(event) => setBy(event.target.value === "subject" ? "subject" : "day")} className={`${inputLook} min-w-0`}>
            <option value="day">{t("sessions.byDay")}</option>
            <option value="subject">{t("sessions.byRecord")}</option>
          </select>
        </div>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys come from the rows inside */}
      <div ref={area} className="min-h-0 flex-1 overflow-auto" onKeyDown={walk}>
        {list.error && <div className="p-tight"><ErrorNote error={list.error} retry={() => void list.refetch()} /></div>}
        {list.isPending && <Loading />}
        {list.data && sessions.length === 0 && (
          <Empty icon={MessagesSquare} title={wanted || status ? t("sessions.noSessionIsCalledThat") : t("sessions.noSessionsYet")}>
            {wanted || status ? t("sessions.tryAnotherWordOrFilterWhat") : t("sessions.aSessionIsOneConversationUsually")}
          </Empty>
        )}
        <ul {...long.list}>
          {long.indexes.map((index) => {
            const session = sessions[index]!;
            const group = groupOf(session, by);
            const before = sessions[index - 1];
            return (
              <Row
                key={session.id}
                session={session}
                chosen={session.id === chosen}
                place={long.row(index)}
                group={before && groupOf(before, by) === group ? "" : group}
                active={index === stop}
                onActive={() => setAt(session.id)}
              />
            );
          })}
        </ul>
        {wanted.length > 1 && <SaidHits query={wanted} open={chosen} />}
        <div ref={end} />
        {isFetchingNextPage && <Loading />}
      </div>
    </nav>
  );
}

/** Until the screen has let go of what it showed. */
const left = () => new Promise<void>((done) => setTimeout(() => requestAnimationFrame(() => done()), 0));

/** What a session is listed under: the clinic's day of its newest word, or what it is about. */
function groupOf(session: Session, by: "day" | "subject"): string {
  if (by === "subject") return subjectTitle(session) || noSubject();
  const day = dayOf(session.updated_at);
  const now = Date.now();
  return day === dayOf(new Date(now)) ? t("sessions.today") : day === dayOf(new Date(now - 86_400_000)) ? t("sessions.yesterday") : dayText(session.updated_at);
}

function Row({ session, chosen, place, group, active, onActive }: {
  session: Session;
  chosen: boolean;
  place: LongRow;
  /** Stands above the row where a new one begins. */
  group: string;
  active: boolean;
  onActive(): void;
}) {
  const [title, setTitle] = useState<string | null>(null);
  const [asking, setAsking] = useState(false);
  const state = stateOf(session);
  const refresh = () => void queryClient.invalidateQueries({ queryKey: ["api", "sessions"] });

  const rename = async () => {
    const wanted = title?.trim();
    setTitle(null);
    if (!wanted || wanted === session.title) return;
    try {
      await transport().call("rename_session", { id: session.id, title: wanted });
      refresh();
    } catch (error) {
      sayError(error);
    }
  };
  // Of agents that ask who writes, something is kept from one session of a person to the next.
  const agents = useRead<AgentInfo[] | null>(asking ? "/api/agents" : null).data;
  const agreed = agents?.some(({ id, cards }) => id === session.agent && cards === true) === true;
  const remove = async () => {
    setAsking(false);
    try {
      // Nothing of it is read any more once it is gone: the screen leaves it first.
      if (chosen) {
        setUi({ turn: null, stage: null, seq: null });
        go("sessions");
        await left();
      }
      await transport().call("delete_session", { id: session.id });
      say(t("sessions.theSessionWasDeleted"));
      forget(session.id);
      refresh();
    } catch (error) {
      sayError(error);
    }
  };

  if (title !== null)
    return (
      <li {...place} className="flex items-center gap-1 border-b p-1.5">
        <input
          autoFocus
          aria-label={t("sessions.sessionTitle")}
          value={title}
          onChange={(event) => setTitle(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") void rename();
            if (event.key === "Escape") { event.stopPropagation(); setTitle(null); }
          }}
          className={inputLook}
        />
        <IconButton icon={Check} label={t("sessions.saveTheTitle")} small onClick={() => void rename()} />
        <IconButton icon={X} label={t("sessions.keepTheOldTitle")} small onClick={() => setTitle(null)} />
      </li>
    );
  return (
    <li {...place}>
      {group && <h2 className="border-b bg-sunken px-tight py-0.5 text-xs font-semibold text-ink-2 wrap-anywhere">{group}</h2>}
      <div className={`group relative border-b border-l-4 ${chosen ? "border-l-accent bg-accent-soft" : "border-l-transparent hover:bg-hover"}`}>
      <a
        href={href("sessions", session.id)}
        aria-current={chosen ? "page" : undefined}
        data-session={session.id}
        tabIndex={active ? 0 : -1}
        onFocus={onActive}
        onClick={() => setUi({ turn: null, stage: null, seq: null, pane: "conversation" })}
        onKeyDown={(event) => {
          if (event.key === "F2" && !session.damaged) { event.preventDefault(); setTitle(session.title); }
          if (event.key === "Delete") { event.preventDefault(); setAsking(true); }
        }}
        className="block px-tight py-tight"
      >
        <span className="line-clamp-2 pr-1 font-medium wrap-anywhere">{visibleText(session.title || t("sessions.untitled"))}</span>
        <span className="flex items-center gap-2 text-xs text-ink-2">
          <span className="min-w-0 flex-1 truncate">{subjectTitle(session) || noSubject()}</span>
          <Time at={session.updated_at} className="text-ink-3" />
        </span>
        <span className="flex items-center gap-2">
          {state && state.name !== "completed" && <State {...state} />}
          {session.practice && <span className="rounded-sm bg-reused-soft px-1 text-xs font-semibold text-reused">{t("sessions.practice")}</span>}
        </span>
      </a>
      <span className="absolute right-1 bottom-1 flex rounded-md bg-raised opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
        {!session.damaged && <IconButton icon={Pencil} label={t("sessions.rename", { title: visibleText(session.title) })} small keys="F2" tabIndex={active ? 0 : -1} onClick={() => setTitle(session.title)} />}
        <IconButton icon={Trash2} label={t("sessions.delete", { title: visibleText(session.title) })} small keys="Delete" tabIndex={active ? 0 : -1} onClick={() => setAsking(true)} />
      </span>
      </div>
      <Dialog open={asking} onOpenChange={setAsking} title={t("sessions.deleteThisSession")} description={t("sessions.itsTurnsMemoryAndJournalGo")}>
        <p className="mb-4 font-medium wrap-anywhere">{visibleText(session.title)}</p>
        {agreed && <p className="mb-4">{t("sessions.whatWasAgreedGoesWithTheLast")}</p>}
        {(session.waits || session.approvals > 0) && <p className="mb-4 flex gap-2 text-held"><TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />{t("sessions.somethingInItWaits")}</p>}
        <div className="flex gap-2">
          <Button look="danger" icon={Trash2} onClick={() => void remove()}>{t("sessions.delete2")}</Button>
          <Button onClick={() => setAsking(false)}>{t("sessions.keepIt")}</Button>
        </div>
      </Dialog>
    </li>
  );
}
