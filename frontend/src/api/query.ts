import { QueryClient, useMutation, useQuery, useQueryClient, type UseQueryOptions } from "@tanstack/react-query";
import { transport } from "@/transport";
import { sayError } from "@/ui/toasts";
import type { Fault } from "./notice";
import { ApiError, type AppEvent, type Job } from "./types";
import { create } from "zustand";

/** Reads are keyed by their path, so that an app event re-reads by prefix. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    },
  },
});

export const keyOf = (path: string) => ["api", ...(path.split("?")[0] ?? "").split("/").slice(2), path.split("?")[1] ?? ""];

/** What was deleted while the page is open: the first parts of its keys, and its session. Nothing asks for it again. */
export const useGone = create<{ gone: ReadonlyMap<string, string> }>(() => ({ gone: new Map() }));
const isGone = (key: readonly unknown[]) => useGone.getState().gone.has(`${key[1]}/${key[2]}`);
const partsOf = (session: string) => ["sessions", "memory"].map((part) => `${part}/${encodeURIComponent(session)}`);

/** Takes what was read of a deleted session away, with what it asked for, and has nothing ask for it again. */
export function forgetReads(session: string): void {
  const gone = new Map(useGone.getState().gone);
  for (const part of partsOf(session)) gone.set(part, session);
  for (const { queryKey, state } of queryClient.getQueryCache().findAll({ queryKey: ["api", "approvals"] })) {
    const read = state.data as { session?: string; status?: string } | undefined;
    // Who approved what was done stays.
    if (read?.session === session && read.status !== "used") gone.set(`approvals/${queryKey[2]}`, session);
  }
  useGone.setState({ gone });
  queryClient.removeQueries({ predicate: ({ queryKey }) => isGone(queryKey) });
}

/** Somebody goes to a session, whatever was heard of it: it may not be deleted after all, or there again. */
export function comeTo(session: string): void {
  const { gone } = useGone.getState();
  if ([...gone.values()].includes(session)) useGone.setState({ gone: new Map([...gone].filter(([, of]) => of !== session)) });
}

/** Reads a path of the local API; null reads nothing. */
export function useRead<T>(path: string | null, options?: Partial<UseQueryOptions<T, Error>>) {
  const queryKey = path ? keyOf(path) : ["api", "none"];
  return useQuery<T, Error>({
    queryKey,
    queryFn: () => transport().read<T>(path!),
    enabled: path !== null,
    ...options,
    ...(isGone(queryKey) ? { enabled: false } : {}),
  });
}

/** Calls a change by name. The app stream re-reads what it changed. */
export function useCall<In, Out = unknown>(name: string) {
  const client = useQueryClient();
  return useMutation<Out, Error, In>({
    mutationFn: (body) => transport().call<Out>(name, body),
    onSuccess: () => void client.invalidateQueries({ queryKey: ["api", "state"] }),
  });
}

/** Jobs as the app stream tells them, by id. */
export const useJobs = create<{ jobs: Record<string, Job> }>(() => ({ jobs: {} }));

const stale: Record<AppEvent["kind"], string[]> = {
  session: ["sessions", "state", "memory", "memories", "boards"],
  memory: ["memory", "memories"],
  approvals: ["approvals", "state", "sessions"],
  records: ["records", "patients", "state"],
  library: ["library"],
  models: ["models", "state", "doctor"],
  job: [],
  state: ["state", "models", "settings", "doctor", "rules", "skills"],
  agents: ["agents"],
  board: ["boards"],
  texts: ["texts", "agents", "sessions"],
  servers: ["servers", "agents", "approvals", "state"],
  fault: ["sessions", "state"],
};

/** Reads again what stands under a key. A first read that is under way goes on, and may have been answered before the change. */
function again(queryKey: string[]): void {
  for (const query of queryClient.getQueryCache().findAll({ queryKey, fetchStatus: "fetching" }))
    if (query.state.data === undefined) void query.promise?.then(() => queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true }), () => undefined);
  void queryClient.invalidateQueries({ queryKey, ...(useGone.getState().gone.size ? { predicate: (query) => !isGone(query.queryKey) } : {}) });
}

/** Re-reads what an app event says has changed. */
export function onAppEvent(event: AppEvent): void {
  if (event.kind === "job" && event.data) {
    const job = event.data as unknown as Job;
    useJobs.setState((state) => ({ jobs: { ...state.jobs, [job.id]: job } }));
    if (job.status !== "running") {
      for (const part of ["jobs", "models", "records", "patients", "library", "state", "doctor"]) again(["api", part]);
    }
    return;
  }
  if (event.kind === "session" && event.gone && event.id) forgetReads(event.id);
  if (event.kind === "fault" && event.data) {
    const { code, message, hint, safe } = event.data as Fault;
    sayError(new ApiError(code, message, hint, safe));
  }
  for (const part of stale[event.kind] ?? []) again(["api", part]);
}

/** After a lost connection anything may have changed. */
export function readAllAgain(): void {
  again(["api"]);
}
