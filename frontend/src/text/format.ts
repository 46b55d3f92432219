import { stampText } from "./zone";

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

/** How far away a time is; what is known to have happened is never ahead, whatever the clocks say. */
export function relativeTime(at: string, now = Date.now(), happened = false): string {
  let seconds = (Date.parse(at) - now) / 1000;
  if (happened) seconds = Math.min(0, seconds);
  if (Number.isNaN(seconds)) return "";
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  }
  return seconds > 5 ? "in under a minute" : seconds < -5 ? "under a minute ago" : "just now";
}

export const absoluteTime = (at: string): string => (Number.isNaN(Date.parse(at)) ? at : stampText(at));

/** Milliseconds as a person reads them. */
export function duration(ms: number): string {
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ms`;
  if (Math.round(ms / 100) < 600) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 2880) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  const hours = Math.round(minutes / 60);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export function bytes(size: number): string {
  const names = ["B", "kB", "MB", "GB", "TB"];
  let at = 0;
  while (size >= 1000 && at < names.length - 1) {
    size /= 1000;
    at++;
  }
  return `${at && size < 100 ? size.toFixed(1) : Math.round(size)} ${names[at]}`;
}
