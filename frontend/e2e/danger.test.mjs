// Whoever is in danger answers no questions first: in a browser, by Enter and by the button, in both languages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, call, framed, onFolders, open, picture, read, serve, skip, until } from "./harness.mjs";

const onData = onFolders();

const looks = [
  ["fr", "narrow", { colorScheme: "light", viewport: { width: 390, height: 844 } }],
  ["en", "wide", { colorScheme: "dark", viewport: { width: 1440, height: 900 } }],
];
const said = {
  fr: { language: "Français", who: "Un adolescent ou une adolescente", text: "je vais me tuer ce soir", calm: "Je me dispute avec mes parents", none: /Ta région n'est pas choisie|Votre région n'est pas choisie/, region: "France", line: /3114/, first: /Qui écrit/ },
  en: { language: "English", who: "A parent", text: "I will kill myself tonight", calm: "My son is angry with us", none: /Your region is not chosen/, region: "Canada", line: /9-?8-?8/, first: /Who is writing|Who writes/ },
};

for (const [language, look, options] of looks)
  test(`help comes before the questions that are open, ${language} ${look}`, { skip }, () => onData(async (data, browser) => {
    const w = said[language];
    const server = await serve(data, "--practice");
    const { page, problems } = await open(browser, server.url, options);
    try {
      page.setDefaultTimeout(30_000);
      await page.goto(`${page.url().split("#")[0]}#/sessions/new`);
      const picker = page.locator("[data-agent-picker]");
      await picker.waitFor();
      if ((await picker.getAttribute("aria-expanded")) !== "true") await picker.click();
      await page.getByRole("radio", { name: /Companion/ }).click();
      // Once chosen, the chooser is out of the way of its questions.
      assert.equal(await picker.getAttribute("aria-expanded"), "false");
      await page.getByRole("radio", { name: w.language }).check();
      const box = page.getByLabel("Message", { exact: true });
      const button = page.locator("[data-composer] ~ button");

      // Without danger the first open question has the focus, and is named.
      await box.fill(w.calm);
      await button.click();
      await page.waitForFunction(() => document.activeElement?.closest('[data-field="audience"]'));
      assert.equal(await page.getByRole("alert").count(), 0);
      await page.getByRole("status").filter({ hasText: w.first }).waitFor();
      assert.equal(await box.inputValue(), w.calm);
      await picture(page, `danger-${language}-${look}-calm`);

      // Help comes within a second; a machine that is busy with something else may need another try.
      const alert = page.getByRole("alert");
      for (let again = 2; ; again--) {
        await box.fill(w.text);
        const began = Date.now();
        await box.press("Enter");
        await alert.waitFor();
        const took = Date.now() - began;
        if (took < 1000) break;
        assert.ok(again > 0, `help came after ${took} ms`);
        await box.fill(w.calm);
        await button.click();
        await alert.waitFor({ state: "detached" });
      }
      await alert.getByText(w.none).waitFor();
      assert.ok(await alert.evaluate((node) => document.activeElement === node));
      const top = (locator) => locator.evaluate((node) => node.getBoundingClientRect().top);
      // The form is folded: nothing else is asked beside help.
      const form = page.locator("details > summary", { hasText: /Avant de commencer|Before we begin/ });
      assert.ok((await top(alert)) < (await top(form)), "it stands above the form");
      assert.equal(await page.locator('[data-field="audience"]').isVisible(), false);
      assert.equal(await page.getByRole("status").filter({ hasText: w.first }).count(), 0);
      assert.ok((await top(alert)) >= 0 && (await top(alert)) < options.viewport.height / 2, "its beginning is in view");
      assert.equal(await box.inputValue(), w.text);
      assert.deepEqual(await axe(page), []);
      await framed(page);
      await picture(page, `danger-${language}-${look}-help`);

      // Who says where they are has the lines of that place.
      await form.click();
      await page.getByRole("radio", { name: w.who }).check();
      await page.getByRole("combobox", { name: /help lines|lignes d'écoute/ }).selectOption({ label: w.region });
      await alert.getByText(w.line).first().waitFor();
      await picture(page, `danger-${language}-${look}-region`);
      assert.deepEqual((await read(page, "/api/sessions")).sessions, []);
      assert.equal((await read(page, "/api/drafts/new")).text ?? "", "");
      assert.deepEqual(problems, []);
    } finally {
      await server.stop();
    }
  }));

// "The card with 112 and 119 sat 711 px above what I saw, and at 200 % text no number was to be seen."
for (const [look, options] of [["wide", { colorScheme: "light", viewport: { width: 1200, height: 850 } }], ["narrow", { colorScheme: "light", viewport: { width: 390, height: 844 } }], ["zoomed", { colorScheme: "dark", viewport: { width: 640, height: 400 } }]])
  test(`help that is new is in sight with its first number, and stays until the person scrolls, ${look}`, { skip }, () => onData(async (data, browser) => {
    const server = await serve(data, "--practice");
    const { page, problems } = await open(browser, server.url, options);
    try {
      page.setDefaultTimeout(30_000);
      for (const [text, turns] of [["mon père m'a mis une gifle et j'ai un bleu", 1], ["je veux mourir", 2]]) {
        if (turns === 1) {
          const { session } = await call(page, "send", { agent: "companion", vars: { audience: "teen", language: "fr", region: "FR", age: "at_15" }, text: "Bonjour" });
          await page.goto(`${page.url().split("#")[0]}#/sessions/${session}`);
          await page.locator("[data-turn]").waitFor(); // the page before has a box for messages, too
        }
        const box = page.getByLabel("Message", { exact: true });
        await page.locator("[data-composer] ~ button", { hasText: /Send|Envoyer/ }).waitFor();
        await box.fill(text);
        await page.locator("[data-composer] ~ button:enabled", { hasText: /Send|Envoyer/ }).waitFor();
        await box.press("Enter");
        const number = page.locator("[data-turn]").nth(turns).locator("[data-help] [data-numbers] strong").first();
        await number.waitFor();
        const seen = () => number.evaluate((node) => {
          const { top, bottom } = node.getBoundingClientRect(), area = node.closest('[role="region"]').getBoundingClientRect();
          return node.textContent === "112" && top >= area.top && bottom <= area.bottom;
        });
        await until(seen);
        await page.locator("[data-composer] ~ button", { hasText: /Send|Envoyer/ }).waitFor();
        await page.waitForTimeout(500);
        assert.ok(await seen(), `${text}: still, once the reply is there`);
        await picture(page, `danger-seen-${look}-${turns}`);
        assert.deepEqual(await axe(page), []);
      }
      // Who scrolls on is not taken back.
      const area = page.getByRole("region", { name: "Conversation", exact: true });
      await area.evaluate((node) => { node.scrollTop = node.scrollHeight; });
      await page.waitForTimeout(300);
      await page.setViewportSize({ width: options.viewport.width - 10, height: options.viewport.height });
      await page.waitForTimeout(300);
      assert.ok(await area.evaluate((node) => node.scrollTop + node.clientHeight > node.scrollHeight - 150), "it stays where the person went");
      assert.deepEqual(problems, []);
    } finally {
      await server.stop();
    }
  }));

// "The program was gone when I wrote that I would die. The page told me to check that it is running."
for (const [language, look, options] of looks)
  test(`a page that lost its program tells whom to call, ${language} ${look}`, { skip }, () => onData(async (data, browser) => {
    const server = await serve(data, "--practice");
    const { page } = await open(browser, server.url, options);
    try {
      page.setDefaultTimeout(30_000);
      await call(page, "set_setting", { key: "region", value: language === "fr" ? "FR" : "CA" });
      await call(page, "set_setting", { key: "language", value: language });
      await page.goto(`${page.url().split("#")[0]}#/sessions/new`);
      await page.reload();
      const box = page.locator("[data-composer]");
      await box.waitFor();
      await page.waitForTimeout(500);
      // One that is too long is refused, and helped.
      await box.fill(`${"Nothing much happened on this day, and we went home. ".repeat(1400)}${said[language].text}`);
      await box.press("Enter");
      const help = page.locator("[data-help]");
      await help.waitFor();
      await help.getByText(said[language].line).first().waitFor();
      assert.deepEqual(await axe(page), [], "a refusal with help");
      await picture(page, `danger-${language}-${look}-refused`);
      await server.kill();
      await box.fill(said[language].text);
      await box.press("Enter");
      const line = page.locator("p[data-numbers]").last();
      await line.getByText(said[language].line).waitFor();
      await line.getByText(language === "fr" ? /15|112/ : /9-?1-?1/).waitFor();
      // What could not be sent comes back into the box, which may take longer than help.
      await page.waitForFunction((text) => document.querySelector("[data-composer]")?.value === text, said[language].text);
      assert.ok(await line.evaluate((node) => node.getBoundingClientRect().top >= 0), "it is in view");
      assert.deepEqual(await axe(page), [], "a message that was not sent");
      await framed(page);
      await picture(page, `danger-${language}-${look}-gone`);
    } finally {
      await server.stop();
    }
  }));

// "The notice that something waits for me lay over the end of the help."
for (const [look, viewport] of [["wide", { width: 1200, height: 850 }], ["narrow", { width: 390, height: 844 }], ["zoomed", { width: 640, height: 400 }]])
  test(`a notice lies over no part of help in danger, ${look}`, { skip }, () => onData(async (data, browser) => {
    const server = await serve(data, "--practice");
    const { page, problems } = await open(browser, server.url, { colorScheme: "light", viewport });
    try {
      page.setDefaultTimeout(30_000);
      const { session } = await call(page, "send", { agent: "companion", vars: { audience: "teen", language: "en", region: "GB", age: "at_15" }, text: "I want to kill myself tonight" });
      await page.goto(`${page.url().split("#")[0]}#/sessions/${session}`);
      const help = page.locator("[data-help]");
      await help.waitFor();
      const area = page.getByRole("region", { name: "Conversation", exact: true });
      // What cannot be copied is told by a notice that stays.
      await page.evaluate(() => { Object.defineProperty(navigator, "clipboard", { value: { writeText: () => Promise.reject(new Error("no")) } }); document.execCommand = () => false; });
      await page.getByRole("button", { name: /^Copy/ }).first().click();
      const notice = page.locator("[data-toast]").first();
      await notice.waitFor();
      for (const end of [false, true]) {
        await area.evaluate((node, end) => { node.scrollTop = end ? node.scrollHeight : 0; }, end);
        await page.waitForTimeout(200);
        const over = await notice.evaluate((node) => {
          const a = node.getBoundingClientRect(), view = document.querySelector("[data-help]").closest('[role="region"]').getBoundingClientRect();
          const b = document.querySelector("[data-help]").getBoundingClientRect();
          const top = Math.max(b.top, view.top), bottom = Math.min(b.bottom, view.bottom);
          return a.bottom > top && a.top < bottom && a.right > b.left && a.left < b.right;
        });
        assert.equal(over, false);
        assert.ok(await notice.evaluate((node) => { const { top, bottom } = node.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; }), "it is seen itself");
      }
      assert.deepEqual(await axe(page), []);
      await framed(page);
      await picture(page, `danger-notice-${look}`);
      assert.deepEqual(problems, []);
    } finally {
      await server.stop();
    }
  }));
