import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import { mount } from "@/inspector/mount.fixture";
import { doctor, models, stateOf } from "@/transport/mock.scene";
import { TopBar } from "@/shell/TopBar";
import { FirstRun } from "./FirstRun";

beforeEach(() => { location.hash = "#/start"; });

const first = () => stateOf("first", 0, Date.now());
const show = (state = first(), list = models(state)) =>
  mount(<FirstRun state={state} />, { "/api/doctor": doctor(state), "/api/models": list, "/api/jobs": [], "/api/settings": { regions: [], region: "international", region_chosen: false } });

describe("the first run", () => {
  it("says what this laptop lacks and what to do about it", async () => {
    show();
    const checks = await screen.findByRole("region", { name: "This laptop" });
    expect((await within(checks).findByText("Model server")).closest("li")!.textContent).toContain("needs attention");
    expect(within(checks).getByText("Start Ollama, or use practice mode.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Choose what answers first" }).hasAttribute("disabled")).toBe(true);
  });

  // "I wanted to begin, and saw a page about processors and quantisation."
  it("keeps what is in order folded, so that what to do is in sight", async () => {
    show();
    const checks = await screen.findByRole("region", { name: "This laptop" });
    const folded = (await within(checks).findByText(/in order$/)).closest("details")!;
    const fine = doctor(first()).filter((check) => check.ok && !check.open);
    expect(folded.open).toBe(false);
    expect(folded.querySelectorAll("li")).toHaveLength(fine.length);
    expect(within(folded).queryByText("needs attention")).toBeNull();
    expect((await within(checks).findByText("Model server")).closest("details")).toBeNull();
  });

  it("lets me choose practice mode, the sample clinic and a model to pull", async () => {
    const { calls } = show();
    await userEvent.click(await screen.findByRole("button", { name: /^qwen3:4b/ }));
    await userEvent.click(screen.getByRole("button", { name: "Use practice mode" }));
    await userEvent.click(screen.getByRole("button", { name: "Load the sample clinic" }));
    expect(calls).toEqual([{ name: "pull_model", body: { name: "qwen3:4b" } }, { name: "set_practice", body: { on: true } }, { name: "import_sample", body: {} }]);
  });

  it("is no dead end where a model is there already: it says so and goes on", async () => {
    const ready = stateOf("clinic", 0, Date.now());
    // The server names a model in use only once it was asked.
    show({ ...first(), practice: false }, models(ready));
    expect((await screen.findByText(/A model is on this laptop and will answer/)).textContent).toContain("qwen3:8b");
    await userEvent.click(screen.getByRole("button", { name: "Start the first session" }));
    expect(location.hash).toBe("#/sessions/new");
  });

  // "I was not well and wanted to write; it asked me to choose a model first."
  it("lets me write without a model, and says what I get", async () => {
    show();
    const way = screen.getByRole("button", { name: "Write without a model" });
    expect(document.getElementById(way.getAttribute("aria-describedby")!)!.textContent).toMatch(/help in danger/);
    await userEvent.click(way);
    expect(location.hash).toBe("#/sessions/new");
  });

  it("offers no way without a model where something answers", async () => {
    show({ ...first(), practice: true });
    await screen.findByRole("button", { name: "Start the first session" });
    expect(screen.queryByRole("button", { name: "Write without a model" })).toBeNull();
  });

  // "Fourteen wells were there, and it still asked me to bring records."
  it("counts records of any type as brought", () => {
    const state = first();
    show({ ...state, counts: { ...state.counts, records: 14 } });
    expect(screen.getByText("14 records are here.")).toBeTruthy();
    expect(screen.getByRole("heading", { name: /Bring records.*Ready/ })).toBeTruthy();
  });

  // "Practice mode told me that a model is on this laptop; there was none."
  it("names no model on this laptop in practice mode", async () => {
    const state = { ...first(), practice: true };
    show({ ...state, model: { ...state.model, main: { name: "practice" } } } as typeof state, models(first()));
    expect(await screen.findByRole("button", { name: "Practice mode is on" })).toBeTruthy();
    expect(screen.queryByText(/A model is on this laptop/)).toBeNull();
  });
});

// "It said OK of what it had not looked at, and told me to type a command." "Above it said: model not started."
it("says of what nobody checked neither OK nor a command, and names one model everywhere", async () => {
  location.hash = "#/start";
  const ready = stateOf("clinic", 0, Date.now());
  const state = { ...first(), practice: false };
  mount(<><TopBar state={state} /><FirstRun state={state} /></>, { "/api/doctor": [{ id: "model_check", title: "What the model is good for", ok: true, open: true, detail: "not checked yet; five questions show it" }], "/api/models": models(ready), "/api/jobs": [], "/api/settings": { regions: [], region: "international", region_chosen: false } });
  const line = (await screen.findByText("What the model is good for")).closest("li")!;
  expect(line.textContent).toContain("not checked yet");
  expect(line.textContent).not.toMatch(/OK|needs attention|holdpoint models/);
  expect(within(line).getByRole("link").getAttribute("href")).toBe("#/models");
  await within(screen.getAllByRole("banner")[0]!).findByText("qwen3:8b");
  expect(screen.queryByText("Model not started")).toBeNull();
});
