import { useEffect, useId, useRef, useState } from "react";
import { queryClient, useRead } from "@/api/query";
import { explain, type AgentInfo, type AgentVar } from "@/api/types";
import type { StartQuestions } from "@/cards/types";
import { type Language, languageNames, t } from "@/text/language";
import { Markdown } from "@/text/Markdown";
import { plain } from "@/text/plain";
import { told } from "@/text/told";
import { visibleText } from "@/text/visible";
import { transport } from "@/transport";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Field, inputLook, TextField } from "@/ui/Field";
import { Empty, ErrorNote, Loading } from "@/ui/Notice";
import { say, sayError } from "@/ui/toasts";
import { FileText } from "lucide-react";

interface Entry {
  agent: string;
  audience: string;
  language: string;
  name: string;
  text: string;
  source: "file" | "synced" | "override";
  original: string;
  stale?: boolean;
  /** Another one once anything of it has changed. */
  version: string;
}

const keyOf = (one: Entry) => `${one.agent}/${one.audience}/${one.language}/${one.name}`;

/** The texts of agents: found, edited beside their original, looked at in a prompt, and reset; first that which is named. */
export function Texts({ named = "" }: { named?: string }) {
  const agents = useRead<AgentInfo[] | null>("/api/agents").data?.filter(({ texts }) => texts) ?? null;
  const [agent, setAgent] = useState("");
  const chosen = agent || agents?.[0]?.id || "";
  const { data, error, refetch } = useRead<Entry[] | null>(chosen ? `/api/texts?agent=${encodeURIComponent(chosen)}` : null);
  const [audience, setAudience] = useState("");
  const [language, setLanguage] = useState("");
  const [find, setFind] = useState(named);
  const [own, setOwn] = useState(false);
  const [editing, setEditing] = useState("");
  if (error) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (agents?.length === 0) return <Empty icon={FileText} title={t("settings.textsNoAgents")}>{t("settings.textsNoAgentsHint")}</Empty>;
  if (!data) return <Loading />;
  const vars = agents?.find(({ id }) => id === chosen)?.vars ?? [];
  const audienceOf = (value: string) => told(vars.filter((one) => one.audience).flatMap(({ values, titles }) => titles?.[values.indexOf(value)] ?? [])[0] ?? visibleText(value));
  const sought = plain(find);
  const shown = data.filter((one) => (!audience || one.audience === audience) && (!language || one.language === language) && (!own || one.source === "override") && (!sought || plain(`${one.name} ${one.text}`).includes(sought))).sort((a, b) => Number(b.name === find) - Number(a.name === find));
  const edited = data.find((one) => keyOf(one) === editing);
  const sync = () =>
    transport().call<{ written: number; kept: number }>("sync_texts", {}).then(({ written, kept }) => say(t("settings.textsSynchronise", { written, kept })), sayError);
  return (
    <div className="space-y-4">
      <p className="text-ink-2">{t("settings.textsIntro")}</p>
      <div className="grid gap-3 sm:grid-cols-3">
        <Pick label={t("settings.textsAgent")} value={chosen} options={(agents ?? []).map(({ id, title }) => [id, told(title)])} onChange={setAgent} />
        <Pick label={t("settings.textsAudience")} value={audience} options={[["", t("settings.textsAll")], ...distinct(data.map((one) => one.audience), audienceOf)]} onChange={setAudience} />
        <Pick label={t("settings.textsLanguage")} value={language} options={[["", t("settings.textsAll")], ...distinct(data.map((one) => one.language), languageOf)]} onChange={setLanguage} />
      </div>
      <Field label={t("settings.textsFind")} type="search" value={find} onChange={(event) => setFind(event.target.value)} />
      <div className="flex flex-wrap items-center justify-between gap-2">
        <label className="flex items-center gap-2"><input type="checkbox" checked={own} onChange={(event) => setOwn(event.target.checked)} className="size-4 accent-(--accent)" />{t("settings.textsOwn")}</label>
        <Button small onClick={() => void sync()}>{t("settings.textsSync")}</Button>
      </div>
      {shown.length === 0 ? (
        <Empty icon={FileText} title={t("settings.textsNone")}>{t("settings.textsNoneHint")}</Empty>
      ) : (
        <ul className="divide-y rounded-md border bg-surface">
          {shown.map((one) => (
            <li key={keyOf(one)}>
              <button type="button" onClick={() => setEditing(keyOf(one))} className="block w-full px-3 py-2 text-left hover:bg-hover">
                <span className="flex flex-wrap gap-x-2 text-sm"><span className="font-mono wrap-anywhere">{visibleText(one.name)}</span><span className="text-ink-2">{audienceOf(one.audience)}, {languageOf(one.language)}</span><Source of={one} /></span>
                <span lang={one.language} className="line-clamp-2 text-ink-2 wrap-anywhere">{visibleText(one.text)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {edited && <Edit key={editing} entry={edited} vars={varsOf(vars, edited)} whose={`${audienceOf(edited.audience)}, ${languageOf(edited.language)}`} onClose={() => setEditing("")} />}
    </div>
  );
}

/** The vars of a run whose texts are for its audience, in its language. */
const varsOf = (vars: AgentVar[], entry: Entry): Record<string, string> =>
  Object.fromEntries(vars.flatMap((one) => (one.audience ? [[one.name, entry.audience]] : one.language ? [[one.name, entry.language]] : [])));

const distinct = (values: string[], name: (value: string) => string): [string, string][] => [...new Set(values)].map((one) => [one, name(one)]);

const languageOf = (code: string) => languageNames[code as Language] ?? visibleText(code);

function Source({ of }: { of: Entry }) {
  if (of.source === "file") return null;
  return <span className="font-medium text-accent">{of.source === "override" ? t("settings.textsYours") : t("settings.textsSynced")}{of.stale && `; ${t("settings.textsStale")}`}</span>;
}

function Pick({ label, value, options, onChange }: { label: string; value: string; options: string[][]; onChange(value: string): void }) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)} className={inputLook}>
        {options.map(([code, name]) => <option key={code} value={code}>{name}</option>)}
      </select>
    </div>
  );
}

/** One text with its original beside it. */
function Edit({ entry, vars, whose, onClose }: { entry: Entry; vars: Record<string, string>; whose: string; onClose(): void }) {
  // What is saved is based on what was read, whatever others save meanwhile.
  const [read, setRead] = useState(entry);
  const [text, setText] = useState(entry.text);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const [leaving, setLeaving] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const typed = text !== read.text;
  const changed = entry.version !== read.version && !busy;
  useEffect(() => {
    // Where nothing was written yet, nothing is lost.
    if (!changed || typed) return;
    setRead(entry);
    setText(entry.text);
  }, [changed, typed, entry]);
  // What was typed and not saved is not dropped without a word.
  const close = () => (typed ? setLeaving(true) : onClose());
  const readAgain = async () => {
    for (const part of ["texts", "agents"]) await queryClient.invalidateQueries({ queryKey: ["api", part] });
  };
  const change = async (name: string, body: object, done: string, over = read) => {
    setBusy(true);
    setProblem("");
    try {
      const next = await transport().call<Entry>(name, { key: keyOf(entry), version: over.version, ...body });
      await readAgain();
      setRead(next);
      setText(next.text);
      say(done);
    } catch (error) {
      const { message, hint, code } = explain(error);
      if (code === "changed") await readAgain(); // what it is now stands beside what was written
      else setProblem(`${message} ${hint}`.trim());
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog open onOpenChange={(open) => !open && close()} title={entry.name} description={whose} wide>
      <div ref={box} className="space-y-4">
        {leaving && typed && (
          <div role="alert" className="flex flex-wrap items-center gap-2 rounded-md border border-line-strong bg-sunken p-3">
            <p className="min-w-40 flex-1">{t("settings.textsNotSaved")}</p>
            <Button look="primary" autoFocus onClick={() => { setLeaving(false); box.current?.querySelector<HTMLElement>("textarea:not([readonly])")?.focus(); }}>{t("settings.textsGoOn")}</Button>
            <Button look="danger" onClick={onClose}>{t("settings.textsDrop")}</Button>
          </div>
        )}
        <Source of={entry} />
        {changed && typed && (
          <section role="alert" aria-label={t("settings.textsChanged")} className="space-y-2 rounded-md border border-line-strong bg-sunken p-3">
            <p className="font-medium">{t("settings.textsChanged")}</p>
            <p className="text-ink-2">{t("settings.textsChangedHint")}</p>
            <TextField label={t("settings.textsTheirs")} lang={entry.language} rows={6} readOnly value={entry.text} className="[&_textarea]:bg-surface" />
            <div className="flex flex-wrap gap-2">
              <Button disabled={text.trim() === ""} onClick={() => void change("set_text", { text }, t("settings.textsSaved"), entry)}>{t("settings.textsOver")}</Button>
              <Button onClick={() => { setRead(entry); setText(entry.text); setProblem(""); }}>{t("settings.textsTake")}</Button>
            </div>
          </section>
        )}
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField label={t("settings.textsOriginal")} lang={entry.language} rows={10} readOnly value={entry.original} className="[&_textarea]:bg-sunken" />
          <TextField label={t("settings.textsInForce")} lang={entry.language} rows={10} value={text} problem={problem} onChange={(event) => { setText(event.target.value); setProblem(""); }} />
        </div>
        <div className="flex flex-wrap gap-2">
          <Button look="primary" disabled={busy || changed || text.trim() === "" || !typed} onClick={() => void change("set_text", { text }, t("settings.textsSaved"))}>{t("settings.textsSave")}</Button>
          <Button disabled={busy || (changed && typed) || entry.source === "file"} onClick={() => void change("reset_text", {}, t("settings.textsBack"))}>{t("settings.textsReset")}</Button>
        </div>
        <Read entry={entry} vars={vars} text={text} />
        <Preview entry={entry} of={vars} />
      </div>
    </Dialog>
  );
}

/** How people read the text, as it is typed: in its audience's size, with what is filled in by its name. */
function Read({ entry, vars, text }: { entry: Entry; vars: Record<string, string>; text: string }) {
  const prompts = useRead<Nodes>(`/api/agents/${encodeURIComponent(entry.agent)}/prompts`).data;
  const start = useRead<StartQuestions | null>(`/api/agents/${encodeURIComponent(entry.agent)}/start?${new URLSearchParams(vars)}`).data;
  // What only models read, and lists of words that are listened for, look like nothing.
  if (!prompts || prompts.nodes.some(({ texts }) => texts.includes(entry.name)) || /_prompt$|^words_|_marks$/.test(entry.name)) return null;
  return (
    <section className="space-y-2 border-t pt-3">
      <h3 className="font-semibold">{t("settings.textsRead")}</h3>
      <div lang={entry.language} data-read style={{ zoom: start?.scale ?? 1 }} className="rounded-md border bg-surface p-3 wrap-anywhere">
        <Markdown text={text.replace(/\{([a-z_]+)\}/g, "*$1*")} />
      </div>
    </section>
  );
}

interface Nodes {
  nodes: { node: string; title: string; texts: string[] }[];
  vars: AgentVar[];
}

interface Compiled {
  parts: { name: string; text: string }[];
  left: string[];
  tools: string[];
  response_schema?: string;
}

/** The compiled prompt of a step that has the text, for a state to choose. */
function Preview({ entry, of }: { entry: Entry; of: Record<string, string> }) {
  const { data } = useRead<Nodes>(`/api/agents/${encodeURIComponent(entry.agent)}/prompts`);
  const nodes = data?.nodes.filter(({ texts }) => texts.includes(entry.name)) ?? [];
  const [node, setNode] = useState("");
  const [state, setState] = useState<Record<string, string>>({});
  const [path, setPath] = useState("");
  const { data: prompt, error } = useRead<Compiled>(path || null, { staleTime: 0 });
  if (!data) return null;
  if (nodes.length === 0) return <p className="text-sm text-ink-2">{t("settings.textsNotPrompt")}</p>;
  const chosen = node || nodes[0]!.node;
  const vars: Record<string, string> = { ...of, ...state };
  const show = () => setPath(`/api/agents/${encodeURIComponent(entry.agent)}/prompt?${new URLSearchParams({ node: chosen, ...vars })}`);
  return (
    <section className="space-y-3 border-t pt-3">
      <h3 className="font-semibold">{t("settings.textsPrompt")}</h3>
      <div className="grid gap-3 sm:grid-cols-3">
        <Pick label={t("settings.textsNode")} value={chosen} options={nodes.map((one) => [one.node, told(one.title || one.node)])} onChange={setNode} />
        {data.vars.filter(({ name }) => !(name in of)).map((one) => (
          <Pick key={one.name} label={one.name} value={vars[one.name] ?? ""} options={one.values?.length ? [["", "—"], ...one.values.map((value) => [value, value])] : [["", "—"], ["true", t("settings.textsYes")], ["false", t("settings.textsNo")]]} onChange={(value) => setState(({ [one.name]: _, ...rest }) => (value ? { ...rest, [one.name]: value } : rest))} />
        ))}
      </div>
      <Button onClick={show}>{t("settings.textsShow")}</Button>
      {error && <ErrorNote error={error} />}
      {prompt && (
        <div className="space-y-2">
          {prompt.parts.map((part) => (
            <div key={part.name}>
              <p className="text-xs text-ink-2">{t("settings.textsPart")} <span className="font-mono">{part.name}</span></p>
              <p lang={entry.language} className="rounded-md bg-sunken p-2 text-sm whitespace-pre-wrap wrap-anywhere">{visibleText(part.text)}</p>
            </div>
          ))}
          <p className="text-sm text-ink-2 wrap-anywhere">{t("settings.textsTools")}: {prompt.tools.join(", ") || t("settings.textsNoneOf")}. {t("settings.textsSchema")}: {prompt.response_schema || t("settings.textsNoneOf")}. {t("settings.textsLeft")}: {prompt.left.join(", ") || t("settings.textsNoneOf")}.</p>
        </div>
      )}
    </section>
  );
}
