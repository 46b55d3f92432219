import type { NoteView } from "@/journal/view";
import { plain } from "@/graph/steps";
import { bytes, duration } from "@/text/format";
import { visibleText } from "@/text/visible";
import { Time } from "@/ui/Time";
import { Value } from "./Value";
import { Part } from "./Detail";

const num = (note: NoteView, name: string) => (typeof note.data[name] === "number" ? (note.data[name] as number) : undefined);

const verdicts: Record<string, string> = {
  pass: "let it pass", transform: "changed the output", retry: "asked for another try", block: "blocked the output",
};

const rules: Record<string, string> = { allow: "allows it", warn: "warns", ask: "asks", hold: "holds it", refuse: "refuses it" };

/** A note in one sentence. */
export function noteText(note: NoteView): string {
  const text = visibleText(note.text);
  switch (note.kind) {
    case "retry": {
      const wait = num(note, "wait_ms");
      return `Attempt ${note.attempt} failed: ${text}${wait !== undefined ? `; tried again after ${duration(wait)}` : ""}`;
    }
    case "guard":
      return `Guard ${plain(visibleText(note.name || "unnamed"))} ${verdicts[note.status] ?? note.status}${text ? `: ${text}` : ""}`;
    case "rule":
      return `Rule ${visibleText(note.name)} ${rules[note.status] ?? note.status}${note.data.checkpoint ? ` (${visibleText(String(note.data.checkpoint))})` : ""}${text ? `: ${text}` : ""}`;
    case "skill": {
      const missing = Array.isArray(note.data.missing) ? note.data.missing.map(String) : [];
      return `${visibleText(note.name)}, tier ${num(note, "tier") ?? 2}${missing.length ? `; nobody has ${visibleText(missing.join(", "))}` : ""}`;
    }
    case "hook":
      return `Hook ${visibleText(note.name || "unnamed")} failed${note.status ? ` (${plain(note.status)})` : ""}: ${text}; the turn went on`;
    case "observed": {
      const usage = (note.data.usage ?? {}) as { tokens?: number };
      const took = num(note, "took_ns");
      const size = num(note, "output_bytes");
      return [
        took !== undefined ? `took ${duration(took / 1e6)}` : "",
        usage.tokens ? `${usage.tokens.toLocaleString("en")} tokens` : "",
        size ? `output of ${bytes(size)}` : "",
        note.data.cached === true ? "from the cache" : "",
        note.data.skipped === true ? "skipped" : "",
        note.data.failed === true ? "failed" : "",
        note.data.over_time === true ? "longer than it should" : "",
      ].filter(Boolean).join(", ");
    }
    default:
      return text;
  }
}

const titles: [NoteView["kind"], string][] = [
  ["rule", "Rules that fired"], ["skill", "Skills that were loaded"], ["retry", "Retries"], ["guard", "Guards"], ["warning", "Warnings"], ["hook", "Failed hooks"], ["observed", "Metrics"],
];

/** All that a stage told beside its result, by kind. */
export function Notes({ notes }: { notes: readonly NoteView[] }) {
  const outputs = notes.filter(({ kind }) => kind === "output");
  return (
    <>
      {titles.map(([kind, title]) => {
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
        <Part key={note.seq} title={outputs.length > 1 ? `Whole output, visit ${index + 1}` : "Whole output"}>
          {note.text && <p className="text-failed wrap-anywhere">{visibleText(note.text)}</p>}
          <Value value={note.data.output ?? null} label="Whole output" />
        </Part>
      ))}
    </>
  );
}
