import { QueryClientProvider } from "@tanstack/react-query";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { comeTo, forgetReads } from "@/api/query";
import { mount } from "@/inspector/mount.fixture";
import { approvalOf } from "@/transport/mock.scene";
import { Inbox } from "./Inbox";

beforeEach(() => { location.hash = "#/approvals/one"; });
afterEach(() => comeTo("deleted"));

const waiting = (id: string, minutes: number) => ({ ...approvalOf("s", "t", id, Date.now() - minutes * 60_000), title: `Book ${id}`, session_title: "Sleep" });
const answers = (approvals: unknown[]) => ({
  "/api/approvals": { approvals, unknown: [], questions: [] }, "/api/state": { reviewer: "R. Vance" },
  "/api/approvals/one": { ...waiting("one", 3), nonce: "n" }, "/api/settings": {},
});

it("leads from one request to the next that waits, and to the session that asked", async () => {
  mount(<Inbox chosen="one" />, answers([waiting("one", 3), waiting("two", 2), waiting("three", 1)]));
  await userEvent.click(await screen.findByRole("button", { name: "Next of 2 that wait: Book two" }));
  expect(location.hash).toBe("#/approvals/two");
  expect((await screen.findByRole("link", { name: "Open the session" })).getAttribute("href")).toBe("#/sessions/s");
});

it("leads on from one that was decided, and says when nothing else waits", async () => {
  const decided = { ...waiting("one", 3), status: "approved", reviewer: "R. Vance" };
  const { unmount } = mount(<Inbox chosen="one" />, { ...answers([waiting("two", 2)]), "/api/approvals/one": decided });
  expect(await screen.findByRole("button", { name: "Next of 1 that waits: Book two" })).toBeTruthy();
  unmount();
  mount(<Inbox chosen="one" />, { ...answers([]), "/api/approvals/one": decided });
  expect(await screen.findByText("Nothing else waits for you.")).toBeTruthy();
});

// "I looked at three requests one after the other and had three cards, each to decide, under one patient's name."
it("shows one request at a time", async () => {
  const three = ["one", "two", "three"].map((id, at) => waiting(id, 3 - at));
  const all = { ...answers(three), ...Object.fromEntries(three.map((one) => [`/api/approvals/${one.id}`, { ...one, nonce: "n" }])) };
  const { rerender, client } = mount(<Inbox chosen="one" />, all);
  for (const { id } of three) {
    rerender(<QueryClientProvider client={client}><Inbox chosen={id} /></QueryClientProvider>);
    await screen.findByRole("region", { name: `Book ${id}` });
    expect(document.querySelectorAll("[data-approval]").length).toBe(1);
  }
});

// "I answered a question in the inbox; it said that my words were gone, and whom to call stood where nobody sent me."
it("shows help for an answer that speaks of danger, and knows an answered question", async () => {
  const pause = "prepare.01.2";
  const question = { pause, session: "s", turn: "t", prompt: "Which well?", asked_at: new Date().toISOString(), session_title: "Rule 37" };
  const found = { level: "intervention", category: "intent", speaker: "self", language: "en", region: "US", informal: false, found_by: ["rules"], text: "Call **988** now." };
  let open = true;
  const call = async (name: string) => { open = false; return (name === "answer" ? { help: found } : {}) as never; };
  location.hash = `#/approvals/${pause}`;
  const { client } = mount(<Inbox chosen={pause} />, {
    "/api/approvals": () => ({ approvals: [], unknown: [], questions: open ? [question] : [] }), "/api/state": { reviewer: "R. Vance" }, "/api/settings": { region: "US", region_chosen: true }, "/api/agents": [],
    "/api/sessions/s/turns": [{ turn: "t", questions: [{ id: pause, stage: "prepare", data: { prompt: "Which well?" } }] }],
  }, { call });
  await userEvent.type(await screen.findByRole("textbox", { name: "Your answer" }), "I want to die");
  await userEvent.click(screen.getByRole("button", { name: /^Answer/ }));
  expect((await screen.findByText("988")).closest("[data-help]")).toBeTruthy();
  await client.invalidateQueries();
  expect(await screen.findByText(/no longer waits/)).toBeTruthy();
  expect(screen.queryByText(/could not be read/)).toBeNull();
});

it("says whose times a sentence has that was written in another zone", async () => {
  location.hash = "#/approvals";
  mount(<Inbox chosen="" />, answers([{ ...waiting("one", 3), title_zone: "New York" }, waiting("two", 2)]));
  const said = await screen.findAllByText(/its times in New York time, the clinic’s zone when it was asked/);
  expect(said.map((one) => one.closest("a")?.getAttribute("href"))).toEqual(["#/approvals/one"]);
});

it("says that there are more than it shows, and shows them when asked", async () => {
  const all = Array.from({ length: 130 }, (_, index) => waiting(`n${index}`, 200 - index));
  const { reads } = mount(<Inbox chosen="" />, {
    ...answers([]),
    "/api/approvals": (path: string) => {
      const limit = Number(new URLSearchParams(path.split("?")[1]).get("limit"));
      return { approvals: all.slice(0, limit), next: limit < all.length ? all[limit - 1]!.id : "", unknown: [], questions: [] };
    },
  });
  expect(await screen.findByText("The oldest 100 are shown; more are behind them.")).toBeTruthy();
  expect(screen.getAllByRole("listitem")).toHaveLength(100);
  await userEvent.click(screen.getByRole("button", { name: "Show more" }));
  await waitFor(() => expect(screen.queryByText(/are shown; more/)).toBeNull());
  expect(reads.filter((path) => path.startsWith("/api/approvals?"))).toContain("/api/approvals?status=pending&limit=200");
});

// "The inbox ended after 500 requests. What waited behind them could not be reached."
it("goes on page by page behind the 500 that are read at once", async () => {
  const all = Array.from({ length: 620 }, (_, index) => waiting(`n${index}`, 2000 - index));
  mount(<Inbox chosen="n610" />, {
    ...answers([]),
    "/api/approvals/n610": { ...all[610]!, nonce: "n" },
    "/api/approvals": (path: string) => {
      const query = new URLSearchParams(path.split("?")[1]);
      const from = all.findIndex(({ id }) => id === query.get("after")) + 1;
      const page = all.slice(from, from + Number(query.get("limit")));
      return { approvals: page, next: from + page.length < all.length ? page.at(-1)!.id : "", unknown: [], questions: [] };
    },
  });
  for (const shown of [100, 200, 300, 400, 500]) {
    expect(await screen.findByText(`The oldest ${shown} are shown; more are behind them.`)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Show more" }));
  }
  await waitFor(() => expect(screen.queryByText(/are shown; more/)).toBeNull());
  expect(screen.getByRole("button", { name: "Next of 619 that wait: Book n611" })).toBeTruthy();
});

// "I came back after eight days, and the inbox said that nothing waits for me."
it("lists turns whose request expired, and leads to where they are resumed", async () => {
  const held = { session: "s", session_title: "Sleep", turn: "t", approval: "ap.t", title: "Sign Form W-1", status: "expired", requested_at: "2026-01-01T10:00:00Z", expires_at: "2026-01-08T10:00:00Z" };
  mount(<Inbox chosen="" />, { ...answers([]), "/api/approvals": { approvals: [], unknown: [], questions: [], stranded: [held] } });
  const link = await screen.findByRole("link", { name: /Sign Form W-1/ });
  expect(link.getAttribute("href")).toBe("#/sessions/s");
  expect(link.textContent).toContain("Expired");
  expect(screen.queryByText("Nothing waits for you")).toBeNull();
});

// "I wanted to see who had let this through, and the list of decided ones said: carried out."
it("lists what was decided with name, verdict and time", async () => {
  const decided = [
    { ...waiting("one", 30), status: "used", outcome: "committed", reviewer: "R. Vance", identity: "typed", decided_at: "2026-03-01T10:00:00Z", used_at: "2026-03-01T11:00:00Z" },
    { ...waiting("two", 20), status: "rejected", outcome: "refused", reviewer: "Dr. Moss", decided_at: "2026-03-01T12:00:00Z" },
    // Whoever filled it in did not decide.
    { ...waiting("three", 10), status: "void", reviewer: "Dr. Lind" },
    { ...waiting("four", 5), status: "used", outcome: "committed", erased: true, title: "", session_title: "", reviewer: "Dr. Gone", decided_at: "2026-03-01T13:00:00Z", used_at: "2026-03-01T13:00:00Z" },
  ];
  mount(<Inbox chosen="" />, { ...answers(decided) });
  const rows = within(await screen.findByRole("list", { name: "Approvals, oldest first" }));
  const row = async (name: RegExp) => rows.findByRole("link", { name });
  expect((await row(/Book one/)).textContent).toMatch(/Carried out.*Approved by R. Vance \(name as typed, not verified\)/);
  expect([...(await row(/Book one/)).querySelectorAll("time")].map((time) => time.dateTime)).toEqual(["2026-03-01T11:00:00Z", "2026-03-01T10:00:00Z"]);
  expect((await row(/Book two/)).textContent).toContain("Rejected by Dr. Moss");
  expect((await row(/Book three/)).textContent).not.toContain("Dr. Lind");
  expect((await row(/deleted with its session/)).textContent).toContain("Approved by Dr. Gone");
});

// "I deleted the session, and Approvals opened its request again: “Reading the approval…”, for a minute."
it("never opens what went with a deleted session, and says where it went", async () => {
  location.hash = "#/approvals";
  vi.stubGlobal("matchMedia", () => ({ matches: true, addEventListener: () => {}, removeEventListener: () => {} }));
  const stale = answers([{ ...waiting("one", 3), session: "deleted" }, waiting("two", 2)]);
  forgetReads("deleted");
  const { rerender, reads } = mount(<Inbox chosen="" />, { ...stale, "/api/approvals/one": undefined });
  await waitFor(() => expect(location.hash).toBe("#/approvals/two"));
  expect(screen.queryByRole("link", { name: /Book one/ })).toBeNull();
  rerender(<Inbox chosen="one" />);
  expect(await screen.findByText(/went with its session, which was deleted/)).toBeTruthy();
  expect(screen.queryByText("Reading the approval…")).toBeNull();
  expect(screen.queryByRole("link", { name: "Open the session" })).toBeNull();
  expect(screen.getByRole("button", { name: "Next of 1 that waits: Book two" })).toBeTruthy();
  expect(reads.filter((path) => path === "/api/approvals/one")).toEqual([]);
  vi.unstubAllGlobals();
});

// "The link in my notes was of a request that is gone. It said that it could not be read, and to try again."
it("says of an address that is gone that the request is not there any more, and what waits next", async () => {
  mount(<Inbox chosen="lost" />, answers([waiting("two", 2)]));
  expect(await screen.findByText(/is not here any more/)).toBeTruthy();
  expect(screen.queryByRole("link", { name: "Open the session" })).toBeNull();
  expect(await screen.findByRole("button", { name: "Next of 1 that waits: Book two" })).toBeTruthy();
  expect(screen.queryByRole("button", { name: /Try again/ })).toBeNull();
});
