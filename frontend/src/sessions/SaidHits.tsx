import { useInfiniteQuery } from "@tanstack/react-query";
import { MessageSquareText } from "lucide-react";
import { href } from "@/shell/route";
import { setUi } from "@/shell/ui";
import { t } from "@/text/language";
import { visibleText } from "@/text/visible";
import { dayText } from "@/text/zone";
import { transport } from "@/transport";
import { Button } from "@/ui/Button";
import { ErrorNote, Loading } from "@/ui/Notice";
import { Time } from "@/ui/Time";

interface Hit {
  session: string;
  title: string;
  subject_name?: string;
  turn: string;
  reply: boolean;
  at: string;
  excerpt: string;
}

interface Page {
  hits: Hit[] | null;
  next: string;
  until: string;
  /** What people told an agent of theirs was passed over. */
  apart?: boolean;
}

/** Messages and replies that have all the words, newest session first. What somebody told an agent of theirs is found from a session of theirs, which is open. */
export function SaidHits({ query, open }: { query: string; open: string }) {
  const read = useInfiniteQuery({
    queryKey: ["api", "search", query, open],
    initialPageParam: "",
    queryFn: ({ pageParam }) => transport().read<Page>(`/api/search?${new URLSearchParams({ q: query, before: pageParam, from: open })}`),
    getNextPageParam: (page: Page) => page.next || undefined,
  });
  const pages = read.data?.pages ?? [];
  const hits = pages.flatMap((page) => page.hits ?? []);
  const until = pages.at(-1)?.until ?? "";
  return (
    <section aria-label={t("sessions.inWhatWasSaid")}>
      <h2 className="border-y bg-sunken px-tight py-0.5 text-xs font-semibold text-ink-2">{t("sessions.inWhatWasSaid")}</h2>
      {read.error && <div className="p-tight"><ErrorNote error={read.error} retry={() => void read.refetch()} /></div>}
      {read.isPending && <Loading what={t("sessions.searching")} />}
      {read.data && hits.length === 0 && !read.hasNextPage && <p className="px-tight py-2 text-sm text-ink-2">{t("sessions.noMessageAndNoReplyHas")}</p>}
      <ul>
        {hits.map((hit) => (
          <li key={`${hit.turn} ${hit.reply}`} className="border-b">
            <a
              href={href("sessions", hit.session, hit.turn)}
              onClick={() => setUi({ pane: "conversation", finding: query.split(/\s+/)[0] ?? "" })}
              className="block px-tight py-1.5 hover:bg-hover"
            >
              <span className="flex items-center gap-1.5 text-xs text-ink-2">
                <MessageSquareText aria-hidden className="size-3.5 shrink-0" />
                <span className="min-w-0 flex-1 truncate">{hit.reply ? t("sessions.answered") : t("sessions.you")} · {visibleText(hit.subject_name || hit.title)}</span>
                <Time at={hit.at} className="text-ink-3" />
              </span>
              <span className="line-clamp-3 text-sm wrap-anywhere">{visibleText(hit.excerpt)}</span>
            </a>
          </li>
        ))}
      </ul>
      {pages.some((page) => page.apart) && <p className="px-tight py-2 text-sm text-ink-2">{t("sessions.toldApart")}</p>}
      {read.hasNextPage && (
        <div className="space-y-1 p-tight text-sm text-ink-2">
          <p>{t("sessions.searchedBackTo", { until: dayText(until) })}</p>
          <Button small disabled={read.isFetchingNextPage} onClick={() => void read.fetchNextPage()}>{t("sessions.searchFurtherBack")}</Button>
        </div>
      )}
    </section>
  );
}
