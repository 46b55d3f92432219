import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { mount } from "@/inspector/mount.fixture";
import { keepLanguage } from "@/text/language";
import { completenessWord } from "./CompletenessBar";
import { SessionMemory } from "./SessionMemory";

const memory = {
  threshold: 0.4,
  signal: { concern: "back pain", goals: ["walk", "sleep"] },
  entities: null,
  tools: [
    {
      tool: "patient_context",
      title: "Patient profile",
      completeness: 0.85,
      output: { x: 1 },
      turn: "t1",
      at: new Date().toISOString(),
      reads: [{ type: "Patient", id: "p1", version: "abc" }],
    },
    {
      tool: "therapeutic_fit",
      title: "Fitting providers",
      completeness: 0.2,
      output: null,
      turn: "t1",
      at: new Date().toISOString(),
      reads: null,
      reason: "no provider has a free slot",
    },
  ],
};
const show = (value: unknown = memory) => mount(<SessionMemory session="s1" />, { "/api/memory/s1": value });

describe("the memory of a session", () => {
  it("tells completeness as a number and a word, and what is missing", async () => {
    show();
    expect((await screen.findByText("Patient profile")).closest("li")!.textContent).toContain("85 % · enough");
    const thin = screen.getByText("Fitting providers").closest("li")!.textContent;
    expect(thin).toContain("20 % · thin");
    expect(thin).toContain("no provider has a free slot");
    expect(screen.getByText("walk, sleep")).toBeTruthy();
  });

  it("marks the parts that a very small model wrote", async () => {
    show({ ...memory, signal_weak: true, tools: [memory.tools[0], { ...memory.tools[1], weak: true }] });
    expect((await screen.findByText("Patient profile")).closest("li")!.textContent).not.toContain("very small");
    expect(screen.getByText("Fitting providers").closest("li")!.textContent).toContain("Written by a very small model");
    expect(screen.getAllByText(/Written by a very small model/)).toHaveLength(2);
  });

  it("lists the records that were read, with their versions, as links", async () => {
    show();
    await userEvent.click(await screen.findByRole("button", { name: "Show content and 1 record read" }));
    expect(screen.getByRole("link", { name: "Patient" }).getAttribute("href")).toBe("#/records/Patient/p1");
    expect(screen.getByRole("button", { name: "abc copy version" })).toBeTruthy();
  });

  it("forgets one section only after a person confirmed it", async () => {
    const { calls } = show();
    await userEvent.click(await screen.findByRole("button", { name: "Forget Patient profile" }));
    const dialog = await screen.findByRole("dialog", { name: "Forget Patient profile?" });
    expect(calls).toEqual([]);
    await userEvent.click(within(dialog).getByRole("button", { name: "Forget" }));
    expect(calls).toEqual([{ name: "forget_memory", body: { session: "s1", tool: "patient_context" } }]);
  });

  it("keeps everything when the question is closed", async () => {
    const { calls } = show();
    await userEvent.click(await screen.findByRole("button", { name: "Forget all sections" }));
    await userEvent.click(await screen.findByRole("button", { name: "Keep" }));
    expect(calls).toEqual([]);
  });

  it("says what it is for while there is nothing", async () => {
    show({ tools: [], entities: [], signal: null, threshold: 0.4 });
    expect(await screen.findByText("Nothing is remembered yet")).toBeTruthy();
  });
});

it.each([
  [0, "empty"],
  [0.39, "thin"],
  [0.4, "enough"],
  [1, "complete"],
])("calls a completeness of %d %s", (value, word) => expect(completenessWord(value, 0.4)).toBe(word));

// "What it remembers stood under English names on my French screen: concerns, signal summary, urgency: routine."
describe("the signal in French", () => {
  it("has French names and words", async () => {
    keepLanguage("fr");
    try {
      show({ ...memory, signal: { signal_summary: "The person says: J’ai mal au dos", concerns: ["mal de dos"], goals: ["marcher"], preferences: ["le matin"], urgency: "routine" } });
      const signal = (await screen.findByText("mal de dos")).closest("section")!;
      for (const word of ["résumé du besoin", "La personne dit\u00a0: J’ai mal au dos", "préoccupations", "objectifs", "préférences", "urgence", "courante"]) expect(signal.textContent).toContain(word);
      expect(signal.textContent).not.toMatch(/concerns|signal summary|urgency|routine|The person/);
    } finally {
      keepLanguage("en");
    }
  });
});
