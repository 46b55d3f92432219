export const help = {
  help: "Help",
  keys: "Keys",
  insteadOfCtrlOnAMac: "(⌘ instead of Ctrl on a Mac)",
} as const;
