/** A form with all its boxes, as the program reads it for people. */
export interface Form {
  name: string;
  title: string;
  subject: string;
  layout: string;
  boxes: Box[];
  missing: string[] | null;
  attachments: string[] | null;
  assumptions: string[] | null;
  notes: string[] | null;
  call?: string;
}

export interface Box {
  id: string;
  label: string;
  value: string;
  unit?: string;
  source: string;
  status: "filled" | "missing" | "not applicable";
  note?: string;
}

/** A form that was kept, with who signed it. */
export interface SignedForm extends Form {
  record: string;
  version: string;
  reviewer?: string;
  signed_at?: string;
  comment?: string;
  digest?: string;
  modified: boolean;
  /** A script put it together, and no model. */
  practice: boolean;
}

/** US survey feet east and north of the middle of a map. */
export type MapPoint = [number, number];

export interface MapArea {
  ref: string;
  name: string;
  rings: MapPoint[][];
  confirmed: boolean;
  source: string;
}

export interface MapFeature {
  ref: string;
  name: string;
  subject?: boolean;
  /** It is no longer, or never came to be. */
  former?: boolean;
  path: MapPoint[];
  measured: MapPoint[];
}

export type DistanceState = "short" | "kept" | "open" | "none";

export interface MapDistance {
  what: string;
  ref?: string;
  from: MapPoint;
  to: MapPoint;
  ft: number;
  limit_ft?: number;
  state: DistanceState;
  why?: string;
}

/** What an agent measured; nothing is measured again to draw it. */
export interface SurveyMap {
  title: string;
  datum: string;
  verdict: string;
  rule: string;
  measured_from: string;
  areas: MapArea[];
  features: MapFeature[];
  distances: MapDistance[];
  as_filed: { what: string; ft: number; direction?: string; source: string }[];
  unplaced: string[];
  notes: string[];
  /** What is drawn, in the agent's words. */
  legend: { subject: string; other: string; path: string; confirmed: string; unconfirmed: string; whole: string; near: string };
}

/** A box of a form that somebody fills in, with where the value is from. */
export interface Entry {
  box: string;
  value: string;
  source: string;
}

/** Somebody who may decide. */
export interface Person {
  name: string;
  roles: string[];
  signs: boolean;
  key?: string;
  /** They have no passphrase here: their verdicts come in files. */
  elsewhere?: boolean;
}

/** One person, or anybody with a role. */
export interface Reviewer {
  name?: string;
  role?: string;
}

/** How long a hold waits, and for whom; what is left out is as usual. */
export interface Term {
  expires_hours?: number;
  due_hours?: number;
  remind_hours?: number;
  escalate_hours?: number;
  escalate_to?: Reviewer;
  reviewer?: Reviewer;
  no_delegation?: boolean;
}

/** A type of checkpoint with its term, everything filled in; own is what a person set of it. */
export interface Checkpoint extends Term {
  type: string;
  set: boolean;
  own?: Term;
  rules: string[];
}

/** What a turn may use; what is left out is as usual. */
export interface Budget {
  tokens?: number;
  cost_usd?: number;
  iterations?: number;
  seconds?: number;
}

/** What turns of a type of an agent may use. */
export interface BudgetOf {
  agent: string;
  /** The agent's name for people. */
  agent_title?: string;
  type: string;
  title: string;
  set: boolean;
  own?: Budget;
  budget: Budget;
  usual: Budget;
}
