import { ArrowLeft, Trash2, ZoomIn, ZoomOut } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useCall, useRead } from "@/api/query";
import { Fact, Facts } from "@/inspector/Detail";
import { cameFrom } from "@/shell/places";
import { go, href } from "@/shell/route";
import { bytes } from "@/text/format";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { prose, visibleText } from "@/text/visible";
import { readPicture } from "@/transport/http";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { ErrorNote, Loading } from "@/ui/Notice";
import { Time } from "@/ui/Time";
import { say, sayError } from "@/ui/toasts";
import { Kept } from "./Kept";
import { kindTitles, type CitedPassage, type LibraryDocument, type Passage } from "./types";

/** How many passages are read at a time. */
const STEP = 60;

/** A document by passages; that with the number cited is marked, and its page is drawn where there is one. Where only boards keep it, its text alone. */
export function Reader({ id, place: cited }: { id: string; place: number }) {
  const path = `/api/library/documents/${encodeURIComponent(id)}`;
  const remove = useCall<{ id: string }>("remove_document");
  // What is on its way out is not asked for again.
  const leaving = remove.isPending || remove.isSuccess;
  const ask = (one: string | null) => [one, { enabled: one !== null && !leaving }] as const;
  // The passage comes first, and anew: it says whether the library has its document still.
  const passage = cited > 0 ? `${path}/passages/${cited}` : null;
  const kept = useRead<CitedPassage>(passage, { enabled: passage !== null && !leaving, staleTime: 0 });
  const awaited = cited > 0 && !kept.isFetchedAfterMount;
  const head = useRead<LibraryDocument & { first: number }>(...ask(awaited || kept.data?.n === 0 ? null : `${path}?limit=1`));
  const place = kept.data?.n || cited;
  const offset = head.data && place ? Math.max(0, place - head.data.first) : 0;
  const [moved, setMoved] = useState<number | null>(null);
  const from = moved ?? Math.max(0, offset - 5);
  const { data, error, isPending, refetch } = useRead<LibraryDocument & { list: Passage[] }>(...ask(head.data ? `${path}?from=${from}&limit=${STEP}` : null));
  const [asking, setAsking] = useState(false);
  const citing = useRead<{ boards: unknown[] }>(asking && !leaving ? `${path}/boards` : null, { staleTime: 0 });
  const marked = useRef<HTMLParagraphElement>(null);
  const shown = data?.list.length ?? 0;
  useEffect(() => {
    if (shown > 0) marked.current?.scrollIntoView({ block: "center" });
  }, [shown]);
  const problem = head.error ?? error;
  const origin = cameFrom();
  const back = (
    <nav aria-label={t("library.back")} className="flex flex-wrap gap-x-4 gap-y-1">
      {origin && (
        <a href={origin.href} className="inline-flex items-center gap-1 text-accent underline underline-offset-2">
          <ArrowLeft aria-hidden className="size-4" /> {origin.screen === "board" ? t("library.backToTheBoard") : t("library.backToTheConversation")}
        </a>
      )}
      <a href={href("library")} className="inline-flex items-center gap-1 text-accent underline underline-offset-2 lg:hidden">
        <ArrowLeft aria-hidden className="size-4" /> {t("library.library")}
      </a>
    </nav>
  );
  if (kept.data?.n === 0) return <Kept one={kept.data} back={back} />;
  if (problem) return <div className="space-y-3 p-pad">{back}<ErrorNote error={problem} title={t("library.thisDocumentCouldNotBeRead")} retry={() => void refetch()} /></div>;
  if (isPending || !data) return <Loading what={t("library.readingTheDocument")} />;
  const page = data.list.find((one) => one.n === place)?.page ?? (data.kind === "pdf" ? data.list[0]?.page : undefined);
  const about = data.publication;
  return (
    <article className="mx-auto max-w-3xl space-y-5 p-pad">
      {back}
      <header className="flex flex-wrap items-start justify-between gap-3">
        <h2 className="min-w-0 flex-1 text-xl font-semibold wrap-anywhere">{visibleText(data.title || data.name)}</h2>
        <Button icon={Trash2} look="danger" onClick={() => setAsking(true)}>{t("library.remove")}</Button>
      </header>
      <Facts>
        <Fact name={t("library.from")}>{visibleText(`${data.source} / ${data.path}`)}</Fact>
        <Fact name={t("library.type")}>{kindTitles[data.kind] ?? data.kind}, {bytes(data.size)}{data.pages ? t("library.pages2", { pages: data.pages }) : ""}</Fact>
        {about?.authors && <Fact name={t("library.authors")}>{visibleText(about.authors.join("; "))}</Fact>}
        {about?.journal && <Fact name={t("library.journal")}>{visibleText(appeared(about, data.date))}</Fact>}
        {about?.doi && <Fact name="DOI"><span className="select-all">{visibleText(about.doi)}</span></Fact>}
        {about?.pmid && <Fact name="PMID"><span className="select-all">{about.pmid}</span></Fact>}
        {data.url && <Fact name={t("library.publishedAt")}>{visibleText(data.url)}</Fact>}
        {data.date && <Fact name={t("library.date")}>{data.date}</Fact>}
        <Fact name={t("library.imported")}><Time at={data.imported_at} /></Fact>
        {data.note && <Fact name={t("library.note")}>{prose(told(data.note))}</Fact>}
      </Facts>
      {data.kind === "pdf" && page && <Page key={page} id={id} page={page} passage={place} />}
      <section aria-label={t("library.text")} className="space-y-3">
        {from > 0 && <Button onClick={() => setMoved(Math.max(0, from - STEP))}>{t("library.showWhatComesBefore")}</Button>}
        {data.list.map((one, index) => {
          const before = data.list[index - 1];
          return (
            <div key={one.n}>
              {one.heading && one.heading !== before?.heading && <h3 className="mt-4 mb-1 font-semibold wrap-anywhere">{visibleText(one.heading)}</h3>}
              {one.page && one.page !== before?.page && (
                <p className="mt-4 mb-1 border-t pt-1 text-xs text-ink-3">
                  <a href={href("library", id, String(one.n))} className="underline underline-offset-2">{t("library.page2", { page: one.page })}</a>
                </p>
              )}
              <p ref={one.n === place ? marked : undefined} aria-current={one.n === place ? "true" : undefined} className={`whitespace-pre-line wrap-anywhere ${one.n === place ? "rounded-md bg-run-soft p-2" : ""}`}>
                {visibleText(withoutOverlap(one, index > 0))}
              </p>
            </div>
          );
        })}
        {from + data.list.length < data.passages && <Button onClick={() => setMoved(from + STEP)}>{t("library.showWhatFollows")}</Button>}
      </section>
      <Dialog open={asking} onOpenChange={setAsking} title={t("library.removeThisDocument")} description={t("library.itsTextItsPlacesInThe")}>
        {citing.error && <ErrorNote error={citing.error} />}
        {citing.data && citing.data.boards.length > 0 && <p className="mb-3 font-medium">{t("library.boardsCite", { boards: citing.data.boards.length })}</p>}
        <div className="flex justify-end gap-2">
          <Button onClick={() => setAsking(false)}>{t("library.keepIt")}</Button>
          <Button look="danger" icon={Trash2} disabled={remove.isPending || !citing.data} onClick={() => remove.mutate({ id }, { onError: sayError, onSuccess: () => { say(t("library.removed")); go("library"); } })}>{t("library.remove")}</Button>
        </div>
      </Dialog>
    </article>
  );
}

/** Journal, year, volume and pages as a reference has them: "Leaves 2014;9(2):7-11". */
function appeared({ journal = "", volume = "", issue, pages }: NonNullable<LibraryDocument["publication"]>, date = ""): string {
  const place = `${volume}${issue ? `(${issue})` : ""}${pages ? `:${pages}` : ""}`;
  return [`${journal} ${date.slice(0, 4)}`.trim(), place].filter(Boolean).join("; ");
}

/** A passage's text; what the one before ends with is left out behind it. The overlap counts bytes of UTF-8. */
function withoutOverlap({ text, overlap }: Passage, follows: boolean): string {
  if (!overlap || !follows) return text;
  return new TextDecoder().decode(new TextEncoder().encode(text).slice(overlap)).trimStart();
}

/** The page as it was printed, the passage marked. It is drawn by Holdpoint: nothing of the file runs here. */
function Page({ id, page, passage }: { id: string; page: number; passage: number }) {
  const [picture, setPicture] = useState("");
  const [large, setLarge] = useState(false);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    let gone = false;
    readPicture(`/api/library/documents/${encodeURIComponent(id)}/pages/${page}?width=1400&passage=${passage}`).then(
      (url) => { if (!gone) setPicture(url); },
      (problem: unknown) => { if (!gone) setError(problem); },
    );
    return () => {
      gone = true;
    };
  }, [id, page, passage]);
  if (error) return <ErrorNote error={error} title={t("library.thePageCouldNotBeDrawn")} />;
  if (!picture) return <Loading what={t("library.drawingPage", { page })} />;
  return (
    <div className="space-y-2">
      <Button small icon={large ? ZoomOut : ZoomIn} onClick={() => setLarge(!large)}>{large ? t("library.fitThePage") : t("library.enlargeThePage")}</Button>
      <div className="overflow-auto rounded-md border" tabIndex={0} role="region" aria-label={t("library.page2", { page })}>
        <img src={picture} alt={t("library.pageAsItWasPrintedIts", { page })} className={large ? "w-[1400px] max-w-none" : "w-full"} />
      </div>
    </div>
  );
}
