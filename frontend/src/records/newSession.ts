import { go } from "@/shell/route";

/** Opens the composer for a session that does not exist yet, about a patient when one is named. */
export function newSession(patient = ""): void {
  go("sessions", "new", patient);
}
