import { useState, type Ref } from "react";
import type { Json } from "@/api/types";
import { t } from "@/text/language";
import { isInstant, momentText } from "@/text/zone";
import { Button } from "@/ui/Button";
import { nameOf, pretty, type Argument } from "./arguments";
import { plainName } from "./plainName";
import { VisibleText } from "./VisibleText";

/** All arguments in full, as plain text: nothing is folded away or below the end of a box. */
export function Arguments({ args, raw, label, names, ref }: {
  args: Argument[];
  raw: Json;
  label: string;
  /** What people call the records that values name, by TYPE/ID. */
  names?: Record<string, string> | null;
  ref?: Ref<HTMLDivElement>;
}) {
  const [json, setJson] = useState(false);
  return (
    <section>
      <div className="mb-1 flex items-center justify-between gap-2">
        <h4 className="text-sm font-semibold">{label}</h4>
        <Button look="quiet" small onClick={() => setJson(!json)} aria-pressed={json}>{json ? t("approvals.showByName") : t("approvals.showAsJson")}</Button>
      </div>
      <div
        ref={ref}
        tabIndex={0}
        role="group"
        aria-label={label}
        className="rounded-md border border-line-strong bg-sunken font-mono text-sm"
      >
        {json ? (
          <pre className="p-2 whitespace-pre-wrap wrap-anywhere"><VisibleText text={pretty(raw)} /></pre>
        ) : args.length === 0 ? (
          <p className="p-2 text-ink-2">{t("approvals.noArguments")}</p>
        ) : (
          <dl>
            {args.map((arg, index) => (
              <div key={index} className="grid grid-cols-[minmax(6rem,11rem)_1fr] gap-3 border-b p-2 last:border-b-0 max-sm:grid-cols-1 max-sm:gap-0">
                <dt className="font-sans text-ink-2 wrap-anywhere"><VisibleText text={plainName(arg.name)} /></dt>
                <dd className="whitespace-pre-wrap wrap-anywhere">
                  <VisibleText text={arg.value} />
                  {nameOf(arg.value, names) && <span className="block font-sans text-ink-2"><VisibleText text={nameOf(arg.value, names)} /></span>}
                  {isInstant(arg.value) && <span className="block font-sans text-ink-2">{momentText(arg.value)}</span>}
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </section>
  );
}
