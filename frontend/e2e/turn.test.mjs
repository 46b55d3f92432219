// A person's way through a turn, by keyboard, on the mock.
import assert from "node:assert/strict";
import { test } from "node:test";
import { framed, onMock, picture, readToEnd } from "./harness.mjs";

const mock = onMock();

const on = (hash, run, scene = "clinic") => mock.visit(scene, hash, run);

test("a new session is written, streams its reply and says where it came from", () =>
  on("", async (page) => {
    await page.getByRole("button", { name: "New session" }).first().waitFor();
    await page.keyboard.press("Control+n");
    await page.getByRole("combobox", { name: "Search patients" }).fill("Amara");
    await page.getByRole("option", { name: /Amara/ }).click();
    await page.getByLabel("Case").getByText("Amara Osei").waitFor();
    await page.getByLabel("Message").fill("How were her readings?");
    await page.getByLabel("Message").press("Shift+Enter");
    await page.getByLabel("Message").pressSequentially("Thanks.");
    await page.getByLabel("Message").press("Enter");
    await page.getByRole("button", { name: /Stop/ }).waitFor();
    await page.locator("[aria-busy=true]").waitFor();
    await page.getByRole("button", { name: "Regenerate" }).waitFor();
    await page.getByText("qwen3:8b 9f2b41c07d3e").waitFor();
    assert.equal(await page.getByText("How were her readings?\nThanks.").count() > 0, true);
    await picture(page, "turn-done");
  }, "clinic:100"));

test("Esc stops a running turn; what was written is kept and marked", () =>
  on("#/sessions/s-done", async (page) => {
    await page.getByText("Her last two readings").first().waitFor();
    await page.getByLabel("Message").fill("Again, please");
    await page.getByLabel("Message").press("Enter");
    await page.locator("[aria-busy=true]").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("You stopped this turn").waitFor();
    await page.getByText("Partial answer: the reply was cut off here.").waitFor();
    await page.getByRole("button", { name: "Send" }).waitFor();
  }, "clinic:100"));

for (const size of [{ width: 1440, height: 900 }, { width: 1200, height: 560 }])
test(`a hold point is approved by keyboard at ${size.width} × ${size.height}: what it means comes first`, () =>
  on("#/sessions/s-done", async (page) => {
    await page.setViewportSize(size);
    await page.getByText("Her last two readings").first().waitFor();
    await page.getByLabel("Message").fill("Book a visit");
    await page.getByLabel("Message").press("Enter");
    await page.locator("[data-approval]").waitFor();
    // The focus is seen: on the sentence.
    await page.waitForFunction(() => document.activeElement?.matches("[data-approval] h3"));
    // In view: nobody is carried past what the request means to the buttons, which stay in
    // view below it. What will change follows; where there is room it is seen at once.
    const seen = await page.locator("[data-approval]").evaluate(async (card, tall) => {
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const view = document.querySelector('[aria-label="Conversation"]').getBoundingClientRect();
      const bar = [...card.querySelectorAll("button")].find((one) => /^(Approve|Read (on|the rest))/.test(one.textContent)).getBoundingClientRect();
      const parts = [card.querySelector("h3"), [...card.querySelectorAll("dt")].find((one) => one.textContent === "When")];
      if (tall) parts.push(card.querySelector("[data-read=changes]"));
      return bar.bottom <= view.bottom && parts.every((part) => {
        const { top, bottom } = part.getBoundingClientRect();
        return top >= view.top && Math.min(bottom, top + 20) <= bar.top;
      });
    }, size.height > 800);
    assert.equal(seen, true);
    await framed(page);
    await readToEnd(page);
    await page.keyboard.press("Control+Enter");
    await page.getByText("The visit is booked").waitFor();
    await page.getByText("Carried out").waitFor();
    await picture(page, "turn-approved");
  }));

test("the next approval is reached from anywhere, and closing it decides nothing", () =>
  on("#/settings", async (page) => {
    await page.getByText("Reviewer name").waitFor();
    await page.keyboard.press("Control+Shift+A");
    await page.locator("[data-approval]").waitFor();
    await page.getByRole("button", { name: /decides nothing/ }).click();
    await page.getByText("Choose an approval").waitFor();
    await page.getByRole("link", { name: /Needs approval/ }).waitFor();
  }));

test("settings keep the chosen theme, and F1 lists the keys", () =>
  on("#/settings", async (page) => {
    await page.getByLabel("Theme").selectOption("dark");
    await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
    await page.keyboard.press("F1");
    await page.getByRole("dialog", { name: "Help" }).getByText("Next approval").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }));

test("hostile replies run nothing, load nothing and change nothing", () =>
  on("#/sessions/s-done", async (page) => {
    await page.getByText("image not loaded").waitFor();
    assert.match(await page.title(), /Holdpoint/);
    const links = await page.locator("article a").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    assert.deepEqual(links, ["https://example.org/a"]);
    assert.equal(await page.locator("article img, article script").count(), 0);
  }, "hostile"));

test("keys of a shown approval do nothing while a message is written", () =>
  on("#/sessions/s-held", async (page) => {
    await page.locator("[data-approval]").waitFor();
    await page.getByLabel("Message").fill("");
    await page.getByLabel("Message").pressSequentially("re");
    assert.equal(await page.getByLabel("Reason for rejecting").count(), 0);
  }));
