// What people met who used the program for a day: a reply below a question about safety, one question in two
// tabs, a session that waits, a message that is too long, and whose name a verdict has.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { axe, bin, call, onFolders, open, picture, read, serve, skip, until } from "./harness.mjs";

const onData = onFolders();

const said = {
  en: { region: "GB", quiet: "I often think about death", below: "comes below", number: "999", typed: "(name as typed, not verified)", waits: "Needs approval", meanwhile: "went on meanwhile", grave: "I want to kill myself tonight." },
  fr: { region: "FR", quiet: "J'ai des idées noires", below: "vient ci-dessous", number: "3114", typed: "(nom tel qu’écrit, non vérifié)", waits: "À approuver", meanwhile: "a continué entre-temps", grave: "Je vais me tuer ce soir." },
};

const onProgram = (language, run, options) => onData(async (data, browser) => {
  for (const [key, value] of [["region", said[language].region], ["language", language], ["reviewer", "Dr. R. Vance"]]) execFileSync(bin, ["--data", data, "settings", "set", key, value], { stdio: "pipe" });
  execFileSync(bin, ["--data", data, "records", "import", "sample"], { stdio: "pipe" });
  const server = await serve(data, "--practice");
  const { page, problems } = await open(browser, server.url, options);
  try {
    page.setDefaultTimeout(30_000);
    await page.locator("[data-composer], nav").first().waitFor();
    await run(page, problems);
  } finally {
    await server.stop();
  }
});

const go = (page, hash) => page.evaluate((hash) => { location.hash = hash; }, hash);
const ended = async (page, session) => until(async () => (await read(page, `/api/sessions/${session}`)).status !== "running");

for (const [language, options] of [["en", { viewport: { width: 1100, height: 560 }, colorScheme: "light" }], ["fr", { viewport: { width: 1100, height: 560 }, colorScheme: "dark" }]]) {
  const w = said[language];

  // "There was a card about safety, and I thought that no reply came."
  test(`below a question about safety the reply is seen to come (${language})`, { skip }, () =>
    onProgram(language, async (page, problems) => {
      await go(page, "/sessions/new");
      const box = page.locator("[data-composer]");
      await box.fill(w.quiet);
      await box.press("Enter");
      const reply = page.locator("[data-turn] [data-reply]");
      await reply.waitFor();
      let seen;
      await until(async () => { // it is drawn anew as the session begins
        seen = await reply.evaluate((node) => {
          const area = node.closest('[role="region"]')?.getBoundingClientRect(), { top } = node.getBoundingClientRect();
          return area && top >= area.top && top < area.bottom - 20;
        });
        return seen !== undefined;
      });
      assert.ok(seen, "the reply begins out of view");
      await page.locator("[data-turn] [data-help]").filter({ hasText: w.below }).waitFor();
      assert.deepEqual(await axe(page), []);
      await picture(page, `outsiders-below-${language}`);
      // Whoever scrolled up stays there.
      const area = page.locator('[role="region"]').filter({ has: page.locator("[data-turn]") });
      await area.evaluate((node) => { node.scrollTop = 0; });
      await page.waitForTimeout(200);
      assert.equal(await area.evaluate((node) => node.scrollTop), 0);
      assert.deepEqual(problems, []);
    }, options));

  // "The note waited for me, and the list said that it is over." – "It says that I approved it."
  test(`a session says what it waits for, and a verdict whose name it has (${language})`, { skip }, () =>
    onProgram(language, async (page, problems) => {
      const { session } = await call(page, "send", { agent: "navigator", patient: "pat-alder", text: "Please write a note that she sleeps better" });
      await ended(page, session);
      await call(page, "send", { session, text: "Which medicines does she take?" });
      await until(async () => (await read(page, `/api/sessions/${session}/turns`)).at(-1)?.status === "completed");
      await go(page, `/sessions/${session}`);
      const row = page.locator(`[data-session="${session}"]`);
      await row.filter({ hasText: w.waits }).waitFor();
      const card = page.locator("[data-approval]");
      await card.waitFor();
      assert.deepEqual(await axe(page), []);
      await picture(page, `outsiders-waits-${language}`);
      const on = card.locator("[data-decide] button").first();
      while (/^(Read|Lire|Lisez)/.test(await on.innerText())) {
        await on.click();
        await page.waitForTimeout(100);
      }
      await page.waitForTimeout(450); // a press right after reading is not taken for a decision
      await on.click();
      await page.locator("[data-turn]").first().getByText(w.typed).waitFor();
      await until(async () => (await read(page, `/api/sessions/${session}`)).status === "completed");
      await picture(page, `outsiders-decided-${language}`);
      assert.deepEqual(problems, []);
    }, { ...options, viewport: { width: 1440, height: 900 } }));

  // "I pasted my whole diary." – "My second tab answered another question than the one that it showed."
  test(`a message that is too long gets help first, and an answer is taken for no other question (${language})`, { skip }, () =>
    onProgram(language, async (page) => {
      await go(page, "/sessions/new");
      const box = page.locator("[data-composer]");
      const filler = "The dressing was changed on Monday and she walked to the garden. ".repeat(800);
      await box.fill(`${filler}${w.grave} ${filler}`);
      await box.press("Enter");
      await page.locator("[data-help]").filter({ hasText: w.number }).waitFor();
      await page.getByText(/65536|65.536/).waitFor();
      await picture(page, `outsiders-long-${language}`);

      const vars = { audience: "parent", language, region: w.region, age: "at_15" };
      const { session } = await call(page, "send", { agent: "companion", text: language === "fr" ? "Bonjour, mon enfant ne veut plus aller à l'école" : "Hello, my child does not want to go to school any more", vars });
      await ended(page, session);
      const { open: question } = await read(page, `/api/sessions/${session}/cards`);
      await go(page, `/sessions/${session}`);
      await page.locator(`#question-${question}`).waitFor();
      // The other tab answers; this one has not heard of it yet.
      await page.route("**/api/sessions/*/cards", (route) => route.abort());
      await call(page, "send", { agent: "companion", session, vars, text: language === "fr" ? "depuis un mois" : "since last month", question });
      await ended(page, session);
      const before = (await read(page, `/api/sessions/${session}/turns`)).length;
      await page.locator(`#question-${question} ~ button, #question-${question} ~ div button`).last().click();
      await page.getByText(w.meanwhile).first().waitFor();
      assert.equal((await read(page, `/api/sessions/${session}/turns`)).length, before);
      await picture(page, `outsiders-tabs-${language}`);
    }, { ...options, viewport: { width: 1440, height: 900 } }));
}
