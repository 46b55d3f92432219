import { MessageCircleQuestion, X } from "lucide-react";
import { useCallback, useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { queryClient, useRead } from "@/api/query";
import type { Json, QuestionData, TurnRow } from "@/api/types";
import type { Found } from "@/conversation/danger";
import { Unsent } from "@/conversation/Unsent";
import { t } from "@/text/language";
import { plain } from "@/text/names";
import { told } from "@/text/told";
import { visibleText } from "@/text/visible";
import { transport } from "@/transport";
import { Button, IconButton } from "@/ui/Button";
import { Field, TextField } from "@/ui/Field";
import { ErrorNote, Loading } from "@/ui/Notice";
import { say } from "@/ui/toasts";
import { State } from "@/ui/State";
import { toTop } from "./ApprovalCard";
import { Arguments } from "./Arguments";
import { argumentsOf } from "./arguments";
import { Begun } from "./Begun";
import { keepBegun } from "./begun";
import { expectedOf, misfit } from "./expected";
import { TextWarnings, VisibleText } from "./VisibleText";

/** What a turn asks a person, in place. Closing it answers nothing; the turn waits on. */
export function QuestionCard({ session, turn, pause, focus = false, onClose, onHelp }: {
  session: string;
  turn: string;
  pause: string;
  /** Moves the focus to the question once it is shown. */
  focus?: boolean;
  onClose?: () => void;
  /** Takes the help for an answer that speaks of danger, where no journal shows it. */
  onHelp?: (found: Found) => void;
}) {
  const read = useRead<TurnRow[] | null>(`/api/sessions/${encodeURIComponent(session)}/turns`, { staleTime: 0, refetchOnMount: "always" });
  const found = read.data?.find((row) => row.turn === turn)?.questions?.find(({ id }) => id === pause);
  if (found) return <Card key={pause} turn={turn} pause={pause} stage={found.stage} asked={found.data ?? {}} focus={focus} onClose={onClose} onHelp={onHelp} />;
  if (read.error) return <ErrorNote error={read.error} title={t("approvals.theQuestionCouldNotBeRead")} retry={() => void read.refetch()} />;
  if (read.isFetching) return <Loading what={t("approvals.readingTheQuestion")} />;
  return <div className="space-y-1"><p className="text-sm text-ink-2">{t("approvals.thisQuestionIsNoLongerAsked")}</p><Begun id={pause} why={t("approvals.answeredMeanwhile")} /></div>;
}

function Card({ turn, pause, stage, asked, focus, onClose, onHelp }: { turn: string; pause: string; stage: string; asked: QuestionData; focus: boolean; onClose?: () => void; onHelp?: (found: Found) => void }) {
  const title = useId();
  const area = useRef<HTMLDivElement>(null);
  const reasonBox = useRef<HTMLTextAreaElement>(null);
  const answerBox = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const [answer, setAnswer] = useState("");
  const [choice, setChoice] = useState("");
  const [rejecting, setRejecting] = useState(false);
  const [problem, setProblem] = useState("");
  const [failure, setFailure] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const choices = asked.choices ?? [];
  const expected = choices.length === 0 ? expectedOf(asked.schema) : null;
  const verdict = choices.includes("approve") && choices.includes("reject");
  const prompt = told(asked.prompt ?? "") || t("approvals.thisStageWaitsForAnAnswer");

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the card appears
  useEffect(() => {
    if (!focus) return;
    area.current?.focus({ preventScroll: true });
    toTop(area.current?.closest("[data-approval]") ?? null);
  }, []);
  useEffect(() => {
    if (rejecting) reasonBox.current?.focus();
  }, [rejecting]);

  const sent = useRef(false);
  const label = t(verdict ? "approvals.reasonForRejecting" : "approvals.yourAnswer");
  const keep = useCallback(() => keepBegun(pause, "", answer.trim() ? [{ label, text: answer }] : []), [pause, answer, label]);
  useEffect(() => {
    if (!sent.current) keep();
  }, [keep]);

  const give = async (value: Json, said: string) => {
    if (busy) return;
    sent.current = true;
    keepBegun(pause, "", []);
    setBusy(true);
    setProblem("");
    setFailure(null);
    try {
      const out = await transport().call<{ help?: Found | null } | null>("answer", { turn, pause, answer: value });
      if (out?.help) onHelp?.(out.help);
      say(said);
      for (const part of ["approvals", "state", "sessions"]) void queryClient.invalidateQueries({ queryKey: ["api", part] });
    } catch (error) {
      // What was written stays.
      sent.current = false;
      keep();
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const approve = () => void give({ approved: true }, t("approvals.approvedTheTurnGoesOn"));
  const reject = () => {
    if (!answer.trim()) {
      setProblem(t("approvals.sayWhyTheReasonIsKept2"));
      reasonBox.current?.focus();
      return;
    }
    void give({ approved: false, comment: answer.trim() }, t("approvals.rejectedTheStepDoesNotRun"));
  };
  const send = () => {
    const value = choices.length ? choice : answer.trim();
    if (!value) {
      setProblem(choices.length ? t("approvals.chooseOneOfTheAnswers") : t("approvals.writeAnAnswerOrLeaveThe"));
      return;
    }
    const wrong = expected ? misfit(expected, value) : "";
    if (wrong) {
      setProblem(wrong);
      answerBox.current?.focus();
      return;
    }
    void give({ answer: value }, t("approvals.answeredTheTurnGoesOn"));
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented) return;
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    const command = event.ctrlKey || event.metaKey;
    if (command && event.key === "Enter") {
      event.preventDefault();
      event.stopPropagation();
      if (!verdict) send();
      else if (rejecting) reject();
      else approve();
    } else if (verdict && !typing && !command && !event.altKey && event.key.toLowerCase() === "r") {
      event.preventDefault();
      setRejecting(true);
    } else if (event.key === "Escape" && rejecting) {
      event.preventDefault();
      event.stopPropagation();
      setRejecting(false);
      setProblem("");
      area.current?.focus();
    }
  };

  const inputs = asked.inputs && Object.keys(asked.inputs).length > 0 ? asked.inputs : null;
  return (
    <section aria-labelledby={title} data-approval={pause} onKeyDown={onKeyDown} className="rounded-md border border-held-line bg-surface">
      <header className="flex items-start gap-2 rounded-t-md border-b border-held-line bg-held-soft px-pad py-2">
        <MessageCircleQuestion aria-hidden className="mt-0.5 size-5 shrink-0 text-held" />
        <div className="min-w-0 flex-1">
          <h3 id={title} className="font-semibold wrap-anywhere">
            {verdict ? t("approvals.mayThisStepRun") : t("approvals.aQuestionForYou")}
          </h3>
          <p className="flex flex-wrap items-center gap-x-3 text-xs text-ink-2">
            <State name="paused" word={verdict ? t("approvals.needsApproval") : t("approvals.needsAnAnswer")} />
            <span>{t("approvals.askedByTheStep")}<VisibleText text={plain(stage.split("/").pop() ?? stage)} />”</span>
          </p>
        </div>
        {onClose && <IconButton icon={X} label={t("approvals.closeAnswersNothing")} small onClick={onClose} />}
      </header>
      <div className="space-y-3 p-pad">
        <TextWarnings texts={[asked.prompt ?? "", ...choices]} />
        <div ref={area} tabIndex={0} role="group" aria-label={t("approvals.question")} className="max-h-96 overflow-auto rounded-md border border-line-strong bg-sunken p-2 whitespace-pre-wrap wrap-anywhere">
          <VisibleText prose={prompt !== asked.prompt} text={prompt} />
        </div>
        {inputs && <Arguments args={argumentsOf(inputs as Json)} raw={inputs as Json} label={t("approvals.whatTheStepWouldRead")} />}
        {failure !== null && <Unsent error={failure} title={t("approvals.theAnswerWasNotTaken")} numbers={[]} to="" />}
        {verdict ? (
          rejecting && (
            <TextField ref={reasonBox} label={t("approvals.reasonForRejecting")} rows={2} value={answer} onChange={(event) => setAnswer(event.target.value)} problem={problem} hint={t("approvals.theTurnReadsItAndGoes")} />
          )
        ) : choices.length > 0 ? (
          <fieldset>
            <legend className="mb-1 text-sm font-medium">{t("approvals.yourAnswer")}</legend>
            <div className="space-y-1">
              {choices.map((one) => (
                <label key={one} className={`flex items-start gap-2 rounded-md border px-3 py-1.5 ${choice === one ? "border-accent bg-accent-soft" : "border-line"}`}>
                  <input type="radio" name={`answer-${pause}`} checked={choice === one} onChange={() => { setChoice(one); setProblem(""); }} className="mt-0.5 size-4 accent-(--accent)" />
                  <span className="min-w-0 wrap-anywhere"><VisibleText text={one} /></span>
                </label>
              ))}
            </div>
            {problem && <p role="alert" className="mt-1 text-xs text-failed">{problem}</p>}
          </fieldset>
        ) : expected && (expected.field.kind === "number" || expected.field.kind === "integer") ? (
          <Field
            ref={answerBox} label={t("approvals.yourAnswer")} inputMode={expected.field.kind === "integer" && (expected.field.min ?? -1) >= 0 ? "numeric" : "text"} autoComplete="off"
            value={answer} onChange={(event) => { setAnswer(event.target.value); setProblem(""); }} problem={problem && t("approvals.askedFor", { problem, words: visibleText(expected.words) })} hint={visibleText(expected.words)} className="max-w-64"
          />
        ) : (
          <TextField
            ref={answerBox} label={t("approvals.yourAnswer")} rows={3} mono={Boolean(expected?.opens)} value={answer} onChange={(event) => setAnswer(event.target.value)}
            problem={problem} hint={expected ? visibleText(expected.words) : undefined}
          />
        )}
        <div className="flex flex-wrap gap-2">
          {!verdict && <Button look="primary" keys="Ctrl Enter" disabled={busy} onClick={send}>{t("approvals.answer")}</Button>}
          {verdict && !rejecting && <Button look="primary" keys="Ctrl Enter" disabled={busy} onClick={approve}>{t("approvals.approve")}</Button>}
          {verdict && !rejecting && <Button keys="R" disabled={busy} onClick={() => setRejecting(true)}>{t("approvals.reject")}</Button>}
          {rejecting && <Button look="danger" keys="Ctrl Enter" disabled={busy} onClick={reject}>{t("approvals.reject2")}</Button>}
          {rejecting && <Button look="quiet" keys="Esc" onClick={() => { setRejecting(false); setProblem(""); }}>{t("approvals.back")}</Button>}
        </div>
      </div>
    </section>
  );
}

/** What was asked and answered, in one line each. */
export function Answered({ prompt, answer }: { prompt: string; answer: Json }) {
  const said = answer !== null && typeof answer === "object" && !Array.isArray(answer) ? answer : { answer };
  const word = said.approved === true ? t("approvals.approved") : said.approved === false ? t("approvals.rejected") : typeof said.answer === "string" ? said.answer : JSON.stringify(answer);
  return (
    <p className="flex flex-wrap items-baseline gap-x-2 text-sm">
      <State name={said.approved === false ? "rejected" : "approved"} word={said.approved === undefined ? t("approvals.answered") : word} />
      {prompt && <span className="min-w-0 whitespace-pre-line text-ink-2 wrap-anywhere"><VisibleText prose={told(prompt) !== prompt} text={told(prompt)} /></span>}
      {said.approved === undefined && <span className="min-w-0 font-medium wrap-anywhere">{t("text.quoteBegins")}<VisibleText text={word} />{t("text.quoteEnds")}</span>}
      {typeof said.comment === "string" && said.comment && <span className="min-w-0 text-ink-2 wrap-anywhere">{t("text.quoteBegins")}<VisibleText text={said.comment} />{t("text.quoteEnds")}</span>}
    </p>
  );
}
