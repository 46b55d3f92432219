import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { JournalEvent } from "@/api/types";
import { mount } from "@/inspector/mount.fixture";
import { reduce } from "@/journal/reduce";
import { emptySession } from "@/journal/view";
import { Turn } from "./Turn";

const name = `sha256:${"ab".repeat(32)}`;
const blob = `/api/blobs/${encodeURIComponent(name)}`;
const beginning = `${"Sleep is short. ".repeat(95)}…`;
const all = `${"Sleep is short. ".repeat(300)}The last word.`;

const turnOf = (...events: Partial<JournalEvent>[]) =>
  reduce(emptySession("s"), events.map((event, index) => ({ seq: index + 1, at: "2026-03-01T09:00:00Z", session: "s", turn: "t", ...event }) as JournalEvent)).turns.t!;
const show = (events: Partial<JournalEvent>[], answers: Record<string, unknown>) =>
  mount(<Turn session="s" turn={turnOf(...events)} interrupted={null} newest chosen={false} />, { "/api/state": {}, ...answers });

describe("a long text", () => {
  it("is shown to its end, and not only the beginning that fits an event", async () => {
    show([{ kind: "turn_started", text: "Hi" }, { kind: "turn_completed", text: beginning, data: { steps: 1, text: { blob: name, size: all.length } } }], { [blob]: all });
    expect(await screen.findByText(/The last word\./)).toBeTruthy();
    expect(screen.queryByText(/Reading the rest/)).toBeNull();
  });

  it("of mine is shown to its end", async () => {
    show([{ kind: "turn_started", text: beginning }], { "/api/sessions/s/turns": [{ turn: "t", input: all }] });
    expect(await screen.findByText(/The last word\./)).toBeTruthy();
  });

  it("of mine shows what turns or hides its words, and keeps the blanks of a French sentence", async () => {
    show([{ kind: "turn_started", text: "Book \u202Erof\u200B a visit\u00a0: merci" }], {});
    expect((await screen.findByText(/^Book/)).textContent).toBe("Book ⟨U+202E⟩rof⟨U+200B⟩ a visit\u00a0: merci");
  });

  it("that cannot be read says so beside its beginning", async () => {
    show([{ kind: "turn_started", text: "Hi" }, { kind: "message", message: "m", text: beginning, data: { text: { blob: name, size: all.length } } }], {});
    expect((await screen.findByRole("alert")).textContent).toContain("The rest of this text could not be read.");
    expect(screen.getByText(/Sleep is short/)).toBeTruthy();
  });

  it("that I watched being written does not shrink when it is complete", () => {
    const turn = turnOf(
      { kind: "turn_started", text: "Hi" },
      { kind: "message_started", message: "m" },
      { kind: "token", message: "m", offset: 0, text: all },
      { kind: "message", message: "m", text: beginning, data: { text: { blob: name, size: all.length } } },
      { kind: "turn_completed", text: beginning, data: { steps: 1, text: { blob: name, size: all.length } } },
    );
    expect(turn.messages.m!.text).toBe(all);
    expect(turn.reply).toBe(all);
  });

  it("that ends with three dots by itself asks for nothing", () => {
    const { reads } = show([{ kind: "turn_started", text: "And then…" }, { kind: "turn_completed", text: "Well…", data: { steps: 1 } }], {});
    expect(reads.filter((path) => path.includes("blobs") || path.includes("turns"))).toEqual([]);
  });
});
