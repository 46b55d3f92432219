import { OpenRequest } from "./Exchange";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { ArrowRight, CheckCircle2, HelpCircle } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { isMissing, type Approval, type ApprovalList } from "@/api/types";
import { keyOf, useGone, useRead } from "@/api/query";
import { Help } from "@/conversation/Crisis";
import type { Found } from "@/conversation/danger";
import { go, href } from "@/shell/route";
import { noSubject, subjectTitle } from "@/subject/subject";
import { t } from "@/text/language";
import { toolTitle } from "@/text/names";
import { prose, visibleText } from "@/text/visible";
import { transport } from "@/transport";
import { useLongList } from "@/ui/longList";
import { Empty, ErrorNote, Loading } from "@/ui/Notice";
import { ShortId } from "@/ui/ShortId";
import { State } from "@/ui/State";
import { Time } from "@/ui/Time";
import { Button } from "@/ui/Button";
import { Whose } from "@/forms/Whose";
import { ApprovalCard, carriedOut, Gone, shownStatus } from "./ApprovalCard";
import { Begun } from "./Begun";
import { Decided } from "./Decided";
import { QuestionCard } from "./QuestionCard";
import { told } from "@/text/told";

/** How many are read at first, and more at each press; the most that the API gives at once, and pages of it follow. */
const PAGE = 100;
const MOST = 500;

/** Requests for approval are called ap. and their call; whatever else has parts is a question of a turn. */
const isQuestion = (id: string) => id.includes(".") && !id.startsWith("ap.");

/** Everything that waits for a person, of all sessions, oldest first; unknown outcomes on top. */
export function Inbox({ chosen }: { chosen: string }) {
  const [all, setAll] = useState(false);
  const [most, setMost] = useState(PAGE);
  const path = `/api/approvals?status=${all ? "all" : "pending"}&limit=${most}`;
  const list = useInfiniteQuery<ApprovalList>({
    queryKey: [...keyOf(path), "pages"],
    queryFn: ({ pageParam }) => transport().read<ApprovalList>(pageParam ? `${path}&after=${encodeURIComponent(String(pageParam))}` : path),
    initialPageParam: "",
    getNextPageParam: (page) => page.next || undefined,
    refetchInterval: 30_000,
    placeholderData: keepPreviousData,
  });
  const pages = list.data?.pages ?? [];
  const newest = pages.at(-1);
  const more = Boolean(newest?.next);
  // What went with a deleted session is left out before the list is read again.
  const gone = useGone((state) => state.gone);
  const stays = ({ session }: { session: string }) => !gone.has(`sessions/${encodeURIComponent(session)}`);
  const read = pages.flatMap((page) => page.approvals ?? []);
  const approvals = read.filter((one) => stays(one) || one.status === "used").sort((a, b) => Date.parse(a.requested_at) - Date.parse(b.requested_at));
  const long = useLongList({ count: approvals.length, estimate: 96, keyOf: (index) => approvals[index]?.id ?? "", show: approvals.findIndex(({ id }) => id === chosen) });
  const unknown = newest?.unknown ?? [];
  const stranded = (newest?.stranded ?? []).filter(stays);
  const questions = (newest?.questions ?? []).filter(stays).sort((a, b) => Date.parse(a.asked_at) - Date.parse(b.asked_at));
  const waiting = [
    ...approvals.filter(({ status }) => status === "pending").map(({ id, title, tool, requested_at }) => ({ id, title: title || tool, at: Date.parse(requested_at) })),
    ...questions.map(({ pause, prompt, asked_at }) => ({ id: pause, title: prompt, at: Date.parse(asked_at) })),
  ].sort((a, b) => a.at - b.at);
  // Help for an answer stays where it was given.
  const [help, setHelp] = useState<{ pause: string; session: string; found: Found } | null>(null);
  // A decided one leaves the list, not the screen.
  const sessions = useRef(new Map<string, string>());
  for (const { id, session, erased } of read) sessions.current.set(id, erased ? "" : session);
  const sessionOf = sessions.current.get(chosen) ?? "";
  const asked = questions.find(({ pause }) => pause === chosen);
  // In brief, as the bar reads it: its address may be of one that is gone.
  const brief = useRead<Approval>(chosen && !isQuestion(chosen) ? `/api/approvals/${encodeURIComponent(chosen)}?brief=1` : null);
  const deleted = gone.has(`approvals/${encodeURIComponent(chosen)}`) || (!brief.data && sessionOf !== "" && !stays({ session: sessionOf }));
  const missing = deleted || isMissing(brief.error);
  const first = approvals[0]?.id ?? questions[0]?.pause ?? "";
  const wide = typeof matchMedia === "function" && matchMedia("(min-width: 64rem)").matches;
  // The oldest is opened on arrival only: a card that was closed stays closed.
  const arrived = useRef(false);
  useEffect(() => {
    if (arrived.current || !list.data) return;
    arrived.current = true;
    if (!chosen && first && wide) go("approvals", first);
  }, [chosen, first, wide, list.data]);

  return (
    <div className="flex h-full min-h-0">
      <div className={`flex w-full flex-col border-r bg-surface lg:w-96 lg:shrink-0 ${chosen ? "max-lg:hidden" : ""}`}>
        <div className="border-b p-pad">
          <h1 className="text-lg font-semibold">{t("approvals.approvals")}</h1>
          <p className="mb-2 text-ink-2">{t("approvals.nothingHereRunsBeforeYouSay")}</p>
          <OpenRequest />
          <label className="mt-2 flex items-center gap-2 text-sm">
            <input type="checkbox" checked={all} onChange={(event) => { setAll(event.target.checked); setMost(PAGE); }} className="size-4 accent-(--accent)" />
            {t("approvals.showDecidedOnesToo")}
          </label>
        </div>
        <div className="min-h-0 flex-1 overflow-auto">
          {list.error && <div className="p-pad"><ErrorNote error={list.error} retry={() => void list.refetch()} /></div>}
          {list.isPending && <Loading />}
          {unknown.length > 0 && (
            <section aria-label={t("approvals.unknownOutcomes")} className="border-b">
              <h2 className="flex items-center gap-1.5 px-pad pt-3 text-sm font-semibold text-failed"><HelpCircle aria-hidden className="size-4" />{t("approvals.unknownOutcomes")}</h2>
              <p className="px-pad text-xs text-ink-2">{t("approvals.theseHadStartedWhenHoldpoint")}</p>
              <ul>
                {unknown.map((entry) => (
                  <li key={entry.call} className="space-y-1 border-b p-pad last:border-b-0">
                    <p className="flex justify-between gap-2"><span className="font-mono text-sm">{visibleText(entry.tool)}</span><Time at={entry.updated_at} className="text-xs text-ink-3" /></p>
                    <p className="wrap-anywhere">{t("approvals.whatToCheck", { check: visibleText(entry.check) })}</p>
                    <p className="flex items-center gap-2 text-xs text-ink-2"><a className="text-accent underline" href={href("sessions", entry.session)}>{visibleText(entry.session_title || t("approvals.openTheSession"))}</a><ShortId value={entry.call} what={t("approvals.callId")} /></p>
                  </li>
                ))}
              </ul>
            </section>
          )}
          {stranded.length > 0 && (
            <section aria-label={t("approvals.heldAndNoLongerAsked")} className="border-b">
              <h2 className="px-pad pt-3 text-sm font-semibold">{t("approvals.heldAndNoLongerAsked")}</h2>
              <p className="px-pad text-xs text-ink-2">{t("approvals.whatTheyAskedExpired")}</p>
              <ul>
                {stranded.map((held) => (
                  <li key={held.turn} className="border-b last:border-b-0">
                    <a href={href("sessions", held.session)} className="block space-y-0.5 p-pad hover:bg-hover">
                      <span className="flex items-center justify-between gap-2">
                        <State name={held.status} />
                        <span className="text-xs text-ink-3">{t("approvals.asked2")} <Time at={held.requested_at} /></span>
                      </span>
                      <span className="block font-medium wrap-anywhere">{prose(told(held.title))}</span>
                      <span className="block truncate text-xs text-ink-2">{visibleText(held.session_title)}</span>
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          )}
          {list.data && approvals.length === 0 && questions.length === 0 && stranded.length === 0 && (
            <Empty icon={CheckCircle2} title={t("approvals.nothingWaitsForYou")}>{t("approvals.whenAnAgentWantsToChange")}</Empty>
          )}
          {questions.length > 0 && (
            <ul aria-label={t("approvals.questionsOldestFirst")}>
              {questions.map((question) => (
                <li key={question.pause}>
                  <a
                    href={href("approvals", question.pause)}
                    aria-current={chosen === question.pause ? "true" : undefined}
                    className={`block space-y-0.5 border-b border-l-4 p-pad hover:bg-hover ${chosen === question.pause ? "border-l-accent bg-accent-soft" : "border-l-transparent"}`}
                  >
                    <span className="flex items-center justify-between gap-2">
                      <State name="paused" word={question.choices?.includes("approve") ? t("approvals.needsApproval") : t("approvals.needsAnAnswer")} />
                      <span className="text-xs text-ink-3">{t("approvals.asked2")} <Time at={question.asked_at} /></span>
                    </span>
                    <span className="line-clamp-2 font-medium wrap-anywhere">{prose(told(question.prompt))}</span>
                    <span className="block truncate text-xs text-ink-2">{visibleText(question.session_title || "")}</span>
                  </a>
                </li>
              ))}
            </ul>
          )}
          <ul aria-label={t("approvals.approvalsOldestFirst")} {...long.list}>
            {long.indexes.map((index) => ({ approval: approvals[index]!, place: long.row(index) })).map(({ approval, place }) => (
              <li key={approval.id} {...place}>
                <a
                  href={href("approvals", approval.id)}
                  aria-current={chosen === approval.id ? "true" : undefined}
                  className={`block space-y-0.5 border-b border-l-4 p-pad hover:bg-hover ${chosen === approval.id ? "border-l-accent bg-accent-soft" : "border-l-transparent"}`}
                >
                  <span className="flex items-center justify-between gap-2">
                    <State name={approval.unknown ? "unknown" : shownStatus(approval)} />
                    <span className="text-xs text-ink-3">{carriedOut(approval) ? <Time at={approval.used_at!} /> : <>{t("approvals.asked2")} <Time at={approval.requested_at} /></>}</span>
                  </span>
                  <span className="block font-medium wrap-anywhere">{prose(approval.erased ? toolTitle(approval.tool) : told(approval.title) || approval.tool)}</span>
                  {approval.title_zone && <span className="block text-xs text-ink-2 wrap-anywhere">{t("approvals.titleZone", { zone: approval.title_zone })}</span>}
                  <span className="flex justify-between gap-2 text-xs text-ink-2">
                    {approval.erased ? <span>{t("approvals.whatItSaidWasDeleted")}</span> : <span className="truncate">{subjectTitle(approval) || noSubject()} · {visibleText(approval.session_title || "")}</span>}
                    {/* One deadline a row: where a decision is wanted sooner, the line below says by when. */}
                    {approval.status === "pending" && !approval.due_at && <span className="shrink-0">{t("approvals.expires")} <Time at={approval.expires_at} ahead /></span>}
                  </span>
                  {approval.decided_at && <span className="block text-xs"><Decided rejected={approval.status === "rejected"} reviewer={approval.reviewer} identity={approval.identity} at={approval.decided_at} /></span>}
                  <Whose approval={approval} />
                </a>
              </li>
            ))}
          </ul>
          {more && (
            <div className="space-y-2 p-pad text-sm text-ink-2">
              <p>{t("approvals.theOldestAreShownMoreAre", { approvals: approvals.length })}</p>
              <Button small disabled={list.isFetchingNextPage} onClick={() => { if (most < MOST) setMost(Math.min(MOST, most + PAGE)); else void list.fetchNextPage(); }}>{t("approvals.showMore")}</Button>
            </div>
          )}
        </div>
      </div>
      <div className={`min-w-0 flex-1 overflow-auto p-pad ${chosen ? "" : "max-lg:hidden"}`}>
        <h1 className="sr-only lg:hidden">{t("approvals.approvals")}</h1>
        {chosen && <h2 className="sr-only">{t("approvals.theRequest")}</h2>}
        {help?.pause === chosen && <div className="mx-auto mb-3 max-w-4xl"><Help session={help.session} found={help.found} note={t("conversation.whatYouWroteIsKept")} /></div>}
        {asked ? (
          <div className="mx-auto max-w-4xl space-y-2">
            <QuestionCard key={chosen} session={asked.session} turn={asked.turn} pause={asked.pause} focus onClose={() => go("approvals")} onHelp={(found) => setHelp({ pause: asked.pause, session: asked.session, found })} />
            <After key={`after ${chosen}`} chosen={chosen} session={asked.session} waiting={waiting} more={more} />
          </div>
        ) : isQuestion(chosen) ? (
          list.data && (
            <div className="mx-auto max-w-4xl space-y-2 p-6">
              <p className="text-ink-2">{t("approvals.thisQuestionNoLongerWaitsIt")}</p>
              <Begun id={chosen} why={t("approvals.answeredMeanwhile")} />
              <After key={`after ${chosen}`} chosen={chosen} session="" waiting={waiting} more={more} />
            </div>
          )
        ) : missing ? (
          <div className="mx-auto max-w-4xl space-y-2 p-6">
            <Gone deleted={deleted} />
            <After key={`after ${chosen}`} chosen={chosen} session="" waiting={waiting} more={more} />
          </div>
        ) : chosen ? (
          <div className="mx-auto max-w-4xl space-y-2">
            <ApprovalCard key={chosen} id={chosen} focus onClose={() => go("approvals")} />
            <After key={`after ${chosen}`} chosen={chosen} session={sessionOf} waiting={waiting} more={more} />
          </div>
        ) : (
          approvals.length + questions.length > 0 && <p className="p-6 text-ink-3">{t("approvals.chooseAnApprovalOnTheLeft")}</p>
        )}
      </div>
    </div>
  );
}

/** Where to go from here: what waits next, and the session that asked. */
function After({ chosen, session, waiting, more }: { chosen: string; session: string; waiting: readonly { id: string; title: string }[]; more: boolean }) {
  const others = waiting.filter(({ id }) => id !== chosen);
  const here = waiting.findIndex(({ id }) => id === chosen);
  const next = (here >= 0 ? waiting[here + 1] : undefined) ?? others[0];
  const area = useRef<HTMLDivElement>(null);
  const waited = useRef(here >= 0);
  useEffect(() => {
    const decided = waited.current && here < 0;
    waited.current = here >= 0;
    const at = document.activeElement;
    // Whoever decided goes on from here: the card above is as long as it was, and has nothing more to press.
    if (decided && (at === document.body || at?.closest("[data-decide]") || (at instanceof HTMLElement && at.tabIndex < 0 && at.closest("[data-approval]")))) area.current?.querySelector<HTMLElement>("button,a")?.focus();
  }, [here]);
  return (
    <div ref={area} className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
      {next && (
        <Button small look={here >= 0 ? "plain" : "primary"} icon={ArrowRight} className="max-w-full" onClick={() => go("approvals", next.id)}>
          <span className="truncate">{t("approvals.nextOfThatWait", { count: others.length, more: more ? "yes" : "no", one: others.length === 1 && !more ? "yes" : "no", title: prose(told(next.title)) })}</span>
        </Button>
      )}
      {!next && here < 0 && <p className="text-ink-2">{t("approvals.nothingElseWaitsForYou")}</p>}
      {session && <a className="text-accent underline underline-offset-2" href={href("sessions", session)}>{t("approvals.openTheSession")}</a>}
    </div>
  );
}
