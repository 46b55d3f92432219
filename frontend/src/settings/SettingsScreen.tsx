import { Bell } from "lucide-react";
import { useEffect, useId, useState, type ReactNode } from "react";
import { told } from "@/text/told";
import { LanguageSelect } from "./Language";
import type { Settings } from "@/api/types";
import { queryClient, useRead } from "@/api/query";
import { href } from "@/shell/route";
import { askToNotify, canNotify } from "@/shell/held";
import { t } from "@/text/language";
import { transport } from "@/transport";
import { Button } from "@/ui/Button";
import { inputLook } from "@/ui/Field";
import { ErrorNote, Loading } from "@/ui/Notice";
import { say, sayError } from "@/ui/toasts";
import { About } from "./About";
import { Agents } from "./Agents";
import { Budgets } from "./Budgets";
import { Checkpoints } from "./Checkpoints";
import { Facts } from "./Facts";
import { People } from "./People";
import { RegionLines, RegionSelect } from "./Region";
import { Rules } from "./Rules";
import { Servers } from "./Servers";
import { Skills } from "./Skills";
import { Texts } from "./Texts";

type Key = Exclude<keyof Settings, "regions" | "region" | "region_chosen" | "lines_checked" | "memory_says">;

const sections = () => [
  ["", t("settings.general")],
  ["people", t("settings.people")],
  ["checkpoints", t("settings.holds")],
  ["budgets", t("settings.budgets")],
  ["facts", t("settings.facts")],
  ["agents", t("settings.graphsOfYourOwn")],
  ["rules", t("settings.rules")],
  ["skills", t("settings.skills")],
  ["texts", t("settings.texts")],
  ["servers", t("settings.toolsFromOutside")],
  ["about", t("settings.about")],
] as const;

/** What a person can choose; each is saved as it is changed. */
export function SettingsScreen({ section, one = "" }: { section: string; one?: string }) {
  const here = sections().find(([id]) => id === section)?.[0] ?? "";
  return (
    <div className="h-full overflow-auto">
      <div className={`mx-auto space-y-6 p-6 max-sm:p-3 ${here === "agents" ? "max-w-6xl" : "max-w-3xl"}`}>
        <h1 className="text-xl font-semibold">{t("settings.settings")}</h1>
        <nav aria-label={t("settings.sectionsOfTheSettings")} className="flex flex-wrap border-b">
          {sections().map(([id, title]) => (
            <a key={id} href={href("settings", id)} aria-current={here === id ? "page" : undefined} className={`-mb-px border-b-2 px-3 py-1.5 ${here === id ? "border-accent font-medium" : "border-transparent text-ink-2 hover:text-ink"}`}>
              {title}
            </a>
          ))}
        </nav>
        {here !== "" && <h2 className="text-lg font-semibold">{sections().find(([id]) => id === here)![1]}</h2>}
        {here === "people" ? <People /> : here === "checkpoints" ? <Checkpoints /> : here === "budgets" ? <Budgets /> : here === "facts" ? <Facts /> : here === "agents" ? <Agents /> : here === "rules" ? <Rules /> : here === "skills" ? <Skills /> : here === "texts" ? <Texts key={one} named={one} /> : here === "servers" ? <Servers /> : here === "about" ? <About /> : <General />}
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
      say(t("settings.saved"));
    } catch (error) {
      sayError(error);
    }
    void queryClient.invalidateQueries({ queryKey: ["api", "settings"] });
    void queryClient.invalidateQueries({ queryKey: ["api", "state"] });
  };
  return (
    <>
        <Part title={t("settings.you")}>
          <Text label={t("settings.reviewerName")} hint={t("settings.filledInOnApprovalsEachVerdict")} value={settings.reviewer} save={(value) => set("reviewer", value)} />
          <RegionSelect hint={t("settings.decidesWhichNumbersAreShownWhen")} />
          {(settings.regions ?? []).filter(({ code }) => code === settings.region).map((region) => <RegionLines key={region.code} region={region} checked={settings.lines_checked} />)}
        </Part>
        {canNotify() && (
          <Part title={t("settings.notices")}>
            <Notices />
          </Part>
        )}
        <Part title={t("settings.clinic")}>
          <Select
            label={t("settings.timeZone")}
            hint={t("settings.allTimesOnTheScreensIn")}
            value={settings.zone ?? ""}
            options={[["", t("settings.thatOfThisComputer")], ...Intl.supportedValuesOf("timeZone").concat("UTC").map((one) => [one, one.replaceAll("_", " ")])]}
            save={(value) => set("zone", value)}
          />
        </Part>
        <Part title={t("settings.look")}>
          <LanguageSelect />
          <Select label={t("settings.theme")} value={settings.theme} options={[["system", t("settings.asTheSystem")], ["light", t("settings.light")], ["dark", t("settings.dark")]]} save={(value) => set("theme", value)} />
          <Select label={t("settings.density")} value={settings.density} options={[["comfortable", t("settings.comfortable")], ["compact", t("settings.compact")]]} save={(value) => set("density", value)} />
        </Part>
        <Part title={t("settings.engine")}>
          <Text
            label={t("settings.completenessThreshold")}
            hint={t("settings.from0To1AMemory")}
            type="number"
            value={String(settings.threshold)}
            check={(value) => (value.trim() !== "" && Number(value) >= 0 && Number(value) <= 1 ? "" : t("settings.enterANumberFrom0To"))}
            save={(value) => set("threshold", Number(value))}
          />
          <Text label={t("settings.ollamaAddress")} hint={t("settings.whereARunningOllamaListens")} value={settings.ollama_url} save={(value) => set("ollama_url", value)} />
        </Part>
        <Part title={t("settings.memory")}>
          <label className="flex items-start gap-3">
            <input type="checkbox" checked={settings.memory ?? false} onChange={(event) => void set("memory", event.target.checked)} className="mt-0.5 size-4 accent-(--accent)" />
            <span>
              <span className="font-medium">{t("settings.rememberConversationsAcross")}</span>
              <span className="block text-sm text-ink-2">{told(settings.memory_says ?? "")}</span>
            </span>
          </label>
        </Part>
        <Part title={t("settings.network")}>
          <label className="flex items-start gap-3">
            <input type="checkbox" checked={settings.network} onChange={(event) => void set("network", event.target.checked)} className="mt-0.5 size-4 accent-(--accent)" />
            <span>
              <span className="font-medium">{t("settings.allowTheNetwork")}</span>
              <span className="block text-sm text-ink-2">{t("settings.offNothingLeavesThisLaptopUnless")}</span>
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
      <p>{t("settings.whenARequestOrAQuestion")}</p>
      {state === "granted" ? (
        <p className="text-sm text-ink-2">{t("settings.noticesAreOnYourBrowsersSettings")}</p>
      ) : state === "denied" ? (
        <p className="text-sm text-ink-2">{t("settings.noticesAreBlockedInYourBrowsers")}</p>
      ) : (
        <Button icon={Bell} onClick={() => void askToNotify().then(() => setState(Notification.permission))}>{t("settings.allowNotices")}</Button>
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
