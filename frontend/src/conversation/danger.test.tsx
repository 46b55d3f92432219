import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { mount } from "@/inspector/mount.fixture";
import { useChoices } from "./agents";
import { Composer } from "./Composer";
import { NewSession } from "./Conversation";
import { FirstHelp } from "./Crisis";
import { showDanger } from "./danger";
import { setPending } from "./pending";

const two = (...values: string[]) => values.map((value) => ({ value, say: value }));
const answers = {
  "/api/state": { region_chosen: true }, "/api/drafts/new": { text: "" }, "/api/settings": { region_chosen: true, regions: [] }, "/api/patients": [],
  "/api/agents": [{ id: "navigator", title: "Navigator", description: "" }, { id: "companion", title: "Companion", description: "", cards: true, vars: [{ name: "audience", title: "Who writes", values: ["teen", "parent"], start: true, fixed: true }, { name: "region", title: "Where", values: ["FR", "CA"], region: true, start: true, once: true }] }],
  "/api/agents/companion/start": { language: "fr", scale: 1, words: { start_title: "Avant de commencer" }, fields: [{ var: "audience", say: "Qui écrit ?", choices: two("teen", "parent") }, { var: "region", say: "Où ?", choices: two("FR", "CA") }] },
};
const help = (region: string, text: string) => ({ level: "intervention", category: "intent", speaker: "self", language: "fr", region, informal: false, found_by: ["rules"], text, numbers: [{ name: "", call: region === "FR" ? "15" : "112" }] });


beforeEach(() => {
  setPending(null);
  showDanger("", null);
  useChoices.setState({ choices: { "": { agent: "companion", pattern: "" } } });
});

// "I wrote that I would die tonight; the button was grey, and it asked me who writes."
it("shows help at once for a message that cannot go yet, above the questions, and keeps the message", async () => {
  const call = vi.fn(async (name: string, body: { vars?: Record<string, string> }) => (name === "check_message" ? help(body.vars?.region ?? "international", body.vars?.region === "FR" ? "Appelle le 3114." : "Appelle le 112.") : {}));
  mount(<NewSession subject={null} />, answers, { call: call as never });
  const box = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
  await screen.findByText("Qui écrit ?", { selector: "legend" });
  // axe: heading-order
  expect(screen.getByRole("heading", { name: "Avant de commencer", level: 2 })).toBeTruthy();
  await userEvent.type(box, "je vais me tuer ce soir{Enter}");
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("Appelle le 112.");
  await waitFor(() => expect(document.activeElement).toBe(alert));
  expect(alert.compareDocumentPosition(screen.getByText("Avant de commencer")) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  expect(box.value).toBe("je vais me tuer ce soir");
  expect(call.mock.calls.filter(([name]) => name === "send")).toHaveLength(0);
  // Nothing else is asked: the form waits, folded.
  expect(screen.getByText("Avant de commencer").closest("details")?.open).toBe(false);
  expect(screen.queryByText(/Qui écrit/, { selector: "[role=status] *" })).toBeNull();
  // The first numbers stand above the text, large; the chooser of agents is out of the way.
  expect(alert.querySelector("[data-numbers]")?.textContent).toContain("112");
  expect(document.querySelector("[data-agent-picker]")?.getAttribute("aria-expanded")).toBe("false");
  // Who says where they are has the numbers of that place.
  await userEvent.click(screen.getByRole("radio", { name: "FR" }));
  expect(await screen.findByText("Appelle le 3114.")).toBeTruthy();
});

it("names the first open question, and puts the focus on it, where there is no danger", async () => {
  const call = vi.fn(async (name: string) => (name === "check_message" ? { ...help("international", ""), level: "none" } : {}));
  mount(<NewSession subject={null} />, answers, { call: call as never });
  const box = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
  await screen.findByText("Qui écrit ?", { selector: "legend" });
  await userEvent.type(box, "Bonjour");
  await userEvent.click(screen.getByRole("button", { name: /Send/ }));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("radio", { name: "teen" })));
  expect(screen.queryByRole("alert")).toBeNull();
  expect(box.value).toBe("Bonjour");
  expect(call.mock.calls.filter(([name]) => name === "send")).toHaveLength(0);
});

// "The picker vanished after a mis-click, its card still said that no region was chosen, and the form still asked."
it("chooses the country beside help for this conversation only, in one place with the form, and changeable", async () => {
  const call = vi.fn(async (name: string, body: { vars?: Record<string, string> }) => (name === "check_message" ? help(body.vars?.region ?? "international", `Text ${body.vars?.region ?? "none"}`) : {}));
  mount(<NewSession subject={null} />, answers, { call: call as never });
  await screen.findByText("Qui écrit ?", { selector: "legend" });
  await userEvent.type(await screen.findByRole("textbox", { name: "Message" }), "je veux mourir{Enter}");
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("aucune région choisie");
  for (const country of ["CA", "FR"]) {
    const select = within(alert).getByRole<HTMLSelectElement>("combobox");
    await userEvent.selectOptions(select, country);
    expect(await within(alert).findByText(`Text ${country}`)).toBeTruthy();
    expect(alert.isConnected).toBe(true);
    expect(select.value).toBe(country);
    expect(alert.querySelector("header")?.textContent).toContain(country);
    expect(alert.textContent).not.toContain("aucune région choisie");
    expect(screen.getByRole<HTMLInputElement>("radio", { name: country }).checked).toBe(true);
  }
  expect(call.mock.calls.filter(([name]) => name === "set_setting")).toEqual([]);
  // Its words are the conversation's, whatever the language of the screens is.
  expect(alert.querySelector("header")?.textContent).toContain("La sécurité d’abord\u00a0: suicide");
  expect(alert.querySelector("header")?.textContent).toContain("trouvé par règles");
  expect(alert.textContent).toContain("Pour cette conversation seulement");
});

// "I opened a patient after my daughter had used the companion, and it asked me who writes."
it("begins a session about a record with the first agent that takes such a record", async () => {
  const agents = [{ id: "filing", title: "Filing", description: "", subjects: ["Well"] }, ...answers["/api/agents"]];
  const view = mount(<NewSession subject={{ type: "Patient", id: "p1" }} />, { ...answers, "/api/agents": agents, "/api/records/Patient/p1": { id: "p1" } });
  await waitFor(() => expect(useChoices.getState().choices[""]?.agent).toBe("navigator"));
  view.unmount();
  // Without a record it is still the one that was chosen.
  useChoices.setState({ choices: { "": { agent: "companion", pattern: "" } } });
  mount(<NewSession subject={null} />, { ...answers, "/api/agents": agents });
  await screen.findByText("Qui écrit ?", { selector: "legend" });
  expect(useChoices.getState().choices[""]?.agent).toBe("companion");
});

// "I chose the reasoner, then the patient, and the navigator answered."
it("keeps the agent that a person chose before the record, where it takes such a record", async () => {
  const agents = [...answers["/api/agents"], { id: "reasoner", title: "Reasoner", description: "", subjects: ["Patient"] }, { id: "filing", title: "Filing", description: "", subjects: ["Well"] }];
  const read = { ...answers, "/api/agents": agents, "/api/records/Patient/p1": { id: "p1" } };
  useChoices.setState({ choices: { "": { agent: "companion", pattern: "" } } });
  const view = mount(<NewSession subject={null} />, read);
  await userEvent.click(await screen.findByRole("button", { name: /answered by/i }));
  await userEvent.click(await screen.findByRole("radio", { name: /Reasoner/ }));
  view.unmount();
  const then = mount(<NewSession subject={{ type: "Patient", id: "p1" }} />, read);
  await screen.findByRole("heading", { level: 1 });
  await waitFor(() => expect(useChoices.getState().choices[""]?.agent).toBe("reasoner"));
  then.unmount();
  // One that takes no such record gives way.
  useChoices.setState({ choices: { "": { agent: "filing", pattern: "", picked: true } } });
  mount(<NewSession subject={{ type: "Patient", id: "p1" }} />, read);
  await waitFor(() => expect(useChoices.getState().choices[""]?.agent).toBe("navigator"));
});

// "I had typed my name before I said that I am twelve, and it greeted me with it." "My country is in the settings."
it("sends no name that the form asks for no more, and waits for no country that the settings have", async () => {
  const vars = [...answers["/api/agents"][1]!.vars!, { name: "person", values: ["somebody_new", "unnamed"], open: true, fixed: true, start: true, unsaid: "somebody_new" }];
  const call = vi.fn(async () => ({ session: "s", turn: "t" }));
  useChoices.setState({ choices: { "": { agent: "companion", pattern: "", vars: { audience: "teen", person: "Léa" } } } });
  mount(<NewSession subject={null} />, {
    ...answers, "/api/agents": [{ ...answers["/api/agents"][1], vars }], "/api/settings": { region: "FR", region_chosen: true, regions: [] },
    "/api/agents/companion/start": { language: "fr", scale: 1, words: {}, fields: [{ var: "audience", say: "Qui écrit ?", choices: two("teen", "parent") }] },
  }, { call: call as never });
  await screen.findByText("Qui écrit ?", { selector: "legend" });
  await userEvent.type(await screen.findByRole("textbox", { name: "Message" }), "Bonjour{Enter}");
  await waitFor(() => expect(call.mock.calls).toContainEqual(["send", expect.objectContaining({ vars: { audience: "teen", person: "somebody_new" } })]));
});

// "I wrote of an overdose while it still answered: it said that the message goes once questions are answered, and there were none."
it("says of a message what becomes of it: it waits for the reply, after Stop it goes when it is sent, and an empty box promises nothing", async () => {
  useChoices.setState({ choices: {} });
  const call = vi.fn(async (name: string) => (name === "check_message" ? { ...help("international", "Call 112."), language: "en" } : {}));
  const parts = (running: string | null) => <><FirstHelp session="s" /><Composer session="s" before={{ agent: "navigator", pattern: "" }} subject={null} running={running} held={false} onSent={() => {}} /></>;
  const { rerender } = mount(parts("t"), { ...answers, "/api/drafts/s": { text: "" } }, { call: call as never });
  const box = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
  await userEvent.type(box, "I have taken all the pills{Enter}");
  const note = (await screen.findByRole("alert")).querySelector("footer")!;
  expect(note.textContent).toContain("it goes when the reply is there");
  expect(note.textContent).not.toContain("questions");
  await userEvent.click(screen.getByRole("button", { name: /^Stop/ }));
  expect(note.textContent).toContain("what is in the box goes when you send it");
  rerender(parts(null));
  expect(box.value).toBe("I have taken all the pills");
  expect(call.mock.calls.filter(([name]) => name === "send")).toHaveLength(0);
  await userEvent.clear(box);
  expect(note.textContent).toContain("about a message that was not sent");
  expect(note.textContent).not.toContain("box");
  showDanger("s", null);
});
