// The agent that asks people questions, as they meet it in a browser: in both languages, in
// light and dark, on a narrow window and at 200 %.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, call, framed, onFolders, open, picture, read, serve, skip, until } from "./harness.mjs";

const onData = onFolders();

/** What a person reads and presses, by language. */
const said = {
  fr: {
    nobody: /rien n'est retenu/, named: /sous ce nom/, audience: "Un adolescent ou une adolescente", age: "15 ans", region: "France", start: "Avant de commencer", open: "Réponds d'abord aux questions ci-dessus. Dans quel pays es-tu",
    message: "Je me dispute avec mes parents tout le temps", consent: "Ce que je peux retenir", remembers: "D'où vient le conseil", allows: "Ce que chacun permet", yes: "Oui, garde un résumé", skip: "Passer cette question", progress: "4 sur 6, tu peux passer",
    hope: "Qu'on se parle mieux", sources: "D'où vient le conseil", passage: /Lire le (passage|résumé)/, feedback: "Est-ce que ça t'aide ?", partly: "En partie", send: "Envoyer", thanks: /J'en tiens compte quand/,
    answers: /Ce que tu m'as dit/, change: /^Modifier : |^Modifier: /, words: "Tes mots", save: "Enregistrer", mine: "tu l'as écrit ici", withdraw: "Retirer mon accord", stopped: /plus rien n'est retenu/, remove: "Les effacer", deleted: /Effacé/,
  },
  en: {
    nobody: /nothing is remembered/, named: /under this name/, audience: "A parent", age: "13 or 14", region: "United Kingdom", start: "Before we begin", open: "Answer the questions above first. Which country",
    message: "My son is angry with us about every rule we make", consent: "What I may remember", remembers: "Where the advice comes from", allows: "What each allows", yes: "Yes, keep a summary", skip: "Skip this question", progress: "4 of 6, you can skip",
    hope: "That we talk again", sources: "Where the advice comes from", passage: /Read the (passage|summary)/, feedback: "Was that helpful?", partly: "In part", send: "Send", thanks: /I will keep it in mind/,
    answers: /What you told me/, change: /^Change: /, words: "Your words", save: "Save", mine: "you wrote it here", withdraw: "Withdraw consent", stopped: /nothing more is remembered/, remove: "Delete them", deleted: /Deleted/,
  },
};

const looks = [
  ["fr", "light", { colorScheme: "light", viewport: { width: 1440, height: 900 } }],
  ["fr", "narrow-dark", { colorScheme: "dark", viewport: { width: 390, height: 844 } }],
  ["en", "zoomed", { colorScheme: "light", viewport: { width: 640, height: 400 } }],
];

for (const [language, look, options] of looks) {
  test(`from the first question to forgetting, ${language} ${look}`, { skip }, () => onData(async (data, browser) => {
    const w = said[language];
    const server = await serve(data, "--practice");
    const { page, problems } = await open(browser, server.url, options);
    const looked = async (name) => {
      assert.deepEqual(await axe(page), [], name);
      await framed(page);
      await picture(page, `companion-${language}-${look}-${name}`);
    };
    try {
      page.setDefaultTimeout(60_000);
      await page.goto(`${page.url().split("#")[0]}#/sessions/new`);
      const picker = page.locator("[data-agent-picker]");
      await picker.waitFor();
      if ((await picker.getAttribute("aria-expanded")) !== "true") await picker.click();
      await page.getByRole("radio", { name: /Companion/ }).click();
      // Who it is, is not guessed, and no message goes before that and the rest are there. The language is the program's.
      await page.getByRole("heading", { name: said.en.start }).waitFor();
      assert.equal(await page.getByRole("radio", { checked: true }).count(), 1, "nothing else is chosen for them");
      assert.ok(await page.getByRole("radio", { name: "English" }).isChecked());
      await page.getByRole("radio", { name: language === "fr" ? "Français" : "English" }).check();
      await page.getByRole("heading", { name: w.start }).waitFor();
      await page.getByRole("radio", { name: w.audience }).check();
      await page.getByRole("radio", { name: w.age }).check();
      const box = page.getByLabel("Message", { exact: true });
      await box.fill(w.message);
      // The message stays, and the focus goes to what is still open.
      await box.press("Enter");
      await page.waitForFunction(() => document.activeElement?.closest('[data-field="region"]'));
      assert.equal(await box.inputValue(), w.message);
      await page.getByRole("status").filter({ hasText: w.open }).waitFor();
      await page.getByRole("combobox", { name: /help lines|lignes d'écoute/ }).selectOption({ label: w.region });
      // Who gives no name is somebody new, of whom nothing is kept.
      assert.ok(await page.getByRole("radio", { name: w.nobody }).isChecked());
      await page.getByRole("textbox", { name: w.named }).fill("Léa");
      await looked("start");
      await box.press("Enter");

      const cards = page.locator("[data-cards]");
      await cards.getByText(w.progress, { exact: true }).waitFor();
      await cards.getByRole("heading", { name: w.consent }).waitFor();
      await cards.locator("summary").filter({ hasText: w.allows }).click();
      await cards.getByRole("table").waitFor();
      await looked("question");
      await cards.getByRole("button", { name: w.yes }).click();
      await cards.getByText(w.consent).waitFor();
      const session = page.url().match(/sessions\/([^/]+)/)[1];
      const cardsOf = () => read(page, `/api/sessions/${session}/cards`);
      await until(async () => (await cardsOf()).consent.scope === "full");
      for (let open = (await cardsOf()).open, n = 0; open !== "hope"; n++) {
        assert.ok(n < 8, `it goes on asking ${open}`);
        await cards.getByRole("button", { name: w.skip, disabled: false }).click();
        for (const before = open; (open = (await cardsOf()).open) === before; ) await new Promise((next) => setTimeout(next, 50));
      }
      await box.fill(w.hope);
      // While the turn before ends, Enter sends nothing and the words stay.
      await page.locator("[data-composer] ~ button:enabled", { hasText: /Send|Envoyer/ }).waitFor();
      await box.press("Enter");

      await cards.getByRole("heading", { name: w.sources }).waitFor();
      await looked("reply");
      await cards.getByText(w.passage).first().click();
      await cards.locator("details[open]", { has: page.locator("summary", { hasText: w.passage }) }).locator("p").first().waitFor();
      await cards.getByRole("radio", { name: w.partly }).check();
      await looked("advice");
      await cards.getByRole("button", { name: w.send }).click();
      await cards.getByText(w.thanks).waitFor();

      await cards.locator("summary").filter({ hasText: w.answers }).click();
      await cards.getByRole("button", { name: w.change, disabled: false }).nth(2).click();
      await cards.getByLabel(w.words).fill("Something else");
      await cards.getByRole("button", { name: w.save }).click();
      await cards.getByText(w.mine).waitFor();
      assert.equal((await cardsOf()).asked[2].value, "Something else");
      await looked("answers");

      // However low the window is, the language can be changed in the session, and all cards follow.
      await page.locator("[data-agent-picker]").click();
      await page.getByRole("radio", { name: language === "fr" ? "English" : "Français" }).check();
      await looked("language");
      await page.keyboard.press("Escape");
      await box.fill(language === "fr" ? "Thank you so far" : "Merci pour tout cela");
      await page.locator("[data-composer] ~ button:enabled", { hasText: /Send|Envoyer/ }).waitFor();
      await box.press("Enter");
      const other = said[language === "fr" ? "en" : "fr"];
      await cards.getByText(other.remembers, { exact: true }).first().waitFor();
      assert.equal((await cardsOf()).language, language === "fr" ? "en" : "fr");
      await page.locator("[data-agent-picker]").click();
      await page.getByRole("radio", { name: language === "fr" ? "Français" : "English" }).check();
      await page.keyboard.press("Escape");
      await page.locator("[data-composer] ~ button", { hasText: /Send|Envoyer/ }).waitFor();
      await box.fill(w.hope);
      await page.locator("[data-composer] ~ button:enabled", { hasText: /Send|Envoyer/ }).waitFor();
      await box.press("Enter");
      await cards.getByText(w.remembers, { exact: true }).first().waitFor();
      await until(async () => (await cardsOf()).language === language);

      // What was summed up is on the Memory screen; consent taken back stops it at once, and offers to delete.
      await page.goto(`${page.url().split("#")[0]}#/memory`);
      await page.getByText("Queued").waitFor();
      // It is summed up beside the conversation, so not at once.
      for (let n = 0; n < 600 && (await cardsOf()).consent.kept === 0; n++) await new Promise((next) => setTimeout(next, 100));
      await page.getByText(/in practice/).first().waitFor();
      await looked("memory");
      await page.goto(`${page.url().split("#")[0]}#/sessions/${session}`);
      await cards.locator("summary").filter({ hasText: w.consent }).click();
      await cards.getByRole("button", { name: w.withdraw }).click();
      await cards.getByText(w.stopped).waitFor();
      assert.equal((await cardsOf()).consent.scope, "pending_consent");
      await cards.getByRole("button", { name: w.remove }).click();
      await looked("consent");
      await cards.getByRole("group").getByRole("button", { name: w.remove }).click();
      await cards.getByText(w.deleted).waitFor();
      assert.equal((await cardsOf()).consent.kept, 0);
      assert.deepEqual(problems, []);
    } catch (error) {
      await picture(page, `companion-${language}-${look}-failed`);
      throw error;
    } finally {
      await server.stop();
    }
  }));
}

test("texts are edited beside the original, looked at as a prompt, and reset", { skip }, () => onData(async (data, browser) => {
  const server = await serve(data, "--practice");
  const { page, problems } = await open(browser, server.url, { colorScheme: "light" });
  try {
    page.setDefaultTimeout(60_000);
    await page.goto(`${page.url().split("#")[0]}#/settings/texts`);
    await page.getByRole("combobox", { name: "Language" }).selectOption("fr");
    await page.getByRole("combobox", { name: "Audience" }).selectOption("parent");
    await page.getByRole("searchbox", { name: "Find a text" }).fill("give_advice_system");
    await page.getByRole("button", { name: /give_advice_system_prompt/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Original").waitFor();
    await dialog.getByLabel("In force").fill("Sois bref.");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("your words").waitFor();
    await dialog.getByRole("button", { name: "Show the prompt" }).click();
    await dialog.getByText(/^Sois bref\./).last().waitFor();
    assert.deepEqual(await axe(page), [], "a text");
    await picture(page, "texts-edit");
    // A synchronisation leaves it alone; a text without its places is refused.
    await call(page, "sync_texts", {});
    assert.equal((await read(page, "/api/texts?agent=companion")).find((one) => one.audience === "parent" && one.language === "fr" && one.name === "give_advice_system_prompt").text, "Sois bref.");
    await dialog.getByRole("button", { name: "Back to the original" }).click();
    await dialog.getByText("your words").waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.getByRole("searchbox", { name: "Find a text" }).fill("card.progress");
    await page.getByRole("button", { name: /card\.progress/ }).first().click();
    await dialog.getByLabel("In force").fill("no places");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText(/it has no places to fill/).waitFor();
    // It is seen as people read it, and not dropped without a word.
    await dialog.getByLabel("In force").fill("**Already {n}** of {total}");
    assert.match(await dialog.locator("[data-read]").innerHTML(), /<strong>Already <em>n<\/em><\/strong>/);
    await page.keyboard.press("Escape");
    await dialog.getByRole("alert").waitFor();
    assert.deepEqual(await axe(page), [], "a text that is not saved");
    await dialog.getByRole("button", { name: "Go on writing" }).click();
    assert.equal(await dialog.getByLabel("In force").inputValue(), "**Already {n}** of {total}");
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Discard it" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(await axe(page), [], "the list of texts");
    await picture(page, "texts-list");
    assert.deepEqual(problems.filter((one) => !/400/.test(one)), []);
  } finally {
    await server.stop();
  }
}));

// "I had it open in two tabs, saved in both, and the first one's words were gone."
test("two tabs that change one text see each other", { skip }, () => onData(async (data, browser) => {
  const server = await serve(data, "--practice");
  const { page, problems } = await open(browser, server.url, { colorScheme: "dark", viewport: { width: 390, height: 844 } });
  const other = await page.context().newPage();
  try {
    for (const one of [page, other]) {
      one.setDefaultTimeout(30_000);
      await one.goto(`${page.url().split("#")[0]}#/settings/texts`);
      await one.getByRole("combobox", { name: "Language" }).selectOption("fr");
      await one.getByRole("combobox", { name: "Audience" }).selectOption("teen");
      await one.getByRole("searchbox", { name: "Find a text" }).fill("first_words");
      await one.getByRole("button", { name: /first_words/ }).click();
    }
    const box = (one) => one.getByRole("dialog").getByLabel("In force");
    await box(page).fill("Coucou de la première.");
    await box(other).fill("Coucou de la seconde.");
    await other.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await other.getByText(/^Saved; it holds/).waitFor();
    const notice = page.getByRole("alert", { name: /changed elsewhere/ });
    await notice.waitFor();
    assert.equal(await notice.getByLabel("What was saved elsewhere").inputValue(), "Coucou de la seconde.");
    assert.equal(await box(page).inputValue(), "Coucou de la première.");
    assert.deepEqual(await axe(page), [], "a text that was changed elsewhere");
    await picture(page, "texts-changed");
    const now = async () => (await read(page, "/api/texts?agent=companion")).find((one) => one.audience === "teen" && one.language === "fr" && one.name === "first_words").text;
    assert.equal(await now(), "Coucou de la seconde.");
    await notice.getByRole("button", { name: "Save mine over it" }).click();
    await notice.waitFor({ state: "detached" });
    await until(async () => (await now()) === "Coucou de la première."); // the notice goes when it is sent
    // The other tab, where nothing is written, shows it.
    await until(async () => (await box(other).inputValue()) === "Coucou de la première.");
    assert.deepEqual(problems, []);
  } finally {
    await server.stop();
  }
}));

// "I asked for French in words, and it went on in English." The screens stay as they are.
test("a language that is asked for in words is the conversation's, and the screens keep theirs", { skip }, () => onData(async (data, browser) => {
  const server = await serve(data, "--practice");
  const { page, problems } = await open(browser, server.url, { colorScheme: "light" });
  try {
    page.setDefaultTimeout(30_000);
    const { session } = await call(page, "send", { agent: "companion", vars: { audience: "teen", language: "en", region: "FR", age: "at_15" }, text: "Hello" });
    await page.goto(`${page.url().split("#")[0]}#/sessions/${session}`);
    const box = page.locator("[data-composer]");
    const last = () => page.locator("[data-turn]").last();
    const say = async (text, turns) => {
      await page.getByRole("button", { name: /Send/ }).waitFor();
      await box.fill(text);
      await box.press("Enter");
      await until(async () => (await page.locator("[data-turn]").count()) === turns);
    };
    await page.locator("[data-turn]").first().getByText("Question 3 of 6").waitFor();
    await say("peut-on parler français ?", 2);
    await last().getByText("Question 3 sur 6").waitFor();
    await page.locator('[data-cards][lang="fr"]').waitFor();
    await say("Suis triste", 3); // the screen sends the language as well
    await last().getByText("Question 4 sur 6").waitFor();
    await page.getByRole("button", { name: /Answered by .*Français/ }).waitFor();
    await page.getByRole("button", { name: /Send/ }).waitFor();
    await say("It has been like this for weeks and I have told nobody about it", 4);
    await last().getByText(/ of 6/).waitFor();
    await page.locator('[data-cards][lang="en"]').waitFor();
    assert.deepEqual(problems, []);
  } finally {
    await server.stop();
  }
}));
