/** What an agent asks before a session begins, in the words of its texts; see engine/agent, StartCard. */
export interface StartQuestions {
  language: string;
  /** How much larger than usual the text is. */
  scale: number;
  words: Words;
  fields: StartField[];
}

export interface StartField {
  var: string;
  say: string;
  choices: Choice[];
  /** What holds where nothing is chosen. */
  value?: string;
  /** Asks for another answer than the choices, in the person's words of at most so many characters. */
  own?: string;
  longest?: number;
}

/** Texts of cards by name. */
export type Words = Record<string, string>;

export interface Choice {
  value: string;
  say: string;
}

export interface AskedQuestion {
  id: string;
  say: string;
  choices?: Choice[] | null;
  /** Its answer is whose help lines are named. */
  region?: boolean;
  /** "" for none. */
  value: string;
  /** The same in words. */
  answer: string;
  /** The person passed it. */
  skipped?: boolean;
  from?: string;
  quote?: string;
  turn?: string;
}

export interface Consent {
  scope: string;
  say: string;
  asked: boolean;
  closed?: string;
  kept: number;
  keeps: string;
  delete: string;
  scopes: { scope: string; say: string; allows: { say: string; yes: boolean }[] }[];
}

export interface Source {
  id: string;
  title: string;
  source: string;
  text?: string;
  /** Says that the text is a summary and not the source's own. */
  about?: string;
  document?: string;
  passage?: number;
}

export interface Feedback {
  turn: string;
  choices: Choice[];
  value?: string;
  note?: string;
}

/** What stands beside a session; see engine/agent, CardView. */
export interface Cards {
  language: string;
  scale: number;
  words: Words;
  asked: AskedQuestion[];
  open?: string;
  /** What a person says to pass the open question. */
  skip?: string;
  progress: { done: number; total: number; say: string };
  consent: Consent;
  sources: Source[];
  feedback?: Feedback;
}

/** A list that is too long for buttons. */
export const LONG = 6;
