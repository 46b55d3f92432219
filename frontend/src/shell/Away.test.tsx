import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { setTransport } from "@/transport";
import { MockTransport } from "@/transport/mock";
import { Away } from "./Away";

beforeEach(() => { setTransport(new MockTransport()); vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

// "I had started serve again on another port, and the old tab said all morning that it was trying again."
it("says after a while that the address may be a new one, until there is an answer", () => {
  const pass = (ms: number) => act(() => { vi.advanceTimersByTime(ms); });
  const { rerender } = render(<Away link="lost" />);
  pass(5_000);
  expect(screen.queryByRole("alert")).toBeNull(); // a moment without an answer is nothing
  pass(20_000);
  expect(screen.getByRole("alert").textContent).toMatch(/its address may be a new one/);
  rerender(<Away link="live" />);
  expect(screen.queryByRole("alert")).toBeNull();
  rerender(<Away link="lost" />);
  pass(5_000);
  expect(screen.queryByRole("alert")).toBeNull();
});
