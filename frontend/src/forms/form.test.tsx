import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import type { Json } from "@/api/types";
import { onRecordKinds } from "@/records/kinds.fixture";
import { Boxes } from "./Boxes";
import { recordsOf } from "./changed";
import { FormView } from "./FormView";
import type { Form } from "./types";

onRecordKinds({ type: "Well", map: true }, { type: "Operator" });

const form: Form = {
  name: "W-1", title: "Application for permit to drill", subject: "Well/42-329-97102 TEST RANCH 2", layout: "as approved permits have it",
  boxes: [
    { id: "1", label: "operator number", value: "970100", source: "Operator/made-up-oil-inc, permits.csv", status: "filled" },
    { id: "8", label: "total depth", value: "9000", unit: "ft", source: "permits.csv", status: "filled" },
    { id: "24a", label: "unitization docket", value: "", source: "", status: "not applicable", note: "only for a unitized tract" },
    { id: "40", label: "remarks", value: "", source: "", status: "missing" },
  ],
  missing: ["40: remarks"], attachments: ["plat"], assumptions: null, notes: null,
};
const after: Form = { ...form, boxes: form.boxes.map((box) => (box.id === "40" ? { ...box, value: "pad <b>shared</b>", source: "given: letter", status: "filled" as const } : box)), missing: [] };
const row = (container: HTMLElement, id: string) => container.querySelector<HTMLElement>(`tr[data-box="${id}"]`)!;

describe("a form", () => {
  it("shows every box, says what is missing and leads to its records", async () => {
    const { container } = render(<FormView form={form} sources />);
    expect(container.querySelectorAll("tr[data-box]")).toHaveLength(4);
    expect(row(container, "8").textContent).toContain("9000 ft");
    expect(row(container, "40").textContent).toContain("Missing");
    expect(row(container, "24a").textContent).toContain("Not applicable");
    expect(within(row(container, "1")).getByRole("link", { name: "Operator/made-up-oil-inc" }).getAttribute("href")).toBe("#/records/Operator/made-up-oil-inc");
    expect(screen.getByText("2 of 4 boxes filled")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Missing 1" }));
    expect([...container.querySelectorAll("tr[data-box]")].map((one) => one.getAttribute("data-box"))).toEqual(["40"]);
    expect(recordsOf(form)).toEqual([["Well", "42-329-97102"], ["Operator", "made-up-oil-inc"]]);
  });

  it("tells where a value is from once somebody gets there by keyboard", async () => {
    render(<FormView form={form} />);
    expect(screen.queryByText(/made-up-oil-inc, permits.csv/)).toBeNull();
    screen.getByRole("button", { name: "Source of operator number" }).focus();
    expect((await screen.findByRole("tooltip")).textContent).toContain("Operator/made-up-oil-inc, permits.csv");
  });

  it("begins with what a reviewer changed, before and after, as plain text", async () => {
    const { container } = render(<FormView form={after} before={form} />);
    expect(container.querySelectorAll("tr[data-box]")).toHaveLength(1);
    expect(row(container, "40").textContent).toContain("before: Missing");
    expect(row(container, "40").textContent).toContain("now: pad <b>shared</b>given: letter");
    expect(container.querySelector("b")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "All 4" }));
    expect(container.querySelectorAll("tr[data-box]")).toHaveLength(4);
  });

  it("is filled in box by box, each value with its source, and one can be taken out again", async () => {
    let now: Json | undefined;
    function Editor() {
      const [value, setValue] = useState<Json | undefined>(undefined);
      now = value;
      return <Boxes form={form} value={value} change={setValue} />;
    }
    render(<Editor />);
    await userEvent.selectOptions(screen.getByLabelText("Fill in a box"), "40");
    await userEvent.type(screen.getByLabelText("remarks: value"), "shared");
    expect(screen.getByText("Say where it is from.")).toBeTruthy();
    await userEvent.type(screen.getByLabelText("remarks: source"), "letter");
    expect(now).toEqual([{ box: "40", value: "shared", source: "letter" }]);
    expect(within(screen.getByLabelText("Fill in a box")).queryByRole("option", { name: "40 remarks" })).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Take remarks out" }));
    expect(now).toBeUndefined();
  });
});
