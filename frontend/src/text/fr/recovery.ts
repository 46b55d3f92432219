import type { recovery as english } from "../en/recovery";
import type { Translated } from "../language";

export const recovery: Translated<typeof english> = {
  stepsKept: "{kept} {kept, plural, one {étape du graphe conservée} other {étapes du graphe conservées}}",
  willRunAgain: "{rerun} s’exécuteront de nouveau",
  unknown: "{unknown} inconnus",
  interruptedTurns: "Tours interrompus",
  interrupted: "Interrompu :",
  resume: "Reprendre",
  inspect: "Inspecter",
  abandon: "Abandonner",
  leftOut: "Endommagé, et laissé hors des listes :",
  checkSays: "holdpoint check dit ce qui peut être fait pour chacun.",
};
