import { told } from "@/text/told";
import { visibleText } from "@/text/visible";

/** Where in a record a value is, as a person reads it: "participant[0].actor.reference" is "Participant 1, actor, reference". */
export const plainPath = (path: string): string =>
  path.split(".").map((part, at) => {
    const [, name = part, index] = /^(.*?)\[(\d+)\]$/.exec(part) ?? [];
    const words = plainName(name);
    return (at === 0 ? words : words.toLowerCase()) + (index === undefined ? "" : ` ${Number(index) + 1}`);
  }).join(", ");

/** The name of an argument as a person reads it: "appointment_type" is "Appointment type". */
export function plainName(name: string): string {
  const words = visibleText(name).replace(/(?<=[a-z])(?=[A-Z])/g, " ").replaceAll("_", " ").replace(/(?<=[a-z] ?)[A-Z](?=[a-z])/g, (letter) => letter.toLowerCase());
  return told(words.charAt(0).toUpperCase() + words.slice(1));
}
