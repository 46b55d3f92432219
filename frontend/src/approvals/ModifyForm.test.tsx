import { cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, describe, expect, it } from "vitest";
import type { Json } from "@/api/types";
import { mount } from "@/inspector/mount.fixture";
import { fieldsOf, filled, problemOf } from "./form";
import { ModifyForm } from "./ModifyForm";

afterEach(cleanup);

const day = { type: "string", maxLength: 10, description: "YYYY-MM-DD" };
const parameters: Json = {
  type: "object",
  additionalProperties: false,
  properties: {
    reasons: { type: "array", maxItems: 2, items: { type: "string", maxLength: 160, examples: ["Unloading fluid", "Other"] } },
    granted_periods: { type: "array", maxItems: 100, items: { type: "object", additionalProperties: false, required: ["from", "to"], properties: { from: day, to: day } } },
    flares: {
      type: "array",
      items: { type: "object", additionalProperties: false, required: ["name"], properties: { name: { type: "string", maxLength: 80 }, height_ft: { type: "number", minimum: 0 }, datum: { enum: ["NAD27", "NAD83", "WGS84"] } } },
    },
    odd: { type: "object", additionalProperties: { type: "number" } },
  },
};

/** The form with what it would send, and what keeps it from being sent. */
function Asked({ args, sent }: { args: Record<string, Json>; sent(args: Record<string, Json>, problem: string): void }) {
  const [draft, setDraft] = useState<Record<string, Json | undefined>>(args);
  const fields = fieldsOf({ args, parameters, targets: [] })!;
  return (
    <>
      <ModifyForm fields={fields} args={draft} checked change={(name, value) => setDraft({ ...draft, [name]: value })} />
      <button type="button" onClick={() => sent(filled(draft, fields), fields.map((one) => problemOf(one, draft[one.name])).find(Boolean) ?? "")}>send</button>
    </>
  );
}

async function form(args: Record<string, Json>) {
  let last: { args: Record<string, Json>; problem: string } = { args: {}, problem: "" };
  render(<Asked args={args} sent={(args, problem) => { last = { args, problem }; }} />);
  const user = userEvent.setup();
  return { user, send: async () => { await user.click(screen.getByRole("button", { name: "send" })); return last; } };
}

describe("lists in a form", () => {
  it("are filled in row by row, with pickers for days and choices", async () => {
    const { user, send } = await form({});
    await user.click(screen.getByRole("button", { name: "Add to Flares" }));
    const flare = within(screen.getByRole("group", { name: "Flares 1" }));
    await user.type(flare.getByLabelText("Name"), "North flare");
    await user.type(flare.getByLabelText(/^Height ft/), "40.5");
    await user.selectOptions(flare.getByLabelText(/^Datum/), "NAD27");
    await user.click(screen.getByRole("button", { name: "Add to Granted periods" }));
    const period = within(screen.getByRole("group", { name: "Granted periods 1" }));
    fireEvent.change(period.getByLabelText("From"), { target: { value: "2026-01-01" } });
    fireEvent.change(period.getByLabelText("To"), { target: { value: "2026-01-31" } });
    expect(period.getByLabelText("From").getAttribute("type")).toBe("date");
    await user.click(screen.getByRole("button", { name: "Add to Reasons" }));
    await user.type(screen.getByLabelText("Reasons 1"), "Other");
    expect(await send()).toEqual({ problem: "", args: { flares: [{ name: "North flare", height_ft: 40.5, datum: "NAD27" }], granted_periods: [{ from: "2026-01-01", to: "2026-01-31" }], reasons: ["Other"] } });
  });

  it("lose the row that is taken out, and vanish with the last one", async () => {
    const { user, send } = await form({ flares: [{ name: "A" }, { name: "B", datum: "NAD83" }], reasons: ["Other"] });
    await user.click(screen.getByRole("button", { name: "Take out Flares 1" }));
    await user.click(screen.getByRole("button", { name: "Take out Reasons 1" }));
    expect((await send()).args).toEqual({ flares: [{ name: "B", datum: "NAD83" }] });
    await user.click(screen.getByRole("button", { name: "Take out Flares 1" }));
    expect((await send()).args).toEqual({});
  });

  it("say what a row needs, and take no more rows than they may have", async () => {
    const { user, send } = await form({ reasons: ["Other"] });
    await user.click(screen.getByRole("button", { name: "Add to Flares" }));
    expect((await send()).problem).toBe("This is needed.");
    expect(within(screen.getByRole("group", { name: "Flares 1" })).getByRole("alert").textContent).toBe("This is needed.");
    await user.click(screen.getByRole("button", { name: "Add to Reasons" }));
    // It has the focus, and keeps it.
    expect(screen.getByRole("button", { name: "Add to Reasons" }).getAttribute("aria-disabled")).toBe("true");
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Add to Reasons" }));
  });

  it("leave to JSON only what the schema does not name", () => {
    const kinds = Object.fromEntries(fieldsOf({ args: {}, parameters, targets: [] })!.map(({ name, kind }) => [name, kind]));
    expect(kinds).toEqual({ reasons: "list", granted_periods: "list", flares: "list", odd: "json" });
  });
});

// "Modify let me choose another patient, and said afterwards that this session takes none."
it("shows what the session is about, and offers no other", () => {
  const fields = fieldsOf({ args: { patient: "p-1", provider: "d-1" }, parameters: { type: "object", properties: { patient: { type: "string" }, provider: { type: "string" } } }, targets: [{ type: "Patient", id: "p-1" }, { type: "Practitioner", id: "d-1" }], fixed: ["patient"] })!;
  mount(<ModifyForm fields={fields} args={{ patient: "p-1", provider: "d-1" }} checked={false} change={() => {}} />, { "/api/records/Patient/p-1": { title: "Amara Osei" }, "/api/records/Practitioner/d-1": { title: "Dr. Okafor" } });
  expect(screen.getByText(/The session is about this record/).parentElement!.textContent).toContain("p-1");
  expect(screen.getAllByRole("button").map((button) => button.getAttribute("aria-label"))).toEqual([expect.stringContaining("Provider")]);
});
