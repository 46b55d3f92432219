// Years of use: hundreds of sessions, a session of many turns.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, onMock, picture } from "./harness.mjs";

const mock = onMock();

const visit = (run) => mock.visit("long", "#/sessions/s-long", async (page) => {
  await page.getByText("Question 120: how were her readings?").first().waitFor();
  await run(page);
});
const turns = (page) => page.locator("article[data-turn]");
const conversation = (page) => page.getByRole("region", { name: "Conversation" });

test("a conversation of 120 turns opens at its newest", () =>
  visit(async (page) => {
    await picture(page, "long-conversation");
    await page.waitForFunction(() => {
      const box = document.querySelector("[aria-label=Conversation]");
      const last = [...document.querySelectorAll("article[data-turn]")].at(-1);
      return last.dataset.turn === "t-long120" && last.getBoundingClientRect().bottom <= box.getBoundingClientRect().bottom;
    });
    assert.deepEqual(await axe(page), []);
  }));

test("a person finds, copies and prints every turn of a session of 120", () =>
  visit(async (page) => {
    const every = Array.from({ length: 120 }, (_, index) => `t-long${index + 1}`);
    assert.deepEqual(await turns(page).evaluateAll((all) => all.map((one) => one.dataset.turn)), every);
    assert.ok(await page.evaluate(() => window.find("Question 61: how were her readings?")), "the browser's search finds a turn out of view");
    await conversation(page).evaluate((box) => getSelection().selectAllChildren(box));
    const copied = await page.evaluate(() => getSelection().toString());
    for (const n of [1, 60, 120]) assert.ok(copied.includes(`Question ${n}: how were her readings?`), `turn ${n} is copied`);
  }));

test("Home and End lead to the first turn and to the last", () =>
  visit(async (page) => {
    await conversation(page).focus();
    for (const [key, turn] of [["Home", 1], ["End", 120]]) {
      await page.keyboard.press(key);
      await page.waitForFunction((id) => {
        const box = document.querySelector("[aria-label=Conversation]").getBoundingClientRect();
        const { top, bottom } = document.querySelector(`article[data-turn="${id}"]`).getBoundingClientRect();
        return top < box.bottom && bottom > box.top;
      }, `t-long${turn}`);
    }
  }));

test("scrolling up shows the first turn, and Newest leads back to the last", () =>
  visit(async (page) => {
    const first = page.locator('article[data-turn="t-long1"]');
    await page.waitForFunction(() => document.querySelector("[aria-label=Conversation]").scrollTop > 1000);
    await conversation(page).evaluate((box) => box.scrollTo(0, 0));
    await first.waitFor();
    await page.getByRole("button", { name: "Newest" }).click();
    await page.waitForFunction(() => {
      const box = document.querySelector("[aria-label=Conversation]");
      return document.querySelector('article[data-turn="t-long120"]').getBoundingClientRect().bottom <= box.getBoundingClientRect().bottom + 1;
    });
  }));

test("the arrows walk from session to session through a list of 400, each says its place, and Tab leaves the list", () =>
  visit(async (page) => {
    const links = page.locator('nav[aria-label=Sessions] li a');
    assert.ok((await links.count()) < 100);
    await links.first().focus();
    const place = () => page.evaluate(() => document.activeElement?.closest("li")?.getAttribute("aria-posinset"));
    for (let i = 1; i <= 120; i++) {
      assert.equal(Number(await place()), i, "no session is left out");
      await page.keyboard.press("ArrowDown");
      await page.waitForFunction((n) => document.activeElement?.closest("li")?.getAttribute("aria-posinset") === String(n), i + 1);
    }
    // The session's own buttons come after it, then what is beside the list.
    for (let i = 0; i < 4 && (await place()) !== undefined; i++) await page.keyboard.press("Tab");
    assert.equal(await place(), undefined, "Tab leaves the list");
    await page.keyboard.press("Home");
    assert.equal(await page.locator('nav[aria-label=Sessions] li').first().getAttribute("aria-setsize"), "405");
    assert.deepEqual(await axe(page), []);
  }));
