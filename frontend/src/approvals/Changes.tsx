import { useMemo } from "react";
import type { Approval } from "@/api/types";
import { rich, t } from "@/text/language";
import { valueAt } from "@/records/code";
import { typeName } from "@/subject/subject";
import { visibleText } from "@/text/visible";
import { isInstant, momentText } from "@/text/zone";
import { differences, type Difference } from "./arguments";
import { plainName, plainPath, technical } from "./plainName";
import { VisibleText } from "./VisibleText";
import { decoded } from "./words";

/** What the call will do to each record: before and after, field by field. */
export function Changes({ changes, names, raw = false, tense = "ahead" }: {
  changes: Approval["changes"];
  /** What people call the records, by TYPE/ID. */
  names?: Record<string, string> | null;
  /** Shows records and fields by the names that they are stored under. */
  raw?: boolean;
  tense?: Tense;
}) {
  if (!changes?.length) return <p className="text-ink-2">{t("approvals.noneOfHoldpointsRecords")}</p>;
  return (
    <div className="space-y-2">
      {changes.map((change, index) => <Change key={index} change={change} name={names?.[`${change.ref.type}/${change.ref.id}`] ?? ""} raw={raw} tense={tense} />)}
    </div>
  );
}

/** A time in the clinic’s zone and a code in words, as everywhere else; raw, as it is stored. */
const said = (path: string, text: string, raw: boolean): string => (raw ? text : isInstant(text) ? momentText(text) : valueAt(path, text));

/** Whether it waits to be done, was done, or was not. */
type Tense = "ahead" | "done" | "undone";

const verbs = {
  ahead: { make: "approvals.willBeCreated", remove: "approvals.willBeDeleted", change: "approvals.willChange" },
  done: { make: "approvals.wasCreated", remove: "approvals.wasDeleted", change: "approvals.wasChanged" },
  undone: { make: "approvals.wouldHaveBeenCreated", remove: "approvals.wouldHaveBeenDeleted", change: "approvals.wouldHaveBeenChanged" },
} as const;

function Change({ change, name: title, raw, tense }: { change: NonNullable<Approval["changes"]>[number]; name: string; raw: boolean; tense: Tense }) {
  const { changed, same } = useMemo(() => differences(decoded(change.before), decoded(change.after)), [change]);
  // Of a record that is there already, a new number is no small print; raw names show all as it is stored.
  const fold = !raw && change.before === null && changed.some(({ path }) => !technical(path));
  const plain = fold ? changed.filter(({ path }) => !technical(path)) : changed;
  const folded = fold ? changed.filter(({ path }) => technical(path)) : [];
  const what = changed.length === 0 ? t("approvals.isSoAlready") : t(verbs[tense][change.before === null ? "make" : change.after === null ? "remove" : "change"]);
  const name = `${change.ref.type}/${change.ref.id}`;
  const words = plainName(typeName(change.ref.type)) + (title && !isInstant(title) ? ` ${t("text.quoted", { text: visibleText(title) })}` : "");
  return (
    <div className="rounded-md border">
      <p className="border-b bg-sunken px-2 py-1 text-sm">
        {rich("approvals.whatBecomesOf", { what, name: () => (raw ? <span className="font-mono wrap-anywhere"><VisibleText text={name} /></span> : <span className="wrap-anywhere"><VisibleText prose text={words} /></span>) })}
        {same > 0 && <span className="text-ink-3"> {t("approvals.fieldsStayAsTheyAre", { same })}</span>}
      </p>
      <div role="region" aria-label={t("approvals.changesTo", { name: raw ? visibleText(name) : words })}>
        <Lines lines={plain} raw={raw} />
        {folded.length > 0 && (
          <details className="border-t">
            <summary className="cursor-pointer px-2 py-1 text-xs text-ink-2">{t("approvals.technicalFields", { n: folded.length })}</summary>
            <Lines lines={folded} raw={raw} />
          </details>
        )}
      </div>
    </div>
  );
}

function Lines({ lines, raw }: { lines: readonly Difference[]; raw: boolean }) {
  return (
    <table className="w-full table-fixed border-collapse text-sm">
      <thead className="sr-only">
        <tr><th>{t("approvals.field")}</th><th>{t("approvals.before")}</th><th>{t("approvals.after")}</th></tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.path} className="border-b align-top last:border-b-0">
            <th scope="row" className="w-1/3 px-2 py-1 text-left text-xs font-normal text-ink-2 wrap-anywhere"><span className={raw ? "font-mono" : ""}><VisibleText text={raw ? line.path : plainPath(line.path)} /></span></th>
            <td className="p-0 font-mono text-xs wrap-anywhere whitespace-pre-wrap">
              {line.before !== null && <div className="bg-minus-soft px-2 py-1 text-minus"><span aria-hidden>− </span><span className="sr-only">{t("approvals.before2")} </span><VisibleText text={said(line.path, line.before, raw)} /></div>}
              {line.after !== null && <div className="bg-plus-soft px-2 py-1 text-plus"><span aria-hidden>+ </span><span className="sr-only">{t("approvals.after2")} </span><VisibleText text={said(line.path, line.after, raw)} /></div>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
