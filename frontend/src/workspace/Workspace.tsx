import { MessagesSquare } from "lucide-react";
import { useEffect } from "react";
import { Group, Panel, Separator } from "react-resizable-panels";
import { forgetStart } from "@/conversation/agents";
import { Conversation, NewSession } from "@/conversation/Conversation";
import { Inspector } from "@/inspector/Inspector";
import { useJournal, useJournals } from "@/journal/store";
import { newSession } from "@/subject/newSession";
import { parseSubject } from "@/subject/subject";
import { SessionList } from "@/sessions/SessionList";
import { setUi, useUi } from "@/shell/ui";
import { Boundary } from "@/shell/Boundary";
import { useMedia } from "@/shell/media";
import { t } from "@/text/language";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Notice";

const bar = "w-px bg-line outline-offset-0 hover:bg-accent focus-visible:bg-accent data-[separator=active]:bg-accent";
const panes = () => [["sessions", t("workspace.sessions")], ["conversation", t("workspace.conversation")], ["inspector", t("workspace.inspector")]] as const;

/** Sessions, conversation and inspector side by side; on narrow windows one at a time. */
export function Workspace({ first, second }: { first: string; second: string }) {
  const session = first && first !== "new" ? first : null;
  // Whichever pane is shown, what happens is followed: on narrow windows the graph stands alone.
  useJournal(session);
  const picked = useUi((ui) => ui.turn);
  const pane = useUi((ui) => ui.pane);
  const newest = useJournals((state) => (session ? (state.views[session]?.turnOrder.at(-1) ?? null) : null));
  const wide = useMedia("(min-width: 68rem)");
  const medium = useMedia("(min-width: 44rem)");

  // A turn of another session must not stay chosen.
  const known = useJournals((state) => (session && picked ? Boolean(state.views[session]?.turns[picked]) : false));
  const turn = known ? picked : newest;
  useEffect(() => {
    if (second && first !== "new") setUi({ turn: second });
  }, [first, second]);
  // What was begun and left without a message is begun anew: whoever comes next may be somebody else.
  useEffect(() => (first === "new" ? forgetStart : undefined), [first]);
  useEffect(() => {
    if (first) setUi((ui) => (ui.pane === "sessions" ? { pane: "conversation" } : ui));
  }, [first]);

  const list = <SessionList chosen={first} />;
  const middle = (
    <Boundary key={first} what={t("workspace.thisConversation")}>
      {session ? (
        <Conversation session={session} />
      ) : first === "new" ? (
        <NewSession subject={parseSubject(second)} />
      ) : (
        <>
          <h1 className="sr-only">{t("workspace.sessions")}</h1>
          <Empty icon={MessagesSquare} title={t("workspace.chooseASessionOrStartOne")} action={<Button look="primary" onClick={() => newSession()}>{t("workspace.newSession")}</Button>}>
            {t("workspace.theAgentReadsRecordsAnswersAnd")}
          </Empty>
        </>
      )}
    </Boundary>
  );
  const inspector = <Boundary what={t("workspace.theInspector")}><Inspector session={session} turn={turn} /></Boundary>;

  const two = !wide && medium && pane !== "inspector";
  const shown: Pane = pane === "sessions" || pane === "inspector" ? pane : "conversation";
  const sees = (one: Pane) => wide || (two && one !== "inspector") || (!two && one === shown);
  const alone = !wide && !two;
  // One tree for all widths: whoever turns the phone or draws the window goes on where they were.
  return (
    <div className="flex h-full min-h-0 flex-col">
      {!wide && <PaneTabs pane={two ? "conversation" : shown} names={medium ? panes().slice(1) : panes()} />}
      <div className="min-h-0 flex-1">
        <Group orientation="horizontal" className="h-full">
          {sees("sessions") && <Panel key="sessions" id="sessions" {...(alone ? {} : wide ? { defaultSize: "19%", minSize: 210, maxSize: "32%" } : { defaultSize: "32%", minSize: 200 })}><aside className="h-full">{list}</aside></Panel>}
          {!alone && <Separator key="after sessions" className={bar} aria-label={t("workspace.widthOfTheSessions")} />}
          {sees("conversation") && <Panel key="conversation" id="conversation" {...(alone ? {} : { minSize: wide ? 380 : 320 })}>{middle}</Panel>}
          {wide && <Separator key="before inspector" className={bar} aria-label={t("workspace.widthOfTheInspector")} />}
          {sees("inspector") && <Panel key="inspector" id="inspector" {...(wide ? { defaultSize: "34%", minSize: 300, maxSize: "55%" } : {})}><aside aria-label={t("workspace.inspector")} className="h-full">{inspector}</aside></Panel>}
        </Group>
      </div>
    </div>
  );
}

type Pane = ReturnType<typeof panes>[number][0];

function PaneTabs({ pane, names }: { pane: Pane; names: readonly (readonly [Pane, string])[] }) {
  return (
    <div role="group" aria-label={t("workspace.panes")} className="frame flex shrink-0 flex-wrap border-b bg-surface">
      {names.map(([name, title]) => (
        <button
          key={name}
          type="button"
          aria-pressed={pane === name}
          onClick={() => setUi({ pane: name })}
          className={`flex-1 border-b-2 px-1 py-1.5 ${pane === name ? "border-accent font-medium" : "border-transparent text-ink-2 hover:bg-hover"}`}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
