import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { TurnView } from "@/journal/view";
import { keepLanguage } from "@/text/language";
import { mount } from "./mount.fixture";
import { Report } from "./Report";

const report = {
  status: "limited", steps: 12, max_steps: 50, ran: { "rounds/draft": 3, answer: 1 }, skipped: { look: 1 }, failed: { look_up: 1 }, retries: { draft: 2 },
  path: [{ from: "sort", to: "answer", resolver: "goto", reason: "it is about\u202E words" }],
  model_calls: 4, tool_calls: 2, prompt_tokens: 900, output_tokens: 100, used: { tokens: 1000, time_ns: 2_000_000_000 }, limits: { tokens: 1000, time_ns: 60_000_000_000 },
  limit: "tokens", hook_failures: 1, warnings: ["draft: score has no value"], errors: { look_up: "the line is dead" },
};

const turn = (of: object) => ({ agent: "", vars: {}, mutations: [], resumes: [], ...of }) as unknown as TurnView;

describe("the report of a turn", () => {
  it("says what ran, what it used, what was odd and which way it went", async () => {
    const { reads } = mount(<Report turn={turn({ id: "t 1", status: "limited", steps: 12 })} />, { "/api/turns/t%201/report": report });
    const text = (await screen.findByText("Ran")).closest("section")!.textContent!;
    for (const part of ["×3", "×2", "12 of 50 steps", "1,000 of 1,000 tokens", "of 1 min", "the line is dead", "draft: score has no value", "Hooks that failed1", "(chosen by the step itself)"])
      expect(text).toContain(part);
    expect(text).not.toContain("\u202E");
    expect(reads).toHaveLength(1);
  });

  it("tells in French why the turn went where it did", async () => {
    keepLanguage("fr");
    try {
      mount(<Report turn={turn({ id: "t3", status: "completed", steps: 5, agent: "companion" })} />, { "/api/turns/t3/manifest": { stages: [{ id: "agent1", title: "Conseiller" }, { id: "ongoing_support", title: "Accompagner" }], edges: [] }, "/api/turns/t3/report": { ...report, ran: { agent1: 2 }, path: [{ from: "agent1", to: "ongoing_support", resolver: "goto", reason: "advice was given before" }] } });
      expect((await screen.findByText(/un conseil a déjà été donné/)).textContent).not.toContain("advice");
      // Stages have titles in both languages, and how a way was chosen has words.
      const text = (await screen.findByText("Exécuté")).closest("section")!.textContent!;
      await waitFor(() => expect(screen.getByText("Conseiller ×2")).toBeTruthy());
      expect(text).not.toMatch(/goto|ongoing|agent1/);
    } finally {
      keepLanguage("en");
    }
  });

  it("shows nothing until it is there", () => {
    mount(<Report turn={turn({ id: "t2", status: "completed", steps: 1 })} />);
    expect(screen.queryByText("Report")).toBeNull();
  });
});
