import { Bell } from "lucide-react";
import { useEffect, useId, useState, type ReactNode } from "react";
import type { Settings } from "@/api/types";
import { queryClient, useRead } from "@/api/query";
import { href } from "@/shell/route";
import { askToNotify, canNotify } from "@/shell/held";
import { transport } from "@/transport";
import { Button } from "@/ui/Button";
import { inputLook } from "@/ui/Field";
import { ErrorNote, Loading } from "@/ui/Notice";
import { say, sayError } from "@/ui/toasts";
import { About } from "./About";
import { Agents } from "./Agents";
import { RegionLines, RegionSelect } from "./Region";
import { Rules } from "./Rules";
import { Servers } from "./Servers";
import { Skills } from "./Skills";
import { Texts } from "./Texts";

type Key = Exclude<keyof Settings, "regions" | "region" | "region_chosen" | "lines_checked" | "memory_says">;

const sections = [
  ["", "General"],
  ["agents", "Graphs of your own"],
  ["rules", "Rules"],
  ["skills", "Skills"],
  ["texts", "Texts"],
  ["servers", "Tools from outside"],
  ["about", "About"],
] as const;

/** What a person can choose; each is saved as it is changed. */
export function SettingsScreen({ section }: { section: string }) {
  const here = sections.find(([id]) => id === section)?.[0] ?? "";
  return (
    <div className="h-full overflow-auto">
      <div className={`mx-auto space-y-6 p-6 max-sm:p-3 ${here === "agents" ? "max-w-6xl" : "max-w-3xl"}`}>
        <h1 className="text-xl font-semibold">Settings</h1>
        <nav aria-label="Sections of the settings" className="flex flex-wrap border-b">
          {sections.map(([id, title]) => (
            <a key={id} href={href("settings", id)} aria-current={here === id ? "page" : undefined} className={`-mb-px border-b-2 px-3 py-1.5 ${here === id ? "border-accent font-medium" : "border-transparent text-ink-2 hover:text-ink"}`}>
              {title}
            </a>
          ))}
        </nav>
        {here !== "" && <h2 className="text-lg font-semibold">{sections.find(([id]) => id === here)![1]}</h2>}
        {here === "agents" ? <Agents /> : here === "rules" ? <Rules /> : here === "skills" ? <Skills /> : here === "texts" ? <Texts /> : here === "servers" ? <Servers /> : here === "about" ? <About /> : <General />}
      </div>
    </div>
  );
}

function General() {
  const read = useRead<Settings>("/api/settings");
  if (read.error) return <ErrorNote error={read.error} retry={() => void read.refetch()} />;
  if (!read.data) return <Loading />;
  return <Form settings={read.data} />;
}

function Form({ settings }: { settings: Settings }) {
  const set = async (key: Key, value: string | number | boolean) => {
    if (settings[key] === value) return;
    try {
      await transport().call("set_setting", { key, value });
      say("Saved.");
    } catch (error) {
      sayError(error);
    }
    void queryClient.invalidateQueries({ queryKey: ["api", "settings"] });
    void queryClient.invalidateQueries({ queryKey: ["api", "state"] });
  };
  return (
    <>
        <Part title="You">
          <Text label="Reviewer name" hint="Filled in on approvals; each verdict is recorded under the name that is on the card." value={settings.reviewer} save={(value) => set("reviewer", value)} />
          <RegionSelect hint="Decides which numbers are shown when somebody is in danger." />
          {(settings.regions ?? []).filter(({ code }) => code === settings.region).map((region) => <RegionLines key={region.code} region={region} checked={settings.lines_checked} />)}
        </Part>
        {canNotify() && (
          <Part title="Notices">
            <Notices />
          </Part>
        )}
        <Part title="Clinic">
          <Select
            label="Time zone"
            hint="All times on the screens, in approvals and in transcripts are in this zone, and name it."
            value={settings.zone ?? ""}
            options={[["", "That of this computer"], ...Intl.supportedValuesOf("timeZone").concat("UTC").map((one) => [one, one.replaceAll("_", " ")])]}
            save={(value) => set("zone", value)}
          />
        </Part>
        <Part title="Look">
          <Select label="Theme" value={settings.theme} options={[["system", "As the system"], ["light", "Light"], ["dark", "Dark"]]} save={(value) => set("theme", value)} />
          <Select label="Density" value={settings.density} options={[["comfortable", "Comfortable"], ["compact", "Compact"]]} save={(value) => set("density", value)} />
        </Part>
        <Part title="Engine">
          <Text
            label="Completeness threshold"
            hint="From 0 to 1. A memory section at least this complete is not gathered again."
            type="number"
            value={String(settings.threshold)}
            check={(value) => (value.trim() !== "" && Number(value) >= 0 && Number(value) <= 1 ? "" : "Enter a number from 0 to 1.")}
            save={(value) => set("threshold", Number(value))}
          />
          <Text label="Ollama address" hint="Where a running Ollama listens. Addresses beyond this laptop need the network switched on." value={settings.ollama_url} save={(value) => set("ollama_url", value)} />
        </Part>
        <Part title="Memory">
          <label className="flex items-start gap-3">
            <input type="checkbox" checked={settings.memory ?? false} onChange={(event) => void set("memory", event.target.checked)} className="mt-0.5 size-4 accent-(--accent)" />
            <span>
              <span className="font-medium">Remember conversations across sessions</span>
              <span className="block text-sm text-ink-2">{settings.memory_says}</span>
            </span>
          </label>
        </Part>
        <Part title="Network">
          <label className="flex items-start gap-3">
            <input type="checkbox" checked={settings.network} onChange={(event) => void set("network", event.target.checked)} className="mt-0.5 size-4 accent-(--accent)" />
            <span>
              <span className="font-medium">Allow the network</span>
              <span className="block text-sm text-ink-2">Off: nothing leaves this laptop, unless you ask for a model to be pulled. On: an Ollama elsewhere can be used. The top bar always shows which it is.</span>
            </span>
          </label>
        </Part>
    </>
  );
}

/** What the browser decided stays with the browser. */
function Notices() {
  const [state, setState] = useState(Notification.permission);
  return (
    <div className="space-y-1">
      <p>When a request or a question comes to wait while you look at something else, the system can say so. The notice names no patient.</p>
      {state === "granted" ? (
        <p className="text-sm text-ink-2">Notices are on. Your browser’s settings for this page switch them off.</p>
      ) : state === "denied" ? (
        <p className="text-sm text-ink-2">Notices are blocked in your browser’s settings for this page. Holdpoint itself still shows what waits.</p>
      ) : (
        <Button icon={Bell} onClick={() => void askToNotify().then(() => setState(Notification.permission))}>Allow notices</Button>
      )}
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="rounded-md border bg-surface">
      <h2 id={id} className="border-b px-pad py-2 font-semibold">{title}</h2>
      <div className="space-y-4 p-pad">{children}</div>
    </section>
  );
}

function Text({ label, hint, value, type = "text", check, save }: { label: string; hint?: string; value: string; type?: string; check?: (value: string) => string; save(value: string): void }) {
  const id = useId();
  const [text, setText] = useState(value);
  const [problem, setProblem] = useState("");
  useEffect(() => setText(value), [value]);
  const commit = () => {
    const wrong = check?.(text) ?? "";
    setProblem(wrong);
    if (!wrong) save(text.trim());
  };
  return (
    <div>
      <label htmlFor={id} className="block font-medium">{label}</label>
      {hint && <p id={`${id}-hint`} className="mb-1 text-sm text-ink-2">{hint}</p>}
      <input id={id} type={type} step="0.05" min={0.05} max={1} aria-describedby={hint ? `${id}-hint` : undefined} aria-invalid={problem ? true : undefined} value={text} onChange={(event) => setText(event.target.value)} onBlur={commit} onKeyDown={(event) => event.key === "Enter" && commit()} className={`${inputLook} max-w-md`} />
      {problem && <p role="alert" className="text-sm text-failed">{problem}</p>}
    </div>
  );
}

function Select({ label, hint, value, options, save }: { label: string; hint?: string; value: string; options: string[][]; save(value: string): void }) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="block font-medium">{label}</label>
      {hint && <p id={`${id}-hint`} className="mb-1 text-sm text-ink-2">{hint}</p>}
      <select id={id} aria-describedby={hint ? `${id}-hint` : undefined} value={value} onChange={(event) => save(event.target.value)} className={`${inputLook} max-w-md`}>
        {options.map(([code, name]) => <option key={code} value={code}>{name}</option>)}
      </select>
    </div>
  );
}
