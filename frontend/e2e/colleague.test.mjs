// A request goes to a colleague as a file, is signed in their own Holdpoint, and comes back; all on the screens, with two
// data folders that never meet. HOLDPOINT_BIN names the program; the wells are made up.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { axe, bin, onFolders, open, picture, serve, skip } from "./harness.mjs";

const onData = onFolders();

const permits = fileURLToPath(new URL("../../engine/agents/filing/testdata/permits.csv", import.meta.url));
const secret = "blue pump over gravel";

test("a colleague signs a request in their own Holdpoint, and the file comes back", { skip }, () => onData((asks, browser) => onData(async (signs) => {
  const run = (data, args, input = "") => execFileSync(bin, ["--data", data, ...args], { encoding: "utf8", input, stdio: ["pipe", "pipe", "ignore"] });
  run(asks, ["records", "import", permits]);
  assert.throws(() => run(asks, ["run", "--practice", "--agent", "filing", "--var", "type=rule_37", "--subject", "Well/42-329-97102", "Prepare the Rule 37 exception for this well"])); // it waits: exit code 3
  run(signs, ["people", "passphrase", "Cy Far"], `${secret}\n`);
  const key = JSON.parse(run(signs, ["people", "list", "--json"]).trim().split("\n").find((line) => line.includes("Cy Far"))).key;
  run(asks, ["people", "trust", "Cy Far", key]);

  const here = await serve(asks, "--practice");
  const there = await serve(signs, "--practice");
  const own = await open(browser, here.url, { viewport: { width: 1280, height: 900 }, acceptDownloads: true });
  const other = await open(browser, there.url, { viewport: { width: 800, height: 900 }, colorScheme: "dark", acceptDownloads: true });
  const saved = async (page, button, name) => {
    const [file] = await Promise.all([page.waitForEvent("download"), button.click()]);
    const at = join(asks, name);
    writeFileSync(at, readFileSync(await file.path()));
    return at;
  };
  try {
    for (const { page } of [own, other]) page.setDefaultTimeout(30_000);
    await own.page.evaluate(() => { location.hash = "#/approvals"; });
    await own.page.getByRole("list", { name: "Approvals, oldest first" }).getByRole("link").first().click();
    const card = own.page.locator("[data-approval]");
    await card.locator("tr[data-box]").first().waitFor();
    const request = await saved(own.page, card.getByRole("button", { name: "File for a colleague" }), "request.json");
    assert.deepEqual(await axe(own.page), []);

    await other.page.evaluate(() => { location.hash = "#/approvals"; });
    await other.page.locator("input[type=file][aria-label='File of a request']").setInputFiles(request);
    const dialog = other.page.getByRole("dialog");
    await dialog.getByText("You sign exactly this.").waitFor();
    await dialog.getByText("42-329-97102").first().waitFor();
    await picture(other.page, "colleague-signs");
    assert.deepEqual(await axe(other.page), []);
    await dialog.getByLabel("Reviewer").fill("Cy Far");
    await dialog.getByLabel("Passphrase").fill("a wrong guess");
    await dialog.getByRole("button", { name: "Sign: approved" }).click();
    await dialog.getByText("The passphrase is not that of Cy Far.").waitFor();
    // A box that only the colleague knows is filled in here, and is part of what is signed.
    await dialog.getByRole("button", { name: "Fill in or change…" }).click();
    await dialog.getByLabel("Fill in a box").selectOption("9");
    await dialog.getByLabel(/: value$/).fill("none");
    await dialog.getByLabel(/: source$/).fill("title opinion of Cy");
    await picture(other.page, "colleague-fills-in");
    assert.deepEqual(await axe(other.page), []);
    await dialog.getByLabel("Passphrase").fill(secret);
    const signed = await saved(other.page, dialog.getByRole("button", { name: "Sign: approved as changed" }), "signed.json");
    assert.equal(JSON.parse(readFileSync(signed, "utf8")).verdict.args.values[0].box, "9");

    // Unsigned it changes nothing; somebody else's words are refused; the signed one is taken.
    const file = own.page.locator("input[type=file][aria-label='File of a request']");
    await file.setInputFiles(request);
    await own.page.getByRole("dialog").getByText("nobody has signed it yet").waitFor();
    await own.page.keyboard.press("Escape");
    const forged = join(asks, "forged.json");
    writeFileSync(forged, readFileSync(signed, "utf8").replace('"approve": true', '"approve": false').replace('"comment": ""', '"comment": "no"'));
    await file.setInputFiles(forged);
    await own.page.getByText("The signature does not fit what was decided.").waitFor();
    await file.setInputFiles(signed);
    await own.page.getByText("The colleague’s verdict is taken.").waitFor();
    await own.page.evaluate(() => { location.hash = "#/records"; });
    await own.page.getByRole("link", { name: /^Filing/ }).first().waitFor();
    assert.deepEqual(own.problems.filter((one) => !/403|blob:/.test(one)), []);
    assert.deepEqual(other.problems.filter((one) => !/403|blob:/.test(one)), []);
  } finally {
    await here.stop();
    await there.stop();
  }
})));
