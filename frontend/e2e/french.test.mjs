// Every screen and dialog of the real program in French: no English of the catalog, nothing wider than the window; of
// what is looked at in no other language, no serious finding of axe. HOLDPOINT_BIN names the program.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { call, inEach, looks, onFolders, open, picture, serve, skip } from "./harness.mjs";
import { catalog, conversations, fits, furnish, places, show, sound, tabs } from "./places.mjs";

const onData = onFolders();

const english = catalog("en");
const french = catalog("fr");
const word = (text) => french.get([...english].find(([, one]) => one === text)?.[0]) ?? assert.fail(`no text of the catalog: ${text}`);

/** English texts that French has otherwise: what stands in them as it is, and as a pattern where values stand between. */
const spoken = new Set(french.values());
const plain = new Map([...english].filter(([key, text]) => !/[{<]/.test(text) && /[a-z]{3}/.test(text) && french.get(key) !== text && !spoken.has(text)).map(([key, text]) => [text.trim(), key]));
const patterns = [...english]
  .filter(([key, text]) => /\{/.test(text) && !/\{\w+, (plural|select)|</.test(text) && french.get(key) !== text && text.replace(/\{[^}]*\}/g, "").match(/[A-Za-z]{3,}/g)?.length >= 2)
  .map(([key, text]) => [key, new RegExp(`^${text.trim().split(/\{[^}]*\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("[^.]*")}$`)]);

/** What the program's other side says in English: French has each. */
const said = Object.keys(JSON.parse(readFileSync(new URL("../../app/tongue/said.json", import.meta.url), "utf8")))
  .filter((one) => one.replace(/\{\d\}/g, "").match(/[A-Za-z]{3,}/g)?.length >= 2)
  .map((one) => new RegExp(`^${one.split(/\{\d\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".*")}$`));

/** Names and sentences that it has in English: French has each otherwise. */
const agents = new URL("../../engine/agents/", import.meta.url);
const catalogs = [new URL("../../app/tongue/names.json", import.meta.url), ...readdirSync(agents).map((name) => new URL(`${name}/names.json`, agents)).filter((file) => existsSync(file))];
const named = catalogs.flatMap((file) => Object.entries(JSON.parse(readFileSync(file, "utf8")))).filter(([one, other]) => one !== other && !/\{\d\}/.test(one) && !spoken.has(one)).map(([one]) => one);
/** Whether a text is one of them, or has a longer one in it. */
const names = (text) => named.find((one) => text.replace(/^[(\s]+|[)\s]+$/g, "") === one || ((/ \S+ /.test(one) || /^[A-Z]\w+ \w+$/.test(one)) && text.includes(one)));

/** Words that the program's other side says, which are also a screen's: names of arguments, models, lines of help and skills. */
const told = new Set(["practice", "Provider", "Start", "abuse", "Steps", "start", "end", "booked", "free", "busy", "active"]);

/** All that a person sees or hears of the page, each once: texts, labels, hints, placeholders. */
const heard = (page) => page.evaluate(() => {
  const found = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode())
    // What records, models and people wrote is theirs.
    if (!node.parentElement.closest("script, style, pre, code, textarea, [lang=en], .cm-content")) found.add(node.data.trim());
  for (const element of document.querySelectorAll("[aria-label], [title], [placeholder], [alt]"))
    for (const name of ["aria-label", "title", "placeholder", "alt"]) found.add((element.getAttribute(name) ?? "").trim());
  return [...found].filter(Boolean);
});

// Where French is longest against its room, and where it stands as most people see it.
const seen = [looks.find(([look]) => look === "light-narrow"), looks.find(([look]) => look === "dark-wide")];

test("every screen and dialog in French, light-narrow and dark-wide", { skip }, (t) => onData(async (data, browser) => {
  const server = await serve(data, "--practice");
  // The browser speaks French: nobody has to choose it.
  const { page, problems } = await open(browser, server.url, { locale: "fr-CA", ...seen[0][1] });
  try {
    page.setDefaultTimeout(60_000);
    await page.getByRole("navigation", { name: word("Screens") }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), "fr");
    await call(page, "set_setting", { key: "language", value: "fr" });
    const furniture = await furnish(page, data);
    const inFrench = async (name, look, whole = sound) => {
      await picture(page, `french-${name.replace(/\W+/g, "-")}-${look}`);
      const texts = await heard(page);
      assert.ok(texts.length > 10);
      assert.deepEqual(texts.filter((text) => !told.has(text)).filter((text) => plain.has(text) || patterns.some(([, pattern]) => pattern.test(text))).map((text) => `${plain.get(text) ?? patterns.find(([, pattern]) => pattern.test(text))[0]}: ${text}`), []);
      assert.deepEqual(texts.filter((text) => said.some((one) => one.test(text))), []);
      assert.deepEqual(texts.filter((text) => !told.has(text) && names(text)).map((text) => `${names(text)}: ${text}`), []);
      await whole(page);
    };
    // "The button stood out of its card."
    await t.test("the first run at the widths between", async () => {
      await call(page, "set_practice", { on: true });
      await show(page, ["the first run", "/start", (to) => to.getByRole("button", { name: word("Practice mode is on") }).waitFor()]);
      for (const width of [640, 780, 1280, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("main section button")].filter((one) => one.getBoundingClientRect().right > one.closest("section").getBoundingClientRect().right).map((one) => one.textContent)), [], `${width} px`);
      }
      await page.setViewportSize(seen[0][1].viewport);
    });
    // "At 200 % the rail read ‘Approbatio’ and below it ‘ns’."
    await t.test("no name of a screen breaks in the rail, 200 % text", async () => {
      await show(page, ["sessions", "/sessions", (to) => to.getByRole("navigation", { name: word("Screens") }).waitFor()]);
      await page.setViewportSize({ width: 640, height: 400 });
      await page.getByRole("navigation", { name: word("Screens") }).evaluate((rail) => { rail.style.borderRightWidth = "16px"; }); // as a scrollbar takes, which this browser hides
      assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("nav a[title] > span:first-of-type")].filter((one) => one.offsetHeight > 1.6 * parseFloat(getComputedStyle(one).fontSize) || one.scrollWidth > one.clientWidth).map((one) => one.textContent)), []);
      await page.setViewportSize(seen[0][1].viewport);
    });
    // What axe finds of the others it finds in every language: it has looked at them in English.
    const others = places(furniture, word);
    for (const place of [["the first run", "/start", (to) => to.getByRole("heading", { name: word("Welcome to Holdpoint") }).waitFor()], ...others, ...conversations(word)])
      await t.test(place[0], async () => {
        await show(page, place);
        await inEach(page, seen, (look) => inFrench(place[0], look, others.includes(place) ? fits : sound));
      });
    // A narrow window closes the inspector, whose tabs are in the whole one.
    await page.setViewportSize(seen[1][1].viewport);
    for (const place of tabs(furniture))
      await t.test(place[0], async () => {
        await show(page, place);
        await inFrench(place[0], seen[1][0]);
      });
    // What is not there is asked for, and the browser tells of it.
    assert.deepEqual(problems.filter((problem) => !problem.includes("status of 404")), []);
  } finally {
    await server.stop();
  }
}));
