import { toldInFrench } from "./fr/told";
import { language } from "./language";

/**
 * A sentence or name of the program's other side, which speaks English, in the language of the
 * screens: titles of agents, stages, tools and conditions, checks, fixed lines. What is not in
 * the table stays as it is, as titles of people's own graphs do.
 */
export const told = (english: string): string => (language() === "fr" ? (toldInFrench[english] ?? english) : english);
