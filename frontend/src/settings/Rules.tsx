import { CheckCircle2, FileUp, Pencil, Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import { queryClient, useRead } from "@/api/query";
import type { Rule } from "@/api/types";
import type { Person } from "@/forms/types";
import { href } from "@/shell/route";
import { t } from "@/text/language";
import { holdWord, toolTitle } from "@/text/names";
import { told } from "@/text/told";
import { visibleText } from "@/text/visible";
import { transport } from "@/transport";
import { Button } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { Dialog } from "@/ui/Dialog";
import { TextField } from "@/ui/Field";
import { ErrorNote, Loading } from "@/ui/Notice";
import { Time } from "@/ui/Time";
import { say, sayError } from "@/ui/toasts";
import { Standing, stands, type By } from "./Standing";

const again = () => queryClient.invalidateQueries({ queryKey: ["api", "rules"] });

const events: Record<Rule["event"], string> = {
  get before_model_call() { return t("settings.beforeAModelIsAsked"); }, get before_tool_call() { return t("settings.beforeAToolIsCalled"); }, get after_tool_call() { return t("settings.afterAToolWasCalled"); }, get before_output() { return t("settings.beforeAReplyGoesOut"); },
};
export const verdicts: Record<Rule["verdict"], string> = { get allow() { return t("settings.allows"); }, get warn() { return t("settings.warns"); }, get ask() { return t("settings.asksThePerson"); }, get hold() { return t("settings.holdsForApproval"); }, get refuse() { return t("settings.refuses"); } };

const sample = () => `${t("settings.rulesNameNoWeekendVisitsEvent")}\n`;

/** As YAML that can be edited and added again: JSON is YAML, too. */
export function yamlOf({ source: _source, fired: _fired, ...rule }: Rule): string {
  const lines = Object.entries(rule).filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false && !(Array.isArray(value) && value.length === 0));
  return `rules:\n${lines.map(([key, value], index) => `${index === 0 ? "  - " : "    "}${key}: ${JSON.stringify(value)}`).join("\n")}\n`;
}

const known = (source: string | undefined) => (source === "platform" ? t("settings.comesWithHoldpoint") : source === "user" ? t("settings.yours") : visibleText(source ?? ""));

/** What agents may do, what waits, what never happens: with when each rule fired last. */
export function Rules() {
  const read = useRead<Rule[] | null>("/api/rules");
  const [text, setText] = useState("");
  const [failure, setFailure] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const [removing, setRemoving] = useState<Rule | null>(null);
  const people = useRead<{ people: Person[] | null }>("/api/people").data?.people ?? [];
  const [by, setBy] = useState<By>({ name: "", passphrase: "" });
  const area = useRef<HTMLTextAreaElement>(null);
  const file = useRef<HTMLInputElement>(null);
  const change = async (name: string, body: Record<string, unknown>, said: string) => {
    try {
      await transport().call(name, { ...body, ...stands(by) });
      say(said);
    } catch (error) {
      sayError(error);
    }
    void again();
  };
  const add = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const { names } = await transport().call<{ names: string[] }>("add_rules", { text, ...stands(by) });
      say(t("settings.addedTurnsThatRunNowKeep", { names: visibleText(names.join(", ")) }));
      setText("");
    } catch (error) {
      setFailure(error);
    }
    setBusy(false);
    void again();
  };
  return (
    <div className="space-y-6">
      <p className="text-ink-2">{t("settings.rulesHoldForEveryAgentThe")}</p>
      <Standing people={people} by={by} set={setBy} />
      <section aria-label={t("settings.allRules")} className="space-y-2">
        {read.error && <ErrorNote error={read.error} retry={() => void read.refetch()} />}
        {read.isPending && <Loading />}
        <ul className="space-y-2">
          {(read.data ?? []).map((rule) => (
            <li key={`${rule.source}/${rule.name}`} className="space-y-1 rounded-md border bg-surface p-3">
              <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
                <div className="min-w-40 flex-1 wrap-anywhere">
                  <p className="font-medium"><span className="font-mono">{visibleText(rule.name)}</span> <Chip>{known(rule.source)}</Chip></p>
                  {rule.description && <p className="text-sm text-ink-2">{visibleText(told(rule.description))}</p>}
                  <p className="text-sm">
                    {rule.off ? t("settings.switchedOff") : ""}{verdicts[rule.verdict]} {events[rule.event]}
                    {rule.tools?.length ? t("settings.for", { tools: visibleText(rule.tools.join(", ")) }) : ""}
                    {rule.agents?.length ? t("settings.with", { agents: visibleText(rule.agents.join(", ")) }) : ""}
                    {rule.checkpoint ? t("settings.at", { checkpoint: holdWord(rule.checkpoint) }) : ""}
                    {rule.reviewer ? t("settings.decidedBy", { name: visibleText(rule.reviewer.name ?? t("settings.theRole", { role: rule.reviewer.role ?? "" })) }) : ""}.
                  </p>
                  {rule.when && <p className="font-mono text-xs text-ink-2">{t("settings.when", { when: visibleText(rule.when) })}</p>}
                  <p className="text-xs text-ink-3">
                    {rule.fired ? <>{t("settings.firedLast")} <Time at={rule.fired.at} />{rule.fired.tool ? ` ${t("settings.on", { tool: toolTitle(rule.fired.tool) })}` : ""}. <a className="text-accent underline underline-offset-2" href={href("sessions", rule.fired.session)}>{t("settings.openThatSession")}</a></> : t("settings.itHasNotFiredYet")}
                  </p>
                </div>
                <span className="flex flex-wrap gap-1">
                  <Button small onClick={() => void change("switch_rule", { name: rule.name, off: !rule.off }, rule.off ? t("settings.switchedOn") : t("settings.switchedOff2"))} aria-label={`${rule.off ? t("settings.switchOn") : t("settings.switchOff")} ${rule.name}`}>{rule.off ? t("settings.switchOn") : t("settings.switchOff")}</Button>
                  <Button small icon={Pencil} onClick={() => { setText(yamlOf(rule)); area.current?.focus(); }} aria-label={t("settings.edit", { name: rule.name })}>{t("settings.edit2")}</Button>
                  {rule.source === "user" && <Button small look="danger" icon={Trash2} onClick={() => setRemoving(rule)} aria-label={t("settings.remove4", { name: rule.name })}>{t("settings.remove2")}</Button>}
                </span>
              </div>
            </li>
          ))}
        </ul>
      </section>
      <section aria-label={t("settings.addRules")} className="space-y-3 rounded-md border bg-surface p-pad">
        <h3 className="font-semibold">{t("settings.addOrChangeRules")}</h3>
        <TextField ref={area} label={t("settings.rulesYaml")} mono rows={Math.min(24, Math.max(8, text.split("\n").length + 1))} spellCheck={false} wrap="off" value={text} onChange={(event) => setText(event.target.value)}
          hint={t("settings.aRuleOfANameThat")} />
        {failure !== null && <ErrorNote error={failure} title={t("settings.theRulesWereNotAdded")} />}
        <div className="flex flex-wrap gap-2">
          <Button look="primary" icon={CheckCircle2} disabled={busy || !text.trim()} onClick={() => void add()}>{t("settings.add")}</Button>
          <Button icon={FileUp} disabled={busy} onClick={() => file.current?.click()}>{t("settings.chooseAFile")}</Button>
          {!text && <Button look="quiet" onClick={() => setText(sample())}>{t("settings.beginWithAnExample")}</Button>}
          <input ref={file} type="file" accept=".yaml,.yml" hidden aria-hidden tabIndex={-1} onChange={(event) => { void event.target.files?.[0]?.text().then(setText, sayError); event.target.value = ""; }} />
        </div>
      </section>
      <Dialog open={removing !== null} onOpenChange={() => setRemoving(null)} title={t("settings.removeThisRule")} description={t("settings.isNoLongerAskedTurnsThat", { name: visibleText(removing?.name ?? "") })}>
        <div className="flex gap-2">
          <Button look="danger" onClick={() => { if (removing) void change("remove_rule", { name: removing.name }, t("settings.removed")); setRemoving(null); }}>{t("settings.remove3")}</Button>
          <Button look="quiet" onClick={() => setRemoving(null)}>{t("settings.keepIt")}</Button>
        </div>
      </Dialog>
    </div>
  );
}
