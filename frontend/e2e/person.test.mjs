// What a person does in a working day beside asking: finding, wording anew, keeping, importing, being told. On the mock.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, framed, onMock, picture } from "./harness.mjs";

const mock = onMock();

/** What an export of the mock tries is kept from it, and told: inspector.test.mjs looks at that. */
const on = (scene, hash, run, options) => mock.visit(scene, hash, run, options, /about:srcdoc|beacon\.test/);

const looks = [["light", { colorScheme: "light" }], ["dark-390", { colorScheme: "dark", viewport: { width: 390, height: 844 } }]];

/** A message box on every size: on narrow windows the conversation is one of the panes. */
const box = (page) => page.getByLabel("Message", { exact: true });

for (const [look, options] of looks) {
  test(`a message is on its way at once, and the row says the step, the time and what is read, ${look}`, () =>
    on("clinic:400", "#/sessions/s-done", async (page) => {
      await page.getByText("Her last two readings").first().waitFor();
      await box(page).fill("And the week before?");
      await box(page).press("Enter");
      await page.locator("article").filter({ hasText: "And the week before?" }).waitFor();
      await page.getByRole("status").filter({ hasText: /Starting|preflight/ }).first().waitFor();
      await page.getByText(/^\d+ s$/).first().waitFor();
      await page.getByText(/tokens read|reads about [\d,]+ tokens/).first().waitFor();
      await picture(page, `progress-${look}`);
      assert.deepEqual(await axe(page), []);
      await page.getByRole("button", { name: /Stop/ }).click();
    }, options));

  test(`Ctrl+F finds in what is shown, folded parts too, and Enter goes from one to the next, ${look}`, () =>
    on("clinic", "#/sessions/s-done", async (page) => {
      await page.getByText("Her last two readings").first().waitFor();
      await page.keyboard.press("Control+f");
      const find = page.getByRole("textbox", { name: "Find in this session" });
      await find.fill("LISINOPRIL");
      const bar = page.getByRole("search", { name: "Find in this session" });
      await bar.getByRole("status").filter({ hasText: /^1 of \d/ }).waitFor();
      assert.equal(await page.evaluate(() => [...CSS.highlights.get("found-here")][0].toString().toLowerCase()), "lisinopril");
      await picture(page, `find-${look}`);
      assert.deepEqual(await axe(page), []);
      // Over several pieces of a sentence.
      await find.fill("were above target (148");
      await bar.getByRole("status").filter({ hasText: /^1 of 1/ }).waitFor();
      await find.fill("penicillium");
      await bar.getByText("Not found").waitFor();
      // What is folded away is opened.
      await find.fill("already complete");
      await bar.getByRole("status").filter({ hasText: /^1 of/ }).waitFor();
      await page.waitForFunction(() => { const [range] = CSS.highlights.get("found-here") ?? []; return range && range.getBoundingClientRect().height > 0; });
      await page.keyboard.press("Escape");
      await find.waitFor({ state: "detached" });
    }, options));

  test(`what was said is found by Ctrl+Shift+F, and its session opens at the words, ${look}`, () =>
    on("clinic", "#/approvals", async (page) => {
      await page.getByRole("heading", { name: "Approvals" }).waitFor();
      await page.keyboard.press("Control+Shift+F");
      const search = page.getByRole("searchbox", { name: "Search sessions" });
      await search.waitFor();
      await search.fill("pressure readings");
      const hits = page.getByRole("region", { name: "In what was said" });
      await hits.getByRole("link").first().waitFor();
      await picture(page, `search-${look}`);
      assert.deepEqual(await axe(page), []);
      await hits.getByRole("link").first().click();
      await page.waitForFunction(() => location.hash.startsWith("#/sessions/s-done"));
      await page.getByRole("search", { name: "Find in this session" }).getByRole("status").filter({ hasText: /^1 of/ }).waitFor();
    }, options));

  test(`a message is edited into a branch that says where it comes from, ${look}`, () =>
    on("clinic", "#/sessions/s-done", async (page) => {
      await page.getByRole("button", { name: "Edit", exact: true }).first().click();
      const text = page.getByRole("textbox", { name: "Ask this instead" });
      assert.equal(await text.inputValue(), "How were her last blood pressure readings?");
      await picture(page, `edit-${look}`);
      assert.deepEqual(await axe(page), []);
      await text.fill("How were her readings in spring?");
      await text.press("Control+Enter");
      await page.getByText(/This session remembers what was said in/).waitFor();
      assert.doesNotMatch(page.url(), /s-done/);
      await picture(page, `branch-${look}`);
      await page.getByRole("link", { name: /Readings of the last month/ }).first().click();
      await page.getByText("How were her last blood pressure readings?").first().waitFor();
    }, options));

  test(`the graph fills the window, follows what runs, and shows a step’s details, ${look}`, () =>
    on("clinic:150", "#/sessions/s-done", async (page) => {
      await page.getByText("Her last two readings").first().waitFor();
      await box(page).fill("Again, please");
      await box(page).press("Enter");
      await page.keyboard.press("Control+Shift+G");
      const graph = page.getByRole("dialog", { name: /^Graph of/ });
      await graph.locator(".react-flow__node").first().waitFor();
      // Whatever runs is in view by itself.
      await page.waitForFunction(() => {
        const pane = document.querySelector("[data-full-graph] [role=group]")?.getBoundingClientRect();
        // Of branches side by side one may be further to the side than a narrow window shows.
        return pane && [...document.querySelectorAll("[data-full-graph] [data-step]")].filter((node) => /Running/.test(node.textContent) && !node.dataset.step.includes("/")).some((node) => {
          const { top, left } = node.getBoundingClientRect();
          return top >= pane.top - 1 && top < pane.bottom && left >= pane.left - 1 && left < pane.right;
        });
      });
      await picture(page, `full-graph-${look}`);
      await graph.locator('[data-step="preflight"]').click();
      await graph.getByRole("article", { name: /^Details of/ }).waitFor();
      assert.deepEqual(await axe(page), []);
      await graph.getByRole("button", { name: "Follow what runs" }).click();
      await graph.getByRole("article").waitFor({ state: "detached" });
      await page.keyboard.press("Escape");
      await graph.waitFor({ state: "detached" });
    }, options));

  test(`a start is picked from the open times, in the clinic’s zone, ${look}`, () =>
    on("clinic", "#/approvals/t-held-a1", async (page) => {
      await page.getByRole("button", { name: /Modify/ }).click();
      const times = page.getByLabel("Open times");
      await times.selectOption({ label: "11:00 to 11:50 UTC" });
      assert.equal(await page.getByLabel("Start", { exact: true }).inputValue(), "2026-12-02T11:00");
      await picture(page, `open-times-${look}`);
      assert.deepEqual(await axe(page), []);
    }, options));
}

test("a draft outlives the page that it was written on", () =>
  on("clinic", "#/sessions/s-done", async (page) => {
    // The mock lives in the page: what it was told is read back as the server would give it.
    await box(page).fill("Half a thought about her sleep");
    await page.waitForFunction(() => window.holdpointMock?.drafts.get("s-done") === "Half a thought about her sleep");
    await page.evaluate(() => { location.hash = "/sessions/s-held"; });
    await page.waitForFunction(() => document.querySelector("[data-composer]")?.value === "");
    await page.evaluate(() => { location.hash = "/sessions/s-done"; });
    await page.waitForFunction(() => document.querySelector("[data-composer]")?.value === "Half a thought about her sleep");
  }));

test("at 1200 × 560 the bar below an approval leaves the conversation to read", () =>
  on("clinic", "#/sessions/s-held", async (page) => {
    await page.locator("[data-approval]").waitFor();
    const share = await page.evaluate(() => document.querySelector('[aria-label="Decide"]').getBoundingClientRect().height / document.querySelector('[aria-label="Conversation"]').getBoundingClientRect().height);
    assert.ok(share < 0.2, `the bar takes ${Math.round(share * 100)} %`);
    await picture(page, "low-bar");
    await framed(page);
    assert.deepEqual(await axe(page), []);
  }, { viewport: { width: 1200, height: 560 } }));

test("a folder and an archive are dropped, and go as one import", () =>
  on("clinic", "#/records", async (page) => {
    await page.getByRole("heading", { name: "Records" }).waitFor();
    const zone = page.locator("[data-dropzone]");
    const files = await page.evaluateHandle(() => {
      const data = new DataTransfer();
      data.items.add(new File(["{}"], "a.ndjson"));
      data.items.add(new File(["PK"], "b.zip"));
      return data;
    });
    await zone.dispatchEvent("dragenter", { dataTransfer: files });
    await page.getByText("Drop FHIR files, a folder or a .zip archive to import them").waitFor();
    await picture(page, "drop");
    assert.deepEqual(await axe(page), []);
    await zone.dispatchEvent("drop", { dataTransfer: files });
    await page.getByText("Reading 2 files…").waitFor();
    assert.deepEqual(await page.evaluate(() => window.holdpointMock.uploads), [{ title: "2 files", paths: ["a.ndjson", "b.zip"] }]);
  }));

test("what comes to wait is told on every other screen, and by the system without naming anybody", () =>
  on("clinic:5", "#/sessions/s-done", async (page) => {
    await page.getByText("Her last two readings").first().waitFor();
    await page.evaluate(() => {
      window.notices = [];
      window.Notification = class { static permission = "granted"; constructor(title, options) { window.notices.push(`${title}: ${options.body}`); } close() {} };
      document.hasFocus = () => false;
    });
    await box(page).fill("Book a visit");
    await box(page).press("Enter");
    await page.evaluate(() => { location.hash = "/records"; });
    await page.getByText(/Waits for your approval: Book a follow-up for Amara Osei/).waitFor();
    await picture(page, "held-notice");
    assert.deepEqual(await axe(page), []);
    assert.deepEqual(await page.evaluate(() => window.notices), ["Holdpoint: Something waits for your approval or answer."]);
    await page.getByRole("link", { name: "Look at it" }).click();
    await page.locator("[data-approval]").waitFor();
  }));

test("Ctrl+P opens the page for printing", () =>
  on("clinic", "#/sessions/s-done", async (page) => {
    await page.getByText("Her last two readings").first().waitFor();
    await page.keyboard.press("Control+p");
    await page.getByRole("dialog", { name: "Export this session" }).getByRole("button", { name: "Print" }).waitFor();
  }));

// Labels of ways, and the boxes between them.
for (const [name, scene, hash, wait] of [["the navigator", "clinic", "#/sessions/s-held", "What will change"], ["an autonomous turn", "autonomous", "#/sessions/s-auto", "Work out 12"], ["a turn that asks", "question", "#/sessions/s-ask", "How urgent is the message"]])
  test(`no label of ${name} lies on another or on a box`, () =>
    on(scene, hash, async (page) => {
      await page.getByText(wait).first().waitFor();
      await page.keyboard.press("Control+Shift+G");
      await page.locator("[data-full-graph] .react-flow__node").first().waitFor();
      await page.evaluate(() => document.fonts.ready.then(() => undefined));
      const clashes = await page.evaluate(() => {
        const root = document.querySelector("[data-full-graph]");
        const rect = (node) => ({ text: node.textContent.slice(0, 40), ...node.getBoundingClientRect().toJSON() });
        const labels = [...root.querySelectorAll("[data-way]")].map(rect);
        // A stage that holds others lies under their labels.
        const boxes = [...root.querySelectorAll(".react-flow__node")].filter((node) => !node.querySelector("[aria-expanded=true]")).map(rect);
        const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
        return [...labels.flatMap((a, i) => labels.slice(i + 1).filter((b) => meet(a, b)).map((b) => `${a.text} / ${b.text}`)), ...labels.flatMap((a) => boxes.filter((b) => meet(a, b)).map((b) => `${a.text} on ${b.text}`))];
      });
      await picture(page, `labels-${scene}`);
      assert.deepEqual(clashes, []);
    }));

// Threats 8 and 12, in the page itself.
test("Threat8: no link of a hostile reply opens anything but https and mailto, and no picture asks anybody", () =>
  mock.visit("hostile", "#/sessions/s-done", async (page) => {
    await page.getByText("image not loaded").first().waitFor();
    const asked = [];
    page.context().on("page", (other) => asked.push(other.url()));
    const here = page.url();
    const links = page.getByRole("region", { name: "Conversation" }).locator("a[href]");
    for (const href of await links.evaluateAll((all) => all.map((one) => one.href))) assert.ok(/^https:|^mailto:/.test(href) || new URL(href).origin === new URL(here).origin, href);
    for (const text of await page.getByText(/\(link not opened: /).all()) await text.click();
    assert.equal(page.url(), here);
    assert.deepEqual(asked, []);
    assert.equal(await page.locator("main img, main iframe, main object, main embed").count(), 0);
  }));
