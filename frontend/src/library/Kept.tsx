import { Archive } from "lucide-react";
import type { ReactNode } from "react";
import { Fact, Facts } from "@/inspector/Detail";
import { href } from "@/shell/route";
import { absoluteTime } from "@/text/format";
import { t } from "@/text/language";
import { visibleText } from "@/text/visible";
import type { CitedPassage, Departure } from "./types";

/** What became of a document that the library no longer has as it was read. */
function departed({ at, next }: Departure): string {
  if (!at) return t("library.documentIsGone");
  return next ? t("library.textOfEarlierVersion", { at: absoluteTime(at) }) : t("library.documentWasRemoved", { at: absoluteTime(at) });
}

/** A passage that only boards keep: what they cite, under a heading that says what became of its document. */
export function Kept({ one, back }: { one: CitedPassage; back: ReactNode }) {
  return (
    <article className="mx-auto max-w-3xl space-y-5 p-pad">
      {back}
      <h2 className="text-xl font-semibold wrap-anywhere">{visibleText(one.title || one.name)}</h2>
      <div className="flex gap-3 rounded-md border p-3">
        <Archive aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-2" />
        <div className="space-y-1">
          <h3 className="font-medium">{departed(one.left ?? {})}</h3>
          <p className="text-ink-2">{t("library.keptByBoards")}</p>
          {one.now && <p><a href={href("library", one.now.id)} className="text-accent underline underline-offset-2 wrap-anywhere">{t("library.versionNow", { title: visibleText(one.now.title || one.now.name) })}</a></p>}
        </div>
      </div>
      <Facts>
        <Fact name={t("library.from")}>{visibleText(`${one.source} / ${one.name}`)}</Fact>
        {one.publication?.authors && <Fact name={t("library.authors")}>{visibleText(one.publication.authors.join("; "))}</Fact>}
        {one.url && <Fact name={t("library.publishedAt")}>{visibleText(one.url)}</Fact>}
        {one.date && <Fact name={t("library.date")}>{one.date}</Fact>}
      </Facts>
      <section aria-label={t("library.text")} className="space-y-1">
        {one.heading && <h3 className="font-semibold wrap-anywhere">{visibleText(one.heading)}</h3>}
        <p className="text-xs text-ink-3">{one.page ? t("library.page2", { page: one.page }) : t("library.passage", { place: one.place })}</p>
        <p aria-current="true" className="rounded-md bg-run-soft p-2 whitespace-pre-line wrap-anywhere">{visibleText(one.text)}</p>
      </section>
    </article>
  );
}
