import { Ban, CheckCircle2, CircleHelp, OctagonX, Plug, RotateCcw, ShieldCheck, Trash2, TriangleAlert, type LucideIcon } from "lucide-react";
import { useId, useState, type FormEvent } from "react";
import { queryClient, useRead } from "@/api/query";
import type { OutsideTool, ToolServer } from "@/api/types";
import { TextWarnings, VisibleText } from "@/approvals/VisibleText";
import { asText, PlainText } from "@/inspector/Value";
import { toldFailure } from "@/text/failure";
import { t } from "@/text/language";
import { told } from "@/text/told";
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
  ready: { icon: CheckCircle2, get word() { return t("settings.trustedReady"); }, tone: "text-done" },
  stopped: { icon: CircleHelp, get word() { return t("settings.trustedNotStarted"); }, tone: "text-wait" },
  failed: { icon: OctagonX, get word() { return t("settings.doesNotAnswer"); }, tone: "text-failed" },
  changed: { icon: TriangleAlert, get word() { return t("settings.changedSinceItWasTrustedSwitched"); }, tone: "text-degraded" },
  new: { icon: CircleHelp, get word() { return t("settings.notTrustedYetSwitchedOff"); }, tone: "text-wait" },
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
          {t("settings.aServerOutsideCanBringTools")}
        </p>
        {!adding && <Button look={list.length ? "plain" : "primary"} icon={Plug} onClick={() => setAdding(true)}>{t("settings.addAServer")}</Button>}
      </div>
      {adding && <AddServer onDone={() => setAdding(false)} />}
      {read.error && <ErrorNote error={read.error} title={t("settings.theServersCouldNotBeRead")} retry={() => void read.refetch()} />}
      {read.isPending && <Loading what={t("settings.readingTheServers")} />}
      {read.data !== undefined && list.length === 0 && !adding && <Empty icon={Plug} title={t("settings.noToolsFromOutside")}>{t("settings.agentsUseHoldpointsOwnToolsOnly")}</Empty>}
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
    if (!title.trim()) return setProblem(t("settings.giveItAName"));
    if (stdio && !command.trim()) return setProblem(t("settings.writeTheCommandThatStartsIt"));
    if (!stdio && !/^https?:\/\//.test(url.trim())) return setProblem(t("settings.writeItsAddressBeginningWithHttps"));
    if (lines.some((line) => line.indexOf("=") < 1)) return setProblem(t("settings.writeEachVariableAsNameValue"));
    setProblem("");
    setFailure(null);
    setBusy(true);
    try {
      const more = stdio
        ? { command: command.trim(), args: wordsOf(args), env: Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)])) }
        : { url: url.trim() };
      await transport().call("add_server", { title: title.trim(), transport: transportKind, ...more });
      say(t("settings.addedReadWhatItOffersBefore"));
      void again();
      onDone();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <form onSubmit={(event) => void add(event)} aria-label={t("settings.addAServer")} className="space-y-3 rounded-md border bg-surface p-pad">
      <Field label={t("settings.name")} value={title} onChange={(event) => setTitle(event.target.value)} autoFocus />
      <fieldset className="flex flex-wrap gap-x-4">
        <legend className="mb-1 text-sm font-medium">{t("settings.howItIsReached")}</legend>
        {([["stdio", t("settings.aProgramOnThisLaptop")], ["http", t("settings.anAddressNeedsTheNetwork")]] as const).map(([kind, words]) => (
          <label key={kind} className="flex items-center gap-2">
            <input type="radio" name={id} checked={transportKind === kind} onChange={() => setTransport(kind)} className="size-4 accent-(--accent)" />
            {words}
          </label>
        ))}
      </fieldset>
      {stdio ? (
        <>
          <Field label={t("settings.command")} value={command} spellCheck={false} onChange={(event) => setCommand(event.target.value)} hint={t("settings.itIsStartedWithYourRights")} />
          <Field label={t("settings.arguments")} value={args} spellCheck={false} onChange={(event) => setArgs(event.target.value)} hint={t("settings.separatedBySpacesQuotationMarks")} />
          <TextField label={t("settings.variables")} mono rows={2} value={env} spellCheck={false} onChange={(event) => setEnv(event.target.value)} hint={t("settings.nameValueOneALineValues")} />
        </>
      ) : (
        <Field label={t("settings.address")} type="url" value={url} spellCheck={false} onChange={(event) => setUrl(event.target.value)} />
      )}
      {problem && <p role="alert" className="text-sm text-failed">{problem}</p>}
      {failure !== null && <ErrorNote error={failure} title={t("settings.theServerWasNotAdded")} />}
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={busy}>{busy ? t("settings.askingIt") : t("settings.addAndShowWhatItOffers")}</Button>
        <Button look="quiet" disabled={busy} onClick={onDone}>{t("settings.cancel")}</Button>
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
              <dt className="text-ink-2">{t("settings.starts")}</dt>
              <dd className="font-mono wrap-anywhere"><VisibleText text={[server.command ?? "", ...(server.args ?? []).map((arg) => (/\s/.test(arg) || arg === "" ? JSON.stringify(arg) : arg))].join(" ")} /></dd>
            </>
          ) : (
            <>
              <dt className="text-ink-2">{t("settings.address")}</dt>
              <dd className="font-mono wrap-anywhere"><VisibleText text={server.url ?? ""} /></dd>
            </>
          )}
          {server.env && server.env.length > 0 && (<><dt className="text-ink-2">{t("settings.variables")}</dt><dd className="font-mono wrap-anywhere"><VisibleText text={server.env.join(", ")} /></dd></>)}
          {server.identity && (<><dt className="text-ink-2">{t("settings.gets")}</dt><dd>{t("settings.theTokenOfWhoeverAskedWith")}</dd></>)}
          {server.needs && server.needs.length > 0 && (<><dt className="text-ink-2">{t("settings.needs")}</dt><dd className="font-mono wrap-anywhere"><VisibleText text={server.needs.join(", ")} /></dd></>)}
          {server.pinned_at && (<><dt className="text-ink-2">{t("settings.trusted")}</dt><dd><Time at={server.pinned_at} /></dd></>)}
          {server.digest && (<><dt className="text-ink-2">{t("settings.digest")}</dt><dd><ShortId value={server.digest} what={t("settings.digestOfAllThatIsShown")} /></dd></>)}
        </dl>
        {server.error && (
          <div>
            <p className="mb-1 text-sm font-medium text-failed">{t("settings.whatWentWrong")}</p>
            <PlainText text={toldFailure(server.error)} label={t("settings.errorOfTheServer")} />
          </div>
        )}
        {server.status === "changed" && (
          <div className="rounded-md border border-degraded bg-degraded-soft p-2 text-sm">
            <p className="font-medium text-degraded">{t("settings.itIsNotWhatYouTrusted")}</p>
            {(server.changes ?? []).length > 0 ? (
              <ul className="list-disc pl-5">
                {server.changes!.map((change) => <li key={change} className="wrap-anywhere"><VisibleText text={told(change)} /></li>)}
              </ul>
            ) : (
              <p>{tools.some(({ changed }) => changed) ? t("settings.theMarkedToolsBelowHaveChanged") : t("settings.howItIsStartedOrReached")}</p>
            )}
          </div>
        )}
        {tools.length > 0 ? (
          <ul aria-label={t("settings.toolsOf", { title: visibleText(server.title) })} className="space-y-2">
            {tools.map((tool) => (
              <li key={tool.name}>
                <Tool
                  tool={tool}
                  disabled={busy}
                  off={!trusted}
                  unread={!trusted && !opened.has(tool.digest)}
                  onOpen={() => setOpened((before) => new Set(before).add(tool.digest))}
                  classify={(kind) => void run("classify_tool", { server: server.id, tool: tool.name, class: kind, digest: tool.digest }, "", t("settings.theClassWasNotChanged"))}
                />
              </li>
            ))}
          </ul>
        ) : (
          server.status !== "failed" && <p className="text-sm text-ink-2">{t("settings.itOffersNoTools")}</p>
        )}
        {failure && <ErrorNote error={failure.error} title={failure.title} />}
        {!trusted && server.digest && tools.length > 0 && (
          unread.length > 0 ? (
            <p className="text-sm text-ink-2">{t("settings.openEachToolAndReadWhat", { unread: unread.length, tools: tools.length })}</p>
          ) : (
            <Field label={t("settings.toTrustItTypeItsName", { title: visibleText(server.title || server.id) })} value={typed} autoComplete="off" spellCheck={false} onChange={(event) => setTyped(event.target.value)} className="max-w-md" />
          )
        )}
        <div className="flex flex-wrap gap-2">
          {!trusted && server.digest && (
            <Button look="primary" icon={ShieldCheck} disabled={busy || unread.length > 0 || (tools.length > 0 && !confirmed)} onClick={() => void run("trust_server", { id: server.id, digest: server.digest }, t("settings.trustedAsItIsShown"), t("settings.itWasNotTrusted"))}>
              {server.status === "changed" ? t("settings.trustExactlyThisInstead") : t("settings.trustExactlyThis")}
            </Button>
          )}
          <Button icon={RotateCcw} disabled={busy} onClick={() => void run("refresh_server", { id: server.id }, t("settings.askedAgain"), t("settings.itCouldNotBeAsked"))}>{t("settings.askItAgain")}</Button>
          <Button look="danger" icon={Trash2} disabled={busy} onClick={() => setRemoving(true)}>{t("settings.remove2")}</Button>
        </div>
      </div>
      <Dialog open={removing} onOpenChange={setRemoving} title={t("settings.removeThisServer")} description={t("settings.theAgentsLoseTheToolsOf", { title: visibleText(server.title) })}>
        <div className="flex gap-2">
          <Button look="danger" disabled={busy} onClick={() => { setRemoving(false); void run("remove_server", { id: server.id }, t("settings.removed"), t("settings.itWasNotRemoved")); }}>{t("settings.remove3")}</Button>
          <Button look="quiet" onClick={() => setRemoving(false)}>{t("settings.keepIt")}</Button>
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
        {unread && <span className="text-xs text-ink-2">{t("settings.notReadYet")}</span>}
        {tool.changed && <span className="inline-flex items-center gap-1 text-xs font-medium text-degraded"><TriangleAlert aria-hidden className="size-3.5" />{t("settings.changed")}</span>}
        {(off || tool.unusable) && <span className="inline-flex items-center gap-1 text-xs text-ink-3"><Ban aria-hidden className="size-3.5" />{t("settings.off")}</span>}
        <span className="text-xs text-ink-2">{tool.class === "read" ? t("settings.readsOnlyYourChoice") : t("settings.asksBeforeEachCall")}</span>
      </summary>
      <div className="space-y-2 border-t p-3 text-sm">
        <p className="text-xs text-ink-3">{t("settings.theServersOwnWords")}</p>
        {tool.title && <p className="font-medium wrap-anywhere"><VisibleText text={tool.title} /></p>}
        <PlainText text={tool.description || t("settings.none")} label={t("settings.descriptionOf", { name: tool.name })} />
        <p className="text-xs text-ink-3">{t("settings.argumentsJsonSchema")}</p>
        <PlainText text={asText(tool.parameters)} label={t("settings.argumentsOf", { name: tool.name })} />
        {tool.unusable && <p className="text-degraded wrap-anywhere">{t("settings.noModelIsOfferedIt")} <VisibleText text={told(tool.unusable)} /></p>}
        {tool.before && (
          <>
            <p className="text-xs text-ink-3">{t("settings.asYouTrustedIt")}</p>
            <PlainText text={`${tool.before.description}\n\n${asText(tool.before.parameters)}`} label={t("settings.asItWasTrusted", { name: tool.name })} />
          </>
        )}
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <label htmlFor={id} className="font-medium">{t("settings.it")}</label>
          <select id={id} value={tool.class} disabled={disabled || off} onChange={(event) => classify(event.target.value as OutsideTool["class"])} className={`${inputLook} min-h-7 w-auto`}>
            <option value="mutating">{t("settings.changesThingsAskBeforeEachCall")}</option>
            <option value="read">{t("settings.onlyReadsMayRunWithoutAsking")}</option>
          </select>
          <ShortId value={tool.digest} what={t("settings.digestOfTheTool")} />
        </div>
        {off && <p className="text-xs text-ink-2">{t("settings.trustTheServerBeforeYouSay")}</p>}
        {tool.read_only_hint && <p className="text-xs text-ink-2">{t("settings.theServerClaimsThatItOnly")}</p>}
      </div>
    </details>
  );
}
