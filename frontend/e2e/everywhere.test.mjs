// Every screen and dialog of the real program, in both colours, narrow and at 200 % text: no serious finding of axe, nothing
// wider than the window, no complaint of the page. HOLDPOINT_BIN names the program.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, framed, looks, onData, open, picture, serve, skip } from "./harness.mjs";
import { dialog, furnish, places } from "./places.mjs";

for (const [look, options] of looks)
  test(`every screen and dialog, ${look}`, { skip }, (t) => onData(async (data, browser) => {
    const server = await serve(data, "--practice");
    const { page, problems } = await open(browser, server.url, options);
    try {
      page.setDefaultTimeout(60_000);
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
