import { useState } from "react";
import { queryClient } from "@/api/query";
import { setPending } from "@/conversation/pending";
import { letVars, type Choice } from "@/conversation/agents";
import { href } from "@/shell/route";
import { tIn } from "@/text/language";
import { visibleText } from "@/text/visible";
import { transport } from "@/transport";
import { Button } from "@/ui/Button";
import { inputLook, TextField } from "@/ui/Field";
import { sayError } from "@/ui/toasts";
import { Card, FoldedCard } from "./Card";
import { ConsentCard } from "./ConsentCard";
import { LONG, type AskedQuestion, type Cards, type Feedback, type Source, type Words } from "./types";

/** What a card does: it says something in the person's place, or changes what is known. */
export interface Doing {
  /** While a turn runs or a change is under way. */
  busy: boolean;
  /** As the answer to a question of the cards; to another one it is not taken. */
  say(text: string, question: string): void;
  call(name: string, body: Record<string, unknown>): Promise<boolean>;
}

/** The cards of a session: the open question, consent, sources, feedback, and what was understood. */
export function SessionCards({ session, cards, choice, running, newest = null }: { session: string; cards: Cards; choice: Choice; running: boolean; newest?: string | null }) {
  const [working, setWorking] = useState(false);
  const { words } = cards;
  const doing: Doing = {
    busy: running || working,
    say(text, question) {
      setPending({ session, text, at: Date.now(), turn: "" });
      transport()
        .call<{ session: string; turn: string }>("send", { session, text, question, agent: choice.agent, ...(choice.vars ? { vars: choice.vars } : {}) })
        .then((answer) => {
          letVars(session, choice.vars);
          setPending({ session, text, at: Date.now(), turn: answer.turn });
        })
        .catch((error) => {
          setPending(null);
          sayError(error);
          // It may be asked no more.
          void queryClient.invalidateQueries({ queryKey: ["api", "sessions", session] });
        });
    },
    async call(name, body) {
      setWorking(true);
      try {
        await transport().call(name, body);
        await queryClient.invalidateQueries({ queryKey: ["api", "sessions", session] });
        return true;
      } catch (error) {
        sayError(error);
        return false;
      } finally {
        setWorking(false);
      }
    },
  };
  // Advice that was answered since is no longer the newest word: what belongs to it is closed below its name.
  const past = cards.feedback !== undefined && newest !== null && cards.feedback.turn !== newest;
  const open = cards.asked.find(({ id }) => id === cards.open);
  return (
    <div lang={cards.language} data-cards className="space-y-4">
      {running && <p role="status" className="text-ink-2">{visibleText(words.writing ?? "")}</p>}
      {open && <OpenQuestion key={open.id} cards={cards} question={open} doing={doing} />}
      <ConsentCard session={session} cards={cards} doing={doing} />
      {cards.sources.length > 0 && <Sources key={String(past)} words={words} sources={cards.sources} past={past} />}
      {cards.feedback && <FeedbackCard key={`${cards.feedback.turn} ${past}`} session={session} words={words} feedback={cards.feedback} doing={doing} past={past} />}
      <FoldedCard title={words.answers_title ?? ""} aside={`${cards.asked.filter(({ value }) => value !== "").length} / ${cards.asked.length}`}>
        <p className="text-ink-2">{visibleText(words.answers_hint ?? "")}</p>
        <ul className="divide-y">
          {cards.asked.map((question) => <Answer key={question.id} to={cards.language} session={session} words={words} question={question} doing={doing} />)}
        </ul>
      </FoldedCard>
    </div>
  );
}

/** How far the questions are, and the one that waits: with what there is to choose, and a way past it. */
function OpenQuestion({ cards, question, doing }: { cards: Cards; question: AskedQuestion; doing: Doing }) {
  const { words, progress } = cards;
  const choices = question.choices ?? [];
  const [chosen, setChosen] = useState("");
  return (
    <Card title={words.questions_title ?? ""}>
      <div>
        <progress aria-label={progress.say} value={progress.done} max={progress.total} className="h-2 w-full appearance-none overflow-hidden rounded-full bg-sunken [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent" />
        <p className="text-ink-2">{visibleText(progress.say)}</p>
      </div>
      <p className="font-medium wrap-anywhere" id={`question-${question.id}`}>{visibleText(question.say)}</p>
      {choices.length > LONG ? (
        <div className="flex flex-wrap gap-2">
          <select aria-labelledby={`question-${question.id}`} value={chosen} onChange={(event) => setChosen(event.target.value)} className={`${inputLook} max-w-xs`}>
            <option value="">{visibleText(words.choose_one ?? "")}</option>
            {choices.map((one) => <option key={one.value} value={one.say}>{visibleText(one.say)}</option>)}
          </select>
          <Button look="primary" disabled={doing.busy || chosen === ""} onClick={() => doing.say(chosen, question.id)}>{visibleText(words.answer ?? "")}</Button>
        </div>
      ) : (
        choices.length > 0 && (
          <div className="flex flex-wrap gap-2">
            {choices.map((one) => <Button key={one.value} disabled={doing.busy} className="!whitespace-normal" onClick={() => doing.say(one.say, question.id)}>{visibleText(one.say)}</Button>)}
          </div>
        )
      )}
      <Button look="quiet" disabled={doing.busy} className="!whitespace-normal" onClick={() => doing.say(cards.skip ?? "", question.id)}>{visibleText(words.skip ?? "")}</Button>
    </Card>
  );
}

/** What was understood of one question, with where that came from; it can be changed and taken away. */
function Answer({ to, session, words, question, doing }: { to: string; session: string; words: Words; question: AskedQuestion; doing: Doing }) {
  const [value, setValue] = useState<string | null>(null);
  const choices = question.choices ?? [];
  const change = async (next: string) => {
    if (await doing.call("change_card", { session, kind: "answer", id: question.id, value: next })) setValue(null);
  };
  const said = question.answer ? visibleText(question.answer) : "";
  return (
    <li className="space-y-1 py-3">
      <p className="text-ink-2 wrap-anywhere">{visibleText(question.say)}</p>
      {value === null ? (
        <>
          <p className={`wrap-anywhere ${said ? "font-medium" : "text-ink-2 italic"}`}>{said || visibleText((question.skipped ? words.skipped : words.not_told) ?? "")}</p>
          {said && (
            <p className="text-sm text-ink-2 wrap-anywhere">
              {visibleText(question.from ?? "")}
              {question.quote && question.quote !== question.answer && tIn(to, "text.named", { name: "", what: tIn(to, "text.quoted", { text: visibleText(question.quote) }) })}
              {question.turn && question.quote && <> · <a className="text-accent underline underline-offset-2" href={href("sessions", session, question.turn)}>{visibleText(words.show_message ?? "")}</a></>}
            </p>
          )}
          <div className="flex flex-wrap gap-1">
            <Button small look="quiet" disabled={doing.busy} aria-label={tIn(to, "text.named", { name: words.change ?? "", what: question.say })} onClick={() => setValue(question.value)}>{visibleText(words.change ?? "")}</Button>
            {said && <Button small look="quiet" disabled={doing.busy} aria-label={tIn(to, "text.named", { name: words.take_away ?? "", what: question.say })} onClick={() => void change("")}>{visibleText(words.take_away ?? "")}</Button>}
          </div>
        </>
      ) : (
        <form className="space-y-2" onSubmit={(event) => { event.preventDefault(); void change(value); }}>
          {choices.length > 0 ? (
            <select aria-label={question.say} value={value} onChange={(event) => setValue(event.target.value)} className={`${inputLook} max-w-md`}>
              {value === "" && <option value="">{visibleText(words.choose_one ?? "")}</option>}
              {choices.map((one) => <option key={one.value} value={one.value}>{visibleText(one.say)}</option>)}
            </select>
          ) : (
            <TextField label={visibleText(words.your_words ?? "")} rows={2} maxLength={300} value={value} onChange={(event) => setValue(event.target.value)} />
          )}
          <div className="flex flex-wrap gap-2">
            <Button small look="primary" type="submit" disabled={doing.busy || value.trim() === "" || value === question.value}>{visibleText(words.save ?? "")}</Button>
            <Button small onClick={() => setValue(null)}>{visibleText(words.cancel ?? "")}</Button>
          </div>
        </form>
      )}
    </li>
  );
}

/** What the last advice rests on; each passage can be read in place, and one of the library opened there. */
function Sources({ words, sources, past }: { words: Words; sources: Source[]; past: boolean }) {
  const Box = past ? FoldedCard : Card;
  return (
    <Box title={words.sources_title ?? ""}>
      <ul className="space-y-2">
        {sources.map((one) => (
          <li key={one.id}>
            <p className="wrap-anywhere"><span className="text-ink-2">{visibleText(one.id)}</span> <span className="font-medium">{visibleText(one.title)}</span> <span className="text-ink-2">({visibleText(one.source)})</span></p>
            {one.text && (
              <details>
                <summary className="cursor-pointer text-accent underline underline-offset-2">{visibleText((one.about ? words.read_summary : words.read_passage) ?? "")}<span className="sr-only">: {visibleText(one.title)}</span></summary>
                {one.about ? (
                  <><p className="mt-1 wrap-anywhere">{visibleText(one.text)}</p><p className="mt-1 text-ink-2 wrap-anywhere">{visibleText(one.about)}</p></>
                ) : (
                  <blockquote className="mt-1 border-l-2 border-line-strong pl-3 wrap-anywhere">{visibleText(one.text)}</blockquote>
                )}
              </details>
            )}
            {one.document && <a className="text-accent underline underline-offset-2" href={href("library", one.document, String(one.passage ?? ""))}>{visibleText(words.open_document ?? "")}<span className="sr-only">: {visibleText(one.title)}</span></a>}
          </li>
        ))}
      </ul>
    </Box>
  );
}

/** Asks what came of the advice; what is said goes into the next prompt. */
function FeedbackCard({ session, words, feedback, doing, past }: { session: string; words: Words; feedback: Feedback; doing: Doing; past: boolean }) {
  const Box = past ? FoldedCard : Card;
  const [value, setValue] = useState(feedback.value ?? "");
  const [note, setNote] = useState(feedback.note ?? "");
  const changed = value !== (feedback.value ?? "") || note !== (feedback.note ?? "");
  return (
    <Box title={words.feedback_title ?? ""}>
      <fieldset>
        <legend className="sr-only">{visibleText(words.feedback_title ?? "")}</legend>
        <div className="flex flex-wrap gap-x-5 gap-y-1">
          {feedback.choices.map((one) => (
            <label key={one.value} className="flex min-h-7 items-center gap-2">
              <input type="radio" name={`feedback-${feedback.turn}`} checked={value === one.value} onChange={() => setValue(one.value)} className="size-4 shrink-0 accent-(--accent)" />
              {visibleText(one.say)}
            </label>
          ))}
        </div>
      </fieldset>
      {value && (
        <form className="space-y-2" onSubmit={(event) => { event.preventDefault(); void doing.call("change_card", { session, kind: "feedback", value, note }); }}>
          <TextField label={visibleText(words.feedback_note ?? "")} rows={2} maxLength={500} value={note} onChange={(event) => setNote(event.target.value)} />
          <Button type="submit" look="primary" disabled={doing.busy || !changed}>{visibleText(words.feedback_send ?? "")}</Button>
        </form>
      )}
      {feedback.value && !changed && <p role="status" className="text-ink-2">{visibleText(words.feedback_thanks ?? "")}</p>}
    </Box>
  );
}
