import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { ApiError } from "@/api/types";
import { mount } from "@/inspector/mount.fixture";
import { Budgets } from "./Budgets";
import { Checkpoints } from "./Checkpoints";

const usual = { expires_hours: 168, due_hours: 72, remind_hours: 48, set: false, rules: [] };
const checkpoints = { checkpoints: [{ ...usual, type: "pre_filing", rules: ["rule37_filing_is_signed"] }, { ...usual, type: "*", set: true, due_hours: 36, own: { due_hours: 36 } }] };
const people = { people: [{ name: "Pat Analyst", roles: ["engineer"], signs: true }] };
const budgets = { budgets: [{ agent: "filing", agent_title: "Filing", type: "rule_37", title: "Rule 37: spacing exception", set: false, budget: { tokens: 150000, cost_usd: 10, iterations: 20, seconds: 7200 }, usual: { tokens: 150000, cost_usd: 10, iterations: 20, seconds: 7200 } }, { agent: "navigator", agent_title: "Navigator", type: "", title: "Navigator", set: true, own: { tokens: 5000 }, budget: { tokens: 5000 }, usual: {} }] };

describe("hold points", () => {
  const look = async () => {
    const it = mount(<Checkpoints />, { "/api/checkpoints": checkpoints, "/api/people": people });
    await screen.findByText("pre_filing");
    return it;
  };

  it("say who decides, by when, and what happens when nobody does", async () => {
    await look();
    const row = within(screen.getByText("pre_filing").closest("li")!);
    row.getByText("Decides: anybody, where the rule names nobody");
    row.getByText("A decision is due within 3 days; people are reminded after 2 days; after 7 days the request expires, which counts as a no.");
    row.getByText("Nobody else may decide later.");
    row.getByText("Rules that hold here: rule37_filing_is_signed");
    within(screen.getByText("All other holds").closest("li")!).getByText(/due within 36 hours/);
  });

  it("keep only what a person set, and the rest stays as usual", async () => {
    const { calls } = await look();
    await userEvent.click(screen.getByRole("button", { name: "Change Pre filing" }));
    const form = within(screen.getByRole("form", { name: "Change Pre filing" }));
    expect(form.getByLabelText("Due within (hours)")).toHaveProperty("placeholder", "72");
    await userEvent.type(form.getByLabelText("Due within (hours)"), "24");
    await userEvent.selectOptions(form.getByLabelText("Who decides"), "Anybody with a role");
    await userEvent.type(form.getByLabelText("Role"), "engineer");
    await userEvent.selectOptions(form.getByLabelText("Who may decide as well, later"), "One person");
    await userEvent.click(form.getByRole("button", { name: "Save" }));
    await form.findByText("Enter a name.");
    expect(calls).toEqual([]);
    await userEvent.type(form.getByLabelText("Name"), "Pat Analyst");
    await userEvent.type(form.getByLabelText("From when on (hours)"), "48");
    await userEvent.click(form.getByRole("button", { name: "Save" }));
    expect(calls).toEqual([{ name: "set_checkpoint", body: { type: "pre_filing", term: { due_hours: 24, escalate_hours: 48, reviewer: { role: "engineer" }, escalate_to: { name: "Pat Analyst" } } } }]);
  });

  it("go back to what is usual", async () => {
    const { calls } = await look();
    await userEvent.click(screen.getByRole("button", { name: "Change All other holds" }));
    await userEvent.click(screen.getByRole("button", { name: "As usual again" }));
    expect(calls).toEqual([{ name: "set_checkpoint", body: { type: "*", term: null } }]);
  });

  it("say what does not fit beside the form, and nothing typed is lost", async () => {
    mount(<Checkpoints />, { "/api/checkpoints": checkpoints, "/api/people": people }, {
      call: async () => {
        throw new ApiError("bad_request", "This term does not fit: due_hours (200) comes after expires_hours (168); make it earlier.", "", "", 400);
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Change Pre filing" }));
    await userEvent.type(screen.getByLabelText("Due within (hours)"), "200");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await screen.findByText(/comes after expires_hours/);
    expect((screen.getByLabelText("Due within (hours)") as HTMLInputElement).value).toBe("200");
  });
});

describe("budgets", () => {
  it("are shown by agent and type, and set in parts", async () => {
    const { calls } = mount(<Budgets />, { "/api/budgets": budgets });
    // "What is filing.rule_37? I set budgets by agent, not by id."
    await screen.findByRole("heading", { level: 3, name: "Filing" });
    await screen.findByText(/^150,000 tokens, \$10.00, 20 rounds of calls, /);
    await userEvent.click(screen.getByRole("button", { name: "Change Rule 37: spacing exception" }));
    const form = within(screen.getByRole("form", { name: "Change Rule 37: spacing exception" }));
    await userEvent.type(form.getByLabelText("Rounds of calls"), "2.5");
    await userEvent.click(form.getByRole("button", { name: "Save" }));
    await form.findByText("Give a number above 0.");
    expect(calls).toEqual([]);
    await userEvent.clear(form.getByLabelText("Rounds of calls"));
    await userEvent.type(form.getByLabelText("Rounds of calls"), "30");
    await userEvent.type(form.getByLabelText("Time at work (minutes)"), "90");
    await userEvent.click(form.getByRole("button", { name: "Save" }));
    expect(calls).toEqual([{ name: "set_budget", body: { agent: "filing", type: "rule_37", budget: { iterations: 30, seconds: 5400 } } }]);
  });

  it("of an agent that counts no rounds have none, and go back to what is usual", async () => {
    const { calls } = mount(<Budgets />, { "/api/budgets": budgets });
    await userEvent.click(await screen.findByRole("button", { name: "Change Navigator" }));
    expect(screen.queryByLabelText("Rounds of calls")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "As usual again" }));
    expect(calls).toEqual([{ name: "set_budget", body: { agent: "navigator", type: "", budget: null } }]);
  });
});
