import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { Approval } from "@/api/types";
import { ApprovalCard } from "@/approvals/ApprovalCard";
import { mount } from "@/inspector/mount.fixture";
import type { Form } from "./types";

const form: Form = {
  name: "W-1", title: "Application", subject: "Well/1", layout: "", missing: ["40: remarks"], attachments: null, assumptions: null, notes: null,
  boxes: [{ id: "2", label: "operator name", value: "MADE UP OIL", source: "permits.csv", status: "filled" }, { id: "40", label: "remarks", value: "", source: "", status: "missing" }],
};
const approval: Approval = {
  id: "a1", session: "s1", turn: "t1", call: "c1", tool: "rule37_filing_assembly", args: { well: "Well/1" }, targets: [], policy_version: "filing-gate/1", digest: "sha256:1", status: "pending",
  title: "Sign Form W-1", changes: [{ ref: { type: "Filing", id: "w-1" }, before: null, after: { layout: "inner", boxes: [] } }], requested_at: new Date().toISOString(),
  expires_at: new Date(Date.now() + 6e7).toISOString(), for: { role: "engineer" }, may_decide: "a person with the role engineer", nonce: "n1", form,
};
const answers = { "/api/approvals/a1": approval, "/api/state": { reviewer: "pat  analyst" }, "/api/people": { people: [{ name: "Pat Analyst", roles: ["engineer"], signs: true }] } };

describe("the card of a form", () => {
  it("shows the boxes with their labels, and the names inside only on demand", async () => {
    mount(<ApprovalCard id="a1" />, answers);
    expect((await screen.findByRole("rowheader", { name: "Operator name" })).closest("tr")!.textContent).toContain("MADE UP OIL");
    expect(screen.queryByRole("region", { name: "In words" })).toBeNull();
    expect((screen.getByText("The same as it will be stored, with the names inside").closest("details") as HTMLDetailsElement).open).toBe(false);
    expect(screen.getByText("a person with the role engineer")).toBeTruthy();
  });

  it("asks who signs for their passphrase before anything is sent, and passes on to somebody else", async () => {
    const { calls } = mount(<ApprovalCard id="a1" />, answers);
    const bar = within(await screen.findByRole("group", { name: "Decide" }));
    await userEvent.type(await bar.findByLabelText("Passphrase"), "blue pump");
    await userEvent.click(bar.getByRole("button", { name: "Pass on…" }));
    await userEvent.click(bar.getByRole("button", { name: /^Pass on/ }));
    await bar.findByText("Say who is to decide in your place.");
    await userEvent.type(bar.getByLabelText("Who decides in your place"), "A Colleague");
    await userEvent.click(bar.getByRole("button", { name: /^Pass on/ }));
    expect(calls.find(({ name }) => name === "delegate")).toEqual({ name: "delegate", body: { id: "a1", digest: "sha256:1", nonce: "n1", reviewer: "pat  analyst", passphrase: "blue pump", to: "A Colleague", comment: "" } });
  });
});
