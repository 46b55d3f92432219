package turn

import (
	"strings"

	"holdpoint/engine/graph"
	"holdpoint/engine/lazyregexp"
	"holdpoint/engine/ledger"
)

// outcome is what became of the changes that people were asked about in a turn.
type outcome struct {
	// asked says that there were some, made that one was made or may have been, and left that the last one
	// of a tool was not: a person said no, it ran out, or it could not be done.
	asked, made, left bool
}

func outcomeOf(t *graph.Task) (o outcome, err error) {
	last := map[string]ledger.Entry{}
	err = graph.View(t, func(tx interface {
		Entries(turn string, fn func(ledger.Entry) (bool, error)) error
	}) error {
		return tx.Entries(t.Run.Turn, func(e ledger.Entry) (bool, error) {
			o.asked, o.made = true, o.made || happened(e.State)
			if was, ok := last[e.Tool]; !ok || !was.UpdatedAt.After(e.UpdatedAt) {
				last[e.Tool] = e
			}
			return true, nil
		})
	})
	for _, e := range last {
		o.left = o.left || !happened(e.State)
	}
	return o, err
}

// happened says that a change was made, or may have been.
func happened(s ledger.State) bool {
	return s == ledger.Committed || s == ledger.Started || s == ledger.Unknown
}

// Undone is a reply with a line behind it where a change that a person was asked about, or wished for, came to
// nothing and the reply does not say so. nothing is that line, as for "nothing was changed in this turn".
func Undone(t *graph.Task, reply string, wished bool, nothing string) string {
	o, err := outcomeOf(t)
	switch {
	case err != nil || SaysUndone(reply):
		return reply
	case o.made && o.left:
		nothing = Tongue(t).Say("Not all that was proposed in this turn was done: see above what became of each.")
	case o.made || !o.asked && !wished:
		return reply
	}
	return strings.TrimRight(reply, " \n") + "\n\n" + nothing
}

// SaysUndone says that a reply tells plainly that something was not done: “nothing was booked”, « je n'ai rien noté ».
func SaysUndone(reply string) bool {
	for rest := plainly(reply); rest != ""; {
		end := len(rest)
		if at := endOfSentence.FindStringIndex(rest); at != nil {
			end = at[1]
		}
		var s string
		if s, rest = strings.TrimSpace(rest[:end]), rest[end:]; strings.HasSuffix(s, "?") || onlyWhen.MatchString(s) {
			continue
		}
		if saysUndone.MatchString(s) || ditUndone.MatchString(s) {
			return true
		}
	}
	return false
}

const (
	didEN = `(?:booked|scheduled|rescheduled|reserved|cancell?ed|moved|changed|made|written|wrote|added|saved|recorded|noted|documented|filed|done|carried out|executed|created|deleted|removed|updated|sent|submitted|arranged|set up)`
	doEN  = `(?:book|schedule|reschedule|reserve|cancel|move|change|make|write|add|save|record|note|document|file|do|carry out|create|delete|remove|update|send|submit|arrange|set up)`
	didFR = `(?:réservée?s?|planifiée?s?|programmée?s?|annulée?s?|déplacée?s?|reportée?s?|modifiée?s?|changée?s?|écrite?s?|ajoutée?s?|enregistrée?s?|notée?s?|inscrite?s?|consignée?s?|faite?s?|effectuée?s?|créée?s?|supprimée?s?|envoyée?s?|déposée?s?|prise?s?|fixée?s?)`
	doFR  = `(?:réserver|planifier|programmer|annuler|déplacer|reporter|modifier|changer|écrire|ajouter|enregistrer|noter|inscrire|consigner|faire|effectuer|créer|supprimer|envoyer|déposer|prendre|fixer)`
	// Letters with accents are no word characters of \b.
	fromFR, toFR = `(?:^|[^\pL])`, `(?:[^\pL]|$)`
)

var (
	saysUndone = lazyregexp.New(`\b(?:nothing|none of (?:it|this|that|them)|no (?:[\pL-]+ ){1,4}?)\b[^.;:]{0,40}?\b(?:was|were|is|are|has|have|had|will be|got|could be|can be)\b[^.;:]{0,30}?\b` + didEN + `\b|` +
		`\b(?:(?:was|were|is|are|has|have|had|could|can|did|would) ?(?:not|n't|never)|cannot)\b(?: yet| been| be| actually| therefore| so far| get| go ahead and)* (?:` + didEN + `|` + doEN + `)\b|` +
		`\b(?:i|we)(?:'ve| have)? (?:\pL+ )?(?:` + didEN + `) nothing\b|\b(?:nothing|no change) (?:has |was |is |had )?(?:happened|changed)\b|\b(?:unable|failed|not able|not possible) to ` + doEN + `\b|\bwithout (?:booking|changing|cancelling|adding|saving|writing) (?:it|anything)\b`)
	ditUndone = lazyregexp.New(fromFR + `rien (?:n'|ne )[^.;:]{0,30}?` + didFR + toFR + `|` + fromFR + `(?:n'(?:ai|a|avons|ont|est|était|étaient)|ne (?:sont|fut|peux|peut|pouvons|pourra|sera)) (?:\pL+ )?(?:pas|rien|jamais|aucune?)(?: \pL+)? (?:été |être |pu |encore )*(?:` + didFR + `|` + doFR + `)` + toFR + `|` +
		fromFR + `aucune? [^.;:]{0,40}?(?:n'|ne )[^.;:]{0,30}?` + didFR + toFR + `|` + fromFR + `(?:n'(?:ai|avons)|ne) (?:pas )?(?:rien )?pu ` + doFR + toFR + `|` + fromFR + `n'a pas pu être ` + didFR + toFR)
	// onlyWhen leaves open what happens.
	onlyWhen = lazyregexp.New(`^\W*(?:if|unless|until|before|once|when|as long as|si|s'il|tant que|avant|lorsqu\pL*|quand) `)
)
