import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import { queryClient } from "@/api/query";
import { setTransport } from "@/transport";
import { MockTransport } from "@/transport/mock";
import { Rules, yamlOf } from "./Rules";
import { Skills } from "./Skills";

let mock: MockTransport;
beforeEach(() => {
  queryClient.clear();
  mock = new MockTransport("clinic");
  setTransport(mock);
});
const show = (ui = <Rules />) => {
  render(<QueryClientProvider client={queryClient}>{ui}</QueryClientProvider>);
  return userEvent.setup();
};
const called = (name: string) => mock.calls.filter((one) => one.name === name).map(({ body }) => body);

describe("rules", () => {
  it("are listed with what they say and when they fired last", async () => {
    show();
    const mine = (await screen.findByText("no_weekend_visits")).closest("li")!;
    expect(within(mine).getByText(/Refuses before a tool is called, for book_appointment/)).toBeTruthy();
    expect(within(mine).getByText(/Fired last/)).toBeTruthy();
    expect(within(mine).getByRole("link", { name: "Open that session" }).getAttribute("href")).toBe("#/sessions/s-1");
    const seed = screen.getByText("hitl_on_mutating_capability").closest("li")!;
    expect(within(seed).getByText("It has not fired yet.")).toBeTruthy();
    expect(within(seed).queryByRole("button", { name: /Remove/ })).toBeNull();
  });

  it("are edited as YAML, switched, and removed after a question", async () => {
    const user = show();
    await user.click(await screen.findByRole("button", { name: "Edit no_weekend_visits" }));
    const box = screen.getByLabelText("Rules (YAML)") as HTMLTextAreaElement;
    expect(box.value).toBe(yamlOf(mock.rules[1]!));
    expect(box.value).not.toContain("fired");
    await user.click(screen.getByRole("button", { name: "Add" }));
    await waitFor(() => expect(called("add_rules")).toEqual([{ text: yamlOf(mock.rules[1]!) }]));
    await user.click(screen.getByRole("button", { name: "Switch no_weekend_visits off" }));
    expect(called("switch_rule")).toEqual([{ name: "no_weekend_visits", off: true }]);
    await user.click(screen.getByRole("button", { name: "Remove no_weekend_visits" }));
    expect(called("remove_rule")).toEqual([]);
    await user.click(await screen.findByRole("button", { name: "Remove" }));
    expect(called("remove_rule")).toEqual([{ name: "no_weekend_visits" }]);
  });
});

describe("skills", () => {
  it("say what they may call, what is missing, and which version was loaded", async () => {
    const user = show(<Skills />);
    const builtin = (await screen.findByText("Rule 37: spacing exception")).closest("li")!;
    expect(within(builtin).getByText(/names tools that are not here: spacing_assessment/)).toBeTruthy();
    expect(within(builtin).getByText(/no turn has loaded it yet/)).toBeTruthy();
    const mine = screen.getByText("Sums").closest("li")!;
    expect(within(mine).getByText(/tier 3: its definition and artifacts, in another version/)).toBeTruthy();
    await user.click(within(mine).getByText("What it may call, and what it says"));
    expect(within(mine).getByText(/declares no capability, so each call waits for an approval/)).toBeTruthy();
    await user.upload(screen.getByLabelText("Zip file of a skill"), new File(["PK"], "x.zip", { type: "application/zip" }), );
    await waitFor(() => expect(called("add_skill")).toEqual([{ zip: btoa("PK") }]));
  });
});
