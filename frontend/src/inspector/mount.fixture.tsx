import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { ApiError } from "@/api/types";
import { setTransport, type Transport } from "@/transport";

/** Renders against fixed answers, by path without its query, or what a function makes of the whole path; records reads and calls. */
export function mount(ui: ReactNode, answers: Record<string, unknown> = {}, more: Partial<Transport> = {}) {
  const reads: string[] = [];
  const calls: { name: string; body: unknown }[] = [];
  const answer = (path: string) => {
    reads.push(path);
    const bare = path.split("?")[0]!;
    const known = answers[bare];
    if (typeof known === "function") return known(path) as unknown;
    if (bare in answers) return structuredClone(known);
    throw new ApiError("not_found", `There is no ${bare}.`, "", "", 404);
  };
  setTransport({
    kind: "mock",
    read: async <T,>(path: string) => answer(path) as T,
    readText: async (path) => String(answer(path)),
    call: async <T,>(name: string, body?: unknown) => {
      calls.push({ name, body });
      return {} as T;
    },
    journal: () => () => {},
    app: () => () => {},
    ...more,
  });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const within = (what: ReactNode) => <QueryClientProvider client={client}>{what}</QueryClientProvider>;
  const view = render(within(ui));
  return { ...view, rerender: (next: ReactNode) => view.rerender(within(next)), reads, calls, client };
}
