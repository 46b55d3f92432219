import errors from "../../../../app/tongue/errors.json";
import names from "../../../../app/tongue/names.json";
import french from "../../../../app/tongue/said.json";
import type { Said } from "../said";

/** What the program’s other side says, in French: each of its sentences by the English one. It reads the same files. */
export const saidInFrench: Readonly<Record<Said, string>> = french;

const agents = import.meta.glob<Record<string, string>>("../../../../engine/agents/*/names.json", { eager: true, import: "default" });

const agentsErrors = import.meta.glob<Record<string, string>>("../../../../engine/agents/*/errors.json", { eager: true, import: "default" });

/** The texts of its errors, the agents' own among them. */
export const errorsInFrench: Readonly<Record<string, string>> = Object.assign({}, errors, ...Object.values(agentsErrors));

/** Its titles of agents, stages and tools, and words of records; what is an agent’s own is in its folder. */
export const toldInFrench: Readonly<Record<string, string>> = Object.assign({}, names, ...Object.values(agents));
