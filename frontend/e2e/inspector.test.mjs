// The inspector, the export and the palette: by keyboard, at every size, under the real content policy.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, inEach, onMock, picture, showInspector, sizes } from "./harness.mjs";

const mock = onMock();

async function visit(hash, options, run) {
  const { page, problems, close } = await mock.open("clinic", hash, options);
  try {
    await page.locator("#root > *").first().waitFor();
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    await run(page, problems);
  } finally {
    await close();
  }
}

for (const tab of ["Graph", "Steps", "Memory", "Detail"]) {
  for (const [size, looks] of sizes) {
    test(`${tab} of a held turn, ${size}: no error, no serious finding of axe`, () =>
      visit("#/sessions/s-held", looks[0][1], async (page, problems) => {
        await page.getByText("What will change").first().waitFor();
        await showInspector(page, tab);
        if (tab === "Graph") await page.locator(".react-flow__node").first().waitFor();
        if (tab === "Steps") await page.getByRole("list", { name: "Steps of this turn" }).waitFor();
        await inEach(page, looks, async (look, rules) => {
          await picture(page, `inspector-${tab.toLowerCase()}-${look}`);
          assert.deepEqual(await axe(page, rules), [], look);
          assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, look);
        });
        assert.deepEqual(problems, []);
      }));
  }
}

// "The button lay over the name of a step." "The count lay over the icon."
test("nothing lies over the labels of the graph, nor over the icon of what waits", async () => {
  const apart = (one, others) => one.evaluate((node, selector) => {
    const box = node.getBoundingClientRect();
    return [...document.querySelectorAll(selector)].filter((other) => {
      const { left, right, top, bottom } = other.getBoundingClientRect();
      return left < box.right && right > box.left && top < box.bottom && bottom > box.top;
    }).length === 0;
  }, others);
  await visit("#/sessions/s-held", { viewport: { width: 1280, height: 800 } }, async (page) => {
    await showInspector(page, "Graph");
    await page.locator(".react-flow__node").first().waitFor();
    for (const name of ["Graph in the whole window", "Fit the whole graph"]) assert.equal(await apart(page.locator("[data-inspector]").getByRole("button", { name: new RegExp(`^${name}`) }), '[data-inspector] [role=group][aria-label^="Graph of"]'), true, name);
  });
  for (const width of [390, 1280])
    await visit("#/approvals", { viewport: { width, height: 844 } }, async (page) => {
      const link = page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: /^Approvals/ });
      await link.getByText("waiting").waitFor({ state: "attached" });
      assert.equal(await apart(link.locator("svg"), 'nav [href*="approvals"] .rounded-full'), true, `at ${width} px`);
      await picture(page, `rail-${width}`);
    });
});

test("the graph is walked with the arrow keys and Enter shows the details of a step", () =>
  visit("#/sessions/s-held", {}, async (page) => {
    await page.getByText("What will change").first().waitFor();
    await showInspector(page, "Graph");
    await page.locator('[data-step="preflight"]').first().waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-step"));
    // From the tabs, Tab reaches one place of the graph.
    await page.getByRole("tab", { name: "Graph" }).focus();
    for (let i = 0; i < 3 && !(await focused()); i++) await page.keyboard.press("Tab");
    assert.equal(await focused(), "preflight");
    await page.keyboard.press("ArrowDown");
    for (const key of ["safety_intervention", "assembly_gate", "context_assembly"]) {
      await page.keyboard.press("ArrowDown");
      await page.waitForFunction((wanted) => document.activeElement?.getAttribute("data-step") === wanted, key);
    }
    await page.keyboard.press("Enter");
    await page.getByRole("article", { name: /Details of/ }).waitFor();
    assert.match(await page.getByRole("article", { name: /Details of/ }).innerText(), /Context assembly/i);
  }));

test("the graph shows the stage that waits for a person without being scrolled", () =>
  visit("#/sessions/s-held", {}, async (page) => {
    await page.getByText("What will change").first().waitFor();
    await showInspector(page, "Graph");
    await page.locator('[data-step="navigator"]').first().waitFor();
    await page.waitForFunction(() => {
      const stage = document.querySelector('[data-step="navigator"]').getBoundingClientRect();
      const pane = document.querySelector("[role=group][aria-label^=Graph]").getBoundingClientRect();
      return stage.top >= pane.top && stage.bottom <= pane.bottom;
    });
    await picture(page, "inspector-graph-revealed");
  }));

test("the graph and the list say the same of every stage", () =>
  visit("#/sessions/s-held", {}, async (page) => {
    await page.getByText("What will change").first().waitFor();
    await showInspector(page, "Graph");
    await page.locator('[data-step="finalize"]').first().waitFor();
    const read = () => page.$$eval("[data-inspector] [role=tabpanel] [data-step]", (all) => all.map((e) => e.dataset.step).filter((key) => !key.includes("/")));
    const graph = new Set(await read());
    await showInspector(page, "Steps");
    await page.getByRole("list", { name: "Steps of this turn" }).waitFor();
    assert.deepEqual(graph, new Set(await read()));
  }));

test("nothing in an export's preview runs, loads or reaches the page", () =>
  visit("#/sessions/s-done", {}, async (page, problems) => {
    await page.getByText("Her last two readings").first().waitFor();
    const title = await page.title();
    // What the policy blocks is announced as a request, but never reaches a network; this counts what does.
    const left = [];
    await page.route("https://beacon.test/**", (route) => {
      left.push(route.request().url());
      return route.abort();
    });
    await page.getByRole("button", { name: /Export this session/ }).first().click();
    await page.getByRole("dialog").getByLabel("Preview of the export").waitFor();
    assert.deepEqual(await axe(page), []);
    await page.getByRole("radio", { name: /HTML/ }).click();
    const frame = page.frameLocator('iframe[title="Preview of the export"]');
    await frame.getByRole("heading", { name: "Transcript" }).waitFor();
    await picture(page, "export-html");
    assert.equal(await page.title(), title);
    assert.deepEqual(left, []);
    const expected = /Content Security Policy|Blocked script execution|^request: https:\/\/beacon\.test/;
    assert.deepEqual(problems.filter((one) => !expected.test(one)), []);
  }));

test("the palette opens with Ctrl K, finds a screen by another word and goes there", () =>
  visit("#/sessions/s-done", {}, async (page, problems) => {
    await page.getByText("Her last two readings").first().waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Commands" }).fill("gguf");
    await picture(page, "palette");
    assert.deepEqual(await axe(page), []);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => location.hash === "#/models");
    assert.deepEqual(problems, []);
  }));

for (const [name, hash, text] of [
  ["memory", "#/memory/s-done", "Sections"],
  ["records-list", "#/records", "Records"],
  ["models", "#/models", "qwen3:8b"],
]) {
  test(`${name} at 200 % text: readable without sideways scrolling`, () =>
    visit(hash, { viewport: { width: 1280, height: 800 } }, async (page, problems) => {
      await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
      await page.getByText(text).first().waitFor();
      await picture(page, `${name}-200`);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
      assert.deepEqual(problems, []);
    }));
}
