// The same pages on the real server. HOLDPOINT_URL is the address that `holdpoint serve` prints, on a practice store.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, launch, open, picture } from "./harness.mjs";

const url = process.env.HOLDPOINT_URL;

test("the served app opens, keeps its token out of the address and has no serious finding", { skip: url ? false : "HOLDPOINT_URL is not set: no server to drive" }, async () => {
  const browser = await launch();
  try {
    const { page, problems } = await open(browser, url);
    await page.getByRole("navigation", { name: "Screens" }).waitFor();
    await page.getByText(/Welcome to Holdpoint|New session/).first().waitFor();
    assert.doesNotMatch(page.url(), /token/);
    for (const screen of ["approvals", "memory", "records", "models", "settings", "sessions"]) {
      await page.evaluate((name) => { location.hash = `/${name}`; }, screen);
      await page.getByRole("main").waitFor();
      await page.waitForLoadState("domcontentloaded");
      assert.deepEqual(await axe(page), [], screen);
      await picture(page, `serve-${screen}`);
    }
    assert.deepEqual(problems, []);
  } finally {
    await browser.close();
  }
});
