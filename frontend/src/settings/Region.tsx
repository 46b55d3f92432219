import { LifeBuoy } from "lucide-react";
import { useId, useRef, useState } from "react";
import type { AppState, Region, Settings } from "@/api/types";
import { queryClient, useRead } from "@/api/query";
import type { Cards } from "@/cards/types";
import { useRoute } from "@/shell/route";
import { t, tIn } from "@/text/language";
import { visibleText } from "@/text/visible";
import { transport } from "@/transport";
import { inputLook } from "@/ui/Field";
import { say, sayError } from "@/ui/toasts";

/** Another answer to where one is, such as none, names no country. */
export const isCountry = (value: string): boolean => /^[A-Z]{2}$/.test(value);

/** A country's name in a language; name where the language is the screens' own, or nobody knows the country. */
function countryIn(language: string, code: string, name: string): string {
  if (!language) return name;
  return new Intl.DisplayNames([language], { type: "region", fallback: "none" }).of(code) ?? name;
}

/** Where help is looked for. Nothing of a country is shown before somebody said which. */
export function RegionSelect({ label = t("settings.region"), brief, hint, language = "", own }: {
  label?: string;
  /** The same in few words, shown where there is room for one line only. */
  brief?: string;
  hint?: string;
  /** That of the help around it; "" is that of the screens. */
  language?: string;
  /** What is chosen is not the app's region but that of one conversation. */
  own?: { value: string; choices: { value: string; say: string }[]; choose(code: string): void };
}) {
  const id = useId();
  const read = useRead<Settings>("/api/settings");
  const settings = read.data;
  const saved = own ? own.value : settings?.region_chosen ? settings.region : "";
  // Keys only move through the list; Enter, leaving it or the pointer choose.
  const [moved, setMoved] = useState<string | null>(null);
  const byKey = useRef(false);
  const choose = async (code: string) => {
    if (own) return own.choose(code);
    try {
      await transport().call("set_setting", { key: "region", value: code });
      say(t("settings.regionSaved"));
    } catch (error) {
      sayError(error);
    }
    void queryClient.invalidateQueries({ queryKey: ["api", "settings"] });
    void queryClient.invalidateQueries({ queryKey: ["api", "state"] });
  };
  const settle = () => {
    if (moved !== null && moved !== saved) void choose(moved);
    setMoved(null);
  };
  return (
    <div>
      <label htmlFor={id} className="block font-medium"><span className={brief && "full"}>{label}</span>{brief && <span aria-hidden className="brief hidden">{brief}</span>}</label>
      {hint && <p id={`${id}-hint`} className="mb-1 text-sm text-ink-2">{hint}</p>}
      <select id={id} disabled={!own && !settings} aria-describedby={hint ? `${id}-hint` : undefined} value={moved ?? saved}
        onPointerDown={() => (byKey.current = false)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && moved !== null) {
            event.preventDefault();
            settle();
          } else if (event.key === "Escape") setMoved(null);
          byKey.current = true;
        }}
        onBlur={settle}
        onChange={(event) => (byKey.current ? setMoved(event.target.value) : void choose(event.target.value))}
        className={`${inputLook} max-w-md`}>
        {saved === "" && <option value="" disabled>{tIn(language, "settings.chooseACountry")}</option>}
        {own ? own.choices.map((one) => <option key={one.value} value={one.value}>{visibleText(one.say)}</option>) : (settings?.regions ?? []).map(({ code, name }) => <option key={code} value={code}>{code === "international" ? tIn(language, "settings.anotherCountryNoNumbersStored") : countryIn(language, code, name)}</option>)}
      </select>
    </div>
  );
}

/** What a line is for. */
const topicWord = (topic: string): string => ({ suicide: t("settings.forSuicide"), abuse: t("settings.forAbuse"), children: t("settings.forChildren"), poison: t("settings.forPoison") })[topic] ?? topic;

/** Whom to call in a region, with what is known of each line and where that was found. */
export function RegionLines({ region, checked }: { region: Region; checked: string }) {
  return (
    <details className="text-sm">
      <summary className="cursor-pointer text-accent">{region.code === "international" ? t("settings.linesShownNowhere") : t("settings.linesShownFor", { region: region.name })}</summary>
      <ul className="mt-2 space-y-2">
        <li>
          <span className="font-medium">{t("settings.emergency", { emergency: region.emergency })}</span>
          <span className="block text-xs text-ink-2">{t("settings.source2", { source: region.source })}</span>
        </li>
        {region.deaf && <li>{t("settings.ifYouAreDeaf", { deaf: region.deaf })}</li>}
        {region.silent && <li>{region.silent}</li>}
        {region.lines.map((line) => (
          <li key={`${line.name}${line.text}`} className="wrap-anywhere">
            <span className="font-medium">{line.for.map(topicWord).join(", ")}:</span> {line.text}
            <span className="block text-xs text-ink-2">{line.cost ? "" : t("settings.costNotConfirmed")}{t("settings.source2", { source: line.source })}</span>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-xs text-ink-2">{t("settings.sourcesWereLookedAtOnAs", { checked })}</p>
    </details>
  );
}

/** Asks for the region until one is chosen, or until the session that is shown has one of its own. */
export function RegionNotice() {
  const state = useRead<AppState>("/api/state");
  const route = useRoute();
  const [later, setLater] = useState(false);
  const wanted = state.data !== undefined && !state.data.region_chosen && !state.data.first_run && !later;
  const session = wanted && route.screen === "sessions" && route.first !== "new" ? route.first : "";
  const cards = useRead<Cards | null>(session ? `/api/sessions/${encodeURIComponent(session)}/cards` : null).data;
  if (!wanted || (session && cards?.asked.some(({ region, value }) => region && value !== ""))) return null;
  return (
    <section aria-label={t("settings.regionForHelpLines")} className="notice flex shrink-0 flex-wrap items-end gap-x-3 gap-y-1 border-b bg-surface px-pad py-1.5">
      <LifeBuoy aria-hidden className="spare mb-2 size-4 shrink-0 text-accent" />
      <RegionSelect label={t("settings.inWhichCountryShouldHelpBe")} brief={t("settings.countryForHelp")} />
      <p className="spare min-w-48 flex-1 text-sm text-ink-2">{t("settings.untilYouChooseNoCrisisLine")}</p>
      <button type="button" onClick={() => setLater(true)} className="rounded-sm px-2 py-1 text-sm text-ink-2 hover:bg-hover">{t("settings.later")}</button>
    </section>
  );
}
