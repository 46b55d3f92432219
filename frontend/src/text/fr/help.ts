import type { help as english } from "../en/help";
import type { Translated } from "../language";

export const help: Translated<typeof english> = {
  inEnglishOnly: "Ce texte n’existe qu’en anglais.",
  help: "Aide",
  keys: "Touches",
  insteadOfCtrlOnAMac: "(⌘ à la place de Ctrl sur un Mac)",
};
