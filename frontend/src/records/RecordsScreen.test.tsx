import { fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { mount } from "@/inspector/mount.fixture";
import { keepRecordKinds } from "./kinds";
import { agentWith } from "./kinds.fixture";
import { RecordsScreen } from "./RecordsScreen";

const now = new Date().toISOString();
const row = {
  type: "Patient",
  id: "p1",
  title: "Marine Upton",
  subtitle: "born 1961",
  updated_at: now,
  version: "abc",
};
const answers = {
  "/api/records": [
    { type: "Condition", count: 555 },
    { type: "Patient", count: 13 },
  ],
  "/api/records/Patient": (path: string) => (path.includes("after=p1") ? { records: [{ ...row, id: "p2", title: "Nora Vale" }], next: "" } : { records: [row], next: "p1" }),
  "/api/records/Patient/p1": {
    ...row,
    resource: { resourceType: "Patient", id: "p1", gender: "female", note: "<script>x</script>" },
    patient: null,
  },
  "/api/jobs": [],
};

describe("the records", () => {
  it("offer the sample clinic while there are none", async () => {
    const { calls } = mount(<RecordsScreen type="" id="" />, { "/api/records": [], "/api/jobs": null });
    await userEvent.click(await screen.findByRole("button", { name: "Load the sample clinic" }));
    expect(calls).toEqual([{ name: "import_sample", body: {} }]);
  });

  it("begin with the patients and read the next page from where the last ended", async () => {
    const { reads } = mount(<RecordsScreen type="" id="" />, answers);
    expect((await screen.findByRole("link", { name: /Patients/ })).getAttribute("aria-current")).toBe("page");
    await userEvent.click(await screen.findByRole("button", { name: "Show more" }));
    expect(reads.some((path) => path.startsWith("/api/records/Patient?") && path.includes("after=p1"))).toBe(true);
    await screen.findByText("Nora Vale");
    expect(screen.getAllByText("Marine Upton")).toHaveLength(1);
  });

  it("search on the server", async () => {
    const { reads } = mount(<RecordsScreen type="Patient" id="" />, answers);
    fireEvent.change(await screen.findByRole("searchbox"), { target: { value: "upton & co" } });
    await screen.findByText("Marine Upton");
    expect(reads.some((path) => path.includes("search=upton%20%26%20co"))).toBe(true);
  });

  it("show a record's fields, its JSON as text, and begin a session about its patient", async () => {
    const { container } = mount(<RecordsScreen type="Patient" id="p1" />, answers);
    expect(await screen.findByText("female")).toBeTruthy();
    expect(container.querySelector("script")).toBeNull();
    expect(screen.getByLabelText("The record as JSON").textContent).toContain("<script>x</script>");
    await userEvent.click(screen.getByRole("button", { name: "New session about this patient" }));
    expect(location.hash).toBe("#/sessions/new/p1");
  });

  // "What I added for her stands nowhere on her page."
  it("show on a patient's page also what refers to them and is in no list of the chart", async () => {
    mount(<RecordsScreen type="Patient" id="p1" />, {
      ...answers,
      "/api/patients/p1/chart": { patient: { id: "p1" }, allergies: [], problems: [{ type: "Condition", id: "c1", text: "Asthma" }], medicines: [], visits: [], notes: [] },
      "/api/records/Patient/p1/linked": [
        { type: "Condition", count: 1, records: [{ type: "Condition", id: "c1", title: "Asthma", subtitle: "", updated_at: now, version: "v" }] },
        { type: "HomeMedicine", count: 1, records: [{ type: "HomeMedicine", id: "h1", title: "Paracetamol at home", subtitle: "", updated_at: now, version: "v" }] },
      ],
    });
    expect((await screen.findByRole("link", { name: /Paracetamol at home/ })).getAttribute("href")).toContain("HomeMedicine");
    expect(screen.getAllByRole("link", { name: /Asthma/ })).toHaveLength(1);
  });

  it("show what refers to a record that is no patient", async () => {
    const lease = { type: "Lease", id: "l-1", title: "Colt 28", subtitle: "", updated_at: now, version: "abc" };
    mount(<RecordsScreen type="Lease" id="l-1" />, {
      ...answers,
      "/api/records/Lease": { records: [lease], next: "" },
      "/api/records/Lease/l-1": { ...lease, resource: { resourceType: "Lease", id: "l-1", district: "08" }, patient: null },
      "/api/records/Lease/l-1/linked": [{ type: "Well", count: 60, records: [{ ...lease, type: "Well", id: "w-1", title: "Colt 28 1H", subtitle: "permitted" }] }],
    });
    expect((await screen.findByRole("link", { name: /Colt 28 1H/ })).getAttribute("href")).toBe("#/records/Well/w-1");
    expect(screen.getByText("59 more are under Records.")).toBeTruthy();
  });

  // "The list of my wells is called Well."
  it("head lists with the plural that the agent gives for the type", async () => {
    const well = { type: "GasWell", id: "w-1", title: "Colt 28 1H", subtitle: "", updated_at: now, version: "abc" };
    keepRecordKinds([agentWith({ type: "GasWell", plural: "Gas wells" })]);
    mount(<RecordsScreen type="GasWell" id="" />, {
      ...answers,
      "/api/records": [{ type: "GasWell", count: 1 }, { type: "GasLease", count: 2 }],
      "/api/records/GasWell": { records: [well], next: "" },
    });
    expect(await screen.findByRole("region", { name: "Gas wells" })).toBeTruthy();
    expect(screen.getByRole("link", { name: /^Gas wells/ })).toBeTruthy();
    expect(screen.getByRole("link", { name: /^Gas lease/ })).toBeTruthy();
    keepRecordKinds(undefined);
  });

  it("upload the chosen file and name the lines that were not taken", async () => {
    const files: string[] = [];
    const done = {
      id: "j",
      kind: "import_records",
      title: "clinic.ndjson",
      status: "done",
      done: 2,
      total: 2,
      unit: "lines",
      started_at: now,
      result: { types: [], total: { failed: 1 }, errors: [{ file: "clinic.ndjson", line: 2, error: "not JSON" }] },
    };
    mount(
      <RecordsScreen type="" id="" />,
      { ...answers, "/api/jobs": [done] },
      {
        upload: async (kind, file) => {
          files.push(`${kind} ${file.name}`);
          return { job: "j" };
        },
      },
    );
    expect((await screen.findByLabelText("Lines that were not taken")).textContent).toContain(
      "clinic.ndjson line 2: not JSON",
    );
    await userEvent.upload(screen.getByLabelText("Records file"), new File(["{}"], "clinic.ndjson"));
    expect(files).toEqual(["records clinic.ndjson"]);
    await userEvent.click(screen.getByRole("button", { name: "Put away: clinic.ndjson" }));
    expect(screen.queryByLabelText("Lines that were not taken")).toBeNull();
  });
});
