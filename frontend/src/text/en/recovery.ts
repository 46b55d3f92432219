export const recovery = {
  stepsKept: "{kept} {kept, plural, one {step} other {steps}} kept",
  willRunAgain: "{rerun} will run again",
  unknown: "{unknown} unknown",
  interruptedTurns: "Interrupted turns",
  interrupted: "Interrupted:",
  resume: "Resume",
  inspect: "Inspect",
  abandon: "Abandon",
} as const;
