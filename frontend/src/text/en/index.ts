import { approvals } from "./approvals";
import { board } from "./board";
import { conversation } from "./conversation";
import { elements } from "./elements";
import { exporting } from "./exporting";
import { firstRun } from "./firstRun";
import { forms } from "./forms";
import { graph } from "./graph";
import { help } from "./help";
import { inspector } from "./inspector";
import { library } from "./library";
import { memory } from "./memory";
import { models } from "./models";
import { palette } from "./palette";
import { problems } from "./problems";
import { records } from "./records";
import { recovery } from "./recovery";
import { sessions } from "./sessions";
import { settings } from "./settings";
import { shell } from "./shell";
import { subject } from "./subject";
import { text } from "./text";
import { ui } from "./ui";
import { workspace } from "./workspace";

/** All English texts, by folder of screens. */
export const en = { approvals, board, conversation, elements, exporting, firstRun, forms, graph, help, inspector, library, memory, models, palette, problems, records, recovery, sessions, settings, shell, subject, text, ui, workspace } as const;
