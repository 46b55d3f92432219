import { Ban, CheckCircle2, CircleHelp, OctagonX, Plug, RotateCcw, ShieldCheck, Trash2, TriangleAlert, type LucideIcon } from "lucide-react";
import { useId, useState, type FormEvent } from "react";
import { queryClient, useRead } from "@/api/query";
import type { OutsideTool, ToolServer } from "@/api/types";
import { TextWarnings, VisibleText } from "@/approvals/VisibleText";
import { asText, PlainText } from "@/inspector/Value";
import { visibleText } from "@/text/visible";
import { transport } from "@/transport";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Field, inputLook, TextField } from "@/ui/Field";
import { Empty, ErrorNote, Loading } from "@/ui/Notice";
import { ShortId } from "@/ui/ShortId";
import { Time } from "@/ui/Time";
import { say } from "@/ui/toasts";

const looks: Record<ToolServer["status"], { icon: LucideIcon; word: string; tone: string }> = {
  ready: { icon: CheckCircle2, word: "Trusted, ready", tone: "text-done" },
  stopped: { icon: CircleHelp, word: "Trusted, not started", tone: "text-wait" },
  failed: { icon: OctagonX, word: "Does not answer", tone: "text-failed" },
  changed: { icon: TriangleAlert, word: "Changed since it was trusted: switched off", tone: "text-degraded" },
  new: { icon: CircleHelp, word: "Not trusted yet: switched off", tone: "text-wait" },
};

const again = () => queryClient.invalidateQueries({ queryKey: ["api", "servers"] });

/** Servers that bring tools from outside. Nothing of them is used before a person trusted exactly what is shown. */
export function Servers() {
  const read = useRead<ToolServer[] | null>("/api/servers");
  const [adding, setAdding] = useState(false);
  const list = read.data ?? [];
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-start gap-3">
        <p className="min-w-60 flex-1 text-ink-2">
          A server outside can bring tools to the agents. Its words are its own: read them as you would a stranger’s. A tool
          that changes something still asks for your approval each time.
        </p>
        {!adding && <Button look={list.length ? "plain" : "primary"} icon={Plug} onClick={() => setAdding(true)}>Add a server</Button>}
      </div>
      {adding && <AddServer onDone={() => setAdding(false)} />}
      {read.error && <ErrorNote error={read.error} title="The servers could not be read." retry={() => void read.refetch()} />}
      {read.isPending && <Loading what="Reading the servers…" />}
      {read.data !== undefined && list.length === 0 && !adding && <Empty icon={Plug} title="No tools from outside">Agents use Holdpoint’s own tools only.</Empty>}
      <ul className="space-y-4">
        {list.map((server) => (
          <li key={server.id}><Server server={server} /></li>
        ))}
      </ul>
    </div>
  );
}

/** Splits a line as a person writes arguments: spaces divide, quotes hold together. */
export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) => double ?? single ?? plain ?? "");

function AddServer({ onDone }: { onDone(): void }) {
  const id = useId();
  const [transportKind, setTransport] = useState<"stdio" | "http">("stdio");
  const [title, setTitle] = useState("");
  const [command, setCommand] = useState("");
  const [args, setArgs] = useState("");
  const [env, setEnv] = useState("");
  const [url, setUrl] = useState("");
  const [problem, setProblem] = useState("");
  const [failure, setFailure] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const stdio = transportKind === "stdio";

  const add = async (event: FormEvent) => {
    event.preventDefault();
    const lines = env.split("\n").map((line) => line.trim()).filter(Boolean);
    if (!title.trim()) return setProblem("Give it a name.");
    if (stdio && !command.trim()) return setProblem("Write the command that starts it.");
    if (!stdio && !/^https?:\/\//.test(url.trim())) return setProblem("Write its address, beginning with https://.");
    if (lines.some((line) => line.indexOf("=") < 1)) return setProblem("Write each variable as NAME=value, one a line.");
    setProblem("");
    setFailure(null);
    setBusy(true);
    try {
      const more = stdio
        ? { command: command.trim(), args: wordsOf(args), env: Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)])) }
        : { url: url.trim() };
      await transport().call("add_server", { title: title.trim(), transport: transportKind, ...more });
      say("Added. Read what it offers before you trust it.");
      void again();
      onDone();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <form onSubmit={(event) => void add(event)} aria-label="Add a server" className="space-y-3 rounded-md border bg-surface p-pad">
      <Field label="Name" value={title} onChange={(event) => setTitle(event.target.value)} autoFocus />
      <fieldset className="flex flex-wrap gap-x-4">
        <legend className="mb-1 text-sm font-medium">How it is reached</legend>
        {([["stdio", "A program on this laptop"], ["http", "An address (needs the network)"]] as const).map(([kind, words]) => (
          <label key={kind} className="flex items-center gap-2">
            <input type="radio" name={id} checked={transportKind === kind} onChange={() => setTransport(kind)} className="size-4 accent-(--accent)" />
            {words}
          </label>
        ))}
      </fieldset>
      {stdio ? (
        <>
          <Field label="Command" value={command} spellCheck={false} onChange={(event) => setCommand(event.target.value)} hint="It is started with your rights. Only what you wrote here runs; nothing is read from the file it comes with." />
          <Field label="Arguments" value={args} spellCheck={false} onChange={(event) => setArgs(event.target.value)} hint="Separated by spaces; quotation marks keep words together." />
          <TextField label="Variables" mono rows={2} value={env} spellCheck={false} onChange={(event) => setEnv(event.target.value)} hint="NAME=value, one a line. Values are kept in the data folder and not shown again." />
        </>
      ) : (
        <Field label="Address" type="url" value={url} spellCheck={false} onChange={(event) => setUrl(event.target.value)} />
      )}
      {problem && <p role="alert" className="text-sm text-failed">{problem}</p>}
      {failure !== null && <ErrorNote error={failure} title="The server was not added." />}
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={busy}>{busy ? "Asking it…" : "Add and show what it offers"}</Button>
        <Button look="quiet" disabled={busy} onClick={onDone}>Cancel</Button>
      </div>
    </form>
  );
}

function Server({ server }: { server: ToolServer }) {
  const title = useId();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<{ title: string; error: unknown } | null>(null);
  const [removing, setRemoving] = useState(false);
  const look = looks[server.status];
  const Icon = look.icon;
  const tools = server.tools ?? [];
  // Nobody trusts what they have not read: each description is opened first.
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [typed, setTyped] = useState("");
  const unread = tools.filter((tool) => !opened.has(tool.digest));
  const confirmed = typed.trim().toLowerCase() === (server.title || server.id).trim().toLowerCase();
  const trusted = server.status === "ready" || server.status === "stopped";
  const run = async (call: string, body: Record<string, unknown>, said: string, wrong: string) => {
    setBusy(true);
    setFailure(null);
    try {
      await transport().call(call, body);
      if (said) say(said);
    } catch (error) {
      setFailure({ title: wrong, error });
    } finally {
      setBusy(false);
      void again();
    }
  };
  return (
    <section aria-labelledby={title} className={`rounded-md border bg-surface ${server.status === "changed" ? "border-degraded" : ""}`}>
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b px-pad py-2">
        <h3 id={title} className="min-w-0 flex-1 font-semibold wrap-anywhere"><VisibleText text={server.title || server.id} /></h3>
        <span className={`inline-flex items-center gap-1 text-xs font-medium ${look.tone}`}><Icon aria-hidden className="size-3.5 shrink-0" />{look.word}</span>
      </header>
      <div className="space-y-3 p-pad">
        <TextWarnings texts={[server.title, server.command ?? "", ...(server.args ?? []), server.url ?? "", ...tools.flatMap((tool) => [tool.name, tool.title ?? "", tool.description, asText(tool.parameters)])]} />
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
          {server.transport === "stdio" ? (
            <>
              <dt className="text-ink-2">Starts</dt>
              <dd className="font-mono wrap-anywhere"><VisibleText text={[server.command ?? "", ...(server.args ?? []).map((arg) => (/\s/.test(arg) || arg === "" ? JSON.stringify(arg) : arg))].join(" ")} /></dd>
            </>
          ) : (
            <>
              <dt className="text-ink-2">Address</dt>
              <dd className="font-mono wrap-anywhere"><VisibleText text={server.url ?? ""} /></dd>
            </>
          )}
          {server.env && server.env.length > 0 && (<><dt className="text-ink-2">Variables</dt><dd className="font-mono wrap-anywhere"><VisibleText text={server.env.join(", ")} /></dd></>)}
          {server.identity && (<><dt className="text-ink-2">Gets</dt><dd>the token of whoever asked, with each call</dd></>)}
          {server.needs && server.needs.length > 0 && (<><dt className="text-ink-2">Needs</dt><dd className="font-mono wrap-anywhere"><VisibleText text={server.needs.join(", ")} /></dd></>)}
          {server.pinned_at && (<><dt className="text-ink-2">Trusted</dt><dd><Time at={server.pinned_at} /></dd></>)}
          {server.digest && (<><dt className="text-ink-2">Digest</dt><dd><ShortId value={server.digest} what="digest of all that is shown" /></dd></>)}
        </dl>
        {server.error && (
          <div>
            <p className="mb-1 text-sm font-medium text-failed">What went wrong</p>
            <PlainText text={server.error} label="Error of the server" />
          </div>
        )}
        {server.status === "changed" && (
          <div className="rounded-md border border-degraded bg-degraded-soft p-2 text-sm">
            <p className="font-medium text-degraded">It is not what you trusted. Its tools are switched off, and calls to them that were waiting for your verdict have been withdrawn.</p>
            {(server.changes ?? []).length > 0 ? (
              <ul className="list-disc pl-5">
                {server.changes!.map((change) => <li key={change} className="wrap-anywhere"><VisibleText text={change} /></li>)}
              </ul>
            ) : (
              <p>{tools.some(({ changed }) => changed) ? "The marked tools below have changed." : "How it is started or reached, or which tools it has, is different."}</p>
            )}
          </div>
        )}
        {tools.length > 0 ? (
          <ul aria-label={`Tools of ${visibleText(server.title)}`} className="space-y-2">
            {tools.map((tool) => (
              <li key={tool.name}>
                <Tool
                  tool={tool}
                  disabled={busy}
                  off={!trusted}
                  unread={!trusted && !opened.has(tool.digest)}
                  onOpen={() => setOpened((before) => new Set(before).add(tool.digest))}
                  classify={(kind) => void run("classify_tool", { server: server.id, tool: tool.name, class: kind, digest: tool.digest }, "", "The class was not changed.")}
                />
              </li>
            ))}
          </ul>
        ) : (
          server.status !== "failed" && <p className="text-sm text-ink-2">It offers no tools.</p>
        )}
        {failure && <ErrorNote error={failure.error} title={failure.title} />}
        {!trusted && server.digest && tools.length > 0 && (
          unread.length > 0 ? (
            <p className="text-sm text-ink-2">Open each tool and read what it says of itself before you trust it: {unread.length} of {tools.length} {unread.length === 1 ? "is" : "are"} not opened yet.</p>
          ) : (
            <Field label={`To trust it, type its name: ${visibleText(server.title || server.id)}`} value={typed} autoComplete="off" spellCheck={false} onChange={(event) => setTyped(event.target.value)} className="max-w-md" />
          )
        )}
        <div className="flex flex-wrap gap-2">
          {!trusted && server.digest && (
            <Button look="primary" icon={ShieldCheck} disabled={busy || unread.length > 0 || (tools.length > 0 && !confirmed)} onClick={() => void run("trust_server", { id: server.id, digest: server.digest }, "Trusted as it is shown.", "It was not trusted.")}>
              {server.status === "changed" ? "Trust exactly this instead" : "Trust exactly this"}
            </Button>
          )}
          <Button icon={RotateCcw} disabled={busy} onClick={() => void run("refresh_server", { id: server.id }, "Asked again.", "It could not be asked.")}>Ask it again</Button>
          <Button look="danger" icon={Trash2} disabled={busy} onClick={() => setRemoving(true)}>Remove…</Button>
        </div>
      </div>
      <Dialog open={removing} onOpenChange={setRemoving} title="Remove this server?" description={`The agents lose the tools of “${visibleText(server.title)}”. What its tools did stays in the record.`}>
        <div className="flex gap-2">
          <Button look="danger" disabled={busy} onClick={() => { setRemoving(false); void run("remove_server", { id: server.id }, "Removed.", "It was not removed."); }}>Remove</Button>
          <Button look="quiet" onClick={() => setRemoving(false)}>Keep it</Button>
        </div>
      </Dialog>
    </section>
  );
}

function Tool({ tool, disabled, off, unread, onOpen, classify }: { tool: OutsideTool; disabled: boolean; off: boolean; unread: boolean; onOpen(): void; classify(kind: OutsideTool["class"]): void }) {
  const id = useId();
  return (
    <details className="group rounded-md border" open={tool.changed} onToggle={(event) => event.currentTarget.open && onOpen()}>
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-3 px-3 py-1.5 hover:bg-hover">
        <span className="min-w-0 flex-1 font-mono text-sm wrap-anywhere"><VisibleText text={tool.name} /></span>
        {unread && <span className="text-xs text-ink-2">Not read yet</span>}
        {tool.changed && <span className="inline-flex items-center gap-1 text-xs font-medium text-degraded"><TriangleAlert aria-hidden className="size-3.5" />Changed</span>}
        {(off || tool.unusable) && <span className="inline-flex items-center gap-1 text-xs text-ink-3"><Ban aria-hidden className="size-3.5" />Off</span>}
        <span className="text-xs text-ink-2">{tool.class === "read" ? "Reads only (your choice)" : "Asks before each call"}</span>
      </summary>
      <div className="space-y-2 border-t p-3 text-sm">
        <p className="text-xs text-ink-3">The server’s own words</p>
        {tool.title && <p className="font-medium wrap-anywhere"><VisibleText text={tool.title} /></p>}
        <PlainText text={tool.description || "(none)"} label={`Description of ${tool.name}`} />
        <p className="text-xs text-ink-3">Arguments (JSON Schema)</p>
        <PlainText text={asText(tool.parameters)} label={`Arguments of ${tool.name}`} />
        {tool.unusable && <p className="text-degraded wrap-anywhere">No model is offered it: <VisibleText text={tool.unusable} /></p>}
        {tool.before && (
          <>
            <p className="text-xs text-ink-3">As you trusted it</p>
            <PlainText text={`${tool.before.description}\n\n${asText(tool.before.parameters)}`} label={`${tool.name} as it was trusted`} />
          </>
        )}
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <label htmlFor={id} className="font-medium">It</label>
          <select id={id} value={tool.class} disabled={disabled || off} onChange={(event) => classify(event.target.value as OutsideTool["class"])} className={`${inputLook} min-h-7 w-auto`}>
            <option value="mutating">changes things: ask before each call</option>
            <option value="read">only reads: may run without asking</option>
          </select>
          <ShortId value={tool.digest} what="digest of the tool" />
        </div>
        {off && <p className="text-xs text-ink-2">Trust the server before you say what its tools do.</p>}
        {tool.read_only_hint && <p className="text-xs text-ink-2">The server claims that it only reads. Nobody has checked that.</p>}
      </div>
    </details>
  );
}
