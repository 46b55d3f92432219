/** What the board's reads answer; the Go side is app/board.go and engine/board. */

export type HypothesisStatus = "proposed" | "validating" | "confirmed" | "refuted";
export type Outcome = "source_a" | "source_b" | "both";
export type Op = "add" | "edit" | "confirm" | "refute" | "reopen" | "resolve";

export interface Decision {
  n: number;
  op: Op;
  on: string;
  /** What is added or the new words; of a verdict, the words that it is about. */
  statement?: string;
  outcome?: Outcome;
  reason?: string;
  who: string;
  at: string;
}

/** Whether it settles a hypothesis, whatever the evidence says. */
export const isVerdict = ({ op }: Decision): boolean => op === "confirm" || op === "refute";

export interface Hypothesis {
  id: string;
  statement: string;
  status: HypothesisStatus;
  /** From 0 to 1. */
  confidence: number;
  supporting_evidence_ids: string[] | null;
  contradicting_evidence_ids: string[] | null;
  decision?: Decision;
  /** The evidence says otherwise than the person who decided. */
  dissent?: boolean;
}

export interface Conflict {
  id: string;
  description: string;
  source_a_id: string;
  source_b_id: string;
  status: "open" | "resolved";
  resolution?: string;
  outcome?: Outcome;
  hypothesis: string;
  decision?: Decision;
}

export interface Evidence {
  id: string;
  passage: number;
  document: string;
  title: string;
  source: string;
  date?: string;
  page?: number;
  place: number;
  text: string;
  duplicate_of?: string;
  /** What became of its document, where the library has the passage no more. */
  left?: { at?: string; next?: string };
  /** Leads to the passage in the reader. */
  link: string;
}

export interface Judgement {
  evidence: string;
  hypothesis: string;
  verdict: "supports" | "contradicts" | "neutral";
  quote?: string;
  note?: string;
}

export interface SearchRow {
  text: string;
  source: string;
  for?: string;
  found: number;
  new: number;
  duplicates: number;
  /** Neither on the board nor put there. */
  passed?: number;
  note?: string;
}

export interface ConfidencePoint {
  at: string;
  hypothesis: string;
  status: HypothesisStatus;
  confidence: number;
  by: "model" | "person" | "rule";
  who: string;
  why?: string;
}

export interface BoardInfo {
  turn: string;
  session: string;
  agent: string;
  query: string;
  status: string;
  practice: boolean;
  started_at: string;
}

export interface Board extends BoardInfo {
  hypotheses: Hypothesis[];
  conflicts: Conflict[];
  judgements: Judgement[];
  searches: SearchRow[];
  evidence: Evidence[];
  decisions: Decision[];
  timeline: ConfidencePoint[];
  next_step: string;
  iteration_count: number;
  max_iterations: number;
  forced?: string;
  report: boolean;
}

/** What a person does on a board. */
export interface BoardChange {
  turn: string;
  op: Op;
  on?: string;
  statement?: string;
  outcome?: Outcome;
  reason?: string;
  reviewer: string;
  /** The last decision that the person saw: a later one on the same thing refuses this one. */
  seen?: number;
}
