import { Bot, Copy, Cpu, Database, Fingerprint, PauseCircle, Pencil, RotateCcw, TriangleAlert, User, Workflow } from "lucide-react";
import { memo, type ReactNode, useState } from "react";
import type { AgentInfo, Interrupted } from "@/api/types";
import { useRead } from "@/api/query";
import { called } from "@/journal/called";
import { workOf } from "@/journal/work";
import type { MessageView, ToolView, TurnView } from "@/journal/view";
import { useBlob } from "@/api/blob";
import { ApprovalCard, whoWasQuicker } from "@/approvals/ApprovalCard";
import { Begun } from "@/approvals/Begun";
import { Answered, QuestionCard } from "@/approvals/QuestionCard";
import { href } from "@/shell/route";
import { setUi } from "@/shell/ui";
import { toldFailure } from "@/text/failure";
import { duration } from "@/text/format";
import { visibleText } from "@/text/visible";
import { transport } from "@/transport";
import { Chip } from "@/ui/Chip";
import { Button } from "@/ui/Button";
import { StateBadge } from "@/ui/State";
import { Time } from "@/ui/Time";
import { copyText } from "@/ui/clipboard";
import { say, sayError } from "@/ui/toasts";
import { Context } from "./Context";
import { Remembered } from "@/memory/Remembered";
import { AsideHelp, CheckIn, SafetyIntervention } from "./Crisis";
import { Outcome } from "./Outcome";
import { Progress } from "./Progress";
import { withMoments } from "@/text/zone";
import { useManifest } from "@/graph/useManifest";
import { wordsOf } from "@/graph/words";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { plain, toolTitle, withNames } from "@/text/names";
import { Decided } from "@/approvals/Decided";
import { CallDetails, ToolCards } from "./ToolCard";
import { EditWhole, Reply, Said } from "./Whole";

/** One message and what came of it, in the order in which it happened. */
export const Turn = memo(function Turn({ session, turn, interrupted, newest, chosen }: {
  session: string;
  turn: TurnView;
  /** Set when the process stopped while it was under way. */
  interrupted: Interrupted | null;
  newest: boolean;
  /** The inspector shows it. */
  chosen: boolean;
}) {
  const [editing, setEditing] = useState(false);
  const tools = turn.toolOrder.map((key) => turn.tools[key]!);
  const pipeline = tools.filter((tool) => tool.phase > 0);
  const hijacked = turn.safety?.hijack === true;
  const heldCalls = new Set(Object.values(turn.approvals).filter((approval) => approval.status === "pending" || approval.status === "modified").map((approval) => approval.call));
  const firstPending = turn.approvalOrder.find((id) => turn.approvals[id]!.status === "pending" || turn.approvals[id]!.status === "modified");
  const firstQuestion = Object.values(turn.questions).find(({ status }) => status === "open")?.id;
  // The reply of the turn is its last word; a message that it continues is not shown twice.
  const final = turn.status === "completed" ? turn.reply : "";
  const repeated = new Set(turn.messageOrder.filter((id) => final !== "" && final.trimStart().startsWith(turn.messages[id]!.text.trim())));
  // Help does not wait for the end of the turn.
  const help = turn.messageOrder.map((id) => turn.messages[id]!).find(({ id, template }) => template === "intervention" && !turn.asides[id]) ?? (final ? { text: final, whole: turn.replyWhole } : null);
  const first = hijacked ? undefined : turn.messageOrder.find((id) => !repeated.has(id) && !turn.asides[id] && turn.messages[id]!.text !== "" && turn.messages[id]!.template !== "check_in");
  const writer = turn.messageOrder.map((id) => turn.messages[id]!).findLast((message) => message.model);

  return (
    <article aria-label={t("conversation.turn", { input: turn.input.slice(0, 60) })} data-turn={turn.id} className={`space-y-3 border-l-2 pl-4 ${chosen ? "border-accent" : "border-transparent"}`}>
      <header className="space-y-1">
        <div className="flex flex-wrap items-center gap-x-2 text-xs text-ink-3">
          <User aria-hidden className="size-3.5" /><h2 className="font-semibold text-ink-2">{t("conversation.you")}</h2><Time at={turn.startedAt} />
          {turn.practice && <span className="rounded-sm bg-reused-soft px-1 font-semibold text-reused">{t("conversation.practice")}</span>}
          {turn.caller && <span className="min-w-0 truncate">{t("conversation.forCaller", { caller: visibleText(turn.caller) })}</span>}
          <span className="flex-1" />
          {turn.input && (
            <button type="button" onClick={() => setEditing(true)} className="inline-flex items-center gap-1 rounded-sm px-1 hover:bg-hover hover:text-ink">
              <Pencil aria-hidden className="size-3.5" />{t("conversation.edit")}
            </button>
          )}
          <button type="button" onClick={() => setUi({ turn: turn.id, stage: null, seq: null, pane: "inspector" })} className="inline-flex items-center gap-1 rounded-sm px-1 hover:bg-hover hover:text-ink">
            <Workflow aria-hidden className="size-3.5" />{t("conversation.inspect")}
          </button>
        </div>
        {editing === false ? <Said session={session} turn={turn} /> : <EditWhole session={session} turn={turn} onClose={() => setEditing(false)} />}
      </header>

      <Context tools={pipeline} />
      <Remembered used={turn.modelCalls.flatMap(({ memories }) => memories)} />

      {shownItems(turn).map((item) => {
        if (item.kind === "tools") return <ToolCards key={`t${item.tools[0]!.key}`} tools={item.tools} held={heldCalls} />;
        if (item.kind === "approval") {
          const approval = turn.approvals[item.id]!;
          const { status } = approval;
          const open = status === "pending" || status === "modified";
          return open ? (
            <ApprovalCard key={`a${item.id}`} id={item.id} focus={newest && item.id === firstPending} />
          ) : (
            <div key={`a${item.id}`} className="space-y-1">
            <p className="flex flex-wrap items-center gap-2 text-sm">
              <StateBadge name={status} />
              {approval.usedAt && <Time at={approval.usedAt} className="text-ink-2" />}
              <span className="wrap-anywhere">{approval.changed !== "untold" && approval.title ? told(visibleText(approval.title)) : visibleText(toolTitle(approval.tool))}</span>
              {approval.changed && <span className="text-ink-2">{t("conversation.withChangedDetails")}</span>}
              <Decided rejected={status === "rejected"} reviewer={approval.reviewer} identity={approval.identity} at={approval.decidedAt} />
              {(status === "refused" || status === "void") && <span className="text-ink-2 wrap-anywhere">{approval.decidedAt && `${t("conversation.thenNotCarriedOut")} `}{withMoments(toldFailure(visibleText(approval.refusal)))}</span>}
              {approval.reason && <span className="text-ink-2 wrap-anywhere">{t("text.quoted", { text: visibleText(approval.reason) })}</span>}
            </p>
            <Begun id={item.id} why={whoWasQuicker(approval.decidedAt && approval.reviewer, approval.identity, status === "rejected")} />
            {tools.filter((tool) => approval.call !== "" && tool.call === approval.call && decidedOn(turn, tool)).map((tool) => <CallDetails key={tool.key} tool={tool} />)}
            </div>
          );
        }
        if (item.kind === "question") {
          const question = turn.questions[item.id]!;
          if (question.status === "answered") return <div key={`q${item.id}`} className="space-y-1"><Answered prompt={question.prompt} answer={question.answer} /><Begun id={item.id} why={t("approvals.answeredMeanwhile")} /></div>;
          return question.status === "open" && turn.status === "paused" ? (
            <QuestionCard key={`q${item.id}`} session={session} turn={turn.id} pause={item.id} focus={newest && !firstPending && item.id === firstQuestion} />
          ) : null;
        }
        if (item.kind === "resumed") {
          const resume = turn.resumes[Number(item.id)];
          return (
            <p key={`r${item.id}`} className="flex items-center gap-1.5 text-xs text-ink-3">
              <RotateCcw aria-hidden className="size-3.5" />{t("conversation.wentOn")} <Time at={resume?.at ?? turn.updatedAt} />
              {resume?.answered ? t("conversation.whereItHadStoppedToWait") : resume && resume.kept.length > 0 && t("conversation.keptRunAgain", { kept: resume.kept.length, rerun: resume.rerun.length })}
            </p>
          );
        }
        const message = turn.messages[item.id]!;
        if (turn.asides[item.id]) return null;
        if (message.template === "check_in") return hijacked ? null : <CheckIn key={`m${item.id}`} session={session} safety={turn.safety} text={message.text} whole={message.whole} />;
        if (repeated.has(item.id) || hijacked || !message.text) return null;
        return (
          <div key={`m${item.id}`} data-reply className="space-y-1">
            {item.id === first && <Author turn={turn} at={message.startedAt} />}
            <Message message={message} cut={interrupted !== null} doubted={turn.status !== "completed"} />
          </div>
        );
      })}

      {hijacked && help ? <SafetyIntervention session={session} safety={turn.safety!} turn={turn}><Reply text={help.text} whole={help.whole} /></SafetyIntervention> : final && (
        <div data-reply className="space-y-1">
          {first === undefined && <Author turn={turn} at={turn.endedAt ?? turn.updatedAt} />}
          <Reply text={final} whole={turn.replyWhole} />
        </div>
      )}
      {Object.entries(turn.asides).map(([id, found]) => turn.messages[id] && <AsideHelp key={`h${id}`} session={session} safety={found} text={turn.messages[id].text} whole={turn.messages[id].whole} />)}
      {turn.status === "running" && !interrupted && <Progress turn={turn} />}
      <Outcome session={session} turn={turn} interrupted={interrupted} />
      {turn.status === "completed" && turn.board && <OnTheBoard turn={turn} />}
      {turn.status === "completed" && <Provenance turn={turn} writer={writer} tools={tools} newest={newest} />}
    </article>
  );
});

/** Who says what follows. */
function Author({ turn, at }: { turn: TurnView; at: string }) {
  const agents = useRead<AgentInfo[] | null>(turn.agent ? "/api/agents" : null, { staleTime: 60_000 }).data ?? [];
  const agent = agents.find(({ id }) => id === turn.agent);
  const pattern = agent?.patterns?.find(({ id }) => id === turn.vars.pattern);
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-xs text-ink-3">
      <Bot aria-hidden className="size-3.5" />
      <span className="font-semibold text-ink-2">{told(visibleText(agent?.title || plain(turn.agent))) || t("conversation.theAgent")}{pattern && `, ${told(visibleText(pattern.title))}`}</span>
      <Time at={at} />
    </p>
  );
}

/** doubted: what a very small model writes says so here, as no footer does yet. */
function Message({ message, cut, doubted }: { message: MessageView; cut: boolean; doubted: boolean }) {
  if (!message.text) return null;
  const streaming = message.state === "streaming" && !cut;
  return (
    <div aria-busy={streaming}>
      {message.holes && <p className="text-xs text-ink-3">{t("conversation.theBeginningWillBeShownWhen")}</p>}
      <Reply text={message.text} whole={message.whole} />
      {doubted && message.weak && <Doubt>{t("conversation.verySmallModel")}</Doubt>}
      {!streaming && message.state !== "done" && (
        <p className="mt-1 flex items-center gap-1 text-sm font-medium text-degraded">
          <PauseCircle aria-hidden className="size-4" />{t("conversation.partialAnswerTheReplyWasCut")}
        </p>
      )}
    </div>
  );
}

const decidedOn = (turn: TurnView, { call }: ToolView) => call !== "" && Object.values(turn.approvals).some((approval) => approval.call === call && ["used", "refused", "rejected"].includes(approval.status));

/** Items in their order; calls that follow each other are one, so that equal ones can be folded. */
function shownItems(turn: TurnView): (Exclude<TurnView["items"][number], { kind: "tool" }> | { kind: "tools"; id: string; tools: ToolView[] })[] {
  const shown: ReturnType<typeof shownItems> = [];
  for (const item of turn.items) {
    if (item.kind !== "tool") {
      shown.push(item as (typeof shown)[number]);
      continue;
    }
    const tool = turn.tools[item.id]!;
    // A call that somebody decided on stands with the verdict: shown again, it would look like a second one.
    if (tool.phase > 0 || !tool.tool || decidedOn(turn, tool)) continue;
    const last = shown.at(-1);
    if (last?.kind === "tools") last.tools.push(tool);
    else shown.push({ kind: "tools", id: item.id, tools: [tool] });
  }
  return shown;
}

/** The reply as it was written, all of it. */
function CopyReply({ turn }: { turn: TurnView }) {
  const { data } = useBlob(turn.replyWhole);
  const copy = () => {
    copyText(data ?? turn.reply).then(() => say(t("conversation.theReplyWasCopied")), sayError);
  };
  return <Button look="quiet" small icon={Copy} disabled={turn.replyWhole !== null && data === undefined} onClick={copy}>{t("conversation.copy")}</Button>;
}

/** Why a reply may be less than it seems. */
function Doubt({ children }: { children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1 rounded-sm bg-degraded-soft px-1.5 text-xs text-degraded">
      <TriangleAlert aria-hidden className="size-3 shrink-0" /><span className="wrap-anywhere">{children}</span>
    </span>
  );
}

/** The way from a report to its board, and whether that was decided on since: the report stays as it was written. */
function OnTheBoard({ turn: { id, decidedSince } }: { turn: TurnView }) {
  return (
    <p className="text-sm">
      {decidedSince && <><TriangleAlert aria-hidden className="mr-1 inline size-3.5 text-degraded" />{t("conversation.decidedSince", { who: visibleText(decidedSince.who) })} <Time at={decidedSince.at} className="text-ink-3" />{" "}</>}
      <a href={href("board", id)} className="text-accent underline underline-offset-2">{decidedSince ? t("conversation.theBoardAndItsReport") : t("conversation.theBoard")}</a>
    </p>
  );
}

function Provenance({ turn, writer, tools, newest }: { turn: TurnView; writer: MessageView | undefined; tools: ToolView[]; newest: boolean }) {
  const used = called(tools);
  const usedNames = used.map(({ tool, times }) => toolTitle(tool) + (times > 1 ? ` ×${times}` : "")).join(", ");
  // A part that the reply lacked is named by itself, not by the stage that gathers.
  const lacking = writer?.degraded ?? [];
  const degraded = Object.values(turn.stages).filter((stage) => stage.state === "degraded" && (lacking.length === 0 || stage.id === turn.safety?.stage));
  const warnings = Object.values(turn.stages).flatMap((stage) => stage.notes.filter(({ kind, status }) => kind === "warning" && status === "").map(({ seq, text }) => ({ seq, stage: stage.id, text })));
  const { work: ms, waited } = workOf(turn);
  const model = writer?.model || turn.model;
  const words = wordsOf(useManifest(turn).manifest);
  const own = writer?.template === "no_words"; // no model wrote it
  return (
    <footer className="flex flex-wrap items-center gap-1.5">
      {turn.safety?.hijack ? (
        <Chip icon={Fingerprint}>{t("conversation.fixedSafetyText")}</Chip>
      ) : own ? (
        <Chip icon={Database}>{t("conversation.ownText")}</Chip>
      ) : (
        model && <Chip icon={Cpu} mono title={writer?.digest ? `${model} ${writer.digest}` : model}>{turn.practice ? told(visibleText(model)) : visibleText(model)}{writer?.digest && ` ${writer.digest.replace(/^sha256:/, "").slice(0, 12)}`}</Chip>
      )}
      {writer?.weak && !own && !turn.safety?.hijack && <Doubt>{t("conversation.verySmallModel")}</Doubt>}
      {used.length > 0 && <Chip icon={Database} title={usedNames}>{t("conversation.sources", { count: used.length, tools: usedNames })}</Chip>}
      {degraded.map((stage) => (
        <Doubt key={stage.id}>{t("conversation.degraded", { id: words.stage(stage.id) })}{stage.reason && `, ${withNames(visibleText(stage.reason))}`}</Doubt>
      ))}
      {lacking.filter(({ again }) => !again).map(({ tool, reason, absent }) =>
        absent ? (
          <Chip key={`${tool} ${reason}`}>{t("text.named", { name: toolTitle(tool), what: told(visibleText(reason)) })}</Chip>
        ) : (
          <Doubt key={`${tool} ${reason}`}>{t("conversation.degraded2", { tool: toolTitle(tool), reason: told(visibleText(reason)) })}</Doubt>
        ),
      )}
      {warnings.map(({ seq, stage, text }) => (
        <Doubt key={seq}>{t("conversation.warning", { stage: words.stage(stage), text: toldFailure(visibleText(text)) })}</Doubt>
      ))}
      {ms > 0 && <Chip title={waited > 0 ? t("conversation.timeAtWorkOfWaitingAre", { waited: duration(waited) }) : t("conversation.fromTheMessageToTheEnd")}>{duration(ms)}{waited > 0 && t("conversation.atWork")}</Chip>}
      {turn.reply && <CopyReply turn={turn} />}
      {newest && !turn.safety?.hijack && (
        <Button look="quiet" small icon={RotateCcw} onClick={() => transport().call("regenerate", { turn: turn.id }).catch(sayError)}>{t("conversation.regenerate")}</Button>
      )}
    </footer>
  );
}
