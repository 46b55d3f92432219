// Agents whose graph grows, stops at a limit or asks; graphs of one's own and tools from outside. On the mock.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, framed, inEach, onMock, picture, showInspector, sizes } from "./harness.mjs";

const mock = onMock();

const on = mock.visit;
const reveal = (page) => showInspector(page, "Graph").then(() => page.locator('[data-step="work/plan"]').first().waitFor());
const screens = [
  ["autonomous", "autonomous", "#/sessions/s-auto", "Work out 12", reveal],
  ["autonomous-steps", "autonomous", "#/sessions/s-auto", "Work out 12", (page) => showInspector(page, "Steps")],
  ["autonomous-detail", "autonomous", "#/sessions/s-auto", "Work out 12", async (page) => {
    await showInspector(page, "Steps");
    const think = page.locator('[data-step="work/think"]').first();
    await think.click();
    await think.click();
    await page.getByRole("article", { name: "Details of Think" }).waitFor();
  }],
  ["limited", "limited", "#/sessions/s-lim", "Stopped at the limit of choices"],
  ["question", "question", "#/sessions/s-ask", "How urgent is the message"],
  ["question-inbox", "question", "#/approvals/ask.t-ask.ask.1", "How urgent is the message"],
  ["servers", "servers", "#/settings/servers", "Laboratory", (page) => page.getByText("lab.order").click()],
  ["servers-add", "clinic", "#/settings/servers", "No tools from outside", (page) => page.getByRole("button", { name: "Add a server" }).click()],
  ["agents", "clinic", "#/settings/agents", "Night triage"],
  ["agents-write", "clinic", "#/settings/agents", "Night triage", async (page) => {
    await page.getByRole("textbox", { name: "Definition (YAML)" }).fill("name: mine\nnodes:\n  - name: a\n    kind: promt\n");
    await page.getByText("One mistake").waitFor();
  }],
  ["agents-preview", "clinic", "#/settings/agents", "Night triage", async (page) => {
    await page.getByRole("textbox", { name: "Definition (YAML)" }).fill("name: mine\nnodes:\n  - name: a\n    kind: prompt\n");
    await page.getByRole("group", { name: "Preview of the graph" }).locator(".react-flow__node").first().waitFor();
  }],
  ["agents-graph", "clinic", "#/settings/agents", "Night triage", async (page) => {
    await page.getByRole("button", { name: "Show the graph of Night triage" }).click();
    await page.getByRole("dialog").locator('[data-step="reply"]').waitFor();
  }],
];

for (const [name, scene, hash, text, act] of screens) {
  for (const [size, looks] of sizes) {
    test(`${name} ${size}: no error, no serious finding of axe, nothing too wide`, () =>
      on(scene, hash, async (page) => {
        await page.getByText(text).filter({ visible: true }).first().waitFor();
        await page.evaluate(() => document.fonts.ready.then(() => undefined));
        await act?.(page);
        await inEach(page, looks, async (look, rules) => {
          await picture(page, `${name}-${look}`);
          assert.deepEqual(await axe(page, rules), [], look);
          await framed(page);
          assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, look);
        });
      }, looks[0][1]));
  }
}

const keysOf = (page) => page.$$eval("[data-inspector] .react-flow [data-step]", (all) => all.map((one) => one.dataset.step));

test("the reasoner is chosen with a pattern, and its graph grows step by step", () =>
  on("autonomous:60", "#/sessions/new", async (page) => {
    await page.getByRole("radio", { name: /Reasoner/ }).check();
    await page.getByRole("radio", { name: /Autonomous/ }).check();
    await page.getByRole("button", { name: "Use it" }).click();
    assert.match(await page.getByLabel("Message").inputValue(), /Work out/);
    await page.evaluate(() => {
      window.grown = [];
      const note = () => {
        const keys = [...document.querySelectorAll("[data-inspector] .react-flow [data-step]")].map((one) => one.dataset.step);
        for (const key of keys) if (!window.grown.includes(key)) window.grown.push(key);
        window.offered ||= document.body.textContent.includes("Can choose: Plan, Act, Think, Reflect, Answer");
      };
      new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    await page.getByLabel("Message").press("Enter");
    await page.getByText(/step \d+, .* tokens/).waitFor();
    await page.getByText("added by the model").first().waitFor();
    await picture(page, "autonomous-growing");
    await page.getByRole("button", { name: "Regenerate" }).waitFor();
    const grown = (await page.evaluate(() => window.grown)).filter((key) => !key.includes(":") && key.split("/").length < 3);
    assert.deepEqual(grown, ["work", "work/work_choose", "work/plan", "work/act", "work/think", "work/units", "work/answer"]);
    assert.equal(await page.evaluate(() => window.offered), true, "before anything was chosen, what can be is a list");
    assert.equal((await keysOf(page)).includes("work/reflect"), false);
    // The reason stands on the way as text; what is hidden in it is visible.
    await page.getByText(/The new check looks/).first().waitFor();
    assert.match(await page.locator(".react-flow__edgelabel-renderer").innerText(), /choice 3, 5/);
    assert.equal(await page.locator(".react-flow b").count(), 0);
    // The next message of the session goes the same way unless the person says otherwise.
    await page.getByText("Answered by Reasoner, Autonomous").waitFor();
  }));

test("a stage that holds a graph opens and closes in place with Enter", () =>
  on("autonomous", "#/sessions/s-auto", async (page) => {
    await reveal(page);
    await page.locator('[data-step="work"]').first().focus();
    await page.locator('[data-step="work"]').first().click();
    await page.keyboard.press("Enter");
    await page.locator('[data-step="work/plan"]').waitFor({ state: "detached" });
    assert.equal(await page.locator('[data-step="work"]').first().getAttribute("aria-expanded"), "false");
    await picture(page, "autonomous-closed");
    await page.keyboard.press("Enter");
    await page.locator('[data-step="work/plan"]').first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.waitForFunction(() => document.activeElement?.getAttribute("data-step") === "work/work_choose");
    await page.keyboard.press("Enter");
    await page.getByRole("article", { name: "Details of Choose" }).waitFor();
  }));

test("changes of the graph are listed, made and refused, with why", () =>
  on("autonomous", "#/sessions/s-auto", async (page) => {
    await reveal(page);
    await page.getByText(/The model changed this graph: 3 changes made, 1 refused/).click();
    const list = page.getByRole("list", { name: "Changes of the graph" });
    assert.match(await list.innerText(), /Made: think adds the step “units” \(critique\) in “work” — “the units of the two figures differ”/);
    assert.match(await list.innerText(), /Refused: think removes the way .* Why not: safety edges are the agent’s own \(policy\)/);
    await picture(page, "autonomous-changes");
    assert.deepEqual(await axe(page), []);
  }));

test("Detail has a long reason in full, retries, guards, failed hooks, metrics and whole outputs", () =>
  on("autonomous", "#/sessions/s-auto", async (page) => {
    await showInspector(page, "Steps");
    const open = async (key) => {
      await showInspector(page, "Steps");
      await page.locator(`[data-step="${key}"]`).first().click();
      if ((await page.locator(`[data-step="${key}"]`).count()) > 0) await page.locator(`[data-step="${key}"]`).first().click();
    };
    await open("work/think");
    const think = page.getByRole("article", { name: "Details of Think" });
    await think.waitFor();
    const text = await think.innerText();
    assert.equal((await page.getByLabel("Stated reason 1").innerText()).split("compares them directly").length, 7);
    for (const wanted of [/Attempt 1 failed: the model server closed the connection; tried again after 500 ms/, /Guard no numbers changed the output: a telephone number was taken out/, /Rule or hook clinic_log failed \(post node\): hook: the log is full; the turn went on/, /Whole output/, /retried — It is tried again by itself/])
      assert.match(text, wanted);
    await open("work/act");
    assert.match(await page.getByRole("article", { name: "Details of Act" }).innerText(), /took 240 ms, 640 tokens, output of 96 B/);
  }));

test("a turn at a limit says which, what was used, and goes on with as much as the person says", () =>
  on("limited", "#/sessions/s-lim", async (page) => {
    await page.getByText("Stopped at the limit of choices (6 choices)").waitFor();
    await page.getByText(/Used so far: 12 steps, 4,820 tokens, 3 changes of the graph, 8.4 s/).waitFor();
    const more = page.getByLabel("Continue with");
    await page.waitForFunction(() => document.querySelector("input[type=number]").value === "6");
    await more.fill("0");
    assert.equal(await page.getByRole("button", { name: "Continue", exact: true }).isDisabled(), true);
    await more.fill("4");
    await more.press("Enter");
    await page.getByRole("button", { name: "Regenerate" }).waitFor();
  }));

test("a question is answered by keyboard where it was asked; closing it in the inbox answers nothing", () =>
  on("question", "#/settings", async (page) => {
    await page.getByText("Reviewer name").waitFor();
    await page.getByRole("link", { name: /Approvals/ }).click();
    await page.getByRole("link", { name: /How urgent/ }).click();
    await page.getByRole("button", { name: /answers nothing/ }).click();
    await page.getByRole("link", { name: /How urgent/ }).waitFor();
    await page.evaluate(() => { location.hash = "/sessions/s-ask"; });
    await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Question");
    await page.getByRole("radio", { name: "in the morning" }).check();
    await page.keyboard.press("Control+Enter");
    await page.getByText("“in the morning”").waitFor();
    await page.getByRole("region", { name: "May this step run?" }).getByRole("button", { name: /^Approve/ }).click();
    await page.getByText("Noted for the morning round.").waitFor();
  }));

test("a mistake in a graph is found at its line, and leads the caret there", () =>
  on("clinic", "#/settings/agents", async (page) => {
    const area = page.getByRole("textbox", { name: "Definition (YAML)" });
    await area.fill("name: mine\nnodes:\n  - name: a\n    kind: promt\n");
    await page.getByRole("button", { name: "Check" }).click();
    await picture(page, "agents-problems");
    await page.getByRole("button", { name: /4:11/ }).click();
    const { at, focused } = await area.evaluate((box) => {
      const caret = getSelection().getRangeAt(0);
      const before = document.createRange();
      const line = caret.startContainer.parentElement.closest(".cm-line");
      before.setStart(line, 0);
      before.setEnd(caret.startContainer, caret.startOffset);
      return { at: `${line.textContent}|${before.toString().length}`, focused: document.activeElement === box };
    });
    assert.deepEqual([at, focused], [`    kind: promt|${"    kind: ".length}`, true]);
    await area.fill("name: mine\nnodes:\n  - name: a\n    kind: prompt\n");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("button", { name: "Remove mine" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Remove mine" }).waitFor({ state: "detached" });
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "JSON Schema" }).click()]);
    assert.equal(download.suggestedFilename(), "holdpoint-graph.schema.json");
  }));

// "I added my graph, and then I could not get at it any more to correct a word."
test("a graph of one's own is opened again, changed under its name, and what is being written is not lost for it", () =>
  on("clinic", "#/settings/agents", async (page) => {
    const area = page.getByRole("textbox", { name: "Definition (YAML)" });
    await area.fill("name: mine\nnodes:\n  - name: a\n    kind: prompt\n");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("button", { name: "Edit mine" }).click();
    const change = page.getByRole("region", { name: "Edit mine" });
    await change.getByText(/The one turn that is not finished goes on with the graph that it began with/).waitFor();
    assert.match(await area.innerText(), /kind: prompt/);
    assert.equal(await change.getByRole("button", { name: "Save" }).isDisabled(), true, "nothing was changed yet");
    assert.deepEqual(await axe(page), [], "a graph that is changed");
    await picture(page, "agents-edit");
    await area.fill("name: mine\nnodes:\n  - name: a\n    kind: promt\n");
    await change.getByRole("button", { name: "Save" }).click();
    await page.getByText("One mistake").waitFor();
    await area.fill("name: mine\nnodes:\n  - name: b\n    kind: prompt\n");
    await page.getByRole("button", { name: "Edit Night triage" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Keep writing" }).click();
    assert.match(await area.innerText(), /name: b/);
    await change.getByRole("button", { name: "Save" }).click();
    await page.getByText(/Saved as mine\./).first().waitFor();
    await page.getByRole("region", { name: "Add a graph" }).waitFor();
    await page.getByRole("button", { name: "Edit mine" }).click();
    await change.waitFor();
    assert.match(await area.innerText(), /name: b/);
    await page.getByRole("button", { name: "Edit Night triage" }).click();
    await page.getByRole("region", { name: "Edit Night triage" }).waitFor();
  }));

test("a server that changed is named on every screen and trusted again exactly as shown", () =>
  on("servers", "#/records", async (page) => {
    await page.getByText("Calendar").first().waitFor();
    await page.getByRole("link", { name: "Look at what changed" }).click();
    const calendar = page.getByRole("region", { name: "Calendar" });
    const trust = calendar.getByRole("button", { name: "Trust exactly this instead" });
    assert.ok(await trust.isDisabled(), "trusted unread");
    for (const closed = calendar.locator("details:not([open]) > summary"); await closed.count() > 0; ) await closed.first().click();
    await calendar.getByLabel("To trust it, type its name: Calendar").fill("Calendar");
    await trust.click();
    await page.getByRole("region", { name: "Servers that changed" }).waitFor({ state: "detached" });
    assert.match(await page.getByRole("region", { name: "Calendar" }).innerText(), /Trusted, ready/);
  }));

test("the palette changes who answers next", () =>
  on("clinic", "#/sessions/s-done", async (page) => {
    await page.getByText("Her last two readings").first().waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Commands" }).fill("draft and verify");
    await page.keyboard.press("Enter");
    await page.getByText("Answered by Reasoner, Draft and verify").waitFor();
  }));
