import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { mount } from "@/inspector/mount.fixture";
import { keepLanguage } from "@/text/language";
import { forgetStart, useChoices } from "./agents";
import { Composer } from "./Composer";
import { forgetDrafts } from "./drafts";
import { setPending } from "./pending";

const agents = [
  { id: "a", title: "Care navigator", description: "" },
  {
    id: "companion", title: "Companion", description: "Listens.", vars: [
      { name: "audience", title: "Who writes", values: ["teen", "parent"], titles: ["A teenager", "A parent"], fixed: true, audience: true },
      { name: "language", title: "Language", values: ["en", "fr"], titles: ["English", "Français"], default: "en", language: true },
      { name: "consent", values: ["full"], once: true },
    ],
  },
];
const answers = { "/api/state": {}, "/api/agents": agents, "/api/drafts/": { text: "" }, "/api/drafts/s": { text: "" } };

beforeEach(() => {
  setPending(null);
  forgetDrafts();
  useChoices.setState({ choices: {} });
});

it("asks who writes before the first message, and sends what was chosen", async () => {
  const call = vi.fn(async (name: string, _: unknown) => (name === "send" ? { session: "n", turn: "t" } : {}));
  mount(<Composer session="s" before={{ agent: "companion", pattern: "" }} subject={null} running={null} held={false} onSent={() => {}} />, answers, { call: call as never });
  await userEvent.click(await screen.findByRole("button", { name: /Answered by Companion/ }));
  const box = screen.getByRole("textbox", { name: "Message" });
  await userEvent.type(box, "Hello{Enter}");
  expect(call.mock.calls.filter(([name]) => name === "send")).toHaveLength(0);
  expect(await screen.findByText("Choose first: Who writes.")).toBeTruthy();
  await userEvent.click(screen.getByRole("radio", { name: "A parent" }));
  await userEvent.click(screen.getByRole("radio", { name: "Français" }));
  expect(screen.queryByText(/full/)).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: /Send/ }));
  expect(call.mock.calls.find(([name]) => name === "send")![1]).toMatchObject({ agent: "companion", vars: { audience: "parent", language: "fr" }, text: "Hello" });
});

// "I had answered everything, and it told me to answer the questions." "My screens are French, and it asked me for my language."
it("begins in the program's language, and says which question is open", async () => {
  const [who, language] = agents[1]!.vars! as [object, object];
  const asked = { ...answers, "/api/agents": [agents[0], { ...agents[1]!, cards: true, vars: [{ ...who, start: true }, { ...language, start: true, default: "fr" }] }],
    "/api/agents/companion/start": (path: string) => ({ language: new URLSearchParams(path.split("?")[1]).get("language"), scale: 1, words: { start_open: path.endsWith("language=fr") ? "Répondez d'abord." : "" }, fields: [{ var: "language", say: "Langue", choices: [] }, { var: "audience", say: "Qui écrit ?", choices: [] }] }) };
  useChoices.setState({ choices: { "": { agent: "companion", pattern: "" } } });
  mount(<Composer session="" before={{ agent: "", pattern: "" }} subject={null} running={null} held={false} onSent={() => {}} />, asked);
  expect(await screen.findByText("Répondez d'abord. Qui écrit ?")).toBeTruthy();
});

it("keeps what a session keeps, and lets the language change", async () => {
  mount(<Composer session="s" before={{ agent: "companion", pattern: "", vars: { audience: "teen", language: "fr" } }} subject={null} running={null} held={false} onSent={() => {}} />, answers);
  await userEvent.click(await screen.findByRole("button", { name: /Companion \(A teenager, Français\)/ }));
  expect((screen.getByRole("radio", { name: "A parent" }) as HTMLInputElement).matches(":disabled")).toBe(true);
  expect((screen.getByRole("radio", { name: "English" }) as HTMLInputElement).matches(":disabled")).toBe(false);
  expect(screen.queryByText(/Choose first/)).toBeNull();
  // In a low window only the beginning of the list is in sight.
  const all = screen.getAllByRole("radio").map((one) => (one as HTMLElement).closest("label")!.textContent!);
  expect(all.indexOf("English")).toBeLessThan(all.findIndex((one) => one.startsWith("Care navigator")));
});

it("sends somebody new where no name was written, leaves the name to a session, and says it", async () => {
  const person = { name: "person", title: "Name", values: ["somebody_new", "unnamed"], titles: ["Somebody new", "Without a name"], open: true, fixed: true, default: "unnamed", unsaid: "somebody_new", start: true };
  const asked = { ...answers, "/api/agents": [agents[0], { ...agents[1]!, cards: true, vars: [...agents[1]!.vars!, person] }], "/api/agents/companion/start": { language: "en", scale: 1, words: {}, fields: [] } };
  const call = vi.fn(async (name: string, _: unknown) => (name === "send" ? { session: "n", turn: "t" } : {}));
  useChoices.setState({ choices: { "": { agent: "companion", pattern: "", vars: { audience: "teen", language: "fr" } } } });
  const { unmount } = mount(<Composer session="" before={{ agent: "", pattern: "" }} subject={null} running={null} held={false} onSent={() => {}} />, asked, { call: call as never });
  await userEvent.type(await screen.findByRole("textbox", { name: "Message" }), "Hello{Enter}");
  expect(call.mock.calls.find(([name]) => name === "send")![1]).toMatchObject({ vars: { audience: "teen", language: "fr", person: "somebody_new" } });
  unmount();
  mount(<Composer session="s" before={{ agent: "companion", pattern: "", vars: { audience: "teen", language: "fr", person: "Léa" } }} subject={null} running={null} held={false} onSent={() => {}} />, asked, { call: call as never });
  expect(await screen.findByRole("button", { name: /Companion \(A teenager, Français, Léa\)/ })).toBeTruthy();
});

// "I sat down after her, and what she had begun to write stood in the box."
it("keeps no draft of what somebody begins to write to an agent of theirs", async () => {
  const asked = { ...answers, "/api/agents": [agents[0], { ...agents[1]!, cards: true }], "/api/agents/companion/start": { language: "en", scale: 1, words: {}, fields: [] }, "/api/drafts/new": { text: "" } };
  const box = () => <Composer session="" before={{ agent: "", pattern: "" }} subject={null} running={null} held={false} onSent={() => {}} />;
  for (const [agent, left] of [["a", "A secret"], ["companion", ""]] as const) {
    forgetDrafts();
    useChoices.setState({ choices: { "": { agent, pattern: "" } } });
    const { unmount } = mount(box(), asked);
    await screen.findByRole("button", { name: /Answered by/ });
    await userEvent.type(screen.getByRole("textbox", { name: "Message" }), "A secret");
    expect((screen.getByRole("textbox", { name: "Message" }) as HTMLTextAreaElement).value).toBe("A secret");
    unmount();
    forgetStart(); // as whoever leaves the address of a new session does
    const next = mount(box(), asked);
    expect(((await screen.findByRole("textbox", { name: "Message" })) as HTMLTextAreaElement).value).toBe(left);
    next.unmount();
  }
});

it("says in French who answers, with the blanks of its typography and no codes", async () => {
  const person = { name: "person", title: "Name", values: ["somebody_new"], titles: ["Somebody new: nothing is remembered"], open: true, fixed: true };
  keepLanguage("fr");
  try {
    mount(<Composer session="s" before={{ agent: "companion", pattern: "", vars: { audience: "teen", language: "fr", person: "somebody_new" } }} subject={null} running={null} held={false} onSent={() => {}} />, { ...answers, "/api/agents": [agents[0], { ...agents[1]!, vars: [...agents[1]!.vars!, person] }] });
    const button = await screen.findByRole("button", { name: /Répondu par/ });
    expect(button.textContent).toContain("Quelqu’un de nouveau\u00a0: rien n’est retenu");
    expect(button.textContent).not.toContain("U+00A0");
  } finally {
    keepLanguage("en");
  }
});

it("asks for what a graph of one's own is started with, and sends it", async () => {
  const own = { id: "trip", title: "Trip form", description: "", kind: "file", asks: [
    { name: "ward", schema: { type: "string", description: "Which ward" }, required: true },
    { name: "beds", schema: { type: "integer", minimum: 1, maximum: 9 }, default: "2" },
    { name: "tone", schema: { type: "string" }, values: ["plain", "warm"] },
  ] };
  const call = vi.fn(async (name: string, _: unknown) => (name === "send" ? { session: "n", turn: "t" } : {}));
  useChoices.setState({ choices: { s: { agent: "trip", pattern: "" } } });
  mount(<Composer session="s" before={{ agent: "a", pattern: "" }} subject={null} running={null} held={false} onSent={() => {}} />, { ...answers, "/api/agents": [...agents, own] }, { call: call as never });
  await userEvent.click(await screen.findByRole("button", { name: /Answered by Trip form/ }));
  await userEvent.type(screen.getByRole("textbox", { name: "Message" }), "Go{Enter}");
  expect(screen.getByText(/^Give first: ward\./)).toBeTruthy();
  expect(screen.getByText(/Which ward/)).toBeTruthy();
  await userEvent.type(screen.getByRole("textbox", { name: "ward (needed)" }), "North");
  await userEvent.type(screen.getByRole("textbox", { name: "beds" }), "12");
  expect(screen.getByText("At most 9.")).toBeTruthy();
  expect(screen.getByText(/^Give first: beds\./)).toBeTruthy();
  expect(call.mock.calls.filter(([name]) => name === "send")).toHaveLength(0);
  await userEvent.type(screen.getByRole("textbox", { name: "beds" }), "{Backspace}{Backspace}3");
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "tone" }), "warm");
  // The browser keeps ids, never what was written.
  expect(JSON.stringify({ ...sessionStorage })).not.toContain("North");
  await userEvent.click(screen.getByRole("button", { name: /Send/ }));
  expect(call.mock.calls.find(([name]) => name === "send")![1]).toMatchObject({ agent: "trip", vars: { ward: "North", beds: "3", tone: "warm" } });
});

// "I asked for French, it answered in French, and after my next message it was English again."
it("sends what the session's newest turn says once what was chosen has been sent", async () => {
  const call = vi.fn(async (name: string, _: unknown) => (name === "send" ? { session: "s", turn: "t" } : {}));
  const composer = (language: string) => <Composer session="s" before={{ agent: "companion", pattern: "", vars: { audience: "teen", language } }} subject={null} running={null} held={false} onSent={() => {}} />;
  const said = () => call.mock.calls.filter(([name]) => name === "send").map(([, body]) => (body as { vars: Record<string, string> }).vars.language);
  const first = mount(composer("fr"), answers, { call: call as never });
  await userEvent.click(await screen.findByRole("button", { name: /Answered by Companion/ }));
  await userEvent.click(screen.getByRole("radio", { name: "English" }));
  await userEvent.type(screen.getByRole("textbox", { name: "Message" }), "Hello{Enter}");
  expect(said()).toEqual(["en"]);
  first.unmount();
  // The turn was in English; then one was asked for in words.
  for (const [language, text] of [["en", "peut-on parler français ?"], ["fr", "Bonjour"]] as const) {
    const { unmount } = mount(composer(language), answers, { call: call as never });
    await screen.findByRole("button", { name: /Answered by Companion/ });
    await userEvent.type(screen.getByRole("textbox", { name: "Message" }), `${text}{Enter}`);
    unmount();
  }
  expect(said()).toEqual(["en", "en", "fr"]);
});

// "My screens are French, and the example to begin with was English."
it("offers an example in the language of the screens, in plain spaces", async () => {
  const reasoner = { id: "reasoner", title: "Reasoner", description: "", patterns: [{ id: "react", title: "Reason and act", description: "", example: "What is (17 + 4) * 2.5?" }] };
  keepLanguage("fr");
  try {
    mount(<Composer session="s" before={{ agent: "reasoner", pattern: "" }} subject={null} running={null} held={false} onSent={() => {}} />, { ...answers, "/api/agents": [agents[0], reasoner] });
    await userEvent.click(await screen.findByRole("button", { name: /Répondu par/ }));
    expect(screen.getByText(/Par exemple\s: «\sCombien font \(17 \+ 4\) \* 2\.5\s\?\s»/)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Utiliser" }));
    expect((screen.getByRole("textbox", { name: "Message" }) as HTMLTextAreaElement).value).toBe("Combien font (17 + 4) * 2.5 ?");
  } finally {
    keepLanguage("en");
  }
});
