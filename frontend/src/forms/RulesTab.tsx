import { BookOpen, Scale } from "lucide-react";
import { useRead } from "@/api/query";
import { noteText } from "@/inspector/Notes";
import type { NoteView, TurnView } from "@/journal/view";
import { href } from "@/shell/route";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { visibleText } from "@/text/visible";
import { Empty, ErrorNote, Loading } from "@/ui/Notice";
import { ShortId } from "@/ui/ShortId";
import { Time } from "@/ui/Time";
import { Bars } from "./Bars";

interface Skill {
  name: string;
  title: string;
  description: string;
  digest: string;
  error?: string;
}

/** Rules that fired and skills that were loaded, in their order. */
export const notesOf = (turn: TurnView): NoteView[] =>
  Object.values(turn.stages).flatMap(({ notes }) => notes).filter(({ kind }) => kind === "rule" || kind === "skill").sort((a, b) => a.seq - b.seq);

/** What ruled a turn: its budget, the rules that fired, and the skills that it was told of. */
export function RulesTab({ session, turn }: { session: string; turn: TurnView }) {
  const skills = useRead<Skill[] | null>("/api/skills");
  const notes = notesOf(turn);
  const fired = notes.filter(({ kind }) => kind === "rule");
  const text = (note: NoteView, name: string) => (typeof note.data[name] === "string" ? (note.data[name] as string) : "");
  const loaded = new Map(notes.filter(({ kind }) => kind === "skill").map((note) => [text(note, "skill") || note.name, note]));
  const listed = (skills.data ?? []).filter(({ name }) => !loaded.has(name));
  return (
    <div className="space-y-5 p-3">
      <Bars session={session} turn={turn} title={t("forms.budget")} />
      <section aria-label={t("forms.rulesThatFired")} className="space-y-2">
        <Head title={t("forms.rulesThatFired")} link={t("forms.allRules")} to="rules" />
        {fired.length === 0 && <p className="text-ink-2">{t("forms.noRuleFired")}</p>}
        <ul className="space-y-2">
          {fired.map((note) => (
            <li key={note.seq} className="flex gap-2 rounded-md border bg-surface p-2">
              <Scale aria-hidden className={`mt-0.5 size-4 shrink-0 ${note.status === "hold" ? "text-held" : note.status === "refuse" ? "text-failed" : "text-ink-3"}`} />
              <span className="min-w-0 flex-1 wrap-anywhere">
                {noteText(note)}
                <span className="block text-xs text-ink-3"><Time at={note.at} />{text(note, "source") && ` · ${t("forms.from", { source: visibleText(text(note, "source")) })}`}{text(note, "on") && ` · ${visibleText(text(note, "on").replaceAll("_", " "))}`}</span>
              </span>
            </li>
          ))}
        </ul>
      </section>
      <section aria-label={t("forms.skills")} className="space-y-2">
        <Head title={t("forms.skills")} link={t("forms.allSkills")} to="skills" />
        {skills.error && <ErrorNote error={skills.error} retry={() => void skills.refetch()} />}
        {skills.isPending && <Loading />}
        {loaded.size > 0 && (
          <ul aria-label={t("forms.loadedInThisTurn")} className="space-y-2">
            {[...loaded].map(([name, note]) => {
              const tier = typeof note.data.tier === "number" ? note.data.tier : 2;
              const missing = Array.isArray(note.data.missing) ? note.data.missing.map(String) : [];
              return (
                <li key={name} className="flex gap-2 rounded-md border bg-surface p-2">
                  <BookOpen aria-hidden className="mt-0.5 size-4 shrink-0 text-done" />
                  <span className="min-w-0 flex-1 wrap-anywhere">
                    <span className="font-medium">{visibleText(told(note.name || name))}</span>
                    <span className="block text-sm text-ink-2">{t("forms.loadedTier", { tier, part: tier >= 3 ? "all" : tier === 2 ? "definition" : "name" })}</span>
                    {text(note, "digest") && <span className="block text-xs text-ink-2">{t("forms.digest")} <ShortId value={text(note, "digest")} what={t("forms.digest2")} /></span>}
                    {missing.length > 0 && <span className="block text-sm text-degraded">{t("forms.nobodyHas", { missing: visibleText(missing.join(", ")) })}</span>}
                  </span>
                </li>
              );
            })}
          </ul>
        )}
        {listed.length > 0 && (
          <>
            <p className="text-xs text-ink-2">{t("forms.listed")}</p>
            <ul aria-label={t("forms.listed")} className="space-y-2">
              {listed.map((skill) => (
                <li key={skill.name} className="rounded-md border p-2 wrap-anywhere">
                  <span className="font-medium">{visibleText(told(skill.title || skill.name))}</span>
                  <span className="block text-sm text-ink-2">{visibleText(told(skill.error || skill.description))}</span>
                  <span className="block text-xs text-ink-2">{t("forms.digest")} <ShortId value={skill.digest} what={t("forms.digest2")} /></span>
                </li>
              ))}
            </ul>
          </>
        )}
        {skills.data && skills.data.length === 0 && loaded.size === 0 && <Empty title={t("forms.noSkillIsThere")} />}
      </section>
    </div>
  );
}

const Head = ({ title, link, to }: { title: string; link: string; to: string }) => (
  <div className="flex flex-wrap items-baseline justify-between gap-2">
    <h4 className="font-semibold">{title}</h4>
    <a className="text-sm text-accent underline underline-offset-2" href={href("settings", to)}>{link}</a>
  </div>
);
