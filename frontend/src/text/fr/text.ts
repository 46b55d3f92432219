import type { text as english } from "../en/text";
import type { Translated } from "../language";

export const text: Translated<typeof english> = {
  linkNotOpened: "(lien non ouvert : {href})",
  imageNotLoaded: "[image non chargée",
  table: "Tableau",
  inUnderAMinute: "dans moins d’une minute",
  underAMinuteAgo: "il y a moins d’une minute",
  justNow: "à l’instant",
  ms: "{n} ms",
  s: "{n} s",
  minS: "{min} min {s} s",
  hMin: "{h} h {min} min",
  dH: "{d} j {h} h",
  bytes: "o ko Mo Go To",
  zoneTime: "heure de {place}",
  moment: "{day} à {time}, {zone}",
  fromUntil: "{from} – {until}",
  span: "{day}, de {from} à {until}, {zone}",
  charactersThatTurnTheReadingDirection: "Des caractères qui inversent le sens de lecture sont cachés dans ce texte.",
  invisibleCharactersAreHiddenInThis: "Des caractères invisibles sont cachés dans ce texte.",
  controlCharactersAreHiddenInThis: "Des caractères de contrôle sont cachés dans ce texte.",
  unusualSpacesAreInThisText: "Des espaces inhabituelles se trouvent dans ce texte.",
  lettersThatImitateOthersMixedScripts: "Des lettres qui en imitent d’autres (écritures mêlées) se trouvent dans ce texte.",
};
