import { useId } from "react";
import type { Settings } from "@/api/types";
import { queryClient, useRead } from "@/api/query";
import { type Language, languageNames, t } from "@/text/language";
import { transport } from "@/transport";
import { inputLook } from "@/ui/Field";
import { sayError } from "@/ui/toasts";

/** The language of the screens, of exports and of what an agent has in both. */
export function LanguageSelect() {
  const id = useId();
  const read = useRead<Settings>("/api/settings");
  const choose = async (code: string) => {
    try {
      await transport().call("set_setting", { key: "language", value: code });
    } catch (error) {
      sayError(error);
    }
    void queryClient.invalidateQueries({ queryKey: ["api"] });
  };
  return (
    <div>
      <label htmlFor={id} className="block font-medium">{t("settings.language")}</label>
      <p id={`${id}-hint`} className="mb-1 text-sm text-ink-2">{t("settings.ofTheScreensAndOfExports")}</p>
      <select id={id} aria-describedby={`${id}-hint`} disabled={!read.data} value={read.data?.language ?? ""} onChange={(event) => void choose(event.target.value)} className={`${inputLook} max-w-md`}>
        <option value="">{t("settings.likeTheSystem")}</option>
        {(Object.keys(languageNames) as Language[]).map((code) => <option key={code} value={code} lang={code}>{languageNames[code]}</option>)}
      </select>
    </div>
  );
}
