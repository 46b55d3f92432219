import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { JournalEvent } from "@/api/types";
import { Feed, nextFrame } from "./feed";

const event = (seq: number): JournalEvent => ({ seq, at: "", session: "s", turn: "t", kind: "checkpoint" });
const token: JournalEvent = { at: "", session: "s", turn: "t", kind: "token", text: "x" };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function feed(store: JournalEvent[] = [], after = 0) {
  const batches: (number | undefined)[][] = [];
  const frames: (() => void)[] = [];
  const read = vi.fn(async (from: number) => store.filter((one) => one.seq! > from));
  const made = new Feed({ after, read, apply: (events) => void batches.push(events.map(({ seq }) => seq)), frame: (run) => void frames.push(run) });
  return { made, batches, read, frame: () => frames.splice(0).forEach((run) => run()) };
}

describe("the feed", () => {
  it("hands on one batch a frame, in order", () => {
    const { made, batches, frame } = feed();
    made.push(event(1));
    made.push(token);
    made.push(event(2));
    frame();
    expect(batches).toEqual([[1, undefined, 2]]);
  });

  it("drops repeats and continues after what is known", () => {
    const { made, batches, frame } = feed([], 5);
    for (const seq of [4, 5, 6, 6, 7]) made.push(event(seq));
    frame();
    expect(batches).toEqual([[6, 7]]);
    expect(made.seq).toBe(7);
  });

  it("puts late events in their place without reading", async () => {
    const { made, batches, read, frame } = feed();
    for (const seq of [2, 3, 1]) made.push(event(seq));
    await vi.advanceTimersByTimeAsync(5000);
    frame();
    expect(batches).toEqual([[1, 2, 3]]);
    expect(read).not.toHaveBeenCalled();
  });

  it("reads a missing event from the store and keeps what waits behind it", async () => {
    const { made, batches, read, frame } = feed([event(1), event(2), event(3)]);
    made.push(event(1));
    made.push(event(3));
    frame();
    expect(batches).toEqual([[1]]);
    await vi.advanceTimersByTimeAsync(200);
    frame();
    expect(read).toHaveBeenCalledWith(1);
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it("tries a failed read again and loses nothing", async () => {
    const { made, batches, read, frame } = feed([event(1), event(2)]);
    read.mockRejectedValueOnce(new Error("gone"));
    made.push(event(2));
    await vi.advanceTimersByTimeAsync(200);
    expect(batches).toEqual([]);
    await vi.advanceTimersByTimeAsync(1100);
    frame();
    expect(batches).toEqual([[1, 2]]);
  });

  it("hands nothing on after it was closed", () => {
    const { made, batches, frame } = feed();
    made.push(event(1));
    made.close();
    frame();
    expect(batches).toEqual([]);
  });
});

describe("the next frame", () => {
  it("comes by a timer where frames stall, and only once", () => {
    const frames: FrameRequestCallback[] = [];
    vi.stubGlobal("requestAnimationFrame", (run: FrameRequestCallback) => frames.push(run));
    vi.stubGlobal("cancelAnimationFrame", () => {});
    const run = vi.fn();
    nextFrame(run);
    vi.advanceTimersByTime(99);
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2);
    frames.forEach((frame) => frame(0));
    expect(run).toHaveBeenCalledTimes(1);
    vi.unstubAllGlobals();
  });
});
