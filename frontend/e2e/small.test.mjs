// Small windows of the real program: what is decided on, written and warned of has room, whatever is asked above it.
// HOLDPOINT_BIN names the program.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { axe, bin, framed, onFolders, open, picture, serve, skip } from "./harness.mjs";

const onData = onFolders();

const allergies = Array.from({ length: 14 }, (_, index) => `Allergen number ${index} with many words in its name`);
const patient = [
  { resourceType: "Patient", id: "long", name: [{ family: "Wolfeschlegelsteinhausen".repeat(4), given: ["Maximiliana-Theodora", "Bartholomea"] }], birthDate: "1931-02-03" },
  ...allergies.map((text, index) => ({ resourceType: "AllergyIntolerance", id: `al${index}`, patient: { reference: "Patient/long" }, code: { text } })),
];
const sizes = [["200 % text", { viewport: { width: 640, height: 400 }, colorScheme: "dark" }], ["390 px", { viewport: { width: 390, height: 844 } }]];
const height = (locator) => locator.evaluate((node) => node.getBoundingClientRect().height);
/** How much of an element is within the window, in pixels of its height. */
const inView = (locator) => locator.evaluate((node) => {
  const { top, bottom } = node.getBoundingClientRect();
  return Math.min(bottom, innerHeight) - Math.max(top, 0);
});

for (const [size, options] of sizes)
  test(`before a region is chosen everything has room, ${size}`, { skip }, () => onData(async (data, browser) => {
    const file = join(data, "patient.ndjson");
    writeFileSync(file, patient.map((one) => JSON.stringify(one)).join("\n"));
    execFileSync(bin, ["--data", data, "records", "import", "sample"], { stdio: "ignore" });
    execFileSync(bin, ["--data", data, "records", "import", file], { stdio: "ignore" });
    const server = await serve(data, "--practice");
    const { page, problems } = await open(browser, server.url, options);
    const tall = options.viewport.height;
    const name = size.replace(/\W+/g, "");
    try {
      page.setDefaultTimeout(60_000);
      const notice = page.getByRole("region", { name: "Region for help lines" });
      await notice.waitFor();
      assert.ok(await height(notice) <= 44, `the notice is ${await height(notice)} px high`);
      assert.ok(await notice.getByRole("combobox", { name: "In which country should help be called in an emergency?" }).isVisible());
      assert.deepEqual(await axe(page), []);

      // "I could not see whom the new session would be about."
      await page.goto(new URL("#/sessions/new/Patient%2Fpat-alder", server.url).href);
      await page.getByRole("combobox", { name: /Search patients/ }).waitFor();
      assert.ok(await inView(page.getByRole("combobox", { name: /Search patients/ })) > 20, "the patient cannot be chosen");
      assert.ok(await inView(page.locator("[data-composer]")) > 20, "the message box is out of view");
      await picture(page, `small-new-${name}`);
      await framed(page);

      // "Of the request I saw the buttons, and nothing of what it would do."
      await page.locator("[data-composer]").fill("Please book me a visit for my insomnia next week");
      await page.keyboard.press("Enter");
      await page.locator("[data-approval]").waitFor();
      const room = await height(page.getByRole("region", { name: "Conversation" }));
      assert.ok(room > tall * 0.4, `the conversation has ${room} of ${tall} px`);
      await picture(page, `small-held-${name}`);
      await framed(page);
      assert.deepEqual(await axe(page), []);

      // "Her allergies filled the window, and her chart was nowhere."
      await page.goto(new URL("#/records/Patient/long", server.url).href);
      const banner = page.getByRole("group", { name: "Case" });
      await banner.getByText(allergies[0]).waitFor();
      const bar = page.locator("header").first();
      assert.ok(await height(bar) < tall * (tall < 600 ? 0.5 : 0.33), `the bar is ${await height(bar)} px high`);
      assert.doesNotMatch(await banner.innerText(), new RegExp(allergies[9]));
      await picture(page, `small-allergies-${name}`);
      await banner.getByRole("button", { name: /^and \d+ more$/ }).click();
      for (const one of allergies) assert.match(await banner.innerText(), new RegExp(one));
      await framed(page);
      assert.deepEqual(await axe(page), []);

      // "The report of the import stood where the list of patients had been."
      await page.goto(new URL("#/records/Patient", server.url).href);
      await page.getByRole("button", { name: "Load the sample clinic" }).click();
      await page.getByRole("table", { name: "What was imported" }).or(page.getByText(/records were here already/)).first().waitFor();
      await picture(page, `small-import-${name}`);
      const search = page.getByRole("textbox", { name: "Search Patients" }).or(page.getByRole("searchbox", { name: /Search patients/i })).first();
      await search.scrollIntoViewIfNeeded();
      assert.ok(await inView(search) > 20, "the search is out of view");
      await page.getByRole("link", { name: /Amara Cedar/ }).click({ timeout: 10_000 });
      await page.getByRole("heading", { name: "Amara Cedar" }).waitFor();
      assert.deepEqual(problems, []);
    } finally {
      await server.stop();
    }
  }));

// "There was nothing in the library yet, and the button that imports lay under the line at the bottom."
test("a screen with nothing on it yet has all its buttons in reach, 200 % text", { skip }, () => onData(async (data, browser) => {
  const server = await serve(data, "--practice");
  const { page, problems } = await open(browser, server.url, sizes[0][1]);
  try {
    page.setDefaultTimeout(20_000);
    await page.getByRole("navigation", { name: "Screens" }).waitFor();
    for (const screen of ["sessions", "approvals", "memory", "board", "library", "records", "models"]) {
      await page.goto(new URL(`#/${screen}`, server.url).href);
      const main = page.locator("main");
      await main.getByRole("heading").first().waitFor();
      const ways = main.locator("button:visible, a:visible, label:has(input[type=file]):visible");
      for (const way of await ways.all()) {
        await way.scrollIntoViewIfNeeded();
        const reached = await way.evaluate((node) => {
          const { left, top, width, height, bottom } = node.getBoundingClientRect();
          if (bottom > document.querySelector("main").getBoundingClientRect().bottom + 1) return `${node.textContent} hangs over the line at the bottom`;
          const hit = document.elementFromPoint(left + width / 2, top + height / 2);
          return !hit || !(node.contains(hit) || hit.contains(node)) || !hit.closest("main") ? `${node.textContent} is under ${hit?.textContent?.slice(0, 40)}` : "";
        });
        assert.equal(reached, "", screen);
      }
      await picture(page, `small-empty-${screen}`);
      await framed(page);
    }
    assert.deepEqual(problems, []);
  } finally {
    await server.stop();
  }
}));
