import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { forgetStart, useChoices } from "@/conversation/agents";
import { useDanger } from "@/conversation/danger";
import { mount } from "@/inspector/mount.fixture";
import { StartCard } from "./StartCard";

const choices = (...values: string[]) => values.map((value) => ({ value, say: value }));
const start = { language: "en", scale: 1, words: {}, fields: [
  { var: "language", say: "Language", choices: choices("en", "fr") }, { var: "audience", say: "Who is writing?", choices: choices("teen", "parent") }, { var: "region", say: "Where?", choices: choices("FR", "BE", "CH", "GB", "US", "CA", "DE", "IT", "ES", "NL", "AT", "LU") }, { var: "age", say: "How old?", choices: choices("under 13", "older") },
] };

function Card() {
  const choice = useChoices(({ choices }) => choices[""]) ?? { agent: "companion", pattern: "" };
  return <StartCard agent={{ id: "companion", title: "Companion", description: "", cards: true, vars: [{ name: "audience", values: ["teen", "parent"], fixed: true }] } as never} choice={choice} />;
}

beforeEach(() => {
  useChoices.setState({ choices: {} });
  useDanger.setState({ danger: {} });
});

// "I sat down after my son, and it took me for sixteen."
it("asks each one who begins, and asks again what depends on who it is", async () => {
  const path = "/api/agents/companion/start";
  const answers = Object.fromEntries(["", "?audience=teen", "?audience=teen&age=older", "?audience=teen&age=older&region=FR", "?audience=parent", "?language=fr&audience=parent", "?audience=parent&language=fr"].map((query) => [path + query, start]));
  const it = mount(<Card />, answers);
  await userEvent.click(await screen.findByRole("radio", { name: "teen" }));
  await userEvent.click(screen.getByRole("radio", { name: "older" }));
  await userEvent.selectOptions(screen.getByRole("combobox"), "FR"); // in any order
  expect(useChoices.getState().choices[""]?.vars).toEqual({ audience: "teen", age: "older", region: "FR" });
  await userEvent.click(screen.getByRole("radio", { name: "parent" }));
  expect(useChoices.getState().choices[""]?.vars).toEqual({ audience: "parent" });
  await userEvent.click(screen.getByRole("radio", { name: "fr" }));
  expect(useChoices.getState().choices[""]?.vars).toEqual({ audience: "parent", language: "fr" });
  it.unmount();
  expect(useChoices.getState().choices[""]?.vars).toEqual({ audience: "parent", language: "fr" }); // a narrow window shows one pane at a time
  forgetStart();
  expect(useChoices.getState().choices[""]).toEqual({ agent: "companion", pattern: "" });
});

// "The clinic's laptop says France, and my son lives in Canada."
it("shows the country of the settings, and takes another one for the conversation", async () => {
  const known = { ...start, words: { from_settings: "set in this app" }, fields: start.fields.map((field) => (field.var === "region" ? { ...field, value: "FR" } : field)) };
  mount(<Card />, { "/api/agents/companion/start": known, "/api/agents/companion/start?region=CA": start });
  const region = await screen.findByRole<HTMLSelectElement>("combobox", { name: "Where?" });
  expect(region.value).toBe("FR");
  expect(screen.getByText("set in this app")).toBeTruthy();
  expect(useChoices.getState().choices[""]?.vars).toBeUndefined(); // it follows the settings
  await userEvent.selectOptions(region, "CA");
  expect(region.value).toBe("CA");
  expect(useChoices.getState().choices[""]?.vars).toEqual({ region: "CA" });
  expect(screen.queryByText("set in this app")).toBeNull();
});

// "I wrote my name, and my brother who came after me was greeted with it."
it("takes a name of one's own, or none, and begins anew with somebody else", async () => {
  const own = { ...start, fields: [start.fields[0]!, start.fields[1]!, { var: "person", say: "Do you want to be known?", choices: choices("somebody_new"), own: "Under this name", longest: 40 }] };
  const paths: string[] = [];
  const agent = { id: "companion", title: "Companion", description: "", cards: true, vars: [{ name: "audience", values: ["teen", "parent"], fixed: true }, { name: "person", values: ["somebody_new", "unnamed"], open: true, fixed: true, unsaid: "somebody_new" }] } as never;
  function Named() {
    const choice = useChoices(({ choices }) => choices[""]) ?? { agent: "companion", pattern: "" };
    return <StartCard agent={agent} choice={choice} />;
  }
  mount(<Named />, { "/api/agents/companion/start": (path: string) => { paths.push(path); return own; } });
  await userEvent.click(await screen.findByRole("radio", { name: "teen" }));
  expect((screen.getByRole("radio", { name: "somebody_new" }) as HTMLInputElement).checked).toBe(true);
  await userEvent.type(screen.getByRole("textbox", { name: "Under this name" }), "Léa ");
  expect(useChoices.getState().choices[""]?.vars).toEqual({ audience: "teen", person: "Léa" });
  await userEvent.clear(screen.getByRole("textbox", { name: "Under this name" }));
  expect(useChoices.getState().choices[""]?.vars).toEqual({ audience: "teen", person: "somebody_new" });
  await userEvent.type(screen.getByRole("textbox", { name: "Under this name" }), "Léa");
  await userEvent.click(screen.getByRole("radio", { name: "parent" }));
  expect(useChoices.getState().choices[""]?.vars).toEqual({ audience: "parent" });
  expect((screen.getByRole("textbox", { name: "Under this name" }) as HTMLInputElement).value).toBe("");
  // A name is kept neither in an address nor by the browser.
  expect([...paths, sessionStorage.getItem("holdpoint.agents")].join(" ")).not.toMatch(/L%C3%A9a|Léa/);
});
