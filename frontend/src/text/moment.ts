const days: Readonly<Record<string, string>> = { Monday: "lundi", Tuesday: "mardi", Wednesday: "mercredi", Thursday: "jeudi", Friday: "vendredi", Saturday: "samedi", Sunday: "dimanche" };
const months: Readonly<Record<string, string>> = {
  January: "janvier", February: "février", March: "mars", April: "avril", May: "mai", June: "juin", July: "juillet", August: "août", September: "septembre", October: "octobre", November: "novembre", December: "décembre",
};

/** How many moments of a list are looked at. */
const MOST = 20;

/** A moment as the program's other side writes it, “Tuesday 1 December 2026 at 09:30 New York time (UTC-05:00)”, or some with commas between them, in French; undefined for anything else. */
export function frenchMoment(english: string): string | undefined {
  const all = english.split(", ");
  if (all.length > 1) {
    if (all.length > MOST) return undefined;
    const said = all.map(frenchMoment);
    return said.includes(undefined) ? undefined : said.join(", ");
  }
  const found = /^(\w+day) (\d{1,2}) (\w+) (\d{4}) at (\d\d:\d\d) (.+)$/.exec(english);
  if (!found) return undefined;
  const [, day, date, month, year, time, zone] = found;
  if (!days[day!] || !months[month!]) return undefined;
  const said = `${days[day!]} ${date === "1" ? "1er" : date} ${months[month!]} ${year} à ${time}, ${zone!.replace(/^(.+) time (?=\()/, "heure de $1 ")}`;
  return said.replace(/, UTC$/, " UTC");
}
