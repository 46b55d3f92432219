import { language, t } from "@/text/language";
import { frenchMoment } from "@/text/moment";
import { told } from "@/text/told";
import { visibleName } from "@/text/visible";

/** What a session is about: any record, named by its type and id. */
export interface Subject {
  type: string;
  id: string;
}

/** The type that the API has fields of its own for. */
export const PATIENT = "Patient";

/** What the API says of the subject of a session, a turn, an approval or a record. */
export interface About {
  subject?: string;
  /** Its title, e.g. a name. */
  subject_title?: string;
  /** The same, as sessions and approvals call it. */
  subject_name?: string;
  vars?: Record<string, string> | null;
  /** Of a patient the older fields say the same: an id alone, and a name. */
  patient?: string | { id: string; name: string } | null;
  patient_name?: string;
}

/** Reads "TYPE/ID"; an id alone is a patient's, as in addresses that were kept. Null for anything else. */
export function parseSubject(text: string | null | undefined): Subject | null {
  const match = /^(?:([A-Z][A-Za-z]{0,40})\/)?([A-Za-z0-9\-._]{1,128})$/.exec(text ?? "");
  return match ? { type: match[1] ?? PATIENT, id: match[2]! } : null;
}

export function subjectOf(about: About): Subject | null {
  const { patient } = about;
  const id = typeof patient === "string" ? patient : patient?.id;
  return parseSubject(about.subject) ?? parseSubject(id || about.vars?.patient);
}

/** The record's title, else its type and id; "" where there is no subject. */
export function subjectTitle(about: About): string {
  const { patient } = about;
  const name = about.subject_title || about.subject_name || about.patient_name || (patient !== null && typeof patient === "object" ? patient.name : "");
  if (name) return visibleName(name);
  const subject = subjectOf(about);
  return subject ? visibleName(`${typeName(subject.type)} ${subject.id}`) : "";
}

/** What stands in place of a title where there is no subject. */
export const noSubject = () => t("subject.noRecord");

/** What nobody would say for the name inside. */
const said: Record<string, string> = {
  get Patient() { return t("subject.typePatient"); },
  get Practitioner() { return t("subject.typePractitioner"); },
  get Organization() { return t("subject.typeOrganization"); },
  get Location() { return t("subject.typeLocation"); },
  get MedicationRequest() { return t("subject.typeMedicationRequest"); },
  get Appointment() { return t("subject.typeAppointment"); },
  get Schedule() { return t("subject.typeSchedule"); },
  get Slot() { return t("subject.typeSlot"); },
  get Immunization() { return t("subject.typeImmunization"); },
  get Observation() { return t("subject.typeObservation"); },
  get Procedure() { return t("subject.typeProcedure"); },
  get DiagnosticReport() { return t("subject.typeDiagnosticReport"); },
  get CarePlan() { return t("subject.typeCarePlan"); },
  get CareTeam() { return t("subject.typeCareTeam"); },
  get Goal() { return t("subject.typeGoal"); },
  get Device() { return t("subject.typeDevice"); },
  get DocumentReference() { return t("subject.note"); }, get AllergyIntolerance() { return t("subject.allergy"); }, get Condition() { return t("subject.problem"); }, get Encounter() { return t("subject.pastVisit"); }, get PractitionerRole() { return t("subject.practitionersRole"); } };

/** A record's type as a person says it: "MedicationRequest" is a medication request. */
export const typeName = (type: string): string => said[type] ?? told(type.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase());

/** A record's title as the list says it: a time, and a kind where it has no other title, are words of the program's; all else is as it was written. */
export function recordTitle(type: string, title: string): string {
  if (title !== type) return language() === "fr" ? (frenchMoment(title) ?? title) : title;
  const name = typeName(type);
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** The subject in an address, and back by parseSubject. */
export const subjectAddress = ({ type, id }: Subject): string => (type === PATIENT ? id : `${type}/${id}`);

/** The subject as the call that sends a message takes it: it refuses fields that it does not know, and has one for patients. */
export const subjectFields = (subject: Subject | null): Record<string, string> =>
  subject === null ? {} : subject.type === PATIENT ? { patient: subject.id } : { subject: `${subject.type}/${subject.id}` };

/** Types that a session may be about, as its agent says. */
export const subjectTypes = (agent: { subjects?: string[] | null } | undefined): string[] => (agent?.subjects?.length ? agent.subjects : [PATIENT]);
