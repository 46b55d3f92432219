import type { Json } from "@/api/types";

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
        const units: Record<string, string> = { h: "hour", d: "day", wk: "week", mo: "month" };
        const period = text(repeat.period);
        return join([
          dose.value === undefined ? "" : join([text(dose.value), text(dose.unit) || "dose"], " "),
          repeat.frequency === undefined
            ? ""
            : `${text(repeat.frequency)}× every ${period === "1" ? "" : `${period} `}${units[text(repeat.periodUnit)] ?? text(repeat.periodUnit)}`,
          d.asNeededBoolean === true ? "as needed" : "",
        ]);
      }),
    "; ",
  );
}

const participants = (value: Json | undefined, who: string) =>
  join(
    list(value)
      .map(object)
      .map((p) => join([reference(p[who]), p.status ? `(${text(p.status)})` : ""], " ")),
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
  date("From", object(value).start),
  date("Until", object(value).end),
];

const readers: Record<string, Reader> = {
  Patient: (r) => [
    f("Name", humanName(r.name)),
    date("Born", r.birthDate),
    date("Died", r.deceasedDateTime),
    f("Gender", text(r.gender)),
    f("Language", join(list(r.communication).map((c) => concept(object(c).language)))),
    f("Marital status", concept(r.maritalStatus)),
    f("Contact", telecom(r.telecom)),
    f("Address", address(r.address)),
  ],
  Practitioner: (r) => [
    f("Name", humanName(r.name)),
    f("Gender", text(r.gender)),
    f("Active", r.active === undefined ? "" : r.active ? "yes" : "no"),
    f("NPI", text(object(list(r.identifier).find((i) => text(object(i).system).endsWith("us-npi"))).value), "id"),
    f("Contact", telecom(r.telecom)),
    f("Address", address(r.address)),
  ],
  PractitionerRole: (r) => [
    f("Practitioner", reference(r.practitioner), "reference"),
    f("Specialty", concept(r.specialty)),
    f("Role", concept(r.code)),
    f("Organization", reference(r.organization), "reference"),
    f("Location", reference(r.location)),
    f("Contact", telecom(r.telecom)),
  ],
  Organization: (r) => [
    f("Name", text(r.name)),
    f("Kind", concept(r.type)),
    f("Contact", telecom(r.telecom)),
    f("Address", address(r.address)),
  ],
  Location: (r) => [
    f("Name", text(r.name)),
    f("Status", text(r.status)),
    f("Run by", reference(r.managingOrganization), "reference"),
    f("Contact", telecom(r.telecom)),
    f("Address", address(r.address)),
  ],
  Condition: (r) => [
    f("Condition", concept(r.code)),
    f("Clinical status", concept(r.clinicalStatus)),
    f("Verification", concept(r.verificationStatus)),
    f("Category", concept(r.category)),
    date("Onset", r.onsetDateTime),
    date("Abated", r.abatementDateTime),
    date("Recorded", r.recordedDate),
    f("Patient", reference(r.subject), "reference"),
    f("Encounter", reference(r.encounter), "reference"),
  ],
  MedicationRequest: (r) => [
    f("Medication", concept(r.medicationCodeableConcept) || reference(r.medicationReference)),
    f("Status", text(r.status)),
    f("Intent", text(r.intent)),
    f("Dosage", dosage(r.dosageInstruction)),
    f("Reason", concept(r.reasonCode) || reference(r.reasonReference)),
    date("Written", r.authoredOn),
    f("Requester", reference(r.requester), "reference"),
    f("Patient", reference(r.subject), "reference"),
    f("Encounter", reference(r.encounter), "reference"),
  ],
  AllergyIntolerance: (r) => [
    f("Allergy", concept(r.code)),
    f("Criticality", text(r.criticality)),
    f("Category", join(list(r.category).map(text))),
    f("Clinical status", concept(r.clinicalStatus)),
    f("Verification", concept(r.verificationStatus)),
    f(
      "Reactions",
      join(
        list(r.reaction).map((x) =>
          join([concept(object(x).manifestation), object(x).severity ? `(${text(object(x).severity)})` : ""], " "),
        ),
        "; ",
      ),
    ),
    date("Recorded", r.recordedDate),
    f("Patient", reference(r.patient), "reference"),
  ],
  Encounter: (r) => [
    f("Kind", concept(r.type)),
    f("Status", text(r.status)),
    f("Class", concept(r.class)),
    ...period(r.period),
    f("Reason", concept(r.reasonCode)),
    f("With", participants(r.participant, "individual")),
    f("At", join(list(r.location).map((l) => reference(object(l).location)))),
    f("Provider", reference(r.serviceProvider), "reference"),
    f("Patient", reference(r.subject), "reference"),
  ],
  DocumentReference: (r) => [
    f("Kind", concept(r.type)),
    f("Category", concept(r.category)),
    f("Status", text(r.status)),
    date("Written", r.date),
    f("Author", reference(r.author)),
    f("Custodian", reference(r.custodian)),
    f("Format", join(list(r.content).map((c) => text(object(object(c).attachment).contentType)))),
    f("Patient", reference(r.subject), "reference"),
  ],
  Appointment: (r) => [
    f("What", text(r.description) || concept(r.serviceType) || concept(r.appointmentType)),
    f("Status", text(r.status)),
    date("Starts", r.start),
    date("Ends", r.end),
    f("Length", r.minutesDuration === undefined ? "" : `${text(r.minutesDuration)} min`),
    f("With", participants(r.participant, "actor")),
    f("Reason", concept(r.reasonCode)),
    f("Comment", text(r.comment)),
    date("Created", r.created),
  ],
  Immunization: (r) => [
    f("Vaccine", concept(r.vaccineCode)),
    f("Status", text(r.status)),
    date("Given", r.occurrenceDateTime),
    f("At", reference(r.location)),
    f("Patient", reference(r.patient), "reference"),
    f("Encounter", reference(r.encounter), "reference"),
  ],
};

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
  const fields = (readers[type] ?? plainFields)(r).filter(({ value }) => value !== "");
  return { fields: [...fields, ...(r.id ? [f("Id", text(r.id), "id")] : [])], note: note(r) };
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
  Patient: "Patients",
  Practitioner: "Practitioners",
  PractitionerRole: "Roles of practitioners",
  Organization: "Organisations",
  Location: "Places",
  Condition: "Problems",
  MedicationRequest: "Medicines",
  AllergyIntolerance: "Allergies",
  Encounter: "Past visits",
  DocumentReference: "Notes",
  Appointment: "Appointments",
  Schedule: "Schedules",
  Slot: "Open and taken times",
  Immunization: "Vaccinations",
  Observation: "Measurements and findings",
  Procedure: "Procedures",
  DiagnosticReport: "Reports of tests",
  CarePlan: "Care plans",
  CareTeam: "Care teams",
  Goal: "Goals",
  Device: "Devices",
  Claim: "Claims",
  ExplanationOfBenefit: "Benefits paid",
  RelatedPerson: "Relatives and carers",
  ServiceRequest: "Orders and referrals",
  QuestionnaireResponse: "Filled-in questionnaires",
};

/** A name inside as words: "MedicationAdministration" is "Medication administration". */
const words = (type: string) => {
  const apart = type.replace(/(?<=[a-z])(?=[A-Z])/g, " ");
  return apart.charAt(0) + apart.slice(1).toLowerCase();
};

/** People first, then what is about them; unknown types by name. */
export const typeTitle = (type: string) => titles[type] ?? words(type);
const rank = Object.keys(titles);
export const byType = (a: { type: string }, b: { type: string }) => {
  const [i, j] = [rank.indexOf(a.type), rank.indexOf(b.type)];
  return (i < 0 ? rank.length : i) - (j < 0 ? rank.length : j) || a.type.localeCompare(b.type);
};
