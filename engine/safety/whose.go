package safety

import (
	"slices"
	"strings"
)

// Words by which a message tells of another person, as package safety scans them: lower
// case, no accents, no apostrophes.
var (
	people = wordSet(strings.Fields(`son daughter child baby toddler boy girl grandson granddaughter brother sister mother father mum mom dad husband wife
partner boyfriend girlfriend friend flatmate roommate housemate neighbour neighbor colleague coworker cousin nephew niece uncle aunt grandmother grandfather nan gran
pupil student teenager teen man woman patient patients client clients resident residents caller pt
mr mrs ms miss mme monsieur madame fils fille enfant bebe garcon frere soeur mere pere maman papa mari femme copain copine ami amie voisin voisine collegue tante oncle
eleve ado patiente cliente residente residents grandmere grandpere`))
	thirds   = wordSet(strings.Fields(`he she his her him himself herself hes shes hed shed hell il elle son sa ses se sest sen quil quelle lui`))
	owned    = wordSet(strings.Fields(`my ma mon mes our notre nos`))
	myself   = wordSet(strings.Fields(`me myself mine us ourselves nous mest mont mas`))
	writers  = wordSet(strings.Fields(`i im ive id ill je j jai jsuis jvais jme chui moi we weve`))
	told     = wordSet(strings.Fields(`told tells telling text texts texted wrote writes called calls rang showed shows asked asks phoned dit dite confie ecrit ecrite appelle montre raconte demande parle disait dire annonce envoye`))
	watching = wordSet(strings.Fields(`am hear heard see saw seen think believe know dont cannot cant worry worried noticed called phoned asked told should need do can was found
suis lentends entends vois vu crois pense crains sais ne appelle dois lai travaille`))
	watched = wordSet(strings.Fields(`teacher nurse doctor gp carer counsellor counselor therapist midwife psychologist pharmacist paramedic social his her their worried scared afraid calling writing asking with une un son sa leur avec inquiet inquiete infirmiere infirmier medecin
psychologue educatrice educateur enseignante enseignant professeur assistante pharmacienne pharmacien interne instituteur institutrice hear see do know be is say tell make help not pas la le quoi`))
	profession = wordSet(strings.Fields(`teacher nurse doctor counsellor counselor therapist midwife psychologist paramedic infirmiere infirmier psychologue educatrice educateur enseignante enseignant professeur assistante`))
	// Where something of a person's is found: the possessives are scanned as plurals.
	rooms    = wordSet(strings.Fields(`room bedroom wardrobe closet drawer bag backpack schoolbag bed pillow mattress desk locker phone jacket pocket coat car flat`))
	bareSkin = wordSet(strings.Fields(`nue nu nues nudes`))
	articles = wordSet(strings.Fields(`a an the un une`))
	over     = wordSet(strings.Fields(`died dead passed lost funeral grave late widowed mort morte decede decedee enterrement veuf veuve
fine okay ok better happier relieved cope mieux soulage soulagee`))
)

// whose says whose danger a short message tells of where a tier that knows no persons found
// it, or a rule that took the means for the writer's own: another person's where somebody is
// named, is spoken of as he or she, and nothing of the writer is but what they hear, see and
// ask. found stays in any other case: who may speak of themselves gets the text for themselves.
func whose(text string, found Speaker) Speaker {
	if found != Self || longer(text) {
		return found
	}
	words := []string{}
	for _, t := range uncorrected.scan(text) {
		if !articles[t.word] {
			words = append(words, t.word)
		}
	}
	at := func(i int) string {
		if i < 0 || i >= len(words) {
			return ""
		}
		return words[i]
	}
	named, third := reports(text), false
	for i, w := range words {
		switch next := at(i + 1); {
		case over[w]:
			return found
		case w == "me" && next == "demande" && slices.ContainsFunc(words[i:], func(w string) bool { return bareSkin[w] }):
			return found // pictures of the writer's
		case (w == "ma" || w == "mont" || w == "me" || w == "nous") && (told[next] || next == "dire"):
			third = true
		case owned[w]:
			if owner, ok := strings.CutSuffix(next, "s"); ok && people[owner] && (rooms[at(i+2)] || rooms[at(i+3)]) {
				named = true
				continue
			}
			if !people[next] && !people[at(i+2)] {
				return found // a thing of the writer's
			}
			named = true
		case myself[w]:
			if before := at(i - 1); !told[before] && before != "to" && before != "with" {
				return found
			}
		case writers[w]:
			if w == "im" || w == "jsuis" || w == "chui" {
				if !watched[next] && !profession[at(i+2)] && !profession[at(i+3)] {
					return found
				}
			} else if before := at(i - 1); !(watching[next] && (next != "am" && next != "suis" || watched[at(i+2)])) && !slices.Contains([]string{"do", "should", "can", "dois", "fais", "puis"}, before) {
				return found
			}
		case people[w]:
			named = true
		}
		third = third || thirds[w]
	}
	if !named || !third {
		return found
	}
	if reports(text) {
		return Clinician
	}
	return Other
}

var smallOnes = wordSet(strings.Fields(`child children kid kids baby toddler son sons daughter daughters stepson stepdaughter grandson granddaughter
enfant enfants bebe fils fille filles gamin gamine petitfils petitefille`))

// TellsOfChild says that a message has a word for a child.
func TellsOfChild(text string) bool {
	return slices.ContainsFunc(uncorrected.scan(text), func(t token) bool { return smallOnes[t.word] })
}
