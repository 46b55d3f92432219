import { Ban, CirclePlus } from "lucide-react";
import type { MutationView } from "@/journal/view";
import { VisibleText } from "@/approvals/VisibleText";
import { toldFailure } from "@/text/failure";
import { t } from "@/text/language";
import { plain } from "@/text/names";
import { mutationText } from "./mutations";

/** How a model changed the graph of its own run, and what it was not allowed to. */
export function Mutations({ mutations, onSelect }: { mutations: readonly MutationView[]; onSelect: (key: string) => void }) {
  if (mutations.length === 0) return null;
  const refused = mutations.filter((one) => one.refused).length;
  const made = mutations.length - refused;
  return (
    <details className="text-xs">
      <summary className="w-fit cursor-pointer rounded-sm text-ink-2 hover:text-ink">
        {t("graph.theModelChangedThisGraphChanges", { made })}{refused > 0 && t("graph.refused", { refused })}
      </summary>
      <ol aria-label={t("graph.changesOfTheGraph")} className="mt-1 max-h-40 space-y-1 overflow-auto" tabIndex={0}>
        {mutations.map((one) => (
          <li key={one.seq} className="flex items-start gap-1.5">
            {one.refused ? <Ban aria-hidden className="mt-0.5 size-3.5 shrink-0 text-failed" /> : <CirclePlus aria-hidden className="mt-0.5 size-3.5 shrink-0 text-ink-3" />}
            <p className="min-w-0 wrap-anywhere">
              <span className={`font-medium ${one.refused ? "text-failed" : ""}`}>{one.refused ? t("graph.refused2") : t("graph.made")}:</span>{" "}
              <button type="button" onClick={() => onSelect(one.stage)} className="rounded-sm text-accent underline underline-offset-2">{plain(one.stage.split("/").pop()!)}</button>{" "}
              {mutationText(one)}
              {one.reason && <span className="text-ink-2"> — {t("text.quoteBegins")}<VisibleText text={one.reason} />{t("text.quoteEnds")}</span>}
              {one.error && <span className="text-failed"> {t("graph.whyNot")} <VisibleText text={toldFailure(one.error)} />{one.hook && ` (${one.hook})`}</span>}
            </p>
          </li>
        ))}
      </ol>
    </details>
  );
}
