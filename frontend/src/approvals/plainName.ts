import { visibleText } from "@/text/visible";

/** The name of an argument as a person reads it: "appointment_type" is "Appointment type". */
export function plainName(name: string): string {
  const words = visibleText(name).replace(/(?<=[a-z])(?=[A-Z])/g, " ").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
