import { LifeBuoy } from "lucide-react";
import { useId, useState } from "react";
import type { AppState, Region, Settings } from "@/api/types";
import { queryClient, useRead } from "@/api/query";
import { transport } from "@/transport";
import { inputLook } from "@/ui/Field";
import { say, sayError } from "@/ui/toasts";

/** Where help is looked for. Nothing of a country is shown before somebody said which. */
export function RegionSelect({ label = "Region", hint, onChosen }: { label?: string; hint?: string; onChosen?(code: string): void }) {
  const id = useId();
  const read = useRead<Settings>("/api/settings");
  const settings = read.data;
  const choose = async (code: string) => {
    try {
      await transport().call("set_setting", { key: "region", value: code });
      say("Region saved.");
      onChosen?.(code);
    } catch (error) {
      sayError(error);
    }
    void queryClient.invalidateQueries({ queryKey: ["api", "settings"] });
    void queryClient.invalidateQueries({ queryKey: ["api", "state"] });
  };
  return (
    <div>
      <label htmlFor={id} className="block font-medium">{label}</label>
      {hint && <p id={`${id}-hint`} className="mb-1 text-sm text-ink-2">{hint}</p>}
      <select id={id} disabled={!settings} aria-describedby={hint ? `${id}-hint` : undefined} value={settings?.region_chosen ? settings.region : ""} onChange={(event) => void choose(event.target.value)} className={`${inputLook} max-w-md`}>
        {!settings?.region_chosen && <option value="" disabled>Choose a country…</option>}
        {(settings?.regions ?? []).map(({ code, name }) => <option key={code} value={code}>{code === "international" ? "Another country (no numbers stored)" : name}</option>)}
      </select>
    </div>
  );
}

/** Whom to call in a region, with what is known of each line and where that was found. */
export function RegionLines({ region, checked }: { region: Region; checked: string }) {
  return (
    <details className="text-sm">
      <summary className="cursor-pointer text-accent">Lines shown for {region.code === "international" ? "no country" : region.name}</summary>
      <ul className="mt-2 space-y-2">
        <li>
          <span className="font-medium">Emergency: {region.emergency}</span>
          <span className="block text-xs text-ink-2">Source: {region.source}</span>
        </li>
        {region.deaf && <li>If you are deaf: {region.deaf}</li>}
        {region.silent && <li>{region.silent}</li>}
        {region.lines.map((line) => (
          <li key={`${line.name}${line.text}`} className="wrap-anywhere">
            <span className="font-medium">{line.for.join(", ")}:</span> {line.text}
            <span className="block text-xs text-ink-2">{line.cost ? "" : "Cost not confirmed. "}Source: {line.source}</span>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-xs text-ink-2">Sources were looked at on {checked}, as stored copies; nobody rang.</p>
    </details>
  );
}

/** Asks for the region until one is chosen. */
export function RegionNotice() {
  const state = useRead<AppState>("/api/state");
  const [later, setLater] = useState(false);
  if (!state.data || state.data.region_chosen || state.data.first_run || later) return null;
  return (
    <section aria-label="Region for help lines" className="flex shrink-0 flex-wrap items-end gap-x-3 gap-y-1 border-b bg-surface px-pad py-1.5">
      <LifeBuoy aria-hidden className="spare mb-2 size-4 shrink-0 text-accent" />
      <RegionSelect label="In which country should help be called in an emergency?" />
      <p className="spare min-w-48 flex-1 text-sm text-ink-2">Until you choose, no crisis line can be named: in another country the same digits reach a different line.</p>
      <button type="button" onClick={() => setLater(true)} className="rounded-sm px-2 py-1 text-sm text-ink-2 hover:bg-hover">Later</button>
    </section>
  );
}
