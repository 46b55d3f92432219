import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Approval, TurnRow } from "@/api/types";
import { mount } from "@/inspector/mount.fixture";
import { emptyTurn, type NoteView } from "@/journal/view";
import { Bars } from "./Bars";
import { RulesTab } from "./RulesTab";
import { Whose } from "./Whose";

const at = "2026-11-22T10:00:00Z";
const note = (seq: number, kind: NoteView["kind"], name: string, data: NoteView["data"], status = ""): NoteView => ({ seq, at, kind, name, status, text: "", attempt: 0, data });
const stage = { id: "a", state: "done" as const, attempts: [], startedAt: at, endedAt: at, ms: 1, reason: "", error: "", patch: null, cached: false, again: false, pauses: [], notes: [] as NoteView[] };
const row = { turn: "t1", budget: [{ limit: "tokens", used: 900, max: 1000, unit: "tokens", reached: false }, { limit: "cost", used: 10, max: 10, unit: "USD", reached: true }, { limit: "iterations", used: 3, max: 20, unit: "rounds", reached: false }] } as unknown as TurnRow;

describe("what ruled a turn", () => {
  it("is its budget as bars: how much of how much, and what is used up", async () => {
    mount(<Bars session="s1" turn={emptyTurn("t1", at)} />, { "/api/sessions/s1/turns": [row] });
    expect((await screen.findByRole("meter", { name: "Tokens" })).getAttribute("aria-valuetext")).toBe("900 of 1,000");
    expect(screen.getByRole("meter", { name: "Money" }).getAttribute("aria-valuetext")).toBe("$10.00 of $10.00, used up");
    expect(screen.getByRole("meter", { name: "Rounds of calls" }).getAttribute("aria-valuenow")).toBe("3");
  });

  it("is the rules that fired, and the skills that were loaded beside those that are only listed", async () => {
    const turn = { ...emptyTurn("t1", at), stages: { a: { ...stage, notes: [note(7, "rule", "sign_it", { on: "after_tool_call", source: "skill:w1", checkpoint: "pre_filing" }, "hold"), note(3, "skill", "Rule 37", { skill: "rrc_rule37", digest: "sha256:abcdef0123456789", tier: 3 })] } } };
    const skills = ["rrc_rule37", "rrc_rule32"].map((name) => ({ name, title: name, description: `about ${name}`, digest: "sha256:0123456789abcdef" }));
    mount(<RulesTab session="s1" turn={turn} />, { "/api/skills": skills, "/api/sessions/s1/turns": [] });
    expect(screen.getByText(/Rule sign_it holds it \(pre_filing\)/)).toBeTruthy();
    expect(within(screen.getByRole("list", { name: "Loaded in this turn" })).getByText(/tier 3/)).toBeTruthy();
    const listed = within(await screen.findByRole("list", { name: /^Listed/ }));
    expect(listed.getByText("about rrc_rule32")).toBeTruthy();
    expect(listed.queryByText("about rrc_rule37")).toBeNull();
  });

  it("says in the inbox who decides, and by when", () => {
    mount(<Whose approval={{ status: "pending", may_decide: "a person with the role engineer, or Bo Li", due_at: at, overdue: true } as unknown as Approval} />);
    expect(screen.getByText(/a person with the role engineer, or Bo Li/)).toBeTruthy();
    expect(screen.getByText(/overdue since/)).toBeTruthy();
  });
});
