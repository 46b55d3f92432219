import type { subject as english } from "../en/subject";
import type { Translated } from "../language";

export const subject: Translated<typeof english> = {
  kindOfRecord: "Genre de dossier",
  search: "Rechercher : {titles}",
  searchByName: "Rechercher par nom : {titles}",
  theFirstAreShown: "Les {choices} premiers sont affichés.",
  ofAreShown: "{choices} sur {total, number} sont affichés.",
  typeMoreOfTheNameOr: "Tapez-en davantage, ou",
  showMore: "En afficher plus",
  theBirthDate: "la date de naissance.",
  noHasThisName: "Rien de ce nom ({type}).",
  noYetImportRecordsOrLoad: "{titles} : rien pour l’instant. Importez des dossiers, ou chargez la clinique d’exemple, sur l’écran Dossiers.",
  noPatientOrCase: "Aucun patient ni cas",
  pastVisit: "visite passée",
  practitionersRole: "rôle de professionnel",
  note: "note",
  allergy: "allergie",
  problem: "problème",
};
