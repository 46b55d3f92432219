import { told } from "./told";
import { visibleText } from "./visible";

/**
 * What a person calls things: the names come from the program, which has them for exports
 * as well. The name inside is shown under Detail and nowhere else.
 */
let names: Readonly<Record<string, string>> = {};

export function keepNames(next: Readonly<Record<string, string>> | undefined): void {
  names = next ?? {};
}

/** A name without underscores, for what nobody named. */
export const plain = (name: string): string => name.replaceAll("_", " ");

/** A sentence of the program's, with what a person calls the tools that it names. */
export const withNames = (text: string): string => told(text).replace(/\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g, (name) => told(names[name] ?? plain(name)));

/** What a type of hold is called, within a sentence. */
export const holdWord = (type: string): string => told(plain(visibleText(type)));

/** The same as a heading. */
export const holdTitle = (type: string): string => holdWord(type).replace(/^./u, (first) => first.toUpperCase());

/** What a tool is called. */
export const toolTitle = (name: string): string => told(visibleText(names[name] ?? plain(name)));
