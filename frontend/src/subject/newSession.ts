import { go } from "@/shell/route";
import { subjectAddress, type Subject } from "./subject";

/** Opens the composer for a session that does not exist yet, about a record when one is named. */
export function newSession(subject: Subject | null = null): void {
  go("sessions", "new", subject ? subjectAddress(subject) : "");
}
