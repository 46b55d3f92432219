import { CircleSlash, FileSearch, TriangleAlert } from "lucide-react";
import { Tooltip } from "radix-ui";
import { useId, useMemo, useState, type ReactNode } from "react";
import { VisibleText } from "@/approvals/VisibleText";
import { href } from "@/shell/route";
import { rich, t } from "@/text/language";
import { told } from "@/text/told";
import { visibleText } from "@/text/visible";
import { Button } from "@/ui/Button";
import { changedBoxes, goneBoxes, partsOf } from "./changed";
import type { Box, Form } from "./types";

type Filter = "all" | "missing" | "changed";

/** A form as a person reads it: every box with its label, value and source, and what is missing by name. */
export function FormView({ form, before, sources: shown = false, children }: {
  form: Form;
  /** As it was first asked for; what differs is shown as a change. */
  before?: Form | null;
  /** Sources stand beside the values from the start. */
  sources?: boolean;
  children?: ReactNode;
}) {
  const title = useId();
  const changed = useMemo(() => changedBoxes(form, before), [form, before]);
  const gone = useMemo(() => (before ? goneBoxes(form, before) : []), [form, before]);
  const missing = form.boxes.filter(({ status }) => status === "missing");
  const none = form.boxes.filter(({ status }) => status === "not applicable").length;
  const [filter, setFilter] = useState<Filter>(changed.size > 0 ? "changed" : "all");
  const [sources, setSources] = useState(shown);
  const boxes = filter === "missing" ? missing : filter === "changed" ? form.boxes.filter(({ id }) => changed.has(id)) : form.boxes;
  const filters: [Filter, string][] = [
    ["all", t("forms.showAll", { n: form.boxes.length })],
    ["missing", t("forms.showMissing", { n: missing.length })],
    ...(before ? [["changed", t("forms.showChanged", { n: changed.size })] as [Filter, string]] : []),
  ];
  return (
    <Tooltip.Provider delayDuration={150}>
      <section aria-labelledby={title} data-form={form.name} className="@container space-y-2">
        <header>
          <h4 id={title} className="text-lg font-semibold wrap-anywhere">{rich("forms.formNamed", { name: () => <VisibleText text={form.name} /> })}</h4>
          <p className="text-ink-2 wrap-anywhere"><VisibleText prose text={told(form.title)} /></p>
          <p className="text-sm wrap-anywhere"><WithLinks text={form.subject} /></p>
        </header>
        <p className="flex flex-wrap gap-x-3 text-sm">
          <span>{t("forms.boxesFilled", { n: form.boxes.length - missing.length - none, all: form.boxes.length })}</span>
          {missing.length > 0 && <span className="inline-flex items-center gap-1 text-degraded"><TriangleAlert aria-hidden className="size-3.5" />{t("forms.countMissing", { n: missing.length })}</span>}
          {none > 0 && <span className="text-ink-2">{t("forms.countNotApplicable", { n: none })}</span>}
        </p>
        {children}
        <div className="flex flex-wrap items-center justify-between gap-2">
          <div role="group" aria-label={t("forms.boxesToShow")} className="flex flex-wrap gap-1">
            {filters.map(([name, label]) => (
              <Button key={name} small look={filter === name ? "primary" : "plain"} aria-pressed={filter === name} onClick={() => setFilter(name)}>{label}</Button>
            ))}
          </div>
          <Button small look="quiet" aria-pressed={sources} onClick={() => setSources(!sources)}>{t("forms.sourcesBesideTheValues")}</Button>
        </div>
        {boxes.length === 0 ? (
          <p className="text-ink-2">{t("forms.noBoxIsMissing")}</p>
        ) : (
          <table className="w-full table-fixed border-collapse overflow-hidden rounded-md border bg-surface text-sm @max-md:block">
            <colgroup className="@max-md:hidden"><col className="w-12" /><col className="w-[40%]" /><col /></colgroup>
            <thead className="sr-only"><tr><th>{t("forms.box")}</th><th>{t("forms.whatItAsksFor")}</th><th>{t("forms.value")}</th></tr></thead>
            <tbody className="@max-md:block">
              {boxes.map((box) => (
                <tr key={box.id} data-box={box.id} data-status={box.status} className="border-b align-top last:border-b-0 @max-md:grid @max-md:grid-cols-[2.75rem_1fr]">
                  <td className="px-2 py-1.5 font-mono text-xs text-ink-3 wrap-anywhere @max-md:w-auto @max-md:pb-0">{short(box.id)}</td>
                  <th scope="row" className="px-2 py-1.5 text-left font-normal text-ink-2 wrap-anywhere @max-md:w-auto @max-md:pb-0"><VisibleText prose text={capital(told(box.label))} /></th>
                  <td className="px-2 py-1.5 wrap-anywhere @max-md:col-start-2 @max-md:pt-0.5">
                    {changed.has(box.id) ? <Change box={box} before={changed.get(box.id) ?? null} /> : <Value box={box} sources={sources} />}
                    {box.note && <p className="mt-0.5 text-xs text-ink-2"><WithLinks prose text={told(box.note)} /></p>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {gone.length > 0 && filter !== "missing" && <Lines title={t("forms.boxesThatTheAgentsFormHad")} lines={gone.map(({ id, label, value }) => t("text.named", { name: `${id} ${told(label)}`, what: value }))} />}
        <Lines title={t("forms.toBeAttached")} prose lines={form.attachments?.map(told)} />
        <Lines title={t("forms.builtOn")} prose lines={form.assumptions?.map(told)} />
        <Lines title={t("forms.notes")} prose lines={form.notes?.map(told)} />
        {form.layout && <p className="text-xs text-ink-2 wrap-anywhere">{rich("forms.layout", { text: () => <VisibleText prose text={told(form.layout)} /> })}</p>}
      </section>
    </Tooltip.Provider>
  );
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

/** The number on the form; names of parts are in the label. */
const short = (id: string) => visibleText(id.split(".")[0] ?? id);

const valueText = ({ value, unit }: Box) => (unit && !value.trimEnd().endsWith(unit) && !/[a-z]{2}$/i.test(value) ? `${value} ${unit}` : value);

function Value({ box, sources }: { box: Box; sources: boolean }) {
  if (box.status === "missing")
    return <span className="inline-flex items-center gap-1 font-medium text-degraded"><TriangleAlert aria-hidden className="size-3.5 shrink-0" />{t("forms.missing")}</span>;
  if (box.status === "not applicable")
    return <span className="inline-flex items-center gap-1 text-ink-2"><CircleSlash aria-hidden className="size-3.5 shrink-0" />{t("forms.notApplicable")}</span>;
  return (
    <>
      <span className="flex items-start gap-1">
        <span className="min-w-0 flex-1 whitespace-pre-wrap"><VisibleText text={valueText(box)} /></span>
        {!sources && <Source box={box} />}
      </span>
      {sources && <p className="mt-0.5 text-xs text-ink-2"><WithLinks prose text={told(box.source) || t("forms.noSourceIsNamed")} /></p>}
    </>
  );
}

/** Where a value is from: on hover and on focus. */
function Source({ box }: { box: Box }) {
  const [open, setOpen] = useState(false);
  // Getting there by keyboard scrolls, which would close it.
  const [focused, setFocused] = useState(false);
  return (
    <Tooltip.Root open={open || focused} onOpenChange={setOpen}>
      <Tooltip.Trigger asChild>
        <button type="button" aria-label={t("forms.sourceOf", { label: told(box.label) })} onFocus={() => setFocused(true)} onBlur={() => { setFocused(false); setOpen(false); }} className="-my-0.5 inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-ink-3 hover:bg-hover hover:text-ink">
          <FileSearch aria-hidden className="size-3.5" />
        </button>
      </Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content side="top" align="end" sideOffset={4} collisionPadding={8} onEscapeKeyDown={() => setFocused(false)} className="z-50 max-w-80 rounded-md border border-line-strong bg-raised px-2.5 py-1.5 text-sm text-ink wrap-anywhere">
          <VisibleText prose text={told(box.source) || t("forms.noSourceIsNamed")} />
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}

/** What a reviewer changed: before and after, with both sources. */
function Change({ box, before }: { box: Box; before: Box | null }) {
  const text = (one: Box) => (one.status === "filled" ? valueText(one) : one.status === "missing" ? t("forms.missing") : t("forms.notApplicable"));
  return (
    <div className="space-y-0.5">
      <div className="rounded-sm bg-minus-soft px-1.5 py-0.5 text-minus">
        <span aria-hidden>− </span><span className="sr-only">{t("forms.before")}</span>
        {before ? <VisibleText text={text(before)} /> : t("forms.notInTheFormThat")}
        {before?.source && <span className="block text-xs"><VisibleText prose text={told(before.source)} /></span>}
      </div>
      <div className="rounded-sm bg-plus-soft px-1.5 py-0.5 text-plus">
        <span aria-hidden>+ </span><span className="sr-only">{t("forms.now")}</span>
        <VisibleText text={text(box)} />
        {box.source && <span className="block text-xs"><VisibleText prose text={told(box.source)} /></span>}
      </div>
    </div>
  );
}

/** A text whose records open. */
export function WithLinks({ text, prose = false }: { text: string; prose?: boolean }) {
  return partsOf(text).map(({ text: part, ref }, index) =>
    ref ? <a key={index} href={href("records", ...ref)} className="text-accent underline underline-offset-2">{visibleText(part)}</a> : <VisibleText key={index} prose={prose} text={part} />,
  );
}

function Lines({ title, lines, prose = false }: { title: string; lines: readonly string[] | null | undefined; prose?: boolean }) {
  if (!lines?.length) return null;
  return (
    <div>
      <h5 className="text-sm font-semibold">{title}</h5>
      <ul className="list-disc space-y-0.5 pl-5 text-sm">
        {lines.map((line) => <li key={line} className="wrap-anywhere"><WithLinks prose={prose} text={line} /></li>)}
      </ul>
    </div>
  );
}
