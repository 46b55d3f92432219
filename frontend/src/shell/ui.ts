import { create } from "zustand";

export type InspectorTab = "graph" | "steps" | "memory" | "detail" | "form" | "rules";
export const inspectorTabs: readonly InspectorTab[] = ["graph", "steps", "memory", "detail"];
/** Those that only some turns have; they take the next numbers. */
export const moreTabs: readonly InspectorTab[] = ["form", "rules"];

interface Ui {
  tab: InspectorTab;
  /** The turn that the inspector shows; null follows the newest. */
  turn: string | null;
  /** The stage chosen in the graph or the steps. */
  stage: string | null;
  /** The graph fills the window. */
  wholeGraph: boolean;
  /** Number of the event chosen in the steps; null for none. */
  seq: number | null;
  palette: boolean;
  help: boolean;
  /** The session whose export dialog is open, and whether it begins with the page for printing. */
  exporting: string | null;
  printing: boolean;
  /** What is looked for in the session that is shown; null while nothing is. */
  finding: string | null;
  /** On narrow windows: which pane is shown. */
  pane: "sessions" | "conversation" | "inspector";
}

/** What is open and chosen; nothing in here is worth keeping. */
export const useUi = create<Ui>(() => ({
  tab: "graph",
  turn: null,
  stage: null,
  wholeGraph: false,
  seq: null,
  palette: false,
  help: false,
  exporting: null,
  printing: false,
  finding: null,
  pane: "conversation",
}));
export const setUi = useUi.setState;
