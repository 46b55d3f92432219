import { autocompletion, completionKeymap, type CompletionContext } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { Compartment, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";
import type { Json, Problem } from "@/api/types";
import { told } from "@/text/told";
import { prose, visibleText } from "@/text/visible";
import { offsetOf } from "./place";
import { offersAt, type Words } from "./schemaCompletion";

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: tags.comment, color: "var(--ink-3)", fontStyle: "italic" },
  { tag: [tags.string, tags.content], color: "var(--ink)" },
  { tag: [tags.keyword, tags.bool, tags.number], color: "var(--run)" },
  { tag: [tags.punctuation, tags.separator], color: "var(--ink-2)" },
]);

const look = EditorView.theme({
  "&": { backgroundColor: "var(--surface)", color: "var(--ink)", fontSize: "0.8125rem", borderRadius: "8px", border: "1px solid var(--line-strong)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.5", minHeight: "14rem", maxHeight: "min(60vh, 36rem)", overflow: "auto" },
  ".cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--ink-3)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-soft) !important" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--ink)", border: "1px solid var(--line-strong)", borderRadius: "4px" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { color: "inherit", fontStyle: "normal", opacity: "0.85" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--failed)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--held)" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--held)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--failed)" },
});

/** A position that a person can be led to: the line and column of a mistake. */
export interface Jump {
  line: number;
  column: number;
}

const none: readonly Problem[] = [];

/** Writes YAML: what the schema allows is offered, and mistakes stand where they are. Tab leaves it, as it leaves any field. */
export function CodeEditor({ value, onChange, problems, warnings = none, schema, words, label, jump }: {
  value: string;
  onChange(text: string): void;
  problems: readonly Problem[];
  /** What is odd and can run all the same. */
  warnings?: readonly Problem[];
  schema: Json | null;
  /** What may be named where; null until it is there. */
  words: Words | null;
  label: string;
  /** Takes the caret there when it changes. */
  jump: Jump | null;
}) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const change = useRef(onChange);
  change.current = onChange;
  const offers = useRef(new Compartment());

  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; what changes is told to it below
  useEffect(() => {
    const made = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: value,
        extensions: [
          lineNumbers(), history(), drawSelection(), indentOnInput(), bracketMatching(), highlightActiveLine(), indentUnit.of("  "),
          yaml(), syntaxHighlighting(colours), look, lintGutter(), offers.current.of([]),
          keymap.of([...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", spellcheck: "false", autocorrect: "off", autocapitalize: "off" }),
          EditorView.updateListener.of((update) => update.docChanged && change.current(update.state.doc.toString())),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, []);

  useEffect(() => {
    const made = view.current;
    if (made && made.state.doc.toString() !== value) made.dispatch({ changes: { from: 0, to: made.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const source = ({ state, pos, explicit }: CompletionContext) => {
      const offer = offersAt(schema, words, state.doc.toString(), pos);
      if (!offer || (!explicit && !offer.expected && offer.from === pos)) return null;
      return { from: offer.from, options: offer.options.map((one) => ({ ...one, label: visibleText(one.label), detail: visibleText(one.detail) })), validFor: /^[\w-]*$/ };
    };
    view.current?.dispatch({ effects: offers.current.reconfigure(autocompletion({ override: [source], icons: false })) });
  }, [schema, words]);

  useEffect(() => {
    const made = view.current;
    if (made) made.dispatch(setDiagnostics(made.state, [...problems.map((problem) => marked(made.state, problem, "error")), ...warnings.map((warning) => marked(made.state, warning, "warning"))]));
  }, [problems, warnings]);

  useEffect(() => {
    const made = view.current;
    if (!made || !jump) return;
    const at = offsetOf(made.state.doc.toString(), Math.max(1, jump.line), Math.max(1, jump.column));
    made.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    made.focus();
  }, [jump]);

  return <div ref={place} />;
}

/** A mistake from its place to the end of the word, or of the line. */
function marked(state: EditorState, { line, column, message, path }: Problem, severity: "error" | "warning"): Diagnostic {
  const from = line > 0 ? offsetOf(state.doc.toString(), line, Math.max(1, column)) : 0;
  const rest = line > 0 ? state.doc.lineAt(from) : state.doc.line(1);
  const word = /^\S+/.exec(state.sliceDoc(from, rest.to))?.[0].length ?? 0;
  return { from, to: Math.min(rest.to, from + Math.max(1, word)), severity, message: `${prose(told(message))}${path ? ` (${visibleText(path)})` : ""}` };
}
