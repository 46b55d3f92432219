import { useMemo } from "react";
import { create } from "zustand";
import { useJobs, useRead } from "@/api/query";
import type { Job, Json } from "@/api/types";
import { t } from "@/text/language";

/** Jobs of some kinds, newest first: those read at the start, then as the app stream tells them. */
export function useJobsOf(...kinds: Job["kind"][]): Job[] {
  const { data } = useRead<Job[] | null>("/api/jobs");
  const live = useJobs((state) => state.jobs);
  const wanted = kinds.join();
  return useMemo(() => {
    const all = new Map<string, Job>();
    for (const job of [...(data ?? []), ...Object.values(live)]) all.set(job.id, job);
    return [...all.values()]
      .filter(({ kind }) => wanted.split(",").includes(kind))
      .sort((a, b) => b.started_at.localeCompare(a.started_at));
  }, [data, live, wanted]);
}

/** Finished jobs that the person has put away, and how to put one away. */
export const useClosedJobs = create<{ closed: ReadonlySet<string> }>(() => ({ closed: new Set() }));
export const closeJob = (id: string) => useClosedJobs.setState(({ closed }) => ({ closed: new Set(closed).add(id) }));

/** How long a finished job stays in view by itself, in ms. */
const RECENT_MS = 15 * 60_000;

/** Jobs worth a person's eye: those that run, and those that ended lately and were not put away. */
export function currentJobs(jobs: readonly Job[], closed: ReadonlySet<string>, now: number): Job[] {
  return jobs.filter(
    (job) => job.status === "running" || (!closed.has(job.id) && now - Date.parse(job.started_at) < RECENT_MS),
  );
}

export interface LineError {
  /** From 1; 0 when the error is of the whole file. */
  line: number;
  file: string;
  error: string;
}

/** The members of an object in a result; none of what is no object. */
function members(value: Json | undefined): { [name: string]: Json | undefined } {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
}

/** What an import says about lines that it could not take. The result names them under `errors` or `failed`. */
export function lineErrors(result: Job["result"]): LineError[] {
  const { errors, failed, problems } = members(result);
  const list = Array.isArray(errors) ? errors : Array.isArray(failed) ? failed : Array.isArray(problems) ? problems : [];
  return list.flatMap((entry) => {
    if (typeof entry === "string") return [{ line: 0, file: "", error: entry }];
    if (entry === null || typeof entry !== "object" || Array.isArray(entry)) return [];
    const error = entry.error ?? entry.message ?? entry.reason;
    return [
      {
        line: typeof entry.line === "number" ? entry.line : 0,
        file: [entry.file, entry.entry].filter((name) => typeof name === "string" && name).join(", "),
        error: typeof error === "string" ? error : t("models.couldNotBeRead"),
      },
    ];
  });
}

export interface TypeCount {
  type: string;
  read: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
}

/** Counts for each type, as `records import` prints them. */
export function typeCounts(result: Job["result"]): TypeCount[] {
  const { types } = members(result);
  if (!Array.isArray(types)) return [];
  return types.flatMap((each) => {
    const row = members(each);
    if (typeof row.type !== "string") return [];
    const number = (name: string) => (typeof row[name] === "number" ? row[name] : 0);
    return [
      {
        type: row.type,
        read: number("read"),
        created: number("created"),
        updated: number("updated"),
        unchanged: number("unchanged"),
        failed: number("failed"),
      },
    ];
  });
}

/** What an import into the library did, in a sentence; "" for other jobs. */
export function documentCounts(result: Job["result"]): string {
  const counts = members(result);
  if (typeof counts.passages !== "number") return "";
  const parts: string[] = [];
  for (const name of ["created", "updated", "unchanged", "duplicates", "failed"] as const) {
    const count = counts[name];
    if (typeof count === "number" && count > 0) parts.push(t("models.documentsThat", { n: count, what: name }));
  }
  return t("models.documents2", { parts: parts.join(", ") || t("models.noDocuments"), by_words_only: counts.by_words_only === true ? t("models.theyAreFoundByWordsOnly") : "" });
}

/** What several imports into the library did together. */
export function importSum(jobs: readonly Job[]): Job["result"] {
  const sum: Record<string, number | boolean> = { passages: 0 };
  for (const { result } of jobs) {
    for (const [name, value] of Object.entries(members(result))) {
      if (typeof value === "number") sum[name] = Number(sum[name] ?? 0) + value;
      else if (value === true) sum[name] = true;
    }
  }
  return sum;
}

/** Remarks on documents that were taken, and on lines that were read. */
export function remarks(result: Job["result"]): LineError[] {
  const { notes, remarks: ofLines } = members(result);
  return [notes, ofLines].flatMap((list) => (Array.isArray(list) ? lineErrors({ problems: list }) : []));
}

/** What a field is in all lines of a file, asked where no column says it; see engine/record, Whole. */
export interface Whole {
  title: string;
  unsaid: string;
  choices: { value: string; title: string }[];
  kinds?: string[];
  files?: string[];
  with?: string[];
}

/** What the columns of a file were taken for, as `records mapping` prints it. */
export interface Mapping {
  source: string;
  kind: string;
  kinds: string[];
  columns: { name: string; field: string }[];
  fields: { name: string; about: string; whole?: Whole }[];
  set?: { [field: string]: string };
  chosen: boolean;
}

/** Files with columns that an import read, or passed over because it did not know them. */
export function tables(result: Job["result"]): { file: string; mapping: Mapping }[] {
  const { tables: list } = members(result);
  return (Array.isArray(list) ? list : []).flatMap((one) => {
    const { file, mapping } = members(one);
    const { source, columns, fields, kinds } = members(mapping);
    const whole = typeof source === "string" && Array.isArray(columns) && Array.isArray(fields) && Array.isArray(kinds);
    return typeof file === "string" && whole ? [{ file, mapping: mapping as unknown as Mapping }] : [];
  });
}

/** How many lines were not taken (the list of errors is cut), and files that were passed over. */
export function notTaken(result: Job["result"]): { lines: number; files: { name: string; why: string }[] } {
  const { total, failed: own, skipped } = members(result);
  const failed = "failed" in members(total) ? members(total).failed : own;
  const files = (Array.isArray(skipped) ? skipped : []).flatMap((one) => {
    const { file = one, reason, error } = members(one);
    const why = reason ?? error;
    return typeof file === "string" ? [{ name: file, why: typeof why === "string" ? why : "" }] : [];
  });
  return { lines: Math.max(typeof failed === "number" ? failed : 0, lineErrors(result).length), files };
}

/** Bytes a second since the start, and ms that are left; null while unknown. */
export function pace(
  job: Pick<Job, "done" | "total" | "started_at">,
  now: number,
): { perSecond: number; left: number } | null {
  const seconds = (now - Date.parse(job.started_at)) / 1000;
  if (!(seconds > 2) || job.done <= 0 || job.total <= job.done) return null;
  const perSecond = job.done / seconds;
  return { perSecond, left: ((job.total - job.done) / perSecond) * 1000 };
}
