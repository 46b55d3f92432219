import type { AgentInfo, RecordKind } from "@/api/types";

/** Types of records that agents bring along, by name: what their members are called, which are forms, which can be drawn. */
export type RecordKinds = Readonly<Record<string, RecordKind>>;

const none: RecordKinds = {};
let known: readonly AgentInfo[] | undefined;
let kinds = none;

export const recordKinds = (): RecordKinds => kinds;

/** Keeps what the registry says, before anything is drawn of it. */
export function keepRecordKinds(agents: readonly AgentInfo[] | null | undefined): void {
  if ((agents ?? undefined) === known) return;
  known = agents ?? undefined;
  kinds = known ? Object.fromEntries(known.flatMap(({ records }) => records ?? []).map((kind) => [kind.type, kind])) : none;
}
