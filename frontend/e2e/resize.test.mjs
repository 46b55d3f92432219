// A window that is drawn wider or a phone that is turned: what was written and chosen stays, and nothing runs out sideways.
import assert from "node:assert/strict";
import { test } from "node:test";
import { call, onFolders, open, picture, read, serve, skip, until } from "./harness.mjs";

const onData = onFolders();

test("what was written and chosen stays while the window changes its width, and no draft of it is kept", { skip }, () => onData(async (data, browser) => {
  const server = await serve(data, "--practice");
  const { page, problems } = await open(browser, server.url, { viewport: { width: 390, height: 844 } });
  try {
    page.setDefaultTimeout(30_000);
    await call(page, "set_setting", { key: "region", value: "FR" });
    await page.goto(`${page.url().split("#")[0]}#/sessions/new`);
    await page.locator("[data-agent-picker]").click();
    await page.getByRole("radio", { name: /Companion/ }).click();
    await page.getByRole("radio", { name: "A parent" }).check();
    await page.getByRole("combobox", { name: /help lines/ }).selectOption("CA");
    const box = page.getByLabel("Message", { exact: true });
    await box.fill("My son is angry with us about every rule that we make");
    for (const width of [800, 390, 1300, 800, 1300, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await page.waitForTimeout(200);
      assert.equal(await box.inputValue(), "My son is angry with us about every rule that we make", `at ${width} px`);
      assert.ok(await page.getByRole("radio", { name: "A parent" }).isChecked());
      assert.equal(await page.getByRole("combobox", { name: /help lines/ }).inputValue(), "CA");
      assert.ok(await box.evaluate((node) => node === document.activeElement), "the focus stays");
      assert.ok(await box.evaluate((node) => node.scrollHeight <= node.clientHeight + 2 && node.clientHeight < 110), "the box has the height of its text");
      await picture(page, `resize-${width}`);
    }
    const sessions = async () => (await page.locator("#sessions").boundingBox())?.width ?? 0;
    await page.setViewportSize({ width: 1300, height: 844 });
    await page.waitForTimeout(200);
    assert.ok((await sessions()) < 430, `the list of sessions is ${await sessions()} px wide`);
    assert.equal((await read(page, "/api/drafts/new")).text ?? "", "");
    assert.deepEqual(problems, []);
  } finally {
    await server.stop();
  }
}));

/** Areas of the screen that can be scrolled sideways: not the graph, which is drawn, nor tables. */
const sideways = (page) => page.evaluate(() => [...document.querySelectorAll("main, main *")]
  .filter((node) => /auto|scroll/.test(getComputedStyle(node).overflowX) && node.clientWidth > 0 && node.scrollWidth > node.clientWidth + 1 && !node.querySelector(":scope > table, .react-flow"))
  .map((node) => `${node.getAttribute("aria-label") ?? node.className}: ${node.scrollWidth} in ${node.clientWidth}`));

test("nothing is scrolled sideways on a phone, with larger text and in a middle window", { skip }, () => onData(async (data, browser) => {
  const server = await serve(data, "--practice");
  const { page, problems } = await open(browser, server.url, { viewport: { width: 390, height: 844 } });
  try {
    page.setDefaultTimeout(30_000);
    await call(page, "set_setting", { key: "region", value: "FR" });
    await call(page, "set_setting", { key: "language", value: "fr" });
    const { session } = await call(page, "send", { agent: "companion", vars: { audience: "teen", language: "fr", region: "FR", age: "at_15" }, text: "mes parents se disputent depuis quelques mois, j'ai essayé de parler, j'aimerais du calme" });
    await until(async () => (await read(page, `/api/sessions/${session}/cards`))?.sources?.length > 0);
    const places = [`sessions/${session}`, "sessions/new", "approvals", "memory", "board", "library", "records", "models", "settings"];
    for (const [width, height, size] of [[390, 844, 100], [1100, 800, 100], [390, 844, 200]])
      for (const place of size === 200 ? places.slice(0, 2) : places) {
        await page.setViewportSize({ width, height });
        await page.goto(`${page.url().split("#")[0]}#/${place}`);
        await page.evaluate((size) => { document.documentElement.style.fontSize = `${size}%`; }, size);
        const box = page.locator("[data-composer]");
        if (place.startsWith("sessions/")) await box.waitFor();
        await page.waitForTimeout(700);
        const at = `${place.split("/")[0]} at ${width} px and ${size} %`;
        assert.deepEqual(await sideways(page), [], at);
        if (place.startsWith("sessions/")) {
          const [{ x, y, width: wide, height: tall }, foot] = [await box.boundingBox(), await page.locator("footer").last().boundingBox()];
          assert.ok(wide >= 180 && x + wide <= width && y > 0 && y + tall <= foot.y, `the message box has room, ${at}: ${[x, y, wide, tall]}`);
        }
        if (width === 1100) {
          const names = page.getByRole("navigation", { name: "Écrans" }).locator("a");
          for (const one of await names.all()) assert.ok(await one.evaluate((node) => node.scrollWidth <= node.clientWidth && [...node.children].every((child) => child.getBoundingClientRect().right <= node.getBoundingClientRect().right)), `${await one.textContent()} is in its tile`);
          if (place.startsWith("sessions/")) assert.ok(await page.getByRole("button", { name: /Nouvelle session/ }).first().evaluate((node) => node.scrollWidth <= node.clientWidth), "the button has its key, or none");
        }
        await picture(page, `sideways-${width}-${size}-${place.split("/")[0]}`);
      }
    assert.deepEqual(problems, []);
  } finally {
    await server.stop();
  }
}));

// "It was killed and started again, and my page said “trying again” all evening."
test("a page of a program that was started anew says so in both languages, and stops trying", { skip }, () => onData(async (data, browser) => {
  const first = await serve(data, "--practice");
  const port = new URL(first.url).port;
  const { page } = await open(browser, first.url, { viewport: { width: 390, height: 844 } });
  page.setDefaultTimeout(30_000);
  await page.locator("main").waitFor();
  await first.kill();
  const second = await serve(data, "--practice", "--addr", `127.0.0.1:${port}`);
  try {
    const alert = page.getByRole("alert").filter({ hasText: "Holdpoint was started anew" });
    await alert.getByText(/Ouvrez l’adresse qu’il a affichée/).waitFor();
    await picture(page, "anew");
    let asked = 0;
    page.on("request", (request) => { if (request.url().endsWith("/stream")) asked++; });
    await page.waitForTimeout(6000);
    assert.equal(asked, 0, "it stopped trying");
    assert.equal(await page.getByText(/trying again|nouvel essai/).count(), 0);
    await page.goto(second.url);
    await page.reload();
    await page.locator("main h1, main h2").first().waitFor();
    assert.equal(await alert.count(), 0);
  } finally {
    await second.stop();
  }
}));
