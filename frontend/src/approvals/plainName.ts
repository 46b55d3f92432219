import { visibleText } from "@/text/visible";

/** Where in a record a value is, as a person reads it: "participant[0].actor.reference" is "Participant 1, actor, reference". */
export const plainPath = (path: string): string =>
  plainName(path.split(".").map((part) => plainName(part.replace(/\[(\d+)\]/g, (_, at: string) => ` ${Number(at) + 1}`)).toLowerCase()).join(", "));

/** The name of an argument as a person reads it: "appointment_type" is "Appointment type". */
export function plainName(name: string): string {
  const words = visibleText(name).replace(/(?<=[a-z])(?=[A-Z])/g, " ").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
