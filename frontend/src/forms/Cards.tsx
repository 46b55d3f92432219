import { useRead } from "@/api/query";
import type { RecordFull } from "@/api/types";
import { href } from "@/shell/route";
import { t } from "@/text/language";
import { toldDetails } from "@/text/told";
import { visibleText } from "@/text/visible";

/** Cards that are shown at once: each is a read. */
const MOST = 8;

/** Records in short, each opening its record. */
export function Cards({ refs }: { refs: readonly (readonly [string, string])[] }) {
  return (
    <>
      <ul className="grid gap-2 sm:grid-cols-2">
        {refs.slice(0, MOST).map(([type, id]) => <li key={`${type}/${id}`} className="min-w-0"><Card type={type} id={id} /></li>)}
      </ul>
      {refs.length > MOST && <p className="text-xs text-ink-2">{t("forms.moreAreNamed", { n: refs.length - MOST })}</p>}
    </>
  );
}

function Card({ type, id }: { type: string; id: string }) {
  const { data } = useRead<RecordFull>(`/api/records/${encodeURIComponent(type)}/${encodeURIComponent(id)}`, { staleTime: 60_000 });
  return (
    <a href={href("records", type, id)} className="block h-full rounded-md border bg-surface px-3 py-2 hover:bg-hover">
      <span className="block text-xs text-ink-3">{type}</span>
      <span className="block font-medium text-accent underline underline-offset-2 wrap-anywhere">{visibleText(data?.title || id)}</span>
      {data?.subtitle && <span className="block text-xs text-ink-2 wrap-anywhere">{visibleText(toldDetails(data.subtitle))}</span>}
    </a>
  );
}
