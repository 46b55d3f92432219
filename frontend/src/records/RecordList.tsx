import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { keyOf } from "@/api/query";
import type { RecordRow } from "@/api/types";
import { href } from "@/shell/route";
import { t } from "@/text/language";
import { recordTitle } from "@/subject/subject";
import { toldDetails } from "@/text/told";
import { visibleName } from "@/text/visible";
import { transport } from "@/transport";
import { Button } from "@/ui/Button";
import { inputLook } from "@/ui/Field";
import { Empty, ErrorNote, Loading } from "@/ui/Notice";
import { useLongList } from "@/ui/longList";
import { Time } from "@/ui/Time";
import { typeTitle } from "./summary";

interface Page {
  records: RecordRow[] | null;
  next: string;
}

/** Records of one type, a page at a time, searched by what their titles say. */
export function RecordList({ type, selected }: { type: string; selected: string }) {
  const [search, setSearch] = useState("");
  const wanted = useDeferredValue(search.trim());
  const base = `/api/records/${encodeURIComponent(type)}?limit=50&search=${encodeURIComponent(wanted)}`;
  const { data, error, isPending, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [...keyOf(base), "pages"],
    queryFn: ({ pageParam }) => transport().read<Page>(`${base}&after=${encodeURIComponent(pageParam)}`),
    initialPageParam: "",
    getNextPageParam: (page) => page.next || undefined,
    placeholderData: keepPreviousData,
  });
  const rows = data?.pages.flatMap((page) => page.records ?? []) ?? [];
  const long = useLongList({ count: rows.length, estimate: 52, keyOf: (index) => rows[index]!.id });
  return (
    <section aria-label={typeTitle(type)} className="flex h-full min-h-0 flex-col bg-surface">
      <div className="shrink-0 border-b p-2">
        <label className="relative block">
          <span className="sr-only">{t("records.search", { type: typeTitle(type).toLowerCase() })}</span>
          <Search aria-hidden className="absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-ink-3" />
          <input
            type="search"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            placeholder={t("records.search", { type: typeTitle(type).toLowerCase() })}
            className={`${inputLook} pl-8`}
          />
        </label>
      </div>
      <div className="min-h-0 flex-1 overflow-auto">
        {error ? (
          <div className="p-3">
            <ErrorNote error={error} title={t("records.theseRecordsCouldNotBeRead")} retry={() => void refetch()} />
          </div>
        ) : isPending ? (
          <Loading />
        ) : rows.length === 0 ? (
          <Empty
            title={wanted ? t("records.nothingFound") : t("records.noRecordsOfThisType")}
            action={wanted ? <Button onClick={() => setSearch("")}>{t("records.clearTheSearch")}</Button> : undefined}
          >
            {wanted ? t("records.noTitleOrDetailHas", { wanted }) : undefined}
          </Empty>
        ) : (
          <>
            <ul {...long.list} className="divide-y">
              {long.indexes.map((index) => ({ row: rows[index]!, place: long.row(index) })).map(({ row, place }) => (
                <li key={row.id} {...place}>
                  <a
                    href={href("records", type, row.id)}
                    aria-current={row.id === selected ? "page" : undefined}
                    className={`block px-3 py-tight hover:bg-hover ${row.id === selected ? "bg-accent-soft" : ""}`}
                  >
                    <span className="block truncate font-medium">{visibleName(recordTitle(type, row.title || row.id))}</span>
                    <span className="flex justify-between gap-3 text-xs text-ink-3">
                      <span className="truncate">{visibleName(toldDetails(row.subtitle))}</span>
                      <Time at={row.updated_at} />
                    </span>
                  </a>
                </li>
              ))}
            </ul>
            {hasNextPage && (
              <div className="p-3 text-center">
                <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                  {isFetchingNextPage ? t("records.reading2") : t("records.showMore")}
                </Button>
              </div>
            )}
          </>
        )}
      </div>
    </section>
  );
}
