// Every screen and dialog of the real program, in both colours, narrow and at 200 % text: no serious finding of axe, nothing
// wider than the window, no complaint of the page. HOLDPOINT_BIN names the program.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { axe, call, framed, looks, onData, open, picture, read, serve, skip, until } from "./harness.mjs";

const idle = async (page) => (await read(page, "/api/jobs")).every((job) => job.status !== "running");

/** A clinic with a session that is over, one that waits, a document and a chart. */
async function furnish(page, data) {
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

/** What is looked at: a name, an address, and what is opened there. */
const places = ({ over, held, approval, document }) => [
  ["a session", `/sessions/${over}`, (page) => page.locator("article[data-turn]").first().waitFor()],
  ["a session that waits", `/sessions/${held}`, (page) => page.locator("[data-approval]").waitFor()],
  ["a new session", "/sessions/new", (page) => page.getByRole("heading", { name: "New session" }).waitFor()],
  ["the find bar", `/sessions/${over}`, async (page) => {
    await page.locator("article[data-turn]").first().waitFor();
    await page.keyboard.press("Control+f");
    await page.getByRole("textbox", { name: "Find in this session" }).fill("sleep");
    await page.getByRole("search", { name: "Find in this session" }).getByRole("status").filter({ hasText: /^1 of/ }).waitFor();
  }],
  ["search hits", "/sessions", async (page) => {
    await page.keyboard.press("Control+Shift+F");
    await page.getByRole("searchbox", { name: "Search sessions" }).fill("insomnia");
    await page.getByRole("region", { name: "In what was said" }).getByRole("link").first().waitFor();
  }],
  ["a message that is edited", `/sessions/${over}`, async (page) => {
    await page.getByRole("button", { name: "Edit", exact: true }).first().click();
    await page.getByRole("textbox", { name: "Ask this instead" }).waitFor();
  }],
  ["the graph in the whole window", `/sessions/${over}`, async (page) => {
    await page.locator("article[data-turn]").first().waitFor();
    await page.keyboard.press("Control+Shift+G");
    await page.locator("[data-full-graph] .react-flow__node").first().waitFor();
  }],
  ["the export", `/sessions/${over}`, async (page) => {
    await page.locator("article[data-turn]").first().waitFor();
    await page.keyboard.press("Control+Shift+E");
    await dialog(page).getByText(/PRACTICE/).first().waitFor();
  }],
  ["the page for printing", `/sessions/${over}`, async (page) => {
    await page.locator("article[data-turn]").first().waitFor();
    await page.keyboard.press("Control+p");
    await dialog(page).getByRole("button", { name: "Print" }).waitFor();
  }],
  ["the commands", `/sessions/${over}`, async (page) => {
    await page.locator("article[data-turn]").first().waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Commands" }).fill("alder");
    await dialog(page).getByText("Charts").waitFor();
  }],
  ["the help", "/approvals", async (page) => {
    await page.getByRole("heading", { name: "Approvals" }).waitFor(); // before that nobody hears the key
    await page.keyboard.press("F1");
    await dialog(page).waitFor();
  }],
  ["approvals", "/approvals", (page) => page.getByRole("heading", { name: "Approvals" }).waitFor()],
  ["an approval", `/approvals/${approval}`, (page) => page.locator("[data-approval]").waitFor()],
  ["an approval that is modified", `/approvals/${approval}`, async (page) => {
    await button(page, /^Modify/).click();
    await page.getByLabel("Start", { exact: true }).waitFor();
  }],
  ["memory", "/memory", (page) => page.getByRole("heading", { name: "Memory" }).first().waitFor()],
  ["memory of a session", `/memory/${over}`, (page) => page.getByRole("heading", { name: "Sections" }).waitFor()],
  ["board", "/board", (page) => page.getByText("No study yet").waitFor()],
  ["library", "/library", (page) => page.getByRole("heading", { name: "Library" }).first().waitFor()],
  ["a document", `/library/${document}`, (page) => page.getByText("Less salt lowers blood pressure").first().waitFor()],
  ["records", "/records", (page) => page.getByRole("heading", { name: "Records" }).first().waitFor()],
  ["a chart", "/records/Patient/pat-alder", (page) => page.getByRole("list", { name: "Visits" }).waitFor()],
  ["a record", "/records/Practitioner", (page) => page.getByRole("heading", { name: "Records" }).first().waitFor()],
  ["an import’s report", "/records", async (page) => {
    const files = await page.evaluateHandle(() => {
      const data = new DataTransfer();
      data.items.add(new File(['{"resourceType":"Patient","id":"new-1","name":[{"family":"New"}]}\nno line\n'], "a.ndjson"));
      return data;
    });
    await page.locator("[data-dropzone]").dispatchEvent("drop", { dataTransfer: files });
    await page.getByRole("region", { name: "What was imported" }).first().waitFor();
  }],
  ["models", "/models", (page) => page.getByRole("heading", { name: "Models" }).first().waitFor()],
  ["settings", "/settings", (page) => page.getByText("Reviewer name").first().waitFor()],
  ["graphs of one’s own", "/settings/agents", async (page) => {
    await button(page, "Begin with an example").click();
    await page.getByRole("group", { name: "Preview of the graph" }).locator(".react-flow__node").first().waitFor();
  }],
  ["rules", "/settings/rules", (page) => page.getByRole("region", { name: "All rules" }).getByRole("listitem").first().waitFor()],
  ["skills", "/settings/skills", (page) => page.getByRole("region", { name: "All skills" }).getByRole("listitem").first().waitFor()],
  ["tools from outside", "/settings/servers", (page) => button(page, "Add a server").click()],
  ["about", "/settings/about", (page) => page.getByRole("heading", { name: "About" }).waitFor()],
  ["deleting a session", `/sessions/${over}`, async (page) => {
    await page.locator("article[data-turn]").first().waitFor();
    const pane = button(page, /^Sessions$/);
    if (await pane.isVisible().catch(() => false)) await pane.click();
    await page.getByRole("button", { name: /^Delete/ }).first().click();
    await dialog(page).getByText(/Its turns, memory and journal go/).waitFor();
  }],
];

for (const [look, options] of looks)
  test(`every screen and dialog, ${look}`, { skip }, (t) => onData(async (data, browser) => {
    const server = await serve(data, "--practice");
    const { page, problems } = await open(browser, server.url, options);
    try {
      page.setDefaultTimeout(15_000);
      await page.getByRole("navigation", { name: "Screens" }).waitFor();
      const furniture = await furnish(page, data);
      for (const [name, hash, reveal] of places(furniture))
        await t.test(name, async () => {
          await page.evaluate((to) => { location.hash = to; }, hash);
          await page.reload();
          await reveal(page);
          await page.evaluate(() => document.fonts.ready.then(() => undefined));
          await picture(page, `everywhere-${name.replace(/\W+/g, "-")}-${look}`);
          assert.deepEqual(await axe(page), []);
          if (!(await dialog(page).count())) await framed(page);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(wide <= 0, `the page is ${wide} px too wide`);
        });
      assert.deepEqual(problems, []);
    } finally {
      await server.stop();
    }
  }));
