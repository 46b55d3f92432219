import { CornerDownLeft, Square } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { useRead } from "@/api/query";
import { ApiError, type AgentVar, type Settings } from "@/api/types";
import type { Cards } from "@/cards/types";
import { transport } from "@/transport";
import { subjectFields, type Subject } from "@/subject/subject";
import { t } from "@/text/language";
import { visibleText } from "@/text/visible";
import { Button } from "@/ui/Button";
import { sayError } from "@/ui/toasts";
import { useStart } from "@/cards/StartCard";
import { AgentPicker, asksAtStart, missing, useAgent, chosenFor } from "./AgentPicker";
import { choose, letVars, type Choice } from "./agents";
import { keepUnsent, showDanger, useDanger, useGrave, type Found } from "./danger";
import { draftOf, dropDraft, holdDraft, keepDraft, readDraft } from "./drafts";
import { setPending, usePending } from "./pending";
import { Unsent, useNumbers } from "./Unsent";

/** Where a person writes. Enter sends, or while a turn runs lets the message wait for its end; Shift+Enter makes a line, Esc stops a running turn. */
export function Composer({ session, before, subject, after = null, running, held, onSent }: {
  /** "" for a session that the first message makes. */
  session: string;
  /** Who answered last; "" for nobody yet. */
  before: Choice;
  /** What a new session is about. */
  subject: Subject | null;
  /** The newest turn that is seen here; what is written may answer what it asks. */
  after?: string | null;
  /** The turn that runs now; null when none does. */
  running: string | null;
  /** True while the newest turn waits for a verdict. */
  held: boolean;
  onSent(session: string, turn: string): void;
}) {
  const [text, setText] = useState(() => draftOf(session) ?? "");
  const [sending, setSending] = useState(false);
  // Enter was pressed while a turn ran: the message goes once it has ended.
  const [waits, setWaits] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const { agent, choice } = useAgent(session, before);
  // Who has to be asked first is not guessed.
  const settings = useRead<Settings>(agent?.vars?.some((one) => one.region) ? "/api/settings" : null).data;
  // The region that was chosen for the program is asked for nowhere else.
  const settled = (one: AgentVar) => one.region === true && settings?.region_chosen === true && one.values.includes(settings.region);
  const open = (agent?.vars ?? []).find((one) => !one.open && (!one.once || asksAtStart(session, agent, one)) && !choice.vars?.[one.name] && !settled(one));
  const ask = missing(agent, choice);
  const start = useStart(session === "" ? agent : undefined, choice).data;
  const told = useRead<Cards | null>(session && agent?.cards ? `/api/sessions/${encodeURIComponent(session)}/cards` : null).data?.asked.find(({ region }) => region)?.value;
  const to = chosenFor("language", agent, choice);
  const numbers = useNumbers(session ? (told ?? "") : chosenFor("region", agent, choice), to);
  // Which question is open is said in its own words.
  const first = [start?.words.start_open, start?.fields.find((one) => one.var === open?.name)?.say].filter(Boolean).join(" ");

  useEffect(() => {
    setText(draftOf(session) ?? "");
    setError(null);
    setWaits(false);
    let here = true;
    // Without what was kept the box is empty, and works.
    readDraft(session).then((kept) => here && setText((now) => now || kept), () => undefined);
    return () => { here = false; };
  }, [session]);
  useEffect(() => {
    if (box.current) heighten(box.current);
  }, [text]);
  useEffect(() => {
    const area = box.current;
    if (!area || typeof ResizeObserver === "undefined") return;
    let width = area.clientWidth;
    const watch = new ResizeObserver(() => {
      if (area.clientWidth === width) return;
      width = area.clientWidth;
      heighten(area);
    });
    watch.observe(area);
    return () => watch.disconnect();
  }, []);

  // The first message makes a session with a box of its own: whoever sent it goes on there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the box appears
  useEffect(() => {
    if (session && usePending.getState().pending?.session === session && document.activeElement === document.body) box.current?.focus({ preventScroll: true });
  }, []);

  const change = (value: string) => {
    // Whoever begins next may be somebody else: what was written to an agent of one's own is not kept before it is sent.
    if (session === "" && agent?.cards) holdDraft(session, value);
    else keepDraft(session, value);
    setText(value);
    setWaits(false);
  };

  // Of a message that cannot go yet only one thing is asked at once: whether help is needed.
  const asked = useRef(0);
  const check = () => transport().call<Found>("check_message", { agent: choice.agent, text, ...(choice.vars ? { vars: choice.vars } : {}) });
  const look = async (again: boolean) => {
    const mine = ++asked.current;
    try {
      const found = await check();
      if (mine !== asked.current) return;
      setError(null);
      const danger = found.level === "check_in" || found.level === "intervention";
      // What was written over stays written: help that was shown goes when a message goes.
      if (danger && (again || !grave || found.level === "intervention")) showDanger(session, found, again);
      if (!danger && !again) toField((open ?? ask)!.name);
    } catch (failure) {
      if (mine === asked.current && !again) setError(failure);
    }
  };
  // Who says where they are meanwhile has the numbers of that place.
  const danger = useDanger((state) => Boolean(state.danger[session]));
  const grave = useGrave(session);
  const chosen = JSON.stringify(choice.vars ?? {});
  const was = useRef(chosen);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when a choice changes
  useEffect(() => {
    if (was.current === chosen) return;
    was.current = chosen;
    if (danger && text.trim()) void look(true);
  }, [chosen]);

  const unsent = !text.trim() ? "nothing" : open || ask ? "questions" : running && waits ? "reply" : "box";
  useEffect(() => {
    if (!sending) keepUnsent(session, unsent);
  }, [session, sending, unsent]);

  // Help for a message that was refused stands above the conversation's end, as that of one which cannot go yet.
  const shown = async (failure: unknown): Promise<unknown> => {
    if (!(failure instanceof ApiError) || !failure.help) return failure;
    const found = await check().catch(() => null);
    if (found?.level !== "check_in" && found?.level !== "intervention") return failure;
    showDanger(session, found);
    return new ApiError(failure.code, failure.message, failure.hint, failure.safe, failure.status);
  };

  // A name for somebody of whom nothing may be kept is asked for no more: what was written there does not count.
  const given = choice.vars && Object.fromEntries(Object.entries(choice.vars).map(([name, value]) => {
    const own = agent?.vars?.find((one) => one.open && one.name === name);
    return [name, own?.unsaid && start?.fields.every((field) => field.var !== name) ? own.unsaid : value];
  }));

  const send = async () => {
    const message = text.trim();
    if (!message || sending) return;
    if (open || ask) return void look(false);
    if (running) {
      setWaits(true);
      return void look(true); // help waits for nothing
    }
    setSending(true);
    setError(null);
    // It is seen to be on its way at once; the draft stays until it is on disk.
    setPending({ session, text: message, at: Date.now(), turn: "" });
    setText("");
    try {
      const answer = await transport().call<{ session: string; turn: string }>("send", {
        ...(session ? { session } : {}),
        ...(session && after ? { after } : {}),
        ...(choice.agent ? { agent: choice.agent } : {}),
        ...(choice.pattern || given ? { vars: { ...given, ...(choice.pattern ? { pattern: choice.pattern } : {}) } } : {}),
        ...subjectFields(subject),
        text: message,
      });
      dropDraft(session);
      showDanger(session, null);
      setPending({ session: answer.session, text: message, at: Date.now(), turn: answer.turn });
      // A name stays with the session, not in the browser.
      const own = (name: string) => agent?.asks?.some((one) => one.name === name) || agent?.vars?.some((one) => one.open && one.name === name);
      const sent = choice.vars && Object.fromEntries(Object.entries(choice.vars).filter(([name]) => !own(name)));
      if (!session) choose(answer.session, { agent: choice.agent, pattern: choice.pattern });
      letVars(answer.session, sent);
      onSent(answer.session, answer.turn);
    } catch (failure) {
      // What was written is back in the box.
      setPending(null);
      setText((now) => now || text);
      setError(await shown(failure));
    } finally {
      setSending(false);
      box.current?.focus();
    }
  };

  // What a person has to decide first is above; the message stays in the box.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the turn has ended
  useEffect(() => {
    if (running || !waits) return;
    setWaits(false);
    if (!held) void send();
  }, [running, waits]);

  const stop = () => {
    setWaits(false); // whoever stops a turn reads before they go on
    if (running) transport().call("stop", { turn: running }).catch(sayError);
  };

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      void send();
    }
  };

  return (
    <div className="shrink-0 border-t bg-surface p-pad [@media(max-height:27rem)]:p-1.5">
      <div className="mx-auto max-w-measure space-y-2">
        {error !== null && <Unsent error={error} title={t("conversation.theMessageWasNotSentIt")} numbers={numbers} to={to} />}
        <AgentPicker session={session} before={before} onExample={(example) => { change(example); box.current?.focus(); }} />
        {!open && ask && <p role="status" className="text-sm text-ink-2">{t("conversation.giveFirst", { title: visibleText(ask.name) })}</p>}
        {open && !grave && <p role="status" className="text-sm text-ink-2">{start ? <span lang={start.language}>{visibleText(first)}</span> : t("conversation.chooseFirst", { title: visibleText(open.title ?? open.name) })}</p>}
        {running && waits && <p role="status" className="text-sm text-ink-2">{t("conversation.goesWhenTheReplyIsThere")}</p>}
        <div className="flex flex-wrap items-end justify-end gap-2">
          <textarea
            ref={box}
            data-composer
            aria-label={t("conversation.message")}
            rows={1}
            value={text}
            placeholder={held ? t("conversation.waitingForYouAbove") : t("conversation.askOrSayWhatShouldHappen")}
            onChange={(event) => change(event.target.value)}
            onKeyDown={onKeyDown}
            className="min-h-row min-w-[min(100%,12rem)] flex-1 resize-none rounded-md border border-line-strong bg-surface px-3 py-1.5"
          />
          {running ? (
            <Button icon={Square} keys="Esc" onClick={stop}>{t("conversation.stop")}</Button>
          ) : (
            <Button look="primary" icon={CornerDownLeft} disabled={!text.trim() || sending} title={text.trim() ? undefined : t("conversation.writeAMessageFirst")} onClick={() => void send()}>{t("conversation.send")}</Button>
          )}
        </div>
      </div>
    </div>
  );
}

/** Makes the box as high as its text, within bounds. */
function heighten(area: HTMLTextAreaElement): void {
  area.style.height = "auto";
  area.style.height = `${Math.min(area.scrollHeight + 2, 240)}px`;
}

/** Puts the focus on the question of this name: on its card, or where the agent is chosen, which opens for it. */
function toField(name: string): void {
  const field = () => document.querySelector(`[data-field="${CSS.escape(name)}"]`);
  const focus = () => field()?.querySelector<HTMLElement>("input:checked, input:not(:disabled), select, textarea")?.focus();
  if (!field()) document.querySelector<HTMLElement>('[data-agent-picker][aria-expanded="false"]')?.click();
  setTimeout(focus, 0);
}
