export const recovery = {
  stepsKept: "{kept} {kept, plural, one {step} other {steps}} kept",
  willRunAgain: "{rerun} will run again",
  unknown: "{unknown} unknown",
  interruptedTurns: "Interrupted turns",
  interrupted: "Interrupted:",
  resume: "Resume",
  inspect: "Inspect",
  abandon: "Abandon",
  leftOut: "Damaged, and left out of lists:",
  checkSays: "holdpoint check says what can be done about each.",
} as const;
