import { render, screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { MapView } from "./Map";
import { placeLabels, planOf, scaleBar } from "./plan";
import type { SurveyMap } from "./types";

const map: SurveyMap = {
  title: "TEST RANCH 2", datum: "NAD27", verdict: "An exception is required.", rule: "16 TAC 3.37(a)(1)", measured_from: "surface location",
  areas: [{ ref: "Lease/a", name: "TEST RANCH", confirmed: true, source: "a plat", rings: [[[-2000, -2000], [300, -2000], [300, 2000], [-2000, 2000], [-2000, -2000]]] }],
  features: [
    { ref: "Well/42-329-97102", name: "TEST RANCH 2", subject: true, path: [[0, 0]], measured: [[0, 0]] },
    { ref: "Well/42-329-97101", name: "TEST RANCH 1", former: true, path: [[-1300, -350]], measured: [[-1300, -350]] },
  ],
  distances: [
    { what: "nearest lease line", from: [0, 0], to: [300, 0], ft: 300, limit_ft: 467, state: "short" },
    { what: "TEST RANCH 1", ref: "Well/42-329-97101", from: [0, 0], to: [-1300, -350], ft: 1346.3, state: "none", why: "plugged" },
  ],
  as_filed: [{ what: "nearest well", ft: 900, source: "permits.csv" }],
  unplaced: ["NEXT DOOR: its places are in NAD83"],
  notes: [],
  legend: { subject: "this well", other: "another well", path: "path of the bore", confirmed: "lease lines, confirmed", unconfirmed: "lease lines, not confirmed", whole: "Whole lease", near: "Near the well" },
};

describe("the map", () => {
  it("has all its distances as a table, with how they stand in words", () => {
    render(<MapView map={map} />);
    const table = screen.getByRole("table", { name: "Distances that matter" });
    expect(within(table).getByRole("row", { name: "Nearest lease line 300 ft at least 467 ft too short by 167 ft" })).toBeTruthy();
    expect(within(table).getByText("does not count: plugged")).toBeTruthy();
    expect(within(table).getByRole("link", { name: "TEST RANCH 1" }).getAttribute("href")).toBe("#/records/Well/42-329-97101");
    expect(screen.getByRole("table", { name: "As filed on the permit" }).textContent).toContain("900 ft");
    expect(screen.getByText(/its places are in NAD83/)).toBeTruthy();
    expect(screen.getByRole("img").getAttribute("aria-label")).toContain("Nearest lease line: 300 ft, too short by 167 ft.");
  });

  // "There are dotted lines between the wells, and none says how long it is."
  it("writes each distance at its line, also those that do not count", () => {
    const { container } = render(<MapView map={map} />);
    const labels = [...container.querySelectorAll("[data-label]")].map((one) => one.textContent);
    expect(labels.some((text) => text?.startsWith("300 ft"))).toBe(true);
    expect(labels).toContain("1,346.3 ft");
  });

  it("says so where no place is known", () => {
    render(<MapView map={{ ...map, features: [], areas: [], distances: [], as_filed: [] }} />);
    expect(screen.getByText(/nothing to draw/)).toBeTruthy();
    expect(screen.queryByRole("img")).toBeNull();
  });

  it.each([270, 640, 1200])("shows everything at %i px, north up, with a bar that is as long as it says", (width) => {
    const plan = planOf(map, width);
    for (const point of [...map.areas[0]!.rings[0]!, ...map.features.flatMap(({ path }) => path)]) {
      const [x, y] = plan.at(point);
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x).toBeLessThanOrEqual(plan.width);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y).toBeLessThanOrEqual(plan.height);
    }
    expect(plan.at([0, 100])[1]).toBeLessThan(plan.at([0, 0])[1]);
    expect(plan.at([100, 0])[0]).toBeGreaterThan(plan.at([0, 0])[0]);
    const bar = scaleBar(plan);
    expect(String(bar)).toMatch(/^[125]0*$/);
    expect(bar * plan.scale).toBeLessThanOrEqual(width / 4);
  });

  it("puts no label on another, on a mark or over the edge, and leaves out what has no room", () => {
    const sheet = { width: 300, height: 120 };
    const mark = { x: 140, y: 50, w: 16, h: 16 };
    const labels = placeLabels(Array.from({ length: 40 }, (_, i) => ({ text: `WELL ${i}`, anchor: [148, 58] as [number, number] })), [mark], sheet);
    expect(labels.length).toBeGreaterThan(3);
    expect(labels.length).toBeLessThan(40);
    const meet = (a: { x: number; y: number; w: number; h: number }, b: typeof a) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
    labels.forEach((a, i) => {
      expect(meet(a, mark)).toBe(false);
      expect(a.x >= 0 && a.y >= 0 && a.x + a.w <= sheet.width && a.y + a.h <= sheet.height).toBe(true);
      for (const b of labels.slice(i + 1)) expect(meet(a, b)).toBe(false);
    });
  });
});
