import { CheckCircle2, FileUp, Pencil, Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import { queryClient, useRead } from "@/api/query";
import type { Rule } from "@/api/types";
import { href } from "@/shell/route";
import { visibleText } from "@/text/visible";
import { transport } from "@/transport";
import { Button } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { Dialog } from "@/ui/Dialog";
import { TextField } from "@/ui/Field";
import { ErrorNote, Loading } from "@/ui/Notice";
import { Time } from "@/ui/Time";
import { say, sayError } from "@/ui/toasts";

const again = () => queryClient.invalidateQueries({ queryKey: ["api", "rules"] });

const events: Record<Rule["event"], string> = {
  before_model_call: "before a model is asked", before_tool_call: "before a tool is called", after_tool_call: "after a tool was called", before_output: "before a reply goes out",
};
const verdicts: Record<Rule["verdict"], string> = { allow: "Allows", warn: "Warns", ask: "Asks the person", hold: "Holds for approval", refuse: "Refuses" };

const START = `rules:
  - name: no_weekend_visits
    event: before_tool_call
    tools: [book_appointment]
    when: input contains "weekend"
    verdict: refuse
    reason: Visits are made on weekdays.
`;

/** As YAML that can be edited and added again: JSON is YAML, too. */
export function yamlOf({ source: _source, fired: _fired, ...rule }: Rule): string {
  const lines = Object.entries(rule).filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false && !(Array.isArray(value) && value.length === 0));
  return `rules:\n${lines.map(([key, value], index) => `${index === 0 ? "  - " : "    "}${key}: ${JSON.stringify(value)}`).join("\n")}\n`;
}

const known = (source: string | undefined) => (source === "platform" ? "comes with Holdpoint" : source === "user" ? "yours" : visibleText(source ?? ""));

/** What agents may do, what waits, what never happens: with when each rule fired last. */
export function Rules() {
  const read = useRead<Rule[] | null>("/api/rules");
  const [text, setText] = useState("");
  const [failure, setFailure] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const [removing, setRemoving] = useState<Rule | null>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const file = useRef<HTMLInputElement>(null);
  const change = async (name: string, body: Record<string, string | boolean>, said: string) => {
    try {
      await transport().call(name, body);
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
      const { names } = await transport().call<{ names: string[] }>("add_rules", { text });
      say(`Added ${visibleText(names.join(", "))}. Turns that run now keep the rules they began with.`);
      setText("");
    } catch (error) {
      setFailure(error);
    }
    setBusy(false);
    void again();
  };
  return (
    <div className="space-y-6">
      <p className="text-ink-2">Rules hold for every agent. The strictest that fires counts; one that cannot be evaluated holds. No rule lifts the approval that a change needs.</p>
      <section aria-label="All rules" className="space-y-2">
        {read.error && <ErrorNote error={read.error} retry={() => void read.refetch()} />}
        {read.isPending && <Loading />}
        <ul className="space-y-2">
          {(read.data ?? []).map((rule) => (
            <li key={`${rule.source}/${rule.name}`} className="space-y-1 rounded-md border bg-surface p-3">
              <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
                <div className="min-w-40 flex-1 wrap-anywhere">
                  <p className="font-medium"><span className="font-mono">{visibleText(rule.name)}</span> <Chip>{known(rule.source)}</Chip></p>
                  {rule.description && <p className="text-sm text-ink-2">{visibleText(rule.description)}</p>}
                  <p className="text-sm">
                    {rule.off ? "Switched off. " : ""}{verdicts[rule.verdict]} {events[rule.event]}
                    {rule.tools?.length ? `, for ${visibleText(rule.tools.join(", "))}` : ""}
                    {rule.agents?.length ? `, with ${visibleText(rule.agents.join(", "))}` : ""}
                    {rule.checkpoint ? `, at ${visibleText(rule.checkpoint)}` : ""}
                    {rule.reviewer ? `, decided by ${visibleText(rule.reviewer.name ?? `the role ${rule.reviewer.role}`)}` : ""}.
                  </p>
                  {rule.when && <p className="font-mono text-xs text-ink-2">when {visibleText(rule.when)}</p>}
                  <p className="text-xs text-ink-3">
                    {rule.fired ? <>Fired last <Time at={rule.fired.at} />{rule.fired.tool ? ` on ${visibleText(rule.fired.tool)}` : ""}. <a className="text-accent underline underline-offset-2" href={href("sessions", rule.fired.session)}>Open that session</a></> : "It has not fired yet."}
                  </p>
                </div>
                <span className="flex flex-wrap gap-1">
                  <Button small onClick={() => void change("switch_rule", { name: rule.name, off: !rule.off }, rule.off ? "Switched on." : "Switched off.")} aria-label={`Switch ${rule.name} ${rule.off ? "on" : "off"}`}>{rule.off ? "Switch on" : "Switch off"}</Button>
                  <Button small icon={Pencil} onClick={() => { setText(yamlOf(rule)); area.current?.focus(); }} aria-label={`Edit ${rule.name}`}>Edit</Button>
                  {rule.source === "user" && <Button small look="danger" icon={Trash2} onClick={() => setRemoving(rule)} aria-label={`Remove ${rule.name}`}>Remove…</Button>}
                </span>
              </div>
            </li>
          ))}
        </ul>
      </section>
      <section aria-label="Add rules" className="space-y-3 rounded-md border bg-surface p-pad">
        <h3 className="font-semibold">Add or change rules</h3>
        <TextField ref={area} label="Rules (YAML)" mono rows={Math.min(24, Math.max(8, text.split("\n").length + 1))} spellCheck={false} wrap="off" value={text} onChange={(event) => setText(event.target.value)}
          hint="A rule of a name that is there already takes its place. holdpoint rules --help has all the words; holdpoint rules test tries them." />
        {failure !== null && <ErrorNote error={failure} title="The rules were not added." />}
        <div className="flex flex-wrap gap-2">
          <Button look="primary" icon={CheckCircle2} disabled={busy || !text.trim()} onClick={() => void add()}>Add</Button>
          <Button icon={FileUp} disabled={busy} onClick={() => file.current?.click()}>Choose a file…</Button>
          {!text && <Button look="quiet" onClick={() => setText(START)}>Begin with an example</Button>}
          <input ref={file} type="file" accept=".yaml,.yml" hidden aria-hidden tabIndex={-1} onChange={(event) => { void event.target.files?.[0]?.text().then(setText, sayError); event.target.value = ""; }} />
        </div>
      </section>
      <Dialog open={removing !== null} onOpenChange={() => setRemoving(null)} title="Remove this rule?" description={`“${visibleText(removing?.name ?? "")}” is no longer asked. Turns that wait keep waiting.`}>
        <div className="flex gap-2">
          <Button look="danger" onClick={() => { if (removing) void change("remove_rule", { name: removing.name }, "Removed."); setRemoving(null); }}>Remove</Button>
          <Button look="quiet" onClick={() => setRemoving(null)}>Keep it</Button>
        </div>
      </Dialog>
    </div>
  );
}
