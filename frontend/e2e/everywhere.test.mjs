// Every screen and dialog of the real program, in both colours, narrow and at 200 % text: no serious finding of axe, nothing
// wider than the window, no complaint of the page. HOLDPOINT_BIN names the program.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inEach, onFolders, open, picture, serve, sizes, skip } from "./harness.mjs";
import { furnish, places, show, sound } from "./places.mjs";

const onData = onFolders();

for (const [size, looks] of sizes)
  test(`every screen and dialog, ${size}`, { skip }, (t) => onData(async (data, browser) => {
    const server = await serve(data, "--practice");
    const { page, problems } = await open(browser, server.url, looks[0][1]);
    try {
      page.setDefaultTimeout(60_000);
      await page.getByRole("navigation", { name: "Screens" }).waitFor();
      const furniture = await furnish(page, data);
      for (const place of places(furniture))
        await t.test(place[0], async () => {
          await show(page, place);
          await inEach(page, looks, async (look, rules) => {
            await picture(page, `everywhere-${place[0].replace(/\W+/g, "-")}-${look}`);
            await sound(page, rules);
          });
        });
      assert.deepEqual(problems, []);
    } finally {
      await server.stop();
    }
  }));
