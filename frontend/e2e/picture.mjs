// README's picture: a turn that waits at a hold point. Run by build/picture: HOLDPOINT_BIN=… node e2e/picture.mjs OUT
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, launch, open, read } from "./harness.mjs";

const [out] = process.argv.slice(2);
const data = mkdtempSync(join(tmpdir(), "holdpoint-picture-"));
const child = spawn(process.env.HOLDPOINT_BIN, ["--data", data, "serve", "--practice"], { stdio: ["ignore", "pipe", "inherit"] });
const gone = new Promise((done) => child.once("exit", done));
const url = await new Promise((found) => child.stdout.on("data", (part) => { const line = String(part).match(/http\S+/); if (line) found(line[0]); }));
const browser = await launch();
try {
  const { page } = await open(browser, url, { colorScheme: "light" });
  page.setDefaultTimeout(30_000);
  await page.getByRole("navigation", { name: "Screens" }).waitFor();
  await call(page, "set_setting", { key: "region", value: "international" });
  await call(page, "set_setting", { key: "zone", value: "Europe/London" });
  await call(page, "set_setting", { key: "reviewer", value: "Dr. R. Vance" });
  await call(page, "import_sample", {});
  while (!(await read(page, "/api/jobs")).every((job) => job.status === "done"));
  const ask = async (patient, text) => (await call(page, "send", { agent: "navigator", patient, text })).session;
  // Sessions of an ordinary morning, each ended before the next begins.
  for (const [patient, text] of [["pat-alder", "Which medicines does Rowan take, and since when?"], ["pat-alder", "Who here helps with insomnia?"]]) {
    const session = await ask(patient, text);
    while ((await read(page, `/api/sessions/${session}`)).status === "running");
  }
  const session = await ask("pat-alder", "Please book a visit for the insomnia next week");
  await page.evaluate((id) => { location.hash = `/sessions/${id}`; }, session);
  await page.reload();
  await page.locator("[data-approval]").waitFor();
  await page.locator(".react-flow__node").first().waitFor();
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  await page.getByRole("region", { name: "In words" }).waitFor();
  await page.waitForTimeout(500); // what scrolls into view has scrolled
  await page.screenshot({ path: out });
  console.log(out);
} finally {
  await browser.close();
  child.kill();
  await gone;
  rmSync(data, { recursive: true, force: true });
}
