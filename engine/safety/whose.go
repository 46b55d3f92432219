package safety

import (
	"slices"
	"strings"

	"holdpoint/engine/lazyregexp"
)

// Words by which a message tells of another person, as package safety scans them: lower
// case, no accents, no apostrophes.
var (
	people = wordSet(strings.Fields(`son daughter child baby toddler boy girl grandson granddaughter brother sister mother father mum mom dad husband wife
partner boyfriend girlfriend friend flatmate roommate housemate neighbour neighbor colleague coworker cousin nephew niece uncle aunt grandmother grandfather nan gran
pupil student teenager teen man woman patient patients client clients resident residents caller pt
mr mrs ms miss mme monsieur madame fils fille enfant bebe garcon frere soeur mere pere maman papa mari femme copain copine ami amie voisin voisine collegue tante oncle
eleve ado patiente cliente residente residents grandmere grandpere kid kids children sons daughters stepson stepdaughter twin twins enfants ados gamin gamine gosse petitfils petitefille jumeau jumelle pote copains mec meuf frangin frangine cousine
oldest eldest youngest aine ainee cadet cadette grandma grandpa granny grandad nana nanny mamie papi papy mamy`))
	thirds   = wordSet(strings.Fields(`he she his her him himself herself hes shes hed shed hell il elle son sa ses se sest sen quil quelle lui`))
	owned    = wordSet(strings.Fields(`my ma mon mes our notre nos`))
	myself   = wordSet(strings.Fields(`me myself mine us ourselves nous mest mont mas`))
	writers  = wordSet(strings.Fields(`i im ive id ill je j jai jsuis jvais jme chui moi we weve`))
	told     = wordSet(strings.Fields(`told tells telling text texts texted wrote writes called calls rang showed shows asked asks phoned dit dite confie ecrit ecrite appelle montre raconte demande parle disait dire annonce envoye`))
	says     = wordSet(strings.Fields(`says said say tells told texts texted wrote writes messaged thinks feels dit disait repete ecrit raconte confie pense`))
	spokenTo = wordSet(strings.Fields(`me ma nous lui just a mont`))
	watching = wordSet(strings.Fields(`am hear heard see saw seen think believe know dont cannot cant worry worried noticed called phoned asked told should need do can was found read overheard discovered fear suspect wonder
suis lentends entends vois vu crois pense crains sais ne appelle dois lai travaille lu entendu minquiete minquiet`))
	watched = wordSet(strings.Fields(`teacher nurse doctor gp carer counsellor counselor therapist midwife psychologist pharmacist paramedic social his her their worried scared afraid terrified anxious concerned desperate lost calling writing asking with une un son sa leur avec inquiet inquiete inquiets inquietes infirmiere infirmier medecin perdue perdu desemparee desempare demunie demuni demunis terrifiee terrifie angoissee angoisse
psychologue educatrice educateur enseignante enseignant professeur assistante pharmacienne pharmacien interne instituteur institutrice hear see do know be is say tell make help not pas la le quoi`))
	profession = wordSet(strings.Fields(`teacher nurse doctor counsellor counselor therapist midwife psychologist paramedic infirmiere infirmier psychologue educatrice educateur enseignante enseignant professeur assistante`))
	// Where something of a person's is found: the possessives are scanned as plurals.
	rooms    = wordSet(strings.Fields(`room bedroom wardrobe closet drawer bag backpack schoolbag bed pillow mattress desk locker phone jacket pocket coat car flat`))
	bareSkin = wordSet(strings.Fields(`nue nu nues nudes`))
	articles = wordSet(strings.Fields(`a an the un une`))
	// such stand between a possessive and whom it names, and adverbs before how a writer feels.
	such    = wordSet(strings.Fields(`teenage teen little big older younger elder best dear poor own step ex year years yr yrs old yo only middle ado petit petite grand grande jeune cher chere propre plus deux trois two three`))
	adverbs = wordSet(strings.Fields(`so really very just also quite extremely desperately honestly deeply getting starting truly pretty tres trop vraiment tellement assez super hyper plutot aussi un peu`))
	// workplaces are where a professional meets those they look after.
	workplaces = wordSet(strings.Fields(`counter room clinic office ward shift desk practice unit service cabinet bureau comptoir`))
	// feared is who a fear is for.
	feared = wordSet(strings.Fields(`for pour`))
	// wards are those whom somebody looks after at work.
	wards = wordSet(strings.Fields(`patient patients patiente patientes pt client clients cliente clientes resident residents residente residentes caller`))
	over  = wordSet(strings.Fields(`died dead passed lost funeral grave late widowed mort morte decede decedee enterrement veuf veuve
fine okay ok better happier relieved cope mieux soulage soulagee`))
)

// whose says whose danger a short message tells of where a tier that knows no persons found
// it, or a rule that took the means for the writer's own: another person's where somebody is
// named, is spoken of as he or she, and nothing of the writer is but what they hear, see and
// ask. found stays in any other case: who may speak of themselves gets the text for themselves. Of
// one who writes about a child of theirs, as a parent does to an agent for parents, “she” is that child.
func whose(text string, found Speaker, ofChild bool) Speaker {
	switch {
	case found == Other && reports(text):
		return Clinician // the meaning tier knows no professions
	case found != Clinician && !longer(text) && (found == Other && ofNobodyElse(text, true) || addressed.MatchString(text) && ofNobodyElse(addressed.ReplaceAllString(text, " "), false)):
		return Self
	case found != Self || longer(text):
		return found
	}
	words := []string{}
	for _, t := range uncorrected.scan(text) {
		if !articles[t.word] {
			words = append(words, strings.ReplaceAll(t.word, "œ", "oe"))
		}
	}
	at := func(i int) string {
		if i < 0 || i >= len(words) {
			return ""
		}
		return words[i]
	}
	if wards[at(0)] && !slices.ContainsFunc(words, func(w string) bool { return writers[w] || myself[w] || owned[w] }) {
		return Clinician // as a record is written: “Patient suicidal”
	}
	work := reports(text)
	named, third := work || ofChild, false
	for i, w := range words {
		switch next := at(i + 1); {
		case over[w] && !ongoing(at(i-1), w, next):
			return found
		case w == "me" && next == "demande" && slices.ContainsFunc(words[i:], func(w string) bool { return bareSkin[w] }):
			return found // pictures of the writer's
		case (w == "ma" || w == "mont" || w == "me" || w == "nous") && (told[next] || next == "dire"):
			third = true
		case owned[w]:
			if owner, ok := strings.CutSuffix(next, "s"); ok && people[owner] && (rooms[at(i+2)] || rooms[at(i+3)]) {
				named = true
				third = third || smallOnes[owner]
				continue
			}
			k := i + 1
			for such[at(k)] || at(k) != "" && strings.Trim(at(k), "0123456789yo") == "" {
				k++
			}
			who, aged := at(k), ofAge.MatchString(strings.Join(words[i+1:k], " "))
			if !people[who] {
				who = at(i + 2)
			}
			if !people[who] && work && workplaces[next] {
				continue
			}
			if !people[who] && !aged {
				return found // a thing of the writer's
			}
			named = true
			third = third || aged || smallOnes[who] || wards[who]
		case w == "nous" && (next == "sommes" || next == "avons"):
			if !onlyWatches(words, i, ofChild) {
				return found
			}
		case myself[w]:
			if before := at(i - 1); !told[before] && before != "to" && before != "with" {
				return found
			}
		case w == "moi" && slices.Contains([]string{"devant", "avec", "chez"}, at(i-1)): // “j'ai …” says more
		case writers[w]:
			if !onlyWatches(words, i, ofChild) {
				return found
			}
		case people[w]:
			named = true
		case says[w] && (thirds[at(i-1)] || spokenTo[at(i-1)] && thirds[at(i-2)]):
			named = true // “he told me there's no point”
		}
		third = third || thirds[w]
	}
	if !named || !third {
		return found
	}
	if work {
		return Clinician
	}
	return Other
}

// addressed is whom a message speaks to by what they are to the writer: “…, maman”.
var addressed = lazyregexp.New(`(?i)(?:^|[,;:.!?…] ?|\b(?:adieu|goodbye|pardon|sorry|bye) )(?:ma |mon |ma petite |mon petit |my |dear )?(?:maman|papa|mamie|papi|papy|mamy|mum|mom|mummy|mommy|dad|daddy|gran|granny|nan|nana|grandma|grandpa|grandad|brother|sister|bro|sis|frere|frère|soeur|sœur|frangin|frangine|fils|fille|son|daughter|mon amour|my love)(?: (?:chérie?|adorée?|darling))?(?:$|[,;:.!?…])`)

// ofNobodyElse says that a message has words for its writer, where it must be written so, and for nobody else, and calls nothing but medicines theirs:
// whatever found danger in it, it is the writer's.
func ofNobodyElse(text string, written bool) bool {
	words := scanned(text)
	writer := !written
	for i, w := range words {
		we := i > 0 && (words[i-1] == "on" || words[i-1] == "nous")
		one, _ := strings.CutSuffix(w, "s")
		switch {
		case people[w] || people[one] || somebodyElse[w] || thirds[w] && !(we && (w == "se" || w == "sest")):
			return false
		case owned[w] && !slices.ContainsFunc(words[i+1:min(i+4, len(words))], func(w string) bool { return remedies[w] }):
			return false
		}
		writer = writer || writers[w] || owned[w] || w == "me" || we
	}
	return writer
}

var (
	somebodyElse = wordSet(strings.Fields(`they them their theyre theyve somebody someone anybody anyone people person persons parents colleagues others lady gentleman guy guys bloke lad lass girlfriends ils elles eux leur leurs quelquun personne gens dame jeune type gars homme femme teacher doctor nurse coloc bff mate mates aide aides carer carers orderly aidesoignant aidesoignante soignant soignante user users tenant tenants caller callers customer customers usager usagere usagers usageres beneficiaire beneficiaires locataire locataires`))
	remedies     = wordSet(strings.Fields(`pills pill tablets meds medication medicines patches morphine fentanyl capsules insulin sleepers patchs cachets comprimes medicaments medocs somniferes gelules morphine insuline plaquettes boites ampoules`))
)

// ongoing says that a word of over tells of nothing that is over: “better off without him”, “wants to be dead”.
func ongoing(before, word, next string) bool {
	switch word {
	case "better":
		return next == "off"
	case "mieux":
		return next == "sans"
	case "lost":
		return slices.Contains([]string{"im", "am", "are", "so", "completely", "totally"}, before)
	case "dead":
		return slices.Contains([]string{"be", "off", "were", "was", "him", "her"}, before)
	case "mort", "morte":
		return slices.Contains([]string{"la", "de", "etre", "se", "a", "sa", "donner"}, before)
	}
	return false
}

// onlyWatches says that the writer, named at i, only sees, hears, fears for somebody, asks or is whom they look after.
func onlyWatches(words []string, i int, ofChild bool) bool {
	at := func(i int) string {
		if i < 0 || i >= len(words) {
			return ""
		}
		return words[i]
	}
	after := func(k int) int {
		for adverbs[at(k)] {
			k++
		}
		return k
	}
	w, k := words[i], after(i+1)
	next := at(k)
	switch {
	case w == "im" || w == "jsuis" || w == "chui" || next == "am" || next == "suis" || w == "we" && next == "are" || w == "nous" && next == "sommes":
		if next == "am" || next == "suis" || next == "are" || next == "sommes" {
			k = after(k + 1)
		}
		return watched[at(k)] || profession[at(k+1)] || profession[at(k+2)] || ofChild && kin[at(k)]
	case w == "jai" && next == "peur", w == "j" && next == "ai" && at(k+1) == "peur":
		k = slices.Index(words[k:], "peur") + k + 1
		return feared[at(k)] || ofChild && (at(k) == "quil" || at(k) == "quelle")
	case next == "cant" || next == "cannot" || next == "dont" || next == "ne":
		return unable[at(k+1)]
	case watching[next], w == "jai" && learnt[next], next == "avons" && learnt[at(k+1)]:
		return true
	}
	return slices.Contains([]string{"do", "should", "can", "dois", "fais", "puis"}, at(i-1))
}

// unable is what a writer cannot do for somebody, or does not know of them: “I can't go on” is about themselves.
var unable = wordSet(strings.Fields(`know understand reach get find see think believe wake tell hear recognise recognize make stop help let give trust sais comprends reconnais crois trouve vois retrouve`))

// learnt is what one has seen or found out, ofAge whom a writer calls by an age: “my 14 year old”.
var (
	learnt = wordSet(strings.Fields(`trouve decouvert remarque constate surpris appris demande parle appele`))
	ofAge  = lazyregexp.New(`\d (?:years?|yrs?|y)(?: o(?:ld)?)?$|\dyo$|\d yo$`)
)

// kin is what parents call themselves.
var kin = wordSet(strings.Fields(`mum mom mother dad father parent maman papa mere pere parents`))

var smallOnes = wordSet(strings.Fields(`child children kid kids baby toddler son sons daughter daughters stepson stepdaughter grandson granddaughter
enfant enfants bebe fils fille filles gamin gamine petitfils petitefille oldest eldest youngest aine ainee cadet cadette`))

// doers are those of smallOnes who are grown up where they are the ones who strike (“his son hits him”), and striking what
// follows such a word then.
var (
	doers    = wordSet(strings.Fields(`son sons daughter daughters stepson stepdaughter grandson granddaughter fils fille filles petitfils petitefille`))
	striking = wordSet(strings.Fields(`hit hits hitting beat beats beating slap slaps slapped punch punches punched kick kicks kicked pushes shoves bat tape frappe cogne gifle bouscule menace`))
)

// TellsOfOwn says that a message calls somebody family or a friend of the writer's, or its writer somebody's: “my son”, “je suis
// sa mère”. Such a person writes as one close to whom they tell of, whoever wrote before.
func TellsOfOwn(text string) bool {
	words := scanned(strings.NewReplacer("œ", "oe", "Œ", "oe").Replace(text))
	for i, w := range words {
		next := words[i+1 : min(i+3, len(words))]
		close := func(w string) bool { return ofOwn[w] || ofOwn[strings.TrimSuffix(w, "s")] }
		if owned[w] && slices.ContainsFunc(next, close) {
			return true
		}
	}
	return closeTo.MatchString(" " + strings.Join(words, " ") + " ")
}

var closeTo = lazyregexp.New(` (?:im|i am|je suis|jsuis|cest) (?:his|her|their|the|sa|son|leur|la|le) (?:\w+ )?(?:mother|father|mum|mom|dad|parent|wife|husband|partner|sister|brother|son|daughter|friend|mere|pere|maman|papa|femme|mari|compagne|compagnon|soeur|frere|fille|fils|amie?) `)

// TellsOfChild says that a message has a word for a child.
func TellsOfChild(text string) bool {
	tokens := uncorrected.scan(text)
	for i, t := range tokens {
		next := tokens[i+1 : min(i+4, len(tokens))]
		if smallOnes[t.word] && !(doers[t.word] && slices.ContainsFunc(next, func(o token) bool { return striking[o.word] })) {
			return true
		}
	}
	return false
}

// ofBody says whose body an emergency is in: another's where somebody is named or spoken of, and the writer's own
// is not.
func ofBody(text string) Speaker {
	words := scanned(strings.NewReplacer("œ", "oe", "Œ", "oe").Replace(text))
	other := aged.MatchString(strings.Join(words, " ")) || slices.ContainsFunc(words, func(w string) bool {
		owner, _ := strings.CutSuffix(w, "s") // “my sister's 28 weeks gone”
		return people[w] || people[owner] || somebodyElse[w] && w != "teacher" && w != "doctor" && w != "nurse" || thirds[w] && w != "sa" && w != "son" && w != "ses"
	})
	switch {
	case !other || ownBody.MatchString(strings.Join(words, " ")):
		return Self
	case reports(text):
		return Clinician
	}
	return Other
}

// aged is whom a writer calls by an age: “our 10 day old”.
var aged = lazyregexp.New(`\b(?:my|our|a|the|this) (?:\w+ )?(?:year|month|week|day)s? ?old\b|\bnouveau ?ne|\b(?:mon|ma|notre) petite?\b`)

var ownBody = lazyregexp.New(`\b(?:i have|ive (?:got|cut|been|used|just)|im (?:having|bleeding|sweating|choking|allergic|going|in)|i am (?:having|bleeding)|i cant (?:breathe|move|lift|feel|speak|swallow)|(?:in|of) my (?:chest|arm|jaw|left|right|throat|face|leg|head)|my (?:chest|throat|arm|face|jaw|heart|lips|tongue|leg|left|right|mouth|body)|jai (?:mal|une|un|des|du|le|la|fait|avale|mange)|je (?:suis|me|ne (?:peux|sens|vois|respire|tiens|bouge)|narrive (?:pas|plus) a (?:\w+ )?(?:respirer|parler|bouger|avaler|lever|voir|marcher|tenir|articuler)|peux|saigne|transpire|crache|vomis|tousse|fais)|(?:ma|mon|mes) (?:gorge|poitrine|bras|coeur|levres|langue|visage|jambe|machoire|bouche|cote))\b`)
