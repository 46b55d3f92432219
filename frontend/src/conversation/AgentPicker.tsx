import { Bot, ChevronDown, OctagonX } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { useRead } from "@/api/query";
import type { AgentAsk, AgentInfo, AgentVar } from "@/api/types";
import { expectedOf, misfit } from "@/approvals/expected";
import { useMedia } from "@/shell/media";
import { told } from "@/text/told";
import { visibleText } from "@/text/visible";
import { href } from "@/shell/route";
import { t } from "@/text/language";
import { Button } from "@/ui/Button";
import { Field, inputLook } from "@/ui/Field";
import { choose, useChoices, type Choice } from "./agents";
import { useDanger } from "./danger";

/** The agent and pattern that a session's next message goes to: chosen, else those of its newest turn, else the first of the list. */
export function useAgent(session: string, before: Choice): { list: AgentInfo[]; agent: AgentInfo | undefined; choice: Choice } {
  const read = useRead<AgentInfo[] | null>("/api/agents");
  const list = read.data ?? [];
  const kept = useChoices(({ choices }) => choices[session]);
  const wanted = kept ?? before;
  const usable = (id: string) => list.find((one) => one.id === id && !one.error);
  // One that was removed since is not asked; without the list the server decides.
  const agent = usable(wanted.agent) ?? usable(before.agent) ?? (before.agent === "" ? list.find((one) => !one.error) : undefined);
  const patterns = agent?.patterns ?? [];
  const pattern = patterns.find((one) => one.id === wanted.pattern)?.id ?? patterns[0]?.id ?? "";
  const vars: Record<string, string> = {};
  for (const one of agent?.vars ?? []) {
    const had = agent?.id === before.agent ? before.vars?.[one.name] : undefined;
    if (one.open) {
      // In the person's words: said when the session begins, kept by the session from then on.
      const said = session === "" ? (agent?.id === wanted.agent ? wanted.vars?.[one.name] : undefined) || one.unsaid : had;
      if (said) vars[one.name] = said;
      continue;
    }
    // What a session keeps is not chosen anew.
    const value = (one.fixed && had) || (agent?.id === wanted.agent ? wanted.vars?.[one.name] : undefined) || had || (agent?.id === wanted.agent ? wanted.sent?.[one.name] : undefined) || one.default;
    if (value && (!one.once || asksAtStart(session, agent, one)) && one.values.includes(value)) vars[one.name] = value;
  }
  // What the turn before was started with is taken over, and may be changed.
  const given = agent && kept?.agent === agent.id ? kept.given : undefined;
  for (const one of agent?.asks ?? []) {
    const value = given?.[one.name] ?? (agent?.id === before.agent ? before.vars?.[one.name] : undefined);
    if (value) vars[one.name] = value;
  }
  return { list, agent, choice: { agent: agent?.id ?? before.agent, pattern, ...(agent?.vars?.length || agent?.asks?.length ? { vars } : {}), ...(given ? { given } : {}) } };
}

/** The first value that a graph cannot be started with, or without; null when it can. */
export function missing(agent: AgentInfo | undefined, choice: Choice): AgentAsk | null {
  return (agent?.asks ?? []).find((one) => {
    const value = choice.vars?.[one.name] ?? "";
    const expected = expectedOf(one.schema);
    return value ? !one.values?.length && expected !== null && misfit(expected, value) !== "" : one.required === true;
  }) ?? null;
}

/** What was chosen for the agent's language or region; "" for nothing. */
export const chosenFor = (what: "language" | "region", agent: AgentInfo | undefined, choice: Choice): string => choice.vars?.[agent?.vars?.find((one) => one[what])?.name ?? ""] ?? "";

/** A card of the agent asks for it before the session begins. */
export const asksAtStart = (session: string, agent: AgentInfo | undefined, one: AgentVar): boolean => session === "" && agent?.cards === true && one.start === true;

/** A text as people type it: a terminal and an export mark the spaces of French typography. */
const typed = (text: string): string => text.replace(/[\u00a0\u202f]/g, " ");

/** A line above the message box that says who answers, and opens the choice. */
export function AgentPicker({ session, before, onExample }: { session: string; before: Choice; onExample(text: string): void }) {
  const { list, agent, choice } = useAgent(session, before);
  // A new session begins with the choice where there is room for it beside what the session is about.
  const roomy = useMedia("(min-height: 38rem) and (min-width: 44rem)");
  // One that asks on a card of its own has that room for its questions.
  const asks = session === "" && agent?.cards === true;
  const known = list.length > 0;
  const opens = roomy && session === "" && known;
  const [open, setOpen] = useState(opens && !asks);
  const button = useRef<HTMLButtonElement>(null);
  const name = useId();
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever goes through the agents by keys goes on past this one
  useEffect(() => setOpen(opens && !asks), [opens, session]);
  // Once an agent's own questions are being answered, they have the room.
  const answering = (agent?.vars ?? []).some((one) => !one.default && asksAtStart(session, agent, one) && choice.vars?.[one.name] !== undefined);
  useEffect(() => { if (answering) setOpen(false); }, [answering]);
  // Help stands where everybody sees all of it.
  const danger = useDanger((state) => state.danger[session]?.at);
  useEffect(() => { if (danger !== undefined) setOpen(false); }, [danger]);
  const byKey = useRef(false);
  if (list.length < 2) return null;
  const patterns = agent?.patterns ?? [];
  const pattern = patterns.find(({ id }) => id === choice.pattern);
  const given = (agent?.vars ?? []).filter((one) => session !== "" || !one.open).flatMap((one) => {
    const value = choice.vars?.[one.name] ?? "";
    return one.titles?.[one.values.indexOf(value)] ?? (one.open && value ? [value] : []);
  });
  // What may be changed in a session is reached there, however low the window is.
  const changes = (agent?.vars ?? []).some((one) => !one.once && !one.open && !one.fixed && one.values.length > 1);
  // In a session it is what is changed there, such as the language: it stands first, above the agents.
  const asked = (agent?.vars ?? []).filter((one) => !one.once && !one.open && !asksAtStart(session, agent, one)).sort((one, other) => (session === "" ? 0 : Number(one.fixed ?? false) - Number(other.fixed ?? false))).map((one) => {
    const kept = one.fixed && choice.agent === before.agent && Boolean(before.vars?.[one.name]);
    return (
      <fieldset key={one.name} data-field={one.name}>
        <legend className="mb-1 font-medium">{told(visibleText(one.title ?? one.name))}</legend>
        <div className="flex flex-wrap gap-x-4 gap-y-1">
          {one.values.map((value, at) => (
            <label key={value} className="flex items-center gap-2">
              <input type="radio" name={`${name}-${one.name}`} disabled={kept} checked={choice.vars?.[one.name] === value} onChange={() => choose(session, { ...choice, vars: { ...choice.vars, [one.name]: value } })} className="size-4 shrink-0 accent-(--accent)" />
              {told(visibleText(one.titles?.[at] ?? value))}
            </label>
          ))}
        </div>
        {one.language && <p className="text-xs text-ink-2">{t("conversation.languageOfThisConversation")}</p>}
        {kept && <p className="text-xs text-ink-2">{t("conversation.aSessionKeepsItStartA")}</p>}
      </fieldset>
    );
  });
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape comes from the fields inside
    <div
      className={`text-sm ${session === "" || open || changes ? "" : "spare"}`}
      onPointerDownCapture={() => (byKey.current = false)}
      onKeyDownCapture={() => (byKey.current = true)}
      onBlur={(event) => {
        if (open && asks && byKey.current && event.relatedTarget && !event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape" && open && session !== "") {
          event.preventDefault();
          event.stopPropagation();
          close();
        }
      }}
    >
      <button
        ref={button}
        type="button"
        data-agent-picker
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="inline-flex max-w-full items-center gap-1.5 rounded-sm px-1 text-ink-2 hover:bg-hover hover:text-ink"
      >
        <Bot aria-hidden className="size-4 shrink-0" />
        <span className="truncate">
          {t("conversation.answeredBy")} <span className="font-medium text-ink">{told(visibleText(agent?.title ?? choice.agent))}</span>
          {agent?.experimental && ` ${t("conversation.experimental")}`}
          {pattern && `, ${told(visibleText(pattern.title))}`}
          {given.length > 0 && ` (${given.map((one) => told(visibleText(one))).join(", ")})`}
        </span>
        <ChevronDown aria-hidden className={`size-4 shrink-0 ${open ? "rotate-180" : ""}`} />
      </button>
      {open && (
        <div className="mt-2 max-h-[40vh] space-y-3 overflow-auto rounded-md border p-3">
          {session !== "" && asked}
          <fieldset>
            <legend className="mb-1 font-medium">{t("conversation.agent")}</legend>
            <div className="grid gap-1 sm:grid-cols-2">
              {list.map((one) => (
                <label key={one.id} className={`flex items-start gap-2 rounded-md border px-2 py-1 ${choice.agent === one.id ? "border-accent bg-accent-soft" : "border-line"}`}>
                  <input
                    type="radio"
                    name={`${name}-agent`}
                    checked={choice.agent === one.id}
                    disabled={Boolean(one.error)}
                    aria-labelledby={`${name}-${one.id}`}
                    aria-describedby={`${name}-${one.id}-about`}
                    onChange={() => {
                      choose(session, { agent: one.id, pattern: one.patterns?.[0]?.id ?? "", picked: true });
                      // By keys one only passes by; it closes when they leave.
                      if (session === "" && one.cards && !byKey.current) close();
                    }}
                    className="mt-0.5 size-4 shrink-0 accent-(--accent)"
                  />
                  <span className="min-w-0 wrap-anywhere">
                    <span id={`${name}-${one.id}`}>
                      <span className="font-medium">{told(visibleText(one.title))}</span>
                      {one.experimental && <span className="text-degraded"> {t("conversation.experimental")}</span>}
                      {one.kind === "file" && <span className="text-ink-3"> {t("conversation.yourOwn")}</span>}
                    </span>
                    {one.error ? (
                      <span id={`${name}-${one.id}-about`} className="flex items-start gap-1 text-xs text-failed"><OctagonX aria-hidden className="mt-0.5 size-3 shrink-0" />{visibleText(one.error)}</span>
                    ) : (
                      one.description && <span id={`${name}-${one.id}-about`} className="block text-xs text-ink-2">{told(visibleText(one.description))}</span>
                    )}
                  </span>
                </label>
              ))}
            </div>
          </fieldset>
          {patterns.length > 0 && (
            <fieldset>
              <legend className="mb-1 font-medium">{t("conversation.pattern")}</legend>
              <div className="space-y-1">
                {patterns.map((one) => {
                  const chosen = choice.pattern === one.id;
                  return (
                    <div key={one.id} className={`rounded-md border px-2 py-1 ${chosen ? "border-accent bg-accent-soft" : "border-line"}`}>
                      <label className="flex items-start gap-2">
                        <input type="radio" name={`${name}-pattern`} aria-labelledby={`${name}-p-${one.id}`} aria-describedby={`${name}-p-${one.id}-about`} checked={chosen} onChange={() => choose(session, { agent: choice.agent, pattern: one.id, picked: true })} className="mt-0.5 size-4 shrink-0 accent-(--accent)" />
                        <span className="min-w-0 wrap-anywhere">
                          <span id={`${name}-p-${one.id}`} className="font-medium">{told(visibleText(one.title))}</span>
                          <span id={`${name}-p-${one.id}-about`} className="block text-xs text-ink-2">{told(visibleText(one.description))}</span>
                        </span>
                      </label>
                      {chosen && one.example && (
                        <p className="mt-1 flex flex-wrap items-center gap-2 pl-6 text-xs text-ink-2">
                          <span className="min-w-0 wrap-anywhere">{t("conversation.forExample", { example: told(visibleText(one.example)) })}</span>
                          <Button small look="quiet" onClick={() => onExample(typed(told(one.example)))}>{t("conversation.useIt")}</Button>
                        </p>
                      )}
                    </div>
                  );
                })}
              </div>
            </fieldset>
          )}
          {session === "" && asked}
          {(agent?.asks ?? []).length > 0 && (
            <fieldset>
              <legend className="mb-1 font-medium">{t("conversation.startedWith")}</legend>
              <div className="grid gap-3 sm:grid-cols-2">
                {(agent?.asks ?? []).map((one) => (
                  <Ask key={`${choice.agent} ${one.name}`} ask={one} value={choice.vars?.[one.name] ?? ""} set={(value) => choose(session, { agent: choice.agent, pattern: choice.pattern, given: { ...choice.given, [one.name]: value } })} />
                ))}
              </div>
            </fieldset>
          )}
          <p className="text-xs text-ink-2">
            <a href={href("settings", "agents")} className="text-accent underline underline-offset-2">{t("conversation.graphsOfYourOwn")}</a>
          </p>
        </div>
      )}
    </div>
  );
}

/** A value that a graph of one's own is started with. */
function Ask({ ask, value, set }: { ask: AgentAsk; value: string; set(value: string): void }) {
  const id = useId();
  const expected = expectedOf(ask.schema);
  const label = `${visibleText(ask.name)}${ask.required ? ` (${t("conversation.needed")})` : ""}`;
  const about = (ask.schema as { description?: unknown } | null)?.description;
  const hint = [ask.values?.length || !expected ? typeof about === "string" && visibleText(about) : expected.words, ask.default && t("conversation.asLeftOut", { value: visibleText(ask.default) })].filter(Boolean).join(" ");
  if (ask.values?.length) {
    return (
      <div data-field={ask.name}>
        <label htmlFor={id} className="mb-1 block text-sm font-medium">{label}</label>
        <select id={id} className={inputLook} value={value} aria-describedby={`${id}-note`} onChange={(event) => set(event.target.value)}>
          <option value="">{ask.required ? t("conversation.choose") : t("conversation.leftOut")}</option>
          {ask.values.map((one) => <option key={one} value={one}>{told(visibleText(one))}</option>)}
        </select>
        <p id={`${id}-note`} className="mt-1 text-xs text-ink-3">{hint}</p>
      </div>
    );
  }
  const number = expected?.field.kind === "number" || expected?.field.kind === "integer";
  return <div data-field={ask.name}><Field label={label} hint={hint} problem={value && expected ? misfit(expected, value) : ""} value={value} placeholder={ask.default ?? ""} inputMode={number ? "decimal" : "text"} onChange={(event) => set(event.target.value)} /></div>;
}
