import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { ApiError } from "@/api/types";
import { mount } from "@/inspector/mount.fixture";
import { People } from "./People";

const people = { people: [{ name: "Pat Analyst", roles: ["engineer"], signs: true, key: "ed25519:abc" }] };

describe("people", () => {
  it("are added with a role or a passphrase, and not without either", async () => {
    const { calls } = mount(<People />, { "/api/people": { people: [] } });
    await screen.findByText("Nobody has a role or a passphrase");
    const add = within(screen.getByRole("region", { name: "Add a person" }));
    await userEvent.type(add.getByLabelText("Name"), "Pat Analyst");
    await userEvent.click(add.getByRole("button", { name: "Add a person" }));
    await add.findByText(/Give a role or a passphrase/);
    await userEvent.type(add.getByLabelText("Passphrase for signing (optional)"), "blue pump over gravel");
    await userEvent.type(add.getByLabelText("Passphrase once more"), "blue pump over grave");
    await userEvent.click(add.getByRole("button", { name: "Add a person" }));
    await add.findByText("The two are not the same.");
    expect(calls).toEqual([]);
    await userEvent.type(add.getByLabelText("Passphrase once more"), "l");
    await userEvent.click(add.getByRole("button", { name: "Add a person" }));
    expect(calls).toEqual([{ name: "set_passphrase", body: { name: "Pat Analyst", old: "", passphrase: "blue pump over gravel" } }]);
  });

  it("who sign need the passphrase until now for another one, and none stays on the screen", async () => {
    const asked: unknown[] = [];
    mount(<People />, { "/api/people": people }, {
      call: async (name, body) => {
        asked.push({ name, body });
        throw new ApiError("signature", "The passphrase is not that of Pat Analyst.", "", "Nothing was decided.", 403);
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Change Pat Analyst" }));
    const form = within(screen.getByRole("form", { name: "Passphrase for signing" }));
    await userEvent.type(form.getByLabelText("Passphrase until now"), "a wrong guess");
    await userEvent.type(form.getByLabelText("New passphrase"), "another long one");
    await userEvent.type(form.getByLabelText("New passphrase once more"), "another long one");
    await userEvent.click(form.getByRole("button", { name: "Set the passphrase" }));
    await form.findByText("The passphrase is not that of Pat Analyst.");
    expect(asked).toEqual([{ name: "set_passphrase", body: { name: "Pat Analyst", old: "a wrong guess", passphrase: "another long one" } }]);
    for (const label of ["Passphrase until now", "New passphrase", "New passphrase once more"]) expect((form.getByLabelText(label) as HTMLInputElement).value).toBe("");
  });

  // "My colleague has a new laptop, and their old key could not be taken away."
  it("who sign elsewhere have their key taken away by one who has a passphrase, and are asked for none", async () => {
    const { calls } = mount(<People />, { "/api/people": { people: [...people.people, { name: "Cy Far", roles: [], signs: true, elsewhere: true, key: "ed25519:xyz" }] } });
    await userEvent.click(await screen.findByRole("button", { name: "Change Cy Far" }));
    await screen.findByText(/signs on their own laptop/);
    const row = within(screen.getByRole("list", { name: "Who may decide" }).children[1] as HTMLElement);
    expect(row.queryByLabelText("Passphrase until now")).toBeNull();
    const by = row.getAllByLabelText("Who stands for the change").at(-1)!;
    expect(within(by).getAllByRole("option").map((one) => one.textContent)).not.toContain("Cy Far");
    await userEvent.selectOptions(by, "Pat Analyst");
    await userEvent.type(row.getAllByLabelText("Their passphrase").at(-1)!, "blue pump over gravel");
    await userEvent.click(row.getByRole("button", { name: "Remove their key" }));
    expect(calls).toEqual([{ name: "set_passphrase", body: { name: "Cy Far", old: "", passphrase: "", by: { name: "Pat Analyst", passphrase: "blue pump over gravel" } } }]);
  });

  // "Anybody who sat at it could make himself the engineer."
  it("get their roles from one who has a passphrase, once somebody has one", async () => {
    const { calls } = mount(<People />, { "/api/people": people });
    const add = within(await screen.findByRole("region", { name: "Add a person" }));
    await userEvent.type(add.getByLabelText("Name"), "Bo Chief");
    await userEvent.type(add.getByLabelText("Roles"), "engineer");
    await userEvent.selectOptions(await add.findByLabelText("Who stands for the change"), "Pat Analyst");
    await userEvent.type(add.getByLabelText("Their passphrase"), "blue pump over gravel");
    await userEvent.click(add.getByRole("button", { name: "Add a person" }));
    expect(calls).toEqual([{ name: "set_roles", body: { name: "Bo Chief", roles: "engineer", by: { name: "Pat Analyst", passphrase: "blue pump over gravel" } } }]);
    expect((add.getByLabelText("Their passphrase") as HTMLInputElement).value).toBe("");
  });
});
