/*
 * The words of the French screens, chosen once. The reader is addressed with "vous".
 *
 *   approval       approbation          session       session
 *   hold point     point d’arrêt        turn          tour
 *   held           retenu               stage, step   étape
 *   reviewer       valideur             way, path     chemin
 *   record         dossier              graph         graphe
 *   chart          dossier patient      journal       journal
 *   provider       praticien            digest        empreinte
 *   practitioner   professionnel        prompt        invite
 *   practice mode  mode d’entraînement  patch         apport
 *   library        bibliothèque         hook, guard   crochet, garde
 *   board          tableau              skill         compétence
 *   settings       réglages             embedding     plongement
 *   to pull        télécharger          folder        répertoire
 *   filing         dépôt                form, box     formulaire, case
 *   lease, well    concession, puits    spacing       espacement
 *   passphrase     phrase secrète       to pass on    transmettre
 *
 * Before : and within « » stands U+00A0, before ; ? ! stands U+202F; apostrophes are ’,
 * as ' quotes braces in ICU messages.
 */
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

/** All French texts: the keys of the English ones. */
export const fr = { approvals, board, conversation, elements, exporting, firstRun, forms, graph, help, inspector, library, memory, models, palette, problems, records, recovery, sessions, settings, shell, subject, text, ui, workspace };
