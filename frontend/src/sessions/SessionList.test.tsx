import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { mount } from "@/inspector/mount.fixture";
import { SessionList } from "./SessionList";

const at = new Date().toISOString();
const whole = { id: "s1", title: "Sleep", status: "completed", turns: 1, approvals: 0, created_at: at, updated_at: at };

describe("the list of sessions", () => {
  // "One session was damaged, and I saw none of the others, nor could I be rid of it."
  it("shows a damaged one among the others, to be deleted and not renamed", async () => {
    const damaged = { id: "s2", title: "Damaged session", status: "damaged", damaged: true, turns: 0, approvals: 0, created_at: "0001-01-01T00:00:00Z", updated_at: at };
    const { calls } = mount(<SessionList chosen="" />, { "/api/sessions": { sessions: [damaged, whole], next: "" } });
    const row = (await screen.findByText("Damaged session")).closest("li")!;
    expect(within(row).getByText("Damaged")).toBeTruthy();
    expect(screen.getByText("Sleep")).toBeTruthy();
    expect(within(row).queryByRole("button", { name: /^Rename/ })).toBeNull();
    await userEvent.click(within(row).getByRole("button", { name: /^Delete/ }));
    await userEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Delete" }));
    expect(calls).toEqual([{ name: "delete_session", body: { id: "s2" } }]);
  });
});
