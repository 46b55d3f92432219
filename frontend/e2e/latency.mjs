// Measures event to paint: from the moment an event was made in the engine (its `at`, taken before it is committed)
// to the first frame after the page has it. Run: HOLDPOINT_BIN=… node e2e/latency.mjs
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, launch, onEvents, open, read } from "./harness.mjs";

const data = mkdtempSync(join(tmpdir(), "holdpoint-latency-"));
const child = spawn(process.env.HOLDPOINT_BIN, ["--data", data, "serve", "--practice"], { stdio: ["ignore", "pipe", "ignore"] });
const url = await new Promise((found) => child.stdout.once("data", (line) => found(String(line).trim())));
const browser = await launch();
try {
  const { page } = await open(browser, "about:blank");
  await page.addInitScript(() => { window.samples = []; });
  await onEvents(page, (event) => {
    if (event.seq) requestAnimationFrame(() => { const channel = new MessageChannel(); channel.port1.onmessage = () => window.samples.push(Date.now() - Date.parse(event.at)); channel.port2.postMessage(0); });
  });
  await page.goto(url);
  await page.getByRole("navigation", { name: "Screens" }).waitFor();
  await call(page, "import_sample", {});
  while (!(await read(page, "/api/jobs")).every((job) => job.status === "done"));
  const { session } = await call(page, "send", { agent: "navigator", patient: "pat-alder", text: "hello" });
  await page.evaluate((id) => { location.hash = `/sessions/${id}`; }, session);
  await page.getByRole("button", { name: "Regenerate" }).waitFor();
  await page.evaluate(() => { window.samples = []; });
  for (let turn = 1; turn <= 10; turn++) {
    await page.getByLabel("Message").fill(`I would like to see someone about my sleep, please (${turn})`);
    await page.getByLabel("Message").press("Enter");
    await page.waitForFunction((n) => document.querySelectorAll("button").length && [...document.querySelectorAll("button")].filter((b) => b.textContent.includes("Regenerate")).length >= 1 && window.samples.length >= n * 40, turn);
    await page.getByRole("button", { name: "Send" }).waitFor();
  }
  const samples = (await page.evaluate(() => window.samples)).sort((a, b) => a - b);
  const at = (share) => samples[Math.min(samples.length - 1, Math.floor(samples.length * share))];
  console.log(JSON.stringify({ events: samples.length, median_ms: at(0.5), p95_ms: at(0.95), max_ms: samples.at(-1) }));
} finally {
  await browser.close();
  child.kill();
  await new Promise((done) => child.once("exit", done));
  rmSync(data, { recursive: true, force: true });
}
