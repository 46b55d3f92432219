import { ArrowDown, FileDown, MessageSquare } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { AppState, Session } from "@/api/types";
import { useRead } from "@/api/query";
import { useJournal, useJournals } from "@/journal/store";
import { go } from "@/shell/route";
import { setUi, useUi } from "@/shell/ui";
import { visibleText } from "@/text/visible";
import { Button, IconButton } from "@/ui/Button";
import { Empty, ErrorNote, Loading } from "@/ui/Notice";
import { State } from "@/ui/State";
import { useAgent } from "./AgentPicker";
import { Composer } from "./Composer";
import { Turn } from "./Turn";
import { newSession } from "@/subject/newSession";
import { SubjectPicker } from "@/subject/SubjectPicker";
import { subjectTypes, typeName, type Subject } from "@/subject/subject";

/** One session: its turns from the journal and the composer. */
export function Conversation({ session }: { session: string }) {
  const view = useJournal(session);
  const link = useJournals((state) => state.links[session]);
  const row = useRead<Session>(`/api/sessions/${encodeURIComponent(session)}`);
  const state = useRead<AppState>("/api/state");
  const chosen = useUi((ui) => ui.turn);
  const interrupted = useMemo(() => new Map((state.data?.interrupted ?? []).map((entry) => [entry.turn, entry])), [state.data]);
  const newest = view?.turnOrder.at(-1) ?? null;
  const last = newest ? view!.turns[newest]! : null;
  const running = last?.status === "running" && !interrupted.has(last.id) ? last.id : null;

  if (row.error) return <div className="p-pad"><ErrorNote error={row.error} title="This session could not be read." retry={() => void row.refetch()} /></div>;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 items-center gap-2 border-b bg-surface px-pad py-1.5">
        <h1 className="min-w-0 flex-1 truncate font-semibold">{visibleText(row.data?.title || "Session")}</h1>
        {link === "lost" && <State name="interrupted" word="Connection lost; trying again" />}
        <IconButton icon={FileDown} label="Export this session" keys="Ctrl Shift E" small onClick={() => setUi({ exporting: session })} />
      </div>
      <Turns key={session} order={view?.turnOrder ?? []} follow={view}>
        {view && view.turnOrder.length === 0 && (link === "live" && row.data?.turns === 0 ? <Empty icon={MessageSquare} title="Nothing was said yet">Write the first message below.</Empty> : <Loading what="Reading the journal…" />)}
        {view?.turnOrder.map((id) => (
          <Turn key={id} session={session} turn={view.turns[id]!} interrupted={interrupted.get(id) ?? null} newest={id === newest} chosen={chosen === id && id !== newest} />
        ))}
      </Turns>
      <Composer session={session} before={{ agent: last?.agent || row.data?.agent || "", pattern: last?.vars.pattern ?? "" }} subject={null} running={running} held={last?.status === "paused"} onSent={() => setUi({ turn: null })} />
    </div>
  );
}

/** Scrolls with what arrives unless the person has scrolled up to read. */
function Turns({ order, follow, children }: { order: string[]; follow: unknown; children: React.ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const stick = useRef(true);
  const [away, setAway] = useState(false);
  const toEnd = useCallback(() => {
    const area = box.current;
    if (area) area.scrollTop = area.scrollHeight;
  }, []);
  useEffect(() => {
    stick.current = true;
    toEnd();
  }, [order.length, toEnd]);
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
  }, [toEnd]);
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={box}
        tabIndex={0}
        role="region"
        aria-label="Conversation"
        onFocus={(event) => {
          // Who reads an approval must not be carried past its arguments to its buttons.
          if (event.target.closest("[data-approval]")) stick.current = false;
        }}
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          stick.current = scrollHeight - scrollTop - clientHeight < 48;
          setAway(!stick.current);
        }}
        className="h-full overflow-auto p-pad"
      >
        <div className="mx-auto max-w-measure space-y-8 pb-4">{children}</div>
      </div>
      {away && <Button small icon={ArrowDown} className="absolute right-5 bottom-3" onClick={() => { stick.current = true; toEnd(); }}>Newest</Button>}
    </div>
  );
}

/** A session that the first message will make. What it is about is part of the address, so that the case banner shows it. */
export function NewSession({ subject }: { subject: Subject | null }) {
  const before = { agent: "", pattern: "" };
  const types = subjectTypes(useAgent("", before).agent);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="min-h-0 flex-1 overflow-auto p-pad">
        <div className="mx-auto max-w-measure space-y-4">
          <div>
            <h1 className="text-xl font-semibold">New session</h1>
            <p className="text-ink-2">Choose what it is about, then write the first message. Nothing is changed in a record before you approve it.</p>
          </div>
          <section>
            <h2 className="mb-1 text-sm font-medium">{types.length === 1 ? <span className="capitalize">{typeName(types[0]!)}</span> : "Subject"} {subject === null && <span className="font-normal text-ink-3">(none chosen)</span>}</h2>
            <SubjectPicker types={types} subject={subject} onPick={newSession} />
          </section>
        </div>
      </div>
      <Composer session="" before={before} subject={subject} running={null} held={false} onSent={(session) => { setUi({ turn: null }); go("sessions", session); }} />
    </div>
  );
}
