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
  title: "TEST RANCH 2", datum: "NAD27", verdict: "", rule: "", measured_from: "", areas: [], unplaced: [], notes: [],
  features: [{ ref: "Well/2", name: "TEST RANCH 2", subject: true, path: [[0, 0]], measured: [[0, 0]] }, { ref: "Well/1", name: "TEST RANCH 1", path: [[1346, 0]], measured: [[1346, 0]] }],
  distances: [
    { what: "TEST RANCH 1", ref: "Well/1", from: [0, 0], to: [1346, 0], ft: 1346.3, limit_ft: 1200, state: "kept" },
    { what: "nearest lease line", from: [0, 0], to: [300, 0], ft: 300.5, limit_ft: 467, state: "none", why: "fil\u202Eed" },
  ],
  as_filed: [],
  legend: { subject: "this well", other: "another well", path: "path of the bore", confirmed: "lease lines, confirmed", unconfirmed: "lease lines, not confirmed", whole: "Whole lease", near: "Near the well" },
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

  // "I chose French, and half of the form was English."
  it("labels, sources, notes and what a form is built on are French, and what stands in a box stays", () => {
    const text = (one: HTMLElement) => one.textContent!.replace(/[\u00a0\u202f]/g, " ");
    const { container } = render(<FormView sources form={{ ...form, title: "Application for exception to Statewide Rule 32",
      attachments: ["fee"], notes: ["beyond 45 days further documents are asked for"],
      assumptions: ["An exception under 3.37(h)(2)(B) is granted on waivers. (waivers; general knowledge; to be confirmed by a person)"],
      boxes: [
        { id: "4", label: "lease name", value: "block", source: "Well/1, permits.csv, permit 911509 (sequence 99)", status: "filled" },
        { id: "20", label: "distance to the nearest lease line", value: "310", unit: "ft", source: "computed from coordinates (NAD83, a.geojson, not confirmed to be the lease's lines); the plat governs", status: "filled", note: "from coordinates 310 ft from the surface location" },
        { id: "37", label: "Rule 37 exception: why it is needed", value: "", source: "", status: "missing", note: "No verdict by 16 TAC 3.37(a)(1), statewide. Not decided: nobody has confirmed that the lines at hand are the lease's; they are shown and decide nothing (where they are its legal ones, import the map again with boundary_confirmed = Y); the take points are not known, so the line from surface to bottom hole stands for them and decides nothing; the lease's lines are not known. By the distances on the permit (permits.csv, permit 911509 (sequence 99)) an exception is required: lease line 102 ft, limit 467 ft." },
      ] }} />);
    const all = text(container);
    for (const part of ["Demande de dérogation", "Nom de la concession", "block", "Distance à la limite de concession", "permis 911509 (rang 99)", "calculé à partir des coordonnées", "depuis : emplacement en surface", "Pas de verdict selon 16 TAC 3.37(a)(1), pour tout l’État",
      "elles sont montrées et ne tranchent rien", "les points de prélèvement ne sont pas connus", "les limites de la concession ne sont pas connues", "limite de concession à 102 ft, au moins 467 ft", "droits", "au-delà de 45 jours", "à confirmer par une personne", "accordée sur renonciations"])
      expect(all).toContain(part);
    for (const english of ["lease name", "not known", "sequence", "computed", "Missing", "needed", "⟨U+"]) expect(all).not.toContain(english);
  });

  it("the spaces of numbers are no hidden characters on a map, and those of records are", () => {
    const { container } = render(<MapView map={map} />);
    const table = within(screen.getByRole("table", { name: "Distances qui comptent" }));
    expect(table.getAllByText("1\u202f346,3\u00a0ft", { normalizer: (text) => text })).toBeTruthy();
    expect(table.getByText(/ne compte pas/).textContent).toBe("ne compte pas\u00a0: fil⟨U+202E⟩ed");
    expect(container.querySelector("svg")!.textContent).toContain("1\u202f346,3\u00a0ft");
    expect(container.textContent).not.toMatch(/⟨U\+(00A0|202F)/);
  });

  // "The map's legend is in English, and names wells where trees are drawn."
  it("the signs of a map go by the agent's words", () => {
    const { container } = render(<MapView map={{ ...map, legend: { ...map.legend, other: "another tree" } }} />);
    for (const part of ["ce puits", "another tree", "Limite de concession la plus proche"]) expect(container.textContent).toContain(part);
  });

  it("budgets have the numbers of French", async () => {
    const row = { turn: "t1", budget: [{ limit: "cost", used: 10, max: 10, unit: "USD", reached: true }] };
    mount(<Bars session="s1" turn={emptyTurn("t1", "2026-11-22T10:00:00Z")} />, { "/api/sessions/s1/turns": [row] });
    expect((await screen.findByRole("meter", { name: "Coût" })).getAttribute("aria-valuetext")).toBe("10,00\u00a0$ sur 10,00\u00a0$, épuisé");
  });
});
