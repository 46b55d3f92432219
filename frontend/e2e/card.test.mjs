// The approval card and the ways around it, as a person meets them: what is shown, in which order, in whose time, by keyboard.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, onMock, picture, readToEnd } from "./harness.mjs";

const mock = onMock();

const card = (page) => page.locator("[data-approval]");

for (const [look, options] of [["light", { colorScheme: "light" }], ["dark-narrow", { colorScheme: "dark", viewport: { width: 390, height: 844 } }]]) {
  test(`the card: words, warnings, all fields, and a bar that stays, ${look}`, async () => {
    const { page, problems, close } = await mock.open("clinic", "#/approvals/t-held-a1", options);
    try {
      await card(page).waitFor();
      const bar = page.getByRole("group", { name: "Decide" });
      const inView = () => bar.evaluate((node) => { const { top, bottom } = node.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; });
      assert.equal(await inView(), true, "the decision is in view at the top of the card");
      const order = await card(page).evaluate((node) => ["[aria-label='In words']", "[aria-label=Warnings]", "[data-read=changes]", "[aria-label=Arguments]", "[data-decide]"].map((name) => node.querySelector(name)).map((one, at, all) => (at ? all[at - 1].compareDocumentPosition(one) : 4)));
      assert.deepEqual(order, [4, 4, 4, 4, 4], "what is said comes before what will change, then the arguments, then the decision");
      const hidden = await card(page).evaluate((node) => [...node.querySelectorAll("*")].filter((one) => /auto|scroll/.test(getComputedStyle(one).overflowY) && one.tagName !== "TEXTAREA" && one.scrollHeight > one.clientHeight + 1).length);
      assert.equal(hidden, 0, "nothing is below a fold inside of the card");
      await picture(page, `card-${look}`);
      assert.deepEqual(await axe(page), [], "the card");
      await page.getByRole("button", { name: "Show raw names" }).click();
      await page.getByText("Policy").scrollIntoViewIfNeeded();
      assert.equal(await inView(), true, "and stays while the fields are read");
      await page.getByRole("button", { name: /Modify/ }).click();
      await page.getByLabel("Start").waitFor();
      assert.equal(await page.getByLabel("Start").getAttribute("type"), "datetime-local");
      assert.deepEqual(await axe(page), [], "the form");
      await picture(page, `card-form-${look}`);
      await page.getByRole("button", { name: "Edit as JSON" }).click();
      await page.getByLabel("Arguments to run instead (JSON)").waitFor();
      assert.deepEqual(problems, []);
    } finally {
      await close();
    }
  });
}

// "I approved it with Ctrl Enter, and had seen two lines of what it would do."
for (const viewport of [{ width: 1280, height: 620 }, { width: 640, height: 400 }, { width: 390, height: 844 }])
  test(`nobody approves what was not in sight, ${viewport.width} × ${viewport.height}`, async () => {
    const { page, problems, close } = await mock.open("clinic", "#/approvals/t-held-a1", { viewport });
    try {
      await card(page).waitFor();
      const bar = page.getByRole("group", { name: "Decide" });
      const last = card(page).locator("[data-read=arguments] dl > div, [data-read=changes] tr").last();
      const inSight = (one) => one.evaluate((node) => { const { top, bottom } = node.getBoundingClientRect(); return top >= 0 && bottom <= document.querySelector("[data-decide]").getBoundingClientRect().top + 2; });
      assert.equal(await inSight(last), false, "it is a card that does not fit");
      assert.equal(await bar.getByRole("button", { name: /^Approve/ }).count(), 0);
      // Every row of what is signed comes into sight on the way.
      const rows = card(page).locator("[data-read=changes] tr:visible, [aria-label=Warnings] li");
      const unseen = new Set((await rows.all()).keys());
      const look = async () => { for (const at of [...unseen]) if (await inSight(rows.nth(at))) unseen.delete(at); };
      for (let pages = 0; pages < 30 && await bar.getByRole("button", { name: /^Read (on|the rest)/ }).count(); pages++) {
        await look();
        await page.keyboard.press("Control+Enter");
        await picture(page, `read-${viewport.width}-${pages}`);
      }
      await look();
      assert.deepEqual([...unseen], [], "rows were skipped");
      assert.equal(await inSight(last), true);
      await readToEnd(page);
      await page.keyboard.press("Control+Enter");
      await page.getByText(/^Approved$|^Carried out$/).first().waitFor();
      assert.deepEqual(problems, []);
    } finally {
      await close();
    }
  });

test("one appointment has one time, with its zone, wherever the browser stands", async () => {
  const seen = new Set();
  for (const timezoneId of ["America/New_York", "Europe/London", "Pacific/Auckland"]) {
    const { page, close } = await mock.open("clinic", "#/approvals/t-held-a1", { timezoneId });
    await card(page).waitFor();
    seen.add(await page.getByRole("region", { name: "In words" }).innerText());
    assert.match(await card(page).innerText(), /Tuesday 1 December 2026 at 09:30 UTC/);
    await close();
  }
  assert.equal(seen.size, 1, [...seen].join("\n"));
  assert.match([...seen][0], /Tuesday 1 December 2026, 09:30 to 10:20 UTC/);
});

test("arguments are shown letter by letter, and a note as its text", async () => {
  const { page, close } = await mock.open("clinic", "#/approvals/t-held-a1");
  await card(page).waitFor();
  const ligatures = await card(page).evaluate((node) => [...new Set([...node.querySelectorAll("*")].map((one) => getComputedStyle(one).fontVariantLigatures))]);
  assert.deepEqual(ligatures, ["none"]);
  await close();
});

test("the banner says who it is: born, id, allergies, deceased; on records, too", async () => {
  const { page, close } = await mock.open("clinic", "#/records/Patient/p-1");
  const banner = page.getByRole("group", { name: "Case" });
  await banner.getByText("Allergies: Penicillin").waitFor();
  assert.match(await banner.innerText(), /Amara Osei.*born 1958-03-02 \(age 68\).*id p-1/s);
  await page.getByRole("list", { name: "Medicines" }).getByText(/Lisinopril/).waitFor();
  assert.deepEqual(await axe(page), [], "the chart");
  await picture(page, "chart");
  await page.evaluate(() => { location.hash = "/sessions/new/p-2"; });
  await banner.getByText("Deceased").waitFor();
  await close();
});

test("Offline is the network’s state, not the setting", async () => {
  const { page, close } = await mock.open("clinic", "#/approvals");
  const bar = page.locator("header").first();
  await bar.getByText(/^Network not used/).waitFor();
  await page.context().setOffline(true);
  await bar.getByText(/^Offline/).waitFor();
  await page.context().setOffline(false);
  await bar.getByText(/^Network not used/).waitFor();
  await close();
});

test("by keyboard: the message box is near, and the list of sessions is one stop", async () => {
  const { page, close } = await mock.open("long", "#/sessions/s-done");
  await page.locator("[data-session]").first().waitFor();
  let stops = 0;
  for (; stops < 10; stops++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement?.textContent === "Skip to the message box")) break;
  }
  assert.ok(stops < 9, `${stops} stops`);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.matches("[data-composer]"));

  const tabbable = await page.evaluate(() => [...document.querySelectorAll("[data-session], nav[aria-label=Sessions] li button")].filter((node) => node.tabIndex >= 0).length);
  assert.ok(tabbable <= 3, `${tabbable} stops in the list`);
  const first = page.locator("[data-session][tabindex='0']");
  await first.focus();
  const before = await first.getAttribute("data-session");
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction((id) => document.activeElement?.dataset.session && document.activeElement.dataset.session !== id, before);
  await page.keyboard.press("End");
  await page.keyboard.press("Home");
  await page.waitForFunction(() => document.activeElement?.dataset.session);
  await close();
});

// “At twice the size the buttons were a thousand pixels down, and a pill lay over the time and over Reject.”
for (const [look, colorScheme] of [["light", "light"], ["dark", "dark"]]) {
  test(`in a window of 640 by 400 the decision stays, and nothing lies over it, ${look}`, async () => {
    for (const hash of ["#/approvals/t-held-a1", "#/sessions/s-held"]) {
      const { page, close } = await mock.open("clinic", hash, { colorScheme, viewport: { width: 640, height: 400 } });
      await card(page).waitFor();
      const bar = page.getByRole("group", { name: "Decide" });
      const inner = page.locator("[data-approval] dl").first();
      for (const where of ["top", "middle", "end"]) {
        await card(page).evaluate((node, where) => {
          let area = node.parentElement;
          while (area && !/auto|scroll/.test(getComputedStyle(area).overflowY)) area = area.parentElement;
          const top = node.getBoundingClientRect().top - area.getBoundingClientRect().top + area.scrollTop;
          area.scrollTop = where === "top" ? top : where === "middle" ? top + node.clientHeight / 2 : top + node.clientHeight;
        }, where);
        await page.waitForTimeout(100);
        await picture(page, `low-${look}-${hash.slice(2, 5)}-${where}`);
        const { whole, height, covered } = await bar.evaluate((node) => {
          const { top, bottom, height } = node.getBoundingClientRect();
          const over = [...node.querySelectorAll("button, input")].filter((one) => {
            const box = one.getBoundingClientRect();
            const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
            return !at || !(one.contains(at) || at.contains(one));
          });
          return { whole: top >= 0 && bottom <= innerHeight, height, covered: over.map((one) => one.textContent || one.id) };
        });
        assert.equal(whole, true, `${hash} ${where}: the bar is in view`);
        assert.ok(height <= 120, `${hash} ${where}: the bar is ${height} px of 400`);
        assert.deepEqual(covered, [], `${hash} ${where}: covered`);
      }
      const newest = page.getByRole("button", { name: "Newest" });
      if (await newest.isVisible()) {
        const [pill, text] = [await newest.boundingBox(), await page.locator("[role=region][aria-label=Conversation]").boundingBox()];
        assert.ok(pill.y >= text.y + text.height, "the way to the newest lies over what is read");
      }
      await inner.waitFor();
      await close();
    }
  });
}
