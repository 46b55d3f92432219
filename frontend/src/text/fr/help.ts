import type { help as english } from "../en/help";
import type { Translated } from "../language";

export const help: Translated<typeof english> = {
  help: "Aide",
  keys: "Touches",
  insteadOfCtrlOnAMac: "(⌘ à la place de Ctrl sur un Mac)",
};
