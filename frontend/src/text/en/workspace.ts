export const workspace = {
  sessions: "Sessions",
  conversation: "Conversation",
  inspector: "Inspector",
  thisConversation: "This conversation",
  chooseASessionOrStartOne: "Choose a session, or start one",
  newSession: "New session",
  theAgentReadsRecordsAnswersAnd: "The agent reads records, answers, and stops before it changes anything.",
  theInspector: "The inspector",
  widthOfTheSessions: "Width of the sessions",
  widthOfTheInspector: "Width of the inspector",
  panes: "Panes",
} as const;
