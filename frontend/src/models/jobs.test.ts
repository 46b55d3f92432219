import { describe, expect, it } from "vitest";
import type { Job } from "@/api/types";
import { modelName } from "./ImportButton";
import { currentJobs, lineErrors, notTaken, pace, remarks, typeCounts } from "./jobs";
import { fits } from "./ModelsScreen";

const now = Date.parse("2026-03-02T10:00:00Z");
const job = (id: string, status: Job["status"], minutesAgo: number): Job => ({
  id,
  kind: "pull",
  title: id,
  status,
  done: 0,
  total: 0,
  unit: "bytes",
  detail: "",
  error: "",
  started_at: new Date(now - minutesAgo * 60_000).toISOString(),
});

describe("an import's result", () => {
  const result = {
    types: [{ type: "Patient", read: 2, created: 1, updated: 0, unchanged: 0, failed: 1 }],
    total: { read: 300, created: 1, updated: 0, unchanged: 0, failed: 299 },
    errors: [{ file: "Patient.ndjson", line: 2, error: "not JSON" }],
    skipped: ["notes.txt"],
  };

  it("names the lines that were not taken, with file and number", () => {
    expect(lineErrors(result)).toEqual([{ file: "Patient.ndjson", line: 2, error: "not JSON" }]);
  });
  it("counts all of them, although the list is cut", () =>
    expect(notTaken(result)).toEqual({ lines: 299, files: [{ name: "notes.txt", why: "" }] }));
  it("says why a file was passed over", () => // "It left my list out, and I do not know what to change."
    expect(notTaken({ skipped: [{ file: "a.csv", reason: "its columns say nothing" }, { file: "b.png", error: "not a kind of file" }] }).files).toEqual([{ name: "a.csv", why: "its columns say nothing" }, { name: "b.png", why: "not a kind of file" }]));
  it("names the lines that were read and have a remark", () => {
    expect(remarks({ ...result, remarks: [{ file: "t2.csv", line: 3, error: "the surface differs" }] })).toEqual([{ file: "t2.csv", line: 3, error: "the surface differs" }]);
    expect(remarks({ ...result, remarks: 3 })).toEqual([]);
  });
  it("counts each type", () => expect(typeCounts(result)[0]).toMatchObject({ type: "Patient", created: 1, failed: 1 }));
  it.each([null, 3, "x", [], { errors: [null, 3], types: [null, { type: 4 }], total: 7, skipped: [1] }])(
    "survives %j",
    (odd) => {
      expect(lineErrors(odd)).toEqual([]);
      expect(typeCounts(odd)).toEqual([]);
      expect(notTaken(odd)).toEqual({ lines: 0, files: [] });
    },
  );
});

describe("jobs in view", () => {
  it("are those that run, and those that ended lately and were not put away", () => {
    const jobs = [
      job("runs for long", "running", 600),
      job("ended lately", "done", 2),
      job("put away", "failed", 2),
      job("ended long ago", "done", 60),
    ];
    expect(currentJobs(jobs, new Set(["put away", "runs for long"]), now).map(({ id }) => id)).toEqual([
      "runs for long",
      "ended lately",
    ]);
  });
});

describe("pace", () => {
  const started_at = new Date(now - 10_000).toISOString();
  it("is bytes a second and the time left", () =>
    expect(pace({ done: 100, total: 300, started_at }, now)).toEqual({ perSecond: 10, left: 20_000 }));
  it("is unknown at first, at the end, and without a total", () => {
    expect(pace({ done: 0, total: 300, started_at }, now)).toBeNull();
    expect(pace({ done: 300, total: 300, started_at }, now)).toBeNull();
    expect(pace({ done: 100, total: 0, started_at }, now)).toBeNull();
    expect(pace({ done: 100, total: 300, started_at }, now - 9_500)).toBeNull();
  });
});

it.each([
  ["/home/x/Llama 3.2 (3B).Q4_K_M.gguf", "llama-3.2-3b-.q4_k_m"],
  ["C:\\models\\tiny.GGUF", "tiny"],
  ["../..", "imported"],
])("names the model of %s %s", (path, name) => expect(modelName(path)).toBe(name));

describe("a model fits a role", () => {
  it("by what it can do", () => {
    expect(fits({ capabilities: ["embedding"] }, "embed")).toBe(true);
    expect(fits({ capabilities: ["embedding"] }, "main")).toBe(false);
    expect(fits({ capabilities: ["completion", "tools"] }, "main")).toBe(true);
    expect(fits({ capabilities: ["completion"] }, "embed")).toBe(false);
  });
  it("for anything when it says nothing", () => expect(fits({ capabilities: null }, "embed")).toBe(true));
});
