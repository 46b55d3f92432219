// Every screen, light and dark, wide and narrow: no error, no request to elsewhere, no serious finding of axe.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, framed, inEach, onMock, picture, sizes } from "./harness.mjs";

const mock = onMock();

const screens = [
  ["first-run", "first", "", "Welcome to Holdpoint"],
  ["workspace-done", "clinic", "#/sessions/s-done", "Her last two readings"],
  ["workspace-held", "clinic", "#/sessions/s-held", "What will change"],
  ["workspace-failed", "clinic", "#/sessions/s-fail", "The step “navigator” failed"],
  ["workspace-safety", "clinic", "#/sessions/s-safe", "Safety first"],
  ["workspace-new", "clinic", "#/sessions/new", "New session"],
  ["recovery", "recovery", "#/sessions/s-fail", "3 steps kept, 1 will run again, 1 unknown"],
  ["hostile", "hostile", "#/approvals/t-held-a1", "Characters that turn the reading direction"],
  ["hostile-reply", "hostile", "#/sessions/s-done", "image not loaded"],
  ["approvals", "clinic", "#/approvals", "Approvals"],
  ["memory", "clinic", "#/memory/s-done", "Memory"],
  ["records", "clinic", "#/records/Patient/p-1", "Amara Osei"],
  ["models", "clinic", "#/models", "qwen3:8b"],
  ["settings", "clinic", "#/settings", "Reviewer name"],
];
for (const [name, scene, hash, text] of screens) {
  for (const [size, looks] of sizes) {
    test(`${name} ${size}`, () => mock.visit(scene, hash, async (page) => {
      await page.getByText(text).first().waitFor();
      await page.evaluate(() => document.fonts.ready.then(() => undefined));
      await page.waitForFunction(() => !document.querySelector("main [role=status]")?.textContent?.includes("Reading"));
      await inEach(page, looks, async (look, rules) => {
        await picture(page, `${name}-${look}`);
        assert.deepEqual(await axe(page, rules), [], look);
        await framed(page);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `the page is ${overflow} px too wide, ${look}`);
      });
    }, looks[0][1]));
  }
}

test("what has the focus stays in view when something comes above it, and is left where one scrolled away from it", () => mock.visit("clinic", "#/settings", async (page) => {
  await page.getByText("Reviewer name").first().waitFor();
  await page.keyboard.press("Tab");
  const field = page.getByLabel("Reviewer name");
  await field.focus();
  const shown = () => field.evaluate((at) => {
    const { top, bottom } = at.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });
  const above = () => page.evaluate(() => {
    const list = document.createElement("div");
    list.style.height = "3000px";
    document.querySelector("main").querySelector("h1, h2").before(list);
  });
  await page.waitForTimeout(200); // it was in view for more than one frame
  await above();
  await page.waitForFunction(() => {
    const { top, bottom } = document.activeElement.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });
  await page.mouse.move(700, 400);
  await page.mouse.wheel(0, -6000);
  await page.waitForFunction(() => document.activeElement.getBoundingClientRect().top > innerHeight);
  await page.waitForTimeout(300);
  assert.equal(await shown(), false, "scrolled back to what one scrolled away from");
}));
