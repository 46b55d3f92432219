// A list whose columns nobody knows: what they mean is said on the screen, and the list is imported so. Facts are
// confirmed on the screen, too. HOLDPOINT_BIN names the program.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { axe, onFolders, open, picture, serve, skip } from "./harness.mjs";

const onData = onFolders();

for (const [look, options] of [["light-1280", { colorScheme: "light", viewport: { width: 1280, height: 900 } }], ["dark-390", { colorScheme: "dark", viewport: { width: 390, height: 844 } }]])
  test(`an analyst says what the columns of a list mean, ${look}`, { skip }, () => onData(async (data, browser) => {
    const list = join(data, "mine.csv");
    writeFileSync(list, "number,place,how long\n42-135-97001,ECTOR,9800\n42-135-97002,ECTOR,9700\n");
    const server = await serve(data, "--practice");
    const { page, problems } = await open(browser, server.url, options);
    const go = (hash) => page.evaluate((to) => { location.hash = to; }, hash);
    try {
      page.setDefaultTimeout(60_000);
      await go("#/records");
      await page.getByText("No records yet").waitFor();
      await page.locator("input[type=file][aria-label='Records file']").setInputFiles(list);
      // It is open by itself: without an answer nothing is imported.
      await page.getByRole("combobox", { name: "A line is about" }).selectOption("wells");
      await page.getByRole("combobox", { name: "number means" }).selectOption("api");
      await page.getByRole("combobox", { name: "place means" }).selectOption("county");
      await picture(page, `columns-${look}`);
      assert.deepEqual(await axe(page), []);
      await page.getByRole("button", { name: "Keep and import again" }).click();
      await page.getByRole("link", { name: /^Wells?\b/ }).first().waitFor();
      await page.getByText("42-135-97002").first().waitFor();
      await picture(page, `columns-read-${look}`);
      await go("#/settings/facts");
      const confirm = page.getByRole("button", { name: /^I confirm it: A protest/ });
      await confirm.waitFor();
      await picture(page, `facts-${look}`);
      assert.deepEqual(await axe(page), []);
      await confirm.click();
      await page.getByRole("button", { name: /^Take back: A protest/ }).waitFor();
      assert.deepEqual(problems, []);
    } finally {
      server.stop();
    }
  }));
