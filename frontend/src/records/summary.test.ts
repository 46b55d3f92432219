import { describe, expect, it } from "vitest";
import type { Json } from "@/api/types";
import { keepRecordKinds } from "./kinds";
import { agentWith } from "./kinds.fixture";
import { byType, links, summarise } from "./summary";

const value = (type: string, resource: Json, label: string) =>
  summarise(type, resource).fields.find((field) => field.label === label)?.value;

describe("summarise", () => {
  it("names a patient by the official name and leaves out what is missing", () => {
    const patient = {
      resourceType: "Patient",
      id: "p1",
      birthDate: "1961-04-02",
      gender: "female",
      name: [
        { use: "maiden", family: "Old" },
        { use: "official", prefix: ["Mrs."], given: ["Marine", "Ai"], family: "Upton" },
      ],
    };
    expect(summarise("Patient", patient).fields.map(({ label, value: v }) => [label, v])).toEqual([
      ["Name", "Mrs. Marine Ai Upton"],
      ["Born", "1961-04-02"],
      ["Gender", "female"],
      ["Id", "p1"],
    ]);
  });

  it("reads a dose as a person would say it", () => {
    const request = {
      dosageInstruction: [
        {
          timing: { repeat: { frequency: 2, period: 1, periodUnit: "d" } },
          asNeededBoolean: true,
          doseAndRate: [{ doseQuantity: { value: 1 } }],
        },
      ],
    };
    expect(value("MedicationRequest", request, "Dosage")).toBe("1 dose, 2× every day, as needed");
  });

  it("decodes the plain text of a document, accents included", () => {
    const data = btoa(String.fromCharCode(...new TextEncoder().encode("# Détresse\n")));
    expect(
      summarise("DocumentReference", { content: [{ attachment: { contentType: "text/plain; charset=utf-8", data } }] })
        .note,
    ).toBe("# Détresse");
  });

  it("does not decode a document that is markup, nor break on what is not base64", () => {
    expect(
      summarise("DocumentReference", { content: [{ attachment: { contentType: "text/html", data: btoa("<b>") } }] })
        .note,
    ).toBeUndefined();
    expect(
      summarise("DocumentReference", { content: [{ attachment: { contentType: "text/plain", data: "***" } }] }).note,
    ).toBeUndefined();
  });

  it("shows an unknown type's own fields", () =>
    expect(value("Spaceship", { hull: "green", meta: { x: 1 } }, "hull")).toBe("green"));

  it("shows what an unknown type's objects and links say", () => {
    const ship = { dock: { lon: -102.1, lat: 31.85, datum: "NAD27" }, first_mate: { reference: "Mate/7", display: "Ann" }, crew: [{ reference: "Mate/8" }] };
    expect(value("Spaceship", ship, "dock")).toBe("lon -102.1, lat 31.85, datum NAD27");
    expect(value("Spaceship", ship, "first_mate")).toBe("Ann");
    expect(value("Spaceship", ship, "crew")).toBe("Mate/8");
  });

  // "My own agent's records show well_no and lease_line_ft." What members are called comes with the type, from the registry.
  it("calls the fields of an agent's records by their names, and others at least without their underscores", () => {
    keepRecordKinds([agentWith({ type: "Well", names: { api: "API number", well_no: "Well number", surface: "Surface location" } }, { type: "Fridge", names: { door_ft: "Width of the door (ft)" } })]);
    const well = { api: "42-329-97101", well_no: "1", surface: { lon: -102.1, lat: 31.85, datum: "NAD27" }, some_thing: "x" };
    expect(value("Well", well, "API number")).toBe("42-329-97101");
    expect(value("Well", well, "Well number")).toBe("1");
    expect(value("Well", well, "Surface location")).toBe("lon -102.1, lat 31.85, datum NAD27");
    expect(value("Well", well, "some thing")).toBe("x");
    expect(value("Fridge", { door_ft: 3 }, "Width of the door (ft)")).toBe("3");
    keepRecordKinds(undefined);
    expect(value("Fridge", { door_ft: 3 }, "door_ft")).toBe("3");
  });

  it.each<Json>([
    null,
    3,
    "x",
    [],
    { name: 7 },
    { name: [null], participant: "x", content: [3], dosageInstruction: [null] },
  ])("survives %j", (resource) => {
    for (const type of ["Patient", "Encounter", "MedicationRequest", "DocumentReference", "Appointment", "Nothing"])
      expect(() => summarise(type, resource)).not.toThrow();
  });
});

describe("links", () => {
  it("finds each record referred to once, and only those of this store", () => {
    const resource = {
      subject: { reference: "Patient/p1", display: "Mrs. Upton" },
      participant: [
        { individual: { reference: "Practitioner?identifier=x|1" } },
        { individual: { reference: "Patient/p1" } },
        { individual: { reference: "https://example.org/Patient/9" } },
      ],
      reasonReference: [{ reference: "Condition/c-1" }],
    };
    expect(links(resource)).toEqual([
      { type: "Patient", id: "p1", display: "Mrs. Upton" },
      { type: "Condition", id: "c-1", display: "" },
    ]);
  });
});

it("lists people first and unknown types last", () => {
  expect([{ type: "Zebra" }, { type: "Condition" }, { type: "Patient" }].sort(byType).map(({ type }) => type)).toEqual([
    "Patient",
    "Condition",
    "Zebra",
  ]);
});
