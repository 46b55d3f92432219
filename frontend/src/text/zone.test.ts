import { afterEach, describe, expect, it } from "vitest";
import { dayOf, fieldOf, instantOf, isInstant, keepZone, momentText, spanText, stampText, withMoments, zoneWord } from "./zone";

afterEach(() => keepZone(""));
const at = "2026-12-01T14:30:00Z";

describe("the clinic's time", () => {
  it.each([
    ["America/New_York", "Tuesday 1 December 2026 at 09:30 New York time (UTC-05:00)"],
    ["Europe/London", "Tuesday 1 December 2026 at 14:30 London time (UTC+00:00)"],
    ["Pacific/Auckland", "Wednesday 2 December 2026 at 03:30 Auckland time (UTC+13:00)"],
    ["UTC", "Tuesday 1 December 2026 at 14:30 UTC"],
  ])("is written in %s as the server writes it", (zone, words) => {
    keepZone(zone);
    expect(momentText(at)).toBe(words);
    expect(momentText("2026-12-01T09:30:00-05:00")).toBe(words);
  });

  it("names the day of a span once, and a day that a span crosses", () => {
    keepZone("America/New_York");
    expect(spanText(at, "2026-12-01T15:20:00Z")).toBe("Tuesday 1 December 2026, 09:30 to 10:20 New York time (UTC-05:00)");
    expect(spanText(at, "2026-12-02T15:20:00Z")).toContain("Wednesday 2 December 2026");
  });

  it.each(["America/New_York", "Europe/London", "Pacific/Auckland", "Asia/Kolkata", "UTC"])("goes through a field and back in %s, summer and winter", (zone) => {
    keepZone(zone);
    for (const instant of [at, "2026-07-01T03:15:00Z", "2026-03-29T01:00:00Z", "2026-11-01T07:00:00Z"]) {
      expect(Date.parse(instantOf(fieldOf(instant)))).toBe(Date.parse(instant));
    }
  });

  it("makes nothing of what is no instant", () => {
    expect(["2026-12-01", "soon", "2026-13-01T00:00:00Z", "2026-12-01T09:30:00", "148/92"].filter(isInstant)).toEqual([]);
    expect(instantOf("")).toBe("");
    expect(instantOf("2026-99-01T10:00")).toBe("");
  });

  it("puts instants inside of a sentence into words, and nothing else", () => {
    keepZone("America/New_York");
    expect(withMoments("is booked at 2026-12-01T14:30:00Z; since 2026-12-01, 148/92")).toBe("is booked at Tuesday 1 December 2026 at 09:30 New York time (UTC-05:00); since 2026-12-01, 148/92");
  });

  it("takes the browser's zone when the server's is not known to it", () => {
    keepZone("Mars/Olympus");
    expect(zoneWord()).not.toContain("Olympus");
    keepZone("Asia/Kolkata");
    expect(dayOf("2026-12-01T20:00:00Z")).toBe("2026-12-02");
    expect(stampText("2026-12-01T20:00:00Z")).toBe("2 Dec 2026, 01:30:00 Kolkata time");
  });
});
