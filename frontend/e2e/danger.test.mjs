// Whoever is in danger answers no questions first: in a browser, by Enter and by the button, in both languages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, framed, onData, open, picture, read, serve, skip } from "./harness.mjs";

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
      await page.getByRole("radio", { name: /Companion/ }).check();
      await picker.click();
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

      await box.fill(w.text);
      const began = Date.now();
      await box.press("Enter");
      const alert = page.getByRole("alert");
      await alert.waitFor();
      assert.ok(Date.now() - began < 1000, `help came after ${Date.now() - began} ms`);
      await alert.getByText(w.none).waitFor();
      assert.ok(await alert.evaluate((node) => document.activeElement === node));
      const top = (locator) => locator.evaluate((node) => node.getBoundingClientRect().top);
      assert.ok((await top(alert)) < (await top(page.locator('[data-field="audience"]'))), "it stands above the card");
      assert.ok((await top(alert)) >= 0 && (await top(alert)) < options.viewport.height / 2, "its beginning is in view");
      assert.equal(await box.inputValue(), w.text);
      assert.deepEqual(await axe(page), []);
      await framed(page);
      await picture(page, `danger-${language}-${look}-help`);

      // Who says where they are has the lines of that place.
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
