import { act, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Step } from "@/graph/steps";
import { emptyProgress } from "@/graph/progress";
import { StepList } from "@/inspector/StepList";
import { mount } from "@/inspector/mount.fixture";
import { SessionList } from "@/sessions/SessionList";
import { LONG } from "./longList";

const sessions = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `s${index}`, title: `Session ${index}`, agent: "a", turns: 1, status: "completed", approvals: 0, created_at: "2026-03-01T09:00:00Z", updated_at: "2026-03-01T09:00:00Z" }));
const steps = (count: number): Step[] =>
  Array.from({ length: count }, (_, index) => ({ key: `k${index}`, kind: "stage", title: `Stage ${index}`, stage: `k${index}`, state: "done", word: "Done", attempts: 1, visits: 1, depth: 0 }));
const list = (selected: string | null, count: number) => <StepList steps={steps(count)} progress={emptyProgress} mutations={[]} selected={selected} onSelect={() => {}} onOpen={() => {}} />;

const rowsOf = (container: HTMLElement) => [...container.querySelectorAll("li")];

// Nothing is laid out here: a window of 600 pixels, and rows of 40.
beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(600);
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(40);
});

describe("a list", () => {
  it("of up to a hundred rows is plain, and the browser's search finds all of it", () => {
    const rows = rowsOf(mount(list(null, LONG)).container);
    expect(rows).toHaveLength(LONG);
    expect(rows[0]!.getAttribute("aria-setsize")).toBeNull();
  });

  it("of a thousand rows has only some in the page, and says how many there are", async () => {
    const { container } = mount(<SessionList chosen="" />, { "/api/sessions": { sessions: sessions(1000), next: "" } });
    await screen.findByText("Session 0");
    const rows = rowsOf(container);
    expect(rows.length).toBeLessThan(60);
    expect([rows[1]!.getAttribute("aria-posinset"), rows[1]!.getAttribute("aria-setsize")]).toEqual(["2", "1000"]);
  });

  it("keeps the row that has the focus and the one that is chosen, wherever it is scrolled to", async () => {
    const { rerender } = mount(list(null, 1000));
    expect(screen.queryByText("Stage 900")).toBeNull();
    act(() => screen.getByText("Stage 3").closest("button")!.focus());
    rerender(list("k900", 1000));
    expect(screen.getByText("Stage 900").closest("button")!.getAttribute("aria-current")).toBe("step");
    expect(document.activeElement?.textContent).toContain("Stage 3");
    expect(screen.getByText("Stage 900").closest("li")!.textContent).toMatch(/^901/);
  });
});
