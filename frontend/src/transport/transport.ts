import { ApiError, type AppEvent, type JournalEvent } from "@/api/types";
import type { Fault, Problem } from "@/api/notice";
import { language, t } from "@/text/language";
import { told } from "@/text/told";

/** Whether a stream of events is being received right now; one that was refused is not tried again: this page has no key that is valid. */
export type LinkState = "connecting" | "live" | "lost" | "refused";

/**
 * The one door to the Go side. Journals may deliver an event twice or with a
 * gap (the journal store orders, drops duplicates and re-reads); they never
 * reorder the events of one connection.
 */
export interface Transport {
  readonly kind: "http" | "wails" | "mock";
  read<T>(path: string): Promise<T>;
  /** Reads a path as text; absent where fetch does it. */
  readText?(path: string): Promise<string>;
  call<T>(name: string, body?: unknown): Promise<T>;
  journal(session: string, after: () => number, onEvent: (event: JournalEvent) => void, onLink?: (link: LinkState) => void): () => void;
  app(onEvent: (event: AppEvent) => void, onLink?: (link: LinkState) => void): () => void;
  /** Streams a file chosen in the browser; absent in the window. */
  upload?(kind: "records" | "model" | "library", file: File): Promise<{ job: string | { id: string } }>;
  /** Streams files as one import, each under its path in what was dropped or chosen; absent in the window. */
  uploadFiles?(kind: "records" | "library", title: string, files: readonly { path: string; file: File }[]): Promise<unknown>;
  /** Hears of files and folders that are dropped on the window, by their paths; absent in the browser. */
  onDropped?(handler: (paths: string[]) => void): () => void;
  /** The native file dialog; absent in the browser. "" when nothing was chosen. */
  pickFile?(kind: "records" | "model" | "library" | "library_folder"): Promise<string>;
  /** Opens a link that safeHref accepted outside the app; absent in the browser, where anchors do. */
  openExternal?(href: string): void;
}

/** A message that joins problems, each of them in the language of the screens. */
function inParts(message: string, problems: readonly Problem[] = []): string {
  if (problems.length === 0 || language() === "en") return message;
  return `${message.split(": ", 1)[0]}: ${problems.map((one) => `${one.line > 0 ? `${one.line}:${one.column}: ` : ""}${told(one.message)}`).join("; ")}`;
}

/** Reads the error envelope; anything else becomes a plain error that says so. */
export function errorFrom(text: string, status: number): ApiError {
  try {
    const { error } = JSON.parse(text) as { error?: Partial<Fault> };
    if (error?.message) return new ApiError(error.code ?? "error", inParts(error.message, error.problems), error.hint ?? "", error.safe ?? "", status, error.help ?? "");
  } catch {
    // Not JSON: an HTML page or nothing at all. Its text is never shown.
  }
  if (status === 401)
    return new ApiError("unauthorized", t("problems.thisBrowserHasNoKeyTo"), t("problems.openTheAddressThatHoldpointServe"), t("problems.nothingWasChanged"), status);
  return new ApiError("error", t("problems.holdpointAnsweredWithAnError", { status }), t("problems.tryAgainIfItStaysRestart"), t("problems.whatWasSavedIsSafe"), status);
}
