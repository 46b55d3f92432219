import { toldFailure } from "./failure";
import { t, type TextKey } from "./language";

/** The folders of the agents that come with Holdpoint. */
declare const AGENTS: readonly string[];

/**
 * What went wrong, as a sentence for a person. Errors from inside name the part of the
 * program that saw them first ("model: server unreachable: dial tcp …"): that helps
 * nobody who sits before the screen.
 */

const known: [RegExp, TextKey, TextKey][] = [
  [/model: server unreachable/, "problems.noModelServerAnswers", "problems.startOllamaOnThisComputerAnd"],
  [/model: model not found/, "problems.theModelThatShouldAnswerIs", "problems.chooseAnotherOneUnderModelsPull"],
  [/model: answer stalled/, "problems.theModelStoppedInTheMiddle", "problems.resumeTheTurnOrChooseA"],
  [/model: broken answer/, "problems.theModelsAnswerCouldNotBe", "problems.resumeTheTurnOrChooseAnother"],
  [/model: server error/, "problems.theModelServerMetAnError", "problems.tryAgainIfItStaysStart"],
  [/model: request refused/, "problems.theModelServerRefusedWhatIt", "problems.chooseAnotherModelUnderModels"],
  [/model: outside this laptop/, "problems.thisAddressIsBeyondThisComputer", "problems.allowTheNetworkUnderSettingsOr"],
  [/model: our own server ended while it started/, "problems.theModelServerInHoldpointDid", "problems.startItAgainIfItStays"],
  [/session: not found/, "problems.thisSessionIsNotHere", "problems.itWasDeletedOrTheAddress"],
  [/record: not found/, "problems.thisRecordIsNotHere", "problems.itWasDeletedOrNeverImported"],
  [/ledger: no such approval or call/, "problems.thisRequestIsNotHere", "problems.itsSessionWasDeletedOrThe"],
  [/run: (?:no such run|not found|unknown run)/, "problems.thisTurnIsNotHere", "problems.itsSessionWasDeletedOrThe2"],
];

/** The parts of the program that put their name before an error, as app/fault.go has them; agents are named by the build. */
const parts = /agents?|api|app|board|call|definition|desktop|encoder|graph|identity|journal|ledger|level|library|manifest|mcp|memory|model|online|pdfium|pipeline|prompt|record|rule|run|safety|session|skill|store|survey|text|tool|turn|web/;
const prefix = new RegExp(`(^|: |\\n)(?:(?:${[parts.source, ...AGENTS].join("|")}): )+`, "g");

/** An error's text without the names of the parts that saw it. */
export const withoutParts = (text: string): string => text.replace(prefix, "$1");

/** A sentence for an error's text, and what to do where that is known. */
export function problemText(text: string): { message: string; hint: string } {
  for (const [pattern, message, hint] of known) if (pattern.test(text)) return { message: t(message), hint: t(hint) };
  const bare = withoutParts(text);
  if (bare === text || bare === "") return { message: toldFailure(text), hint: "" };
  const inWords = toldFailure(bare);
  const said = inWords.charAt(0).toUpperCase() + inWords.slice(1);
  return { message: /[.!?…]$/.test(said) ? said : `${said}.`, hint: "" };
}
