import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { JournalEvent } from "@/api/types";
import { mount } from "@/inspector/mount.fixture";
import { reduce } from "@/journal/reduce";
import { emptySession } from "@/journal/view";
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
});
