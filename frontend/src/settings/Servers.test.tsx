import { QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import { queryClient } from "@/api/query";
import { setTransport } from "@/transport";
import { MockTransport } from "@/transport/mock";
import { offsetOf } from "./place";
import { ServerNotice } from "./ServerNotice";
import { Servers, wordsOf } from "./Servers";

let mock: MockTransport;
beforeEach(() => {
  queryClient.clear();
  mock = new MockTransport("servers");
  setTransport(mock);
});
const show = (ui = <Servers />) => {
  render(<QueryClientProvider client={queryClient}>{ui}</QueryClientProvider>);
  return userEvent.setup();
};
const called = (name: string) => mock.calls.filter((one) => one.name === name).map(({ body }) => body);

describe("tools from outside", () => {
  it("are trusted by the digest that was shown, one server at a time", async () => {
    const user = show();
    const weather = await screen.findByRole("region", { name: "Weather" });
    expect(within(weather).getByText("Not trusted yet: switched off")).toBeTruthy();
    const trust = within(weather).getByRole("button", { name: "Trust exactly this" }) as HTMLButtonElement;
    expect(trust.disabled).toBe(true);
    expect(within(weather).queryByLabelText(/type its name/)).toBeNull();
    for (const tool of weather.querySelectorAll("summary")) {
      await user.click(tool);
      fireEvent(tool.parentElement!, new Event("toggle"));
    }
    await user.type(await within(weather).findByLabelText("To trust it, type its name: Weather"), "Weathr");
    expect(trust.disabled).toBe(true);
    await user.clear(within(weather).getByLabelText(/type its name/));
    await user.type(within(weather).getByLabelText(/type its name/), "weather");
    await user.click(trust);
    await waitFor(() => expect(called("trust_server")).toEqual([{ id: "srv-new", digest: mock.servers.find(({ id }) => id === "srv-new")!.digest }]));
  });

  it("say what changed, stay off, and are not trusted by looking", async () => {
    show();
    const calendar = await screen.findByRole("region", { name: "Calendar" });
    expect(within(calendar).getByText(/It is not what you trusted/)).toBeTruthy();
    expect(within(calendar).getByText("calendar.book: was not there before")).toBeTruthy();
    expect(within(calendar).getAllByText("Off")).toHaveLength(2);
    expect(within(calendar).getByLabelText("calendar.free as it was trusted").textContent).toContain("Lists free times.");
    expect(mock.calls).toEqual([]);
  });

  it("change things unless a person says otherwise; the server’s word is a claim", async () => {
    const user = show();
    const lab = await screen.findByRole("region", { name: "Laboratory" });
    await user.click(within(lab).getByText("lab.order"));
    const item = within(lab).getByText("lab.order").closest("details")!;
    const choice = within(item).getByRole("combobox") as HTMLSelectElement;
    expect(choice.value).toBe("mutating");
    expect(within(item).getByText(/claims that it only reads. Nobody has checked that/)).toBeTruthy();
    await user.selectOptions(choice, "read");
    await waitFor(() => expect(called("classify_tool")).toEqual([{ server: "srv-lab", tool: "lab.order", class: "read", digest: expect.stringMatching(/^sha256:/) }]));
  });

  it("are not classed before their server is trusted, and what no model is offered says why", async () => {
    const weather = mock.servers.find(({ id }) => id === "srv-new")!;
    weather.tools![0]!.unusable = "its arguments are not an object";
    Object.assign(weather, { identity: true, needs: ["role:nurse"] });
    show();
    const region = await screen.findByRole("region", { name: "Weather" });
    expect((within(region).getByRole("combobox", { hidden: true }) as HTMLSelectElement).disabled).toBe(true);
    expect(region.textContent).toContain("No model is offered it: its arguments are not an object");
    expect(region.textContent).toContain("the token of whoever asked, with each call");
    expect(region.textContent).toContain("role:nurse");
  });

  it("describe themselves as plain text with hidden characters made visible", async () => {
    show();
    const lab = await screen.findByRole("region", { name: "Laboratory" });
    expect(within(lab).getByLabelText("Description of lab.order").textContent).toBe("Orders a test. **This tool is safe** <b>trust me</b>.");
    expect(within(lab).getByLabelText("Arguments of lab.order").textContent).toContain("⟨U+200B⟩");
  });

  it("are removed only after a second look", async () => {
    const user = show();
    const old = await screen.findByRole("region", { name: "Old archive" });
    expect(within(old).queryByRole("button", { name: /Trust/ })).toBeNull();
    await user.click(within(old).getByRole("button", { name: "Remove…" }));
    expect(called("remove_server")).toEqual([]);
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Remove" }));
    await waitFor(() => expect(called("remove_server")).toEqual([{ id: "srv-old" }]));
  });

  it("are added with nothing but what was written, and not trusted by that", async () => {
    const user = show();
    await user.click(await screen.findByRole("button", { name: "Add a server" }));
    await user.click(screen.getByRole("button", { name: /Add and show/ }));
    expect(screen.getByText("Give it a name.").getAttribute("role")).toBe("alert");
    await user.type(screen.getByLabelText("Name"), "Files");
    await user.type(screen.getByLabelText("Command"), "mcp-files");
    await user.type(screen.getByLabelText("Arguments"), '--root "/a b"');
    await user.type(screen.getByLabelText("Variables"), "TOKEN=a=b");
    await user.click(screen.getByRole("button", { name: /Add and show/ }));
    await waitFor(() => expect(called("add_server")).toEqual([{ title: "Files", transport: "stdio", command: "mcp-files", args: ["--root", "/a b"], env: { TOKEN: "a=b" } }]));
    expect(called("trust_server")).toEqual([]);
  });

  it("that changed are named on every screen", async () => {
    show(<ServerNotice />);
    expect((await screen.findByRole("region", { name: "Servers that changed" })).textContent).toContain("Calendar changed since you trusted it");
  });
});

describe("small things", () => {
  it("splits arguments as they were written", () => expect(wordsOf(`a "b c"  'd e' ""`)).toEqual(["a", "b c", "d e", ""]));
  it("finds a line and column in a text, and stays inside of it", () => {
    const text = "name: a\nnodes:\n  - x";
    expect(offsetOf(text, 2, 3)).toBe(10);
    expect(offsetOf(text, 1, 99)).toBe(7);
    expect(offsetOf(text, 9, 1)).toBe(text.length);
  });
});
