// An analyst's way to a signed filing on the real server: people, well, hold, form, map, a changed box, a passphrase, the
// record, a file. HOLDPOINT_BIN names the program; the wells are made up.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { axe, bin, framed, onFolders, open, picture, readToEnd, serve, showInspector, skip } from "./harness.mjs";

const onData = onFolders();

const permits = fileURLToPath(new URL("../../engine/agents/filing/testdata/permits.csv", import.meta.url));
const ring = [[-102.1082, 31.843], [-102.0982, 31.843], [-102.0978, 31.857], [-102.1082, 31.857], [-102.1082, 31.843]];
const lease = { type: "FeatureCollection", crs: { type: "name", properties: { name: "NAD27" } }, features: [{ type: "Feature", properties: { lease_district: "08", lease_name: "TEST RANCH", operator_name: "MADE UP OIL, INC." }, geometry: { type: "Polygon", coordinates: [ring] } }] };
const well = "42-329-97102";
const secret = "blue pump over gravel";

/** Labels of the map that lie on one another or over its edge. */
const clashes = (page) => page.evaluate(() => {
  const map = [...document.querySelectorAll("[data-map] svg[role=img]")].find((one) => one.getBoundingClientRect().width > 0);
  const sheet = map.getBoundingClientRect();
  const rects = [...map.querySelectorAll("[data-label]")].map((node) => ({ text: node.textContent, ...node.getBoundingClientRect().toJSON() }));
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return [
    ...rects.flatMap((a, i) => rects.slice(i + 1).filter((b) => meet(a, b)).map((b) => `${a.text} / ${b.text}`)),
    ...rects.filter((a) => a.left < sheet.left || a.right > sheet.right || a.top < sheet.top || a.bottom > sheet.bottom).map((a) => `${a.text} over the edge`),
    ...rects.filter((a) => a.height < 11).map((a) => `${a.text} is only ${a.height} px high`),
  ];
});

/** Nothing is wider than the window. */
const fits = (page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1);

const looks = [
  ["light-1440", { colorScheme: "light", viewport: { width: 1440, height: 900 } }],
  ["dark-800", { colorScheme: "dark", viewport: { width: 800, height: 900 } }],
  ["light-390", { colorScheme: "light", viewport: { width: 390, height: 844 } }],
];

for (const [look, options] of looks)
  test(`an analyst prepares, reads, changes and signs a filing, ${look}`, { skip }, () => onData(async (data, browser) => {
    const boundary = join(data, "lease.geojson");
    writeFileSync(boundary, JSON.stringify(lease));
    for (const file of [permits, boundary]) execFileSync(bin, ["--data", data, "records", "import", file], { stdio: "ignore" });
    execFileSync(bin, ["--data", data, "settings", "set", "region", "US"], { stdio: "ignore" });
    execFileSync(bin, ["--data", data, "checkpoints", "set", "pre_filing", "--due", "36h", "--role", "engineer"], { stdio: "ignore" });
    const server = await serve(data, "--practice");
    const { page, problems } = await open(browser, server.url, { ...options, acceptDownloads: true });
    const seen = async (name) => {
      await picture(page, `filing-${name}-${look}`);
      assert.deepEqual(await axe(page), [], name);
      assert.ok(await fits(page), `${name} is wider than the window`);
    };
    const go = (hash) => page.evaluate((to) => { location.hash = to; }, hash);
    try {
      page.setDefaultTimeout(60_000);
      await page.getByText("PRACTICE MODE", { exact: true }).waitFor();

      // Who may sign.
      await go("#/settings/people");
      await page.getByText("Nobody has a role or a passphrase").waitFor();
      const add = page.getByRole("region", { name: "Add a person" });
      await add.getByLabel("Name").fill("Pat Analyst");
      await add.getByRole("button", { name: "Add a person" }).click();
      await add.getByText("Give a role or a passphrase").waitFor();
      await add.getByLabel("Roles").fill("engineer, land");
      await add.getByLabel("Passphrase for signing (optional)").fill(secret);
      await add.getByLabel("Passphrase once more").fill(secret);
      await add.getByRole("button", { name: "Add a person" }).click();
      await page.getByRole("list", { name: "Who may decide" }).getByText("signs with a passphrase").waitFor();
      await page.getByRole("button", { name: "Change Pat Analyst" }).click();
      await seen("people");

      // The well, and what is around it.
      await go(`#/records/Well/${well}`);
      await page.locator("[data-map] svg[role=img]").waitFor();
      await page.locator("[data-map]").scrollIntoViewIfNeeded();
      assert.deepEqual(await clashes(page), []);
      await page.locator("[data-map]").getByRole("cell", { name: "351.6 ft" }).waitFor();
      await seen("well");
      await page.getByRole("button", { name: "Near the well" }).click();
      assert.deepEqual(await clashes(page), []);
      await page.locator("[data-map]").evaluate((map) => map.scrollIntoView());
      await seen("near");

      // Agent, kind and message.
      await page.getByRole("button", { name: "New session about this well" }).click();
      const picker = page.locator("[data-agent-picker]");
      if ((await picker.getAttribute("aria-expanded")) === "false") await picker.click();
      await page.getByRole("radio", { name: /^Filing/ }).check();
      await page.getByRole("radio", { name: "Rule 37: spacing exception" }).check();
      const box = page.getByLabel("Message", { exact: true });
      await box.fill("Prepare the Rule 37 exception for this well");
      await box.press("Enter");
      const card = page.locator("[data-approval]");
      await card.waitFor();
      await card.locator("tr[data-box]").first().waitFor();
      await framed(page);
      await seen("held");

      // Beside the conversation: every box, sources on focus, what is missing.
      await showInspector(page, "Filing");
      const tab = page.locator("[data-inspector] [data-form]");
      await tab.waitFor();
      const count = await tab.locator("tr[data-box]").count();
      assert.ok(count >= 25, `${count} boxes`);
      await tab.getByRole("button", { name: "Source of operator name, as on P-5" }).focus();
      await page.getByRole("tooltip").filter({ hasText: "Operator/made-up-oil-inc" }).waitFor();
      await seen("source");
      await page.keyboard.press("Escape");
      await tab.getByRole("button", { name: /^Missing \d+$/ }).click();
      assert.ok((await tab.locator("tr[data-box]").count()) < count);
      assert.equal(await tab.locator('tr[data-box]:not([data-status="missing"])').count(), 0);
      await seen("missing");
      await page.getByRole("tab", { name: "Rules" }).click();
      await page.getByRole("meter", { name: "Tokens" }).first().waitFor();
      await page.getByText(/Rule rule37_filing_is_signed holds it/).waitFor();
      await page.getByText(/Loaded in this turn, tier 3/).waitFor();
      await seen("rules");

      // In the inbox: the whole form, a box filled in with its source, before and after.
      await go("#/approvals");
      await page.getByRole("list", { name: "Approvals, oldest first" }).getByRole("link").first().click();
      await card.locator("tr[data-box]").first().waitFor();
      assert.equal(await card.locator("tr[data-box]").count(), count);
      await card.getByText("Decision wanted").waitFor();
      await card.getByText("a person with the role engineer", { exact: true }).waitFor();
      await card.locator('tr[data-box="40"]').scrollIntoViewIfNeeded();
      await seen("card");
      await card.locator("[data-map]").evaluate((map) => map.scrollIntoView());
      assert.deepEqual(await clashes(page), []);
      await seen("card-map");
      await card.getByRole("button", { name: /^Modify/ }).click();
      await card.getByLabel("Fill in a box").selectOption("40");
      await card.getByLabel("remarks: value").fill("The pad is shared with TEST RANCH 1.");
      await card.getByText("Say where it is from.").waitFor();
      await card.getByLabel("remarks: source").fill("letter of 2 May");
      await card.getByLabel("Reviewer").fill("Pat Analyst");
      await seen("modify");
      // Whoever signs is asked for their passphrase at once.
      await card.getByRole("button", { name: /Save the new arguments/ }).click();
      await card.getByText("signs with a passphrase").waitFor();
      await card.getByLabel("Passphrase").fill(secret);
      await card.getByRole("button", { name: /Save the new arguments/ }).click();
      const changed = card.locator('tr[data-box="40"]');
      await changed.getByText("The pad is shared with TEST RANCH 1.").waitFor();
      await card.getByRole("button", { name: "Changed 1" }).waitFor();
      await changed.scrollIntoViewIfNeeded();
      await seen("changed");

      // Only with the passphrase.
      await readToEnd(page);
      await card.getByLabel("Passphrase").fill("a wrong guess");
      await card.getByRole("button", { name: /Approve as modified/ }).click();
      await card.getByText("The passphrase is not that of Pat Analyst.").waitFor();
      await card.getByLabel("Passphrase").fill(secret);
      await card.getByRole("button", { name: /Approve as modified/ }).click();
      await page.getByRole("link", { name: "Open the session" }).click();
      await showInspector(page, "Filing");
      await page.getByRole("link", { name: "Open the signed form" }).click();

      // The record, and a file of it.
      await page.getByText("Signed by Pat Analyst").waitFor();
      await page.getByText("The reviewer changed what the agent had asked for.").waitFor();
      await page.getByText("The pad is shared with TEST RANCH 1.").first().waitFor();
      await seen("record");
      for (const [format, want] of [["CSV", /remarks,The pad is shared/], ["Markdown", /Signed by Pat Analyst/]]) {
        const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: format, exact: true }).click()]);
        assert.match(readFileSync(await file.path(), "utf8"), want);
      }
      // A wrong passphrase is answered with 403; the page says so itself.
      assert.deepEqual(problems.filter((one) => !/403|blob:/.test(one)), []);
    } catch (error) {
      await picture(page, `filing-failed-${look}`);
      throw error;
    } finally {
      await server.stop();
    }
  }));
