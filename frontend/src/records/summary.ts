import type { Json } from "@/api/types";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { recordKinds } from "./kinds";

/**
 * The main fields of a FHIR R4 resource in plain words. Whatever a resource
 * holds, the answer is text: nothing of it is ever read as markup. Field names
 * follow https://hl7.org/fhir/R4/resourcelist.html.
 */

export interface Field {
  label: string;
  value: string;
  kind?: "date" | "reference" | "id";
}

export interface Summary {
  fields: Field[];
  /** Plain text of a document or note, when the resource carries one. */
  note?: string;
}

type Resource = Record<string, Json>;

const isObject = (value: Json | undefined): value is Resource =>
  value !== null && typeof value === "object" && !Array.isArray(value);
const object = (value: Json | undefined): Resource => (isObject(value) ? value : {});
const list = (value: Json | undefined): Json[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
const text = (value: Json | undefined): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
const join = (parts: string[], by = ", ") => parts.filter(Boolean).join(by);

/** A CodeableConcept, a Coding, a list of either, or a bare code. */
function concept(value: Json | undefined): string {
  return join(
    list(value).map((one) => {
      const coded = object(one);
      return (
        text(coded.text) ||
        join(
          list(coded.coding)
            .map((c) => text(object(c).display) || text(object(c).code))
            .slice(0, 1),
        ) ||
        text(coded.display) ||
        text(coded.code) ||
        text(coded.reference) ||
        text(one)
      );
    }),
  );
}

/** A HumanName: the usual or official one of several. */
function humanName(value: Json | undefined): string {
  const names = list(value).map(object);
  const name = names.find((n) => n.use === "official") ?? names.find((n) => n.use === "usual") ?? names[0];
  if (!name) return "";
  return (
    text(name.text) ||
    join([...list(name.prefix), ...list(name.given), name.family ?? "", ...list(name.suffix)].map(text), " ")
  );
}

function address(value: Json | undefined): string {
  const one = object(list(value)[0]);
  return join([
    ...list(one.line).map(text),
    join([text(one.city), text(one.state), text(one.postalCode)], " "),
    text(one.country),
  ]);
}

const telecom = (value: Json | undefined) =>
  join(
    list(value)
      .map(object)
      .map((t) => join([text(t.system), text(t.value)], " ")),
  );

/** What a Reference shows: its display name, else what it points at. */
function reference(value: Json | undefined): string {
  return join(
    list(value)
      .map(object)
      .map((r) => text(r.display) || text(r.reference) || text(object(r.identifier).value)),
  );
}

function dosage(value: Json | undefined): string {
  return join(
    list(value)
      .map(object)
      .map((d) => {
        if (d.text) return text(d.text);
        const repeat = object(object(d.timing).repeat);
        const dose = object(object(list(d.doseAndRate)[0]).doseQuantity);
                const period = text(repeat.period);
        return join([
          dose.value === undefined ? "" : join([text(dose.value), text(dose.unit) || t("records.dose")], " "),
          repeat.frequency === undefined
            ? ""
            : t("records.every", { times: text(repeat.frequency), period: period === "1" ? "" : `${period} `, unit: text(repeat.periodUnit) }),
          d.asNeededBoolean === true ? t("records.asNeeded") : "",
        ]);
      }),
    "; ",
  );
}

const participants = (value: Json | undefined, who: string) =>
  join(
    list(value)
      .map(object)
      .map((p) => join([reference(p[who]), p.status ? `(${told(text(p.status))})` : ""], " ")),
    "; ",
  );

function note(resource: Resource): string | undefined {
  for (const content of list(resource.content)) {
    const attachment = object(object(content).attachment);
    if (typeof attachment.data !== "string" || !/^text\/(plain|markdown)/.test(text(attachment.contentType))) continue;
    try {
      return new TextDecoder().decode(Uint8Array.from(atob(attachment.data), (c) => c.charCodeAt(0))).trim();
    } catch {
      // Not base64 after all: the raw JSON below still shows it.
      return undefined;
    }
  }
  return undefined;
}

type Reader = (resource: Resource) => Field[];
const f = (label: string, value: string, kind?: Field["kind"]): Field => ({ label, value, kind });
const date = (label: string, value: Json | undefined): Field => f(label, text(value), "date");
const period = (value: Json | undefined): Field[] => [
  date(t("records.from"), object(value).start),
  date(t("records.until"), object(value).end),
];

const readers: Record<string, Reader> = {
  Patient: (r) => [
    f(t("records.name"), humanName(r.name)),
    date(t("records.born"), r.birthDate),
    date(t("records.died"), r.deceasedDateTime),
    f(t("records.gender"), told(text(r.gender))),
    f(t("records.language"), join(list(r.communication).map((c) => concept(object(c).language)))),
    f(t("records.maritalStatus"), concept(r.maritalStatus)),
    f(t("records.contact"), telecom(r.telecom)),
    f(t("records.address"), address(r.address)),
  ],
  Practitioner: (r) => [
    f(t("records.name"), humanName(r.name)),
    f(t("records.gender"), told(text(r.gender))),
    f(t("records.active"), r.active === undefined ? "" : r.active ? t("ui.yes") : t("ui.no")),
    f(t("records.npi"), text(object(list(r.identifier).find((i) => text(object(i).system).endsWith("us-npi"))).value), "id"),
    f(t("records.contact"), telecom(r.telecom)),
    f(t("records.address"), address(r.address)),
  ],
  PractitionerRole: (r) => [
    f(t("records.practitioner"), reference(r.practitioner), "reference"),
    f(t("records.specialty"), concept(r.specialty)),
    f(t("records.role"), concept(r.code)),
    f(t("records.organization"), reference(r.organization), "reference"),
    f(t("records.location"), reference(r.location)),
    f(t("records.contact"), telecom(r.telecom)),
  ],
  Organization: (r) => [
    f(t("records.name"), text(r.name)),
    f(t("records.kind"), concept(r.type)),
    f(t("records.contact"), telecom(r.telecom)),
    f(t("records.address"), address(r.address)),
  ],
  Location: (r) => [
    f(t("records.name"), text(r.name)),
    f(t("records.status"), told(text(r.status))),
    f(t("records.runBy"), reference(r.managingOrganization), "reference"),
    f(t("records.contact"), telecom(r.telecom)),
    f(t("records.address"), address(r.address)),
  ],
  Condition: (r) => [
    f(t("records.condition"), concept(r.code)),
    f(t("records.clinicalStatus"), told(concept(r.clinicalStatus))),
    f(t("records.verification"), told(concept(r.verificationStatus))),
    f(t("records.category"), told(concept(r.category))),
    date(t("records.onset"), r.onsetDateTime),
    date(t("records.abated"), r.abatementDateTime),
    date(t("records.recorded"), r.recordedDate),
    f(t("records.patient"), reference(r.subject), "reference"),
    f(t("records.encounter"), reference(r.encounter), "reference"),
  ],
  MedicationRequest: (r) => [
    f(t("records.medication"), concept(r.medicationCodeableConcept) || reference(r.medicationReference)),
    f(t("records.status"), told(text(r.status))),
    f(t("records.intent"), told(text(r.intent))),
    f(t("records.dosage"), dosage(r.dosageInstruction)),
    f(t("records.reason"), concept(r.reasonCode) || reference(r.reasonReference)),
    date(t("records.written"), r.authoredOn),
    f(t("records.requester"), reference(r.requester), "reference"),
    f(t("records.patient"), reference(r.subject), "reference"),
    f(t("records.encounter"), reference(r.encounter), "reference"),
  ],
  AllergyIntolerance: (r) => [
    f(t("records.allergy"), concept(r.code)),
    f(t("records.criticality"), told(text(r.criticality))),
    f(t("records.category"), join(list(r.category).map((one) => told(text(one))))),
    f(t("records.clinicalStatus"), told(concept(r.clinicalStatus))),
    f(t("records.verification"), told(concept(r.verificationStatus))),
    f(
      t("records.reactions"),
      join(
        list(r.reaction).map((x) =>
          join([concept(object(x).manifestation), object(x).severity ? `(${told(text(object(x).severity))})` : ""], " "),
        ),
        "; ",
      ),
    ),
    date(t("records.recorded"), r.recordedDate),
    f(t("records.patient"), reference(r.patient), "reference"),
  ],
  Encounter: (r) => [
    f(t("records.kind"), concept(r.type)),
    f(t("records.status"), told(text(r.status))),
    f(t("records.class"), concept(r.class)),
    ...period(r.period),
    f(t("records.reason"), concept(r.reasonCode)),
    f(t("records.with"), participants(r.participant, "individual")),
    f(t("records.at"), join(list(r.location).map((l) => reference(object(l).location)))),
    f(t("records.provider"), reference(r.serviceProvider), "reference"),
    f(t("records.patient"), reference(r.subject), "reference"),
  ],
  DocumentReference: (r) => [
    f(t("records.kind"), told(concept(r.type))),
    f(t("records.category"), told(concept(r.category))),
    f(t("records.status"), told(text(r.status))),
    date(t("records.written"), r.date),
    f(t("records.author"), reference(r.author)),
    f(t("records.custodian"), reference(r.custodian)),
    f(t("records.format"), join(list(r.content).map((c) => text(object(object(c).attachment).contentType)))),
    f(t("records.patient"), reference(r.subject), "reference"),
  ],
  Appointment: (r) => [
    f(t("records.what"), text(r.description) || concept(r.serviceType) || concept(r.appointmentType)),
    f(t("records.status"), told(text(r.status))),
    date(t("records.starts"), r.start),
    date(t("records.ends"), r.end),
    f(t("records.length"), r.minutesDuration === undefined ? "" : t("records.min", { minutesDuration: text(r.minutesDuration) })),
    f(t("records.with"), participants(r.participant, "actor")),
    f(t("records.reason"), concept(r.reasonCode)),
    f(t("records.comment"), text(r.comment)),
    date(t("records.created"), r.created),
  ],
  Immunization: (r) => [
    f(t("records.vaccine"), concept(r.vaccineCode)),
    f(t("records.status"), told(text(r.status))),
    date(t("records.given"), r.occurrenceDateTime),
    f(t("records.at"), reference(r.location)),
    f(t("records.patient"), reference(r.patient), "reference"),
    f(t("records.encounter"), reference(r.encounter), "reference"),
  ],
};

/** What the members of a type are called, as the agent that brings it along says. */
const namedFields = (names: Readonly<Record<string, string>>): Reader => (r) =>
  plainFields(r).map((field) => ({ ...field, label: Object.hasOwn(names, field.label) ? capital(told(names[field.label]!)) : field.label.replaceAll("_", " ") }));

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** An unknown type shows its own plain fields under their own names. */
const plainFields: Reader = (r) =>
  Object.entries(r)
    .filter(([name]) => !["resourceType", "id", "meta", "text", "extension", "contained"].includes(name))
    .map(([name, value]) => f(name, concept(value) || members(value)));

/** What else an object says, its members one after another: "lon -102.1, lat 31.85, datum NAD27". */
const members = (value: Json | undefined): string =>
  isObject(value) ? join(Object.entries(value).map(([name, one]) => (text(one) === "" ? "" : `${name.replaceAll("_", " ")} ${text(one)}`))) : "";

export function summarise(type: string, resource: Json): Summary {
  const r = object(resource);
  const names = recordKinds()[type]?.names;
  const fields = (readers[type] ?? (names ? namedFields(names) : plainFields))(r).filter(({ value }) => value !== "");
  return { fields: [...fields, ...(r.id ? [f(t("records.id"), text(r.id), "id")] : [])], note: note(r) };
}

/** The record a reference points at inside the store, e.g. "Patient/12"; null for any other reference. */
function localRef(value: Json | undefined): { type: string; id: string } | null {
  const match = /^([A-Z][A-Za-z]{1,40})\/([A-Za-z0-9\-.]{1,64})$/.exec(text(object(list(value)[0]).reference));
  return match ? { type: match[1]!, id: match[2]! } : null;
}

/** Every record that a resource refers to, once each, in the order they appear. */
export function links(resource: Json): { type: string; id: string; display: string }[] {
  const found = new Map<string, { type: string; id: string; display: string }>();
  const walk = (value: Json | undefined, depth: number) => {
    if (depth > 12) return;
    if (Array.isArray(value)) value.forEach((one) => walk(one, depth + 1));
    else if (isObject(value)) {
      const ref = localRef(value);
      if (ref && !found.has(`${ref.type}/${ref.id}`))
        found.set(`${ref.type}/${ref.id}`, { ...ref, display: text(value.display) });
      Object.values(value).forEach((one) => walk(one, depth + 1));
    }
  };
  walk(resource, 0);
  return [...found.values()];
}

const titles: Record<string, string> = {
  get Patient() { return t("records.patients"); },
  get Practitioner() { return t("records.practitioners"); },
  get PractitionerRole() { return t("records.rolesOfPractitioners"); },
  get Organization() { return t("records.organisations"); },
  get Location() { return t("records.places"); },
  get Condition() { return t("records.problems"); },
  get MedicationRequest() { return t("records.medicines"); },
  get AllergyIntolerance() { return t("records.allergies"); },
  get Encounter() { return t("records.pastVisits"); },
  get DocumentReference() { return t("records.notes"); },
  get Appointment() { return t("records.appointments"); },
  get Schedule() { return t("records.schedules"); },
  get Slot() { return t("records.openAndTakenTimes"); },
  get Immunization() { return t("records.vaccinations"); },
  get Observation() { return t("records.measurementsAndFindings"); },
  get Procedure() { return t("records.procedures"); },
  get DiagnosticReport() { return t("records.reportsOfTests"); },
  get CarePlan() { return t("records.carePlans"); },
  get CareTeam() { return t("records.careTeams"); },
  get Goal() { return t("records.goals"); },
  get Device() { return t("records.devices"); },
  get Claim() { return t("records.claims"); },
  get ExplanationOfBenefit() { return t("records.benefitsPaid"); },
  get RelatedPerson() { return t("records.relativesAndCarers"); },
  get ServiceRequest() { return t("records.ordersAndReferrals"); },
  get QuestionnaireResponse() { return t("records.filledInQuestionnaires"); },
};

/** A name inside as words: "MedicationAdministration" is "Medication administration". */
const words = (type: string) => {
  const apart = type.replace(/(?<=[a-z])(?=[A-Z])/g, " ");
  return apart.charAt(0) + apart.slice(1).toLowerCase();
};

/** What heads a list of a type's records, as the agent calls them that brings them along; unknown types by name. */
export const typeTitle = (type: string) => titles[type] ?? told(recordKinds()[type]?.plural || words(type));
/** People first, then what is about them. */
const rank = Object.keys(titles);
export const byType = (a: { type: string }, b: { type: string }) => {
  const [i, j] = [rank.indexOf(a.type), rank.indexOf(b.type)];
  return (i < 0 ? rank.length : i) - (j < 0 ? rank.length : j) || a.type.localeCompare(b.type);
};
