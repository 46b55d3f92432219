package safety

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"go.yaml.in/yaml/v3"

	"holdpoint/engine/language"
	"holdpoint/engine/lazyregexp"
)

//go:embed intervention.yaml
var interventionYAML []byte

// Speaker says who tells of the danger.
type Speaker string

// The speakers.
const (
	Self      Speaker = "self"      // the writer is in danger, or is the danger
	Other     Speaker = "other"     // somebody close reports about another person
	Clinician Speaker = "clinician" // a professional reports about a person in their care
)

// The names of the reviewed texts. Each is there in every language.
const (
	textSuicide, textSelfHarm, textHarmOthers, textAbuse, textChild, textVoices, textPoisoned = "suicide", "self_harm", "harm_others", "abuse", "child_abuse", "voices", "poisoned"
	textOther, textOtherDanger, textMissing, textRunaway, textClinician                       = "other", "other_danger", "missing", "runaway", "clinician"
	textMedical, textUnresponsive                                                             = "medical", "unresponsive"
	textOverdose, textAbuseTold, textChildTold                                                = "overdose", "abuse_told", "child_abuse_told"
	textOverdoseTold                                                                          = "overdose_told"
	textCheckIn, textCheckInOther, textCheckInClinician, textCheckInMedical                   = "check_in", "check_in_other", "check_in_clinician", "check_in_medical"
)

var textNames = []string{textSuicide, textSelfHarm, textHarmOthers, textAbuse, textChild, textVoices, textPoisoned, textOverdose, textAbuseTold, textChildTold, textOverdoseTold, textOther, textOtherDanger, textMissing, textRunaway, textClinician, textMedical, textUnresponsive, textCheckIn, textCheckInOther, textCheckInClinician, textCheckInMedical}

// adults are the texts for those who tell of somebody as an adult does: a young person gets another.
var adults = []string{textClinician, textCheckInClinician, textAbuseTold, textChildTold}

// alone are the texts that name the emergency number and no line.
var alone = []string{textMedical, textCheckInMedical}

type interventionFile struct {
	Version   string                         `yaml:"version"`
	Templates map[Language]map[string]string `yaml:"templates"`
	// Informal are those that address a young person in another way than an adult.
	Informal map[Language]map[string]string `yaml:"informal"`
}

// reviewed is part of the program, as the lines are.
var reviewed = sync.OnceValue(func() interventionFile { return mustParse(parseInterventions, interventionYAML) })

func parseInterventions(b []byte) (interventionFile, error) {
	var f interventionFile
	d := yaml.NewDecoder(strings.NewReader(string(b)))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil {
		return f, fmt.Errorf("safety: read interventions: %w", err)
	}
	for _, lang := range []Language{English, French} {
		for _, name := range textNames {
			t, lines := f.Templates[lang][name], 1
			if slices.Contains(alone, name) {
				lines = 0
			}
			if strings.Count(t, "{emergency}") != 1 || strings.Count(t, "{lines}") != lines {
				return f, fmt.Errorf("safety: template %s/%q needs {emergency} and {lines} once each, of emergencies {emergency} alone", lang, name)
			}
			if ofOverdose := name == textOverdose || name == textOverdoseTold; (len(poisonLines.FindAllString(t, -1)) == 1) != ofOverdose || strings.Contains(t, "{poison}") != ofOverdose {
				return f, fmt.Errorf("safety: template %s/%q needs {poison} under a line of its own, an overdose alone", lang, name)
			}
			own, ok := f.Informal[lang][name]
			if ok && (strings.Count(own, "{emergency}") != 1 || strings.Count(own, "{lines}") != lines) || !ok && f.Informal[lang] != nil && !slices.Contains(adults, name) {
				return f, fmt.Errorf("safety: informal template %s/%q is missing, or lacks {emergency} or {lines}", lang, name)
			}
		}
	}
	return f, nil
}

// Help is what decides which reviewed text a person gets.
type Help struct {
	Category Category
	Speaker  Speaker  // "" is Self
	Language Language // "" is English
	// Region is a country's code or a locale; an unknown one gives the international text.
	Region string
	// Informal addresses the person as one does a young one, where the language has a way.
	Informal bool
	// Child adds lines for children, and for those who fear to hurt one.
	Child bool
}

func (h Help) language() Language {
	if h.Language == French {
		return French
	}
	return English
}

// texts names the text of an intervention and the topics of its lines.
func (h Help) texts() (name string, topics []Topic, ok bool) {
	switch h.Category {
	case Intent, Plan:
		name, topics = textSuicide, []Topic{ForSuicide}
	case Means:
		name, topics = textSuicide, []Topic{ForSuicide, ForPoison}
	case SelfHarm:
		name, topics = textSelfHarm, []Topic{ForSuicide, ForPoison}
	case HarmOthers:
		name, topics = textHarmOthers, []Topic{ForSuicide}
	case Voices:
		name, topics = textVoices, []Topic{ForSuicide}
	case Overdose:
		name, topics = textOverdose, []Topic{ForPoison, ForSuicide}
	case Poisoned:
		return textPoisoned, []Topic{ForPoison}, true // a professional needs no other words
	case Medical:
		return textMedical, nil, true
	case Unresponsive:
		return textUnresponsive, []Topic{ForPoison}, true
	case Missing:
		name, topics = textRunaway, []Topic{ForChildren}
		if h.Speaker == Other && !h.Child && !h.Informal {
			topics = []Topic{ForSuicide} // a grown-up who is missed
		}
	case Abuse:
		name, topics = textAbuse, []Topic{ForAbuse}
	case ChildAbuse:
		name, topics = textChild, []Topic{ForChildren}
	default:
		return "", nil, false
	}
	if h.Category == Abuse && (h.Informal || h.Child) || h.Category == HarmOthers && h.Child {
		topics = append([]Topic{ForChildren}, topics...)
	}
	told := map[Category]string{Abuse: textAbuseTold, ChildAbuse: textChildTold}[h.Category]
	switch {
	case h.Category == Overdose && (h.Speaker == Clinician || h.Speaker == Other):
		name = textOverdoseTold
	case told != "" && (h.Speaker == Clinician || h.Speaker == Other && !h.Informal):
		name = told
	case h.Speaker == Clinician:
		name = textClinician
	case h.Speaker == Other:
		switch name {
		case textSuicide, textSelfHarm:
			name = textOther
		case textRunaway:
			name = textMissing
		default:
			name = textOtherDanger
		}
	}
	if h.Category == HarmOthers && h.Speaker != Self && h.Speaker != "" {
		topics = append(topics[:len(topics)-1:len(topics)-1], ForAbuse, ForSuicide)
	}
	return name, topics, true
}

// informal puts the French of the lines, which is for everybody, to a young person.
var informal = strings.NewReplacer("appelez le ", "appelle le ", "Si vous êtes sourd", "Si tu es sourd", "Votre région n'est pas choisie", "Ta région n'est pas choisie", "Choisissez votre pays", "Choisis ton pays", "effacez-les", "efface-les",
	"appelez le numéro d'urgence et demandez-y", "appelle le numéro d'urgence et demandes-y", "votre numéro", "ton numéro", "Si vous ne pouvez pas parler\u00a0: appelez", "Si tu ne peux pas parler\u00a0: appelle", "et tapez", "et tape", "puis tapez", "puis tape", "on vous le demande", "on te le demande")

// plainly leaves out of the lines what a young person has no use for.
var plainly = strings.NewReplacer(" (or `holdpoint settings set region`)", "", " (ou avec `holdpoint settings set region`)", "", "NOT CONFIRMED", "not confirmed", "NON CONFIRMÉ", "non confirmé")

// poisonLines is the item of a text under which the poison lines stand, where a region has any.
var poisonLines = lazyregexp.New(`(?m)^- .*\n\{poison\}\n`)

// apart takes the poison lines out of a list.
func (r Region) apart(h Help, list string, topics ...Topic) (poison, rest string) {
	var lines []string
	rest = list + "\n"
	for _, l := range r.For(h, topics...) {
		if line := "  - " + l.In(h.language()); slices.Contains(l.For, ForPoison) {
			lines, rest = append(lines, line), strings.Replace(rest, line+"\n", "", 1)
		}
	}
	return strings.Join(lines, "\n"), strings.TrimRight(rest, "\n")
}

func (h Help) fill(name string, topics []Topic) string {
	lang, r := h.language(), RegionOf(h.Region)
	list, notes := r.help(h, topics...)
	template, own := reviewed().Templates[lang][name], reviewed().Informal[lang][name]
	if h.Informal && own != "" {
		template = own
	}
	poison := ""
	if strings.Contains(template, "{poison}") {
		poison, list = r.apart(h, list, topics...)
		if poison == "" {
			template = poisonLines.ReplaceAllString(template, "")
		}
	}
	text := strings.NewReplacer("{emergency}", r.Emergency.called(lang), "{poison}", poison, "{lines}", list).Replace(template)
	text = strings.TrimRight(text, "\n") + "\n\n" + notes + "\n"
	if h.Informal {
		text = plainly.Replace(text)
	}
	if h.Informal && own != "" {
		return informal.Replace(text)
	}
	return text
}

// Intervention is the reviewed text that takes the place of a reply. ok is false for a
// category without one, such as None.
func (h Help) Intervention() (text string, ok bool) {
	name, topics, ok := h.texts()
	if !ok {
		return "", false
	}
	return h.fill(name, topics), true
}

// Number is one to call; Name says whose it is, "" for the emergency number.
type Number struct {
	Name string `json:"name"`
	Call string `json:"call"`
}

// Numbers are those that a screen shows before everything else: the emergency number, and
// the first line for the finding that answers everybody at every hour.
func (h Help) Numbers() []Number {
	lang, r := h.language(), RegionOf(h.Region)
	_, topics, ok := h.texts()
	if !ok {
		topics = []Topic{ForSuicide}
	}
	call := r.Emergency.Call.In(lang)
	if h.Informal {
		call = informal.Replace(call)
	}
	all := []Number{{Call: call}}
	for _, l := range r.Of(topics...) {
		if len(l.Call) > 0 && l.Hours.In(lang) == AllDay && l.Where.In(lang) == "" && l.Serves.In(lang) == "" &&
			!l.NotEmergency && !l.Unconfirmed && (len(l.Languages) == 0 || slices.Contains(l.Languages, string(lang))) {
			return append(all, Number{Name: l.Name.In(lang), Call: l.Call[0].In(lang)})
		}
	}
	return all
}

// CheckIn is the reviewed text that stands above a reply: help, and one question.
func (h Help) CheckIn() string {
	_, topics, ok := h.texts()
	if !ok {
		topics = []Topic{ForSuicide}
	}
	if h.Category == Medical || h.Category == Unresponsive {
		return h.fill(textCheckInMedical, topics)
	}
	switch h.Speaker {
	case Other:
		return h.fill(textCheckInOther, topics)
	case Clinician:
		return h.fill(textCheckInClinician, topics)
	}
	return h.fill(textCheckIn, topics)
}

// frenchWords are frequent words of French, also as people type them; of those that are English words too, such as “patient”
// and “son”, only me, on and ta, which englishWords has as well: “Patient suicidal” is no French.
var frenchWords = strings.Fields("je jai jvais jveux jsuis jme jpeux jsais jte jen chui chuis me on jamais suicider suicidaire suicidaires medicaments tu il elle nous vous ils elles le la les un une des du de et est suis ai mon ma mes ta ses sa leur leurs que qui quoi pas ne plus dans sur avec sans mais donc ce cette ces cest ca au aux en y se moi toi lui quand comme tout tous tres bien fait faire etre avoir peux veux peut veut va vais sest laide secours jen jy mest nai nest pense mourir tuer docteur bonjour merci chez depuis ans soir nuit jour patiente mari femme fille fils pere frere soeur ami amie")

var englishWords = strings.Fields("i im ive the a an and is am are was were my me you your he she they it its of to in that this with for on not dont no have has had do did what when but so if at be been will would can just want need her his him them from about said says ta")

// LanguageOf is the language of the reviewed texts that a message is answered in:
// French when it has more of the frequent words of French than of English.
func LanguageOf(text string) Language {
	if en, fr := languages(text); fr > en {
		return French
	}
	return English
}

// Speaks says whether a text has a word that tells English from French: a figure, a name or
// a single word often has none.
func Speaks(text string) bool {
	en, fr := languages(text)
	return en != fr
}

// quotedPart is what stands between quotation marks of the same kind.
var quotedPart = lazyregexp.New(`“[^”]*”|«[^»]*»|"[^"]*"`)

// Wholly is the language that a message is written in as a whole; "" for one of few words, one
// with words of both, and one in neither. What it quotes does not count.
func Wholly(text string) Language {
	text = quotedPart.ReplaceAllString(text, " ")
	en, fr := languages(text)
	most, least, in := en, fr, English
	if fr > en {
		most, least, in = fr, en, French
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	told := language.Of(words)
	if len(words) < leastWhole || most < leastWhole-1 || least*4 > most || 3*most < len(words) || told != "" && told != string(in) {
		return ""
	}
	return in
}

// leastWhole is how many words show in which language somebody writes.
const leastWhole = 5

// languages counts the frequent words of English and of French in a text.
func languages(text string) (en, fr int) {
	for _, t := range uncorrected.scan(text) {
		if inFrench[t.word] {
			fr++
		}
		if inEnglish[t.word] {
			en++
		}
	}
	return en, fr
}

// scanned are the words of a text as rules have them, with nothing put right.
func scanned(text string) []string {
	tokens := uncorrected.scan(text)
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = t.word
	}
	return words
}

// uncorrected cuts words and puts nothing right.
var uncorrected = &ruleset{vocabulary: map[string]int{}, words: []string{""}}

var (
	inFrench, inEnglish = wordSet(frenchWords), wordSet(englishWords)
	// reporting are words by which professionals speak of those in their care. Who tells of somebody of
	// their own (ofOwn) may use each of them but for those of careOf.
	reporting = wordSet(strings.Fields(`patient patients patiente patientes pt client clients cliente resident residents residente
caller bay ward consultation consult telehealth telephonique inpatient outpatient obs trainee placement supervisor
gp nurse infirmiere infirmier psychologue pharmacien pharmacienne pharmacist pharmacie interne urgences cabinet seance puericultrice dietitian dietician educatrice educateur ehpad pmi visio comptoir
triage caseload referral crisisteam ideation phq columbia cssrs gaf sectioned suicidant suicidante decompense decompensee imv cmp psychiatrie`))
	ofOwn = wordSet(strings.Fields(`son daughter child kid kids children baby toddler teen teenager boy girl grandson granddaughter stepson stepdaughter twin twins brother sister mother father mum mom dad parents husband wife partner boyfriend girlfriend friend flatmate roommate housemate neighbour neighbor
cousin nephew niece uncle aunt grandmother grandfather nan nana nanny gran granny grandad grandpa grandma fils fille enfant enfants bebe gamin gamine ado garcon frere soeur mere pere maman papa mari femme conjoint compagnon compagne copain copine ami amie voisin voisine tante oncle grandmere grandpere mamie papi papy mamy beaufrere beaupere bellemere bellesoeur`))
)

// How professionals name whom they look after, as package safety scans words: by a place, by what
// they are to them, by an age and nothing more.
var (
	careOf = lazyregexp.New(` (?:(?:my|our|mon|ma|mes|notre|nos) (?:\w+ )?(?:patiente?s?|pt|clients?|clientes?|residente?s?|caller)|` +
		`(?:on|in) (?:my|our) (?:ward|unit|caseload|list|shift|round|rounds|clinic|surgery|practice)|(?:under|in) (?:my|our) care|(?:my|our|a|the|one of our) (?:\w+ )?(?:service users?|tenants?|support clients?)|service users?|(?:person|people|lad|girl|man|woman|someone|somebody) (?:that |who )?(?:i|we) (?:support|work with|care for|look after)|(?:usagere?s?|beneficiaires?)|(?:jeune|personne) que (?:je suis|jaccompagne|nous suivons)|(?:i am|im) (?:on call|on shift|seeing|treating)|(?:dans|de) (?:mon|notre) (?:service|unite|cabinet|secteur|consultation)|(?:a|de) (?:ma|notre) (?:consultation|permanence|garde)|je suis de garde) `)
	ownJob = lazyregexp.New(` (?:i am|im|je suis|jsuis) (?:\w+ ){0,3}(?:nurse|doctor|gp|physician|psychiatrist|psychologist|therapist|counsellor|counselor|midwife|paramedic|carer|social worker|support worker|pharmacist|clinician|medecin|psychiatre|psychologue|infirmiere?|educateur|educatrice|maitresse|maitre|institutrice|instituteur|enseignante?|aide a domicile|auxiliaire de vie|dietitian|dieteticienne|assistante sociale|aide soignante?|pharmacienne?|pharmacien|kine|interne|generaliste|urgentiste|orthophoniste|sagefemme|sage femme) `)
	byAge  = lazyregexp.New(` (?:(?:bed|bay|cubicle|room|chambre|lit|box|line|ligne) \d+|(?:the|a|an|this) (?:old|elderly) (?:man|lady|gentleman|woman)|(?:le|la|un|une|ce|cette) (?:vieux|vieille|vieil) (?:monsieur|dame|homme|femme)|(?:lady|gentleman|man|woman|girl|boy|monsieur|dame|fille|garcon|jeune|homme|femme) (?:in|on|de|du|dans|a) (?:the |la |le |l)?(?:\d+|ward|service|unite|accueil|laccueil|reception)|(?:night|care|ward) staff|care home|waiting room|salle dattente|equipe de nuit|lequipe de nuit|(?:mrs|mr|ms|mme|miss) \w+ (?:\w+ ){0,6}(?:nurse|infirmiere|infirmier|gp|doctor|medecin|practice|cabinet)|(?:mr|mrs|ms|miss|mme|mlle|dr|m) [a-z] |en consultation|in session|home visit|ward round|(?:postnatal|antenatal|health) check|voluntary admission|flat affect|crisis team|en visite|pharmacie de garde|que jexamine|i have \d{2} ?(?:yo|year old)|at (?:my|our) (?:counter|desk|reception)|\d{2} ?(?:yo|y o|year old|yr old) (?:m|f|male|female|man|woman|lady|gentleman)|\d{2} ?[mf]|(?:mme|mr|mrs|ms|madame|monsieur) \w+ (?:aged )?\d{2}(?: ans)?|(?:male|female|homme|femme|dame|monsieur|patiente?) (?:de |aged )?\d{2} ?(?:ans|years)?) `)
)

func wordSet(words []string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words {
		out[w] = true
	}
	return out
}

// reports says that a message about another person is a professional's: it has their words, and
// tells of nobody of the writer's own.
func reports(text string) bool {
	tokens := uncorrected.scan(text)
	said, own, known := " ", false, false
	for i, t := range tokens {
		said += strings.ReplaceAll(t.word, "œ", "oe") + " "
		known = known || reporting[t.word]
		for _, next := range tokens[i+1 : min(i+4, len(tokens))] {
			own = own || owned[t.word] && ofOwn[strings.ReplaceAll(next.word, "œ", "oe")]
		}
	}
	return careOf.MatchString(said) || !own && (known || ownJob.MatchString(said) || byAge.MatchString(said))
}
