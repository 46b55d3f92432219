import { useMemo } from "react";
import type { Approval } from "@/api/types";
import { t } from "@/text/language";
import { differences } from "./arguments";
import { VisibleText } from "./VisibleText";
import { decoded } from "./words";

/** What the call will do to each record: before and after, field by field. */
export function Changes({ changes }: { changes: Approval["changes"] }) {
  if (!changes?.length) return <p className="text-ink-2">{t("approvals.noneOfHoldpointsRecords")}</p>;
  return (
    <div className="space-y-2">
      {changes.map((change, index) => <Change key={index} change={change} />)}
    </div>
  );
}

function Change({ change }: { change: NonNullable<Approval["changes"]>[number] }) {
  const { changed, same } = useMemo(() => differences(decoded(change.before), decoded(change.after)), [change]);
  const what = change.before === null ? t("approvals.willBeCreated") : change.after === null ? t("approvals.willBeDeleted") : t("approvals.willChange");
  const name = `${change.ref.type}/${change.ref.id}`;
  return (
    <div className="rounded-md border">
      <p className="border-b bg-sunken px-2 py-1 text-sm">
        <span className="font-mono wrap-anywhere"><VisibleText text={name} /></span> {what}
        {same > 0 && <span className="text-ink-3"> {t("approvals.fieldsStayAsTheyAre", { same })}</span>}
      </p>
      <div role="region" aria-label={t("approvals.changesTo", { name })}>
        <table className="w-full table-fixed border-collapse text-sm">
          <thead className="sr-only">
            <tr><th>{t("approvals.field")}</th><th>{t("approvals.before")}</th><th>{t("approvals.after")}</th></tr>
          </thead>
          <tbody>
            {changed.map((line) => (
              <tr key={line.path} className="border-b align-top last:border-b-0">
                <th scope="row" className="w-1/3 px-2 py-1 text-left font-mono text-xs font-normal text-ink-2 wrap-anywhere"><VisibleText text={line.path} /></th>
                <td className="p-0 font-mono text-xs wrap-anywhere whitespace-pre-wrap">
                  {line.before !== null && <div className="bg-minus-soft px-2 py-1 text-minus"><span aria-hidden>− </span><span className="sr-only">{t("approvals.before2")} </span><VisibleText text={line.before} /></div>}
                  {line.after !== null && <div className="bg-plus-soft px-2 py-1 text-plus"><span aria-hidden>+ </span><span className="sr-only">{t("approvals.after2")} </span><VisibleText text={line.after} /></div>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
