import { FileUp, Trash2, TriangleAlert } from "lucide-react";
import { useRef, useState } from "react";
import { queryClient, useRead } from "@/api/query";
import type { Skill } from "@/api/types";
import { href } from "@/shell/route";
import { Markdown } from "@/text/Markdown";
import { toldFailure } from "@/text/failure";
import { t } from "@/text/language";
import { verdicts } from "./Rules";
import { holdWord } from "@/text/names";
import { prose, visibleText } from "@/text/visible";
import { transport } from "@/transport";
import { Button } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { Dialog } from "@/ui/Dialog";
import { ErrorNote, Loading } from "@/ui/Notice";
import { ShortId } from "@/ui/ShortId";
import { Time } from "@/ui/Time";
import { say } from "@/ui/toasts";
import { told } from "@/text/told";

const again = () => queryClient.invalidateQueries({ queryKey: ["api", "skills"] });

/** As much as a call takes. */
const MAX = 700 * 1024;

const tiers: Record<number, string> = { get 2() { return t("settings.itsDefinition"); }, get 3() { return t("settings.itsDefinitionAndArtifacts"); } };

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
      if (chosen.size > MAX) throw new Error(t("settings.theFileHasBytesAtMost2", { chosen: chosen.size, MAX }));
      const { name } = await transport().call<{ name: string }>("add_skill", { zip: await base64(chosen) });
      return t("settings.addedReadBelowWhatItMay", { name: visibleText(name) });
    });
  return (
    <div className="space-y-6">
      <p className="text-ink-2">{t("settings.aSkillIsAFolderWith")}</p>
      <section aria-label={t("settings.allSkills")} className="space-y-2">
        {read.error && <ErrorNote error={read.error} retry={() => void read.refetch()} />}
        {read.isPending && <Loading />}
        <ul className="space-y-2">
          {(read.data ?? []).map((skill) => (
            <li key={skill.name} className="space-y-2 rounded-md border bg-surface p-3">
              <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
                <div className="min-w-40 flex-1 wrap-anywhere">
                  <p className="font-medium">{told(visibleText(skill.title))} <span className="font-mono text-xs text-ink-3">{visibleText(skill.name)}</span> <Chip>{skill.source === "user" ? t("settings.yours") : t("settings.comesWithHoldpoint")}</Chip></p>
                  <p className="text-sm text-ink-2">{visibleText(told(skill.description))}</p>
                  <p className="text-xs text-ink-2">{t("settings.digest")} <ShortId value={skill.digest} what={t("settings.digest2")} />{skill.added_at && <> {t("settings.added")} <Time at={skill.added_at} /></>}</p>
                  <p className="text-xs text-ink-3">
                    {skill.loaded ? <>{t("settings.loadedLast")} <Time at={skill.loaded.at} />{t("settings.tier", { tier: skill.loaded.tier, tiers: tiers[skill.loaded.tier] ?? "" })}{skill.loaded.digest !== skill.digest ? t("settings.inAnotherVersion") : ""}. <a className="text-accent underline underline-offset-2" href={href("sessions", skill.loaded.session)}>{t("settings.openThatSession")}</a></> : t("settings.listedTier1NoTurnHas")}
                  </p>
                  {skill.error && <p className="text-sm text-failed">{t("settings.itCannotBeUsed", { error: prose(toldFailure(skill.error)) })}</p>}
                  {skill.missing.length > 0 && <p className="flex items-start gap-1 text-sm text-held"><TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />{t("settings.itNamesToolsThatAreNot", { missing: visibleText(skill.missing.join(", ")) })}</p>}
                </div>
                {skill.source === "user" && <Button small look="danger" icon={Trash2} onClick={() => setRemoving(skill)} aria-label={t("settings.remove", { title: visibleText(skill.title) })}>{t("settings.remove2")}</Button>}
              </div>
              <details className="rounded-md border">
                <summary className="cursor-pointer px-3 py-1.5 text-sm font-medium hover:bg-hover">{t("settings.whatItMayCallAndWhat")}</summary>
                <Inside skill={skill} />
              </details>
            </li>
          ))}
        </ul>
      </section>
      <section aria-label={t("settings.addASkill")} className="space-y-3 rounded-md border bg-surface p-pad">
        <h3 className="font-semibold">{t("settings.addASkill")}</h3>
        <p className="text-sm text-ink-2">{t("settings.aZipFileOfTheFolder")}</p>
        {failure !== null && <ErrorNote error={failure} title={t("settings.thatDidNotWork")} />}
        <Button icon={FileUp} disabled={busy} onClick={() => file.current?.click()}>{t("settings.chooseAZipFile")}</Button>
        <input ref={file} type="file" aria-label={t("settings.zipFileOfASkill")} accept=".zip" hidden tabIndex={-1} onChange={(event) => { void add(event.target.files?.[0]); event.target.value = ""; }} />
      </section>
      <Dialog open={removing !== null} onOpenChange={() => setRemoving(null)} title={t("settings.removeThisSkill")} description={t("settings.canNoLongerBeLoadedWhat", { title: visibleText(removing?.title ?? "") })}>
        <div className="flex gap-2">
          <Button look="danger" onClick={() => { const name = removing?.name; setRemoving(null); if (name) void work(async () => { await transport().call("remove_skill", { name }); return t("settings.removed"); }); }}>{t("settings.remove3")}</Button>
          <Button look="quiet" onClick={() => setRemoving(null)}>{t("settings.keepIt")}</Button>
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
        <dt className="text-ink-2">{t("settings.tools")}</dt><dd className="font-mono wrap-anywhere">{visibleText(skill.tools.join(", ")) || t("settings.noneOfThem")}</dd>
        <dt className="text-ink-2">{t("settings.codeBlocks")}</dt>
        <dd>{skill.blocks.length === 0 ? t("settings.noneOfThem") : <ul>{skill.blocks.map((block) => <li key={block.name}><span className="font-mono">{visibleText(block.name)}</span>: {visibleText(told(block.description))} ({block.capabilities.length ? visibleText(block.capabilities.join(", ")) : t("settings.declaresNoCapabilitySoEachCall")})</li>)}</ul>}</dd>
        <dt className="text-ink-2">{t("settings.rulesWhileLoaded")}</dt>
        <dd>{skill.rules.length === 0 ? t("settings.noneOfThem") : <ul>{skill.rules.map((rule) => <li key={rule.name}><span className="font-mono">{visibleText(rule.name)}</span>: {verdicts[rule.verdict]}{rule.checkpoint ? ` ${t("settings.at2", { checkpoint: holdWord(rule.checkpoint) })}` : ""}</li>)}</ul>}</dd>
        <dt className="text-ink-2">{t("settings.artifacts")}</dt><dd className="font-mono wrap-anywhere">{visibleText(skill.artifacts.join(", ")) || t("settings.noneOfThem")}</dd>
      </dl>
      {read.error && <ErrorNote error={read.error} retry={() => void read.refetch()} />}
      {/* A model reads it as it stands; those that come with the program are in English. */}
      {read.data?.definition && <div lang={skill.source === "user" ? undefined : "en"}><Markdown text={read.data.definition} /></div>}
    </div>
  );
}
