import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import { mount } from "@/inspector/mount.fixture";
import { NewSession } from "@/conversation/Conversation";
import { SessionList } from "@/sessions/SessionList";
import { TopBar } from "@/shell/TopBar";
import { keepLanguage } from "@/text/language";
import { SubjectPicker } from "./SubjectPicker";
import { parseSubject, recordTitle, subjectAddress, subjectFields, subjectOf, subjectTitle, typeName } from "./subject";

describe("what a session is about", () => {
  it("is read from its type and id, and from a patient's id alone", () => {
    expect(parseSubject("Well/42-013")).toEqual({ type: "Well", id: "42-013" });
    expect(parseSubject("p-1")).toEqual({ type: "Patient", id: "p-1" });
    for (const wrong of ["", "well/1", "Well/", "Well/1/2", "Well/<b>", undefined]) expect(parseSubject(wrong)).toBeNull();
  });

  it("is the subject that the API names, else the patient of the session or of the turn", () => {
    expect(subjectOf({ subject: "Well/7", patient: "p-1" })).toEqual({ type: "Well", id: "7" });
    expect(subjectOf({ patient: "p-1" })).toEqual({ type: "Patient", id: "p-1" });
    expect(subjectOf({ vars: { patient: "p-2" } })).toEqual({ type: "Patient", id: "p-2" });
    expect(subjectOf({ patient: { id: "p-3", name: "A" } })).toEqual({ type: "Patient", id: "p-3" });
    expect(subjectOf({ patient: "" })).toBeNull();
  });

  it("is called by its title, else by its kind and id", () => {
    expect(subjectTitle({ subject: "Well/7", subject_title: "Permian 7H" })).toBe("Permian 7H");
    expect(subjectTitle({ patient: "p-1", patient_name: "Amara Osei" })).toBe("Amara Osei");
    expect(subjectTitle({ subject: "GasLease/7" })).toBe("gas lease 7");
    expect(subjectTitle({})).toBe("");
    expect(typeName("MedicationRequest")).toBe("medication request");
  });

  it("survives an address", () => {
    for (const subject of [{ type: "Patient", id: "p-1" }, { type: "Well", id: "7" }]) expect(parseSubject(subjectAddress(subject))).toEqual(subject);
  });

  it("is sent by the field that the API has for it", () => {
    expect(subjectFields({ type: "Patient", id: "p-1" })).toEqual({ patient: "p-1" });
    expect(subjectFields({ type: "Well", id: "7" })).toEqual({ subject: "Well/7" });
    expect(subjectFields(null)).toEqual({});
  });
});

const row = { version: "1", type: "Well", id: "7", title: "Permian 7H", subtitle: "Lea County", updated_at: "2026-03-01T09:00:00Z" };
const answers = {
  "/api/agents": [{ id: "filer", title: "Filer", description: "", subjects: ["Well", "Patient"] }],
  "/api/patients": { patients: [], total: 0, next: "" },
  "/api/records/Well": { records: [row], next: "" },
  "/api/records/Well/7": { ...row, resource: {}, patient: null },
};

describe("a new session about a well", () => {
  beforeEach(() => {
    location.hash = "";
    sessionStorage.clear();
  });

  it("lets me pick the well, shows it in the case banner and sends it", async () => {
    const { calls, unmount } = mount(<NewSession subject={null} />, answers);
    await userEvent.selectOptions(await screen.findByRole("combobox", { name: "Kind of record" }), "Well");
    await userEvent.click(await screen.findByRole("option", { name: /Permian 7H/ }));
    expect(location.hash).toBe("#/sessions/new/Well%2F7");
    expect(calls).toEqual([]);
    unmount();
    const { calls: sent } = mount(<><TopBar state={undefined} /><NewSession subject={{ type: "Well", id: "7" }} /></>, answers);
    expect(await screen.findByText("Permian 7H", { selector: "header *" })).toBeTruthy();
    await userEvent.type(screen.getByRole("textbox", { name: "Message" }), "What is due?{Enter}");
    expect(sent[0]).toMatchObject({ name: "send", body: { agent: "filer", subject: "Well/7", text: "What is due?" } });
    expect(sent[0]!.body).not.toHaveProperty("patient");
  });
});

describe("where there is no subject", () => {
  beforeEach(() => {
    location.hash = "";
    sessionStorage.clear();
  });

  it("the case banner and the rows of sessions say so", async () => {
    const session = { id: "s-1", title: "A question", agent: "a", turns: 1, status: "completed", approvals: 0, created_at: "2026-03-01T09:00:00Z", updated_at: "2026-03-01T09:00:00Z" };
    mount(<><TopBar state={undefined} /><SessionList chosen="" /></>, { "/api/sessions": { sessions: [session], next: "" } });
    expect((await screen.findByRole("link", { name: /A question/ })).textContent).toContain("No record chosen");
    expect(screen.getByRole("group", { name: "Case" }).textContent).toBe("No record chosen");
  });
});

describe("the picker of patients", () => {
  const all = Array.from({ length: 130 }, (_, i) => ({ id: `p${i}`, name: `Amara Okafor ${i}`, birth_date: "1980-01-02", gender: "female", age: 46 }));
  const people = (path: string) => {
    const query = new URLSearchParams(path.split("?")[1]);
    const found = all.filter(({ name }) => name.includes(query.get("search") ?? ""));
    const patients = found.slice(0, Number(query.get("limit")));
    return { patients, total: found.length, next: patients.length < found.length ? patients.at(-1)!.id : "" };
  };

  it("says how many it does not show, shows more, and finds the last one by name", async () => {
    mount(<SubjectPicker types={["Patient"]} subject={null} onPick={() => {}} />, { "/api/patients": people });
    expect(await screen.findByText(/50 of 130 are shown/)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Show more" }));
    expect(await screen.findByText(/100 of 130 are shown/)).toBeTruthy();
    expect(await screen.findAllByRole("option")).toHaveLength(100);
    await userEvent.type(screen.getByRole("combobox"), "129");
    expect((await screen.findByRole("option", { name: /Okafor 129/ })).textContent).toContain("1980-01-02");
    expect(screen.queryByText(/are shown/)).toBeNull();
  });

  // "There were no patients, and it told me to go somewhere else without a way there."
  it("leads to the records where there is nobody to choose", async () => {
    mount(<SubjectPicker types={["Patient"]} subject={null} onPick={() => {}} />, { "/api/patients": { patients: [], total: 0, next: "" } });
    expect((await screen.findByRole("link", { name: "on the Records screen" })).getAttribute("href")).toBe("#/records");
  });

  // "I typed the name, pressed Enter, and had the chart of the patient who stood there before."
  it("chooses nobody of the search before while the next one is on its way", async () => {
    let answer = () => {};
    const picked: (string | undefined)[] = [];
    const slow = (path: string) => (path.includes("search=129") ? new Promise((found) => { answer = () => found(people(path)); }) : people(path));
    mount(<SubjectPicker types={["Patient"]} subject={null} onPick={(subject) => picked.push(subject?.id)} />, { "/api/patients": slow });
    await screen.findByText(/50 of 130 are shown/);
    await userEvent.type(screen.getByRole("combobox"), "129{Enter}{ArrowDown}{Enter}");
    expect(picked).toEqual([]);
    expect(screen.getByRole("listbox").getAttribute("aria-busy")).toBe("true");
    answer();
    await waitFor(() => expect(screen.getByRole("listbox").getAttribute("aria-busy")).toBe("false"));
    await userEvent.keyboard("{Enter}");
    expect(picked).toEqual(["p129"]);
  });
});

// « Dans la liste des dossiers : “Tuesday 1 December 2026 at…”, “Practitioner”, “Slot”. »
it("says a record's title that is the program's in the language of the screens, and leaves names as they are", () => {
  keepLanguage("fr");
  try {
    expect(recordTitle("Appointment", "Tuesday 1 December 2026 at 09:30 UTC")).toBe("mardi 1er décembre 2026 à 09:30 UTC");
    expect([recordTitle("Practitioner", "Practitioner"), recordTitle("Slot", "Slot")].join()).not.toMatch(/Practitioner|Slot/);
    expect(recordTitle("Patient", "Slot")).toBe("Slot");
    expect(recordTitle("Patient", "Amara Osei")).toBe("Amara Osei");
  } finally {
    keepLanguage("en");
  }
});

// "With somebody's last session goes what they agreed to: whose, and what?" It is said plainly, and only of agents that ask.
it("says what is deleted with a person's last session, where an agent keeps it", async () => {
  const row = (agent: string) => ({ id: agent, title: agent, agent, turns: 1, status: "completed", approvals: 0, created_at: "2026-01-01T10:00:00Z", updated_at: "2026-01-01T10:00:00Z" });
  mount(<SessionList chosen="" />, { "/api/sessions": { sessions: [row("companion"), row("navigator")], next: "" }, "/api/agents": [{ id: "companion", title: "Companion", cards: true }, { id: "navigator", title: "Navigator" }], "/api/state": {}, "/api/settings": {} });
  for (const [agent, told] of [["companion", true], ["navigator", false]] as const) {
    await userEvent.click(await screen.findByRole("button", { name: `Delete ${agent}` }));
    if (told) expect(await screen.findByText(/If this is their last one, both are deleted/)).toBeTruthy();
    else expect(screen.queryByText(/If this is their last one/)).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Keep it" }));
  }
});
