// A study in the browser, on the real server: import, search, open a page, ask, decide, export.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { axe, onFolders, open, picture, serve, skip } from "./harness.mjs";

const onData = onFolders();

const papers = {
  "one.txt": "Exercise training improves sleep quality in older adults.",
  "two.txt": "Regular exercise improves the sleep quality of patients after surgery.",
  "three.txt": "Exercise had no effect on sleep quality in shift workers. They were tired before.",
};

for (const look of ["light", "dark"]) {
  test(`a study from import to export, ${look}`, { skip }, () => onData(async (data, browser) => {
    const folder = join(data, "papers");
    mkdirSync(folder);
    for (const [name, text] of Object.entries(papers)) writeFileSync(join(folder, name), text);
    const server = await serve(data, "--practice");
    const { page, problems } = await open(browser, server.url, { colorScheme: look });
    try {
      page.setDefaultTimeout(60_000);
      await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: "Board" }).click();
      await page.getByText("No study yet").waitFor();
      assert.deepEqual(await axe(page), [], "an empty board");

      await page.getByRole("link", { name: "Library" }).click();
      await page.getByText("No documents yet").waitFor();
      await page.locator("input[type=file]").first().setInputFiles(Object.keys(papers).map((name) => join(folder, name)));
      await page.getByText(/^3 documents, /).waitFor();
      await page.getByRole("searchbox").fill("shift workers");
      await page.getByRole("link", { name: /shift workers/ }).first().click();
      await page.locator("[aria-current=true]").getByText("They were tired before.").waitFor();

      await page.getByRole("link", { name: "Sessions" }).click();
      await page.goto(`${page.url().split("#")[0]}#/sessions/new`);
      await page.getByRole("radio", { name: /Researcher/ }).check();
      await page.getByText("(experimental)").first().waitFor();
      await page.getByLabel("Message", { exact: true }).fill("Does exercise improve sleep quality?");
      await page.getByLabel("Message", { exact: true }).press("Enter");
      await page.getByRole("heading", { name: "References" }).first().waitFor();
      await page.getByRole("link", { name: "[1]" }).first().click();
      await page.locator("[aria-current=true]").first().waitFor(); // the passage, in the reader

      await page.getByRole("link", { name: "Board", exact: true }).click();
      await page.getByRole("heading", { name: /Does exercise improve sleep quality/ }).waitFor();
      await page.getByText("Experimental", { exact: true }).waitFor();
      assert.deepEqual(await axe(page), [], "a board");
      await picture(page, `board-${look}`);
      await page.getByRole("button", { name: "Resolve otherwise" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel(/Source A stands/).check();
      await dialog.getByLabel("Reason").fill("It is the larger one.");
      await dialog.getByLabel("Your name").fill("Reviewer One");
      assert.deepEqual(await axe(page), [], "a decision");
      await dialog.getByRole("button", { name: "Keep my decision" }).click();
      await page.getByText("Resolved by Reviewer One: It is the larger one.").waitFor();
      await page.getByRole("button", { name: "Refute" }).click();
      await dialog.getByLabel("Reason").fill("These are other people.");
      await dialog.getByLabel("Your name").fill("Reviewer One");
      await dialog.getByRole("button", { name: "Keep my decision" }).click();
      await page.getByText("Refuted by Reviewer One: These are other people.").waitFor();
      assert.deepEqual(await axe(page), [], "a board with decisions");
      await picture(page, `board-decided-${look}`);

      for (const [button, part] of [["Report (Markdown)", "Refuted by Reviewer One"], ["Report (HTML)", "<!doctype html>"], ["Sources (BibTeX)", "@misc{"], ["Sources (RIS)", "TY  - GEN"]]) {
        const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: button }).click()]);
        assert.ok(readFileSync(await download.path(), "utf8").includes(part), button);
      }
      assert.deepEqual(problems, []);
    } finally {
      await server.stop();
    }
  }));
}
