import type { Approval, Json } from "@/api/types";
import { summarise, type Field } from "@/records/summary";
import { typeName } from "@/subject/subject";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { visibleText } from "@/text/visible";
import { isInstant, momentText, spanText } from "@/text/zone";

/** What a request means, as a person would say it: a line for each fact. */
export interface Fact {
  label: string;
  /** Before a change; "" for what is new. */
  before: string;
  text: string;
}

export interface Words {
  /** "A new appointment". */
  what: string;
  facts: Fact[];
  /** The text of a document that the request would write. */
  note?: string;
}

type Change = NonNullable<Approval["changes"]>[number];

/** What the request means, as its tool says it; null where it says nothing. */
export function summaryOf({ summary }: Pick<Approval, "summary">): Fact[] | null {
  if (!summary?.length) return null;
  const labels = { person: t("approvals.for"), provider: t("approvals.with"), time: t("approvals.when"), place: t("approvals.where"), about: t("approvals.visitFor"), reason: t("approvals.reason") };
  return summary.map(({ kind, text, from, until }) => ({
    label: labels[kind] ?? visibleText(kind),
    before: "",
    text: from && isInstant(from) ? (until && isInstant(until) ? spanText(from, until) : momentText(from)) : (text ?? ""),
  }));
}

/** The changes of a request as the records are now: what was there when it was asked may be gone. */
export const changesNow = ({ changes, current }: Pick<Approval, "changes" | "current">): Change[] =>
  (changes ?? []).map((change) => {
    const now = current?.find(({ type, id }) => type === change.ref.type && id === change.ref.id);
    return now ? { ...change, before: now.resource ?? null } : change;
  });

/** One change of a record in words; of a record that stays, only what differs. */
export function wordsOf({ ref, before, after }: Change, places: readonly string[] = []): Words {
  const type = visibleText(typeName(ref.type));
  const was = before === null ? null : summarise(ref.type, before);
  const is = after === null ? null : summarise(ref.type, after);
  if (was && is) {
    const old = new Map(factsOf(was.fields, before).map((fact) => [fact.label, fact.text]));
    const now = factsOf(is.fields, after);
    const gone = [...old].filter(([label]) => !now.some((fact) => fact.label === label)).map(([label, text]) => ({ label, before: text, text: "" }));
    return {
      what: t("approvals.theChanges", { type }),
      facts: [...now.filter(({ label, text }) => old.get(label) !== text).map((fact) => ({ ...fact, before: old.get(fact.label) ?? "" })), ...gone],
      note: is.note === was.note ? undefined : is.note,
    };
  }
  const shown = is ?? was;
  const facts = shown ? factsOf(shown.fields, is ? after : before) : [];
  if (is && places.length > 0 && facts.some(({ label }) => label === t("approvals.when"))) facts.push({ label: t("approvals.where"), before: "", text: places.join("; ") });
  return { what: is ? t("approvals.aNew", { type }) : t("approvals.theIsDeleted", { type }), facts, note: shown?.note };
}

/** A code of a record that has no words of its own; the others are told already. */
const isStatus = (label: string) => label === "status";

/** Ids and codes are for the list of all fields; a begin and an end are one fact. */
function factsOf(fields: readonly Field[], resource: Json): Fact[] {
  const { start, end } = resource !== null && typeof resource === "object" && !Array.isArray(resource) ? resource : {};
  const span = typeof start === "string" && typeof end === "string" && isInstant(start) && isInstant(end) ? spanText(start, end) : "";
  const facts = fields
    .filter(({ kind, label }) => kind !== "id" && !(span && [t("records.starts"), t("records.ends"), "start", "end"].includes(label)))
    .map(({ label, value }) => ({ label, before: "", text: isInstant(value) ? momentText(value) : isStatus(label) ? told(value) : value }));
  if (!span) return facts;
  // Who comes, with whom and why say more than the record's own list of them.
  const { resourceType, participant, description } = resource as Record<string, Json>;
  const people = resourceType === "Appointment" && Array.isArray(participant) ? participant.map(personOf) : [];
  const named = (label: string, patient: boolean) => {
    const text = people.filter((one) => one.patient === patient && one.name).map(({ name }) => name).join(", ");
    return text ? [{ label, before: "", text }] : [];
  };
  return [
    ...named(t("approvals.for"), true), ...named(t("approvals.with"), false), { label: t("approvals.when"), before: "", text: span },
    ...(people.length > 0 && typeof description === "string" && description ? [{ label: t("approvals.reason"), before: "", text: description }] : []),
    ...facts.filter(({ label }) => !(people.length > 0 && [t("records.with"), t("records.what"), t("records.length")].includes(label))),
  ];
}

function personOf(participant: Json): { name: string; patient: boolean } {
  const actor = participant !== null && typeof participant === "object" && !Array.isArray(participant) ? participant.actor : null;
  const { display, reference } = actor !== null && actor !== undefined && typeof actor === "object" && !Array.isArray(actor) ? actor : {};
  const ref = typeof reference === "string" ? reference : "";
  return { name: typeof display === "string" && display ? display : ref, patient: ref.startsWith("Patient/") };
}

/** A resource with the text of its attachments in place of their base64, for reading. */
export function decoded(value: Json): Json {
  if (Array.isArray(value)) return value.map(decoded);
  if (value === null || typeof value !== "object") return value;
  const text = attachmentText(value);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, name === "data" && text !== null ? text : decoded(one ?? null)]));
}

/** The text of a FHIR Attachment that holds text; null for anything else. */
export function attachmentText({ contentType, data }: Record<string, Json | undefined>): string | null {
  if (typeof data !== "string" || typeof contentType !== "string" || !/^text\//i.test(contentType)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(atob(data), (c) => c.charCodeAt(0)));
  } catch {
    // Not base64, or not text after all: it is shown as it is.
    return null;
  }
}
