// What a person in danger, and one who waits, sees of the real program whatever its model server does. The server is
// scripted here; what has to come at once is timed in the page, from the key to what is to be seen.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { test } from "node:test";
import { axe, bin, call, framed, onFolders, open, picture, read, serve, skip, until } from "./harness.mjs";

const onData = onFolders();

/** How many weights a model has whose word counts alone. */
const LARGE = 3_000_000_000;

/**
 * A model server that does what `how` says now: "calm" and "crisis" are what its classifier says of everything;
 * "hangs", "dies" and "answers nonsense" are what it does whatever it is asked, and one that "cannot load its model" has
 * one, and answers nothing with it. Questions to the model that
 * `holds` says yes to wait in `held` for the test to answer them.
 */
async function modelServer(how) {
  const self = { how, holds: () => false, held: [] };
  const json = (response, body) => response.setHeader("Content-Type", "application/json").end(`${JSON.stringify(body)}\n`);
  const server = createServer(async (request, response) => {
    if (self.how === "hangs") return;
    if (self.how === "dies") return request.socket.destroy();
    if (self.how === "answers nonsense") return json(response, { version: "1", models: "many", message: { content: "][" } });
    const { pathname } = new URL(request.url, "http://model");
    if (pathname === "/api/version") return json(response, { version: "0.24.0" });
    if (pathname === "/api/tags") return json(response, { models: [{ name: "stub:latest", model: "stub:latest", digest: "d1", size: 1 }] });
    if (pathname === "/api/show") return json(response, { capabilities: ["completion", "tools"], model_info: { "general.architecture": "llama", "general.parameter_count": LARGE, "llama.context_length": 8192 } });
    if (self.how === "cannot load its model") return response.writeHead(500).end(JSON.stringify({ error: "unable to load model" }));
    if (pathname !== "/api/chat") return response.writeHead(404).end("{}");
    let body = "";
    for await (const part of request) body += part;
    const asked = JSON.parse(body);
    const write = (content) => response.write(`${JSON.stringify({ message: { role: "assistant", content }, done: false })}\n`);
    const answer = () => {
      const risk = self.how === "crisis" ? "crisis" : "none";
      write(asked.format ? JSON.stringify({ risk, category: risk === "none" ? "none" : "intent", who: "self" }) : "That can be done.");
      // Two hundred tokens of a prompt are read in a second.
      response.end(`${JSON.stringify({ message: { role: "assistant", content: "" }, done: true, done_reason: "stop", prompt_eval_count: 400, prompt_eval_duration: 2e9, eval_count: 9, eval_duration: 1e8 })}\n`);
    };
    if (!self.holds(asked)) return answer();
    const one = { asked, write, answer, gone: false };
    response.on("close", () => { one.gone = true; });
    self.held.push(one);
  });
  const listen = (port) => new Promise((ready) => server.listen(port, "127.0.0.1", ready));
  await listen(0);
  const { port } = server.address();
  self.url = `http://127.0.0.1:${port}`;
  self.close = () => new Promise((done) => { server.close(done); server.closeAllConnections(); });
  self.reopen = () => listen(port);
  return self;
}

/** The program with its own data, the settings of a language, and a page at a new session. */
const onProgram = (how, language, run, options) => onData(async (data, browser) => {
  const models = await modelServer(how);
  if (how === "is not there") await models.close();
  for (const [key, value] of [["region", said[language].region], ["language", language]]) execFileSync(bin, ["--data", data, "settings", "set", key, value], { stdio: "pipe" });
  const server = await serve(data, "--ollama", models.url);
  const { page, problems } = await open(browser, server.url, options);
  try {
    page.setDefaultTimeout(20_000);
    await begin(page);
    await run(page, models, problems);
    assert.deepEqual(problems, []);
  } finally {
    await server.stop();
    await models.close();
  }
});

const said = {
  en: {
    region: "GB", number: "116 123", now: "What you can do now", by: "found by",
    grave: "I want to kill myself tonight, I have the pills here", quiet: "I feel so hopeless and alone", unseen: "Everything lies beside me on the table now.",
  },
  fr: {
    region: "FR", number: "3114", now: "Ce que vous pouvez faire maintenant", by: "selon",
    grave: "Je veux mourir, j'ai les cachets devant moi", unseen: "Quels papiers faut-il pour le rendez-vous ?",
  },
};

const box = (page) => page.locator("[data-composer]");

async function begin(page) {
  await page.evaluate(() => { location.hash = "/sessions/new"; });
  await page.waitForFunction(() => document.querySelector("[data-composer]") && !document.querySelector("[data-turn]"));
}

/**
 * Sends a message by Enter and returns, for each of what is looked for (a selector, and what its text matches),
 * after how many ms from the key it was to be seen in the page: in the window, with nothing over it.
 */
async function send(page, text, looked) {
  await box(page).fill(text);
  await page.evaluate((looked) => {
    window.after = {};
    let from = Number.NaN;
    const shown = (node) => {
      const { top, left, width, height } = node.getBoundingClientRect();
      const over = document.elementFromPoint(left + width / 2, top + height / 2);
      return width > 0 && over !== null && (node.contains(over) || over.contains(node) && over.tagName !== "BODY");
    };
    const look = () => {
      for (const [name, [selector, pattern]] of Object.entries(looked))
        if (!(name in window.after) && [...document.querySelectorAll(selector)].some((node) => new RegExp(pattern).test(node.textContent) && shown(node))) window.after[name] = performance.now() - from;
      if (Object.keys(looked).every((name) => name in window.after)) {
        watch.disconnect();
        removeEventListener("scroll", look, true);
      }
    };
    const watch = new MutationObserver(look);
    addEventListener("keydown", (event) => {
      from = event.timeStamp;
      watch.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
      addEventListener("scroll", look, true);
    }, { capture: true, once: true });
  }, looked);
  await box(page).press("Enter");
  await page.waitForFunction((names) => names.every((name) => name in window.after), Object.keys(looked));
  return page.evaluate(() => window.after);
}

/**
 * As send, for what has to be seen within a second. The machine may be busy with something else for a while: what came
 * later is sent again in a new session, twice at most.
 */
async function soon(page, text, looked) {
  for (let again = 2; ; again--) {
    const after = await send(page, text, looked);
    const late = Object.entries(after).filter(([, ms]) => ms >= 1000);
    if (late.length === 0) return;
    assert.ok(again > 0, `of “${text}” ${late.map(([what, ms]) => `${what} was shown ${Math.round(ms)} ms after Enter`)}`);
    const stop = page.getByRole("button", { name: /^(Stop|Arrêter)/ });
    if (await stop.count()) await stop.click();
    await begin(page);
  }
}

/** The number of a region, in the first lines of help. */
const numberOf = (language) => ["[data-turn] [data-help] [data-numbers] strong", `^${said[language].number}$`];

/** The session of the page as a file. */
const exported = (page, format) => page.evaluate(async (format) => {
  const session = location.hash.split("/")[2];
  const answer = await fetch(`/api/sessions/${session}/export?format=${format}`, { headers: { "X-Holdpoint-Key": localStorage.getItem("holdpoint.key") } });
  return answer.text();
}, format);

const looks = { en: { colorScheme: "light", viewport: { width: 1440, height: 900 } }, fr: { colorScheme: "dark", viewport: { width: 390, height: 844 } } };

async function look(page, language) {
  await page.setViewportSize(looks[language].viewport);
  await page.emulateMedia({ colorScheme: looks[language].colorScheme });
}

// "The model server hung, and I sat before a row that said Starting." – "I wrote that I would die, and it said there is no model."
for (const how of ["crisis", "hangs", "dies", "answers nonsense", "cannot load its model", "is not there"])
  test(`help with the number of my country is to be seen within a second of Enter, and stays; the model server: ${how}`, { skip }, () =>
    onProgram(how, "en", async (page) => {
      for (const language of ["en", "fr"]) {
        const w = said[language];
        if (language === "fr") {
          await call(page, "set_setting", { key: "region", value: w.region });
          await call(page, "set_setting", { key: "language", value: language });
          await look(page, language);
          await page.evaluate(() => { location.hash = "/sessions/new"; });
          await page.reload();
          await box(page).waitFor();
        }
        await soon(page, w.grave, { help: numberOf(language) });
        const card = page.locator("[data-turn] [data-help]");
        await card.getByText(w.now).waitFor();
        if (how === "hangs") assert.deepEqual(await axe(page), [], `${language}: help`); // it looks the same with the others
        await framed(page);
        await picture(page, `crisis-${how.replaceAll(" ", "-")}-${language}`);

        // Nothing of it is lost with the page.
        const { sessions: [first] } = await read(page, "/api/sessions");
        assert.equal(`#/sessions/${first.id}`, await page.evaluate(() => location.hash.split("?")[0]));
        await page.reload();
        await card.getByText(w.now).waitFor();
        await page.locator("[data-turn]").getByText(w.grave, { exact: true }).waitFor();
        assert.equal(await card.count(), 1);
        for (const format of ["md", "html", "json"]) {
          const text = (await exported(page, format)).replaceAll("&#39;", "'");
          for (const words of [w.grave, w.now, w.number, ...(format === "json" ? [] : [w.by])]) assert.ok(text.includes(words), `${language}: “${words}” is in the export as ${format}:\n${text.slice(0, 3000)}`);
          // Where there was no model, none is named: no label stands before nothing.
          assert.doesNotMatch(text, /\b(model|modèle) *(\n|·)/, `${language}, ${format}`);
        }
      }
    }, looks.en));

// "The model saw that I was in danger, and nothing was said."
for (const language of ["en", "fr"])
  test(`what only the model sees as danger brings help in the place of the reply, ${language}`, { skip }, () =>
    onProgram("crisis", language, async (page) => {
      const w = said[language];
      await soon(page, w.unseen, { help: numberOf(language) });
      const turn = page.locator("[data-turn]");
      await turn.locator("[data-help]").getByText(w.now).waitFor();
      await turn.locator("[data-help]").getByText(language === "en" ? /^found by .*\bmodel\b/ : /^trouvé par .*modèle/).waitFor();
      const once = async () => assert.deepEqual([await turn.count(), await turn.getByText("That can be done.").count(), await page.getByRole("alert").count()], [1, 0, 0], "help is all that is said");
      await once();
      assert.deepEqual(await axe(page), []);
      await framed(page);
      await picture(page, `crisis-unseen-${language}`);
      await page.reload();
      await turn.locator("[data-help]").getByText(w.now).waitFor();
      await once();
      await page.keyboard.press("Control+Shift+E");
      const preview = page.getByRole("dialog").locator("pre");
      await preview.filter({ hasText: w.now }).filter({ hasText: w.number }).waitFor();
      assert.ok((await preview.innerText()).includes(w.unseen));
    }, looks[language]));

// "I wrote how alone I am, and looked at a wheel." – "It said Starting for half a minute, and there was nothing to stop it."
test("before a hanging model server a question with help stands within a second of Enter, and any message is kept and can be stopped", { skip }, () =>
  onProgram("hangs", "en", async (page) => {
    const w = said.en;
    const stop = async () => {
      await page.getByRole("button", { name: /^Stop/ }).click();
      await page.getByText("You stopped this turn").waitFor();
      await page.reload();
      await page.getByText("You stopped this turn").waitFor();
      const { sessions: [first] } = await read(page, "/api/sessions");
      assert.equal(`#/sessions/${first.id}`, await page.evaluate(() => location.hash.split("?")[0]), "it is kept");
    };
    await soon(page, w.quiet, { help: numberOf("en") });
    const card = page.locator("[data-turn] [data-help]").filter({ hasText: "are you safe right now?" });
    await card.waitFor();
    await page.locator("[data-turn] [role=status]").filter({ hasText: "Check the message" }).waitFor();
    assert.deepEqual(await axe(page), [], "a question");
    await framed(page);
    await picture(page, "crisis-quiet-hangs");
    await stop();
    await card.waitFor();

    await begin(page);
    await soon(page, "Which papers do I need on Monday?", { way: ["[data-turn] [role=status]", "."] });
    await page.locator("[data-turn]:not([data-turn='']) [role=status]").getByText("Check the message", { exact: true }).waitFor();
    assert.deepEqual(await axe(page), [], "a step that hangs");
    await stop();
  }, looks.fr));

// "My model server was down. I started it, and had to write everything again." – "Nobody looked at it then, either."
test("a turn that failed because the model server was down is answered when I try it again once it is back", { skip }, () =>
  onProgram("calm", "en", async (page, models, problems) => {
    await models.close();
    const again = page.getByRole("button", { name: "Try again" });
    const ends = async (text) => {
      await box(page).fill(text);
      await box(page).press("Enter");
      await again.waitFor();
    };
    await ends("Which papers do I need on Monday?");
    assert.match(await page.getByRole("alert").innerText(), /No record was changed/);
    assert.deepEqual(await axe(page), [], "failed");
    await framed(page);
    await picture(page, "retry-failed");
    // It is down still: that is said, and the turn can be tried again.
    await again.click();
    const notice = page.locator("[data-toast]").filter({ hasText: "No model server answers" });
    await notice.waitFor();
    assert.deepEqual(await axe(page), [], "down still");
    await models.reopen();
    await again.click();
    await notice.waitFor({ state: "detached" });
    const turns = page.locator("[data-turn]");
    await turns.getByText("That can be done.").waitFor();
    await again.waitFor({ state: "detached" });
    assert.deepEqual([await turns.count(), await page.getByRole("alert").count()], [1, 0], "it is the same turn");
    assert.deepEqual(await axe(page), [], "answered");
    await picture(page, "retry-answered");
    await page.reload();
    await turns.getByText("That can be done.").waitFor();
    assert.equal(await again.count(), 0);

    // What nobody heard before is heard then.
    await models.close();
    models.how = "crisis";
    await begin(page);
    await ends(said.en.unseen);
    await models.reopen();
    await again.click();
    await turns.locator("[data-help]").getByText(said.en.now).waitFor();
    await again.waitFor({ state: "detached" });
    assert.equal(await turns.getByText("That can be done.").count(), 0);
    assert.deepEqual(await axe(page), [], "help");
    // The try while it was down was refused, as it has to be.
    assert.match(problems.splice(0).join("\n"), /^console: .*502 \(Bad Gateway\)$/);
  }, looks.en));

// "I pressed Enter, and for forty seconds nothing told me whether it works or how far it is."
for (const language of ["en", "fr"])
  test(`while a slow model reads and writes, the row says the step, the time and about how much is read, and Stop stops it, ${language}`, { skip }, () =>
    onProgram("calm", language, async (page, models) => {
      const w = {
        en: { check: "^Check the message$", reads: "^the model reads about [\\d,]+ tokens$", read: /^about [\d,]+ of [\d,]+ tokens read$/, bar: "Prompt read, estimated", writes: "Writing the reply", stop: /^Stop/, stopped: "You stopped this turn" },
        fr: { check: "^Vérifier le message$", reads: "^le modèle lit environ [\\d\\s]+ tokens$", read: /^environ [\d\s]+ tokens lus sur [\d\s]+$/, bar: "Part de l’invite lue, estimée", writes: "Rédaction de la réponse", stop: /^Arrêter/, stopped: "Vous avez arrêté ce tour" },
      }[language];
      const row = page.locator("[data-turn] p", { has: page.getByRole("status") });
      models.holds = () => true;
      await soon(page, "Which papers do I need on Monday?", {
        way: ["[data-turn] [role=status]", "."], time: ["[data-turn] [role=status] + span", "^\\d+ s$"],
        step: ["[data-turn]:not([data-turn='']) [role=status]", w.check], read: ["[data-turn] p > span", w.reads],
      });
      // Time goes on while nothing comes.
      await row.getByText(/^[1-9] s$/).waitFor();
      assert.deepEqual(await axe(page), [], "reading");
      await framed(page);
      await picture(page, `slow-reads-${language}`);

      // The first answer tells how fast the model is: of the next prompt the row says how much is read.
      const writesReply = ({ format, options }) => !format && options.num_predict > 1;
      models.holds = writesReply;
      for (const one of models.held.splice(0)) one.answer();
      await until(() => models.held.length === 1);
      await row.getByText(w.read).waitFor();
      const bar = row.getByRole("progressbar", { name: w.bar });
      assert.ok(Number(await bar.getAttribute("aria-valuemax")) > 100);
      const before = Number(await bar.getAttribute("aria-valuenow"));
      await until(async () => Number(await bar.getAttribute("aria-valuenow")) > before);
      assert.deepEqual(await axe(page), [], "about how much is read");
      await picture(page, `slow-about-${language}`);

      // Once a sentence is known to be one for people, a word at a time, as it comes.
      const [reply] = models.held;
      const turn = page.locator("[data-turn]");
      for (const [word, so] of [["Bring a passport to the visit ", "Bring a passport to the visit"], ["and ", "Bring a passport to the visit and"]]) {
        reply.write(word);
        await turn.getByText(so, { exact: true }).waitFor();
      }
      await row.getByText(w.writes).waitFor();
      assert.deepEqual(await axe(page), [], "writing");
      await picture(page, `slow-writes-${language}`);
      assert.equal(reply.gone, false);
      await page.getByRole("button", { name: w.stop }).click();
      await page.getByText(w.stopped).waitFor();
      await until(() => reply.gone);
      await turn.getByText("Bring a passport to the visit and", { exact: true }).waitFor();
      assert.equal(await row.count(), 0);
      assert.deepEqual(await axe(page), [], "stopped");
      await picture(page, `slow-stopped-${language}`);

      // Esc stops as well what is only read yet.
      models.held.length = 0;
      models.holds = () => true;
      await send(page, "And on Tuesday?", { step: ["[data-turn]:last-child [role=status]", w.check] });
      await until(() => models.held.length > 0);
      await box(page).press("Escape");
      await until(() => models.held.every(({ gone }) => gone));
      await until(async () => (await page.getByText(w.stopped).count()) === 2);
    }, looks[language]));
