import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { mount } from "@/inspector/mount.fixture";
import { ModelsScreen } from "./ModelsScreen";

const model = {
  name: "tiny:1b",
  size: 1_300_000_000,
  digest: "sha256:abcdef0123456789",
  family: "llama",
  parameters: "1B",
  quantization: "Q4_K_M",
  capabilities: ["completion"],
  roles: ["main"],
  loaded: true,
};
const list = {
  server: { kind: "own", url: "", version: "", status: "ready", error: "" },
  models: [model, { ...model, name: "embed", roles: null, capabilities: ["embedding"] }],
  roles: { main: "tiny:1b", light: "", embed: "" },
  practice: false,
  starters: [{ name: "small:0.6b", size: 500_000_000, why: "Quick." }],
};
const failedPull = {
  id: "j1",
  kind: "pull",
  title: "small:0.6b",
  status: "failed",
  done: 100_000_000,
  total: 500_000_000,
  unit: "bytes",
  detail: "",
  error: "The network went away.",
  started_at: "2020-01-01T00:00:00Z",
};
const show = (jobs: unknown[] = [], more = {}) =>
  mount(<ModelsScreen />, { "/api/models": { ...list, ...more }, "/api/jobs": jobs });

describe("the models", () => {
  it("offers each role only to models that can do it", async () => {
    const { calls } = show();
    const embed = await screen.findByLabelText(/Embeddings/);
    expect(
      within(embed)
        .getAllByRole("option")
        .map((option) => option.textContent),
    ).toEqual(["None", "embed"]);
    await userEvent.selectOptions(embed, "embed");
    expect(calls).toEqual([{ name: "set_role", body: { role: "embed", model: "embed" } }]);
  });

  it("lets me ask what a model is good for, and says what was found", async () => {
    const { calls, unmount } = show();
    expect((await screen.findAllByText(/Not checked yet/)).length).toBe(1); // not of what only compares meanings
    await userEvent.click(screen.getByRole("button", { name: "Check it: what tiny:1b is good for" }));
    expect(calls).toEqual([{ name: "check_model", body: { name: "tiny:1b" } }]);
    unmount();
    show([{ ...failedPull, kind: "check_model", title: "tiny:1b", status: "running", done: 2, total: 5, unit: "questions", error: "" }], { models: [{ ...model, check: { says: "3 of 5 questions right; it sorts messages wrongly", failed: ["schema"] } }] });
    expect(await screen.findByText("Checked: 3 of 5 questions right; it sorts messages wrongly.")).toBeTruthy();
    expect(screen.getByText(/2 questions of 5 questions/)).toBeTruthy();
    expect(screen.getByRole("button", { name: "Being checked…: what tiny:1b is good for" }).hasAttribute("disabled")).toBe(true);
  });

  it("lets practice behave badly on request", async () => {
    const { calls } = show([], { practice: true, practice_manner: "wrong" });
    const manner = await screen.findByRole<HTMLSelectElement>("combobox", { name: "How the scripted model behaves" });
    expect(manner.value).toBe("wrong");
    await userEvent.selectOptions(manner, "stubborn");
    expect(calls).toEqual([{ name: "set_practice", body: { on: true, manner: "stubborn" } }]);
  });

  it("asks how practice behaves only where it is on", async () => {
    show();
    await screen.findByRole("switch", { name: "Practice mode" });
    expect(screen.queryByRole("combobox", { name: "How the scripted model behaves" })).toBeNull();
  });

  it("says what compares meanings", async () => {
    show([], { encoder: { use: "inside", name: "use", title: "Sentence encoder", license: "Apache-2.0", source: "Google" } });
    expect((await screen.findByRole("region", { name: "What compares meanings" })).textContent).toContain("without a model: it ranks providers and finds notes, passages of the library and memories. It reads Arabic, Chinese, Dutch,");
    expect(within(screen.getByLabelText(/Embeddings/)).getAllByRole("option")[0]!.textContent).toBe("Sentence encoder (16 languages)");
  });

  it("says when nothing does", async () => {
    show([], { encoder: { use: "words", problem: "none inside" } });
    expect((await screen.findByRole("region", { name: "What compares meanings" })).textContent).toContain("by words");
  });

  it("shows how far vectors are that are made anew", async () => {
    show([{ ...failedPull, kind: "vectors", title: "minilm@1", status: "running", unit: "texts", done: 3, total: 12, error: "" }]);
    expect((await screen.findByRole("progressbar", { name: "minilm@1" })).getAttribute("aria-valuenow")).toBe("25");
  });

  it("deletes a model only after a person confirmed it", async () => {
    const { calls } = show();
    await userEvent.click(await screen.findByRole("button", { name: "Delete tiny:1b" }));
    const dialog = await screen.findByRole("dialog");
    expect(dialog.textContent).toContain("It is the main model now");
    expect(calls).toEqual([]);
    await userEvent.click(within(dialog).getByRole("button", { name: "Delete" }));
    expect(calls).toEqual([{ name: "delete_model", body: { name: "tiny:1b" } }]);
  });

  it("keeps a pull that stopped in view, however old, and resumes it", async () => {
    const { calls } = show([failedPull]);
    expect(await screen.findByText("The network went away.")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Resume" }));
    expect(calls).toEqual([{ name: "pull_model", body: { name: "small:0.6b" } }]);
  });

  it("cancels a running pull", async () => {
    const { calls } = show([{ ...failedPull, status: "running", error: "" }]);
    expect((await screen.findByRole("progressbar")).getAttribute("aria-valuenow")).toBe("20");
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    expect(calls).toEqual([{ name: "cancel_job", body: { id: "j1" } }]);
  });

  it("imports the file that was picked in the window", async () => {
    const { calls } = mount(
      <ModelsScreen />,
      { "/api/models": list, "/api/jobs": [] },
      { pickFile: async () => "/m/My Model.gguf" },
    );
    await userEvent.click(await screen.findByRole("button", { name: "Import a GGUF file" }));
    expect(calls).toEqual([{ name: "import_model", body: { path: "/m/My Model.gguf", name: "my-model" } }]);
  });

  it("says why the server failed and starts it again", async () => {
    const { calls } = show([], { server: { ...list.server, status: "failed", error: "not enough memory" } });
    expect(await screen.findByText("not enough memory")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Start it again" }));
    expect(calls).toEqual([{ name: "start_server", body: {} }]);
  });

  it("switches practice mode", async () => {
    const { calls } = show();
    await userEvent.click(await screen.findByRole("switch", { name: "Practice mode" }));
    expect(calls).toEqual([{ name: "set_practice", body: { on: true } }]);
  });

  it("offers a starter while there is no model", async () => {
    const { calls } = show([], { models: null });
    await userEvent.click(await screen.findByRole("button", { name: "Pull small:0.6b (500 MB)" }));
    expect(calls).toEqual([{ name: "pull_model", body: { name: "small:0.6b" } }]);
  });
});
