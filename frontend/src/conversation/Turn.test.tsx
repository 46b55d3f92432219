import { cleanup, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { JournalEvent } from "@/api/types";
import { mount } from "@/inspector/mount.fixture";
import { reduce } from "@/journal/reduce";
import { emptySession } from "@/journal/view";
import { keepLanguage } from "@/text/language";
import { Turn } from "./Turn";

const show = (...events: Partial<JournalEvent>[]) =>
  mount(<Turn session="s" turn={reduce(emptySession("s"), events.map((event, index) => ({ seq: index + 1, at: "2026-03-01T09:00:00Z", session: "s", turn: "t", ...event }) as JournalEvent)).turns.t!} interrupted={null} newest chosen={false} />);

const asked: Partial<JournalEvent> = { kind: "approval_requested", approval: "a", tool: "plan_visit", data: { title: "Plans a visit on Monday", digest: "sha256:1" } };
const approved: Partial<JournalEvent> = { kind: "approval_decided", approval: "a", status: "approved", data: { reviewer: "Dr Ng", digest: "sha256:2" } };

describe("a decided approval", () => {
  it("says what was approved and not what was asked before somebody changed it", () => {
    show({ kind: "turn_started" }, asked, { kind: "approval_decided", approval: "a", status: "modified", data: { reviewer: "Dr Ng", was: "sha256:1", title: "Plans a visit on Friday" } }, approved);
    expect(screen.getByText("Plans a visit on Friday")).toBeTruthy();
    expect(screen.getByText("with changed details")).toBeTruthy();
    expect(screen.queryByText(/Monday/)).toBeNull();
  });

  it("of an older journal, which has no sentence for the change, does not show the wrong one", () => {
    show({ kind: "turn_started" }, asked, { kind: "approval_decided", approval: "a", status: "modified", data: { reviewer: "Dr Ng", was: "sha256:1" } }, approved);
    expect(screen.queryByText(/Monday/)).toBeNull();
    expect(screen.getByText("with changed details")).toBeTruthy();
  });

  it("that nobody changed says nothing of a change", () => {
    show({ kind: "turn_started" }, asked, approved);
    expect(screen.getByText("Plans a visit on Monday")).toBeTruthy();
    expect(screen.queryByText("with changed details")).toBeNull();
  });

  // "It said: carried out by Dr. Ng. She had only approved it."
  it("says who approved it and when, and apart from that when it was carried out", () => {
    show({ kind: "turn_started" }, asked, { ...approved, at: "2026-03-01T10:00:00Z" }, { kind: "mutation_committed", approval: "a", call: "c", tool: "plan_visit", at: "2026-03-01T11:00:00Z", data: { refs: [] } });
    const line = screen.getByText("Plans a visit on Monday").parentElement!;
    expect(line.textContent).toMatch(/^Carried out.*Approved by Dr Ng/);
    expect([...line.querySelectorAll("time")].map((time) => time.dateTime)).toEqual(["2026-03-01T11:00:00Z", "2026-03-01T10:00:00Z"]);
    cleanup();
    show({ kind: "turn_started" }, asked, { ...approved, status: "rejected", reason: "wrong day" });
    expect(screen.getByText("Plans a visit on Monday").parentElement!.textContent).toMatch(/Rejected by Dr Ng .*wrong day/);
  });

  // "My screens are French, and what I had approved stood there in English."
  it("says it in the language of the screens", () => {
    keepLanguage("fr");
    try {
      show({ kind: "turn_started" }, { ...asked, data: { title: "Add a care note to the record of Amara Osei", digest: "sha256:1" } }, approved);
      expect(screen.getByText("Ajouter une note de soins au dossier de Amara Osei")).toBeTruthy();
    } finally {
      keepLanguage("en");
    }
  });
});

describe("a reply of a very small model", () => {
  it("asks to be checked against the record", () => {
    show({ kind: "turn_started" }, { kind: "message", message: "m", text: "He took a glass of water.", data: { role: "assistant", model: "small", weak: true } }, { kind: "turn_completed", text: "He took a glass of water." });
    expect(screen.getByText("Written by a very small model: check it against the record")).toBeTruthy();
  });

  // "I had read half of it before it said that the model is too small."
  it("says so from its first words, and once when it is complete", () => {
    const mark = "Written by a very small model: check it against the record";
    const word = { kind: "token", message: "m", text: "He took", data: { weak: true } } as const;
    const whole = { kind: "message", message: "m", text: "He took a glass of water.", data: { role: "assistant", model: "small", weak: true } } as const;
    show({ kind: "turn_started" }, word);
    expect(screen.getAllByText(mark)).toHaveLength(1);
    cleanup();
    show({ kind: "turn_started" }, word, whole);
    expect(screen.getAllByText(mark)).toHaveLength(1);
    cleanup();
    show({ kind: "turn_started" }, word, whole, { kind: "turn_completed", text: "He took a glass of water." });
    expect(screen.getAllByText(mark)).toHaveLength(1);
    cleanup();
    show({ kind: "turn_started" }, { ...word, data: {} });
    expect(screen.queryByText(mark)).toBeNull();
  });

  it("says so of one that broke off", () => {
    show({ kind: "turn_started" }, { kind: "message", message: "m", text: "He took", data: { role: "assistant", model: "small", weak: true, partial: true } }, { kind: "turn_failed", error: "broken answer" });
    expect(screen.getByText("Written by a very small model: check it against the record")).toBeTruthy();
  });
});

// "There is no model yet, and it tells me nothing."
describe("a turn that no model answered", () => {
  it("shows what the record says, and that it failed", () => {
    show(
      { kind: "turn_started", text: "What do I take?" },
      { kind: "message", message: "t/unanswered", text: "No model is at hand, so this is no answer: it is from the record alone.\n\n- Medications: Sertraline 50 mg", data: { role: "assistant", template: "unanswered" } },
      { kind: "turn_failed", error: "turn: no model at hand; choose one under Models, or practice mode" },
    );
    expect(screen.getByText(/No model is at hand/)).toBeTruthy();
    expect(screen.getByText(/Sertraline 50 mg/)).toBeTruthy();
    expect(screen.getByRole("button", { name: "Abandon" })).toBeTruthy();
    expect(screen.getAllByRole("button", { name: /resume|retry|try again/i }).length).toBeGreaterThan(0);
  });
});

describe("what a reply was written without", () => {
  it("is named below it, part by part, with the warnings of the turn", () => {
    show(
      { kind: "turn_started" },
      { kind: "stage_started", stage: "gate" },
      { kind: "warning", stage: "gate", reason: "the ranking runs without the providers" },
      { kind: "message", message: "m", text: "You take Sertraline.", data: { role: "assistant", model: "small", degraded: [{ tool: "patient_context", reason: "no room for all 5 recent encounters" }] } },
      { kind: "turn_completed", text: "You take Sertraline." },
    );
    expect(screen.getByText("Degraded: patient context, no room for all 5 recent encounters")).toBeTruthy();
    expect(screen.getByText("Warning, gate: the ranking runs without the providers")).toBeTruthy();
  });
});

// "I wrote that I don't want to talk about it, and an orange bar said that I do not want to answer."
describe("a refusal", () => {
  it("is flagged in the trace and held up to nobody", () => {
    show(
      { kind: "turn_started" },
      { kind: "stage_started", stage: "collect_context" },
      { kind: "warning", stage: "collect_context", status: "declined", reason: "the person does not want to answer: nothing was taken from this message" },
      { kind: "message", message: "m", text: "That's fine.", data: { role: "assistant" } },
      { kind: "turn_completed", text: "That's fine." },
    );
    expect(screen.getByText("That's fine.")).toBeTruthy();
    expect(screen.queryByText(/does not want to answer/)).toBeNull();
  });
});

// "In my French chat stood ‘Avertissement : give_advice: what the model wrote cannot be used’."
describe("a warning in French", () => {
  it("names its step and says what was odd", () => {
    keepLanguage("fr");
    try {
      show(
        { kind: "turn_started" },
        { kind: "stage_started", stage: "give_advice" },
        { kind: "warning", stage: "give_advice", reason: "what the model wrote cannot be used: it has nothing to do with what was said" },
        { kind: "warning", stage: "give_advice", reason: "what the model wrote cannot be used: it is in another language (en)" },
        { kind: "message", message: "m", text: "Bonjour.", data: { role: "assistant", model: "practice" } },
        { kind: "turn_completed", text: "Bonjour." },
      );
      expect(screen.getByText("Avertissement, give advice : ce que le modèle a écrit ne peut pas servir : cela n’a rien à voir avec ce qui a été dit")).toBeTruthy();
      expect(screen.getByText("Avertissement, give advice : ce que le modèle a écrit ne peut pas servir : c’est dans une autre langue (en)")).toBeTruthy();
    } finally {
      keepLanguage("en");
    }
  });

  it("calls the practice model by its French name", () => {
    keepLanguage("fr");
    try {
      show({ kind: "turn_started", data: { practice: true } as never }, { kind: "message", message: "m", text: "Bonjour.", data: { role: "assistant", model: "practice" } }, { kind: "turn_completed", text: "Bonjour." });
      expect(screen.queryByText("practice")).toBeNull();
    } finally {
      keepLanguage("en");
    }
  });
});

// "I decided on the board, and the report in the conversation still said the opposite."
describe("a report whose board was decided on since", () => {
  const changed = (by: string): Partial<JournalEvent> => ({ kind: "hypothesis_changed", status: "refuted", at: "2026-03-01T10:00:00Z", data: { id: "h1", by, who: "Dr Ng" } as never });
  const done: Partial<JournalEvent> = { kind: "turn_completed", text: "Tea helps." };

  it("says so and leads to the board", () => {
    show({ kind: "turn_started" }, changed("model"), done, changed("person"));
    expect(screen.getByText(/Dr Ng decided on the board after this was written/)).toBeTruthy();
    expect(screen.getByRole("link", { name: "The board, and its report as it is now" }).getAttribute("href")).toBe("#/board/t");
  });

  it("leads there also where nobody decided since, and says nothing of it", () => {
    show({ kind: "turn_started" }, changed("person"), done, changed("rule"));
    expect(screen.queryByText(/decided on the board/)).toBeNull();
    expect(screen.getByRole("link", { name: "The board of this study" })).toBeTruthy();
  });
});

// "In the box under the advice I wrote that I want to kill myself. It said thank you."
describe("danger in what was written beside a turn", () => {
  const written: Partial<JournalEvent>[] = [
    { kind: "turn_started" }, { kind: "safety_checked", data: { by: "rules", level: "none", found_by: [], region: "FR" } as never }, { kind: "message", message: "m", text: "Sleep well.", data: { role: "assistant" } }, { kind: "turn_completed", text: "Sleep well." },
    { kind: "safety_checked", message: "t/help/1", data: { by: "rules", hijack: true, level: "intervention", category: "intent", found_by: ["rules"], region: "FR", written: "feedback" } as never },
    { kind: "message", message: "t/help/1", text: "Call 3114.", data: { role: "assistant", template: "intervention" } },
  ];

  it("is helped below the reply, which stays", () => {
    show(...written);
    const help = screen.getByRole("region", { name: "Safety intervention" });
    expect(help.textContent).toContain("Call 3114.");
    expect(screen.getByText("Sleep well.").compareDocumentPosition(help) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    expect(screen.getAllByText("Call 3114.")).toHaveLength(1);
  });

  it("has the focus while it was just written", () => {
    show(...written.map((event) => ({ ...event, at: new Date().toISOString() })));
    expect(document.activeElement).toBe(screen.getByRole("alert", { name: "Safety intervention" }));
  });
});
