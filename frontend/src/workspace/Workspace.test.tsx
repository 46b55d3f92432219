import { QueryClientProvider } from "@tanstack/react-query";
import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useChoices } from "@/conversation/agents";
import { forgetDrafts } from "@/conversation/drafts";
import { setPending } from "@/conversation/pending";
import { mount } from "@/inspector/mount.fixture";
import { setUi } from "@/shell/ui";
import { Workspace } from "./Workspace";

let width = 390;
const changed = new Set<() => void>();
const own = globalThis.matchMedia;
const resize = (to: number) => act(() => { width = to; for (const one of changed) one(); });

beforeEach(() => {
  setPending(null);
  forgetDrafts();
  width = 390;
  setUi({ pane: "conversation" });
  useChoices.setState({ choices: { "": { agent: "companion", pattern: "" } } });
  globalThis.matchMedia = ((media: string) => ({ media, get matches() { return width >= 16 * Number(/min-width: (\d+)rem/.exec(media)?.[1] ?? 0); }, addEventListener: (_: string, run: () => void) => changed.add(run), removeEventListener: (_: string, run: () => void) => changed.delete(run) })) as never;
  globalThis.ResizeObserver ??= class { observe() {} unobserve() {} disconnect() {} } as never;
});
afterEach(() => { globalThis.matchMedia = own; });

const answers = {
  "/api/state": { region_chosen: true, counts: {} }, "/api/drafts/new": { text: "" }, "/api/sessions": { sessions: [], next: "" },
  "/api/agents": [{ id: "navigator", title: "Navigator", description: "" }, { id: "companion", title: "Companion", description: "", cards: true, vars: [{ name: "audience", title: "Who writes", values: ["teen", "parent"], start: true, fixed: true }] }],
  "/api/agents/companion/start": { language: "en", scale: 1, words: {}, fields: [{ var: "audience", say: "Who is writing?", choices: [{ value: "teen", say: "teen" }, { value: "parent", say: "parent" }] }] },
};

// "I turned the phone, and what I had written was gone."
it("keeps what was written and chosen while the window changes its width, and forgets it for whoever comes next", async () => {
  const call = vi.fn(async (_name: string, _body: { text?: string }) => ({}));
  const it = mount(<Workspace first="new" second="" />, answers, { call: call as never });
  const box = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
  const teen = () => screen.getByRole<HTMLInputElement>("radio", { name: "teen" });
  await userEvent.click(await screen.findByRole("radio", { name: "teen" }));
  await userEvent.type(box(), "Nobody may read this");
  const same = box();
  for (const to of [800, 390, 1300, 800, 1300, 390]) {
    resize(to);
    expect([box().value, teen().checked]).toEqual(["Nobody may read this", true]);
    expect(box()).toBe(same);
  }
  // On a narrow window the panes stand one at a time.
  await userEvent.click(screen.getByRole("button", { name: "Inspector" }));
  await userEvent.click(screen.getByRole("button", { name: "Conversation" }));
  expect([box().value, teen().checked]).toEqual(["Nobody may read this", true]);
  // No draft of it went to the app.
  expect(call.mock.calls.filter(([name, body]) => name === "save_draft" && body.text)).toEqual([]);
  const at = (first: string) => it.rerender(<QueryClientProvider client={it.client}><Workspace first={first} second="" /></QueryClientProvider>);
  at("");
  at("new");
  expect([(await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message" })).value, teen().checked]).toEqual(["", false]);
});
