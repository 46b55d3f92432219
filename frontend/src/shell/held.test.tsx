import { act, render, screen, waitFor } from "@testing-library/react";
import { QueryClientProvider } from "@tanstack/react-query";
import { beforeEach, expect, it } from "vitest";
import { queryClient } from "@/api/query";
import { setTransport } from "@/transport";
import { approvalOf } from "@/transport/mock.scene";
import { Toasts } from "@/ui/toasts";
import { useHeld } from "./held";
import { useKeys } from "./keys";

const begun = Date.now();
const waiting = (index: number) => ({ ...approvalOf("s", "t", `n${index}`, begun - (2000 - index) * 60_000), title: `Book ${index}` });

/** Pages of what waits, as the API gives them. */
function serve(all: () => ReturnType<typeof waiting>[]) {
  const page = (path: string) => {
    const query = new URLSearchParams(path.split("?")[1]);
    const limit = Math.min(Number(query.get("limit") ?? 500), 500);
    if (query.get("newest") === "1") return { approvals: all().toReversed().slice(0, limit), next: "", unknown: [], questions: [] };
    const from = all().findIndex(({ id }) => id === query.get("after")) + 1;
    const list = all().slice(from, from + limit);
    return { approvals: list, next: from + list.length < all().length ? list.at(-1)!.id : "", unknown: [], questions: [] };
  };
  setTransport({ kind: "mock", read: async <T,>(path: string) => page(path) as T, readText: async () => "", call: async <T,>() => ({}) as T, journal: () => () => {}, app: () => () => {} });
}

function Held() {
  useKeys();
  return <p>{useHeld()?.approvals?.length ?? "none"}</p>;
}

beforeEach(() => {
  location.hash = "#/records";
  queryClient.clear();
});

// "It was the 601st that waited. Nothing said that it had come."
it("tells of what comes to wait behind 600 others", async () => {
  let all = Array.from({ length: 600 }, (_, index) => waiting(index));
  serve(() => all);
  render(<QueryClientProvider client={queryClient}><Held /><Toasts /></QueryClientProvider>);
  await screen.findByText("50");
  all = [...all, waiting(600)];
  await act(() => queryClient.invalidateQueries());
  expect(await screen.findByText("Waits for your approval: Book 600")).toBeTruthy();
  expect(screen.queryByText("Waits for your approval: Book 599")).toBeNull();
});

it("goes on from the 500th that waits to the one behind it", async () => {
  serve(() => Array.from({ length: 620 }, (_, index) => waiting(index)));
  render(<QueryClientProvider client={queryClient}><Held /></QueryClientProvider>);
  for (const [from, to] of [["n499", "n500"], ["n610", "n611"], ["n619", "n0"]]) {
    location.hash = `#/approvals/${from}`;
    window.dispatchEvent(new KeyboardEvent("keydown", { key: "A", code: "KeyA", ctrlKey: true, shiftKey: true, bubbles: true }));
    await waitFor(() => expect(location.hash).toBe(`#/approvals/${to}`));
  }
});
