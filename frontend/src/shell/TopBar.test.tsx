import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { mount } from "@/inspector/mount.fixture";
import { Chart } from "@/records/Chart";
import { TopBar } from "./TopBar";

const patient = { id: "p-1", name: "Ida Fir", birth_date: "1970-03-01" };
const show = (more: object) => {
  location.hash = "#/records/Patient/p-1";
  mount(<TopBar state={undefined} />, { "/api/patients/p-1": { ...patient, allergies: [], ...more }, "/api/records/Patient/p-1": { type: "Patient", id: "p-1", title: "Ida Fir", subtitle: "", version: "1", updated_at: "", resource: {}, patient: null } });
  return screen.findByText(/born/);
};
beforeEach(() => { location.hash = ""; });

// "She has an anaphylaxis to zinc. The banner said: and 24 more."
it("keeps no allergy that may endanger life behind “more”", async () => {
  const severe = Array.from({ length: 6 }, (_, index) => `Zinc anaphylaxis of kind ${index} with a long name`);
  const banner = await show({ allergies: [...severe, ...Array.from({ length: 24 }, (_, index) => `Pollen ${index}`)], severe: severe.length });
  for (const one of severe) expect(banner.textContent).toContain(one);
  expect(within(banner).getByRole("button").textContent).toBe("and 24 more");
});

it("says calmly that none is known", async () => {
  const banner = await show({ no_allergies: "No known allergy" });
  expect(banner.textContent).toContain("No known allergy");
  expect(banner.querySelector(".text-failed")).toBeNull();
});

// "Her name filled the window, and there was no way out."
it("shows of a name and an allergy without end the beginning, and the rest on demand", async () => {
  const name = "N".repeat(3000);
  const banner = await show({ name, allergies: ["Z".repeat(3000)], severe: 1 });
  const whole = screen.getByRole("group", { name: "Case" });
  expect(whole.textContent!.length).toBeLessThan(500);
  await userEvent.click(screen.getAllByRole("button", { name: "show all of it" })[0]!);
  expect(whole.textContent).toContain(name);
  await userEvent.click(screen.getByRole("button", { name: "show all of it" }));
  expect(banner.textContent).toContain("Z".repeat(3000));
  for (const box of [banner.querySelector("strong")!, screen.getByText(name, { exact: false, selector: "span.font-semibold" })]) expect(box.className).toContain("max-h-");
});

it("calls on the chart what never held by its name, and what is none no alarm", async () => {
  const line = { type: "AllergyIntolerance", past: true };
  mount(<Chart id="p-1" />, { "/api/patients/p-1/chart": { patient, problems: [], medicines: [], visits: [], notes: [], allergies: [{ ...line, past: false, id: "1", text: "No known allergy", none: true }, { ...line, id: "2", text: "Latex", untrue: "refuted" }, { ...line, id: "3", text: "Mango", untrue: "entered-in-error" }, { ...line, id: "4", text: "Milk" }] } });
  const list = await screen.findByRole("list", { name: "Allergies" });
  expect([...list.querySelectorAll("li")].map((one) => one.textContent)).toEqual(["No known allergy", "Latex (refuted)", "Mango (entered in error)", "Milk (past)"]);
  expect(list.querySelector(".text-failed")).toBeNull();
});
