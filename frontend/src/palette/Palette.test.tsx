import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import { mount } from "@/inspector/mount.fixture";
import { setUi, useUi } from "@/shell/ui";
import { keepLanguage } from "@/text/language";
import { fits, Palette } from "./Palette";

const answers = {
  "/api/state": { practice: false },
  "/api/settings": { theme: "light" },
  "/api/approvals": { approvals: [{ id: "a1", title: "Book Dr. Simonis" }], unknown: [] },
  "/api/sessions": { sessions: [{ id: "s9", title: "Back pain" }] },
  "/api/patients": { patients: [{ id: "p1", name: "Marine Upton", birth_date: "1961", gender: "female" }], total: 12, next: "p1" },
};
const show = (more = {}) => mount(<Palette open onOpenChange={() => {}} />, { ...answers, ...more });

beforeEach(() => {
  location.hash = "";
  setUi({ exporting: null, help: false });
});

describe("the palette", () => {
  it("goes to the next approval", async () => {
    show();
    await userEvent.click(await screen.findByText("Next approval: Book Dr. Simonis"));
    await waitFor(() => expect(location.hash).toBe("#/approvals/a1"));
  });

  it("finds a screen by another word and goes there with Enter", async () => {
    show();
    await userEvent.type(screen.getByRole("combobox"), "gguf{Enter}");
    await waitFor(() => expect(location.hash).toBe("#/models"));
  });

  it("finds sessions and patients by what the server finds", async () => {
    show();
    await userEvent.type(screen.getByRole("combobox"), "mar");
    expect(await screen.findByText("Back pain")).toBeTruthy();
    expect(await screen.findByText("11 more have this in their name: type more of it.")).toBeTruthy();
    await userEvent.click((await screen.findAllByText("Marine Upton"))[0]!); // the chart
    await waitFor(() => expect(location.hash).toBe("#/records/Patient/p1"));
  });

  // "The palette said that nothing is called TEST RANCH, with that well's name in the list behind it."
  it("finds records of other types, opens one, and begins a session about it", async () => {
    const rows = [{ type: "Well", id: "w1", title: "TEST RANCH 1", subtitle: "Made Up Oil" }, { type: "Location", id: "l1", title: "Test ranch office", subtitle: "" }];
    const more = { "/api/sessions": { sessions: null }, "/api/patients": { patients: [], total: 0, next: "" }, "/api/agents": [{ id: "filing", title: "Filing", subjects: ["Well"] }], "/api/titles": { records: rows, more: true } };
    const first = show(more);
    await userEvent.type(screen.getByRole("combobox"), "test ranch");
    expect(await screen.findAllByText("TEST RANCH 1")).toHaveLength(2); // the record, and a session about it
    expect(screen.getAllByText("Test ranch office")).toHaveLength(1); // no agent takes it
    expect(screen.getByText(/More may have this in their title/)).toBeTruthy();
    expect(screen.queryByText(/Nothing here is called/)).toBeNull();
    await userEvent.keyboard("{Enter}");
    await waitFor(() => expect(location.hash).toBe("#/records/Well/w1"));
    first.unmount();
    show(more);
    await userEvent.type(screen.getByRole("combobox"), "test ranch");
    await userEvent.click((await screen.findAllByText("TEST RANCH 1"))[1]!);
    await waitFor(() => expect(location.hash).toBe("#/sessions/new/Well%2Fw1"));
  });

  // "I typed a patient's name and Enter, and it changed the colours."
  it("takes Enter for the one who was searched, not for a command with the same letters in it", async () => {
    show({ "/api/sessions": { sessions: null }, "/api/patients": { patients: [{ id: "p2", name: "Ann Lest\nPaid: yes" }], total: 1, next: "" } });
    await userEvent.type(screen.getByRole("combobox"), "ann lest");
    expect(await screen.findAllByText("Ann Lest⟨U+000A⟩Paid: yes")).toHaveLength(2);
    expect(screen.queryByText(/^Colours/)).toBeNull();
    await userEvent.keyboard("{Enter}");
    await waitFor(() => expect(location.hash).toBe("#/records/Patient/p2"));
  });

  it("takes a command by the beginnings of its words, in any order, with or without accents", () => {
    expect(fits("New session Ctrl N", "sess new", ["start conversation"])).toBeGreaterThan(0);
    expect(fits("Préférences", "pref")).toBe(1);
    expect(fits("Colours: as the system → light", "ann", ["dark light theme"])).toBe(0);
    expect(fits("New session Ctrl N", "…", [""])).toBe(0);
  });

  it("begins a session about a patient", async () => {
    show();
    await userEvent.type(screen.getByRole("combobox"), "mar");
    const [, about] = await screen.findAllByText("Marine Upton");
    await userEvent.click(about!);
    await waitFor(() => expect(location.hash).toBe("#/sessions/new/p1"));
  });

  it("exports only where a session is open", async () => {
    location.hash = "#/sessions/s9";
    show();
    await userEvent.click(await screen.findByText("Export this session"));
    await waitFor(() => expect(useUi.getState().exporting).toBe("s9"));
  });

  it("switches colours and practice mode through calls", async () => {
    const { calls } = show();
    await userEvent.click(await screen.findByText("Turn practice mode on"));
    await waitFor(() => expect(calls).toEqual([{ name: "set_practice", body: { on: true } }]));
    await userEvent.click(await screen.findByText("Colours: light → dark"));
    await waitFor(() => expect(calls[1]).toEqual({ name: "set_setting", body: { key: "theme", value: "dark" } }));
  });

  it("says when nothing matches", async () => {
    show({ "/api/sessions": { sessions: null }, "/api/patients": { patients: [], total: 0, next: "" } });
    await userEvent.type(screen.getByRole("combobox"), "zzzz");
    expect(await screen.findByText(/Nothing here is called/)).toBeTruthy();
  });
});

// "It said ‘Dépôt: Rule 37 : dérogation’, with the one colon like this and the other like that."
describe("the palette in French", () => {
  it("writes who answers with a French colon", async () => {
    keepLanguage("fr");
    try {
      show({ "/api/agents": [{ id: "filing", title: "Filing", patterns: [{ id: "rule37", title: "Rule 37: spacing exception", description: "" }, { id: "rule32", title: "Rule 32: flaring exception", description: "" }] }] });
      await screen.findByText(/d’espacement/);
      expect(document.body.textContent).toContain("Dépôt\u00a0: Rule 37\u00a0: dérogation d’espacement");
    } finally {
      keepLanguage("en");
    }
  });
});
