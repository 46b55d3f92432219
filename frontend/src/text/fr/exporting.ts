import type { exporting as english } from "../en/exporting";
import type { Translated } from "../language";

export const exporting: Translated<typeof english> = {
  markdown: "Markdown",
  readsWellAsPlainText: "se lit bien comme texte simple",
  html: "HTML",
  onePageForPrinting: "une page, pour l’impression",
  json: "JSON",
  forOtherPrograms: "pour d’autres programmes",
  savedAs: "Enregistré sous {path}.",
  exportThisSession: "Exporter cette session",
  itHoldsWhatWasSaidWhat: "Il contient ce qui a été dit, ce qui a été approuvé et par qui. Le fichier n’est pas protégé : conservez-le comme vous conservez les dossiers.",
  format: "Format",
  fromTurn: "Du tour",
  theFirst: "Le premier",
  toTurn: "Au tour",
  theLast: "Le dernier",
  includeTheTrace: "Inclure la trace",
  stagesToolsSkipReasonsTimingAnd: "étapes, outils, raisons des sauts, durées et empreintes des modèles de chaque tour",
  jsonAlwaysHasIt: "un export JSON l’a toujours",
  preview: "Aperçu",
  theExportCouldNotBeMade: "L’export n’a pas pu être fait.",
  makingTheExport: "Préparation de l’export…",
  previewOfTheExport: "Aperçu de l’export",
  print: "Imprimer",
  saveAs: "Enregistrer sous…",
  download: "Télécharger",
};
