import { fireEvent, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { mount } from "@/inspector/mount.fixture";
import { keepLanguage } from "@/text/language";
import { Earlier } from "./Earlier";
import { MemoryScreen } from "./MemoryScreen";
import { Remembered } from "./Remembered";
import { SessionMemory } from "./SessionMemory";

const episode = {
  id: "mem-1", about: "Patient/p1", about_name: "Amara Osei", session: "s1", session_title: "Sleep",
  text: "Wanted help with insomnia.", by: "llama3.2:3b", at: new Date().toISOString(), turns: 2,
};
const memories = { on: true, says: "It stays on this machine.", episodes: [episode], lake: { waiting: 2, making: 1, kept: 5, failed: 1, problem: "the model broke off" } };

describe("memory across sessions", () => {
  it("says what it is, what is remembered of whom, and what waits", async () => {
    mount(<Earlier />, { "/api/memories": memories });
    const row = (await screen.findByText("Wanted help with insomnia.")).closest("li")!;
    expect(row.textContent).toContain("about Amara Osei, written by llama3.2:3b");
    expect(within(row).getByRole("link", { name: "Sleep" }).getAttribute("href")).toBe("#/sessions/s1");
    expect(screen.getByText(/It is on\. It stays on this machine\./)).toBeTruthy();
    expect(screen.getByRole("status").textContent).toContain("2 conversations wait to be remembered, 1 of them now.");
    expect(screen.getByRole("status").textContent).toContain("the model broke off");
  });

  // "It remembered things that nobody said, and nothing told me what had written them."
  it("marks what a very small model wrote", async () => {
    mount(<Earlier />, { "/api/memories": { ...memories, episodes: [{ ...episode, weak: true }, { ...episode, id: "mem-2", text: "Came about the knee." }] } });
    expect((await screen.findByText("Wanted help with insomnia.")).closest("li")!.textContent).toContain("Written by a very small model");
    expect(screen.getByText("Came about the knee.").closest("li")!.textContent).not.toContain("very small");
  });

  // "« Écrit par companion » stood there, and everywhere else it is called « Compagnon »."
  it("names the agent that wrote it by its title", async () => {
    keepLanguage("fr");
    try {
      mount(<Earlier />, { "/api/memories": { ...memories, says: "", episodes: [{ ...episode, by: "companion", by_name: "Companion" }] } });
      expect((await screen.findByText("Wanted help with insomnia.")).closest("li")!.textContent).toContain("écrit par Compagnon");
    } finally {
      keepLanguage("en");
    }
  });

  // "The name had a sign that nobody sees, and the list of sessions read backwards."
  it("shows hidden characters of a session's title, in the list and above it", async () => {
    const session = { id: "s1", title: "Zo\u00eb\u202enairam (Companion)", status: "completed", turns: 1, updated_at: new Date().toISOString() };
    mount(<MemoryScreen session="s1" />, { "/api/sessions": { sessions: [session] }, "/api/memory/s1": { threshold: 0.4, tools: [], entities: null } });
    expect(await screen.findAllByText("Zo\u00eb⟨U+202E⟩nairam (Companion)")).toHaveLength(2);
    expect(document.body.textContent).not.toContain("\u202e");
  });

  // "It said that it was off, and below it stood what my daughter had told."
  it("says why something is kept while it is off", async () => {
    mount(<Earlier />, { "/api/memories": { ...memories, on: false, episodes: [{ ...episode, consent: "full" }] } });
    expect(await screen.findByText(/It is off for agents that do not ask; an agent that asks keeps what somebody agreed to\./)).toBeTruthy();
  });

  it("searches, and says how it compared", async () => {
    const { reads } = mount(<Earlier />, { "/api/memories": { ...memories, method: "meaning", encoder: "use-3", episodes: [{ ...episode, similarity: 0.874 }] } });
    await userEvent.type(await screen.findByLabelText("Search what is remembered"), "sleep");
    expect(await screen.findByText("similarity 0.87")).toBeTruthy();
    expect(screen.getByText("Compared by meaning (use-3), the closest first")).toBeTruthy();
    expect(reads).toContain("/api/memories?search=sleep");
  });

  it("forgets only after a person confirmed it", async () => {
    const { calls } = mount(<Earlier />, { "/api/memories": memories });
    await userEvent.click(await screen.findByRole("button", { name: "Forget what is remembered of Sleep" }));
    const dialog = await screen.findByRole("dialog", { name: "Forget this conversation?" });
    expect(calls).toEqual([]);
    await userEvent.click(within(dialog).getByRole("button", { name: "Forget" }));
    expect(calls).toEqual([{ name: "forget_episode", body: { id: "mem-1" } }]);
  });

  it("takes a person's own words", async () => {
    const { calls } = mount(<Earlier />, { "/api/memories": memories });
    await userEvent.click(await screen.findByRole("button", { name: "Correct what is remembered of Sleep" }));
    const dialog = await screen.findByRole("dialog", { name: "Correct what is remembered" });
    const text = within(dialog).getByLabelText("What is remembered");
    expect((within(dialog).getByRole("button", { name: "Save" }) as HTMLButtonElement).disabled).toBe(true);
    await userEvent.clear(text);
    await userEvent.type(text, "Sleeps well.");
    await userEvent.click(within(dialog).getByRole("button", { name: "Save" }));
    expect(calls).toEqual([{ name: "correct_episode", body: { id: "mem-1", text: "Sleeps well." } }]);
  });

  it("shows which were used in a turn, once each, and that one was forgotten since", async () => {
    const { container } = mount(<Remembered used={[{ id: "mem-1", similarity: 0.871 }, { id: "mem-1", similarity: 0.871 }, { id: "mem-gone", similarity: 0.5 }]} />, { "/api/memories/mem-1": episode });
    const details = container.querySelector("details")!;
    expect(details.textContent).toContain("Memory: 2 earlier conversations used");
    details.open = true;
    fireEvent(details, new Event("toggle"));
    expect((await screen.findByText("Wanted help with insomnia.")).closest("li")!.textContent).toContain("similarity 0.87");
    expect(await screen.findByText("Forgotten since (similarity 0.50).")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Forget what is remembered of Sleep" })).toBeTruthy();
  });

  it("shows a session's scratchpad, the records it touched last, and what is told of it", async () => {
    mount(<SessionMemory session="s1" />, {
      "/api/memory/s1": { tools: [], entities: [], signal: null, threshold: 0.4, scratchpad: "Ask for the plat.", recent: ["Well/1", "Well/2"], episodes: [episode] },
    });
    expect(await screen.findByText("Ask for the plat.")).toBeTruthy();
    expect(screen.getAllByRole("link", { name: /^Well/ }).map((one) => one.textContent)).toEqual(["Well/2", "Well/1"]);
    expect(screen.getByText("Wanted help with insomnia.")).toBeTruthy();
  });

  it("shows help for a correction that speaks of danger, at once", async () => {
    const help = { level: "intervention", category: "intent", speaker: "self", language: "fr", region: "FR", informal: true, found_by: ["rules"], text: "Appelle le 3114." };
    mount(<Earlier />, { "/api/memories": memories, "/api/state": { region_chosen: true } }, { call: (async () => ({ ...episode, help })) as never });
    await userEvent.click(await screen.findByRole("button", { name: "Correct what is remembered of Sleep" }));
    await userEvent.type(screen.getByLabelText("What is remembered"), " Je vais me tuer.");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    expect((await screen.findByRole("alert")).textContent).toContain("Appelle le 3114.");
  });
});
