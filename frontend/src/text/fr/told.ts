import names from "../../../../app/tongue/names.json";
import french from "../../../../app/tongue/said.json";
import type { Said } from "../said";

/** What the program’s other side says, in French: each of its sentences by the English one. It reads the same files. */
export const saidInFrench: Readonly<Record<Said, string>> = french;

/** Its titles of agents, stages and tools, and words of records. */
export const toldInFrench: Readonly<Record<string, string>> = names;
