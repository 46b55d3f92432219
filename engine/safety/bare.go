package safety

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// bareWords name nobody's danger, however they are put together: they point, join, count, deny
// or tell a time of day. What a person wants, can, does or suffers is not among them, nor is
// what they are or no longer are. Accents are dropped and apostrophes divide.
var bareWords = wordSet(strings.Fields(`
		a an the and or but so if of at in on to for from by with about then well maybe perhaps
		i he she it we they you what who when where which how why this that these those
		no not yes yeah nope nah ok okay idk dunno know dont don t s say says said really sure
		every each some few many most all day days night nights evening evenings morning mornings afternoon
		week weeks weekend month months year years today yesterday since during before after always often
		sometimes usually never one two three four five six seven eight nine ten
		je j tu il elle on nous vous ils elles ce c cela ca qui que qu quoi quand ou comment pourquoi
		le la les l un une des du de d et mais si s y en au aux a dans sur pour par avec sans vers
		non oui ouais nan ne n pas sais sait savoir jsp jsais chais dit dis dire peutetre peut etre vraiment trop
		jour jours journee nuit nuits soir soirs soiree matin matins matinee midi semaine semaines mois an ans annee annees
		wsh wesh frr lol mdr ptdr xd bro pa jsais bah ben euh hein quoi
		hier aujourdhui aujourd hui depuis pendant avant apres toujours souvent parfois jamais tous toutes tout chaque
		quelques deux trois quatre cinq sept huit neuf dix environ im am year old ai age`))

// politeWords thank, greet and take leave. A farewell to people is more than that: nobody and
// nothing that is left is among them.
var politeWords = wordSet(strings.Fields(`
		thanks thank thx ty cheers you u very much so lot lots a and for the your advice help helping helped helpful useful time listening
		that thats that's s it was is great good nice lovely cool super perfect fine ok okay yes yeah no hi hello hey
		have day night evening afternoon weekend morning bye goodbye later see soon tomorrow next week talk speak to cya ttyl ya now i ll try im done
		merci mercii beaucoup bien bcp pour tes vos ton votre conseil conseils l aide utile et c ca cetait etait est cest gentil sympa de m avoir ecoute aide
		bonjour bonsoir salut coucou ciao bonne bon belle nuit soiree journee fin week end weekend au revoir a bientot plus tard tout heure demain la
		prochaine fois oui non d accord daccord dac ok okay parfait genial top je vais essayer vous toi te`))

// asks begin a question about what to do, and seeking are what such a question holds besides bare words.
var (
	asks    = wordSet(strings.Fields("que qu quoi comment what how"))
	seeking = wordSet(strings.Fields("faire fais puis peux peut dois doit devrais devrait est do can could should do does"))
)

// rest are words of who lies awake; with bare ones around them and one of sleep they say that and no more.
var (
	sleep = wordSet(strings.Fields("sleep sleeping asleep jdors jdort dormir dors dormi endormir mendormir rendormir sommeil insomnie insomnies"))
	rest  = wordSet(strings.Fields("cant cannot can get got getting to again anymore back fall falling havent having trouble arrive arrives jarrive narrive arrivais plus rien du tout encore presque mal bien assez m"))
)

// leave are words that take leave; with any other word than polite ones they may be for good.
var leave = wordSet(strings.Fields("bye goodbye revoir cya adieu"))

// mostBare and mostPolite are how many words such a message has.
const mostBare, mostPolite = 8, 12

// bare says that a short message has no other words: "at night", "et s'il dit non ?". It answers
// a question or asks one. The encoder puts some of them close to what people in danger wrote,
// for their shape; on that alone nobody is asked whether they are safe.
func bare(text string) bool {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(text))
	words := strings.FieldsFunc(strings.ToLower(plain), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	leaves := slices.ContainsFunc(words, func(word string) bool { return leave[word] })
	digits := func(word string) bool { return strings.Trim(word, "0123456789") == "" }
	other := func(set map[string]bool) bool {
		return slices.ContainsFunc(words, func(word string) bool { return !set[word] && !digits(word) })
	}
	if len(words) <= mostBare+2 {
		asked, seeks, sleeps := false, true, false
		awake := true
		for i, word := range words {
			seeks = seeks && (bareWords[word] || digits(word) || asked && seeking[word])
			awake = awake && (bareWords[word] || digits(word) || rest[word] || sleep[word])
			// “I don't know how to do it” may be about the one thing.
			asked, sleeps = asked || i == 0 && asks[word] || word == "quoi" || word == "what", sleeps || sleep[word]
		}
		if asked && seeks || sleeps && awake {
			return true
		}
	}
	return len(words) <= mostBare && !leaves && !other(bareWords) || len(words) <= mostPolite && !other(politeWords)
}
