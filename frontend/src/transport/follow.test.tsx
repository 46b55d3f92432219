import { render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { Anew } from "@/shell/Anew";
import { follow } from "./follow";

afterEach(() => vi.unstubAllGlobals());

// “It went down and was started again, and my page said ‘trying again’ all evening.”
it("is not tried again once the key of the page is refused, and the page says what to do in both languages", async () => {
  vi.useFakeTimers();
  let status = 503;
  const asked = vi.fn(async () => new Response(null, { status }));
  vi.stubGlobal("fetch", asked);
  const links: string[] = [];
  const stop = follow(() => "/api/stream", () => {}, (link) => links.push(link));
  await vi.advanceTimersByTimeAsync(3000);
  expect(asked.mock.calls.length).toBeGreaterThan(2); // a lost connection is
  expect(links.at(-1)).toBe("lost");
  status = 401;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(links.at(-1)).toBe("refused");
  const before = asked.mock.calls.length;
  await vi.advanceTimersByTimeAsync(120_000);
  window.dispatchEvent(new Event("online"));
  document.dispatchEvent(new Event("visibilitychange"));
  expect(asked.mock.calls.length).toBe(before);
  stop();
  render(<Anew />);
  const alert = screen.getByRole("alert");
  expect(alert.querySelector("[lang=en]")?.textContent).toMatch(/started anew.*Open the address that it printed/);
  expect(alert.querySelector("[lang=fr]")?.textContent).toMatch(/relancé.*Ouvrez l’adresse qu’il a affichée/);
});
