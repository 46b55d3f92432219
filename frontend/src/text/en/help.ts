export const help = {
  inEnglishOnly: "This text is in English only.",
  help: "Help",
  keys: "Keys",
  insteadOfCtrlOnAMac: "(⌘ instead of Ctrl on a Mac)",
} as const;
