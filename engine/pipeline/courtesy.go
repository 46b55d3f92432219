package pipeline

import (
	"strings"
	"unicode"

	"holdpoint/engine/lazyregexp"
)

// courtesy is what a message holds that is made of nothing but thanks, agreement, greetings,
// forms of address and the small words between them.
type courtesy struct {
	// acknowledges says that it thanks or agrees; thanks counts a goodbye, too, and agreement what
	// takes note and praises.
	acknowledges, thanks bool
	// answers says that there is a "yes" in it.
	answers bool
}

// acknowledges says whether a text does nothing but acknowledge, and whether it thanks or says
// goodbye. A greeting alone acknowledges nothing, and a bare "yes" is an answer.
func acknowledges(text string) (ack, thanks bool) {
	c, _ := courtesyOf(text)
	return c.acknowledges, c.thanks
}

// Courtesy says whether a text is made of nothing but courtesies, a mere greeting among
// them ("Hello doctor, how are you?"): it says nothing that anybody could need.
func Courtesy(text string) bool {
	_, ok := courtesyOf(strings.ReplaceAll(text, "?", " "))
	return ok
}

// Thanks says whether a text does nothing but thank or say goodbye.
func Thanks(text string) bool {
	_, thanks := acknowledges(text)
	return thanks
}

// mostCourtesy bounds how long a courtesy is, in words and bytes: who goes on for longer says
// something.
const mostCourtesyWords, mostCourtesyBytes = 24, 240

func courtesyOf(text string) (c courtesy, ok bool) {
	if len(text) > mostCourtesyBytes {
		return c, false
	}
	words, ok := plainWords(withoutNames(faces.ReplaceAllString(text, " 🙂 ")))
	switch {
	case !ok || len(words) > mostCourtesyWords:
		return c, false
	case len(words) == 0: // a row of dots
		said := strings.TrimSpace(text) != ""
		return courtesy{acknowledges: said}, said
	}
	written := strings.Join(words, " ") + " "
	for _, said := range []string{written, drawnOut(written, 1), drawnOut(written, 2)} {
		if courteous.MatchString(said) {
			return courtesy{acknowledges: !withoutBoth.MatchString(said) || passing.MatchString(said), thanks: !withoutThanks.MatchString(said), answers: answer.MatchString(said)}, true
		}
	}
	return c, false
}

// drawnOut writes a letter that stands three times or more this many times: "okkk", "soooo", "coool".
func drawnOut(text string, times int) string {
	var b strings.Builder
	runes := []rune(text)
	for i, n := 0, 0; i < len(runes); i += n {
		for n = 1; i+n < len(runes) && runes[i+n] == runes[i]; n++ {
		}
		shown := n
		if n > 2 {
			shown = times
		}
		b.WriteString(strings.Repeat(string(runes[i]), shown))
	}
	return b.String()
}

// withoutNames leaves out the names behind titles ("Thanks Dr Whitlock for your help"). A name
// that something is said of stays: "Thanks, Dr Whitlock sounds good" is a choice.
func withoutNames(text string) string {
	for _, named := range []*lazyregexp.Regexp{titled, abbreviated} {
		for from := 0; ; {
			at := named.FindStringSubmatchIndex(text[from:])
			if at == nil {
				break
			}
			begin, end := from+at[4], from+at[5] // the name
			before, rest := strings.TrimSpace(text[:from+at[2]]), strings.TrimSpace(text[end:])
			from = end
			closed := rest == "" || strings.ContainsAny(rest[:1], ".,!")
			if noName.MatchString(text[begin:end]) || named == abbreviated && !thanking.MatchString(before) || !closed && (before == "" || named == abbreviated || toldOf.MatchString(rest)) {
				continue
			}
			text, from = text[:begin]+text[end:], begin
		}
	}
	return text
}

// plainWords splits a text into lower-case words without accents and single symbols. It refuses
// a question and every sign that carries meaning of its own.
func plainWords(text string) ([]string, bool) {
	var b strings.Builder
	for _, r := range unaccented.Replace(strings.ToLower(text)) {
		switch {
		case unicode.IsLetter(r):
			b.WriteRune(r)
		case r == '\'' || r == '’':
			b.WriteByte('\'')
		case unicode.IsSpace(r) || strings.ContainsRune(".,!;:-–—…()\"«»“”*_", r):
			b.WriteByte(' ')
		case r == '&':
			b.WriteString(" and ")
		case r == '\ufe0f' || r == '\u200d' || r >= 0x1F3FB && r <= 0x1F3FF: // how an emoji is drawn, its skin tone
		case unicode.IsSymbol(r):
			b.WriteString(" " + string(r) + " ")
		default:
			return nil, false
		}
	}
	return strings.Fields(b.String()), true
}

var (
	unaccented = strings.NewReplacer("à", "a", "â", "a", "ä", "a", "ç", "c", "é", "e", "è", "e", "ê", "e", "ë", "e", "î", "i", "ï", "i", "ô", "o", "ö", "o", "ù", "u", "û", "u", "ü", "u", "œ", "oe")
	// faces are smiles and thumbs written with marks.
	faces = lazyregexp.New(`(?:[:;=]-?[)D]|<3|\^\^|(?:^|\s)(?:\+1|10-4[.,!]*))(?:\s|$)`)
	// titled is a name behind a title, abbreviated one in any letters.
	titled      = lazyregexp.New(`(?:^|[^\pL])((?i:dr|doctor|docteure?|mr|mrs|ms|miss|mme|mlle|madame|monsieur|professor|professeure?|prof|nurse))\b\.?((?: (?:van|von|de|der|den|du|des|la|le|el|al|bin|ben))*(?: \p{Lu}(?:['’]\p{Lu}|a?c\p{Lu})?[\p{Ll}'’]+(?:-\p{Lu}[\p{Ll}'’]+)*){1,2})(?:[^\pL]|$)`)
	abbreviated = lazyregexp.New(`(?i)(?:^|[^\pL])(dr|mr|mrs|ms|mme|mlle|prof|doctor|docteure?|nurse|professor)\b\.?( \pL[\pL'’-]{2,})\s*(?:$|[.,!])`)
	// thanking stands before a name in small letters: behind "ok doctor" may stand anything.
	thanking = lazyregexp.New(`(?i)(?:^|[^\pL])(?:thank|thanks|thx|ta|cheers|merci|bye|night|evening|morning|bonjour|bonsoir|revoir)(?:[^\pL]|$)`)
	// noName stands behind a title without being a name.
	noName = lazyregexp.New(`(?i)(?:^| )(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|tomorrow|tonight|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|demain|aujourd['’]hui|january|february|march|april|may|june|july|august|september|october|november|december|` +
		`please|help|call|book|cancel|wait|stop|when|where|what|who|how|why|can|could|and|but|the|then|now|not|never|yes|urgent|pain|hurts?|aide[rz]?|appele[rz]|annule[rz]|reserve[rz]|réserve[rz]|quand|comment|pourquoi|mais|oui|non|maintenant|urgence|douleur|svp|mal)(?: |$)`)
	// toldOf goes on behind a name that it is about.
	toldOf = lazyregexp.New(`(?i)^(?:(?:all|also|just|really|then|too|me|m|nous|te|vous|a|tout|aussi|très|bien)['’\s]+)*(?:sounds?|looks?|seems?|works?|suits?|does|do|helps?|helped|makes?|will|would|should|could|can|is|was|it is|['’]s|est|sera|serait|convient|conviendrait|va|ira|irait|semble|para[iî]t|pla[iî]t|arrange|marche|joue|colle|roule|aide|a)(?:\s|['’]|$)`)
)

// The parts of a courtesy, in words as plainWords writes them. What says how somebody feels or
// where it hurts ("fine", "good", "right") is none by itself, nor is what asks for something.
var parts = strings.NewReplacer(
	`{very}`, `(?:(?:so|very|really|truly|ever so|just|quite|all|pretty|extremely|incredibly|most|absolutely|deeply|greatly|much|too|vraiment|tres|trop|tellement|si|super|hyper|bien|fort|tout a fait|extremement|infiniment|deja|aussi) )*`,
	`{praise}`, `(?:great|perfect|excellent|wonderful|lovely|brilliant|awesome|amazing|fantastic|superb|super|cool|nice|brill|terrific|splendid|marvell?ous|fab|fabulous|neat|sweet|ideal)`,
	`{good}`, `(?:great|perfect|excellent|wonderful|lovely|brilliant|awesome|amazing|fantastic|superb|super|cool|nice|brill|terrific|splendid|marvell?ous|fab|fabulous|neat|sweet|ideal|good|fine|ok|okay|alright|all right|right|kind|helpful|useful|clear|thoughtful|generous|reassuring|convenient|sensible|quick|prompt|patient|understanding|better than i hoped|understood|noted|agreed)`,
	`{help}`, `(?:help|support|time|advice|answers?|reply|replies|response|information|info|patience|kindness|explanations?|suggestions?|recommendations?|care|attention|work|efforts?|assistance|guidance|understanding|details|clarification|update|tips?|heads up|words|service|listening|trouble|concern|input|feedback|summary|message)`,
	`{your}`, `(?:(?:your|the|this|that|these|all|all of|such|so much|a|any) )*`,
	`{bon}`, `(?:parfaite?s?|super|genial|geniale|top|nickel|impec|impeccable|formidable|excellente?|merveilleux|magnifique|chouette|cool|extra|sympa|gentil|gentille|gentils|aimable|adorable|utile|precieux|clair|note|entendu|compris|regle|bon|bien|ok|d'accord|tres bien|rassurant|ideal|une (?:bonne|excellente|super) (?:idee|nouvelle|solution|proposition))`,
	`{aide}`, `(?:(?:l'|d')?(?:aide|reponses?|temps|conseils?|soutien|patience|ecoute|gentillesse|explications?|informations?|infos?|accueil|disponibilite|suivi|attention|reactivite|propositions?|precisions?|retour|rapidite|efficacite|comprehension|sollicitude|bienveillance|travail|accompagnement|renseignements?|message|recommandations?|suggestions?|amabilite|devouement|resume)(?: (?:precieuse?s?|rapides?|efficaces?|claires?))?)`,
	`{votre}`, `(?:(?:votre|ton|ta|vos|tes|tous|toute|tout|la|le|les|cette|cet|ce|ces|une|un|si|grande?|bonne?|precieuse|precieux) )*`,
	`{title}`, `(?:doctor|doc|dr|docteur|docteure|sir|madam|ma'am|maam|miss|ms|mr|mrs|mister|nurse|monsieur|madame|mademoiselle|mme|mlle|messieurs|mesdames|professor|professeure?|prof|team|everyone|everybody|all|folks|guys|boss|chief|captain|chef|patron|man|bro|friends?|mate|buddy|dear|holdpoint|navigator|tous|toutes|tout le monde|l'equipe|toute l'equipe|toi|vous)`,
)

const (
	// thanks and goodbyes
	thanksWords = `(?:(?:many|so many|big|huge|a thousand|a million|heartfelt|warm|a big|a huge) )?(?:thanks|thankyou|thanku|thx|thnx|thanx|thnks|tks|tysm|tyvm|tnx|tq|ty|ta|cheers)(?: (?:a (?:bunch|million|ton|lot)|(?:a )?(?:heaps?|loads|tons)|muchly|ever so))?|thanking you|k ?thx(?:bye)?|danke|gracias|grazie` +
		`|(?:a (?:big|huge) )?thank (?:you|u|ya)|(?:a (?:big|huge) )?thank you|much (?:appreciated|obliged)|appreciated|appreciate (?:it|that|this|you)` +
		`|(?:i|we) {very}(?:thank|appreciate) ?(?:it|that|this|you|{your}(?:{good} )*{help})?` +
		`|(?:i'm|i am|we're|we are)? ?{very}(?:grateful|thankful|obliged)(?: to you)?|(?:that|it|this) means {very}a lot(?: to me| to us)?` +
		`|(?:you're|you are|you were|you've been|you have been) {very}(?:{good}|a (?:great|big|real) help|a star|an angel|a gem|a lifesaver|a legend|the best|a (?:great|wonderful|good) (?:doctor|listener|help))` +
		`|(?:that's|that is|that was|this is|it's|it is|it was|how) {very}{good} of you` +
		`|(?:god )?bless (?:you|ya)|you rock|hats off|chapeau|good ?bye|bye(?: bye)?|tata|ta ta|toodle oo|cheerio|cya|ttyl|see (?:you|ya)(?: soon| later| then| tomorrow| around| there)?|take care|until then|good night|talk (?:to you )?(?:soon|later)|(?:have|enjoy) (?:a |the |your )?(?:rest of )?(?:a |the |your )?(?:{very}{good} )?(?:day|evening|week|weekend|one|night|afternoon|morning)(?: ahead)?|you too|same to you|(?:all the best|(?:kind|best|warm) (?:regards|wishes)|regards)` +
		`|(?:un |mille |encore |encore un |plein de )*(?:grand |tres grand |immense |enorme )?(?:merci|mercis|mrc|merki|cimer|remerciements)(?: (?:beaucoup|bcp|bien|infiniment|enormement|mille fois|encore|tellement|vraiment|d'avance|sincerement|du fond du coeur|de tout coeur))*` +
		`|(?:je|nous) (?:vous |te |t')?(?:en )?(?:remercie|remercions|suis {very}reconnaissante?|sommes {very}reconnaissante?s)(?: (?:beaucoup|infiniment|sincerement|vivement|encore))?` +
		`|(?:c'est|c'etait|que c'est|vous etes|tu es|t'es) {very}(?:gentil|gentille|gentils|aimable|sympa|adorable|chou|un ange|precieux|efficaces?|formidables?|super|top|geniale?)(?: (?:a|de) (?:vous|toi|votre part|ta part))?` +
		`|(?:{very})(?:gentil|gentille|aimable|sympa)(?: (?:a|de) (?:vous|toi|votre part|ta part))?` +
		`|au revoir|a (?:bientot|plus|\+|plus tard|demain|tout a l'heure|tres bientot|la prochaine)|(?:tres |une )?(?:bonne|belle|excellente) (?:fin de )?(?:journee|soiree|nuit|semaine|apres midi|continuation|matinee)|bon (?:week end|weekend|apres midi|courage)|(?:bien )?cordialement|bien a vous|a vous aussi|ciao|tchao|bises?|bisous?|salutations|de meme` +
		`|🙏|❤|♥|💙|💚|💛|💜|🧡|💖|💐|🌸|🌹|🥰|🤗|🫶|👋`
	// agreement, praise, and taking note
	agreeWords = `(?:ok+){1,3}|okay|okey|okie|oki|oke|okies|okily|okely|(?:ok|oka?y|okey|okie|oki|oke|okely|okily) ?(?:dok|doki?e?|dokey|dokay|doke|dokely|dokily)(?: artichoki?e)?|m?'?kay|k|kk|alright|alrighty|aight|all right|all righty|right then|right(?:o|io|ho|y ho|oh|e oh)|right (?:oh|ho|on|you are)|righty? (?:ho|oh|o)|sure|sure thing|for sure|surely|you bet|you got it|by all means|of course|certainly|absolutely|definitely|exactly|indeed|agreed|i agree|deal|fair enough|fair play|fair do'?s|fair|true|true (?:that|enough)|(?:fair )?point taken|fair point|say no more|enough said|so be it|(?:fine|good|great|ok|okay|cool) by (?:me|us)|lovely jubbly|sweet as|(?:very |how |most )?interesting|(?:tres )?interessant|(?:i |i've |i have )?got (?:it|that|you|ya|u)|gotcha|gotchu|gotit|i (?:hear|follow|get) (?:you|ya|u)|i follow|i'm with you|(?:i see|i understand) now|now i (?:see|understand|get it)|i see|i (?:fully |completely |totally )?(?:understand|agree)|i get it|understood|duly noted|noted(?: with thanks)?|(?:message )?received(?: with thanks)?|(?:that's a )?(?:roger|copy)(?: (?:that|this|wilco|over|dodger))?(?: (?:over )?and out)?|wilco|ten four|affirmative|heard|loud and clear|crystal clear|aye aye|will do|as you (?:say|wish|like|suggest)|(?:whatever|if) you say(?: so)?|np|no (?:problemo?|probs?|prob|sweat|bother|biggie|worries|stress|issues?)(?: at all)?|you're {very}welcome|(?:it's )?my pleasure|with pleasure` +
		`|(?:(?:it's|it is|that's|that is|everything's|everything is|we're|we are|s') ?)?all (?:good|set|clear|sorted)(?: (?:here|then|now|with (?:me|us)|on my (?:end|side)))?|we're (?:good|set)|(?:(?:a |two |big |double |many |both )*thumbs? up)(?: (?:from me|from us|to (?:that|this)))?|tip ?top|top ?notch|spot on|nice one|good (?:one|show|call)|cool (?:beans|cool)|coolio|peachy|hunky dory|fine and dandy|dandy|smashing|grand|stellar|phenomenal|sublime|magic|groovy|bravo|hooray|hurray|hurrah|yay|yippee|woo ?hoo|whoop whoop|bingo|legend|(?:a )?star|(?:ha ?){2,}|(?:he ?){2,}|(?:hi){2,}|heh|lol|mdr` +
		`|{praise}|{very}{praise}|(?:sounds?|looks?|seems?) {very}{good}|(?:sounds|looks) like a (?:good |great )?plan|very (?:well|true)|(?:very|so|really|most) {good}|(?:{praise}|good|clear|helpful|useful|kind) {help}|(?:good|great|nice|excellent|lovely|perfect) (?:to know|idea|news|plan|choice|thinking|work|job|stuff|point)|(?:that's|that is|it's|it is|what) (?:an? )?{very}{good} (?:idea|news|plan|choice|point|suggestion|solution)|(?:it was |it's been |a )+pleasure|well done|how (?:kind|nice|lovely|thoughtful)` +
		`|(?:that|this|which|those|these|they|that all|this all|it all) (?:all )?(?:sounds?|looks?|seems?|is|are|was|were|will be|would be) {very}{good}|(?:that's|this's|that'll be|that'd be|those're|they're) (?:all )?{very}{good}(?: (?:with|by|for) (?:me|us))?|(?:it|it's|it is|it would be|it'll be|it will be|everything is|everything's|all is|all's) {very}{good} (?:with|by|for) (?:me|us)|(?:everything is|everything's|all is|all's|it's all|it is all|that's all|all) {very}(?:clear|noted|understood|good)` +
		`|(?:(?:that|this|it|which) )?(?:all )?(?:works|suits|does it|helps|helped|makes sense)(?: {very}(?:a lot|so much|well|fine|great|nicely|perfectly|me|us|a great deal|immensely))*(?: (?:for|to|with) (?:me|us))?|(?:that|this|it) (?:will|would|should) (?:work|suit|do|help)(?: {very}(?:a lot|so much|well|fine|great|nicely|perfectly|me|us))*(?: (?:for|with) (?:me|us))?|that'll (?:work|do|help)|that'd (?:work|help)` +
		`|(?:that's |this is |that is )?(?:exactly|just|precisely) what i (?:needed|wanted|was looking for|hoped for)|what a (?:relief|good idea|great idea|lovely idea)|(?:i'm |i am )?(?:{very})(?:happy|fine|ok|okay|good|cool) with (?:that|this|it)|(?:i )?(?:like|love) (?:that|it|this)|(?:i'm |i am |i )?look(?:ing)? forward to (?:it|that|this)` +
		`|d'accord|daccord|d ?acc?|d'acc?|dacc?|dacodac|d'accodac|o ?k ?d'?acc?|soit|affirmatif|(?:(?:c'est|j'ai|bien|c) )*(?:vu|pige|capte|saisi)|(?:message )?(?:bien )?recu(?: cinq sur cinq)?|cinq sur cinq|message (?:bien )?(?:recu|passe)|pris note|bonne note|(?:j'en |je )?(?:prends|prend) (?:bonne |bien )?note|je note|j'ai (?:bien )?(?:note|recu|pris (?:bonne )?note)|(?:les |un |deux |gros )*pouces? (?:en l'air|leves?|vers le haut|en haut)|au top|tip ?top|nickel chrome|(?:c'est |tout est )?tout (?:bon|ok)|carrement|en effet|ca (?:roule|marche)(?: ma poule| comme ca)?|(?:ne )?(?:t'inquietes?|vous inquietez)(?: pas)?|tkt|entendu|bien entendu|compris|bien compris|j'ai {very}compris|je (?:comprends|vois|note|prends note)|(?:c'est |c |j'ai )?(?:bien )?note|(?:bien )?recu|(?:tres|fort|trop|super|vraiment) {bon}|bien sur|certainement|absolument|exactement|tout a fait|volontiers|avec (?:grand )?plaisir|evidemment|effectivement` +
		`|(?:ca|cela) (?:me |nous )?(?:marche|roule|convient|joue|colle|va|plait|parait bien|semble bien|irait|ira)(?: {very}(?:parfaitement|tres bien|bien|a merveille|beaucoup))? (?:pour|a) (?:moi|nous)|(?:ca|cela) (?:marche|roule|joue|colle|convient|(?:me|nous) (?:marche|roule|convient|va|irait|plait|arrange|aide|parait bien|semble bien))(?: {very}(?:parfaitement|bien|beaucoup|a merveille))?|(?:ca|cela) m'(?:aide|arrange|a {very}aidee?)(?: {very}(?:beaucoup|bien))?|(?:ca|cela) (?:a l'air|semble|parait|sera|serait) {very}{bon}` +
		`|parfaite?|parfaitement|genial|geniale|top|nickel|impec|impeccable|formidable|excellente?|merveilleux|magnifique|chouette|extra|bravo|tant mieux|(?:bonne|excellente|super|tres bonne) (?:idee|nouvelle|chose)|(?:c'est|tout est|c'etait) {very}{bon}(?: pour (?:moi|nous|vous|tout))?|je suis {very}d'accord|va pour (?:ca|cela)|(?:c'est )?(?:exactement |tout a fait |bien |juste )?(?:ce qu'il (?:me|nous) (?:faut|fallait)|ce que je (?:cherchais|voulais))|(?:il n'y a |y a )?(?:pas|aucun|sans) (?:de )?(?:soucis?|problemes?|quoi)|de rien|je vous en prie|je t'en prie` +
		`|👍|👌|🆗|🫡|🤙|👊|✌|🤘|😇|😌|😅|😂|🤣|😆|😎|🤩|😋|🤓|🌷|🌻|🌺|☀|🎊|🥳|✅|🙂|😊|☺|😀|😃|😄|😁|😉|😍|👏|🎉|🙌|💯|🤝|🌟|✨|✔|☑`
	// what is said in passing, and acknowledges where nothing else is said
	passingWords = `h+[ume]*m+(?: ?h+m+)*|m+ ?h+m+|m{2,}|m+h+|(?:a|u|m)h+ ?h(?:a|u)h+|u+h+m+|u+m+|e+r+m+|uh (?:ok|okay)|a+h+|o+h+|a+ha+|o+ho+|o{2,}|wow|euh|heu|bah|ben|beh|tiens|phew|ouf|ah (?:bon|ben)|oh (?:la la|la)|(?:eh|et) ben|bon (?:ben|bah|beh)|(?:all|c'est tout|tout) (?:good|well|clear|bon)|(?:oh|ah|ok) right|right ok|(?:oh|ah) well|eh bien`
	answerWords  = `yes|yep|yea|yeah|yup|yessir|aye|oui|ouais|ouaip|ouep|si`
	// what stands between them
	smallWords = `and|et|du coup|so (?:very )?much|so|that's (?:all|it)|that(?: is|'ll be| will be) all|c'est tout|ce sera tout|nothing else|rien d'autre|(?:for|pour) (?:today|now|the moment|aujourd'hui|le moment)|very much|really|truly|much|a lot|lots|a bunch|a million|then|again|indeed|all|too|as well|ever so|ever|well|good|fine|kind|kindly|helpful|clear|just|oh|ah|aha|wow|hm|hmm|mm|phew|well then|for (?:me|us|now)|(?:from|to) (?:me|us|you)|in advance|once (?:more|again)|bien|bon|alors|donc|eh bien|vraiment|beaucoup|encore|tellement|tout|voila|mille fois|infiniment|pour (?:moi|nous|l'instant)|de (?:ma|votre|notre) part|(?:a|et) (?:vous|toi)(?: aussi)?|d'avance|par avance` +
		`|for {your}(?:{good} )*{help}(?: and {your}(?:{good} )*{help})*|for (?:that|this|it|everything|all|all that|all this|all you do|all you've done|listening|explaining(?: it| that| this)?|helping(?: me| us)?(?: out)?|asking|checking|being {very}{good}|letting me know|getting back(?: to me| to us)?|taking the time|taking care of (?:it|that|this|me|us))` +
		`|(?:pour|de) {votre}{aide}(?: et (?:pour |de )?{votre}{aide})*|pour (?:tout|ca|cela|ceci|tout ca|tout cela|m'avoir (?:bien )?(?:aidee?|ecoutee?|repondu|rassuree?|explique)|nous avoir (?:bien )?(?:aides|ecoutes|repondu)|tout ce que vous (?:faites|avez fait))|(?:de|d') ?(?:m'avoir|avoir) (?:bien )?(?:aidee?|ecoutee?|repondu|explique)|de m'aider|d'avoir (?:pris le temps|repondu)`
	greetWords = `(?:hello|hi|hey|hiya|heya|howdy)(?: there)?|good (?:morning|afternoon|evening|day)|greetings|(?:and )?how are (?:you|things)(?: doing)?(?: today)?|how do you do|how's it going|what's up|whats up|(?:it's |it is )?(?:nice|good|great|lovely|a pleasure|pleased) to (?:meet|see|hear from) you|bonjour|bonsoir|salut|coucou|rebonjour|re bonjour|allo|(?:et )?comment (?:ca va|allez vous|vas tu|tu vas|vous allez)|(?:tu vas|vous allez) bien|ca va|(?:ravie?|enchantee?)(?: de (?:vous|te) (?:rencontrer|connaitre|voir|revoir))?|quoi de neuf|welcome|bienvenue` +
		`|(?:i'm|i am|this is|it's) (?:the |a |an |your |her |his )?(?:[a-z]+ )?(?:nurse|doctor|gp|therapist|midwife|physio|clinician|psychologist|social worker)|je suis (?:l'|la |le |une |un |votre )?(?:infirmiere?|medecin|docteur|psychologue|kine|sage femme|aide soignante?)`
	addressWords = `(?:(?:dear|my|cher|chere|good|a|to|the|whole|mon|ma) )*{title}`
)

// A courtesy as a whole, one that neither thanks nor says goodbye, and one that does not agree
// either; each word is followed by a blank.
var (
	courteous     = madeOf(thanksWords, agreeWords, passingWords, answerWords, smallWords, greetWords, addressWords)
	withoutThanks = madeOf(agreeWords, passingWords, answerWords, smallWords, greetWords, addressWords)
	withoutBoth   = madeOf(passingWords, answerWords, smallWords, greetWords, addressWords)
	passing       = madeOf(passingWords)
	answer        = lazyregexp.New(`\b(?:` + answerWords + `) `)
)

func madeOf(words ...string) *lazyregexp.Regexp {
	return lazyregexp.New(parts.Replace(`^(?:(?:` + strings.Join(words, "|") + `) )+$`))
}
