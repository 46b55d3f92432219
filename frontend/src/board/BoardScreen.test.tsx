import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, describe, expect, it } from "vitest";
import { useReviewer } from "@/approvals/reviewer";
import { mount } from "@/inspector/mount.fixture";
import { BoardScreen } from "./BoardScreen";

beforeEach(() => useReviewer.setState({ names: {} }));

const info = { turn: "t1", session: "s1", agent: "researcher", query: "Does <b>tea</b> help?", status: "completed", practice: false, started_at: "2026-05-04T09:00:00Z" };
const evidence = (id: string, document: string, text: string) => ({ id, passage: Number(id.slice(1)), document, title: `Paper ${id}`, source: "papers", place: 1, page: 4, text, link: "" });
const board = {
  ...info,
  hypotheses: [{ id: "h1", statement: "Tea helps", status: "refuted", confidence: 0.8, supporting_evidence_ids: ["e1"], contradicting_evidence_ids: ["e2"], dissent: true, decision: { n: 1, op: "refute", on: "h1", reason: "wrong people", who: "Reviewer One", at: info.started_at } }],
  conflicts: [{ id: "e1+e2", description: "They differ", source_a_id: "e1", source_b_id: "e2", status: "open", hypothesis: "h1" }],
  judgements: [{ evidence: "e1", hypothesis: "h1", verdict: "supports", quote: "Tea helped." }],
  searches: [{ text: "tea", source: "library", found: 4, new: 2, duplicates: 1 }],
  evidence: [evidence("e1", "d1", "Tea helped many."), evidence("e2", "d2", "Tea did nothing.")],
  decisions: [],
  timeline: [
    { at: info.started_at, hypothesis: "h1", status: "proposed", confidence: 0.5, by: "model", who: "m" },
    { at: info.started_at, hypothesis: "h1", status: "confirmed", confidence: 0.8, by: "rule", who: "confidence", why: "worked out" },
  ],
  next_step: "finish", iteration_count: 3, max_iterations: 10, forced: "the limit was reached", report: true,
};
const answers = {
  "/api/boards": { boards: [info] },
  "/api/boards/t1": board,
  "/api/agents": [{ id: "researcher", title: "Researcher", description: "", experimental: true }],
  "/api/state": { reviewer: "Reviewer Two" },
};

describe("the board", () => {
  it("says what it is for while there is no study", async () => {
    mount(<BoardScreen turn="" />, { "/api/boards": { boards: [] }, "/api/agents": [] });
    expect(await screen.findByText("No study yet")).toBeTruthy();
  });

  it("tells searches that were the same in a row once", async () => {
    const same = { text: "tea", source: "library", found: 4, new: 0, duplicates: 0 };
    mount(<BoardScreen turn="" />, { ...answers, "/api/boards/t1": { ...board, searches: [...board.searches, same, same, same, board.searches[0]] } });
    const list = within(await screen.findByRole("region", { name: "Searches" }));
    expect(list.getAllByRole("listitem").map((item) => [(item as HTMLLIElement).value, item.textContent])).toEqual([
      [1, "“tea” in the library: 4 passages, 2 new, 1 nearly the same as others"],
      [2, "“tea” in the library: 4 passages, 0 new, 3 times in a row"],
      [5, "“tea” in the library: 4 passages, 2 new, 1 nearly the same as others"],
    ]);
  });

  it("shows hypotheses with confidence, what speaks for and against, and who decided", async () => {
    mount(<BoardScreen turn="" />, answers);
    expect((await screen.findByRole("meter", { name: "Confidence" })).getAttribute("aria-valuenow")).toBe("80");
    expect(screen.getByText("Experimental")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Ask a further question" }).getAttribute("href")).toBe("#/sessions/s1");
    expect(screen.getByText("Refuted by Reviewer One: wrong people")).toBeTruthy();
    expect(screen.getByText("The evidence points the other way from your decision.")).toBeTruthy();
    expect(screen.getByText("“Tea helped.”")).toBeTruthy();
    expect(screen.getAllByRole("link", { name: /Paper e1, page 4/ })[0]!.getAttribute("href")).toBe("#/library/d1/1");
    expect(screen.getByText(/The report was forced/)).toBeTruthy();
    expect(document.querySelector("b")).toBeNull(); // what a study asks is no markup
  });

  // "I refuted it, a colleague worded it anew, and the board shows no trace of what I said."
  it("keeps earlier verdicts on a hypothesis, with the words that they were about, and says what counts", async () => {
    const at = info.started_at;
    const refuted = { n: 1, op: "refute", on: "h1", statement: "Tea helps", reason: "wrong people", who: "Ann", at };
    const worded = { n: 2, op: "edit", on: "h1", statement: "Tea helps athletes", reason: "narrower", who: "Bob", at };
    const hypothesis = { ...board.hypotheses[0], statement: "Tea helps athletes", decision: worded };
    const first = mount(<BoardScreen turn="t1" />, { ...answers, "/api/boards/t1": { ...board, hypotheses: [hypothesis], decisions: [refuted, worded] } });
    const list = await screen.findByRole("list", { name: "Earlier decisions" });
    expect(list.textContent).toContain("Refuted by Ann: wrong people");
    expect(list.textContent).toContain("The words were: “Tea helps”");
    expect(screen.getByText("Reworded by Bob: narrower")).toBeTruthy();
    expect(screen.getByText(/What counts is the evidence/)).toBeTruthy();
    first.unmount();
    mount(<BoardScreen turn="t1" />, { ...answers, "/api/boards/t1": { ...board, hypotheses: [{ ...hypothesis, statement: "Tea helps", decision: refuted }], decisions: [refuted] } });
    await userEvent.click(await screen.findByRole("button", { name: "Reword" }));
    expect(screen.getByText(/^The verdict of Ann is about the words as they stand/)).toBeTruthy();
  });

  it("shows both passages of a conflict, and resolves it with a reason and a name", async () => {
    const { calls } = mount(<BoardScreen turn="t1" />, answers);
    const conflict = await screen.findByRole("article", { name: "Conflict e1+e2" });
    expect(conflict.textContent).toContain("Tea helped many.");
    expect(conflict.textContent).toContain("Tea did nothing.");
    await userEvent.click(within(conflict).getByRole("button", { name: "Resolve" }));
    // "I was asked which source stands, and the window covered both."
    const dialog = screen.getByRole("dialog").textContent;
    expect(dialog).toContain("Tea helped many.");
    expect(dialog).toContain("Tea did nothing.");
    const keep = screen.getByRole<HTMLButtonElement>("button", { name: "Keep my decision" });
    await userEvent.click(screen.getByLabelText(/Source B stands/));
    expect(keep.disabled).toBe(true);
    await userEvent.type(screen.getByLabelText("Reason"), "larger");
    expect(keep.disabled).toBe(false);
    await userEvent.click(keep);
    expect(calls).toEqual([{ name: "change_board", body: { turn: "t1", op: "resolve", on: "e1+e2", statement: "", reason: "larger", reviewer: "Reviewer Two", seen: 0, outcome: "source_b" } }]);
  });

  // "I refuted by keyboard: I had to leave Close first, nothing said why the button was grey, and then I was thrown back to the top of the page."
  it("leads the keyboard to the first field of a decision, says what is missing, and leads it back", async () => {
    const { calls } = mount(<BoardScreen turn="t1" />, { ...answers, "/api/state": { reviewer: "" } });
    const refute = await screen.findByRole("button", { name: "Refute" });
    const openIt = async () => {
      refute.focus();
      await userEvent.keyboard("{Enter}");
      const reason = screen.getByLabelText("Reason");
      await waitFor(() => expect(document.activeElement).toBe(reason));
    };
    await openIt();
    expect(screen.getByText("Still missing: Reason, Your name.")).toBeTruthy();
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(document.activeElement).toBe(refute));
    await openIt();
    await userEvent.keyboard("Too small.");
    expect(screen.getByText("Still missing: Your name.").id).toBe(screen.getByRole("button", { name: "Keep my decision" }).getAttribute("aria-describedby"));
    await userEvent.type(screen.getByLabelText("Your name"), "Ada{Enter}");
    await waitFor(() => expect(document.activeElement).toBe(refute));
    // "It asked me my name at each decision."
    expect(calls).toEqual([expect.objectContaining({ name: "change_board" })]);
    await openIt();
    expect(screen.getByLabelText<HTMLInputElement>("Your name").value).toBe("Ada");
  });

  // "Once I had resolved the conflict by keyboard, I was at the top of the page."
  it("leads the keyboard to the conflict where its button has gone", async () => {
    let resolved = false;
    mount(<BoardScreen turn="t1" />, { ...answers, "/api/boards/t1": () => (resolved ? { ...board, conflicts: [{ ...board.conflicts[0], status: "resolved" }] } : board) }, { call: async <T,>() => { resolved = true; return {} as T; } });
    await userEvent.click(await screen.findByRole("button", { name: "Resolve" }));
    await userEvent.click(screen.getByLabelText(/Source B stands/));
    await userEvent.type(screen.getByLabelText("Reason"), "larger{Tab}{Enter}");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("article", { name: "Conflict e1+e2" })));
  });

  // "The address of a board that is gone told me to try again."
  it("says of a board that there is not that there is none, and leads to the others", async () => {
    mount(<BoardScreen turn="nosuch" />, answers);
    expect(await screen.findByText("There is no such board")).toBeTruthy();
    expect(screen.getByRole("link", { name: "All boards" }).getAttribute("href")).toBe("#/board");
    expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
  });

  // "I opened a source, came back, and was at the top of a long board."
  it("is where it was when one comes back to it, also while it is still known", async () => {
    let show: (shown: boolean) => void = () => {};
    function Screens() {
      const [shown, set] = useState(true);
      show = set;
      return shown ? <BoardScreen turn="t1" /> : <p>A source</p>;
    }
    mount(<Screens />, answers);
    await screen.findByRole("meter", { name: "Confidence" });
    const details = screen.getByText("How the confidence changed").closest("details")!;
    details.open = true;
    fireEvent(details, new Event("toggle"));
    fireEvent.scroll(screen.getByRole("region", { name: "Board" }), { target: { scrollTop: 420 } });
    act(() => show(false));
    await screen.findByText("A source");
    act(() => show(true));
    expect(screen.getByRole("region", { name: "Board" }).scrollTop).toBe(420);
    expect(screen.getByText("How the confidence changed").closest("details")!.open).toBe(true);
  });
});
