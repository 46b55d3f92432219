import { render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mount } from "@/inspector/mount.fixture";
import { emptyTurn } from "@/journal/view";
import { keepLanguage } from "@/text/language";
import { Bars } from "./Bars";
import { FormView } from "./FormView";
import { MapView } from "./Map";
import type { Form, SurveyMap } from "./types";

const form: Form = {
  name: "W-1", title: "Application", subject: "", layout: "as permits have it", missing: ["40: remarks"], attachments: null, assumptions: null, notes: null,
  boxes: [{ id: "2", label: "operator name", value: "MADE UP OIL", source: "", status: "filled" }, { id: "40", label: "remarks", value: "", source: "", status: "missing" }],
};
const map: SurveyMap = {
  title: "TEST RANCH 2", datum: "NAD27", verdict: "", rule: "", measured_from: "", tracts: [], unplaced: [], notes: [],
  wells: [{ ref: "Well/2", name: "TEST RANCH 2", subject: true, status: "permitted", path: [[0, 0]], measured: [[0, 0]] }, { ref: "Well/1", name: "TEST RANCH 1", status: "", path: [[1346, 0]], measured: [[1346, 0]] }],
  distances: [
    { what: "TEST RANCH 1", ref: "Well/1", from: [0, 0], to: [1346, 0], ft: 1346.3, limit_ft: 1200, state: "kept" },
    { what: "line", from: [0, 0], to: [300, 0], ft: 300.5, limit_ft: 467, state: "none", why: "fil\u202Eed" },
  ],
  as_filed: [],
};

describe("in French", () => {
  beforeEach(() => keepLanguage("fr"));
  afterEach(() => keepLanguage("en"));

  it("forms are counted and named", () => {
    const { container } = render(<FormView form={form} />);
    expect(screen.getByRole("heading", { name: "Formulaire W-1" })).toBeTruthy();
    expect(screen.getByText("1 case remplie sur 2")).toBeTruthy();
    expect(screen.getByText("1 manquante")).toBeTruthy();
    expect(screen.getByText(/^Mise en page/).textContent).toBe("Mise en page\u00a0: as permits have it");
    expect(container.querySelector("tr[data-box='40']")!.textContent).toContain("Manquante");
  });

  it("the spaces of numbers are no hidden characters on a map, and those of records are", () => {
    const { container } = render(<MapView map={map} />);
    const table = within(screen.getByRole("table", { name: "Distances qui comptent" }));
    expect(table.getAllByText("1\u202f346,3\u00a0ft", { normalizer: (text) => text })).toBeTruthy();
    expect(table.getByText(/ne compte pas/).textContent).toBe("ne compte pas\u00a0: fil⟨U+202E⟩ed");
    expect(container.querySelector("svg")!.textContent).toContain("1\u202f346,3\u00a0ft");
    expect(container.textContent).not.toMatch(/⟨U\+(00A0|202F)/);
  });

  it("budgets have the numbers of French", async () => {
    const row = { turn: "t1", budget: [{ limit: "cost", used: 10, max: 10, unit: "USD", reached: true }] };
    mount(<Bars session="s1" turn={emptyTurn("t1", "2026-11-22T10:00:00Z")} />, { "/api/sessions/s1/turns": [row] });
    expect((await screen.findByRole("meter", { name: "Coût" })).getAttribute("aria-valuetext")).toBe("10,00\u00a0$ sur 10,00\u00a0$, épuisé");
  });
});
