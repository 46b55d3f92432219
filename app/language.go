package app

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"

	"holdpoint/engine/record"
)

// languages are those that screens and exports have.
var languages = []string{"en", "fr"}

// systemLanguage is that of this machine, as its environment says; English when that is
// none of ours.
func systemLanguage() string {
	locale, _, _ := strings.Cut(cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG")), ".")
	base, _ := language.Make(strings.ReplaceAll(locale, "_", "-")).Base()
	if slices.Contains(languages, base.String()) {
		return base.String()
	}
	return languages[0]
}

// languageFor is the one that was asked for, else that of the settings, else the system's.
func (a *App) languageFor(asked string) (string, error) {
	if asked != "" && !slices.Contains(languages, asked) {
		return "", Bad(fmt.Sprintf("Holdpoint does not speak %q.", asked), "Languages are en and fr.")
	}
	s, err := a.Settings()
	return cmp.Or(asked, s.Language, systemLanguage()), err
}

// tongue says the program's own words in a language, "fr" or English. What people, models
// and records said stays as they said it.
type tongue string

// say fills a format of package fmt, in the language. Its French has plain spaces only: an
// export marks every other one, whoever wrote it.
func (t tongue) say(format string, values ...any) string {
	if t == "fr" {
		format = cmp.Or(inFrench[format], format)
	}
	if len(values) == 0 {
		return format
	}
	return fmt.Sprintf(format, values...)
}

// moment is record.Moment in the language.
func (t tongue) moment(at time.Time) string {
	if t != "fr" {
		return record.Moment(at)
	}
	day := fmt.Sprint(at.Day())
	if at.Day() == 1 {
		day = "1er"
	}
	zone := at.Format("UTC-07:00")
	switch name := at.Location().String(); {
	case name == "UTC" || name == "Etc/UTC":
		zone = "UTC"
	case name == "" || name == "Local" || strings.HasPrefix(name, "Etc/"):
	default:
		if place := name[strings.LastIndex(name, "/")+1:]; place != name {
			name = "heure de " + strings.ReplaceAll(place, "_", " ")
		}
		zone = name + " (" + zone + ")"
	}
	return fmt.Sprintf("%s %s %s %d à %s, %s", frenchDays[at.Weekday()], day, frenchMonths[at.Month()-1], at.Year(), at.Format("15:04"), zone)
}

var (
	frenchDays   = []string{"dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"}
	frenchMonths = []string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"}
)

// inFrench are the words of exports by their English ones.
var inFrench = map[string]string{
	SafetyLine: "Aide à la décision, pas un diagnostic. En cas d’urgence, appelez votre numéro d’urgence local.",
	"PRACTICE: a script answered, not a model.": "ENTRAÎNEMENT : un script a répondu, pas un modèle.",
	"Practice: a script answered, not a model.": "Entraînement : un script a répondu, pas un modèle.",
	"session":                               "session",
	"agent":                                 "agent",
	"exported: %s by %s":                    "exporté : %s par %s",
	"Session":                               "Session",
	"Agent":                                 "Agent",
	"Exported":                              "Exporté",
	"%s by %s":                              "%s par %s",
	"Note":                                  "Note",
	"Turn %d — %s":                          "Tour %d — %s",
	"agent %s, model %s":                    "agent %s, modèle %s",
	"agent %s":                              "agent %s",
	"model %s":                              "modèle %s",
	"used %s":                               "utilisé : %s",
	"%d of %d steps":                        "%d étapes sur %d",
	"%d tokens":                             "%d tokens",
	"%d of %d tokens":                       "%d tokens sur %d",
	"cost %g":                               "coût %g",
	"%d changes of the graph":               "%d modifications du graphe",
	"%s under way":                          "%s de travail",
	"%s, pattern %s":                        "%s, schéma %s",
	"Person":                                "Personne",
	"Holdpoint (put together by the graph)": "Holdpoint (composé par le graphe)",
	"Holdpoint (reviewed text)":             "Holdpoint (texte relu)",
	"Holdpoint (practice script, no model)": "Holdpoint (script d’entraînement, sans modèle)",
	"%s, a very small model: check what it says against the record": "%s, un très petit modèle : vérifiez ce qu’il dit dans le dossier",
	"%s — unfinished": "%s — inachevé",
	"Hold point":      "Point d’arrêt",
	"%s\n%s: approval %s of tool %s, call %s, policy %s\nRequested %s, expires %s": "%s\n%s : approbation %s de l’outil %s, appel %s, politique %s\nDemandée %s, expire %s",
	"arguments": "arguments", "digest": "empreinte", "original": "original", "its digest": "son empreinte", "record": "dossier", "before": "avant", "after": "après",
	"Verdict": "Verdict", "unreadable": "illisible", "Refused": "Refusé", "Done": "Fait", "%s was carried out": "%s a été exécuté", "Not done": "Non fait", "Failed": "Échec",
	"Stopped": "Arrêté", "by a person": "par une personne", "Abandoned": "Abandonné", "Waiting": "En attente", "for a person": "d’une personne", "Resumed": "Repris",
	"Question": "Question", "Answer": "Réponse", "Graph changed": "Graphe modifié", "Graph change refused": "Modification du graphe refusée", "Rule": "Règle", "Guard": "Garde",
	"Skill": "Compétence", "Searched": "Recherche", "Hypothesis": "Hypothèse", "Conflict": "Conflit", "Retried": "Réessayé", "Safety": "Sécurité", "Reused": "Réutilisé",
	"Skipped": "Sauté", "Hook failed": "Crochet en échec", "Warning": "Avertissement",
	"%s gave it %g more of %s": "%s a accordé %g de plus sur %s", "Reminded": "Rappelé", "nobody decided yet": "personne n’a encore décidé",
	"; a decision is wanted by %s": " ; une décision est attendue pour le %s", "Escalated": "Transmis plus haut", "%s may decide as well from now on": "%s peut désormais décider aussi",
	"Passed on": "Délégué", "%s lets %s decide as well": "%s laisse %s décider aussi",
	"the step limit": "la limite d’étapes", "the autonomous step limit": "la limite d’étapes autonomes", "the limit of rounds in one stage": "la limite de tours dans une étape", "the limit of changes to the graph": "la limite de modifications du graphe",
	"the token limit": "la limite de tokens", "the cost limit": "la limite de coût", "the time limit": "la limite de temps",
	// states of turns, and verdicts
	"completed": "terminé", "running": "en cours", "paused": "retenu", "failed": "en échec", "cancelled": "arrêté", "limited": "à une limite", "abandoned": "abandonné",
	"interrupted": "interrompu", "approved": "approuvé", "rejected": "rejeté", "modified": "modifié", "expired": "expiré", "used": "exécuté",
	// kinds of events in a trace
	"Stage started": "Étape commencée", "Stage completed": "Étape terminée", "Transition": "Transition", "Checkpoint saved": "Point de reprise enregistré",
	"Phase started": "Phase commencée", "Phase completed": "Phase terminée", "Tool started": "Outil commencé", "Tool completed": "Outil terminé",
	"Model called": "Modèle appelé", "Observed": "Observé", "Stage output": "Sortie de l’étape", "Tool failed": "Outil en échec",
}
