import type { Approval, PatientBrief, RecordFull, Session } from "@/api/types";
import { useRead } from "@/api/query";
import { parseSubject, PATIENT, subjectOf, subjectTitle, type About } from "@/subject/subject";
import { useRoute } from "./route";

/** What the screen is about: the subject of the session, the approval or the record; of a patient, who it is. */
export function useCase(): { title: string; reading: boolean; person: boolean; patient: PatientBrief | null } {
  const { screen, first, second } = useRoute();
  const fresh = screen === "sessions" && first === "new";
  const session = (screen === "sessions" || screen === "memory") && first && !fresh ? first : null;
  const approval = screen === "approvals" && first ? first : null;
  const record = screen === "records" && first && second ? { type: first, id: second } : null;

  const ofSession = useRead<Session>(session ? `/api/sessions/${encodeURIComponent(session)}` : null);
  // In brief: reading the whole of one gives out a one-time key.
  const ofApproval = useRead<Approval>(approval ? `/api/approvals/${encodeURIComponent(approval)}?brief=1` : null);
  const said: About = (session ? ofSession.data : ofApproval.data) ?? {};
  const chosen = fresh ? parseSubject(second) : subjectOf(said);
  const named = said.subject_title || said.subject_name || said.patient_name ? subjectTitle(said) : "";
  // A subject that comes without its title is read; of a record, what the record itself is about.
  const shown = record ?? (named ? null : chosen);
  const ofRecord = useRead<RecordFull>(shown ? `/api/records/${encodeURIComponent(shown.type)}/${encodeURIComponent(shown.id)}` : null);

  const reading = (session ? ofSession : approval ? ofApproval : shown ? ofRecord : null)?.isLoading ?? false;
  const found = ofRecord.data;
  const about = record ? (record.type === PATIENT ? record : found ? subjectOf(found) : null) : chosen;
  const who = useRead<PatientBrief>(about?.type === PATIENT ? `/api/patients/${encodeURIComponent(about.id)}` : null);
  const patient = about?.type === PATIENT ? (who.data ?? null) : null;
  const person = (about ?? record ?? { type: PATIENT }).type === PATIENT;
  if (patient) return { title: patient.name || patient.id, reading, person, patient };
  if (record) return { title: found ? subjectTitle(found) : "", reading, person, patient };
  return { person, patient, title: named || (found ? found.title || subjectTitle(found) : "") || (chosen ? subjectTitle({ subject: `${chosen.type}/${chosen.id}` }) : ""), reading };
}
