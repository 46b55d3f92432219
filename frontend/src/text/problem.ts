/**
 * What went wrong, as a sentence for a person. Errors from inside name the part of the
 * program that saw them first ("model: server unreachable: dial tcp …"): that helps
 * nobody who sits before the screen.
 */

const known: [RegExp, string, string][] = [
  [/model: server unreachable/, "No model server answers.", "Start Ollama on this computer and look again under Models, or use practice mode."],
  [/model: model not found/, "The model that should answer is not on the model server.", "Choose another one under Models, pull it, or use practice mode."],
  [/model: answer stalled/, "The model stopped in the middle of its answer.", "Resume the turn, or choose a smaller model under Models."],
  [/model: broken answer/, "The model’s answer could not be read.", "Resume the turn, or choose another model under Models."],
  [/model: server error/, "The model server met an error of its own.", "Try again; if it stays, start the model server anew under Models."],
  [/model: request refused/, "The model server refused what it was asked.", "Choose another model under Models."],
  [/model: outside this laptop/, "This address is beyond this computer, and the network is not allowed.", "Allow the network under Settings, or use a server on this computer."],
  [/model: our own server ended while it started/, "The model server in Holdpoint did not start.", "Start it again. If it stays so, free some memory or use practice mode."],
  [/session: not found/, "This session is not here.", "It was deleted, or the address is wrong. Choose another one from the list."],
  [/record: not found/, "This record is not here.", "It was deleted, or never imported. Search for it under Records."],
  [/ledger: no such approval or call/, "This request is not here.", "Its session was deleted, or the address is wrong. Approvals lists what waits."],
  [/run: (?:no such run|not found|unknown run)/, "This turn is not here.", "Its session was deleted, or the address is wrong."],
];

/** The parts of the program that put their name before an error. */
const prefix = /^(?:(?:app|store|model|record|session|run|ledger|tool|turn|graph|call|mcp|agent|agents|encoder|pipeline|prompt|definition|journal): )+/;

/** A sentence for an error's text, and what to do where that is known. */
export function problemText(text: string): { message: string; hint: string } {
  for (const [pattern, message, hint] of known) if (pattern.test(text)) return { message, hint };
  const bare = text.replace(prefix, "");
  if (bare === text || bare === "") return { message: text, hint: "" };
  const said = bare.charAt(0).toUpperCase() + bare.slice(1);
  return { message: /[.!?…]$/.test(said) ? said : `${said}.`, hint: "" };
}
