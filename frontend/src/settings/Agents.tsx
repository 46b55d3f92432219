import { CheckCircle2, Download, FileUp, OctagonX, Trash2, TriangleAlert, Workflow } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { queryClient, useRead } from "@/api/query";
import type { AgentInfo, HelpTopic, Json, Manifest, Problem } from "@/api/types";
import { Graph } from "@/graph/Graph";
import { Legend } from "@/graph/Legend";
import { emptyProgress } from "@/graph/progress";
import { stepsOf } from "@/graph/steps";
import { PlainText } from "@/inspector/Value";
import { Markdown } from "@/text/Markdown";
import { visibleText } from "@/text/visible";
import { transport } from "@/transport";
import { readText } from "@/transport/text";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { ErrorNote, Loading } from "@/ui/Notice";
import { say, sayError } from "@/ui/toasts";
import type { Jump } from "./CodeEditor";

/** Read when somebody writes a graph, which few do. */
const CodeEditor = lazy(() => import("./CodeEditor").then((module) => ({ default: module.CodeEditor })));
const none: Problem[] = [];

const again = () => queryClient.invalidateQueries({ queryKey: ["api", "agents"] });

/** As much as the engine reads of a definition. */
const MAX = 256 * 1024;

const START = `name: my_agent
title: My agent
description: What it is for, in one sentence.
nodes:
  - name: answer
    kind: answer
    title: Answer
    default_next: end
`;

/** Graphs that a person wrote: check, add, look at, remove. */
export function Agents() {
  const read = useRead<AgentInfo[] | null>("/api/agents");
  const [viewed, setViewed] = useState<AgentInfo | null>(null);
  const [removing, setRemoving] = useState<AgentInfo | null>(null);
  const own = (read.data ?? []).filter(({ kind }) => kind === "file");
  const remove = async (agent: AgentInfo) => {
    setRemoving(null);
    try {
      await transport().call("remove_agent", { id: agent.id });
      say("Removed. Turns that it answered stay in the record.");
    } catch (error) {
      sayError(error);
    }
    void again();
  };
  return (
    <div className="space-y-6">
      <p className="text-ink-2">A graph is a YAML file: nodes, the ways between them, and their limits. It uses the same tools and hold points as the agents that are built in.</p>
      <section aria-label="Your graphs" className="space-y-2">
        {read.error && <ErrorNote error={read.error} retry={() => void read.refetch()} />}
        {read.isPending && <Loading />}
        {read.data !== undefined && own.length === 0 && <p className="text-ink-3">No graph of your own yet. Paste one below, or choose a file.</p>}
        <ul className="space-y-2">
          {own.map((agent) => (
            <li key={agent.id} className="flex flex-wrap items-start gap-x-3 gap-y-1 rounded-md border bg-surface p-3">
              <div className="min-w-40 flex-1 wrap-anywhere">
                <p className="font-medium">{visibleText(agent.title)} <span className="font-mono text-xs text-ink-3">{agent.id}</span></p>
                {agent.description && <p className="text-sm text-ink-2">{visibleText(agent.description)}</p>}
                {agent.error && <p className="flex items-start gap-1 text-sm text-failed"><OctagonX aria-hidden className="mt-0.5 size-3.5 shrink-0" />{visibleText(agent.error)}</p>}
              </div>
              <span className="flex gap-1">
                {!agent.error && <Button small icon={Workflow} onClick={() => setViewed(agent)} aria-label={`Show the graph of ${visibleText(agent.title)}`}>Graph</Button>}
                <Button small look="danger" icon={Trash2} onClick={() => setRemoving(agent)} aria-label={`Remove ${visibleText(agent.title)}`}>Remove…</Button>
              </span>
            </li>
          ))}
        </ul>
      </section>
      <Editor />
      <Topics />
      {viewed && <GraphDialog agent={viewed} onClose={() => setViewed(null)} />}
      <Dialog open={removing !== null} onOpenChange={() => setRemoving(null)} title="Remove this graph?" description={`“${visibleText(removing?.title ?? "")}” can no longer be asked. Turns that it answered stay in the record.`}>
        <div className="flex gap-2">
          <Button look="danger" onClick={() => removing && void remove(removing)}>Remove</Button>
          <Button look="quiet" onClick={() => setRemoving(null)}>Keep it</Button>
        </div>
      </Dialog>
    </div>
  );
}

/** How long a person has to stop writing before what is there is looked at, in ms. */
const PAUSE = 350;

function Editor() {
  const [yaml, setYaml] = useState("");
  const [checked, setChecked] = useState<{ yaml: string; problems: Problem[]; warnings: Problem[] } | null>(null);
  /** The newest text that could run: what is written next may be half a line. */
  const [drawn, setDrawn] = useState<Manifest | null>(null);
  const [failure, setFailure] = useState<{ title: string; error: unknown } | null>(null);
  const [busy, setBusy] = useState(false);
  const [jump, setJump] = useState<Jump | null>(null);
  const [seen, setSeen] = useState<string | null>(null);
  const rules = useRead<Json>("/api/agents/schema", { staleTime: Infinity });
  const file = useRef<HTMLInputElement>(null);
  const current = checked?.yaml === yaml ? checked : null;
  const problems = checked && yaml.trim() ? checked.problems : none;
  const warnings = checked && yaml.trim() ? checked.warnings : none;

  const look = async (text: string): Promise<boolean> => {
    const answer = await transport().call<Verdict>("check_agent", { yaml: text });
    setChecked({ yaml: text, problems: answer.errors ?? [], warnings: answer.warnings ?? [] });
    if (answer.manifest) setDrawn(answer.manifest);
    return answer.ok;
  };
  useEffect(() => {
    if (!yaml.trim()) {
      setChecked(null);
      setDrawn(null);
      return;
    }
    let here = true;
    const timer = setTimeout(() => {
      transport().call<Verdict>("check_agent", { yaml }).then(
        (answer) => {
          if (!here) return;
          setChecked({ yaml, problems: answer.errors ?? [], warnings: answer.warnings ?? [] });
          if (answer.manifest) setDrawn(answer.manifest);
        },
        // Check says what is the matter; while somebody writes nothing jumps in between.
        () => undefined,
      );
    }, PAUSE);
    return () => {
      here = false;
      clearTimeout(timer);
    };
  }, [yaml]);

  const work = async (title: string, run: () => Promise<void>) => {
    setBusy(true);
    setFailure(null);
    try {
      await run();
    } catch (error) {
      setFailure({ title, error });
    } finally {
      setBusy(false);
    }
  };
  const check = () => work("It could not be checked.", async () => void (await look(yaml)));
  const add = () =>
    work("It was not added.", async () => {
      if (!(await look(yaml))) return;
      const { id } = await transport().call<{ id: string }>("add_agent", { yaml });
      say(`Added as ${visibleText(id)}. Choose it above the message box.`);
      setYaml("");
      setChecked(null);
      void again();
    });
  const open = (chosen: File | undefined) =>
    chosen &&
    work("The file could not be read.", async () => {
      if (chosen.size > MAX) throw new Error(`The file has ${chosen.size.toLocaleString("en")} bytes; at most ${MAX.toLocaleString("en")} fit.`);
      setYaml(await chosen.text());
    });
  const schema = () =>
    work("The schema could not be read.", async () => {
      const text = await readSchema();
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "application/schema+json" }));
      link.download = "holdpoint-graph.schema.json";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  return (
    <section aria-label="Add a graph" className="space-y-3 rounded-md border bg-surface p-pad">
      <h3 className="font-semibold">Add a graph</h3>
      <div className="grid gap-3 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="min-w-0">
          <p className="mb-1 text-sm font-medium" aria-hidden>Definition (YAML)</p>
          <Suspense fallback={<Loading what="Opening the editor…" />}>
            <CodeEditor label="Definition (YAML)" value={yaml} onChange={setYaml} problems={problems} warnings={warnings} schema={rules.data ?? null} jump={jump} />
          </Suspense>
          <p className="mt-1 text-xs text-ink-2">Ctrl Space offers what may stand here; mistakes are underlined while you write. One of the same name is replaced; turns that began with it go on with what they began with.</p>
        </div>
        <div className="min-w-0">
          <p className="mb-1 text-sm font-medium">Preview</p>
          <div className="h-80 overflow-hidden rounded-md border xl:h-[calc(100%-1.75rem)]" role="group" aria-label="Preview of the graph">
            {drawn ? (
              <Graph manifest={drawn} progress={emptyProgress} steps={stepsOf(drawn, emptyProgress)} selected={seen} onSelect={setSeen} onOpen={setSeen} />
            ) : (
              <p className="p-3 text-sm text-ink-2">The graph is drawn here as soon as the definition can run.</p>
            )}
          </div>
          {drawn && problems.length > 0 && <p className="mt-1 text-xs text-ink-2">As it was before the {problems.length === 1 ? "mistake" : "mistakes"}.</p>}
        </div>
      </div>
      {current &&
        (current.problems.length === 0 ? (
          <p role="status" className="flex items-center gap-1.5 text-done"><CheckCircle2 aria-hidden className="size-4" />It can run.</p>
        ) : (
          <div role="alert">
            <p className="mb-1 font-medium text-failed">{current.problems.length === 1 ? "One mistake" : `${current.problems.length} mistakes`}</p>
            <Places of={current.problems} onJump={setJump} />
          </div>
        ))}
      {current && current.warnings.length > 0 && (
        <section aria-label="Warnings">
          <p className="mb-1 flex items-center gap-1.5 font-medium text-held">
            <TriangleAlert aria-hidden className="size-4" />
            {current.warnings.length === 1 ? "One warning" : `${current.warnings.length} warnings`}
            <span className="font-normal text-ink-2">{current.problems.length === 0 ? "It can run all the same." : "These alone would not keep it from running."}</span>
          </p>
          <Places of={current.warnings} onJump={setJump} />
        </section>
      )}
      {failure && <ErrorNote error={failure.error} title={failure.title} />}
      <div className="flex flex-wrap gap-2">
        <Button look="primary" disabled={busy || !yaml.trim()} onClick={() => void add()}>Add</Button>
        <Button disabled={busy || !yaml.trim()} onClick={() => void check()}>Check</Button>
        <Button icon={FileUp} disabled={busy} onClick={() => file.current?.click()}>Choose a file…</Button>
        {!yaml && <Button look="quiet" onClick={() => setYaml(START)}>Begin with an example</Button>}
        <Button look="quiet" icon={Download} disabled={busy} onClick={() => void schema()}>JSON Schema</Button>
        <input ref={file} type="file" accept=".yaml,.yml" hidden aria-hidden tabIndex={-1} onChange={(event) => { void open(event.target.files?.[0]); event.target.value = ""; }} />
      </div>
    </section>
  );
}

/** What the check of a definition says. */
interface Verdict {
  ok: boolean;
  errors: Problem[] | null;
  warnings?: Problem[] | null;
  manifest?: Manifest | null;
}

/** Mistakes or warnings, each leading to its place. */
function Places({ of, onJump }: { of: readonly Problem[]; onJump(jump: Jump): void }) {
  return (
    <ul className="space-y-1">
      {of.map((problem, index) => (
        <li key={index}>
          {problem.line > 0 ? (
            <button type="button" onClick={() => onJump({ line: problem.line, column: problem.column })} className="rounded-sm px-1 text-left text-sm wrap-anywhere hover:bg-hover">
              <span className="font-mono text-accent underline underline-offset-2">{problem.line}:{problem.column}</span> {visibleText(problem.message)}
              {problem.path && <span className="font-mono text-xs text-ink-3"> {visibleText(problem.path)}</span>}
            </button>
          ) : (
            <p className="px-1 text-sm wrap-anywhere">{visibleText(problem.message)}{problem.path && <span className="font-mono text-xs text-ink-3"> {visibleText(problem.path)}</span>}</p>
          )}
        </li>
      ))}
    </ul>
  );
}

/** As a person reads it: editors show it. */
async function readSchema(): Promise<string> {
  const text = transport().readText ? JSON.stringify(await transport().read<unknown>("/api/agents/schema")) : await readText("/api/agents/schema");
  return JSON.stringify(JSON.parse(text), null, 2);
}

const topicIds = ["graphs", "nodes", "flags", "patterns", "limits", "examples", "tools-from-outside"];

function Topics() {
  const read = useRead<HelpTopic[] | null>("/api/help", { staleTime: Infinity });
  const topics = topicIds.flatMap((id) => (read.data ?? []).filter((topic) => topic.id === id));
  if (topics.length === 0) return null;
  return (
    <section aria-label="How graphs are written" className="space-y-1">
      <h3 className="font-semibold">How graphs are written</h3>
      {topics.map((topic) => (
        <details key={topic.id} className="rounded-md border bg-surface">
          <summary className="cursor-pointer px-3 py-1.5 font-medium hover:bg-hover">{topic.title}</summary>
          <div className="border-t p-3"><Markdown text={topic.markdown} /></div>
        </details>
      ))}
    </section>
  );
}

function GraphDialog({ agent, onClose }: { agent: AgentInfo; onClose(): void }) {
  const read = useRead<Manifest>(`/api/agents/${encodeURIComponent(agent.id)}`);
  const [selected, setSelected] = useState<string | null>(null);
  const progress = emptyProgress;
  return (
    <Dialog open onOpenChange={onClose} title={`Graph of ${visibleText(agent.title)}`} wide>
      {read.error && <ErrorNote error={read.error} retry={() => void read.refetch()} />}
      {read.isPending && <Loading what="Reading the graph…" />}
      {read.data && (
        <div className="space-y-3">
          <div className="h-[45vh] rounded-md border"><Graph manifest={read.data} progress={progress} steps={stepsOf(read.data, progress)} selected={selected} onSelect={setSelected} onOpen={setSelected} /></div>
          <Legend manifest={read.data} />
          <details>
            <summary className="cursor-pointer text-sm text-ink-2 hover:text-ink">As Mermaid text</summary>
            <PlainText text={read.data.mermaid} label="Mermaid text" />
          </details>
        </div>
      )}
    </Dialog>
  );
}
