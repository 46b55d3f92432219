import outside from "../../../app/tongue/outside.json";
import printed from "../../../app/tongue/printed.json";
import { afterEach, expect, it } from "vitest";
import { ApiError, explain } from "@/api/types";
import { errorsInFrench, saidInFrench, toldInFrench } from "./fr/told";
import { keepLanguage } from "./language";
import { told, toldDetails } from "./told";

afterEach(() => keepLanguage("en"));

it("what a request would do is said in French, with its day and hour", () => {
  keepLanguage("fr");
  expect(told("Book a visit for Ana Díaz with Dr Bo on Li on Tuesday 1 December 2026 at 09:30 New York time (UTC-05:00)")).toBe(
    "Réserver une visite pour Ana Díaz avec Dr Bo on Li, mardi 1er décembre 2026 à 09:30, heure de New York (UTC-05:00)",
  );
  expect(told("Book a visit for Ana Díaz with Dr Bo on Tuesday 1 December 2026 at 09:30 New York time (UTC-05:00)")).toBe(
    "Réserver une visite pour Ana Díaz avec Dr Bo, mardi 1er décembre 2026 à 09:30, heure de New York (UTC-05:00)",
  );
  expect(told("Book a visit for A with B on Friday 7 May 2027 at 08:00 UTC (no published schedule)")).toBe("Réserver une visite pour A avec B, vendredi 7 mai 2027 à 08:00 UTC (sans horaires publiés)");
});

// "I typed ‘nothing’, and it said that there is no setting « rien »."
it("what stands in quotation marks is somebody's own words, and stays", () => {
  keepLanguage("fr");
  expect(told('There is no setting "nothing".')).toBe("Il n’y a pas de réglage «\u00a0nothing\u00a0».");
  expect(told("By words only: meanings are not indexed yet. The index is being made: not everything is found yet.")).toBe(
    "Par les mots seulement\u00a0: le sens n’est pas encore indexé. L’index est en train d’être fait\u00a0: tout n’est pas encore trouvé.",
  );
});

it("a warning within a warning is French, too", () => {
  keepLanguage("fr");
  expect(told("Another request that waits wants the same slot: “Cancel the visit of Al with Dr Bo on Friday 7 May 2027 at 08:00 UTC”.")).toBe(
    "Une autre demande en attente veut le même créneau\u00a0: «\u00a0Annuler la visite de Al avec Dr Bo, vendredi 7 mai 2027 à 08:00 UTC\u00a0».",
  );
});

it("an error, what to do and what is safe are French; what people and files are called stays", () => {
  keepLanguage("fr");
  expect(explain(new ApiError("bad_request", 'There is no time zone "Mars/Crater {0} $1".', "Write it as in Europe/London, or leave it empty for the zone of this laptop.", "Nothing was changed."))).toMatchObject({
    message: "Il n’y a pas de fuseau horaire «\u00a0Mars/Crater {0} $1\u00a0».",
    hint: "Écrivez-le sous la forme Europe/London, ou laissez-le vide pour le fuseau de cet ordinateur.",
    safe: "Rien n’a été modifié.",
  });
});

it("a screen in English says what was said", () => {
  const said = "There is a visit on that day already: Friday 7 May 2027 at 08:00 UTC.";
  expect(told(said)).toBe(said);
});

it("words of a person that look like none of ours stay, and hostile ones take no time", () => {
  keepLanguage("fr");
  expect(told("My own graph, version two")).toBe("My own graph, version two");
  const hostile = ", ; from ".repeat(5000);
  const began = performance.now();
  expect(told(hostile)).toBe(hostile);
  expect(told(hostile.slice(0, 1000))).not.toBe("");
  expect(performance.now() - began).toBeLessThan(5000);
});

it("the French of what is said is set as French is, and keeps each value", () => {
  const wrong = Object.entries({ ...saidInFrench, ...errorsInFrench, ...outside }).filter(
    ([english, french]) => / [;?!»]| :( |$)|« |\p{L}'\p{L}|[^\s\u00a0\u202f\d/][?!](?![\w}])/u.test(french) || (!(english in outside) && [...english.matchAll(/\{\d\}/g)].some(([value]) => !french.includes(value))), // a library's words may say more than a person needs
  );
  expect(wrong).toEqual([]);
  expect(Object.values(toldInFrench).filter((french) => / [;?!»]| :( |$)|« /u.test(french))).toEqual([]);
});

// "It said that my dossier of data cannot be written to: a patient's?"
it("a thing has one name in French: a folder is not a record, and what is passed on is not delegated", () => {
  const names: [RegExp, RegExp][] = [
    [/\bfolders?\b/i, /répertoire/i],
    [/(?<!--)\breviewers?\b(?![",])/i, /valideur/i],
    [/\brounds? of calls\b/i, /séries? d’appels/i],
    [/\bpass(ed)? on\b/i, /trans(mis|met)/i],
    [/\bartifacts?\b/i, /artefact/i],
  ];
  const agents = import.meta.glob<Record<string, string>>("../../../engine/agents/*/printed.json", { eager: true, import: "default" });
  const wrong = Object.entries<string>(Object.assign({}, saidInFrench, errorsInFrench, printed, ...Object.values(agents))).filter(([english, french]) => names.some(([one, other]) => one.test(english) && !other.test(french)));
  expect(wrong).toEqual([]);
});

// "The kinds of records, and the lines below their names, were English in my French program."
it("the line below a record is in French where the program wrote it, and stays where people did", () => {
  keepLanguage("fr");
  expect(toldDetails("Mesa Oil Co · API 42-135-97001 · ECTOR · horizontal · producing")).toBe("Mesa Oil Co · API 42-135-97001 · ECTOR · horizontal · en production");
  expect(toldDetails("number 00002001 · own spacing: 467 ft and not known")).toBe("numéro 00002001 · espacement propre\u00a0: 467 ft et inconnu");
  expect(told("number 5 lease road")).toBe("number 5 lease road");
  expect(told("A teenager (Companion), in practice")).toBe("Un adolescent (Compagnon), en entraînement");
});

// "My screens are French, and ‘Read fastest’ said 1.5 × Q8_0."
it("multiples and lengths have a comma in French", () => {
  keepLanguage("fr");
  expect(told("prompts in Q4_0 (at level avx2: 1.5 × Q8_0, 3.0 × Q4_1); to pull: llama3.2:3b-instruct-q4_0")).toContain("1,5 × Q8_0, 3,0 × Q4_1)\u00a0; à télécharger\u00a0: llama3.2:3b-instruct-q4_0");
});
