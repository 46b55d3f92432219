import { t } from "@/text/language";

/** What the library's reads answer; the Go side is engine/library. */

export interface LibraryDocument {
  id: string;
  name: string;
  source: string;
  path: string;
  title: string;
  kind: string;
  date?: string;
  language?: string;
  size: number;
  pages?: number;
  textless?: number;
  passages: number;
  imported_at: string;
  /** Where it was published; it is text, and nothing opens it. */
  url?: string;
  /** Who wrote it and where it appeared, as its file says. */
  publication?: { authors?: string[]; journal?: string; volume?: string; issue?: string; pages?: string; doi?: string; pmid?: string };
  note?: string;
}

export interface Passage {
  n: number;
  heading?: string;
  page?: number;
  text: string;
  /** Bytes at the beginning that the passage before ends with. */
  overlap?: number;
}

/** When a document left the library, and the id of what came in its place; empty where nothing is known. */
export interface Departure {
  at?: string;
  next?: string;
}

/** A passage that a board cites, wherever its text is by now. */
export interface CitedPassage {
  /** Its number in the library now; 0 where only boards keep it. */
  n: number;
  name: string;
  title: string;
  source: string;
  date?: string;
  url?: string;
  publication?: LibraryDocument["publication"];
  page?: number;
  place: number;
  heading?: string;
  text: string;
  left?: Departure;
  /** The version of its document that the library has now. */
  now?: LibraryDocument;
}

export interface LibraryPage {
  list: LibraryDocument[];
  matching: number;
  next: string;
  documents: number;
  passages: number;
  words: number;
  meanings: number;
  sources: { source: string; documents: number }[];
  kinds: Record<string, number>;
  pdf: boolean;
  extensions: string[];
  /** What compares meanings; "" for nothing. */
  meaning: string;
}

export interface Found extends Passage {
  /** Which of the document's passages it is, from 1. */
  place: number;
  parts: { text: string; marked?: boolean }[];
}

export type Hit = LibraryDocument & { found: Found[] };

export interface Answer {
  hits: Hit[];
  by: "both" | "words" | "meaning";
  note?: string;
}

export const kindTitles: Record<string, string> = {
  pdf: "PDF", get text() { return t("library.kindText"); }, markdown: "Markdown", html: "HTML", get abstract() { return t("library.kindAbstract"); }, get note() { return t("library.kindNote"); },
};
