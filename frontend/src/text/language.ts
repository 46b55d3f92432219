import type { ReactNode } from "react";
import { createTranslator } from "use-intl/core";
import { en } from "./en";
import { fr } from "./fr";

/**
 * The language of the screens. Every text that a person reads stands in a catalog, English
 * in text/en and French in text/fr, one file for each folder of screens, as ICU messages:
 * https://unicode-org.github.io/icu/userguide/format_parse/messages/.
 */
export type Language = "en" | "fr";

/** What a person can choose: a language, or "" for that of the system. */
export type LanguageChoice = Language | "";

/** Languages by the names that they have for themselves. */
export const languageNames: Readonly<Record<Language, string>> = { en: "English", fr: "Français" };

/** French has the keys of English, and texts of its own. */
export type Translated<Messages> = { readonly [Key in keyof Messages]: string };

/** "approvals.approve": a text, by its file and its name there. A key that is not there does not compile. */
export type TextKey = { [File in keyof typeof en]: `${File}.${keyof (typeof en)[File] & string}` }[keyof typeof en];
type Message<Key> = Key extends `${infer File extends keyof typeof en}.${infer Name}` ? (Name extends keyof (typeof en)[File] ? (typeof en)[File][Name] : never) : never;
/** What stands in the braces of a message; one without braces takes nothing. */
type Values<Key, Value> = Message<Key> extends `${string}{${string}` ? [values: Record<string, Value>] : [];

const make = (locale: Language, messages: Record<string, unknown>) => createTranslator({ locale, messages });
const translators = { en: make("en", en), fr: make("fr", fr) };

/** The first language of the system that there is; English when there is none. */
function systemLanguage(): Language {
  for (const one of window.clientInformation?.languages ?? [new Intl.NumberFormat().resolvedOptions().locale]) {
    const short = one?.slice(0, 2).toLowerCase();
    if (short === "en" || short === "fr") return short;
  }
  return "en";
}

let now: Language = systemLanguage();

/** The language of the screens, e.g. for numbers and dates. */
export const language = (): Language => now;

/** Sets the language that a person chose, before anything is drawn in it. */
export function keepLanguage(choice: string | undefined): void {
  now = choice === "en" || choice === "fr" ? choice : systemLanguage();
  document.documentElement.lang = now;
}

/** A text of the catalog with its values. */
export const t = <Key extends TextKey>(key: Key, ...[values]: Values<Key, string | number>): string => translators[now](key as never, values as never);

/** A text in the language of what it stands beside, e.g. a conversation's; in that of the screens where there is no such catalog. */
export const tIn = <Key extends TextKey>(to: string, key: Key, ...[values]: Values<Key, string | number>): string => (to === "en" || to === "fr" ? translators[to] : translators[now])(key as never, values as never);

/** A text in each language, where it is not known who reads it. */
export const inEach = <Key extends TextKey>(key: Key, ...[values]: Values<Key, string | number>): [Language, string][] => (Object.keys(translators) as Language[]).map((one) => [one, translators[one](key as never, values as never)]);

/** The same with elements in it: each tag of the message is a function of what it holds. */
export const rich = <Key extends TextKey>(key: Key, values: Record<string, string | number | ((chunks: ReactNode) => ReactNode)>): ReactNode => translators[now].rich(key as never, values as never);

/** A number as it is written in the language. */
export const number = (n: number): string => n.toLocaleString(now);
