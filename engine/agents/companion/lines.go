package companion

import (
	"cmp"
	"slices"
	"strings"

	"holdpoint/engine/graph"
	"holdpoint/engine/lazyregexp"
	"holdpoint/engine/safety"
	"holdpoint/engine/turn"
)

// How people ask for a number or whom to call, as typed has it: what they ask with, and what for.
const (
	lineWant = `(?:quel(?:le)?s?(?: est| sont)?|cest quoi|cest (?:quel|lequel)|lequel|ya|(?:il|quil) y a|y a|y aurait|y a t|(?:(?:il|quil) )?existe|(?:tu|vous) ?(?:ne |n)?(?:as|aurais|connais|sais|peux|pourrais|avez|auriez|connaissez|pouvez|pourriez)|t(?:as|aurais)|(?:as|aurais|connais|sais|peux|pourrais) tu|(?:avez|auriez|connaissez|pouvez|pourriez) vous|` +
		`(?:donne|donnez|file|filez|dis|dites|passe|passez|envoie|envoyez|indique|indiquez|trouve|trouvez) (?:moi|nous)|(?:me|nous) (?:donner|dire|passer|indiquer|trouver|filer|envoyer|donnes|donnez)|je (?:voudrais|cherche|veux|souhaite|souhaiterais)|jaimerais|jveux|jcherche|(?:jai|on a) (?:vraiment )?besoin|^besoin|il (?:me|nous) (?:faut|faudrait)|ou (?:je )?(?:puis je )?(?:trouver|trouve)|connaitre|connaissez|comment (?:(?:je|on) peu[xt] |puis je )?(?:joindre|contacter|appeler|trouver)|how (?:do|can|could|should) i (?:reach|call|ring|find|contact)|gimme|` +
		`what(?:s| is| are)?|which|is there|are there|any|(?:do|d) (?:you|u|ya) (?:know|have)|have you(?: got)?|(?:you|u) (?:got|have|know)|got|(?:can|could|would) (?:you|u|i)|(?:please )?(?:give|tell|send|show|find|get) (?:me|us)|i (?:really )?(?:need|want)|(?:id|i would) like|looking for|where (?:can|do|could) i (?:find|get)|could use|know of)`
	lineGap  = `((?: [^ ]+){0,5}?) (?:d|l)?`
	lineCall = `(?:appeler|appelle|appeller|apeler|joindre|contacter|telephoner|composer|call|ring|phone|text|contact|reach|dial)`
	lineName = `(?:hot ?lines?|sos [a-z]+|help ?lines?|child ?line|samaritans|crisis lines?|(?:crisis|suicide|support|emergency|listening|youth|teen|parents?|parenting|kids|childrens?|mental health|counselling|counseling|abuse|bullying|helping) (?:help ?)?(?:phone )?(?:lines?|numbers?|hot ?lines?)|poison (?:center|centre|control|line|number)|centre anti ?poisons?|` +
		`(?:un truc|quelque chose|(?:asso|association|service|centre|structure)s?) (?:a|que je peux|quon peut) (?:appeler|contacter|joindre)|(?:numeros?|num|lignes?|services?)(?: de telephone)? (?:decoute|daide|durgences?|dappel|de soutien|de secours|dassistance|de prevention|vert|verts|antipoison|anti poison|suicide|special)|` +
		`(?:numeros?|num|lignes?) (?:pour|contre|sur|de|du|des|de la|dans) (?:(?:le|la|les|l|un|une|des|mon|ma) ?)?(?:jeunes?|ados?|adolescents?|enfants?|enfance|fils|fille|parents|victimes|suicide|suicidaires?|harcelement|violences?|viols?|secours|samu|drogues?|addictions?|depression|detresse|urgences?|aide)|` +
		`(?:numeros?|num|lignes?) (?:dune|dun|de) (?:asso|association|service|psy|psychologue)|(?:numeros?|num|lignes?) (?:pour )?(?:en parler|parler|discuter|etre ecoutee?|avoir de laide)|` +
		`(?:numeros?|num|lignes?|tel)(?: [^ ]+){0,4} ` + lineCall + `|numero (?:dois je|je dois|il faut|faut il|on doit|doit on) faire|(?:quelquun|une personne|un endroit|un service)(?: (?:que|a|qui|je|on|peux|peut|pourrais|pourrait|puisse))* (?:appeler|joindre|contacter)|(?:someone|somebody|anyone|anybody|somewhere|anywhere|some ?place|something)(?: (?:i|we|that|who|to|can|could|else))+ ` + lineCall + `|(?:numbers?|lines?)(?: (?:that|to|i|we|you|one|can|could|should|someone|teens?|kids|parents|people|somebody|a|my|son|daughter|child|kid|may|might|for|me)){1,5} ` + lineCall + `|` +
		`(?:numbers?|lines?) (?:for|of) (?:a |the |an )?(?:help|us|me|him|her|this|teens?|teenagers?|my (?:son|daughter|child|kid|teen)|young people|kids|children|parents|support|suicide|emergenc(?:y|ies)|abuse|bullying|victims|crisis|counsell?ing|help ?lines?|hot ?lines?))`
	lineWhom = `(?:(?:qui|a qui|vers qui)(?: est ce (?:que|quon|qu))?(?: (?:je|j|on|nous|lon|quon))?(?: (?:peux|peut|pourrais|pourrait|dois|doit|devrais|devrait|pouvons|devons|puis|faut|il faut|faudrait))?(?: (?:je|on|il|nous|bien|donc|alors|me|en|y|quand|meme))* (?:appeler|appeller|apeler|joindre|contacter|telephoner|parler|madresser|sadresser|me tourner|demander de laide)|qui (?:jappelle|on appelle)|` +
		`where (?:do|can|could|should) (?:i|we) (?:call|ring)|ou (?:je peux|on peut|puis je|peut on) (?:appeler|telephoner)|(?:jappelle|on appelle|appeler|joindre|contacter|telephoner a|parler a) (?:qui|quel numero)|` +
		`who(?:m)?(?: else)? (?:can|could|should|do|must|to|would|shall|might|may)(?: (?:i|we|one|someone|somebody|people|teens|parents|kids|a teen|a parent|my son|my daughter|my child|my kid|he|she))?(?: (?:even|just|possibly|best|maybe|please|really|then|now))? (?:` + lineCall + `|reach out to|turn to|(?:speak|talk) (?:to|with)))`
	// lineLead are words that an asking sentence begins with.
	lineLead = `(?:(?:en fait|enfin|actually|well|so|hey|hi|hello|bonjour|salut|coucou|non|no|pardon|sorry|desolee?|ok|okay|oui|yes|alors|du coup|bah|ben|bon|euh|um|mais|but|et|and|donc|then|sinon|a|stp|svp|sil te plait|sil vous plait|please|pls|plz|est ce(?: que| qu)?|(?:je|j) ?(?:ne )?(?:sais|sait) (?:pas|plus|meme pas)|jsp|chais pas|(?:on|je|nous|j) (?:peux|peut|dois|doit|devrais|pourrait|pourrais)|(?:il )?faut|i (?:dont|do not|really dont) know|idk|help|aide moi|aidez moi|maintenant|now|dis|merci|thanks) )*`
	lineEnd  = `(?: (?:stp|svp|sil te plait|sil vous plait|please|pls|plz|now|maintenant|vite|quickly|quelque part|for me|pour moi|pour mon fils|pour ma fille|(?:en|au|aux|in) (?:the )?[^ ]+))*`
)

var (
	lineAsked = lazyregexp.New(`(` + lineWant + `)` + lineGap + lineName + `\b`)
	lineBare  = lazyregexp.New(`^` + lineLead + `(?:(?:un|une|le|la|des|les|a|an|the|some) )?` + lineName + lineEnd + `$`)
	lineShort = lazyregexp.New(`^` + lineLead + `(` + lineWant + `)((?: (?:quand meme|aussi|peut etre|pas|maybe|also))?) (?:un|des|de|le|les|un autre|a|any|some|the|another) (?:numeros?|num|numbers?|lignes? telephoniques?|phone numbers?)` + lineEnd + `$`)
	lineBrief = lazyregexp.New(`^(?:un|a) (?:numero|num|number) (?:stp|svp|sil te plait|sil vous plait|please|pls|plz)$`)
	whomAsked = lazyregexp.New(`(?:^|[^ ]+ )?` + lineWhom + `\b`)
	lineBegin = lazyregexp.New(`^` + lineLead + `(?:` + lineWant + `|` + lineWhom + `|(?:(?:un|une|le|la|des|les|a|an|the|some) )?` + lineName + `)`)
	// ofNobody stand before “à qui parler” where nobody is asked for a number.
	ofNobody = lazyregexp.New(`^(?:personne|quelquun|qqn|qqun|gens|amie?s?|nobody|noone|one|somebody|someone|anyone|anybody|sais|know|told|tell)$`)
	// declined is a want that the words behind it turn down; ofOwn is a number of somebody's.
	declined = lazyregexp.New(`\b(?:pas|plus|jamais|aucune?|not|no|dont|never)\b`)
	ofOwn    = lazyregexp.New(`\b(?:son|sa|ses|mon|ton|votre|his|her|their|your|my) (?:nouveau |new |phone )?(?:numeros?|num|numbers?|tel)\b`)
	politely = lazyregexp.New(`^(?:tu|vous|t|y|ya|il y|existe|as|aurais|avez|auriez|connais)`)

	ofAbuse  = lazyregexp.New(`\b(?:violences?|violente?s?|viols?|abus|abuse[sdr]?|abusive|frappe[srz]?|tape[srz]?|bat|battue?s?|hits?|hitting|beats?|beaten|agress[a-z]*|assault[a-z]*|harcel[a-z]*|maltrait[a-z]*)\b`)
	ofPoison = lazyregexp.New(`\b(?:poisons?|antipoisons?|poisoned|poisoning|intoxi[a-z]*|empoisonn[a-z]*)\b`)
)

// asksLines says that a message asks in words for a number or whom to call, in either language; rest is what it says
// beside the sentences that begin with that.
func asksLines(message string) (yes bool, rest string) {
	for _, sentence := range sentences(message) {
		words := strings.Join(wordsIn(sentence), " ")
		if len(words) > longestAsked || !asksLine(words) {
			rest += sentence
			continue
		}
		if yes = true; !lineBrief.MatchString(words) && !lineBegin.MatchString(words) {
			rest += sentence // “I feel awful who can I call”
		}
	}
	return yes, strings.TrimSpace(rest)
}

func asksLine(words string) bool {
	if ofOwn.MatchString(words) {
		return false
	}
	if lineBare.MatchString(words) || lineShort.MatchString(words) || lineBrief.MatchString(words) {
		return true
	}
	if m := lineAsked.FindStringSubmatch(words); m != nil && (politely.MatchString(m[1]) || !declined.MatchString(m[2])) {
		return true
	}
	at := whomAsked.FindStringIndex(words)
	if at == nil {
		return false
	}
	before, _, _ := strings.Cut(words[at[0]:at[1]], " ")
	return !ofNobody.MatchString(before) || strings.HasSuffix(words[:at[0]], "dont ") || strings.HasSuffix(words[:at[0]], "not ")
}

// helpLines are the reviewed lines of where somebody lives, in words for them; told is what the message says beside asking.
func (c *companion) helpLines(t *graph.Task, talk Conversation, told string) (string, error) {
	words, message := safety.Language(language(t)), ChannelMessage.Get(t.State)
	young := t.Run.Vars[audienceVar] == youngAudience
	here, _, _, _ := c.placeIn(message, language(t), "")
	beside, _, _, _ := c.placeIn(told, language(t), "")
	said, _ := c.saidBy(t, talk)
	code := cmp.Or(c.placeNamed(message), here.ID, beside.ID, said)
	if d, ok := t.Dependencies.(*turn.Dependencies); ok && code == "" && d.Region != talk.Left {
		code = d.Region
	}
	r := safety.RegionOf(code)
	topics := []safety.Topic{safety.ForChildren, safety.ForSuicide}
	switch plain := plainWords(message); {
	case ofPoison.MatchString(plain):
		topics = []safety.Topic{safety.ForPoison}
	case ofAbuse.MatchString(plain):
		topics = []safety.Topic{safety.ForChildren, safety.ForAbuse, safety.ForSuicide}
	}
	var list []string
	for _, l := range r.For(safety.Help{Language: words, Informal: young}, topics...) {
		list = append(list, "- "+l.In(words))
	}
	for _, w := range r.Web {
		if len(w.For) == 0 {
			list = append(list, "- "+w.Name)
		}
	}
	name, values := "lines_answer", []string{"region", r.Name.In(words), "lines", strings.Join(list, "\n"), "emergency", r.Emergency.In(words)}
	switch {
	case code == elsewhere:
		name = "lines_elsewhere"
	case r.Choose:
		name = "lines_unplaced"
	}
	answer, err := c.say(t, name, values...)
	if young {
		answer = toYoung.Replace(answer)
	}
	return answer, err
}

// placeNamed is the country for which a message asks, whoever lives there: “un numéro en Belgique”.
func (c *companion) placeNamed(message string) (code string) {
	not, _ := c.notThere(message)
	words := wordsIn(message[:min(len(message), longestRight)])
	for i, w := range words {
		if !slices.Contains(placeBefore, w) {
			continue
		}
		after := words[i+1:]
		if len(after) > 0 && slices.Contains([]string{"the", "la", "le", "les"}, after[0]) {
			after = after[1:]
		}
		for n := min(len(after), longestCountry); n > 0; n-- {
			name := strings.Join(after[:n], " ")
			id := c.country(name)
			if id == "" || id == not || strings.EqualFold(name, id) && !strings.Contains(message, id) { // “for us” is no country
				continue
			}
			code = id
			break
		}
	}
	return code
}

// placeBefore stand before a country, which has at most longestCountry words.
var placeBefore = strings.Fields("en au aux in for pour de du from of")

const longestCountry = 4

// toYoung puts the French of the lines, which is for everybody, to a young person.
var toYoung = strings.NewReplacer("appelez le ", "appelle le ", "votre numéro", "ton numéro", "puis tapez", "puis tape", "et tapez", "et tape", "NON CONFIRMÉ", "non confirmé", "NOT CONFIRMED", "not confirmed")
