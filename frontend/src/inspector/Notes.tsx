import type { NoteView } from "@/journal/view";
import { toldFailure } from "@/text/failure";
import { plain } from "@/text/names";
import { bytes, duration } from "@/text/format";
import { t } from "@/text/language";
import { visibleText } from "@/text/visible";
import { Time } from "@/ui/Time";
import { Value } from "./Value";
import { Part } from "./Detail";

const num = (note: NoteView, name: string) => (typeof note.data[name] === "number" ? (note.data[name] as number) : undefined);

const verdicts: Record<string, string> = {
  get pass() { return t("inspector.letItPass"); }, get transform() { return t("inspector.changedTheOutput"); }, get retry() { return t("inspector.askedForAnotherTry"); }, get block() { return t("inspector.blockedTheOutput"); },
};

const rules: Record<string, string> = { get allow() { return t("inspector.allowsIt"); }, get warn() { return t("inspector.warns"); }, get ask() { return t("inspector.asks"); }, get hold() { return t("inspector.holdsIt"); }, get refuse() { return t("inspector.refusesIt"); }, get set() { return t("inspector.setsSomething"); }, get skip() { return t("inspector.passesOverIt"); }, get end() { return t("inspector.endsTheGraph"); } };

/** A note in one sentence. */
export function noteText(note: NoteView): string {
  const text = note.kind === "guard" ? visibleText(note.text) : toldFailure(visibleText(note.text)); // a guard speaks in its author's or a model's words
  switch (note.kind) {
    case "retry": {
      const wait = num(note, "wait_ms");
      return t("inspector.attemptFailed", { attempt: note.attempt, text, wait: wait !== undefined ? t("inspector.triedAgainAfter", { wait: duration(wait) }) : "" });
    }
    case "guard":
      return t("inspector.guard", { name: plain(visibleText(note.name || t("inspector.unnamed"))), verdicts: verdicts[note.status] ?? note.status, text: text ? `: ${text}` : "" });
    case "rule":
      return t("inspector.rule", { name: visibleText(note.name), rules: rules[note.status] ?? note.status, checkpoint: note.data.checkpoint ? ` (${visibleText(String(note.data.checkpoint))})` : "", text: text ? `: ${text}` : "" });
    case "skill": {
      const missing = Array.isArray(note.data.missing) ? note.data.missing.map(String) : [];
      return t("inspector.tier", { name: visibleText(note.name), note: num(note, "tier") ?? 2, missing: missing.length ? t("inspector.nobodyHas", { missing: visibleText(missing.join(", ")) }) : "" });
    }
    case "hook":
      return t("inspector.hookFailedTheTurnWentOn", { name: visibleText(note.name || t("inspector.unnamed")), status: note.status ? ` (${plain(note.status)})` : "", text });
    case "observed": {
      const usage = (note.data.usage ?? {}) as { tokens?: number };
      const took = num(note, "took_ns");
      const size = num(note, "output_bytes");
      return [
        took !== undefined ? t("inspector.took", { duration: duration(took / 1e6) }) : "",
        usage.tokens ? t("inspector.tokens4", { tokens: usage.tokens }) : "",
        size ? t("inspector.outputOf", { size: bytes(size) }) : "",
        note.data.cached === true ? t("inspector.fromTheCache") : "",
        note.data.skipped === true ? t("conversation.skipped") : "",
        note.data.failed === true ? t("conversation.failed") : "",
        note.data.over_time === true ? t("inspector.longerThanItShould") : "",
      ].filter(Boolean).join(", ");
    }
    case "other":
      return [plain(visibleText(note.name)).replace(/^./u, (first) => first.toUpperCase()), note.status && plain(visibleText(note.status)), text].filter(Boolean).join(": ");
    default:
      return text;
  }
}

const titles = (): [NoteView["kind"], string][] => [
  ["rule", t("inspector.rulesThatFired")], ["skill", t("inspector.skillsThatWereLoaded")], ["retry", t("inspector.retries")], ["guard", t("inspector.guards")], ["warning", t("inspector.warnings")], ["hook", t("inspector.failedHooks")], ["observed", t("inspector.metrics")], ["other", t("inspector.furtherEvents")],
];

/** All that a stage told beside its result, by kind. */
export function Notes({ notes }: { notes: readonly NoteView[] }) {
  const outputs = notes.filter(({ kind }) => kind === "output");
  return (
    <>
      {titles().map(([kind, title]) => {
        const mine = notes.filter((note) => note.kind === kind);
        if (mine.length === 0) return null;
        return (
          <Part key={kind} title={title}>
            <ul className="space-y-1">
              {mine.map((note) => (
                <li key={note.seq} className={`flex flex-wrap gap-x-3 ${kind === "hook" || note.status === "block" || note.status === "refuse" ? "text-failed" : ""}`}>
                  <Time at={note.at} className="text-ink-3" />
                  <span className="min-w-0 wrap-anywhere">{noteText(note)}</span>
                </li>
              ))}
            </ul>
          </Part>
        );
      })}
      {outputs.map((note, index) => (
        <Part key={note.seq} title={outputs.length > 1 ? t("inspector.wholeOutputVisit", { index: index + 1 }) : t("inspector.wholeOutput")}>
          {note.text && <p className="text-failed wrap-anywhere">{toldFailure(visibleText(note.text))}</p>}
          <Value value={note.data.output ?? null} label={t("inspector.wholeOutput")} />
        </Part>
      ))}
    </>
  );
}
