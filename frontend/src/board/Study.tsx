import { Ban, CheckCircle2, CircleDashed, Plus, Scale, SquareKanban, Swords, TriangleAlert, type LucideIcon } from "lucide-react";
import { useState } from "react";
import { useRead } from "@/api/query";
import { isMissing } from "@/api/types";
import { isUnfolded, unfold, useReturn } from "@/shell/places";
import { href } from "@/shell/route";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { prose, visibleText } from "@/text/visible";
import { Button } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { Empty, ErrorNote, Loading } from "@/ui/Notice";
import { Time } from "@/ui/Time";
import { Decide } from "./Decide";
import { ReportButtons } from "./ReportButtons";
import { Sides, Source } from "./Sides";
import { isVerdict, type Board, type ConfidencePoint, type Conflict, type Decision, type Hypothesis, type HypothesisStatus, type Op, type SearchRow } from "./types";

const looks: Record<HypothesisStatus, { word: string; icon: LucideIcon; tone: string }> = {
  proposed: { get word() { return t("board.proposed"); }, icon: CircleDashed, tone: "text-wait" },
  validating: { get word() { return t("board.beingChecked"); }, icon: Scale, tone: "text-run" },
  confirmed: { get word() { return t("board.confirmed"); }, icon: CheckCircle2, tone: "text-done" },
  refuted: { get word() { return t("board.refuted"); }, icon: Ban, tone: "text-failed" },
};

/** What a person is about to decide. */
export interface Deciding {
  op: Op;
  hypothesis?: Hypothesis;
  conflict?: Conflict;
}

/** The number of the last decision on a board. */
const lastOf = (board: Board) => Math.max(0, ...board.decisions.map(({ n }) => n));

/** One board: hypotheses, conflicts, and how the study went. */
export function Study({ turn, area }: { turn: string; /** What it scrolls in. */ area: HTMLElement | null }) {
  const { data, error, isPending, refetch } = useRead<Board>(`/api/boards/${encodeURIComponent(turn)}`, {
    refetchInterval: ({ state }) => (state.data?.status === "running" ? 1500 : false),
  });
  useReturn(area, href("board", turn), data !== undefined);
  const [deciding, choose] = useState<(Deciding & { seen: number }) | null>(null);
  // Trying again would bring no board about.
  if (isMissing(error))
    return <Empty icon={SquareKanban} title={t("board.noSuchBoard")} action={<a href={href("board")} className="text-accent underline underline-offset-2">{t("board.allBoards")}</a>}>{t("board.noSuchBoardWhy")}</Empty>;
  if (error)
    return (
      <div className="p-pad">
        <ErrorNote error={error} title={t("board.theBoardCouldNotBeRead")} retry={() => void refetch()} />
      </div>
    );
  if (isPending) return <Loading what={t("board.readingTheBoard")} />;
  // What is shown now is what is decided on, whatever comes while the dialog is open.
  const setDeciding = (what: Deciding) => choose({ ...what, seen: lastOf(data) });
  const open = data.conflicts.filter((one) => one.status === "open");
  const closed = data.conflicts.filter((one) => one.status === "resolved");
  return (
    <div className="mx-auto max-w-4xl space-y-6 p-pad">
      <header className="space-y-2">
        <h1 className="text-xl font-semibold wrap-anywhere">{visibleText(data.query)}</h1>
        <p className="flex flex-wrap items-center gap-2 text-sm text-ink-2">
          {data.practice && <Chip>{t("board.practiceAScriptNotAModel")}</Chip>}
          <span>{t("board.stepOfNext", { iteration_count: Math.min(data.iteration_count, data.max_iterations), max_iterations: data.max_iterations, next_step: told(data.next_step) })}</span>
          <a href={href("sessions", data.session)} className="text-accent underline underline-offset-2">{t("board.theConversation")}</a>
        </p>
        {data.forced && (
          <p className="flex items-start gap-1.5 text-sm text-degraded"><TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />{t("board.theReportWasForced", { forced: prose(told(data.forced)) })}</p>
        )}
        {data.report && (
          <p className="text-sm text-ink-2"><a href={href("sessions", data.session)} className="text-accent underline underline-offset-2">{t("board.goOn")}</a>. {t("board.goOnHow")}</p>
        )}
        <div className="flex flex-wrap gap-2">
          <Button icon={Plus} onClick={() => setDeciding({ op: "add" })}>{t("board.addAHypothesis")}</Button>
          <ReportButtons turn={data.turn} />
        </div>
      </header>

      {open.length > 0 && <Conflicts title={t("board.conflictsToResolve")} list={open} board={data} onResolve={(conflict) => setDeciding({ op: "resolve", conflict })} />}

      <section aria-labelledby="hypotheses" className="space-y-3">
        <h2 id="hypotheses" tabIndex={-1} className="text-lg font-semibold">{t("board.hypotheses")}</h2>
        {data.hypotheses.length === 0 && <p className="text-ink-2">{t("board.noneYetTheyAreProposedOnce")}</p>}
        {data.hypotheses.map((one) => <HypothesisCard key={one.id} one={one} board={data} onDecide={setDeciding} />)}
      </section>

      {closed.length > 0 && <Conflicts title={t("board.conflictsResolved")} list={closed} board={data} onResolve={(conflict) => setDeciding({ op: "resolve", conflict })} />}

      <section aria-labelledby="searches" className="space-y-2">
        <h2 id="searches" className="text-lg font-semibold">{t("board.searches")}</h2>
        <ol className="list-decimal space-y-1 pl-6 text-sm">
          {folded(data.searches).map(({ one, from, times }) => (
            <li key={from} value={from} className="wrap-anywhere">{t("board.inThePassagesNew", { text: visibleText(one.text), source: told(one.source), found: one.found, new: one.new })}{one.duplicates > 0 && t("board.nearlyTheSameAsOthers", { duplicates: one.duplicates })}{one.note && `; ${prose(told(one.note))}`}{times > 1 && t("board.timesInARow", { times })}</li>
          ))}
        </ol>
      </section>
      {deciding && <Decide board={data} what={deciding} seen={deciding.seen} onClose={() => choose(null)} />}
    </div>
  );
}

/** Searches in their order; those in a row that were the same and found the same are one. */
function folded(searches: SearchRow[]): { one: SearchRow; from: number; times: number }[] {
  const out: { one: SearchRow; from: number; times: number }[] = [];
  searches.forEach((one, at) => {
    const last = out.at(-1);
    if (last && JSON.stringify(last.one) === JSON.stringify(one)) last.times++;
    else out.push({ one, from: at + 1, times: 1 });
  });
  return out;
}

/** Who decided what, and why. */
const decidedBy = ({ op, who, reason }: Decision) =>
  t("board.by", { value: { add: t("board.added"), edit: t("board.wordedAnew"), confirm: t("board.confirmed"), refute: t("board.refuted"), reopen: t("board.leftToTheEvidenceAgain"), resolve: t("board.resolved") }[op], who: visibleText(who) }) + (reason ? `: ${visibleText(reason)}` : "");

function HypothesisCard({ one, board, onDecide }: { one: Hypothesis; board: Board; onDecide(what: Deciding): void }) {
  const look = looks[one.status];
  const Icon = look.icon;
  const percent = Math.round(one.confidence * 100);
  const points = board.timeline.filter(({ hypothesis }) => hypothesis === one.id);
  const decided = one.decision && isVerdict(one.decision);
  const earlier = board.decisions.filter(({ on }) => on === one.id).slice(0, -1);
  return (
    <article aria-labelledby={`h-${one.id}`} className="space-y-3 rounded-md border bg-surface p-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <h3 id={`h-${one.id}`} tabIndex={-1} className="min-w-0 flex-1 font-semibold wrap-anywhere">{visibleText(one.statement)}</h3>
        <span className={`inline-flex items-center gap-1 text-sm font-medium ${look.tone}`}><Icon aria-hidden className="size-4" />{look.word}</span>
      </div>
      <div className="flex items-center gap-3">
        <div role="meter" aria-label={t("board.confidence")} aria-valuemin={0} aria-valuemax={100} aria-valuenow={percent} className="h-2 flex-1 overflow-hidden rounded-full bg-sunken">
          <div className="h-full bg-accent" style={{ width: `${percent}%` }} />
        </div>
        <span className="text-sm tabular-nums">{percent} %</span>
      </div>
      {one.decision && <p className="text-sm wrap-anywhere">{decidedBy(one.decision)}</p>}
      {earlier.length > 0 && (
        <div className="text-sm">
          <ul aria-label={t("board.earlierDecisions")} className="list-disc space-y-1 pl-5 text-ink-2">
            {earlier.map((past) => (
              <li key={past.n} className="wrap-anywhere">
                {t("board.earlier")} {decidedBy(past)} (<Time at={past.at} />).{past.statement && past.statement !== one.statement && <> {t("board.theWordsWere", { statement: visibleText(past.statement) })}</>}
              </li>
            ))}
          </ul>
          {decided ? <p>{t("board.verdictCounts", { who: visibleText(one.decision!.who) })}</p> : earlier.some(isVerdict) && <p>{t("board.evidenceCounts")}</p>}
        </div>
      )}
      {one.dissent && <p className="flex items-start gap-1.5 text-sm text-degraded"><TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />{t("board.theEvidenceSaysOtherwiseThanYou")}</p>}
      <div className="grid gap-3 md:grid-cols-2">
        <Quotes title={t("board.for")} ids={one.supporting_evidence_ids ?? []} one={one} board={board} />
        <Quotes title={t("board.against")} ids={one.contradicting_evidence_ids ?? []} one={one} board={board} />
      </div>
      {points.length > 1 && <Timeline points={points} place={`${href("board", board.turn)}/${one.id}`} />}
      <div className="flex flex-wrap gap-2">
        <Button small onClick={() => onDecide({ op: "confirm", hypothesis: one })}>{t("board.confirm")}</Button>
        <Button small onClick={() => onDecide({ op: "refute", hypothesis: one })}>{t("board.refute")}</Button>
        <Button small look="quiet" onClick={() => onDecide({ op: "edit", hypothesis: one })}>{t("board.wordItAnew")}</Button>
        {decided && <Button small look="quiet" onClick={() => onDecide({ op: "reopen", hypothesis: one })}>{t("board.leaveItToTheEvidence")}</Button>}
      </div>
    </article>
  );
}

function Quotes({ title, ids, one, board }: { title: string; ids: string[]; one: Hypothesis; board: Board }) {
  return (
    <div>
      <h4 className="text-sm font-medium">{title} ({ids.length})</h4>
      {ids.length === 0 && <p className="text-sm text-ink-3">{t("board.nothingYet")}</p>}
      <ul className="space-y-2 text-sm">
        {ids.map((id) => {
          const source = board.evidence.find((evidence) => evidence.id === id);
          const quote = board.judgements.find((judgement) => judgement.evidence === id && judgement.hypothesis === one.id)?.quote;
          return (
            <li key={id} className="wrap-anywhere">
              {quote && <blockquote>{t("text.quoted", { text: visibleText(quote) })}</blockquote>}
              {source && <Source one={source} />}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** How the confidence came to be what it is: a line, and the same in words. */
function Timeline({ points, place }: { points: ConfidencePoint[]; place: string }) {
  const wide = 300;
  const path = points.map(({ confidence }, at) => `${(at * wide) / (points.length - 1)},${40 - confidence * 40}`).join(" ");
  return (
    <details open={isUnfolded(place)} onToggle={(event) => unfold(place, event.currentTarget.open)} className="text-sm">
      <summary className="cursor-pointer text-ink-2">{t("board.howTheConfidenceChanged")}</summary>
      <svg aria-hidden viewBox={`-2 -2 ${wide + 4} 44`} className="mt-2 h-12 w-full text-accent" preserveAspectRatio="none">
        <polyline points={path} fill="none" stroke="currentColor" strokeWidth="2" vectorEffect="non-scaling-stroke" />
      </svg>
      <ol className="mt-1 space-y-1">
        {points.map((one, at) => (
          <li key={at} className="wrap-anywhere">
            <span className="tabular-nums">{Math.round(one.confidence * 100)} %</span> {looks[one.status].word.toLowerCase()}, <Time at={one.at} />{t("board.by2")} {one.by === "rule" ? t("board.theFormula") : visibleText(one.who)}{one.why && `: ${one.by === "person" ? visibleText(one.why) : prose(told(visibleText(one.why)))}`}
          </li>
        ))}
      </ol>
    </details>
  );
}

function Conflicts({ title, list, board, onResolve }: { title: string; list: Conflict[]; board: Board; onResolve(one: Conflict): void }) {
  const id = title.replaceAll(" ", "-");
  return (
    <section aria-labelledby={id} className="space-y-3">
      <h2 id={id} className="text-lg font-semibold">{title}</h2>
      {list.map((one) => (
        <article key={one.id} id={`c-${one.id}`} tabIndex={-1} aria-label={t("board.conflict", { id: one.id })} className="space-y-3 rounded-md border bg-surface p-3">
          <p className="flex items-start gap-1.5 font-medium wrap-anywhere"><Swords aria-hidden className="mt-0.5 size-4 shrink-0" />{prose(told(one.description))}</p>
          <Sides of={one} board={board} />
          {one.resolution && <p className="text-sm wrap-anywhere">{t("board.resolvedBy")} {one.decision ? visibleText(one.decision.who) : t("board.theModel")}: {visibleText(one.resolution)}</p>}
          <Button small look={one.status === "open" ? "primary" : "plain"} onClick={() => onResolve(one)}>{one.status === "open" ? t("board.resolve") : t("board.resolveOtherwise")}</Button>
        </article>
      ))}
    </section>
  );
}
