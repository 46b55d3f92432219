import { TriangleAlert } from "lucide-react";
import { useMemo } from "react";
import type { Approval } from "@/api/types";
import { recordKinds } from "@/records/kinds";
import { t } from "@/text/language";
import { VisibleText } from "./VisibleText";
import { changesNow, summaryOf, wordsOf, type Words } from "./words";
import { toldCaution } from "@/text/failure";

/** What the request means: who, with whom, when, where and why. */
export function Meaning({ approval }: { approval: Approval }) {
  const kinds = recordKinds();
  const words = useMemo(() => {
    const changed = changesNow(approval).map((change) => wordsOf(change, approval.places ?? []));
    const said = summaryOf(approval);
    // What the tool says stands for its records; of them only the text of a note is left to read.
    return said ? [{ what: "", facts: said }, ...changed.filter(({ note }) => note).map(({ note }) => ({ what: "", facts: [], note }))] as Words[] : changed;
  }, [approval, kinds]);
  if (!words.some(({ facts, note }) => facts.length > 0 || note)) return null;
  return (
    <section aria-label={t("approvals.inWords")} className="space-y-2">
      {words.map(({ what, facts, note }, index) => (
        <div key={index}>
          {what && <h4 className="font-semibold">{what}</h4>}
          <dl className="grid grid-cols-[minmax(5rem,auto)_1fr] gap-x-4 gap-y-0.5 max-sm:grid-cols-1">
            {facts.map(({ label, before, text }) => (
              <div key={label} className="contents">
                <dt className="text-ink-2"><VisibleText text={label} /></dt>
                <dd className="wrap-anywhere">
                  {before && <><s className="text-ink-2"><VisibleText line text={before} /></s><span className="sr-only"> {t("approvals.becomes")} </span><span aria-hidden> → </span></>}
                  {text ? <VisibleText line text={text} /> : <span className="text-ink-2">{t("approvals.nothing")}</span>}
                </dd>
              </div>
            ))}
          </dl>
          {note && <p className="mt-1 rounded-md border bg-sunken p-2 whitespace-pre-wrap wrap-anywhere"><VisibleText text={note} /></p>}
        </div>
      ))}
    </section>
  );
}

/** What speaks against it, as far as the records and other requests tell; then says that it is what whoever decided saw. */
export function Cautions({ warnings, then = false }: { warnings: readonly string[]; then?: boolean }) {
  if (warnings.length === 0) return null;
  return (
    <ul aria-label={then ? t("approvals.warningsThen") : t("approvals.warnings")} className="space-y-1 rounded-md border border-degraded bg-degraded-soft p-2">
      {then && <li aria-hidden className="text-xs text-ink-2">{t("approvals.warningsThen")}</li>}
      {warnings.map((warning) => (
        <li key={warning} className="flex gap-2">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-degraded" />
          <span className="min-w-0 wrap-anywhere"><VisibleText prose text={toldCaution(warning)} /></span>
        </li>
      ))}
    </ul>
  );
}
