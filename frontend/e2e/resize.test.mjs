// A window that is drawn wider or a phone that is turned: what was written and chosen stays, and nothing runs out sideways.
import assert from "node:assert/strict";
import { test } from "node:test";
import { call, onData, open, picture, read, serve, skip } from "./harness.mjs";

test("what was written and chosen stays while the window changes its width, and no draft of it is kept", { skip }, () => onData(async (data, browser) => {
  const server = await serve(data, "--practice");
  const { page, problems } = await open(browser, server.url, { viewport: { width: 390, height: 844 } });
  try {
    page.setDefaultTimeout(30_000);
    await call(page, "set_setting", { key: "region", value: "FR" });
    await page.goto(`${page.url().split("#")[0]}#/sessions/new`);
    await page.locator("[data-agent-picker]").click();
    await page.getByRole("radio", { name: /Companion/ }).check();
    await page.locator("[data-agent-picker]").click();
    await page.getByRole("radio", { name: "A parent" }).check();
    await page.getByRole("combobox", { name: /help lines/ }).selectOption("CA");
    const box = page.getByLabel("Message", { exact: true });
    await box.fill("My son is angry with us about every rule that we make");
    for (const width of [800, 390, 1300, 800, 1300, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await page.waitForTimeout(200);
      assert.equal(await box.inputValue(), "My son is angry with us about every rule that we make", `at ${width} px`);
      assert.ok(await page.getByRole("radio", { name: "A parent" }).isChecked());
      assert.equal(await page.getByRole("combobox", { name: /help lines/ }).inputValue(), "CA");
      assert.ok(await box.evaluate((node) => node === document.activeElement), "the focus stays");
      assert.ok(await box.evaluate((node) => node.scrollHeight <= node.clientHeight + 2 && node.clientHeight < 110), "the box has the height of its text");
      await picture(page, `resize-${width}`);
    }
    const sessions = async () => (await page.locator("#sessions").boundingBox())?.width ?? 0;
    await page.setViewportSize({ width: 1300, height: 844 });
    await page.waitForTimeout(200);
    assert.ok((await sessions()) < 430, `the list of sessions is ${await sessions()} px wide`);
    assert.equal((await read(page, "/api/drafts/new")).text ?? "", "");
    assert.deepEqual(problems, []);
  } finally {
    await server.stop();
  }
}));
