import { afterEach, beforeEach, expect, it } from "vitest";
import { keepZone } from "@/text/zone";
import { fieldsOf, filled, problemOf } from "./form";
import { attachmentText, decoded, wordsOf } from "./words";

beforeEach(() => keepZone("Pacific/Auckland"));
afterEach(() => keepZone(""));

const visit = {
  resourceType: "Appointment", id: "a", status: "booked", start: "2026-11-30T20:00:00Z", end: "2026-11-30T20:50:00Z", description: "Sleep", minutesDuration: 50,
  participant: [{ actor: { reference: "Patient/p", display: "Ada Birch" } }, { actor: { reference: "Practitioner/d", display: "Dr. Okafor" } }],
};

it("says whom a visit is for, with whom, when in the clinic’s zone, where and why", () => {
  const { what, facts } = wordsOf({ ref: { type: "Appointment", id: "a" }, before: null, after: visit }, ["Hillside"]);
  expect(what).toBe("A new appointment");
  expect(facts.map(({ label, text }) => [label, text])).toEqual([
    ["For", "Ada Birch"], ["With", "Dr. Okafor"], ["When", "Tuesday 1 December 2026, 09:00 to 09:50 Auckland time (UTC+13:00)"], ["Reason", "Sleep"], ["Status", "booked"], ["Where", "Hillside"],
  ]);
});

it("says of a record that stays only what differs", () => {
  const { what, facts } = wordsOf({ ref: { type: "Appointment", id: "a" }, before: visit, after: { ...visit, status: "cancelled" } });
  expect(what).toBe("The appointment changes");
  expect(facts).toEqual([{ label: "Status", before: "booked", text: "cancelled" }]);
});

it("shows the text of a note, not its base64, and leaves what is no text alone", () => {
  const data = btoa(String.fromCharCode(...new TextEncoder().encode("schläft schlecht")));
  const note = { resourceType: "DocumentReference", content: [{ attachment: { contentType: "text/plain; charset=utf-8", data } }] };
  expect(wordsOf({ ref: { type: "DocumentReference", id: "n" }, before: null, after: note }).note).toBe("schläft schlecht");
  expect(JSON.stringify(decoded(note))).toContain("schläft schlecht");
  expect(attachmentText({ contentType: "image/png", data })).toBeNull();
  expect(attachmentText({ contentType: "text/plain", data: "***" })).toBeNull();
  expect(attachmentText({ contentType: "text/plain", data: btoa("\xff\xfe") })).toBeNull();
});

it("survives whatever a record is", () => {
  for (const after of [null, 3, "x", [], { participant: [null, 1], start: 1, end: {} }, { resourceType: "Appointment", start: "2026-01-01T00:00:00Z", end: "2026-01-01T01:00:00Z", participant: [{ actor: 3 }, null] }])
    expect(() => wordsOf({ ref: { type: "Appointment", id: "a" }, before: null, after })).not.toThrow();
});

it("makes a form of a schema: what has no field stays JSON", () => {
  const fields = fieldsOf({
    args: { start: "2026-11-30T20:00:00Z", provider: "d", list: [1], extra: true },
    targets: [{ type: "Practitioner", id: "d" }],
    parameters: { properties: { start: { type: "string", format: "date-time" }, provider: { type: "string" }, days: { type: "integer", minimum: 1, maximum: 60 }, note: { type: "string", maxLength: 4000 }, urgent: { type: "boolean" }, list: { type: "array" }, kind: { enum: ["a", "b"] } }, required: ["start"] },
  })!;
  expect(fields.map(({ name, kind, type }) => [name, kind, type])).toEqual([
    ["start", "moment", undefined], ["provider", "record", "Practitioner"], ["days", "integer", undefined], ["note", "long", undefined], ["urgent", "yes_no", undefined], ["list", "json", undefined], ["kind", "choice", undefined], ["extra", "json", undefined],
  ]);
  const [start, , days] = fields;
  expect([problemOf(start!, undefined), problemOf(days!, 61), problemOf(days!, 1.5), problemOf(days!, undefined)]).toEqual(["This is needed.", "At most 60.", "Enter a whole number.", ""]);
  expect(filled({ a: "", b: undefined, c: 0, d: false })).toEqual({ c: 0, d: false });
  expect(fieldsOf({ args: {}, targets: null })).toBeNull();
});
