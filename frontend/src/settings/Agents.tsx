import { CheckCircle2, Download, FileUp, OctagonX, Pencil, Trash2, TriangleAlert, Workflow } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { queryClient, useRead } from "@/api/query";
import type { AgentFile, AgentInfo, HelpTopic, Json, Manifest, Problem } from "@/api/types";
import { Graph } from "@/graph/Graph";
import { Legend } from "@/graph/Legend";
import { emptyProgress } from "@/graph/progress";
import { stepsOf } from "@/graph/steps";
import { PlainText } from "@/inspector/Value";
import { Markdown } from "@/text/Markdown";
import { toldFailure } from "@/text/failure";
import { language, t } from "@/text/language";
import { prose, visibleText } from "@/text/visible";
import { transport } from "@/transport";
import { readText } from "@/transport/text";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { ErrorNote, Loading } from "@/ui/Notice";
import { say, sayError } from "@/ui/toasts";
import type { Jump } from "./CodeEditor";
import type { Words } from "./schemaCompletion";

/** Read when somebody writes a graph, which few do. */
const CodeEditor = lazy(() => import("./CodeEditor").then((module) => ({ default: module.CodeEditor })));
const none: Problem[] = [];

const again = () => queryClient.invalidateQueries({ queryKey: ["api", "agents"] });

/** As much as the engine reads of a definition. */
const MAX = 256 * 1024;

const sample = () => `${t("settings.nameMyAgentTitleMyAgent")}\n`;

/** Graphs that a person wrote: check, add, look at, remove. */
export function Agents() {
  const read = useRead<AgentInfo[] | null>("/api/agents");
  const [viewed, setViewed] = useState<AgentInfo | null>(null);
  const [removing, setRemoving] = useState<AgentInfo | null>(null);
  const [yaml, setYaml] = useState("");
  /** The graph of their own that is being changed. */
  const [opened, setOpened] = useState<Opened | null>(null);
  /** One that is to be opened over what is written. */
  const [next, setNext] = useState<Opened | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const own = (read.data ?? []).filter(({ kind }) => kind === "file");
  const remove = async (agent: AgentInfo) => {
    setRemoving(null);
    try {
      await transport().call("remove_agent", { id: agent.id });
      // What is written stays; it can be added anew.
      setOpened((one) => (one?.file.id === agent.id ? null : one));
      say(t("settings.removedTurnsThatItAnsweredStay"));
    } catch (error) {
      sayError(error);
    }
    void again();
  };
  const take = (one: Opened) => {
    setNext(null);
    setOpened(one);
    setYaml(one.file.yaml);
    place.current?.scrollIntoView({ block: "start" });
  };
  const edit = async (agent: AgentInfo) => {
    try {
      const one = { title: agent.title, file: await transport().read<AgentFile>(`/api/agents/${encodeURIComponent(agent.id)}/file`) };
      if (yaml.trim() && yaml !== (opened?.file.yaml ?? sample())) setNext(one);
      else take(one);
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <div className="space-y-6">
      <p className="text-ink-2">{t("settings.aGraphIsAYamlFile")}</p>
      <section aria-label={t("settings.yourGraphs")} className="space-y-2">
        {read.error && <ErrorNote error={read.error} retry={() => void read.refetch()} />}
        {read.isPending && <Loading />}
        {read.data !== undefined && own.length === 0 && <p className="text-ink-3">{t("settings.noGraphOfYourOwnYet")}</p>}
        <ul className="space-y-2">
          {own.map((agent) => (
            <li key={agent.id} className="flex flex-wrap items-start gap-x-3 gap-y-1 rounded-md border bg-surface p-3">
              <div className="min-w-40 flex-1 wrap-anywhere">
                <p className="font-medium">{visibleText(agent.title)} <span className="font-mono text-xs text-ink-3">{agent.id}</span></p>
                {agent.description && <p className="text-sm text-ink-2">{visibleText(agent.description)}</p>}
                {agent.error && <p className="flex items-start gap-1 text-sm text-failed"><OctagonX aria-hidden className="mt-0.5 size-3.5 shrink-0" />{prose(toldFailure(agent.error))}</p>}
              </div>
              <span className="flex flex-wrap gap-1">
                {!agent.error && <Button small icon={Workflow} onClick={() => setViewed(agent)} aria-label={t("settings.showTheGraphOf", { title: visibleText(agent.title) })}>{t("settings.graph")}</Button>}
                <Button small icon={Pencil} onClick={() => void edit(agent)} aria-label={t("settings.edit", { name: visibleText(agent.title) })}>{t("settings.editIt")}</Button>
                <Button small look="danger" icon={Trash2} onClick={() => setRemoving(agent)} aria-label={t("settings.remove", { title: visibleText(agent.title) })}>{t("settings.remove2")}</Button>
              </span>
            </li>
          ))}
        </ul>
      </section>
      <div ref={place}>
        <Editor key={opened?.file.digest ?? ""} yaml={yaml} setYaml={setYaml} opened={opened} close={() => { setOpened(null); setYaml(""); }} />
      </div>
      <Topics />
      {viewed && <GraphDialog agent={viewed} onClose={() => setViewed(null)} />}
      <Dialog open={next !== null} onOpenChange={() => setNext(null)} title={t("settings.openItInstead")} description={t("settings.whatYouWroteIsNotKept", { title: visibleText(next?.title ?? "") })}>
        <div className="flex gap-2">
          <Button look="danger" onClick={() => next && take(next)}>{t("settings.discardAndOpen")}</Button>
          <Button look="quiet" onClick={() => setNext(null)}>{t("settings.keepWriting")}</Button>
        </div>
      </Dialog>
      <Dialog open={removing !== null} onOpenChange={() => setRemoving(null)} title={t("settings.removeThisGraph")} description={t("settings.canNoLongerBeAskedTurns", { title: visibleText(removing?.title ?? "") })}>
        <div className="flex gap-2">
          <Button look="danger" onClick={() => removing && void remove(removing)}>{t("settings.remove3")}</Button>
          <Button look="quiet" onClick={() => setRemoving(null)}>{t("settings.keepIt")}</Button>
        </div>
      </Dialog>
    </div>
  );
}

/** How long a person has to stop writing before what is there is looked at, in ms. */
const PAUSE = 350;

/** A graph's file as it was when somebody opened it. */
interface Opened {
  title: string;
  file: AgentFile;
}

/** Writes a graph: a new one, or the one that is opened. */
function Editor({ yaml, setYaml, opened, close }: { yaml: string; setYaml(text: string): void; opened: Opened | null; close(): void }) {
  const [checked, setChecked] = useState<{ yaml: string; problems: Problem[]; warnings: Problem[] } | null>(null);
  /** The newest text that could run: what is written next may be half a line. */
  const [drawn, setDrawn] = useState<Manifest | null>(null);
  const [failure, setFailure] = useState<{ title: string; error: unknown } | null>(null);
  const [busy, setBusy] = useState(false);
  const [jump, setJump] = useState<Jump | null>(null);
  const [seen, setSeen] = useState<string | null>(null);
  const rules = useRead<Json>("/api/agents/schema", { staleTime: Infinity });
  const words = useRead<Words>("/api/agents/words");
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
  const check = () => work(t("settings.itCouldNotBeChecked"), async () => void (await look(yaml)));
  const add = () =>
    work(t("settings.itWasNotAdded"), async () => {
      if (!(await look(yaml))) return;
      const { id } = await transport().call<{ id: string }>("add_agent", { yaml });
      say(t("settings.addedAsChooseItAboveThe", { id: visibleText(id) }));
      close();
      void again();
    });
  const save = ({ file: { id, digest, unfinished } }: Opened) =>
    work(t("settings.itWasNotSaved"), async () => {
      if (!(await look(yaml))) return;
      await transport().call("change_agent", { id, digest, yaml });
      say(unfinished === 0 ? t("settings.savedNewTurns", { id: visibleText(id) }) : t("settings.savedOldTurns", { id: visibleText(id), n: unfinished }));
      close();
      void again();
    });
  const open = (chosen: File | undefined) =>
    chosen &&
    work(t("settings.theFileCouldNotBeRead"), async () => {
      if (chosen.size > MAX) throw new Error(t("settings.theFileHasBytesAtMost", { chosen: chosen.size, MAX }));
      setYaml(await chosen.text());
    });
  const schema = () =>
    work(t("settings.theSchemaCouldNotBeRead"), async () => {
      const text = await readSchema();
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "application/schema+json" }));
      link.download = "holdpoint-graph.schema.json";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  const heading = opened ? t("settings.edit", { name: visibleText(opened.title) }) : t("settings.addAGraph");
  return (
    <section aria-label={heading} className="space-y-3 rounded-md border bg-surface p-pad">
      <h3 className="font-semibold">{heading}</h3>
      {opened && <p className="text-sm text-ink-2">{t("settings.itKeepsItsName", { id: visibleText(opened.file.id), n: opened.file.unfinished })}</p>}
      <div className="grid gap-3 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="min-w-0">
          <p className="mb-1 text-sm font-medium" aria-hidden>{t("settings.definitionYaml")}</p>
          <Suspense fallback={<Loading what={t("settings.openingTheEditor")} />}>
            <CodeEditor label={t("settings.definitionYaml")} value={yaml} onChange={setYaml} problems={problems} warnings={warnings} schema={rules.data ?? null} words={words.data ?? null} jump={jump} />
          </Suspense>
          <p className="mt-1 text-xs text-ink-2">{t("settings.ctrlSpaceOffersWhatMayStand")}</p>
        </div>
        <div className="min-w-0">
          <p className="mb-1 text-sm font-medium">{t("settings.preview")}</p>
          <div className="h-80 overflow-hidden rounded-md border xl:h-[calc(100%-1.75rem)]" role="group" aria-label={t("settings.previewOfTheGraph")}>
            {drawn ? (
              <Graph manifest={drawn} progress={emptyProgress} steps={stepsOf(drawn, emptyProgress)} selected={seen} onSelect={setSeen} onOpen={setSeen} />
            ) : (
              <p className="p-3 text-sm text-ink-2">{t("settings.theGraphIsDrawnHereAs")}</p>
            )}
          </div>
          {drawn && problems.length > 0 && <p className="mt-1 text-xs text-ink-2">{t("settings.asItWasBeforeTheMistakes", { problems: problems.length })}</p>}
        </div>
      </div>
      {current &&
        (current.problems.length === 0 ? (
          <p role="status" className="flex items-center gap-1.5 text-done"><CheckCircle2 aria-hidden className="size-4" />{t("settings.itCanRun")}</p>
        ) : (
          <div role="alert">
            <p className="mb-1 font-medium text-failed">{current.problems.length === 1 ? t("settings.oneMistake") : t("settings.mistakes", { problems: current.problems.length })}</p>
            <Places of={current.problems} onJump={setJump} />
          </div>
        ))}
      {current && current.warnings.length > 0 && (
        <section aria-label={t("settings.warnings")}>
          <p className="mb-1 flex items-center gap-1.5 font-medium text-held">
            <TriangleAlert aria-hidden className="size-4" />
            {current.warnings.length === 1 ? t("settings.oneWarning") : t("settings.warnings2", { warnings: current.warnings.length })}
            <span className="font-normal text-ink-2">{current.problems.length === 0 ? t("settings.itCanRunAllTheSame") : t("settings.theseAloneWouldNotKeepIt")}</span>
          </p>
          <Places of={current.warnings} onJump={setJump} />
        </section>
      )}
      {failure && <ErrorNote error={failure.error} title={failure.title} />}
      <div className="flex flex-wrap gap-2">
        {opened ? (
          <Button look="primary" disabled={busy || !yaml.trim() || yaml === opened.file.yaml} onClick={() => void save(opened)}>{t("settings.save")}</Button>
        ) : (
          <Button look="primary" disabled={busy || !yaml.trim()} onClick={() => void add()}>{t("settings.add")}</Button>
        )}
        <Button disabled={busy || !yaml.trim()} onClick={() => void check()}>{t("settings.check")}</Button>
        <Button icon={FileUp} disabled={busy} onClick={() => file.current?.click()}>{t("settings.chooseAFile")}</Button>
        {opened && <Button look="quiet" disabled={busy} onClick={close}>{t("settings.leaveItAsItIs")}</Button>}
        {!yaml && <Button look="quiet" onClick={() => setYaml(sample())}>{t("settings.beginWithAnExample")}</Button>}
        <Button look="quiet" icon={Download} disabled={busy} onClick={() => void schema()}>{t("settings.jsonSchema")}</Button>
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
              <span className="font-mono text-accent underline underline-offset-2">{problem.line}:{problem.column}</span> {prose(toldFailure(problem.message))}
              {problem.path && <span className="font-mono text-xs text-ink-3"> {visibleText(problem.path)}</span>}
            </button>
          ) : (
            <p className="px-1 text-sm wrap-anywhere">{prose(toldFailure(problem.message))}{problem.path && <span className="font-mono text-xs text-ink-3"> {visibleText(problem.path)}</span>}</p>
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
  const read = useRead<HelpTopic[] | null>(`/api/help?language=${language()}`, { staleTime: Infinity });
  const topics = topicIds.flatMap((id) => (read.data ?? []).filter((topic) => topic.id === id));
  if (topics.length === 0) return null;
  return (
    <section aria-label={t("settings.howGraphsAreWritten")} className="space-y-1">
      <h3 className="font-semibold">{t("settings.howGraphsAreWritten")}</h3>
      {topics.map((topic) => (
        <details key={topic.id} className="rounded-md border bg-surface">
          <summary className="cursor-pointer px-3 py-1.5 font-medium hover:bg-hover">{topic.title}</summary>
          {topic.language !== language() && <p className="border-t px-3 pt-2 text-sm text-ink-2">{t("help.inEnglishOnly")}</p>}
          <div lang={topic.language} className={topic.language === language() ? "border-t p-3" : "p-3"}><Markdown text={topic.markdown} /></div>
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
    <Dialog open onOpenChange={onClose} title={t("settings.graphOf", { title: visibleText(agent.title) })} wide>
      {read.error && <ErrorNote error={read.error} retry={() => void read.refetch()} />}
      {read.isPending && <Loading what={t("settings.readingTheGraph")} />}
      {read.data && (
        <div className="space-y-3">
          <div className="h-[45vh] rounded-md border"><Graph manifest={read.data} progress={progress} steps={stepsOf(read.data, progress)} selected={selected} onSelect={setSelected} onOpen={setSelected} /></div>
          <Legend manifest={read.data} />
          <details>
            <summary className="cursor-pointer text-sm text-ink-2 hover:text-ink">{t("settings.asMermaidText")}</summary>
            <PlainText text={read.data.mermaid} label={t("settings.mermaidText")} />
          </details>
        </div>
      )}
    </Dialog>
  );
}
