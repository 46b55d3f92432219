import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { BookOpen, RotateCw, Search } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { keyOf, useCall, useRead } from "@/api/query";
import { DropZone } from "@/models/DropZone";
import { ImportButton } from "@/models/ImportButton";
import { currentJobs, useClosedJobs, useJobsOf } from "@/models/jobs";
import { href } from "@/shell/route";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { prose, visibleText } from "@/text/visible";
import { transport } from "@/transport";
import { Button } from "@/ui/Button";
import { inputLook } from "@/ui/Field";
import { Empty, ErrorNote, Loading } from "@/ui/Notice";
import { sayError } from "@/ui/toasts";
import { Imports } from "./Imports";
import { Online } from "./Online";
import { Reader } from "./Reader";
import { kindTitles, type Answer, type LibraryDocument, type LibraryPage } from "./types";

/** Documents that were imported: a list, a search over their passages, and a reader. */
export function LibraryScreen({ id, place }: { id: string; place: string }) {
  const [asked, setAsked] = useState("");
  const [source, setSource] = useState("");
  const [kind, setKind] = useState("");
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  const question = useDeferredValue(asked.trim());
  const { data, error, isPending, refetch } = useRead<LibraryPage>("/api/library?limit=1");
  const reindex = useCall<Record<string, never>>("reindex_library");
  const closed = useClosedJobs((state) => state.closed);
  const jobs = currentJobs(useJobsOf("import_library", "index_library"), closed, Date.now());
  if (error)
    return (
      <div className="p-pad">
        <ErrorNote error={error} title={t("library.theLibraryCouldNotBeRead")} retry={() => void refetch()} />
      </div>
    );
  if (isPending) return <Loading what={t("library.readingTheLibrary")} />;
  const imports = (
    <>
      <ImportButton kind="library" look="primary">{t("library.importDocuments")}</ImportButton>
      <ImportButton kind="library" folder>{t("library.importAFolder")}</ImportButton>
    </>
  );
  const progress = jobs.length > 0 && <Imports jobs={jobs} />;
  const filter = new URLSearchParams(Object.entries({ source, type: kind, from: date.test(from) ? from : "", to: date.test(to) ? to : "" }).filter(([, value]) => value)).toString();
  return (
    <DropZone kind="library" className="flex h-full min-h-0 flex-col">
      <header className="flex shrink-0 flex-wrap items-center gap-2 border-b bg-surface px-pad py-tight">
        <h1 className="text-xl font-semibold">{t("library.library")}</h1>
        <p className="mr-auto text-sm text-ink-3">
          {t("library.documentsPassages", { documents: data.documents, passages: data.passages })}
          {data.documents > 0 && (data.meaning ? t("library.foundByWordsAndByMeaning") : t("library.foundByWordsOnly"))}
        </p>
        <a href={href("library", "online")} className="text-accent underline underline-offset-2">{t("library.searchOnline")}</a>
        {data.documents > 0 && <>
          <Button icon={RotateCw} look="quiet" disabled={reindex.isPending} onClick={() => reindex.mutate({}, { onError: sayError })}>{t("library.indexAnew")}</Button>
          {imports}
        </>}
      </header>
      {progress}
      {data.documents === 0 && id === "online" ? <div className="min-h-0 flex-1 overflow-auto"><Online /></div> : data.documents === 0 ? (
        <Empty icon={BookOpen} title={t("library.noDocumentsYet")} action={<div className="flex flex-wrap justify-center gap-2">{imports}</div>}>
          {t("library.importPapersGuidelinesAndNotesOr")} {data.pdf ? t("library.pdfTextMarkdownHtmlExports") : t("library.textMarkdownHtmlExportsOfPubmed")} {data.pdf ? "" : t("library.thisBuildReadsNoPdfs")}
        </Empty>
      ) : (
        <div className="flex min-h-0 flex-1 flex-col lg:flex-row">
          <div className={`flex min-h-0 min-w-0 flex-1 flex-col bg-surface lg:w-[min(32rem,45%)] lg:flex-none lg:border-r ${id ? "hidden lg:flex" : ""}`}>
            <search className="shrink-0 space-y-2 border-b p-2">
              <label className="relative block">
                <span className="sr-only">{t("library.searchTheLibrary")}</span>
                <Search aria-hidden className="absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-ink-3" />
                <input type="search" value={asked} onChange={(event) => setAsked(event.target.value)} placeholder={t("library.wordsAPhraseOrAQuestion")} className={`${inputLook} pl-8`} />
              </label>
              <div className="flex flex-wrap gap-2 text-sm">
                <select aria-label={t("library.source")} value={source} onChange={(event) => setSource(event.target.value)} className={`${inputLook} max-w-40 flex-1`}>
                  <option value="">{t("library.allSources")}</option>
                  {data.sources.map((one) => <option key={one.source} value={one.source}>{visibleText(one.source)} ({one.documents})</option>)}
                </select>
                <select aria-label={t("library.type")} value={kind} onChange={(event) => setKind(event.target.value)} className={`${inputLook} max-w-40 flex-1`}>
                  <option value="">{t("library.allTypes")}</option>
                  {Object.entries(data.kinds).map(([name, count]) => <option key={name} value={name}>{kindTitles[name] ?? name} ({count})</option>)}
                </select>
                {question && <>
                  <input aria-label={t("library.fromDate")} aria-invalid={from !== "" && !date.test(from)} value={from} onChange={(event) => setFrom(event.target.value)} placeholder={t("library.from2011")} className={`${inputLook} max-w-28 flex-1`} />
                  <input aria-label={t("library.toDate")} aria-invalid={to !== "" && !date.test(to)} value={to} onChange={(event) => setTo(event.target.value)} placeholder={t("library.to202405")} className={`${inputLook} max-w-28 flex-1`} />
                </>}
              </div>
            </search>
            <div className="min-h-0 flex-1 overflow-auto">
              {question ? <Hits question={question} filter={filter} selected={id} /> : <Documents filter={filter} selected={id} />}
            </div>
          </div>
          <div className={`min-h-0 min-w-0 flex-1 overflow-auto ${id ? "" : "hidden lg:block"}`}>
            {id === "online" ? <Online /> : id ? <Reader key={`${id}/${place}`} id={id} place={Number(place) || 0} /> : (
              <Empty icon={BookOpen} title={t("library.chooseADocument")}>{t("library.itsTextIsShownHereBy")}</Empty>
            )}
          </div>
        </div>
      )}
    </DropZone>
  );
}

/** A whole date, month or year; while one is typed it bounds nothing. */
const date = /^\d{4}(-\d\d(-\d\d)?)?$/;

/** All documents, in the order in which they came. */
function Documents({ filter, selected }: { filter: string; selected: string }) {
  const base = `/api/library?limit=50&${filter}`;
  const { data, error, isPending, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [...keyOf(base), "pages"],
    queryFn: ({ pageParam }) => transport().read<LibraryPage>(`${base}&after=${encodeURIComponent(pageParam)}`),
    initialPageParam: "",
    getNextPageParam: (page) => page.next || undefined,
    placeholderData: keepPreviousData,
  });
  if (error) return <div className="p-3"><ErrorNote error={error} retry={() => void refetch()} /></div>;
  if (isPending) return <Loading />;
  const rows = data.pages.flatMap((page) => page.list);
  if (rows.length === 0) return <Empty title={t("library.noDocumentOfThisKind")}>{t("library.chooseAnotherSourceOrType")}</Empty>;
  return (
    <>
      <ul className="divide-y" aria-label={t("library.documents")}>
        {rows.map((one) => <li key={one.id}><Line document={one} selected={one.id === selected} /></li>)}
      </ul>
      {hasNextPage && (
        <div className="p-3 text-center">
          <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>{isFetchingNextPage ? t("library.reading") : t("library.showMore")}</Button>
        </div>
      )}
    </>
  );
}

function Line({ document, selected }: { document: LibraryDocument; selected: boolean }) {
  return (
    <a href={href("library", document.id)} aria-current={selected ? "page" : undefined} className={`block px-3 py-tight hover:bg-hover ${selected ? "bg-accent-soft" : ""}`}>
      <span className="block truncate font-medium">{visibleText(document.title || document.name)}</span>
      <span className="block truncate text-xs text-ink-3">
        {[kindTitles[document.kind] ?? document.kind, document.date, visibleText(document.source), document.pages ? t("library.pages", { pages: document.pages }) : t("library.passages", { passages: document.passages })].filter(Boolean).join(" · ")}
      </span>
    </a>
  );
}

/** What a search found, the words marked. */
function Hits({ question, filter, selected }: { question: string; filter: string; selected: string }) {
  const { data, error, isPending, refetch } = useRead<Answer>(`/api/library/search?q=${encodeURIComponent(question)}&limit=20&${filter}`, { placeholderData: keepPreviousData });
  if (error) return <div className="p-3"><ErrorNote error={error} retry={() => void refetch()} /></div>;
  if (isPending) return <Loading what={t("library.searching")} />;
  return (
    <>
      {data.note && <p role="status" className="border-b px-3 py-tight text-sm text-ink-2">{prose(told(data.note))}</p>}
      {data.hits.length > 0 && !data.hits.some(({ found }) => found.some(({ parts }) => parts.some(({ marked }) => marked))) && <p role="status" className="border-b px-3 py-tight text-sm text-ink-2">{t("library.onlyByMeaning")}</p>}
      {data.hits.length === 0 && <Empty title={t("library.nothingFound")}>{t("library.noPassageHasTheseWords")}{data.by === "words" ? "" : t("library.orMeansThis")}.</Empty>}
      <ol className="divide-y" aria-label={t("library.whatWasFound")}>
        {data.hits.map((hit) => (
          <li key={hit.id}>
            <Line document={hit} selected={hit.id === selected} />
            <ul>
              {hit.found.map((one) => (
                <li key={one.n}>
                  <a href={href("library", hit.id, String(one.n))} className="block px-3 py-tight pl-6 text-sm text-ink-2 hover:bg-hover">
                    <span className="text-xs text-ink-3">{one.page ? t("library.page", { page: one.page }) : t("library.passage", { place: one.place })}{one.heading ? ` · ${visibleText(one.heading)}` : ""}</span>
                    <span className="line-clamp-4 wrap-anywhere">
                      {one.parts.map((part, index) => part.marked ? <mark key={index} className="rounded-sm bg-run-soft font-medium text-ink">{visibleText(part.text)}</mark> : <span key={index}>{visibleText(part.text)}</span>)}
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </>
  );
}
