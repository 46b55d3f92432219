import { t } from "./language";

/** Keys by the names that are printed on them: "Ctrl Shift E" is "Ctrl Maj E" in French. */
export const keyName = (keys: string): string =>
  keys.replace(/Shift|Enter|Esc|Delete/g, (key) => ({ Shift: t("ui.shift"), Enter: t("ui.enter"), Esc: t("ui.esc"), Delete: t("ui.delete") })[key]!);
