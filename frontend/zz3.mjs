import { launch, open } from "./e2e/harness.mjs";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
const axeSource = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const p = spawn("/tmp/h14-edge", ["--data", "/tmp/h14/d10", "serve", "--practice"], { stdio: ["ignore", "pipe", "inherit"] });
const url = await new Promise((ok) => p.stdout.on("data", (d) => { const m = /http:\S+/.exec(d); if (m) ok(m[0]); }));
const browser = await launch();
try {
  const { page, problems } = await open(browser, url, { colorScheme: process.argv[2] ?? "light", viewport: { width: Number(process.argv[3] ?? 1440), height: 900 } }); page.setDefaultTimeout(15000);
  await page.waitForTimeout(1500);
  await page.evaluate(() => { location.hash = "#/library/online"; }); await page.waitForTimeout(1200);
  await page.screenshot({ path: "/tmp/h14/shots/online1.png" });
  await page.evaluate(axeSource); const r = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] })); console.log(r.violations.map((v) => v.id));
  console.log(problems);
} catch (e) { console.log(e); } finally { await browser.close(); p.kill(); }
