import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "@/api/query";
import { setTransport } from "@/transport";
import { MockTransport } from "@/transport/mock";
import { Agents } from "./Agents";

let mock: MockTransport;
beforeEach(() => {
  queryClient.clear();
  mock = new MockTransport("question");
  setTransport(mock);
});

describe("the check of a graph that somebody writes", () => {
  it("shows what is odd, too, and leads to its place", async () => {
    const call = mock.call.bind(mock);
    const odd = { line: 5, column: 3, message: "nothing follows answer, so the graph ends there", path: "nodes[0]" };
    const bad = { line: 2, column: 1, message: "there is no kind rooter", path: "nodes[1].kind" };
    let errors: unknown[] = [];
    vi.spyOn(mock, "call").mockImplementation((name, args) => (name === "check_agent" ? Promise.resolve({ ok: errors.length === 0, errors, warnings: [odd], manifest: null } as never) : call(name, args)));
    const user = userEvent.setup();
    render(<QueryClientProvider client={queryClient}><Agents /></QueryClientProvider>);
    await user.click(screen.getByRole("button", { name: "Begin with an example" }));
    const warnings = await screen.findByRole("region", { name: "Warnings" }, { timeout: 5000 });
    expect(warnings.textContent).toContain("One warning");
    expect(warnings.textContent).toContain("It can run all the same.");
    expect(screen.getByText("It can run.")).toBeTruthy();
    expect(within(warnings).getByRole("button", { name: /5:3 nothing follows answer/ })).toBeTruthy();
    errors = [bad];
    await user.click(screen.getByRole("button", { name: "Check" }));
    expect((await screen.findByRole("alert")).textContent).toContain("One mistake");
    expect(screen.getByRole("alert").textContent).not.toContain("nothing follows");
    expect(screen.getByRole("region", { name: "Warnings" }).textContent).toContain("These alone would not keep it from running.");
  });
});
