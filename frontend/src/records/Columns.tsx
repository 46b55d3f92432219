import { useState } from "react";
import { useCall } from "@/api/query";
import type { Job } from "@/api/types";
import { closeJob, type Mapping, type Whole } from "@/models/jobs";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { visibleText } from "@/text/visible";
import { Button } from "@/ui/Button";
import { inputLook } from "@/ui/Field";
import { say, sayError } from "@/ui/toasts";
import { importAgain } from "./importing";

interface Choice {
  kind?: string;
  columns?: { [name: string]: string };
  set?: { [field: string]: string };
}

/** Lines of this file may need what a person says of all of them. */
const asked = ({ kinds, files, with: beside }: Whole, file: string, kind: string, said: (...fields: string[]) => boolean): boolean =>
  (!kinds?.length || kinds.includes(kind)) && ((!files?.length && !beside?.length) || Boolean(files?.some((end) => file.toLowerCase().endsWith(end))) || said(...(beside ?? [])));

/** What the columns of a file were taken for, to be changed for all files with the same columns. */
export function Columns({ job, file, mapping }: { job: Job; file: string; mapping: Mapping }) {
  const choose = useCall<{ source: string } & Choice, Mapping>("choose_columns");
  const [now, setNow] = useState(mapping);
  const [edit, setEdit] = useState<Choice>({});
  const kind = edit.kind ?? now.kind;
  const fieldOf = (column: { name: string; field: string }) => edit.columns?.[column.name] ?? column.field;
  const said = (...fields: string[]) => now.columns.some((column) => fields.includes(fieldOf(column)));
  const wholes = now.fields.flatMap(({ name, whole }) => (whole && !said(name) && asked(whole, file, kind, said) ? [{ name, whole }] : []));
  const changed = edit.kind !== undefined || edit.columns !== undefined || edit.set !== undefined;
  const again = importAgain(job);
  const send = (choice: Choice, then?: () => Promise<unknown>) =>
    choose.mutate(
      { source: now.source, ...choice },
      {
        onError: sayError,
        onSuccess: (kept) => {
          setNow(kept);
          setEdit({});
          if (then) {
            closeJob(job.id); // the next import says it all
            then().catch(sayError);
          }
          else say(t("records.theColumnsAreKept"));
        },
      },
    );
  return (
    <details className="mt-2 text-sm" open={mapping.kind === ""}>
      <summary className="cursor-pointer rounded-sm font-medium wrap-anywhere">{t("records.columnsOf", { file: visibleText(file) })}</summary>
      <div className="mt-2 space-y-2 rounded-md border p-3">
        <p className="text-ink-2">{t("records.whatColumnsMean")}{now.chosen && ` ${t("records.someOfItWasChosen")}`}</p>
        <div className="flex flex-wrap gap-3">
          <label className="block">
            <span className="mb-0.5 block font-medium">{t("records.aLineIs")}</span>
            <select className={`${inputLook} max-w-full`} value={kind} onChange={(event) => setEdit({ ...edit, kind: event.target.value })}>
              {kind === "" && <option value="">{t("records.notKnown")}</option>}
              {now.kinds.map((one) => <option key={one} value={one}>{told(one)}</option>)}
            </select>
          </label>
          {wholes.map(({ name, whole }) => (
            <label key={name} className="block">
              <span className="mb-0.5 block font-medium">{told(visibleText(whole.title))}</span>
              <select className={`${inputLook} max-w-full`} value={edit.set?.[name] ?? now.set?.[name] ?? ""} onChange={(event) => setEdit({ ...edit, set: { ...edit.set, [name]: event.target.value } })}>
                <option value="">{told(visibleText(whole.unsaid))}</option>
                {whole.choices.map((one) => <option key={one.value} value={one.value}>{told(visibleText(one.title))}</option>)}
              </select>
            </label>
          ))}
        </div>
        <div className="max-h-72 overflow-auto">
          <table className="w-full text-left">
            <thead><tr className="text-ink-2"><th scope="col" className="py-0.5 pr-3 font-medium">{t("records.column")}</th><th scope="col" className="py-0.5 font-medium">{t("records.means")}</th></tr></thead>
            <tbody>
              {now.columns.map((column, index) => (
                <tr key={index} className="border-t">
                  <th scope="row" className="py-0.5 pr-3 align-middle font-mono text-xs font-normal wrap-anywhere">{visibleText(column.name)}</th>
                  <td className="py-0.5">
                    <select
                      aria-label={t("records.columnMeans", { column: visibleText(column.name) })}
                      className={`${inputLook} w-full max-w-md`}
                      value={fieldOf(column)}
                      onChange={(event) => setEdit({ ...edit, columns: { ...edit.columns, [column.name]: event.target.value } })}
                    >
                      <option value="">{t("records.keptUnread")}</option>
                      {now.fields.map((field) => <option key={field.name} value={field.name}>{told(field.about)} ({field.name})</option>)}
                    </select>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          {again && <Button small look="primary" disabled={choose.isPending || (!changed && !now.chosen)} onClick={() => (changed ? send(edit, again) : void again().catch(sayError))}>{t("records.keepAndImportAgain")}</Button>}
          <Button small disabled={choose.isPending || !changed} onClick={() => send(edit)}>{t("records.keepForTheseColumns")}</Button>
          {now.chosen && <Button small disabled={choose.isPending} onClick={() => send({})}>{t("records.asProposed")}</Button>}
          {!again && <span className="text-ink-2">{t("records.chooseTheFileOnceMore")}</span>}
        </div>
      </div>
    </details>
  );
}
