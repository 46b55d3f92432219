import { ArrowDown, FileDown, GitBranch, MessageSquare, Printer, Search } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from "react";
import type { AgentInfo, AppState, Session } from "@/api/types";
import { SessionCards } from "@/cards/SessionCards";
import { StartCard, useStart } from "@/cards/StartCard";
import type { Cards } from "@/cards/types";
import { useRead } from "@/api/query";
import { useJournal, useJournals } from "@/journal/store";
import { leave, left } from "@/shell/places";
import { go, href } from "@/shell/route";
import { setUi, useUi } from "@/shell/ui";
import { visibleText } from "@/text/visible";
import { Button, IconButton } from "@/ui/Button";
import { Empty, ErrorNote, Loading } from "@/ui/Notice";
import { State } from "@/ui/State";
import { useAgent } from "./AgentPicker";
import { choose, useChoices } from "./agents";
import { Composer } from "./Composer";
import { FirstHelp } from "./Crisis";
import { useGrave } from "./danger";
import { Find } from "./Find";
import { usePending } from "./pending";
import { OnItsWay } from "./Progress";
import { Turn } from "./Turn";
import { newSession } from "@/subject/newSession";
import { SubjectPicker } from "@/subject/SubjectPicker";
import { subjectTypes, typeName, type Subject } from "@/subject/subject";
import { t } from "@/text/language";

/** One session: its turns from the journal and the composer. */
export function Conversation({ session }: { session: string }) {
  const view = useJournal(session);
  const link = useJournals((state) => state.links[session]);
  const row = useRead<Session>(`/api/sessions/${encodeURIComponent(session)}`);
  const state = useRead<AppState>("/api/state");
  const chosen = useUi((ui) => ui.turn);
  const finding = useUi((ui) => ui.finding !== null);
  const pending = usePending((state) => state.pending);
  const area = useRef<HTMLDivElement>(null);
  // Until the journal tells of the turn.
  const shown = pending?.session === session && !view?.turns[pending.turn] ? pending : null;
  const interrupted = useMemo(() => new Map((state.data?.interrupted ?? []).map((entry) => [entry.turn, entry])), [state.data]);
  const newest = view?.turnOrder.at(-1) ?? null;
  const last = newest ? view!.turns[newest]! : null;
  const running = last?.status === "running" && !interrupted.has(last.id) ? last.id : null;

  const before = { agent: last?.agent || row.data?.agent || "", pattern: last?.vars.pattern ?? "", ...(last ? { vars: last.vars } : {}) };
  const { agent, choice } = useAgent(session, before);
  const cards = useRead<Cards | null>(agent?.cards ? `/api/sessions/${encodeURIComponent(session)}/cards` : null).data;
  // Whoever is in danger is asked nothing else beside the help.
  const unsent = useGrave(session);
  const grave = unsent || (last !== null && (last.safety?.hijack === true || Object.values(last.asides).some(({ hijack }) => hijack)));

  if (row.error) return <div className="p-pad"><ErrorNote error={row.error} title={t("conversation.thisSessionCouldNotBeRead")} retry={() => void row.refetch()} /></div>;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="spare flex shrink-0 items-center gap-2 border-b bg-surface px-pad py-1.5">
        <h1 className="min-w-0 flex-1 truncate font-semibold">{visibleText(row.data?.title || t("conversation.session"))}</h1>
        {link === "lost" && <State name="interrupted" word={t("conversation.connectionLostTryingAgain")} />}
        <IconButton icon={Search} label={t("conversation.findInThisSession")} keys="Ctrl F" small onClick={() => setUi({ finding: "" })} />
        <IconButton icon={Printer} label={t("conversation.printThisSession")} keys="Ctrl P" small onClick={() => setUi({ exporting: session, printing: true })} />
        <IconButton icon={FileDown} label={t("conversation.exportThisSession")} keys="Ctrl Shift E" small onClick={() => setUi({ exporting: session, printing: false })} />
      </div>
      {finding && <Find area={area} />}
      <Turns key={session} place={href("sessions", session)} area={area} order={view?.turnOrder ?? []} follow={view} sent={shown !== null} scale={cards?.scale ?? 1}>
        {row.data?.branch && <Branched of={row.data.branch_of ?? null} />}
        {view && view.turnOrder.length === 0 && (link === "live" && row.data?.turns === 0 ? <Empty icon={MessageSquare} title={t("conversation.nothingWasSaidYet")}>{t("conversation.writeTheFirstMessageBelow")}</Empty> : <Loading what={t("conversation.readingTheJournal")} />)}
        {view?.turnOrder.map((id) => (
          <Turn key={id} session={session} turn={view.turns[id]!} interrupted={interrupted.get(id) ?? null} newest={id === newest} chosen={chosen === id && id !== newest} />
        ))}
        {shown && <OnItsWay pending={shown} />}
        <FirstHelp session={session} />
        {cards && view && <SessionCards session={session} cards={grave ? unasked(cards) : cards} choice={choice} running={running !== null || shown !== null} newest={newest} />}
      </Turns>
      <Composer session={session} before={before} subject={null} after={newest} running={running} held={last?.status === "paused"} onSent={() => setUi({ turn: null })} />
    </div>
  );
}

/** The cards without what they ask. */
function unasked({ open: _open, feedback: _feedback, ...cards }: Cards): Cards {
  return { ...cards, consent: { ...cards.consent, asked: false } };
}

/** What a branch was made from, and what that means. */
function Branched({ of }: { of: NonNullable<Session["branch_of"]> | null }) {
  return (
    <p className="flex items-start gap-2 rounded-md border bg-surface p-3 text-sm text-ink-2">
      <GitBranch aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
      {of ? (
        <span className="wrap-anywhere">
          {t("conversation.thisSessionRemembersWhatWasSaid")} <a className="text-accent underline underline-offset-2" href={href("sessions", of.session)}>{visibleText(of.title || t("conversation.anotherSession"))}</a> {t("conversation.beforeAndAsksSomethingElseIn", { visibleText: visibleText(of.input.length > 120 ? `${of.input.slice(0, 120)}…` : of.input) })}
        </span>
      ) : (
        <span>{t("conversation.thisSessionWasMadeFromAnother")}</span>
      )}
    </p>
  );
}

/** How far down the newest words are: the end, or where cards begin that would push them out of view, or where help begins. */
export function endOf(area: HTMLElement): number {
  const end = area.scrollHeight - area.clientHeight;
  const topOf = (part: Element) => part.getBoundingClientRect().top - area.getBoundingClientRect().top + area.scrollTop;
  const newest = [...area.querySelectorAll("[data-turn]")].at(-1);
  // That of a message which is still in the box stands below all turns.
  const help = [...area.querySelectorAll("[data-help]")].findLast((one) => !newest || newest.contains(one) || newest.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
  // Its first line says what to do now; it is longer than the view, or a reply comes below it.
  if (help) {
    // Below a question in passing the reply is seen to come, and read from its beginning.
    const reply = help.matches("[data-quiet]") && newest ? [...newest.querySelectorAll("[data-reply]")].findLast((one) => help.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING) : undefined;
    return Math.max(0, Math.min(end, Math.max(topOf(help) - 8, reply ? topOf(reply) - area.clientHeight * 0.4 : 0)));
  }
  const cards = area.querySelector("[data-cards]");
  return cards ? Math.max(0, Math.min(end, topOf(cards) - area.clientHeight / 2)) : end;
}

/** Scrolls with what arrives unless the person has scrolled up to read; who comes back to where they read is there again. */
function Turns({ place, area: box, order, follow, sent, scale, children }: {
  /** Its address. */
  place: string;
  area: RefObject<HTMLDivElement | null>;
  order: string[];
  follow: unknown;
  /** A message is on its way. */
  sent: boolean;
  /** How much larger than usual its readers read. */
  scale: number;
  children: React.ReactNode;
}) {
  const stick = useRef(true);
  const [away, setAway] = useState(false);
  const back = useRef(left(place));
  const turns = order.length;
  /** Where the view was put; any other place is one that the person went to. */
  const put = useRef(-1);
  const toEnd = useCallback(() => {
    const area = box.current;
    if (!area) return;
    const { top, parts } = back.current ?? { top: 0, parts: 0 };
    if (back.current === undefined || turns > parts) {
      back.current = undefined;
      area.scrollTop = endOf(area);
      put.current = area.scrollTop;
    } else if (turns === parts) area.scrollTop = top;
  }, [box, turns]);
  useEffect(() => {
    if (sent) back.current = undefined;
    stick.current = true;
    toEnd();
  }, [turns, sent, toEnd]);
  useEffect(() => {
    if (stick.current) toEnd();
  }, [follow, toEnd]);
  useEffect(() => {
    // What a turn shows also grows by itself, e.g. when an approval has been read.
    const inner = box.current?.firstElementChild;
    if (!inner) return;
    const watch = new ResizeObserver(() => stick.current && toEnd());
    watch.observe(inner);
    return () => watch.disconnect();
  }, [box, toEnd]);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div
        ref={box}
        tabIndex={0}
        role="region"
        aria-label={t("conversation.conversation")}
        onFocus={(event) => {
          // Who reads an approval must not be carried past its arguments to its buttons.
          if (event.target.closest("[data-approval]")) stick.current = false;
        }}
        onScroll={(event) => {
          const at = event.currentTarget.scrollTop;
          const end = endOf(event.currentTarget);
          // Help may have come above since: only a person who scrolls leaves what is followed, in either direction.
          if (Math.abs(at - put.current) > 1) stick.current = Math.abs(at - end) < 48;
          setAway(!stick.current && at < end);
          // At the end there is nothing to come back to: what arrives is read there.
          leave(place, stick.current ? null : at, turns);
        }}
        className="min-h-0 flex-1 overflow-auto p-pad"
      >
        <div className="mx-auto max-w-measure space-y-8 pb-4" style={scale === 1 ? undefined : { zoom: scale }}>{children}</div>
      </div>
      {/* Below what is read and never over it: an approval's bar ends there. */}
      {away && <Button small look="quiet" icon={ArrowDown} className="mr-5 self-end [@media(max-height:27rem)]:h-6 [@media(max-height:27rem)]:min-h-0" onClick={() => { back.current = undefined; stick.current = true; toEnd(); }}>{t("conversation.newest")}</Button>}
    </div>
  );
}

/** A session that the first message will make. What it is about is part of the address, so that the case banner shows it. */
export function NewSession({ subject }: { subject: Subject | null }) {
  const before = { agent: "", pattern: "" };
  const pending = usePending((state) => state.pending);
  const { list, agent, choice } = useAgent("", before);
  const start = useStart(agent, choice).data;
  const types = subjectTypes(agent);
  // Of those who take what the session is about the first one begins it, whoever answered last elsewhere; a person may choose another, before or then.
  const picked = useChoices(({ choices }) => choices[""]?.picked === true);
  const settled = useRef("");
  const about = subject && list.length > 0 ? `${subject.type}/${subject.id}` : "";
  const takes = (one: AgentInfo) => subject !== null && !one.error && subjectTypes(one).includes(subject.type);
  const fit = about === "" || (picked && agent && takes(agent)) ? undefined : list.find(takes)?.id;
  useEffect(() => {
    if (about === "" || settled.current === about) return;
    settled.current = about;
    if (fit) choose("", { agent: fit, pattern: "" });
  }, [about, fit]);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="min-h-0 flex-1 overflow-auto p-pad">
        {pending?.session === "" && <div className="mx-auto mb-6 max-w-measure"><OnItsWay pending={pending} /></div>}
        <div className="mx-auto max-w-measure space-y-4">
          <div>
            <h1 className="text-xl font-semibold">{t("conversation.newSession")}</h1>
            {!agent?.cards && <p className="text-ink-2">{t("conversation.chooseWhatItIsAboutThen")}</p>}
          </div>
          <div style={start && start.scale !== 1 ? { zoom: start.scale } : undefined}><FirstHelp session="" /></div>
          {agent?.cards ? <StartCard agent={agent} choice={choice} /> : <section>
            <h2 className="mb-1 text-sm font-medium">{types.length === 1 ? <span className="capitalize">{typeName(types[0]!)}</span> : t("conversation.subject")} {subject === null && <span className="font-normal text-ink-3">{t("conversation.noneChosen")}</span>}</h2>
            <SubjectPicker types={types} subject={subject} onPick={newSession} />
          </section>}
        </div>
      </div>
      <Composer session="" before={before} subject={subject} running={null} held={false} onSent={(session) => { setUi({ turn: null }); go("sessions", session); }} />
    </div>
  );
}
