import { CircleSlash, OctagonX, Play, RotateCcw, Trash2, TriangleAlert } from "lucide-react";
import { useRef, useState } from "react";
import type { Interrupted } from "@/api/types";
import { useManifest } from "@/graph/useManifest";
import { wordsOf } from "@/graph/words";
import { usedOf } from "@/inspector/Budget";
import type { TurnView } from "@/journal/view";
import { t } from "@/text/language";
import { problemText } from "@/text/problem";
import { withNames } from "@/text/names";
import { transport } from "@/transport";
import { visibleText } from "@/text/visible";
import { Button } from "@/ui/Button";
import { sayError } from "@/ui/toasts";
import { Limit } from "./Limit";

/**
 * What the turn did to records, as far as the journal proves it. Own records change in the same
 * transaction as the event that says so; an approved call without one may have run outside.
 */
export function effectsOf(turn: TurnView, unknown = 0): string {
  const open = Object.values(turn.approvals).filter((approval) => approval.status === "approved").length;
  const lost = turn.resumes.reduce((sum, resume) => sum + resume.unknown, 0);
  const parts: string[] = [];
  if (turn.refs.length) parts.push(t("conversation.alreadyWritten", { refs: turn.refs.map(visibleText).join(", ") }));
  if (unknown || lost) parts.push(t("conversation.theOutcomeOfACallIs"));
  else if (open) parts.push(t("conversation.aCallThatYouApprovedHas"));
  return parts.join(" ") || t("conversation.noRecordWasChanged");
}

/** A turn that did not end as it should: what happened, what is safe, what to do. */
export function Outcome({ session, turn, interrupted }: { session: string; turn: TurnView; interrupted: Interrupted | null }) {
  const [busy, setBusy] = useState(false);
  const words = wordsOf(useManifest(turn).manifest);
  // Why it did not work is no longer so once it is tried anew.
  const unsay = useRef(() => {});
  const run = (name: string) => {
    setBusy(true);
    unsay.current();
    transport().call(name, { turn: turn.id }).catch((error) => { unsay.current = sayError(error); }).finally(() => setBusy(false));
  };
  const resume = <Button small look="primary" icon={Play} disabled={busy} onClick={() => run("resume")}>{t("conversation.resume")}</Button>;
  const again = <Button small icon={RotateCcw} disabled={busy} onClick={() => run("regenerate")}>{t("conversation.askAgain")}</Button>;
  const retry = <Button small look="primary" icon={RotateCcw} disabled={busy} onClick={() => run("resume")}>{t("conversation.tryAgain")}</Button>;
  const give = <Button small look="quiet" icon={Trash2} disabled={busy} onClick={() => run("abandon")}>{t("conversation.abandon")}</Button>;
  const steps = t("conversation.finishedStepsAreKept", { kept: usedOf(turn).steps });
  const wrote = effectsOf(turn, interrupted?.unknown);

  const problem = problemText(turn.error);
  if (turn.status === "failed")
    return (
      <Box tone="failed" icon={OctagonX} title={turn.errorStage ? t("conversation.theStepFailed", { errorStage: words.stage(turn.errorStage) }) : t("conversation.theTurnFailed")} actions={<>{retry}{again}{give}</>}>
        <p className="wrap-anywhere">{withNames(visibleText(problem.message))}{problem.hint && ` ${problem.hint}`}</p>
        <p className="text-ink-2">{t("conversation.tryingAgainRunsOnlyWhatFailed", { steps, wrote })}</p>
      </Box>
    );
  if (turn.status === "limited") return <Limit session={session} turn={turn} kept={steps} wrote={wrote} />;
  const partial = Object.values(turn.messages).some(({ state, text }) => state === "partial" && text !== "");
  if (turn.status === "cancelled")
    return (
      <Box tone="plain" icon={CircleSlash} title={t("conversation.youStoppedThisTurn")} actions={again}>
        <p className="text-ink-2">{partial ? t("conversation.aPartialAnswerAboveStaysIn", { wrote }) : wrote}</p>
      </Box>
    );
  if (turn.status === "abandoned")
    return <Box tone="plain" icon={CircleSlash} title={t("conversation.thisTurnWasAbandoned")} actions={again}><p className="text-ink-2">{wrote}</p></Box>;
  const asked = Object.values(turn.questions).some(({ status }) => status === "open");
  if (turn.status === "paused" && !asked && Object.values(turn.approvals).some(({ status }) => status === "void") && Object.values(turn.approvals).every(({ status }) => status !== "pending" && status !== "modified"))
    return (
      <Box tone="plain" icon={TriangleAlert} title={t("conversation.heldAndWhatWasAskedIs")} actions={<>{resume}{give}</>}>
        <p className="text-ink-2">{t("conversation.resumeGoesOnWithoutThatCall", { wrote })}</p>
      </Box>
    );
  if (turn.status === "paused" && !asked && Object.values(turn.approvals).every((approval) => approval.status !== "pending" && approval.status !== "modified"))
    return (
      <Box tone="plain" icon={TriangleAlert} title={t("conversation.heldWithAllVerdictsAndAnswers")} actions={<>{resume}{give}</>}>
        <p className="text-ink-2">{t("conversation.itContinuesByItselfInA")}</p>
      </Box>
    );
  if (turn.status === "running" && interrupted)
    return (
      <Box tone="degraded" icon={TriangleAlert} title={t("conversation.interrupted")} actions={<>{resume}{give}</>}>
        <p className="text-ink-2">{t("conversation.holdpointStoppedWhileThisTurnWas", { steps, wrote })}</p>
      </Box>
    );
  return null;
}

function Box({ tone, icon: Icon, title, children, actions }: {
  tone: "failed" | "degraded" | "plain";
  icon: typeof OctagonX;
  title: string;
  children: React.ReactNode;
  actions: React.ReactNode;
}) {
  const look = { failed: "border-failed bg-failed-soft", degraded: "border-degraded bg-degraded-soft", plain: "border-line-strong bg-sunken" }[tone];
  const mark = { failed: "text-failed", degraded: "text-degraded", plain: "text-ink-3" }[tone];
  return (
    <section role={tone === "failed" ? "alert" : undefined} className={`flex gap-3 rounded-md border p-3 ${look}`}>
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${mark}`} />
      <div className="min-w-0 flex-1 space-y-1">
        <h3 className="font-semibold">{title}</h3>
        {children}
        <div className="flex flex-wrap gap-2 pt-1">{actions}</div>
      </div>
    </section>
  );
}
