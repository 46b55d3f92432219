package turn

import (
	"slices"
	"strings"

	"holdpoint/engine/lazyregexp"
	"holdpoint/engine/record"
)

// Words of a question in German, Spanish and Italian, beside those of asksOf.
var asksAbroad = map[Kind]*lazyregexp.Regexp{
	Allergies: lazyregexp.New(`\b(?:allerg|alergi|alérgi|unverträglich|intoleran|intolleran|anafil|anaphyl)|\bvertr(?:age|ägt|agen)\b|\b(?:darf|dürfen|kann|können|soll|sollte|könnte) (?:\S+ ){1,6}?(?:ein)?(?:nehmen|geben|bekommen|verschreiben|kriegen)(?:[^\pL]|$)|` +
		`\b(?:pued[oe]n?|podemos|podr[íi]a|deb[oe]|seguro) (?:\S+ ){0,3}?(?:tomar|dar|recetar|recibir|usar|administrar)\w*|\b(?:posso|può|puo|possiamo|potrei|potrebbe|dev[oe]|sicuro) (?:\S+ ){0,3}?(?:prender|assumer|dar|ricever|usar|somministrar)\w*`),
	Medicines:  lazyregexp.New(`\b(?:medikament|arznei|tablette|pille|dosis|rezept|medicación|medicina|medicamento|medicament|pastilla|receta|dose|farmac|medicinal|compress|pillol|ricett|terapia)|\bnehme? ich\b|\bnimmt (?:er|sie)\b|\b(?:qué|que) (?:tomo|toma)\b|\b(?:cosa|che) (?:prendo|prende)\b`),
	Conditions: lazyregexp.New(`\b(?:diagnos|krankheit|erkrankung|vorerkrankung|leid(?:e|et) (?:ich|er|sie)|enfermedad|diagnóstic|diagnostic|padezco|padece|malatti|patologi|soffr[oe]\b)`),
	Visits:     lazyregexp.New(`\b(?:termin(?:e|en|s)?\b|besuch|arztbesuch|sprechstunde|cita\b|citas\b|próxima (?:visita|consulta)|visite?\b|visita\b|appuntament|prossim[ao] (?:visita|controllo))`),
}

// More words of such questions. A professional who wants to give something, and a medicine that somebody is still on.
const (
	professional = `(?:dentists?|doctors?|dr|gp|gps|physician|pharmacists?|chemist|nurse|surgeon|consultant|specialist|paramedics?|midwife|clinic|hospital|ward|anaesthetist|anesthesiologist|\w+ologist|psychiatrist|they|he|she|someone|somebody)`
	praticien    = `(?:dentiste|médecin|docteur|pharmacien\w*|infirmi\pL+|chirurgien\w*|spécialiste|généraliste|anesthésiste|sage-femme|psychiatre|il|elle|on|ils)`
	somebody     = `(?:me|him|her|them|us|you|mr\.?|mrs\.?|ms\.?|(?:my|our|the|his|her) \w+|\pL+)`
)

var (
	givesIt = lazyregexp.New(`\b` + professional + `\b[^.?!\n]{0,40}?\b(?:giv(?:e|es|ing|en)|gave|prescrib\w+|put(?:s|ting)?|start(?:s|ed|ing)?|offer\w*|inject\w*|recommend\w*|suggest\w*|administer\w*)\b ([^.?!\n]{1,60})|` +
		`\b(?:been|being|was|were|am|is|are|be) (?:given|prescribed|offered|put on|started on|injected with) ([^.?!\n]{1,60})|\bprescri(?:bed?|bing|ption for) ([^.?!\n]{1,60})|` +
		`\b` + praticien + `(?:[^\pL.?!\n][^.?!\n]{0,40}?)?[^\pL](?:donner|donne|donné|prescri\pL+|administr\pL+|propose\pL*|mettre sous) ([^.?!\n]{1,60})`)
	givesAbroad = lazyregexp.New(`(?:arzt|ärztin|apotheker\w*|schwester|pfleger\w*|klinik)[^.?!\n]{0,60}?(?:geben|gibt|gegeben|gab|verschreib\w+|verschrieb\w+|spritz\w+|verabreich\w+)|` +
		`\b(?:dentista|médic[oa]|doctora?|farmacéutic[oa]|enfermer[oa])[^.?!\n]{0,40}?(?:\bdar\w*|recet\w+|prescri\w+|poner\w*|inyect\w+)|\b(?:dentista|medico|dottor\w*|farmacista|infermier[ea])[^.?!\n]{0,40}?(?:\bdar\w*|prescriv\w+|prescritt\w+|somministr\w+)`)
	// stillOn asks or tells of a medicine that somebody is on.
	stillOn = lazyregexp.New(`\b(?:am|is|are|was|be|i'm|he's|she's|being) (?:\S+ ){0,2}?(?:still|currently|already|also|now) (?:on|taking) ([^.?!\n]{1,40})|\b(?:do|does|did|should|must|can) \S+ (?:\S+ )?(?:still |keep |stop |continue )?(?:take|taking|have to take) ([^.?!\n]{1,40})|\b(?:stop|come off|coming off|wean\w* off) (?:taking )?([^.?!\n]{1,40})|(?:prend|prends|prenez|sous) (?:\S+ )?(?:toujours|encore) ([^.?!\n]{1,40})`)
	// noMedicine is what is given or taken that is none.
	noMedicine = lazyregexp.New(`\b(?:appointments?|addresses|address|numbers?|phone|letters?|notes?|leaflets?|time|times|advice|forms?|visits?|calls?|dates?|referrals?|exercises?|diets?|tests?|results?|list|way|holiday|leave|duty|call|hold|track|lift|bus|taxi|break|seat|names?|details?|slots?|reports?|information|info|hope|chance|rendez-vous|rdv|adresse|numéro|lettre|conseils?|liste|nouvelles|feedback|ward|floor|course|monday|tuesday|wednesday|thursday|friday|saturday|sunday|walking|sport|yoga|up|off|down|back|work|school|care|part|place|notice|it easy)\b`)
)

// Names of medicines as they are known by, and the ends by which substances of a class are: what a message names so
// is a medicine. What else there is stands in the record.
var (
	medicineEnds = lazyregexp.New(`\b[\pL]{2,}(?:cillins?|cillines?|cilina|zilline?|mycin|mycine|floxacin|floxacine|cycline?|sulfa|trimoxazole|oxetine?|traline?|pramine?|triptyline?|azepam|azolam|zodone|zapine|apine|peridone|prazole?|conazole?|vastatin|vastatine|artan|lukast|dipine?|olol|gliptine?|gliflozin|formine?|parine?|xaban|profene?|oxicam|coxib|triptan|setron|glutide|barbital|gabaline?|gabapentin|caine|codone?|dronate|semide|thiazide|thyroxine?|sporine?|cephalexin|cefalexin|cefuroxime|ceftriaxone)\b|\bcef[a-z]{3,}\b`)
	medicines    = words("aspirin aspirine paracetamol acetaminophen ibuprofen ibuprofene naproxen diclofenac codeine tramadol morphine oxycodone fentanyl warfarin heparin eliquis xarelto insulin ozempic wegovy mounjaro metformin prednisone prednisolone cortisone penicillin pénicilline augmentin amoxil clamoxyl bactrim septrin cipro zithromax flagyl macrobid nitrofurantoin trimethoprim doxycycline keflex sulfa antibiotic antibiotics antibiotique antibiotiques zoloft lustral prozac cipralex lexapro celexa cipramil paxil seroxat effexor cymbalta wellbutrin remeron xanax valium ativan klonopin seroquel zyprexa risperdal abilify lithium lamictal depakote keppra tegretol neurontin lyrica ritalin concerta adderall ambien stilnox zopiclone imovane lipitor crestor zocor norvasc lasix coumadin plavix ventolin salbutamol albuterol seretide symbicort advil nurofen motrin tylenol panadol doliprane dafalgan efferalgan calpol voltaren voltarol aleve nexium losec prilosec zantac synthroid levothyrox levothyroxine viagra cialis botox latex contrast nsaid nsaids statin statins")
)

// namesMedicine says that a message names a medicine, or an item of the record's.
func namesMedicine(message string, s *record.Summary) bool {
	if medicineEnds.MatchString(message) {
		return true
	}
	said := tokens.FindAllString(message, -1)
	if slices.ContainsFunc(said, func(w string) bool { return medicines[w] }) {
		return true
	}
	return s != nil && (namesOne(message, Allergies.items(s)) || namesOne(message, Medicines.items(s)))
}

// asked says that a message asks about what a record has of a kind.
func (k Kind) asked(message string, s *record.Summary) bool {
	if asksOf[k].MatchString(message) || asksAbroad[k] != nil && asksAbroad[k].MatchString(message) {
		return true
	}
	switch k {
	case Allergies:
		return asksToTake(message) || namesMedicine(message, s)
	case Medicines:
		return namesMedicine(message, s) || ofMedicine(stillOn, message)
	}
	return false
}

// asksAllergies says that a message asks about allergies, or whether somebody may take or be given something.
func asksAllergies(message string) bool {
	return asksOf[Allergies].MatchString(message) || asksAbroad[Allergies].MatchString(message) || asksToTake(message)
}

func asksToTake(message string) bool {
	return ofMedicine(givesIt, message) || givesAbroad.MatchString(message) || mayHave.MatchString(message) && namesMedicine(message, nil)
}

// mayHave asks, of a medicine, whether it is fit.
var mayHave = lazyregexp.New(`\b(?:safe|ok|okay|fine|alright|all right|allowed|good idea|bad idea|problem|suitable|harmful|dangerous|what about|how about|about to (?:take|start)|thinking (?:of|about)|wants? to (?:take|start|try|use|have)|going to (?:take|start|have)|(?:can|may|could|should|might|shall) (?:i|we|he|she|they|(?:my|the|our) \pL+|[\pL.]+ ?\pL+) (?:have|try|get|start|swallow|apply|drink|mix|combine|switch|change|go)|possible de|sans danger|sans risque|dangereux|conseillé|sicher|unbedenklich|seguro|sicuro)\b`)

// ofMedicine says that a match goes on with something that may be a medicine.
func ofMedicine(r *lazyregexp.Regexp, message string) bool {
	for _, m := range r.FindAllStringSubmatch(message, -1) {
		next := strings.Fields(strings.Join(m[1:], " "))
		if !noMedicine.MatchString(strings.Join(next[:min(len(next), firstWords)], " ")) {
			return true
		}
	}
	return false
}

// firstWords behind a verb say what is given.
const firstWords = 5

// ofNoName are words of an item's text that do not tell it from others.
var ofNoName = words("allergy allergies allergic allergie allergique intolerance intolérance intolerant adverse reaction reactions réaction hypersensitivity product products produit containing substance class group drug drugs medicine medicines médicament once twice daily tablet tablets capsule capsules oral with from every morning evening night known history severe mild moderate other none solution spray acid sodium preparation")

// namesOne says that a text names one of the items, by a word of its own or its beginning in another language.
func namesOne(text string, items []string) bool {
	said := tokens.FindAllString(unaccented.Replace(strings.ToLower(text)), -1)
	for _, item := range items {
		for _, w := range tokens.FindAllString(unaccented.Replace(strings.ToLower(item)), -1) {
			if len(w) < leastOfName || ofNoName[w] || known(w) || strings.ContainsAny(w, "0123456789") {
				continue
			}
			// Short words are the same in all languages, or other words.
			stem, more := w, 1
			if len(w) >= 6 {
				stem, more = w[:len(w)-1], 3
			}
			if len(w) >= 9 {
				stem = w[:len(w)-3]
			}
			if slices.ContainsFunc(said, func(x string) bool { return strings.HasPrefix(x, stem) && len(x) <= len(w)+more }) {
				return true
			}
		}
	}
	return false
}

// leastOfName is how many letters of a name tell it from others.
const leastOfName = 3

var unaccented = strings.NewReplacer("é", "e", "è", "e", "ê", "e", "ë", "e", "à", "a", "â", "a", "ä", "a", "á", "a", "î", "i", "ï", "i", "í", "i", "ô", "o", "ö", "o", "ó", "o", "û", "u", "ù", "u", "ü", "u", "ú", "u", "ç", "c", "ñ", "n")

var (
	// noneOf says that there are no allergies.
	noneOf = lazyregexp.New(`\b(?:no|any|zero|without) (?:\w+ ){0,3}?allerg|\b(?:not|n't|never|isn't) (?:\w+ ){0,2}?(?:have |has )?(?:\w+ ){0,2}?allerg|\ballerg\w*(?: \w+)?: (?:none|no)\b|\b(?:aucune?|pas|sans|ni) (?:d'|de |\pL+ )?allerg|\bkeine? (?:\pL+ )?allerg|\bnicht allerg|\b(?:sin|no (?:\pL+ )?) ?al[eé]rg|\b(?:nessuna?|senza|non (?:\pL+ )?) ?allerg`)
	// warns says of a name that it is one of an allergy, or of what is not to be taken.
	warns = lazyregexp.New(`allerg|alerg|alérg|intol|anaph|hypersens|react|réact|\b(?:not|no|never|avoid|unsafe|risk\w*|danger\w*|careful|caution|contra\w*|record\w*|chart|check|ask|rash|hives)\b|n't|\b(?:pas|ne|éviter?|évitez|risque|dossier|contre-indiqu\w*|nicht|kein\w*|vermeid\w*|evit\w*|non|attenzione|cuidado)\b`)
)

// namesAllergy says that a reply names one of the record's allergies as such: beside no word that there are none and,
// where the message asks about that very name, beside one that warns.
func namesAllergy(reply, message string, s *record.Summary) bool {
	items := Allergies.items(s)
	asked := namesOne(message, items)
	for _, sentence := range endOfSentence.Split(plainly(reply), -1) {
		if namesOne(sentence, items) && !noneOf.MatchString(sentence) && (!asked || warns.MatchString(sentence)) {
			return true
		}
	}
	return false
}
