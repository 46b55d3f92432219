import type { workspace as english } from "../en/workspace";
import type { Translated } from "../language";

export const workspace: Translated<typeof english> = {
  sessions: "Sessions",
  conversation: "Conversation",
  inspector: "Inspecteur",
  thisConversation: "Cette conversation",
  chooseASessionOrStartOne: "Choisissez une session, ou commencez-en une",
  newSession: "Nouvelle session",
  theAgentReadsRecordsAnswersAnd: "L’agent lit les dossiers, répond, et s’arrête avant de modifier quoi que ce soit.",
  theInspector: "L’inspecteur",
  widthOfTheSessions: "Largeur des sessions",
  widthOfTheInspector: "Largeur de l’inspecteur",
  panes: "Volets",
};
