import { FileUp, Trash2, TriangleAlert } from "lucide-react";
import { useRef, useState } from "react";
import { queryClient, useRead } from "@/api/query";
import type { Skill } from "@/api/types";
import { href } from "@/shell/route";
import { Markdown } from "@/text/Markdown";
import { visibleText } from "@/text/visible";
import { transport } from "@/transport";
import { Button } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { Dialog } from "@/ui/Dialog";
import { ErrorNote, Loading } from "@/ui/Notice";
import { ShortId } from "@/ui/ShortId";
import { Time } from "@/ui/Time";
import { say } from "@/ui/toasts";

const again = () => queryClient.invalidateQueries({ queryKey: ["api", "skills"] });

/** As much as a call takes. */
const MAX = 700 * 1024;

const tiers: Record<number, string> = { 2: "its definition", 3: "its definition and artifacts" };

/** The bytes of a file as base64. */
export async function base64(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

/** Knowledge that agents load when they need it: what is there, what it may call, what was loaded. */
export function Skills() {
  const read = useRead<Skill[] | null>("/api/skills");
  const [failure, setFailure] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const [removing, setRemoving] = useState<Skill | null>(null);
  const file = useRef<HTMLInputElement>(null);
  const work = async (run: () => Promise<string>) => {
    setBusy(true);
    setFailure(null);
    try {
      say(await run());
    } catch (error) {
      setFailure(error);
    }
    setBusy(false);
    void again();
  };
  const add = (chosen: File | undefined) =>
    chosen &&
    work(async () => {
      if (chosen.size > MAX) throw new Error(`The file has ${chosen.size.toLocaleString("en")} bytes; at most ${MAX.toLocaleString("en")} fit here. holdpoint skills add takes larger ones.`);
      const { name } = await transport().call<{ name: string }>("add_skill", { zip: await base64(chosen) });
      return `Added ${visibleText(name)}. Read below what it may call.`;
    });
  return (
    <div className="space-y-6">
      <p className="text-ink-2">A skill is a folder with SKILL.md. It is pinned by a digest over all of its files: one that changes asks anew, and what was approved for the old one is void.</p>
      <section aria-label="All skills" className="space-y-2">
        {read.error && <ErrorNote error={read.error} retry={() => void read.refetch()} />}
        {read.isPending && <Loading />}
        <ul className="space-y-2">
          {(read.data ?? []).map((skill) => (
            <li key={skill.name} className="space-y-2 rounded-md border bg-surface p-3">
              <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
                <div className="min-w-40 flex-1 wrap-anywhere">
                  <p className="font-medium">{visibleText(skill.title)} <span className="font-mono text-xs text-ink-3">{visibleText(skill.name)}</span> <Chip>{skill.source === "user" ? "yours" : "comes with Holdpoint"}</Chip></p>
                  <p className="text-sm text-ink-2">{visibleText(skill.description)}</p>
                  <p className="text-xs text-ink-2">Digest <ShortId value={skill.digest} what="digest" />{skill.added_at && <> · added <Time at={skill.added_at} /></>}</p>
                  <p className="text-xs text-ink-3">
                    {skill.loaded ? <>Loaded last <Time at={skill.loaded.at} />, tier {skill.loaded.tier}: {tiers[skill.loaded.tier]}{skill.loaded.digest !== skill.digest ? ", in another version" : ""}. <a className="text-accent underline underline-offset-2" href={href("sessions", skill.loaded.session)}>Open that session</a></> : "Listed (tier 1); no turn has loaded it yet."}
                  </p>
                  {skill.error && <p className="text-sm text-failed">It cannot be used: {visibleText(skill.error)}</p>}
                  {skill.missing.length > 0 && <p className="flex items-start gap-1 text-sm text-held"><TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />It names tools that are not here: {visibleText(skill.missing.join(", "))}</p>}
                </div>
                {skill.source === "user" && <Button small look="danger" icon={Trash2} onClick={() => setRemoving(skill)} aria-label={`Remove ${visibleText(skill.title)}`}>Remove…</Button>}
              </div>
              <details className="rounded-md border">
                <summary className="cursor-pointer px-3 py-1.5 text-sm font-medium hover:bg-hover">What it may call, and what it says</summary>
                <Inside skill={skill} />
              </details>
            </li>
          ))}
        </ul>
      </section>
      <section aria-label="Add a skill" className="space-y-3 rounded-md border bg-surface p-pad">
        <h3 className="font-semibold">Add a skill</h3>
        <p className="text-sm text-ink-2">A zip file of the folder. Agents of yours load it where a node says skills: [name]. On the command line: holdpoint skills add FOLDER.</p>
        {failure !== null && <ErrorNote error={failure} title="That did not work." />}
        <Button icon={FileUp} disabled={busy} onClick={() => file.current?.click()}>Choose a zip file…</Button>
        <input ref={file} type="file" aria-label="Zip file of a skill" accept=".zip" hidden tabIndex={-1} onChange={(event) => { void add(event.target.files?.[0]); event.target.value = ""; }} />
      </section>
      <Dialog open={removing !== null} onOpenChange={() => setRemoving(null)} title="Remove this skill?" description={`“${visibleText(removing?.title ?? "")}” can no longer be loaded; what waits for its approval is void.`}>
        <div className="flex gap-2">
          <Button look="danger" onClick={() => { const name = removing?.name; setRemoving(null); if (name) void work(async () => { await transport().call("remove_skill", { name }); return "Removed."; }); }}>Remove</Button>
          <Button look="quiet" onClick={() => setRemoving(null)}>Keep it</Button>
        </div>
      </Dialog>
    </div>
  );
}

function Inside({ skill }: { skill: Skill }) {
  const read = useRead<Skill>(`/api/skills/${encodeURIComponent(skill.name)}`);
  return (
    <div className="space-y-3 border-t p-3 text-sm">
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        <dt className="text-ink-2">Tools</dt><dd className="font-mono wrap-anywhere">{visibleText(skill.tools.join(", ")) || "none"}</dd>
        <dt className="text-ink-2">Code blocks</dt>
        <dd>{skill.blocks.length === 0 ? "none" : <ul>{skill.blocks.map((block) => <li key={block.name}><span className="font-mono">{visibleText(block.name)}</span>: {visibleText(block.description)} ({block.capabilities.length ? visibleText(block.capabilities.join(", ")) : "declares no capability, so each call waits for an approval"})</li>)}</ul>}</dd>
        <dt className="text-ink-2">Rules while loaded</dt>
        <dd>{skill.rules.length === 0 ? "none" : <ul>{skill.rules.map((rule) => <li key={rule.name}><span className="font-mono">{visibleText(rule.name)}</span>: {rule.verdict}{rule.checkpoint ? ` at ${visibleText(rule.checkpoint)}` : ""}</li>)}</ul>}</dd>
        <dt className="text-ink-2">Artifacts</dt><dd className="font-mono wrap-anywhere">{visibleText(skill.artifacts.join(", ")) || "none"}</dd>
      </dl>
      {read.error && <ErrorNote error={read.error} retry={() => void read.refetch()} />}
      {read.data?.definition && <Markdown text={read.data.definition} />}
    </div>
  );
}
