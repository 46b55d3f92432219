import { describe, expect, it } from "vitest";
import { duration, relativeTime } from "./format";

const now = Date.parse("2026-12-01T12:00:00Z");
const ago = (ms: number) => relativeTime(new Date(now - ms).toISOString(), now);

describe("relative times", () => {
  it("never puts what has happened into the future", () => {
    for (const ms of [0, 900, 6_000, 30_000, 59_000, 61_000, 3_700_000, 90_000_000]) expect(ago(ms)).not.toMatch(/^in /);
    expect(ago(30_000)).toBe("under a minute ago");
    expect(ago(2_000)).toBe("just now");
  });

  it("says of what is still to come that it comes", () => {
    expect(relativeTime(new Date(now + 30_000).toISOString(), now)).toBe("in under a minute");
    expect(relativeTime(new Date(now + 7_200_000).toISOString(), now)).toBe("in 2 hr.");
    // "I set seven days, and a second later it says six."
    expect(relativeTime(new Date(now + 7 * 86_400_000 - 5000).toISOString(), now)).toBe("in 7 days");
    expect(relativeTime(new Date(now + 6.5 * 86_400_000).toISOString(), now)).toBe("in 6 days");
  });

  it("knows that a clock which is a little ahead is no promise", () =>
    expect(relativeTime(new Date(now + 20_000).toISOString(), now, true)).toBe("just now"));
});

it.each([
  [12, "12 ms"], [999.6, "1.0 s"], [59_960, "1 min 0 s"], [119_700, "2 min 0 s"], [3_600_000, "1 h 0 min"], [11_112_000, "3 h 5 min"], [200_000_000, "2 d 8 h"],
])("%d ms is %s", (ms, words) => expect(duration(ms)).toBe(words));
