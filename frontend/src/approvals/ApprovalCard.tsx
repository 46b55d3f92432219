import { Hand, ShieldAlert, X } from "lucide-react";
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { ApiError, isMissing, type Approval, type AppState, type Json } from "@/api/types";
import { useRead } from "@/api/query";
import { FormView } from "@/forms/FormView";
import { MapAt } from "@/forms/Map";
import type { Person } from "@/forms/types";
import { transport } from "@/transport";
import { Button, IconButton } from "@/ui/Button";
import { Field, TextField } from "@/ui/Field";
import { forget, useKept } from "@/ui/kept";
import { ErrorNote, Loading } from "@/ui/Notice";
import { ShortId } from "@/ui/ShortId";
import { State, StateBadge, type StateName } from "@/ui/State";
import { Time, useNow } from "@/ui/Time";
import { say } from "@/ui/toasts";
import { queryClient } from "@/api/query";
import { ForColleague } from "./Exchange";
import { Arguments } from "./Arguments";
import { Begun } from "./Begun";
import { keepBegun, type Piece } from "./begun";
import { Decided } from "./Decided";
import { Erased } from "./Erased";
import { argumentsOf, pretty, saidBy, shownArguments } from "./arguments";
import { argsOf, fieldsOf, filled, problemOf } from "./form";
import { Cautions, Meaning } from "./Meaning";
import { changesNow } from "./words";
import { ModifyForm } from "./ModifyForm";
import { plainName } from "./plainName";
import { reviewerName } from "./identity";
import { useReviewer } from "./reviewer";
import { areaOf, useSeen } from "./seen";
import { Changes } from "./Changes";
import { TextWarnings, VisibleText } from "./VisibleText";
import { noSubject, subjectTitle } from "@/subject/subject";
import { language, t } from "@/text/language";
import { prose, visibleText } from "@/text/visible";
import { told } from "@/text/told";
import { isInstant, momentText } from "@/text/zone";

type Mode = "view" | "reject" | "modify" | "delegate";

/** What was asked of the server and refused. */
interface Failure {
  of: "approve" | "reject" | "modify" | "delegate";
  error: unknown;
}

/** One approval, shown in place. Closing it decides nothing; only the three buttons do. */
export function ApprovalCard({ id, focus = false, onClose }: {
  id: string;
  /** Moves the focus to the arguments once they are shown. */
  focus?: boolean;
  onClose?: () => void;
}) {
  // The nonce in the answer is good for one decision: never from a cache.
  const read = useRead<Approval>(`/api/approvals/${encodeURIComponent(id)}`, { staleTime: 0, gcTime: 0, refetchOnMount: "always" });
  const state = useRead<AppState>("/api/state");
  const [failure, setFailure] = useState<Failure | null>(null);
  const { names, keep } = useReviewer();
  // The card is built anew for each digest; what the person should know about the one before outlives it.
  const shown = useRef("");
  const digest = read.data?.digest ?? "";
  const replaced = shown.current !== "" && digest !== "" && shown.current !== digest;
  useEffect(() => {
    if (digest && !shown.current) shown.current = digest;
  }, [digest]);
  if (isMissing(read.error)) return <Gone deleted={false} />;
  if (read.error && !read.data) return <ErrorNote error={read.error} title={t("approvals.theApprovalCouldNotBeRead")} retry={() => void read.refetch()} />;
  if (!read.data) return <Loading what={t("approvals.readingTheApproval")} />;
  if (read.data.erased) return <Erased approval={read.data} onClose={onClose} />;
  return (
    <Card
      key={digest}
      approval={read.data}
      reviewer={names[read.data.session] ?? state.data?.reviewer ?? ""}
      setReviewer={(name) => keep(read.data?.session ?? "", name)}
      failure={failure}
      setFailure={setFailure}
      replaced={replaced}
      focus={focus || replaced}
      onChanged={(to) => { shown.current = to; }}
      onClose={onClose}
      reload={() => void read.refetch()}
    />
  );
}

function Card({ approval, reviewer, setReviewer, failure, setFailure, replaced, focus, onChanged, onClose, reload }: {
  approval: Approval;
  reviewer: string;
  setReviewer(name: string): void;
  failure: Failure | null;
  setFailure(failure: Failure | null): void;
  /** The arguments are others than when the card was opened. */
  replaced: boolean;
  focus: boolean;
  /** The reviewer changed it, to what has this digest: that is nothing to warn them of. */
  onChanged(digest: string): void;
  onClose?: () => void;
  reload: () => void;
}) {
  const title = useId();
  const changesTitle = useId();
  const cardRef = useRef<HTMLElement>(null);
  const byPointer = useRef(false);
  const readAt = useRef(0);
  const openedAt = useRef(-1000);
  const rejectRef = useRef<HTMLTextAreaElement>(null);
  const modifyRef = useRef<HTMLDivElement>(null);
  const here = `${approval.id}/${approval.digest}/`;
  const [mode, setMode] = useKept<Mode>(here, "mode", () => "view");
  const [meaning, setMeaning] = useState("");
  const [comment, setComment] = useKept(here, "comment", () => "");
  // Each form keeps its own words: a reason to reject is never the comment of an approval.
  const [refusal, setRefusal] = useKept(here, "refusal", () => "");
  const [handover, setHandover] = useKept(here, "handover", () => "");
  const [raw, setRaw] = useState(false);
  const titleRef = useRef<HTMLHeadingElement>(null);
  const reviewerRef = useRef<HTMLInputElement>(null);
  const meaningRef = useRef<HTMLInputElement>(null);
  const toRef = useRef<HTMLInputElement>(null);
  const [edited, setEdited] = useKept(here, "edited", () => pretty(approval.args));
  const fields = useMemo(() => fieldsOf(approval), [approval]);
  const [asJson, setAsJson] = useKept(here, "asJson", () => false);
  const byForm = fields !== null && !asJson;
  const [draft, setDraft] = useKept(here, "draft", () => argsOf(approval.args));
  // Until it is sent, or somebody else decides: then it is told beside the verdict.
  const begun = useMemo(() => {
    const was = argsOf(approval.args);
    const changes = Object.keys({ ...was, ...draft }).filter((name) => pretty(draft[name]) !== pretty(was[name]));
    const change = asJson ? (edited === pretty(approval.args) ? "" : edited) : changes.map((name) => t("approvals.valueOf", { name: plainName(name), value: wordsFor(draft[name]) })).join("\n");
    const pieces: Piece[] = [{ label: t("approvals.reasonForRejecting"), text: refusal }, { label: t("approvals.changeTheRequest"), text: change }, { label: t("approvals.commentOptional"), text: comment }, { label: t("approvals.whyOptional"), text: handover }];
    return pieces.filter(({ text }) => text.trim() !== "");
  }, [approval.args, asJson, comment, draft, edited, handover, refusal]);
  const sent = useRef(false);
  const [checked, setChecked] = useState(false);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  // Who turned out to sign with a passphrase. It is kept nowhere else and no longer than the card.
  const [to, setTo] = useState("");
  const [signer, setSigner] = useState("");
  const [passphrase, setPassphrase] = useState("");
  const state = useRead<AppState>("/api/state");
  // A name that nobody wrote on this card is said to be there already: whoever decides may be somebody else.
  const [found] = useState(() => reviewer.trim());
  const foundIn = found !== "" && reviewer.trim() === found ? (found === (state.data?.reviewer ?? "").trim() ? "settings" : "session") : "";
  const refused = signer !== "" && signer === reviewer.trim();
  const people = useRead<{ people: Person[] | null }>("/api/people").data?.people ?? [];
  const signs = refused || people.some((one) => one.signs && sameName(one.name, reviewer));
  const now = useNow(1000);

  const expired = approval.status === "expired" || (approval.status === "pending" && Date.parse(approval.expires_at) <= now);
  const open = approval.status === "pending" && !expired;
  const done = approval.outcome === "committed" || (approval.status === "used" && shownStatus(approval) === "used");

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the card appears
  useEffect(() => {
    if (!focus || !open) return;
    toTop(cardRef.current);
    titleRef.current?.focus({ preventScroll: true });
  }, []);
  const { rest, whole, readOn, count } = useSeen(cardRef, here);
  useEffect(() => {
    if (mode === "reject") rejectRef.current?.focus();
    if (mode === "modify") modifyRef.current?.querySelector<HTMLElement>("[data-first], textarea")?.focus();
  }, [mode]);

  useEffect(() => {
    if (open && !sent.current) keepBegun(approval.id, approval.digest, begun);
  }, [open, approval.id, approval.digest, begun]);

  const decide = async (name: Failure["of"], extra: Record<string, Json>) => {
    if (busy || !open) return;
    if (!reviewer.trim()) {
      setProblem(t("approvals.enterYourNameTheVerdictIs"));
      reviewerRef.current?.focus();
      return;
    }
    setBusy(true);
    setProblem("");
    setFailure(null);
    sent.current = true; // its own verdict may be told before it is answered
    keepBegun(approval.id, approval.digest, []);
    try {
      const answer = await transport().call<{ warning?: string; approval?: Approval }>(name, { id: approval.id, digest: approval.digest, nonce: approval.nonce ?? "", reviewer: reviewer.trim(), ...(signs ? { passphrase } : {}), ...extra });
      if (name === "approve") {
        // What became of it is told here as it is on the card and in the session.
        const { outcome, why } = answer?.approval ?? {};
        say(outcome === "committed" ? t("approvals.approvedAndCarriedOut") : outcome === "refused" ? t("approvals.approvedButNotCarriedOut", { why: prose(told(why ?? "")) }) : t("approvals.approvedTheTurnGoesOn"), outcome === "refused" ? "failed" : "plain");
      } else say(name === "reject" ? t("approvals.rejectedNothingWasChanged") : name === "delegate" ? t("approvals.passedOn") : t("approvals.modifiedCheckTheNewDigestThen"));
      if (answer?.warning) say(answer.warning);
      if (name === "modify") onChanged(answer?.approval?.digest ?? "");
      setMode("view");
      forget(here);
      void queryClient.invalidateQueries({ queryKey: ["api", "approvals"] });
      void queryClient.invalidateQueries({ queryKey: ["api", "state"] });
    } catch (error) {
      sent.current = false;
      keepBegun(approval.id, approval.digest, begun);
      setFailure({ of: name, error });
      if (error instanceof ApiError && error.code === "signature") setSigner(reviewer.trim());
    } finally {
      setPassphrase("");
      setBusy(false);
      // The nonce is spent either way.
      reload();
    }
  };

  /** Nobody approves what was not in sight: it comes into sight first. */
  const approve = () => {
    if (!whole()) {
      readOn();
      readAt.current = Date.now();
      return;
    }
    // The second press of a double click is not a decision.
    if (Math.abs(Date.now() - readAt.current) < 400) return;
    if (approval.risk_high && !meaning.trim()) {
      setProblem(t("approvals.stateWhatYourSignatureMeansE"));
      (reviewer.trim() ? meaningRef : reviewerRef).current?.focus();
      return;
    }
    void decide("approve", { ...(comment.trim() ? { comment: comment.trim() } : {}), ...(approval.risk_high ? { meaning: meaning.trim() } : {}) });
  };
  const reject = () => {
    if (!refusal.trim()) {
      setProblem(t("approvals.sayWhyTheReasonIsKept"));
      rejectRef.current?.focus();
      return;
    }
    void decide("reject", { comment: refusal.trim() });
  };
  const delegate = () => {
    if (!to.trim()) {
      setProblem(t("approvals.sayWhoIsToDecide"));
      toRef.current?.focus();
      return;
    }
    void decide("delegate", { to: to.trim(), comment: handover.trim() });
  };
  const modify = () => {
    if (byForm) {
      setChecked(true);
      if (fields.some((field) => problemOf(field, draft[field.name]))) return;
      void decide("modify", { args: filled(draft, fields), ...(comment.trim() ? { comment: comment.trim() } : {}) });
      return;
    }
    let args: Json;
    try {
      args = JSON.parse(edited) as Json;
    } catch (error) {
      setProblem(t("approvals.thisIsNotValidJson", { message: (error as Error).message }));
      return;
    }
    if (args === null || typeof args !== "object" || Array.isArray(args)) {
      setProblem(t("approvals.theArgumentsHaveToBeOne"));
      return;
    }
    void decide("modify", { args, ...(comment.trim() ? { comment: comment.trim() } : {}) });
  };

  /** Between the form and the JSON; what was changed in one is in the other. */
  const swap = () => {
    setProblem("");
    if (!asJson) {
      setEdited(pretty(filled(draft, fields ?? [])));
      setAsJson(true);
      return;
    }
    try {
      setDraft(argsOf(JSON.parse(edited) as Json));
      setAsJson(false);
    } catch (error) {
      setProblem(t("approvals.thisIsNotValidJson", { message: (error as Error).message }));
    }
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (!open || event.defaultPrevented) return;
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLSelectElement;
    // While a form asks for something, letters are meant for it, wherever the focus is.
    const letters = !typing && mode === "view" && !problem;
    const command = event.ctrlKey || event.metaKey;
    if (command && event.key === "Enter") {
      event.preventDefault();
      event.stopPropagation();
      if (event.repeat) return;
      if (mode === "view") approve();
      else if (mode === "reject") reject();
      else if (mode === "delegate") delegate();
      else modify();
    } else if (mode === "reject" && !command && event.key.toLowerCase() === "r" && !rejectRef.current?.value && (event.repeat || event.timeStamp - openedAt.current < 250)) {
      event.preventDefault(); // pressed twice or held down, R is no reason
    } else if (letters && !command && !event.altKey && event.key.toLowerCase() === "r") {
      event.preventDefault();
      openedAt.current = event.timeStamp;
      setMode("reject");
    } else if (letters && !command && !event.altKey && event.key.toLowerCase() === "e") {
      event.preventDefault();
      setMode("modify");
    } else if (event.key === "Escape" && mode !== "view") {
      event.preventDefault();
      event.stopPropagation();
      setMode("view");
      setProblem("");
      titleRef.current?.focus();
    }
  };

  const args = shownArguments(approval);
  const warnings = [...(approval.weak ? [t("conversation.verySmallModel")] : []), ...((open ? approval.warnings : approval.warned) ?? [])];
  const repeated = useMemo(() => !approval.form && !approval.original && saidBy(approval), [approval]);
  const texts = [approval.title, approval.reason ?? "", approval.original?.reason ?? "", ...args.flatMap((arg) => [arg.name, arg.value]), pretty(approval.changes as unknown as Json)];

  return (
    <section
      ref={cardRef}
      aria-labelledby={title}
      onKeyDown={onKeyDown}
      onPointerDownCapture={() => { byPointer.current = true; }}
      onPointerUpCapture={() => { byPointer.current = false; }}
      onFocus={({ target }) => { if (!byPointer.current && target instanceof HTMLElement && "whole" in target.dataset) count(target.closest("[data-read]")); }}
      data-approval={approval.id}
      className={`rounded-md border bg-surface ${open ? "border-held-line" : "border-line-strong"}`}
    >
      <header className={`flex items-start gap-2 rounded-t-md border-b px-pad py-2 ${open ? "border-held-line bg-held-soft" : "bg-sunken"}`}>
        {open ? <Hand aria-hidden className="mt-0.5 size-5 shrink-0 text-held" /> : <ShieldAlert aria-hidden className="mt-0.5 size-5 shrink-0 text-ink-3" />}
        <div className="min-w-0 flex-1">
          <h3 ref={titleRef} id={title} tabIndex={-1} className="font-semibold wrap-anywhere"><VisibleText prose={language() === "fr"} text={told(approval.title) || t("approvals.wantsToRun", { tool: approval.tool })} /></h3>
          <p className="mt-1 flex flex-wrap items-center gap-x-3 text-xs text-ink-2">
            <State name={open ? "pending" : expired ? "expired" : shownStatus(approval)} />
            <span className="min-w-0 wrap-anywhere">{subjectTitle(approval) || noSubject()}</span>
            {open && (approval.due_at ? <span className={approval.overdue ? "font-semibold text-failed" : ""}>{t("approvals.due")} <Time at={approval.due_at} ahead />{t(approval.overdue ? "approvals.overdue" : "approvals.laterIsLate")}</span> : <span>{t("approvals.expires")} <Time at={approval.expires_at} ahead /></span>)}
            {approval.risk_high && <span className="font-semibold text-failed">{t("approvals.highRiskSignatureNeeded")}</span>}
          </p>
        </div>
        {onClose && <IconButton icon={X} label={t("approvals.closeDecidesNothing")} small onClick={onClose} />}
      </header>

      <div className="space-y-4 p-pad">
        {onClose && approval.message && (
          <p className="max-h-40 overflow-auto whitespace-pre-wrap wrap-anywhere text-sm"><span className="text-ink-2">{t("approvals.thePersonWrote")}</span> {t("text.quoteBegins")}<VisibleText text={approval.message} />{t("text.quoteEnds")}</p>
        )}
        {approval.form ? (
          <div data-read="form">
            <FormView key={approval.digest} form={approval.form} before={approval.form_before} sources>
              <MapAt path={`/api/approvals/${encodeURIComponent(approval.id)}/map`} />
            </FormView>
          </div>
        ) : (
          <div data-read="meaning" className="empty:hidden"><Meaning approval={approval} /></div>
        )}
        {warnings.length > 0 && <div data-read={`warnings ${warnings.join(" ")}`}><Cautions warnings={warnings} then={!open} /></div>}
        <div data-read="text" className="empty:hidden"><TextWarnings texts={texts} /></div>
        {replaced && open && (
          <p role="status" className="rounded-md border border-line-strong bg-sunken p-2 font-medium">{t("approvals.theArgumentsHaveChangedSinceYou")}</p>
        )}
        {open && <Begun id={approval.id} open={approval.digest} why={approval.reviewer ? t("approvals.changedItMeanwhile", { reviewer: reviewerName(approval.reviewer, approval.identity) }) : t("approvals.itChangedMeanwhile")} />}
        {mode === "modify" && (
          <div ref={modifyRef} className="space-y-3 rounded-md border border-accent p-pad">
            <div className="flex flex-wrap items-center justify-between gap-2">
              <h4 className="font-semibold">{t("approvals.changeTheRequest")}</h4>
              {fields && <Button look="quiet" small aria-pressed={asJson} onClick={swap}>{asJson ? t("approvals.editInAForm") : t("approvals.editAsJson")}</Button>}
            </div>
            {byForm ? (
              <ModifyForm fields={fields} args={draft} form={approval.form ?? null} about={approval.subject ?? ""} checked={checked} change={(name, value) => setDraft({ ...draft, [name]: value })} />
            ) : (
              <>
                <TextField label={t("approvals.argumentsToRunInsteadJson")} mono rows={Math.min(24, edited.split("\n").length + 1)} spellCheck={false} value={edited} onChange={(event) => setEdited(event.target.value)} problem={problem} hint={t("approvals.allOfThemAsOneJson")} />
                <TextWarnings texts={[edited]} />
              </>
            )}
            <p className="text-xs text-ink-2">{t("approvals.savingMakesANewDigestShown")}</p>
          </div>
        )}
        <Folded folded={Boolean(approval.form)} label={t("approvals.theSameAsItWillBeStored")}>
          <section data-read={approval.form ? undefined : "changes"} role="group" aria-labelledby={changesTitle}>
            {/* Its name has the focus, which is in view however long it is. */}
            <h4 id={changesTitle} data-whole tabIndex={approval.form ? undefined : 0} className="mb-1 text-sm font-semibold">{open ? t("approvals.whatWillChange") : done ? t("approvals.whatChanged") : t("approvals.whatWasToChange")}</h4>
            {open && Boolean(approval.current?.length) && <p className="mb-1 text-sm text-ink-2">{t("approvals.asTheRecordsAreNow")}</p>}
            <Changes changes={open ? changesNow(approval) : approval.changes} names={approval.names} raw={raw} tense={open ? "ahead" : done ? "done" : "undone"} />
          </section>
        </Folded>
        {approval.original ? (
          <div data-read="arguments" className="grid gap-3 xl:grid-cols-2">
            <div>
              <Arguments args={args} names={approval.names} raw={approval.args} label={open ? t("approvals.argumentsAsModifiedWhatWillRun") : t("approvals.argumentsAsModified")} />
              <p className="mt-1 text-xs text-ink-2">{t("approvals.newDigest")} <ShortId value={approval.digest} what={t("approvals.digest")} /></p>
            </div>
            <div>
              <Arguments args={argumentsOf(approval.original.args)} names={approval.names} raw={approval.original.args} label={t("approvals.asTheAgentAsked")} />
              {approval.original.reason && <p className="mt-1 whitespace-pre-wrap wrap-anywhere text-xs text-ink-2"><VisibleText text={approval.original.reason} /> <span className="text-ink-3">{t("approvals.theAgentsWords")}</span></p>}
              <p className="mt-1 text-xs text-ink-2">{t("approvals.originalDigest")} <ShortId value={approval.original.digest} what={t("approvals.originalDigest2")} /></p>
            </div>
          </div>
        ) : (
          <Folded folded={repeated} label={t("approvals.theArgumentsWhichSayTheSame")}>
            <div data-read={repeated ? undefined : "arguments"}><Arguments args={args} names={approval.names} raw={approval.args} label={t("approvals.arguments")} /></div>
          </Folded>
        )}
        <div className="flex flex-wrap gap-2">
          <Button look="quiet" small aria-pressed={raw} onClick={() => setRaw(!raw)}>{raw ? t("approvals.showWords") : t("approvals.showRawNames")}</Button>
          {open && <ForColleague approval={approval} />}
        </div>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
          <dt className="text-ink-2">{t("approvals.tool")}</dt><dd className="wrap-anywhere">{prose(told(approval.tool_title ?? "") || plainName(approval.tool))}{raw && <> <span className="font-mono text-xs">{visibleText(approval.tool)}</span></>}</dd>
          {!approval.original && (<><dt className="text-ink-2">{t("approvals.digest2")}</dt><dd><ShortId value={approval.digest} what={t("approvals.digest")} /></dd></>)}
          <dt className="text-ink-2">{t("approvals.asked")}</dt><dd><Time at={approval.requested_at} /> {t("approvals.byTheAgent")}{approval.session_title ? t("approvals.in", { session_title: visibleText(approval.session_title) }) : ""}</dd>
          {approval.checkpoint && (<><dt className="text-ink-2">{t("approvals.holdPoint")}</dt><dd className="wrap-anywhere">{plainName(told(approval.because ?? "") || approval.checkpoint)}{raw && <span className="font-mono text-xs"> {visibleText(approval.checkpoint)}{approval.rule && <>{t("approvals.byTheRule")} {visibleText(approval.rule)}</>}</span>}</dd></>)}
          {approval.for && (<><dt className="text-ink-2">{t("approvals.decides")}</dt><dd className="font-semibold wrap-anywhere">{approval.may_decide ? visibleText(approval.may_decide) : approval.for.name ? visibleText(approval.for.name) : t("approvals.aPersonWithTheRole", { role: visibleText(approval.for.role ?? "") })}</dd></>)}
          {approval.reason && (<><dt className="text-ink-2">{t("approvals.why")}</dt><dd className="whitespace-pre-wrap wrap-anywhere"><VisibleText text={approval.reason} /> <span className="text-ink-3">{t("approvals.theAgentsWords")}</span></dd></>)}
          {open && approval.due_at && (<><dt className="text-ink-2">{t("approvals.expiresOn")}</dt><dd><Time at={approval.expires_at} ahead />{t("approvals.laterItCountsAsANo")}</dd></>)}
          {raw && (<><dt className="text-ink-2">{t("approvals.policy")}</dt><dd className="font-mono text-xs wrap-anywhere">{visibleText(approval.policy_version)}</dd></>)}
        </dl>
        {open && mode !== "reject" && mode !== "delegate" && <Field label={t("approvals.commentOptional")} value={comment} onChange={(event) => setComment(event.target.value)} />}
        {open && !signs && <p className="text-xs text-ink-3">{t("approvals.theNameIsAsTyped")}</p>}

        {!open && <Verdict approval={approval} expired={expired} />}
        {!open && <Begun id={approval.id} why={whoWasQuicker(approval.decided_at && approval.reviewer, approval.identity, approval.status === "rejected")} />}
      </div>

      {open && (
        <div role="group" aria-label={t("approvals.decide")} data-decide className="low sticky -bottom-pad z-10 space-y-2 rounded-b-md border-t border-held-line bg-surface p-3">
          {failure !== null && <ErrorNote error={failure.error} title={t(failure.of === "modify" ? "approvals.theChangeWasNotTaken" : failure.of === "delegate" ? "approvals.itWasNotPassedOn" : "approvals.theVerdictWasNotTaken")} />}
          {mode === "reject" && (
            <TextField ref={rejectRef} label={t("approvals.reasonForRejecting")} rows={2} value={refusal} onChange={(event) => setRefusal(event.target.value)} problem={refusal.trim() ? undefined : problem} hint={t("approvals.theAgentReadsItAndGoes")} />
          )}
          {mode === "delegate" && (
            <div className="flex flex-wrap gap-x-3">
              <Field className="min-w-40 flex-1" ref={toRef} label={t("approvals.whoDecidesInYourPlace")} value={to} autoFocus onChange={(event) => setTo(event.target.value)} problem={problem && !to.trim() ? problem : undefined} hint={t("approvals.onlySomebodyWhoMayDecide")} />
              <Field className="min-w-40 flex-1" label={t("approvals.whyOptional")} value={handover} onChange={(event) => setHandover(event.target.value)} />
            </div>
          )}
          <div data-line className="flex flex-wrap items-end gap-x-3 gap-y-2">
            <Field ref={reviewerRef} className="field min-w-40 flex-1" label={t("approvals.reviewer")} value={reviewer} autoComplete="name" onChange={(event) => { setReviewer(event.target.value); if (mode === "view") setProblem(""); }} problem={mode === "view" && problem && !reviewer.trim() ? problem : undefined} hint={foundIn && t(foundIn === "settings" ? "approvals.theNameIsFromTheSettings" : "approvals.theNameIsFromThisSession")} />
            {signs && <Field className="field min-w-40 flex-1" label={t("approvals.passphrase")} type="password" autoComplete="off" autoFocus={refused} value={passphrase} onChange={(event) => setPassphrase(event.target.value)} />}
            {mode === "view" && approval.risk_high && (
              <Field ref={meaningRef} className="field min-w-40 flex-1" label={t("approvals.meaningOfYourSignature")} value={meaning} onChange={(event) => { setMeaning(event.target.value); setProblem(""); }} problem={problem && !meaning.trim() && reviewer.trim() ? problem : undefined} />
            )}
            <div className="flex flex-wrap gap-2 pb-1">
              {mode === "view" && (
                <>
                  {rest ? <Button look="plain" disabled={busy} onClick={approve}>{t("approvals.readTheRestFirst")}</Button>
                    : <Button look="primary" keys="Ctrl Enter" disabled={busy} onClick={approve}>{approval.original ? t("approvals.approveAsModified") : t("approvals.approve")}</Button>}
                  <Button look="plain" keys="R" disabled={busy} onClick={() => setMode("reject")}>{t("approvals.reject")}</Button>
                  <Button look="plain" keys="E" disabled={busy} onClick={() => setMode("modify")}>{t("approvals.modify")}</Button>
                  {approval.for && !approval.no_delegation && <Button look="quiet" disabled={busy} onClick={() => setMode("delegate")}>{t("approvals.passOn")}</Button>}
                </>
              )}
              {mode === "reject" && <Button look="danger" keys="Ctrl Enter" disabled={busy} onClick={reject}>{t("approvals.reject2")}</Button>}
              {mode === "delegate" && <Button look="primary" keys="Ctrl Enter" disabled={busy} onClick={delegate}>{t("approvals.passOn2")}</Button>}
              {mode === "modify" && <Button look="primary" keys="Ctrl Enter" disabled={busy} onClick={modify}>{t("approvals.saveTheNewArguments")}</Button>}
              {mode !== "view" && <Button look="quiet" keys="Esc" onClick={() => { setMode("view"); setProblem(""); }}>{t("approvals.back")}</Button>}
            </div>
          </div>
          {mode !== "view" && problem && !reviewer.trim() && <p role="alert" className="text-sm text-failed">{problem}</p>}
        </div>
      )}
    </section>
  );
}

/** What stands in place of a request that is gone; deleted where it is known why. */
export function Gone({ deleted }: { deleted: boolean }) {
  return <p role="status" className="text-ink-2">{t(deleted ? "approvals.itWentWithItsSession" : "approvals.itIsNotThere")}</p>;
}

/** Whether two people are called the same, however it is spaced and written. */
const sameName = (a: string, b: string) => plainly(a) === plainly(b);
const plainly = (name: string) => name.trim().replace(/\s+/g, " ").toLowerCase();

/** What stands above already: on demand. */
function Folded({ folded, label, children }: { folded: boolean; label: string; children: ReactNode }) {
  if (!folded) return children;
  return (
    <details className="rounded-md border p-2">
      <summary className="cursor-pointer text-sm text-ink-2">{label}</summary>
      <div className="pt-2">{children}</div>
    </details>
  );
}

/** Scrolls the nearest scrolling area, and only that, so that the card starts at its top, or what helps in danger above it. */
export function toTop(card: Element | null): void {
  const area = areaOf(card);
  const first = card?.closest("[data-turn]")?.querySelector("[data-help]") ?? card;
  if (first && area) area.scrollTop += first.getBoundingClientRect().top - area.getBoundingClientRect().top - 8;
}

/** What became of it: an approval whose call was refused afterwards is not called approved. */
export const shownStatus = ({ status, outcome, decided_at }: Pick<Approval, "status" | "outcome" | "decided_at">): StateName => {
  // A verdict that came to nothing: the row may be given, used or void by then.
  const given = status === "approved" || status === "used" || (status === "void" && Boolean(decided_at));
  return given && outcome === "refused" ? "refused" : given && outcome === "unknown" ? "unknown" : status;
};

/** Whether its call was carried out, at used_at. A call that was refused used its approval up as well. */
export const carriedOut = (approval: Approval): boolean => Boolean(approval.used_at) && shownStatus(approval) === "used";

/** Who decided while somebody else was writing, in a sentence. */
export const whoWasQuicker = (reviewer: string | undefined, identity: string | undefined, rejected: boolean): string =>
  reviewer ? t(rejected ? "approvals.rejectedItMeanwhile" : "approvals.approvedItMeanwhile", { reviewer: reviewerName(reviewer, identity) }) : t("approvals.itIsNoLongerAsked");

/** A value of the form as a person reads it. */
const wordsFor = (value: Json | undefined): string => (typeof value === "string" ? (isInstant(value) ? momentText(value) : value) : value === undefined ? t("approvals.nothing") : pretty(value));

function Verdict({ approval, expired }: { approval: Approval; expired: boolean }) {
  if (expired && approval.clock_set_back) return <p className="text-ink-2">{t("approvals.theClockWasSetBack")}</p>;
  if (expired)
    return <p className="text-ink-2">{t("approvals.itRanOut")} <Time at={approval.expires_at} /> {t("approvals.withoutAVerdictWhichCountsAs")}</p>;
  return (
    <p className="flex flex-wrap items-center gap-x-2">
      <StateBadge name={shownStatus(approval)} />
      {carriedOut(approval) && <Time at={approval.used_at!} className="text-ink-2" />}
      {shownStatus(approval) === "refused" && <span className="wrap-anywhere">{t("approvals.itWasApprovedButCouldNot", { why: prose(told(approval.why ?? "")) })}</span>}
      {shownStatus(approval) === "void" && <span>{t("approvals.nothingWasChanged", { why: prose(told(approval.why ?? "") || t("approvals.theTurnThatAskedWasStopped")) })}</span>}
      <Decided rejected={approval.status === "rejected"} reviewer={approval.reviewer} identity={approval.identity} at={approval.decided_at} />
      {approval.comment && <span className="text-ink-2 wrap-anywhere">{t("text.quoted", { text: visibleText(approval.comment) })}</span>}
      {approval.meaning && <span className="text-ink-2 wrap-anywhere">{t("approvals.signature", { meaning: visibleText(approval.meaning) })}</span>}
    </p>
  );
}
