import { language, t } from "./language";
import { stampText } from "./zone";

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const relatives = { en: new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" }), fr: new Intl.RelativeTimeFormat("fr", { numeric: "auto" }) };

/** How far away a time is; what is known to have happened is never ahead, whatever the clocks say. */
export function relativeTime(at: string, now = Date.now(), happened = false): string {
  let seconds = (Date.parse(at) - now) / 1000;
  if (happened) seconds = Math.min(0, seconds);
  if (Number.isNaN(seconds)) return "";
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return relatives[language()].format(Math.trunc(seconds / size + (seconds > 0 ? 0.1 : 0)), unit); // what was set to 7 days a moment ago is in 7 days
  }
  return seconds > 5 ? t("text.inUnderAMinute") : seconds < -5 ? t("text.underAMinuteAgo") : t("text.justNow");
}

export const absoluteTime = (at: string): string => (Number.isNaN(Date.parse(at)) ? at : stampText(at));

/** With one digit behind the point, or the comma. */
export const fixed = (n: number, digits = 1): string => (language() === "fr" ? n.toFixed(digits).replace(".", ",") : n.toFixed(digits));

/** Milliseconds as a person reads them. */
export function duration(ms: number): string {
  if (Math.round(ms) < 1000) return t("text.ms", { n: Math.round(ms) });
  if (Math.round(ms / 100) < 600) return t("text.s", { n: fixed(ms / 1000) });
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return t("text.minS", { min: Math.floor(seconds / 60), s: seconds % 60 });
  const minutes = Math.round(seconds / 60);
  if (minutes < 2880) return t("text.hMin", { h: Math.floor(minutes / 60), min: minutes % 60 });
  const hours = Math.round(minutes / 60);
  return t("text.dH", { d: Math.floor(hours / 24), h: hours % 24 });
}

export function bytes(size: number): string {
  const names = t("text.bytes").split(" ");
  let at = 0;
  while (size >= 1000 && at < names.length - 1) {
    size /= 1000;
    at++;
  }
  return `${at && size < 100 ? fixed(size) : Math.round(size)} ${names[at]}`;
}
