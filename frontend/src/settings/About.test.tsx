import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { mount } from "@/inspector/mount.fixture";
import { keepLanguage } from "@/text/language";
import { stateOf } from "@/transport/mock.scene";
import { About } from "./About";

const state = stateOf("clinic", 0, 0);

it("names the licence and the source of the sentence encoder", async () => {
  const encoder = { use: "inside", name: "use-3", dimension: 512, title: "Universal Sentence Encoder", license: "Apache-2.0", source: "Google", digest: "0a3ae0a1f8cf3ad5" };
  mount(<About />, { "/api/state": { ...state, model: { ...state.model, encoder } } });
  const about = await screen.findByRole("region", { name: "Sentence encoder" });
  expect(about.textContent).toContain("Universal Sentence Encoder");
  expect(about.textContent).toContain("Apache-2.0");
  expect(about.textContent).toContain("Google");
});

it("says that there is none", async () => {
  mount(<About />, { "/api/state": { ...state, model: { ...state.model, encoder: { use: "words", problem: "none inside" } } } });
  expect((await screen.findByRole("region", { name: "Sentence encoder" })).textContent).toContain("No sentence encoder");
});

// "It said ‘window, serveur de modèles intégré’ and ‘by way of the Python package’."
it("says it all in French", async () => {
  keepLanguage("fr");
  try {
    const encoder = { use: "inside", name: "use-3", title: "Universal Sentence Encoder", license: "Apache-2.0", source: "Google, by way of the Python package encoder 0.2.1", digest: "0a" };
    const { container } = mount(<About />, { "/api/state": { ...state, flavour: { ...state.flavour, desktop: true }, model: { ...state.model, encoder } } });
    expect(await screen.findByText("Google, par le paquet Python encoder 0.2.1")).toBeTruthy();
    expect(container.textContent).toContain("fenêtre, ");
  } finally {
    keepLanguage("en");
  }
});
