import { href } from "@/shell/route";
import { t } from "@/text/language";
import { visibleText } from "@/text/visible";
import type { Board, Conflict, Evidence } from "./types";

const whereOf = (one: Evidence) => (one.page ? t("board.page", { page: one.page }) : t("board.passage", { place: one.place }));

/** Where a passage stands: a link into the reader, or `inert` where one would lead away from what is being typed. */
export function Source({ one, inert = false }: { one: Evidence; inert?: boolean }) {
  const name = `${visibleText(one.title || one.id)}${one.date ? ` (${visibleText(one.date)})` : ""}, ${whereOf(one)}`;
  return (
    <>
      {inert ? <span className="text-ink-2 wrap-anywhere">{name}</span> : <a href={href("library", one.document, String(one.passage))} className="text-accent underline underline-offset-2 wrap-anywhere">{name}</a>}
      {one.left && <span className="text-ink-2"> {one.left.next ? t("board.ofAnEarlierVersion") : t("board.noLongerInTheLibrary")}</span>}
    </>
  );
}

/** Both passages of a conflict, side by side, each with where it stands. */
export function Sides({ of, board, inert = false }: { of: Conflict; board: Board; inert?: boolean }) {
  return (
    <div className="grid gap-3 md:grid-cols-2">
      {([["A", of.source_a_id, "source_b"], ["B", of.source_b_id, "source_a"]] as const).map(([name, source, other]) => {
        const evidence = board.evidence.find(({ id }) => id === source);
        return (
          <div key={name} className="rounded-md border border-line p-2 text-sm">
            <h3 className="font-medium">{t("board.source", { name })}{of.outcome === other && t("board.setAside")}</h3>
            {evidence ? <><p className="my-1 whitespace-pre-line wrap-anywhere">{visibleText(evidence.text)}</p><Source one={evidence} inert={inert} /></> : <p>{source}</p>}
          </div>
        );
      })}
    </div>
  );
}
