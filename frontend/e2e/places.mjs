// Every screen and dialog of the real program, and how each is reached, in either language.
import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { axe, call, framed, read, until } from "./harness.mjs";

/** The texts of a language by their keys, as the catalog of src/text has them. */
export function catalog(language) {
  const folder = fileURLToPath(new URL(`../src/text/${language}/`, import.meta.url));
  const found = new Map();
  for (const file of readdirSync(folder))
    for (const { 1: name, 2: text } of readFileSync(join(folder, file), "utf8").matchAll(/^ {2}(\w+): (".*"),$/gm)) found.set(`${file.replace(".ts", "")}.${name}`, JSON.parse(text));
  return found;
}

const idle = async (page) => (await read(page, "/api/jobs")).every((job) => job.status !== "running");

/** A clinic with a session that is over, one that waits, a document and a chart. */
export async function furnish(page, data) {
  await call(page, "import_sample", {});
  await until(() => idle(page));
  const text = join(data, "salt.md");
  writeFileSync(text, "# Salt and blood pressure\n\nLess salt lowers blood pressure in most people within weeks.\n\n## Sources\n\nA review of 34 trials.\n");
  await call(page, "import_library", { path: text });
  await until(() => idle(page));
  const { session: over } = await call(page, "send", { agent: "navigator", patient: "pat-alder", text: "How has her sleep been, and what has been tried?" });
  await until(async () => (await read(page, `/api/sessions/${over}`)).status === "completed");
  const { session: held } = await call(page, "send", { agent: "navigator", patient: "pat-alder", text: "Please book me a visit for my insomnia next week" });
  let approval;
  await until(async () => (approval = (await read(page, "/api/approvals?status=pending")).approvals?.[0]));
  const { list: documents } = await read(page, "/api/library");
  return { over, held, approval: approval.id, document: documents[0].id };
}

const button = (page, name) => page.getByRole("button", { name }).first();
const dialog = (page) => page.getByRole("dialog").or(page.getByRole("alertdialog")).first();

/** What is looked at: a name, an address, and what is opened there. `w` is a text in the language of the screens. */
export const places = ({ over, held, approval, document }, w = (text) => text) => [
  ["a session", `/sessions/${over}`, (page) => page.locator("article[data-turn]").first().waitFor()],
  ["a session that waits", `/sessions/${held}`, (page) => page.locator("[data-approval]").waitFor()],
  ["a new session", "/sessions/new", (page) => page.getByRole("heading", { name: w("New session") }).waitFor()],
  ["the find bar", `/sessions/${over}`, async (page) => {
    await page.locator("article[data-turn]").first().waitFor();
    await page.keyboard.press("Control+f");
    await page.getByRole("textbox", { name: w("Find in this session") }).fill("sleep");
    await page.getByRole("search", { name: w("Find in this session") }).getByRole("status").filter({ hasText: /^1 (of|sur)/ }).waitFor();
  }],
  ["search hits", "/sessions", async (page) => {
    await page.getByRole("navigation", { name: w("Screens") }).waitFor(); // before that nobody hears the key
    await page.keyboard.press("Control+Shift+F");
    await page.getByRole("searchbox", { name: w("Search sessions") }).fill("insomnia");
    await page.getByRole("region", { name: w("In what was said") }).getByRole("link").first().waitFor();
  }],
  ["a message that is edited", `/sessions/${over}`, async (page) => {
    await page.getByRole("button", { name: w("Edit"), exact: true }).first().click();
    await page.getByRole("textbox", { name: w("Ask this instead") }).waitFor();
  }],
  ["the graph in the whole window", `/sessions/${over}`, async (page) => {
    await page.locator("article[data-turn]").first().waitFor();
    await page.keyboard.press("Control+Shift+G");
    await page.locator("[data-full-graph] .react-flow__node").first().waitFor();
  }],
  ["the export", `/sessions/${over}`, async (page) => {
    await page.locator("article[data-turn]").first().waitFor();
    await page.keyboard.press("Control+Shift+E");
    await dialog(page).getByText(/PRACTICE|ENTRAÎNEMENT/).first().waitFor();
  }],
  ["the page for printing", `/sessions/${over}`, async (page) => {
    await page.locator("article[data-turn]").first().waitFor();
    await page.keyboard.press("Control+p");
    await dialog(page).getByRole("button", { name: w("Print") }).waitFor();
  }],
  ["the commands", `/sessions/${over}`, async (page) => {
    await page.locator("article[data-turn]").first().waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: w("Commands") }).fill("alder");
    await dialog(page).getByText(w("Charts")).waitFor();
  }],
  ["the help", "/approvals", async (page) => {
    await page.getByRole("heading", { name: w("Approvals") }).waitFor(); // before that nobody hears the key
    await page.keyboard.press("F1");
    await dialog(page).waitFor();
  }],
  ["approvals", "/approvals", (page) => page.getByRole("heading", { name: w("Approvals") }).waitFor()],
  ["an approval", `/approvals/${approval}`, (page) => page.locator("[data-approval]").waitFor()],
  ["an approval that is modified", `/approvals/${approval}`, async (page) => {
    await button(page, w("Modify…")).click();
    await page.getByLabel(/^(Start|Début)$/).waitFor();
  }],
  ["memory", "/memory", (page) => page.getByRole("heading", { name: w("Memory") }).first().waitFor()],
  ["memory of a session", `/memory/${over}`, (page) => page.getByRole("heading", { name: w("Sections") }).waitFor()],
  ["board", "/board", (page) => page.getByText(w("No study yet")).waitFor()],
  ["library", "/library", (page) => page.getByRole("heading", { name: w("Library") }).first().waitFor()],
  ["a document", `/library/${document}`, (page) => page.getByText("Less salt lowers blood pressure").first().waitFor()],
  ["records", "/records", (page) => page.getByRole("heading", { name: w("Records") }).first().waitFor()],
  ["a chart", "/records/Patient/pat-alder", (page) => page.getByRole("list", { name: w("Visits") }).waitFor()],
  ["a record", "/records/Practitioner", (page) => page.getByRole("heading", { name: w("Records") }).first().waitFor()],
  ["an import’s report", "/records", async (page) => {
    const files = await page.evaluateHandle(() => {
      const data = new DataTransfer();
      data.items.add(new File(['{"resourceType":"Patient","id":"new-1","name":[{"family":"Larch"}]}\nno line\n'], "a.ndjson"));
      return data;
    });
    await page.locator("[data-dropzone]").dispatchEvent("drop", { dataTransfer: files });
    await page.getByRole("region", { name: w("What was imported") }).first().waitFor();
  }],
  ["models", "/models", (page) => page.getByRole("heading", { name: w("Models") }).first().waitFor()],
  ["settings", "/settings", (page) => page.getByText(w("Reviewer name")).first().waitFor()],
  ["graphs of one’s own", "/settings/agents", async (page) => {
    await button(page, w("Begin with an example")).click();
    await page.getByRole("group", { name: w("Preview of the graph") }).locator(".react-flow__node").first().waitFor();
  }],
  ["rules", "/settings/rules", (page) => page.getByRole("region", { name: w("All rules") }).getByRole("listitem").first().waitFor()],
  ["skills", "/settings/skills", (page) => page.getByRole("region", { name: w("All skills") }).getByRole("listitem").first().waitFor()],
  ["tools from outside", "/settings/servers", (page) => button(page, w("Add a server")).click()],
  ["people", "/settings/people", (page) => page.getByRole("region", { name: w("Add a person") }).waitFor()],
  ["hold points", "/settings/checkpoints", async (page) => {
    await page.getByRole("list", { name: w("Types of holds") }).getByRole("button", { name: new RegExp(`^${w("Change")}`) }).first().click();
    await page.getByRole("form").first().waitFor();
  }],
  ["budgets", "/settings/budgets", async (page) => {
    await page.getByRole("button", { name: new RegExp(`^${w("Change")}`) }).first().click();
    await page.getByRole("form").first().waitFor();
  }],
  ["facts", "/settings/facts", (page) => page.getByText(w("To be confirmed"), { exact: true }).first().waitFor()],
  ["texts of an agent", "/settings/texts", (page) => button(page, w("Bring all texts up to date")).waitFor()],
  ["about", "/settings/about", (page) => page.getByRole("heading", { name: w("About") }).waitFor()],
  ["deleting a session", `/sessions/${over}`, async (page) => {
    await page.locator("article[data-turn]").first().waitFor();
    const pane = page.getByRole("button", { name: w("Sessions"), exact: true }).first();
    if (await pane.isVisible().catch(() => false)) await pane.click();
    await page.getByRole("button", { name: new RegExp(`^${w("Delete")}`) }).first().click();
    await dialog(page).getByText(w("Its turns, memory and journal are deleted. Records that were written stay, and with each who approved it and when, by name. This cannot be undone.")).waitFor();
  }],
];

const ended = async (page, session) => {
  const { status } = await read(page, `/api/sessions/${session}`);
  return status !== "running";
};

/** Has a turn run to its end, or to where it waits, and shows its session. */
const conversation = async (page, request) => {
  await page.getByRole("banner").waitFor();
  const { session } = await call(page, "send", request);
  await until(() => ended(page, session));
  await page.evaluate((to) => { location.hash = to; }, `/sessions/${session}`);
  await page.locator("article[data-turn]").first().waitFor();
  return session;
};

/** What other agents show, and what is said when something is amiss; each begins what it shows. */
export const conversations = (w = (text) => text) => [
  ["a session that is not there", "/sessions/none", (page) => page.getByText(w("This session is not here.")).first().waitFor()],
  ["help in danger", "/approvals", (page) => conversation(page, { agent: "navigator", text: "Je veux mourir ce soir" })],
  ["the companion’s questions", "/approvals", (page) => conversation(page, { agent: "companion", text: "Les examens me rendent nerveux.", vars: { audience: "teen", language: "fr" } })],
  ["the companion’s advice", "/approvals", (page) => conversation(page, { agent: "companion", vars: { audience: "teen", language: "fr" },
    text: "J'ai 15 ans et je vis en France. Depuis quelques semaines les examens me rendent nerveux. J'ai essayé de réviser la nuit. J'aimerais mieux dormir." })],
  ["a reasoner’s turn", "/approvals", (page) => conversation(page, { agent: "reasoner", text: "Que sait-on de son sommeil ?", patient: "pat-alder" })],
  ["a study", "/approvals", async (page) => {
    const session = await conversation(page, { agent: "researcher", text: "Less salt lowers blood pressure" });
    const { boards } = await read(page, "/api/boards");
    await page.evaluate((to) => { location.hash = to; }, `/board/${boards.find((one) => one.session === session).turn}`);
    await page.getByRole("button", { name: w("Report (Markdown)") }).waitFor();
  }],
];

/** The inspector's tabs but the first, which is open beside a session. */
export const tabs = ({ over }) => [1, 2, 3].map((tab) => [`the inspector’s tab ${tab + 1}`, `/sessions/${over}`, async (page) => {
  await page.locator("article[data-turn]").first().waitFor();
  await page.getByRole("tab").nth(tab).click();
  await page.getByRole("tabpanel").first().waitFor();
}]);

/** Shows a place as it is when it is opened anew. */
export async function show(page, [, hash, reveal]) {
  await page.evaluate((to) => history.replaceState(null, "", `#${to}`), hash); // which nobody hears: it is drawn once
  await page.reload();
  await reveal(page);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}

/** Nothing that axe knows is wrong, nothing lies outside of its pane or of the window. */
export async function sound(page, rules) {
  assert.deepEqual(await axe(page, rules), []);
  await fits(page);
}

/** Nothing lies outside of its pane or of the window. */
export async function fits(page) {
  if (!(await dialog(page).count())) await framed(page);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `the page is ${wide} px too wide`);
}
