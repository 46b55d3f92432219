import { en } from "@/text/en";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { visibleText } from "@/text/visible";

/** The word for an element of a record; its own name where there is none. */
const wordOf = (name: string): string => (Object.hasOwn(en.elements, name) ? t(`elements.${name as keyof typeof en.elements}`) : plainName(name));

/**
 * Where in a record a value is, as a person reads it: "participant[0].actor.reference" is
 * "Person or place 1, record", and what that one is called is "Person or place 1".
 */
export function plainPath(path: string): string {
  const parts = path.split(".");
  const said = parts.map((part, at) => {
    const [, name = part, index] = /^(.*?)\[(\d+)\]$/.exec(part) ?? [];
    const last = at > 0 && at === parts.length - 1;
    // What holds a name or words is what is called so.
    if ((name === "actor" && at > 0) || (last && (name === "text" || (name === "display" && !/^coding\b/.test(parts[at - 1]!))))) return "";
    const words = wordOf(name);
    return (at === 0 ? words : words.charAt(0).toLowerCase() + words.slice(1)) + (index === undefined || (name === "coding" && index === "0") ? "" : ` ${Number(index) + 1}`);
  });
  // A code's code is a code.
  return said.filter((one, at) => one && one !== said[at - 1]).join(", ");
}

/** What a computer needs of a record and a person seldom: what kind it is, its ids, and where codes come from. */
export const technical = (path: string): boolean => /^(resourceType|id|meta|identifier)\b|(^|\.)(system|contentType)$/.test(path);

/** The name of an argument as a person reads it: "appointment_type" is "Appointment type". */
export function plainName(name: string): string {
  const words = visibleText(name).replace(/(?<=[a-z])(?=[A-Z])/g, " ").replaceAll("_", " ").replace(/(?<=[a-z] ?)[A-Z](?=[a-z])/g, (letter) => letter.toLowerCase());
  return told(words.charAt(0).toUpperCase() + words.slice(1));
}
