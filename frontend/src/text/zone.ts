import { language, t } from "./language";

/**
 * Every time that a person reads is the clinic's, with the name of its zone: a visit in
 * New York is at half past nine in New York, wherever the browser stands.
 */

let name = "";

/** Sets the clinic's zone, e.g. "Europe/London"; "" is that of the browser. */
export function keepZone(zone: string): void {
  name = known(zone) ? zone : "";
}

function known(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return zone !== "";
  } catch {
    return false;
  }
}

export const zone = (): string => name || Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** The zone as people call it: "New York time", "UTC". */
export function zoneWord(of = zone()): string {
  if (of === "UTC" || of === "Etc/UTC" || of === "Etc/GMT" || of === "GMT") return "UTC";
  const place = of.split("/").at(-1)!.replaceAll("_", " ");
  return of.includes("/") && !of.startsWith("Etc/") ? t("text.zoneTime", { place }) : of;
}

const makers = new Map<string, Intl.DateTimeFormat>();
function parts(at: Date, options: Intl.DateTimeFormatOptions): Record<string, string> {
  const key = JSON.stringify([zone(), language(), options]);
  let maker = makers.get(key);
  if (!maker) makers.set(key, (maker = new Intl.DateTimeFormat(language() === "fr" ? "fr-FR" : "en-GB", { timeZone: zone(), hourCycle: "h23", ...options })));
  // "1er décembre", and no other day so.
  const first = language() === "fr" && options.day === "numeric";
  return Object.fromEntries(maker.formatToParts(at).map(({ type, value }) => [type, first && type === "day" && value === "1" ? "1er" : value]));
}

/** How far the zone is from UTC at a time: "UTC-05:00". */
export const offset = (at: Date): string => {
  const [, sign, hours, minutes] = /(?:GMT|UTC)(?:([+−-])(\d\d):(\d\d))?/.exec(parts(at, { timeZoneName: "longOffset" }).timeZoneName ?? "") ?? [];
  return `UTC${sign?.replace("−", "-") ?? "+"}${hours ?? "00"}:${minutes ?? "00"}`;
};

/** A full instant, with its zone or distance from UTC; nothing else is one. */
export const isInstant = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text));

/** The same words as the server's: "Tuesday 1 December 2026 at 09:30 New York time (UTC-05:00)". */
export function momentText(at: string): string {
  const date = new Date(at);
  const { weekday, day, month, year, hour, minute } = parts(date, { weekday: "long", day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit" });
  return zoned(t("text.moment", { day: `${weekday} ${day} ${month} ${year}`, time: `${hour}:${minute}`, zone: zoneText(date) }));
}

/** French has a comma before “heure de New York”, and none before “UTC”. */
const zoned = (text: string) => text.replace(/, UTC$/, " UTC");

const zoneText = (at: Date) => (zoneWord() === "UTC" ? "UTC" : `${zoneWord()} (${offset(at)})`);

/** From one instant to another, the day named once. */
export function spanText(start: string, end: string): string {
  const [from, to] = [new Date(start), new Date(end)];
  const day = (at: Date) => parts(at, { day: "numeric", month: "long", year: "numeric" });
  if (JSON.stringify(day(from)) !== JSON.stringify(day(to))) return t("text.fromUntil", { from: momentText(start), until: momentText(end) });
  const { weekday, day: on, month, year, hour, minute } = parts(from, { weekday: "long", day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit" });
  const until = parts(to, { hour: "2-digit", minute: "2-digit" });
  return zoned(t("text.span", { day: `${weekday} ${on} ${month} ${year}`, from: `${hour}:${minute}`, until: `${until.hour}:${until.minute}`, zone: zoneText(from) }));
}

/** The day of an instant in the clinic: "2026-12-01". */
export function dayOf(at: string | Date): string {
  const { day, month, year } = parts(new Date(at), { day: "2-digit", month: "2-digit", year: "numeric" });
  return `${year}-${month}-${day}`;
}

/** A day in words: "Tuesday 1 December 2026". */
export function dayText(at: string | Date): string {
  const { weekday, day, month, year } = parts(new Date(at), { weekday: "long", day: "numeric", month: "long", year: "numeric" });
  return `${weekday} ${day} ${month} ${year}`;
}

/** With seconds, for what is audited: "1 Dec 2026, 09:30:05 New York time". */
export function stampText(at: string): string {
  const { day, month, year, hour, minute, second } = parts(new Date(at), { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" });
  return `${day} ${month} ${year}, ${hour}:${minute}:${second} ${zoneWord()}`;
}

/** What a field for date and time holds: "2026-12-01T09:30", the clinic's. */
export function fieldOf(at: string): string {
  const { hour, minute } = parts(new Date(at), { hour: "2-digit", minute: "2-digit" });
  return `${dayOf(at)}T${hour}:${minute}`;
}

/** The instant that a field for date and time means, with the clinic's distance from UTC; "" for none. */
export function instantOf(field: string): string {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)$/.exec(field) ?? [];
  if (!day) return "";
  // The distance depends on the instant, which depends on the distance: the second look is right but for an hour that does not exist.
  let guess = new Date(`${day}T${time}:00Z`);
  if (Number.isNaN(guess.getTime())) return "";
  for (let look = 0; look < 2; look++) guess = new Date(`${day}T${time}:00${offset(guess).slice(3)}`);
  return `${day}T${time}:00${offset(guess).slice(3).replace("+00:00", "Z")}`;
}

/** A text with its instants in words. */
export const withMoments = (text: string): string =>
  text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)(?!\w)/g, (found) => (isInstant(found) ? momentText(found) : found));
