import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { JournalEvent } from "@/api/types";
import { reduce } from "@/journal/reduce";
import { emptySession } from "@/journal/view";
import { Context } from "./Context";

it.each([
  ["timeout", "pipeline: no result within 2m0s: context deadline exceeded", "failed (it took too long)"],
  ["connection", 'turn: no model at hand: model: server unreachable: list: Get "http://127.0.0.1:9/api/tags": dial tcp: connection refused', "failed (No model server answers.)"],
])("a failure of the kind %s is told without the words of the program's inside", (kind, error, told) => {
  const event = (more: Partial<JournalEvent>, seq: number) => ({ seq, at: "2026-03-01T09:00:00Z", session: "s", turn: "t", ...more }) as JournalEvent;
  const turn = reduce(emptySession("s"), [
    event({ kind: "turn_started" }, 1),
    event({ kind: "tool_failed", stage: "read", phase: 1, tool: "client_signal", attempt: 1, error, data: { class: kind } }, 2),
  ]).turns.t!;
  render(<Context tools={Object.values(turn.tools)} />);
  expect(screen.getByText(/failed \(/).textContent).toContain(told);
});
