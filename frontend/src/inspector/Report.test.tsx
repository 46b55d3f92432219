import { screen } from "@testing-library/react";
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

describe("the report of a turn", () => {
  it("says what ran, what it used, what was odd and which way it went", async () => {
    const { reads } = mount(<Report turn={{ id: "t 1", status: "limited", steps: 12 } as TurnView} />, { "/api/turns/t%201/report": report });
    const text = (await screen.findByText("Ran")).closest("section")!.textContent!;
    for (const part of ["×3", "×2", "12 of 50 steps", "1,000 of 1,000 tokens", "of 1 min", "the line is dead", "draft: score has no value", "Hooks that failed1", "by goto"])
      expect(text).toContain(part);
    expect(text).not.toContain("\u202E");
    expect(reads).toHaveLength(1);
  });

  it("tells in French why the turn went where it did", async () => {
    keepLanguage("fr");
    try {
      mount(<Report turn={{ id: "t3", status: "completed", steps: 5 } as TurnView} />, { "/api/turns/t3/report": { ...report, path: [{ from: "agent1", to: "ongoing_support", resolver: "goto", reason: "advice was given before" }] } });
      expect((await screen.findByText(/un conseil a déjà été donné/)).textContent).not.toContain("advice");
    } finally {
      keepLanguage("en");
    }
  });

  it("shows nothing until it is there", () => {
    mount(<Report turn={{ id: "t2", status: "completed", steps: 1 } as TurnView} />);
    expect(screen.queryByText("Report")).toBeNull();
  });
});
