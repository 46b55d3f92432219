import { afterEach, beforeEach } from "vitest";
import type { AgentInfo, RecordKind } from "@/api/types";
import { keepRecordKinds } from "./kinds";

/** An agent that brings these types of records along. */
export const agentWith = (...records: RecordKind[]): AgentInfo => ({ id: "surveyor", title: "Surveyor", description: "", records });

/** The registry knows these types in every test of a file. */
export function onRecordKinds(...records: RecordKind[]): void {
  beforeEach(() => keepRecordKinds([agentWith(...records)]));
  afterEach(() => keepRecordKinds(undefined));
}
