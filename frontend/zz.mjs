import { launch, open } from "./e2e/harness.mjs";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
const axeSource = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const p = spawn("/tmp/h14-edge", ["--data", "/tmp/h14/d10", "serve", "--practice"], { stdio: ["ignore", "pipe", "inherit"] });
const url = await new Promise((ok) => p.stdout.on("data", (d) => { const m = /http:\S+/.exec(d); if (m) ok(m[0]); }));
const browser = await launch();
const [look, width, height] = [process.argv[2] ?? "dark", Number(process.argv[3] ?? 390), 844];
const tag = `${look}${width}`;
let page;
const shot = async (n, full) => { await page.screenshot({ path: `/tmp/h14/shots/${tag}-${n}.png`, fullPage: !!full }); };
const axe = async (n) => { await page.evaluate(axeSource); const r = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] })); if (r.violations.length) console.log("AXE", n, r.violations.map((v) => v.id + ": " + v.nodes.map((x) => x.target.join(" ")).slice(0, 3).join("; "))); const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth); if (over > 0) console.log("WIDE", n, over); };
const errors = [];
try {
  const o = await open(browser, url, { colorScheme: look, viewport: { width, height } }); page = o.page; page.setDefaultTimeout(20000);
  page.on("response", (r) => { if (r.status() >= 400) errors.push(r.status() + " " + r.url()); });
  const goto = async (h) => { await page.evaluate((x) => { location.hash = x; }, h); await page.waitForTimeout(600); };
  await page.waitForTimeout(1500);
  await goto("#/library");
  await page.locator('input[webkitdirectory][aria-label="Folder of documents"]').first().setInputFiles("/tmp/h14/c");
  await page.getByText(/^3 documents, /).waitFor();
  await page.waitForTimeout(800); await shot("lib"); await axe("lib");
  await goto("#/sessions/new");
  if (width < 1000) { await page.getByText(/Answered by/).click(); await page.waitForTimeout(500); await shot("agents"); }
  await page.getByRole("radio", { name: /Researcher/ }).check();
  await page.getByLabel("Message", { exact: true }).fill("Does regular aspirin reduce the risk of preeclampsia?");
  await page.getByLabel("Message", { exact: true }).press("Enter");
  await page.getByRole("heading", { name: "References" }).first().waitFor({ timeout: 60000 });
  await page.waitForTimeout(500); await shot("session"); await axe("session");
  const n = await page.getByRole("link", { name: /^\[\d+\]$/ }).count(); console.log("citations", n);
  const session = await page.evaluate(() => location.hash);
  const hrefs = [...new Set(await page.getByRole("link", { name: /^\[\d+\]$/ }).evaluateAll((a) => a.map((x) => x.getAttribute("href"))))];
  for (const h of hrefs) { await goto(h); await page.locator("[aria-current=true]").first().waitFor(); console.log(h, (await page.locator("p[aria-current=true]").first().innerText()).slice(0, 80)); }
  await shot("reader"); await axe("reader");
  await goto("#/board"); await page.waitForTimeout(1200); await shot("board", true); await axe("board");
  const resolve = page.getByRole("button", { name: "Resolve otherwise" }); await resolve.click(); await page.waitForTimeout(500); await shot("resolve"); await axe("resolve");
  const d = page.getByRole("dialog");
  await d.getByLabel(/Source A stands/).check(); await d.getByLabel("Reason").fill("It is <b>larger</b>"); await d.getByLabel("Your name").fill("Dr Ann"); await d.getByRole("button", { name: "Keep my decision" }).click(); await page.waitForTimeout(1200);
  const board = await page.evaluate(() => location.hash); console.log(board);
  await shot("resolved", true);
  // remove a cited document
  const doc = hrefs[0].split("/")[2];
  await goto("#/library/" + doc); await page.getByRole("button", { name: "Remove" }).first().click(); await page.waitForTimeout(600); await shot("remove"); await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click(); await page.waitForTimeout(1500); await shot("removed");
  await goto(hrefs[0]); await page.waitForTimeout(800); await shot("kept"); await axe("kept");
  await goto("#/board"); await page.waitForTimeout(1000); await shot("board2", true); await axe("board2");
  console.log("problems", o.problems, "errors", errors);
} catch (e) { console.log(e); if (page) await shot("fail"); } finally { await browser.close(); p.kill(); }
