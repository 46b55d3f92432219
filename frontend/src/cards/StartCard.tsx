import { useId, useState } from "react";
import { useRead } from "@/api/query";
import type { AgentInfo } from "@/api/types";
import { choose, type Choice } from "@/conversation/agents";
import { useDanger, useGrave } from "@/conversation/danger";
import { tIn } from "@/text/language";
import { visibleText } from "@/text/visible";
import { inputLook } from "@/ui/Field";
import { ErrorNote, Loading } from "@/ui/Notice";
import { Card, FoldedCard } from "./Card";
import { LONG, type StartField, type StartQuestions } from "./types";

/** What an agent asks before a session with it begins; null while that is read, or where it asks nothing. */
export function useStart(agent: AgentInfo | undefined, choice: Choice) {
  // Nothing is asked by a name, and none stands in an address.
  const vars = new URLSearchParams(Object.entries(choice.vars ?? {}).filter(([name]) => !agent?.vars?.some((one) => one.open && one.name === name))).toString();
  return useRead<StartQuestions | null>(agent?.cards ? `/api/agents/${encodeURIComponent(agent.id)}/start${vars && `?${vars}`}` : null, { placeholderData: (before) => before, staleTime: 0 });
}

/** Asks who writes, in which language, and what else has to be known before the first message. */
export function StartCard({ agent, choice }: { agent: AgentInfo; choice: Choice }) {
  const { data, error, refetch } = useStart(agent, choice);
  const name = useId();
  // Whoever is in danger is asked nothing else beside the help, and may go on to this.
  const grave = useGrave("");
  if (error) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  const is = (field: string, what: "fixed" | "language" | "region") => agent.vars?.some((one) => one.name === field && one[what]) === true;
  const set = (at: number, value: string) => {
    const field = data.fields[at]!.var;
    // Whom it is with decides what is asked after it: of somebody else that is asked anew.
    const anew = is(field, "fixed") ? data.fields.slice(at + 1).map((one) => one.var).filter((one) => !(is(one, "region") && useDanger.getState().danger[""])) : []; // help keeps the country it was told
    choose("", { ...choice, vars: { ...Object.fromEntries(Object.entries(choice.vars ?? {}).filter(([name]) => !anew.includes(name))), [field]: value } });
  };
  const Box = grave ? FoldedCard : Card;
  return (
    <div lang={data.language} style={{ zoom: data.scale }}>
      <Box {...(grave ? {} : { level: "h2" as const })} title={data.words.start_title ?? ""}>
        <p className="text-ink-2">{visibleText(data.words.start_hint ?? "")}</p>
        {data.fields.map((field, at) => {
          const value = choice.vars?.[field.var] ?? field.value ?? "";
          if (field.own) return <OwnWords key={`${field.var} ${data.fields.slice(0, at).filter((one) => is(one.var, "fixed")).map((one) => choice.vars?.[one.var])}`} field={field} value={value} set={(said) => set(at, said)} />;
          if (field.choices.length > LONG)
            return (
              <div key={field.var} data-field={field.var}>
                <label htmlFor={`${name}-${field.var}`} className="mb-1 block font-medium">{visibleText(field.say)}</label>
                <select id={`${name}-${field.var}`} value={value} onChange={(event) => set(at, event.target.value)} className={`${inputLook} max-w-md`}>
                  {value === "" && <option value="">{visibleText(data.words.choose_one ?? "")}</option>}
                  {field.choices.map((one) => <option key={one.value} value={one.value}>{visibleText(one.say)}</option>)}
                </select>
                {field.value && !choice.vars?.[field.var] && <p className="text-sm text-ink-2 first-letter:uppercase">{visibleText(data.words.from_settings ?? "")}</p>}
              </div>
            );
          return (
            <fieldset key={field.var} data-field={field.var}>
              <legend className="mb-1 font-medium">{visibleText(field.say)}</legend>
              <div className="flex flex-wrap gap-x-5 gap-y-1">
                {field.choices.map((one) => (
                  <label key={one.value} className="flex min-h-7 items-center gap-2">
                    <input type="radio" name={`${name}-${field.var}`} checked={value === one.value} onChange={() => set(at, one.value)} className="size-4 shrink-0 accent-(--accent)" />
                    {visibleText(one.say)}
                  </label>
                ))}
              </div>
              {is(field.var, "language") && <p className="text-sm text-ink-2">{tIn(data.language, "conversation.languageOfThisConversation")}</p>}
            </fieldset>
          );
        })}
      </Box>
    </div>
  );
}

/** Choices, and a line for an answer of one's own; what is left empty is the first choice. */
function OwnWords({ field, value, set }: { field: StartField; value: string; set(value: string): void }) {
  const name = useId();
  const listed = field.choices.some((one) => one.value === value);
  const [words, setWords] = useState(listed ? "" : value);
  const [own, setOwn] = useState(!listed && value !== "");
  const first = field.choices[0]?.value ?? "";
  const checked = own ? null : listed ? value : first;
  return (
    <fieldset data-field={field.var}>
      <legend className="mb-1 font-medium">{visibleText(field.say)}</legend>
      <div className="space-y-1">
        {field.choices.map((one) => (
          <label key={one.value} className="flex min-h-7 items-center gap-2">
            <input type="radio" name={name} checked={checked === one.value} onChange={() => { setOwn(false); set(one.value); }} className="size-4 shrink-0 accent-(--accent)" />
            {visibleText(one.say)}
          </label>
        ))}
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <label className="flex min-h-7 items-center gap-2">
            <input type="radio" name={name} checked={own} onChange={() => { setOwn(true); set(words.trim() || first); }} className="size-4 shrink-0 accent-(--accent)" />
            <span id={`${name}-own`}>{visibleText(field.own ?? "")}</span>
          </label>
          <input aria-labelledby={`${name}-own`} value={words} maxLength={field.longest} autoComplete="off" spellCheck={false} onChange={(event) => { setWords(event.target.value); setOwn(true); set(event.target.value.trim() || first); }} className={`${inputLook} max-w-60`} />
        </div>
      </div>
    </fieldset>
  );
}
