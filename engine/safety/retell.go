package safety

import (
	"slices"
	"strings"

	"holdpoint/engine/lazyregexp"
)

// What somebody tells of another person is what that person would tell of themselves: “my patient says her partner
// chokes her” is “my partner chokes me”, of somebody else. So the rules of the writer's own danger read a report
// with its persons changed, and whoever is found to be in danger is not the writer.

// persons are the words by which a language names somebody else, as the rules scan them.
type persons struct {
	women, men, anyone map[string]bool
	// before are what stands before a name for a person, between what may stand between, places where one lies.
	before, between, places map[string]bool
	// tells are verbs of telling, told whom one tells, that what begins what was told.
	tells, told, that map[string]bool
	// become maps the words for the person to those for the writer.
	become [3]map[string]string
}

// The readings of a report: of a woman, of a man, of whoever is called “they”.
const (
	ofWoman = iota
	ofMan
	ofThem
	readings
)

var englishPersons = persons{
	women:   wordSet(strings.Fields(`sister mother mum mom mummy daughter wife girlfriend aunt auntie niece grandmother gran nan nana granny grandma lady woman girl stepmother stepmum stepmom stepdaughter sis granddaughter mate bestie fiancee`)),
	men:     wordSet(strings.Fields(`brother father dad daddy son husband boyfriend uncle nephew grandfather grandad grandpa gentleman man boy lad guy stepfather stepdad stepson grandson fiance mate bloke`)),
	anyone:  wordSet(strings.Fields(`patient pt client resident friend neighbour neighbor colleague coworker flatmate roommate housemate cousin child kid teenager teen student pupil caller partner ex person classmate baby toddler newborn infant inpatient`)),
	before:  wordSet(strings.Fields(`my our the a an this that one`)),
	between: wordSet(strings.Fields(`of our my best old older little big younger dear poor young elderly new other female male year month months close good 14 15 16 17 18 19`)),
	places:  wordSet(strings.Fields(`bed room bay cubicle box ward flat line`)),
	tells:   wordSet(strings.Fields(`says say said saying told tells texted texts wrote writes messaged messages discloses disclosed reports reported states stated mentions mentioned confides confided claims claimed insists insisted announced admits admitted repeats repeated reveals revealed explains explained describes described rang called phoned emailed posted thinks feels believes`)),
	told:    wordSet(strings.Fields(`me us him her them staff everyone everybody nurse nurses and that to the his mum teacher our i quote`)),
	that:    wordSet([]string{"that"}),
	become: [3]map[string]string{
		{"she": "i", "her": "my", "hers": "mine", "herself": "myself", "shes": "i am", "shed": "i would", "shell": "i will"},
		{"he": "i", "him": "me", "his": "my", "himself": "myself", "hes": "i am", "hed": "i would", "hell": "i will"},
		{"they": "i", "them": "me", "their": "my", "themselves": "myself", "themself": "myself", "theyre": "i am", "theyve": "i have", "theyd": "i would", "theyll": "i will"},
	},
}

var frenchPersons = persons{
	women:   wordSet(strings.Fields(`soeur sœur mere maman mamie fille femme copine amie tante niece grandmere dame patiente residente cliente voisine collegue cousine demoiselle pote meuf epouse compagne petitefille eleve ado mamy meme coloc`)),
	men:     wordSet(strings.Fields(`frere pere papa papi fils mari copain ami oncle neveu grandpere monsieur patient resident client voisin collegue cousin garcon pote mec epoux compagnon homme petitfils eleve ado papy pepe beaufrere beaupere coloc gamin`)),
	anyone:  wordSet(strings.Fields(`bebe enfant personne appelant nourrisson nouveaune`)),
	before:  wordSet(strings.Fields(`mon ma notre le la un une cette cet ce`)),
	between: wordSet(strings.Fields(`de nos mes vieux vieille petit petite grand grande jeune meilleur meilleure nouveau nouvelle beau belle`)),
	places:  wordSet(strings.Fields(`lit chambre box service`)),
	tells:   wordSet(strings.Fields(`dit disait repete raconte confie ecrit declare explique annonce avoue affirme revele rapporte signale assure envoie appelle texte poste pense croit redit`)),
	told:    wordSet(strings.Fields(`me moi lui nous a aux au que lequipe linfirmiere tous tout le la`)),
	that:    wordSet([]string{"que", "qu"}),
	become: [3]map[string]string{
		{"elle": "je", "quelle": "que je", "lui": "me", "son": "mon", "sa": "ma", "ses": "mes", "ellememe": "moimeme"},
		{"il": "je", "quil": "que je", "lui": "me", "son": "mon", "sa": "ma", "ses": "mes", "luimeme": "moimeme"},
		{"ils": "je", "elles": "je", "quils": "que je", "quelles": "que je"},
	},
}

// outOfDanger says that somebody is dead, dies of an illness or denies it: of them nobody tells what they are about to do.
func (*persons) outOfDanger(text string) bool {
	return noDanger.MatchString(strings.Join(scanned(text), " "))
}

var noDanger = lazyregexp.New(`\b(?:died|funeral|buried|grave|grief|grieving|den(?:y|ies|ied|ying)|palliative|hospice|terminal|back in|if (?:he|she|they|hes|shes|somebody|someone)|si (?:il|elle|ils|elles)|sil|die (?:at home|there|peacefully)|decedee?|enterrement|obseques|deuil|nie|nient|niait|palliatifs?|mourir (?:chez|a la maison|a domicile))\b`)

// strangers are the writer's own words, which are nobody's where another speaks in their place.
var strangers = wordSet(strings.Fields(`i me my myself mine im ive id je j jai me moi mon ma mes jme mest mont mas jetais jaime jy jen`))

// behindHer are words before which “her” is whom something is done to, and not whose.
var behindHer = wordSet(strings.Fields(`and when whenever if because until till so by with in on at to for last again every while up down tonight now today yesterday against around round from but that or as before after off out like how not twice all this really too since about into over through then since hard often sometimes daily constantly physically sexually`))

// retold reads a short report as the person whom it tells of would put it; no verdict where there is no such person, or
// where nothing stops a turn or asks.
func (rs *ruleset) retold(text string, p *persons, turn func([]token) []token) (best Verdict, ok bool) {
	if wordsOf(text, mostReport) > mostReport {
		return best, false
	}
	tokens := rs.scan(text)
	asked := false
	for reading := range readings {
		changed, does := rs.persons(tokens, p, reading)
		if !does {
			continue
		}
		if !asked && p.outOfDanger(text) {
			return best, false
		}
		asked = true
		told := rs.judge(rs.read(turn(changed)), text)
		v := told.stopping()
		v.Findings = slices.DeleteFunc(v.Findings, func(f Finding) bool {
			if f.Category == None && f.Weight > 0 { // a short report has the style of a short message
				v.Score -= f.Weight
				return true
			}
			return false
		})
		// Only what plainly speaks of danger now is heard in another's words.
		v.stops = v.Score
		v.Hijack = v.Score >= v.Threshold && slices.ContainsFunc(v.Findings, func(f Finding) bool { return f.Weight >= leastPlain && !rs.broad[f.Rule] })
		switch {
		case v.Hijack:
			if !best.Hijack || v.Score > best.Score {
				best, ok = v, true
			}
		case !ok && told.asks():
			best, ok = told.asksOnly(), true
		}
	}
	best.Speaker = Other
	return best, ok
}

// leastPlain is the weight of a cue that speaks of danger by itself.
const leastPlain = 10

// mostReport is how many words are read as a report of one person: of a story there are several.
const mostReport = 40

// persons changes the persons of tokens; ok says that somebody is told of who says so, or who is looked after: what
// else others do is mostly nothing (“my son hits the ball”).
func (rs *ruleset) persons(tokens []token, p *persons, reading int) (out []token, ok bool) {
	named, told := false, false
	kind := p.women
	if reading == ofMan {
		kind = p.men
	}
	add := func(t token, words string) {
		for w := range strings.FieldsSeq(words) {
			t.word, t.id = w, rs.vocabulary[w]
			out = append(out, t)
		}
	}
	french := p == &frenchPersons
	i, me, my := "i", "me", "my"
	if french {
		i, me, my = "je", "me", "mon"
	}
	for at := 0; at < len(tokens); {
		t := tokens[at]
		starts := at == 0 || tokens[at-1].clause != t.clause || p.that[tokens[at-1].word] || tokens[at-1].word == "and" || tokens[at-1].word == "et"
		n, owns := p.named(tokens[at:], kind, reading, starts)
		word := p.become[reading][t.word]
		if n == 0 && word == "" {
			if strangers[t.word] {
				t.word, t.id = "", 0
			}
			out = append(out, t)
			at++
			continue
		}
		named = named || reading != ofThem || n > 0
		told = told || n > 0 && slices.ContainsFunc(tokens[at:at+n], func(t token) bool { return wards[t.word] || p.places[t.word] })
		after := at + max(n, 1)
		subject := n > 0 && !owns || word == i || strings.HasPrefix(word, i+" ")
		if skip := p.telling(tokens, after); subject && skip > after {
			at, told = skip, true
			continue
		}
		switch {
		case owns:
			add(t, my)
		case n > 0 && (starts || after < len(tokens) && tokens[after].clause == t.clause && !rs.objectBefore(tokens, at)):
			add(t, i)
		case n > 0:
			add(t, me)
		case t.word == "her" && (after >= len(tokens) || tokens[after].clause != t.clause || behindHer[tokens[after].word]):
			add(t, me)
		default:
			add(t, word)
		}
		at = after
	}
	return out, named && told
}

// objectBefore says that a word before i governs it, so that somebody named at i is no subject.
func (rs *ruleset) objectBefore(tokens []token, i int) bool {
	if i == 0 || tokens[i-1].sentence != tokens[i].sentence {
		return false
	}
	w := tokens[i-1].word
	return !slices.Contains([]string{"when", "if", "because", "and", "but", "that", "while", "since", "says", "said", "now", "then", "think", "thinks", "know", "quand", "si", "car", "et", "mais", "que", "dit", "puis", "alors", "pense", "crois"}, w)
}

// named is how many tokens at the start of list name somebody of a kind: “my older sister”, “the lady in bed 4”,
// “pt”. owns says that what follows is theirs: “my sister's boyfriend”.
func (p *persons) named(list []token, kind map[string]bool, reading int, starts bool) (n int, owns bool) {
	at := func(k int) string {
		if k < len(list) && list[k].clause == list[0].clause {
			return list[k].word
		}
		return ""
	}
	is := func(w string) bool { return w != "" && (kind[w] || p.anyone[w]) }
	k := 0
	switch {
	case p.before[at(0)]:
		k = 1
		for k < 4 && !is(at(k)) && (p.between[at(k)] || at(k) == "residents" || at(k) == "patients" || at(k) == "clients") {
			k++
		}
		if at(0) == "one" && at(1) != "of" {
			return 0, false
		}
		if k > 1 && (at(k-1) == "residents" || at(k-1) == "patients" || at(k-1) == "clients") {
			return k, false
		}
	case slices.Contains([]string{"mrs", "ms", "miss", "mme", "madame", "mlle"}, at(0)) && reading == ofWoman,
		slices.Contains([]string{"mr", "monsieur"}, at(0)) && reading == ofMan:
		if at(1) == "" {
			return 0, false
		}
		if owner, ok := strings.CutSuffix(at(1), "s"); ok && (p.men[at(2)] || p.women[at(2)] || p.anyone[at(2)]) && owner != "" {
			return 2, true
		}
		return 2, false
	case p.places[at(0)] && isNumber(at(1)) && starts:
		return 2, false
	case !starts || !p.anyone[at(0)] && !kind[at(0)]:
		return 0, false
	}
	w := at(k)
	if !is(w) {
		owner, ok := strings.CutSuffix(w, "s")
		if p == &frenchPersons || !ok || !is(owner) || at(k+1) == "" {
			return 0, false
		}
		return k + 1, true
	}
	k++
	// Where somebody lies: “in bed 4”, “de la chambre 8”, “de la 3”.
	m := k
	for m < k+3 && slices.Contains([]string{"in", "on", "of", "at", "du", "de", "la", "dans", "le", "room"}, at(m)) {
		m++
	}
	switch {
	case m > k && p.places[at(m)] && isNumber(at(m+1)):
		k = m + 2
	case m > k && isNumber(at(m)):
		k = m + 1
	case isNumber(at(k)) && at(k+1) == "ans":
		k += 2
	}
	return k, false
}

func isNumber(w string) bool { return w != "" && strings.Trim(w, "0123456789") == "" }

// telling is the index behind “says that”, “told the nurse”, where such words begin at k; else k.
func (p *persons) telling(tokens []token, k int) int {
	from := k
	for k < len(tokens) && k < from+3 && (tokens[k].word == "ma" || tokens[k].word == "me" || tokens[k].word == "nous" || tokens[k].word == "ont" || tokens[k].word == "a" || tokens[k].word == "just" || tokens[k].word == "has" || tokens[k].word == "keeps" || tokens[k].word == "also") {
		k++
	}
	if k >= len(tokens) || !p.tells[tokens[k].word] {
		return from
	}
	k++
	for n := 0; n < 3 && k < len(tokens) && tokens[k].clause == tokens[k-1].clause && p.told[tokens[k].word]; n++ {
		k++
	}
	if k < len(tokens) && p.that[tokens[k].word] {
		k++
	}
	return k
}

// englishVerbs puts the verbs behind “I” in its form.
func englishVerbs(rs *ruleset, tokens []token) []token {
	to := map[string]string{"is": "am", "has": "have", "does": "do", "doesnt": "dont", "hasnt": "havent", "isnt": "am not", "goes": "go", "wants": "want", "was": "was", "tries": "try", "this": "this"}
	var out []token
	for i, t := range tokens {
		mine := i > 0 && tokens[i-1].word == "i" || i > 1 && tokens[i-2].word == "i" && adverbs[tokens[i-1].word]
		w, ok := to[t.word]
		switch {
		case !mine:
		case ok:
		case strings.HasSuffix(t.word, "ies") && len(t.word) > 4:
			w = t.word[:len(t.word)-3] + "y"
		case strings.HasSuffix(t.word, "s") && len(t.word) > 3 && !strings.HasSuffix(t.word, "ss"):
			w = t.word[:len(t.word)-1]
		}
		if w == "" {
			out = append(out, t)
			continue
		}
		for part := range strings.FieldsSeq(w) {
			t.word, t.id = part, rs.vocabulary[part]
			out = append(out, t)
		}
	}
	return out
}

// frenchForms are verbs in the third person and in the first.
var frenchForms = map[string]string{"est": "suis", "va": "vais", "veut": "veux", "peut": "peux", "doit": "dois", "fait": "fais", "prend": "prends", "sait": "sais", "boit": "bois", "voit": "vois",
	"nest": "ne suis", "finit": "finis", "vient": "viens", "tient": "tiens", "vit": "vis", "voudrait": "voudrais", "entend": "entends", "sent": "sens", "peuxplus": "peuxplus", "peutplus": "peuxplus", "na": "nai", "sert": "sers", "sort": "sors", "part": "pars", "met": "mets"}

// frenchVerbs puts the verbs behind “je” in its form, and “la” and “le” before a verb to the writer.
func frenchVerbs(rs *ruleset, tokens []token) []token {
	subject := func(w string) bool {
		return frenchPersons.men[w] || frenchPersons.women[w] || w == "il" || w == "elle" || w == "qui" || w == "quil" || w == "quelle" || w == "on" || w == "ex" || w == "conjoint" || frenchPersons.anyone[w]
	}
	word := func(i int) string {
		if i < 0 || i >= len(tokens) {
			return ""
		}
		return tokens[i].word
	}
	var out []token
	put := func(t token, words string) {
		for part := range strings.FieldsSeq(words) {
			t.word, t.id = part, rs.vocabulary[part]
			out = append(out, t)
		}
	}
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		mine := false
		for k := i - 1; k >= 0 && k >= i-3 && tokens[k].clause == t.clause; k-- {
			if tokens[k].word == "je" {
				mine = true
				break
			}
			if !slices.Contains([]string{"ne", "me", "se", "y", "en", "men", "lui"}, tokens[k].word) {
				break
			}
		}
		rest, elided := strings.CutPrefix(t.word, "l")
		switch {
		case t.word == "je" && word(i+1) == "a":
			put(t, "jai")
			i++
		case mine && (t.word == "se" || t.word == "sen"):
			put(t, "m"+t.word[1:])
		case mine && t.word == "sest":
			put(t, "me suis")
		case mine && frenchForms[t.word] != "":
			put(t, frenchForms[t.word])
		case mine && len(t.word) > 4 && strings.HasSuffix(t.word, "ra"):
			put(t, t.word+"i")
		case mine && len(t.word) > 4 && strings.HasSuffix(t.word, "ait"):
			put(t, t.word[:len(t.word)-1]+"s")
		case (t.word == "la" || t.word == "le") && subject(word(i-1)) && word(i+1) != "" && !subject(word(i+1)) && !frenchPersons.between[word(i+1)]:
			if w := word(i + 1); strings.HasSuffix(w, "ee") || strings.HasSuffix(w, "ie") || strings.HasSuffix(w, "ue") && len(w) > 4 {
				put(t, "ma")
			} else {
				put(t, "me")
			}
		case elided && subject(word(i-1)) && len(rest) > 3 && rs.vocabulary["m"+rest] != 0:
			put(t, "m"+rest)
		case elided && subject(word(i-1)) && len(rest) > 3 && rs.vocabulary[rest] != 0:
			put(t, "me "+rest)
		default:
			out = append(out, t)
		}
	}
	return out
}
