// What the browser tests share: the mock build behind the same content policy as
// the real server, the real server itself, a Chromium, axe, and a place for pictures.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "node_modules/.mock-dist");

const policy =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; font-src 'self'; frame-src 'self'; object-src 'none'; base-uri 'none'";

const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2" };

/** Serves the mock build on a free loopback port; `url(scene, hash)` addresses it. */
async function serveMock() {
  if (!existsSync(join(dist, "index.html")) || !process.env.HOLDPOINT_KEEP_MOCK) {
    execFileSync(process.execPath, [join(root, "node_modules/vite/bin/vite.js"), "build", "--mode", "mock", "--logLevel", "warn"], { cwd: root, stdio: "inherit" });
  }
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://x").pathname);
    const file = join(dist, path === "/" ? "index.html" : path);
    if (!file.startsWith(dist) || !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": types[extname(file)] ?? "application/octet-stream", "Content-Security-Policy": policy });
    response.end(readFileSync(file));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address();
  return {
    url: (scene = "clinic", hash = "") => `http://127.0.0.1:${port}/?mock=${scene}${hash}`,
    still: `http://127.0.0.1:${port}/icon.svg`,
    close: () => new Promise((done) => server.close(done)),
  };
}

/** Debian's Chromium; the one that has no window computes less. */
const browsers = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

export function launch() {
  const executablePath = process.env.CHROMIUM ?? browsers.find(existsSync);
  assert.ok(executablePath, "a Chromium is needed; CHROMIUM names it");
  return chromium.launch({
    executablePath,
    // Pages of one context share a process: starting one costs more than what most tests do in it.
    args: ["--process-per-site", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
  });
}

const newContext = (browser, options) => browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce", ...options });

/** Opens a page that records failures of its own: errors, broken policy, requests to elsewhere. */
export async function open(browser, url, options = {}) {
  const context = await newContext(browser, options);
  return { ...(await openIn(context, url)), close: () => context.close() };
}

async function openIn(context, url) {
  const page = await context.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`console: ${message.text()}`);
  });
  const home = new URL(url).origin;
  page.on("request", (request) => {
    if (!request.url().startsWith(home) && !request.url().startsWith("data:") && !request.url().startsWith("blob:") && request.url() !== "about:srcdoc") problems.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  return { page, problems };
}

/**
 * Opens pages of one origin. Those with the same options follow each other in one context, where a still
 * page keeps the process and the compiled scripts alive; what a page stored or opened goes with it.
 */
function opener(browser, still) {
  const kept = new Map();
  return async (url, options = {}) => {
    const key = JSON.stringify(options);
    if (!kept.has(key)) {
      const context = await newContext(browser, options);
      const anchor = await context.newPage();
      await anchor.goto(still);
      kept.set(key, { context, anchor, devtools: await context.newCDPSession(anchor) });
    }
    const { context, anchor, devtools } = kept.get(key);
    assert.deepEqual(context.pages(), [anchor], "pages with the same options follow each other");
    const close = async () => {
      for (const page of context.pages()) if (page !== anchor) await page.close();
      await context.setOffline(false);
      await devtools.send("Storage.clearDataForOrigin", { origin: new URL(still).origin, storageTypes: "all" });
    };
    return { ...(await openIn(context, url)), close };
  };
}

/** For a file of tests: one mock and one browser, there before the first of them and gone after the last. */
export function onMock() {
  let server, browser, opened;
  before(async () => {
    server = await serveMock();
    browser = await launch();
    opened = opener(browser, server.still);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  const visit = async (scene, hash, run, options, forgiven = null) => {
    const { page, problems, close } = await opened(server.url(scene, hash), options);
    try {
      page.setDefaultTimeout(60_000);
      await run(page);
      assert.deepEqual(problems.filter((one) => !forgiven?.test(one)), []);
    } finally {
      await close();
    }
  };
  return {
    /** Opens a scene at an address; `options` are those of a browser's context. */
    open: (scene, hash, options) => opened(server.url(scene, hash), options),
    /** The same for as long as `run` takes; what the page complains about fails it, but for what matches `forgiven`. */
    visit,
  };
}

/** The sizes and colours that a screen is looked at in. */
export const looks = [
  ["light-wide", { colorScheme: "light", viewport: { width: 1440, height: 900 } }],
  ["dark-wide", { colorScheme: "dark", viewport: { width: 1440, height: 900 } }],
  ["light-narrow", { colorScheme: "light", viewport: { width: 390, height: 844 } }],
  // 1280 × 800 at 200 %.
  ["dark-zoomed", { colorScheme: "dark", viewport: { width: 640, height: 400 } }],
];

/** The same by what the screens draw anew when they are opened: one page or several panes. */
export const sizes = [["wide", looks.slice(0, 2)], ["narrow", looks.slice(2)]];

/** Looks at what a page shows in each of some looks; it was opened in the first, and what is shown stays as windows and colours change. */
export async function inEach(page, those, see) {
  const turn = async ({ colorScheme, viewport }) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    await drawn(page);
  };
  for (const [at, [look, options]] of those.entries()) {
    if (at > 0) await turn(options);
    // Where the window stays, only colours are another.
    const { width, height } = those[at - 1]?.[1].viewport ?? {};
    await see(look, options.viewport.width === width && options.viewport.height === height ? colours : undefined);
  }
  await turn(those[0][1]);
}

/** Waits until what changed is on the screen. */
export const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Reads the approval that is open to its end, a window at a time: before that nobody can approve it. */
export async function readToEnd(page) {
  const bar = page.getByRole("group", { name: "Decide" });
  const on = bar.getByRole("button", { name: /^(Read (on|the rest)|Approve)/ });
  await on.waitFor();
  while (/^Read (on|the rest)/.test(await on.innerText())) {
    // From where the focus is, if that is in the card: a walk by keyboard stays one.
    if (await page.evaluate(() => document.activeElement?.closest("[data-approval]") != null)) await page.keyboard.press("Control+Enter");
    else await on.click();
    await drawn(page);
  }
  await page.waitForTimeout(450); // a press right after the last of these is not taken for a decision
}

/** Opens a tab of the inspector, which is one of the panes on a narrow window. */
export async function showInspector(page, tab) {
  const pane = page.getByRole("button", { name: "Inspector", exact: true });
  if (await pane.isVisible().catch(() => false)) await pane.click();
  await page.getByRole("tab", { name: tab }).click();
}

/** The program that tests of the real server serve, and why they are skipped without one. */
export const bin = process.env.HOLDPOINT_BIN;
export const skip = bin ? false : "HOLDPOINT_BIN is not set: no program to serve";

/** Starts `holdpoint serve` and returns its address; kill() is kill -9. */
export async function serve(data, ...args) {
  const child = spawn(bin, ["--data", data, "serve", ...args], { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, OLLAMA_HOST: "" } });
  const gone = new Promise((done) => child.on("exit", done));
  const url = await new Promise((found, failed) => {
    let text = "", errors = "";
    child.stdout.on("data", (part) => {
      text += part;
      const line = text.match(/http\S+\n/);
      if (line) found(line[0].trim());
    });
    child.stderr.on("data", (part) => { errors += part; });
    child.on("exit", (code) => failed(new Error(`serve ended with ${code}: ${errors}`)));
  });
  const end = (signal) => { child.kill(signal); return gone; };
  return { url, pid: child.pid, stop: () => end("SIGTERM"), kill: () => end("SIGKILL") };
}

/** Looks until it is so. */
export async function until(so) {
  for (const end = Date.now() + 20_000; !(await so());) {
    assert.ok(Date.now() < end, "it did not come about in time");
    await new Promise((next) => setTimeout(next, 20));
  }
}

/** Runs with a data folder of its own and a browser without a page; what it makes and opens is gone afterwards. */
export async function onData(run, kept = null) {
  const data = mkdtempSync(join(tmpdir(), "holdpoint-e2e-"));
  const browser = kept ?? (await launch());
  const others = browser.contexts();
  try {
    await run(data, browser);
  } finally {
    for (const context of browser.contexts()) if (!others.includes(context)) await context.close();
    if (!kept) await browser.close();
    rmSync(data, { recursive: true, force: true });
  }
}

/** The same for a file of tests, which have one browser: starting one takes longer than many a test. */
export function onFolders() {
  let browser;
  after(() => browser?.close());
  return async (run) => onData(run, (browser ??= await launch()));
}

/** A call to the app, as the page makes it: with the key that the page keeps. */
export const call = (page, name, body) => page.evaluate(async ([name, body]) => (await fetch(`/api/call/${name}`, { method: "POST", headers: { "Content-Type": "application/json", "X-Holdpoint-Key": localStorage.getItem("holdpoint.key") }, body: JSON.stringify(body) })).json(), [name, body]);

/** What the app answers to a path; its status where it is no success. */
export const read = (page, path) => page.evaluate(async (path) => {
  const answer = await fetch(path, { headers: { "X-Holdpoint-Key": localStorage.getItem("holdpoint.key") } });
  return answer.ok ? answer.json() : answer.status;
}, path);

/**
 * Hands each event of the page's streams to `see` (a function's source), which may wait
 * before the page gets it. To be called before the page is opened.
 */
export const onEvents = (page, see) => page.addInitScript((see) => {
  const own = window.fetch;
  const seen = new Function(`return ${see}`)();
  window.fetch = async (...args) => {
    const answer = await own(...args);
    if (!answer.headers.get("Content-Type")?.startsWith("text/event-stream")) return answer;
    let rest = "";
    const parts = answer.body.pipeThrough(new TextDecoderStream()).pipeThrough(new TransformStream({
      async transform(part, to) {
        const events = (rest + part).split("\n\n");
        rest = events.pop();
        for (const event of events) {
          const data = event.split("\n").find((line) => line.startsWith("data: "));
          if (data) await seen(JSON.parse(data.slice(6)));
          to.enqueue(`${event}\n\n`);
        }
      },
    }));
    return new Response(parts.pipeThrough(new TextEncoderStream()), { headers: answer.headers });
  };
}, String(see));

const axeSource = readFileSync(join(root, "node_modules/axe-core/axe.min.js"), "utf8");

/** Rules of axe that ask for colours. */
const colours = ["color-contrast", "link-in-text-block"];

/** Serious and critical findings of axe (WCAG 2.1 AA), one line each; of some rules only where they are named. */
export async function axe(page, rules) {
  // Injected by the debugger, so that the page's own policy stays as it is.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(`${axeSource}; undefined`);
  const { violations } = await page.evaluate((rules) => window.axe.run(document, { runOnly: rules ?? ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], resultTypes: ["violations"], preload: false }), rules);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 140)} | ${node.failureSummary.split("\n")[1] ?? ""}`));
}

/** Fails when the case banner or the safety line was moved out of view. */
export async function framed(page) {
  const { banner, line, height } = await page.evaluate(() => {
    const [first, ...rest] = document.querySelector("#root > div").children;
    const bar = [first, ...rest].find((child) => child.tagName === "HEADER");
    const foot = rest.find((child) => child.tagName === "FOOTER");
    return { banner: bar.getBoundingClientRect().top, line: Math.round(foot.getBoundingClientRect().bottom), height: innerHeight };
  });
  assert.deepEqual([banner, line], [0, height], "the case banner and the safety line are in view");
}

/** Keeps a picture where HOLDPOINT_PICTURES says; does nothing without it. */
export async function picture(page, name) {
  const folder = process.env.HOLDPOINT_PICTURES;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
