// Measures a clinic of 1,000 patients and 10,000 sessions in the browser: from the moment a list, a search or a chart is
// asked for to the first frame that shows it, and what the page and the server hold then. Prints a line for each, its
// median and its worst of seven, and ends with 1 when one is over 300 ms or the page over 60 MB.
// Run: HOLDPOINT_BIN=… node e2e/clinic.mjs (go makes the clinic)
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { onData, open, serve } from "./harness.mjs";

const most = { ms: 300, mb: 60 };
const rounds = 7;

/** In the page: does `act`, and says how long it took until `shown` is true and painted. */
const timed = (page, act, shown) => page.evaluate(async ([act, shown]) => {
  const [doIt, isShown] = [new Function(`return ${act}`)(), new Function(`return ${shown}`)()];
  const painted = () => new Promise((next) => requestAnimationFrame(() => setTimeout(next, 0)));
  await painted();
  const began = performance.now();
  doIt();
  while (!isShown()) {
    if (performance.now() - began > 20_000) throw new Error(`not shown: ${isShown}`);
    await new Promise((next) => setTimeout(next, 1));
  }
  await painted();
  return performance.now() - began;
}, [String(act), String(shown)]);

const away = { act: () => { location.hash = "/settings/about"; }, shown: () => document.querySelector("h2")?.textContent === "About" };
const to = (hash) => `() => { location.hash = ${JSON.stringify(hash)}; }`;
const type = (field, text) => `() => {
  const input = document.querySelector(${JSON.stringify(field)});
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(input, ${JSON.stringify(text)});
  input.dispatchEvent(new Event("input", { bubbles: true }));
}`;
const has = (where, text) => `() => [...document.querySelectorAll(${JSON.stringify(where)})].some((one) => one.textContent.includes(${JSON.stringify(text)}))`;

/** What is measured: a name, what is there before, what is done, and what is shown then. */
const measures = [
  ["list of sessions", away, to("/sessions"), has("a[href*='/sessions/s0']", "How did patient")],
  ["search of sessions", { act: to("/sessions"), shown: "() => document.querySelector('[data-session-search]')" }, type("[data-session-search]", "patient 777"), has("a[href*='/sessions/s0']", "patient 777")],
  ["a session", away, to("/sessions/s05001"), has("article[data-turn]", "How did patient 1 sleep?")],
  ["approvals", away, to("/approvals"), has("main a, main button, [role=main] a", "Book a visit")],
  ["an approval", away, to("/approvals/ap.t05000"), "() => document.querySelector('[data-approval]')"],
  ["patients", away, to("/records/Patient"), has("a[href*='/records/Patient/']", "Amara Okafor")],
  ["search of patients", { act: to("/records/Patient"), shown: has("a[href*='/records/Patient/']", "Amara Okafor") }, type("section input", "Okafor 777"), has("a[href*='/records/Patient/p777']", "Okafor 777")],
  ["a chart", away, to("/records/Patient/p777"), has("main, [role=main], body", "Sleeps badly")],
  ["picker of patients", away, to("/sessions/new"), has("[role=option]", "Amara Okafor")],
  ["search in the picker", { act: to("/sessions/new"), shown: has("[role=option]", "Amara Okafor") }, type("[role=combobox]", "777"), "() => document.querySelectorAll('[role=option]').length === 1"],
  ["memory", away, to("/memory"), has("a[href*='/memory/']", "patient")],
];

await onData(async (data, browser) => {
  execFileSync("go", ["test", "./app/web", "-run", "TestClinic_EveryListSearchAndChartAnswersQuickly", "-count", "1"],
    { cwd: fileURLToPath(new URL("../..", import.meta.url)), env: { ...process.env, HOLDPOINT_CLINIC: data, CGO_ENABLED: "0" }, stdio: ["ignore", "ignore", "inherit"] });
  const server = await serve(data, "--practice");
  let over = false;
  try {
    const { page } = await open(browser, server.url);
    page.setDefaultTimeout(30_000);
    await page.getByRole("navigation", { name: "Screens" }).waitFor();
    for (const [name, before, act, shown] of measures) {
      const all = [];
      for (let round = 0; round < rounds; round++) {
        await timed(page, away.act, away.shown);
        if (before !== away) await timed(page, before.act, before.shown);
        all.push(await timed(page, act, shown));
      }
      all.sort((a, b) => a - b);
      const median = all[Math.floor(rounds / 2)];
      over ||= median > most.ms;
      console.log(JSON.stringify({ name, median_ms: Math.round(median), worst_ms: Math.round(all.at(-1)) }));
    }
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("HeapProfiler.collectGarbage");
    const { usedSize } = await devtools.send("Runtime.getHeapUsage");
    const rss = process.platform === "linux" ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))[1]) / 1024 : null;
    over ||= usedSize / 2 ** 20 > most.mb;
    console.log(JSON.stringify({ name: "memory in use", page_heap_mb: Math.round(usedSize / 2 ** 20), server_rss_mb: rss && Math.round(rss) }));
  } finally {
    await server.stop();
  }
  if (over) process.exitCode = 1;
});
