package safety

import (
	"regexp"
	"slices"
	"strings"

	"holdpoint/engine/lazyregexp"
)

// Follow is how a message goes on after help about another person.
type Follow int

// The ways.
const (
	Elsewhere Follow = iota // thanks, other business, or nothing that tells
	GoesOn                  // it asks what to do, or tells more of the same person
	AllSafe                 // it says that the person is safe, or that others are with them
)

// mostFollow is how many words such a message has at most: who writes more is read for what they write.
const mostFollow = 40

// The people and places of words below, as a scan has them: small letters without marks, apostrophes left out.
const (
	thirdWords = `he|she|they|hes|shes|theyre|hed|shed|theyd|hell|shell|theyll|him|her|them|his|their|himself|herself|somebody|someone|nobody|il|elle|ils|elles|lui|eux|quil|quelle|quils|quelles|leur|leurs|sa|ses|son|sest|setait`
	rescuers   = `police|policeman|policemen|policewoman|cops?|officers?|ambulance|paramedics?|medics?|ems|firefighters?|firemen|fire brigade|rescuers?|emergency services|crisis team|security|help|policiers?|gendarmes?|gendarmerie|pompiers?|samu|smur|secours|secouristes?|ambulanciers?|urgentistes?`
)

// scenes are things and people that such an emergency is told by, where nobody is named.
var scenes = wordSet(strings.Fields(`gun guns rifle pistol shotgun weapon weapons knife knives blade rope noose pills police ambulance paramedics paramedic officers cops firefighters neighbours neighbors neighbour neighbor
door window roof bridge balcony ledge tracks line voicemail family relatives parents proches famille loaded screaming shouting gunshot gunshots shots
fusil pistolet arme armes couteau lame corde cachets pompiers samu gendarmes voisins voisine voisin porte fenetre toit pont balcon rails ligne repondeur chargee secours cris hurlements hurle`))

var (
	// asksWhatToDo, with nothing else to it, and asksFirst, which is told by whom it is about.
	asksWhatToDo = lazyregexp.New(`\bwhat (?:\w+ )?(?:should|shall|do|can|could|must|would|might) (?:i|we|you) (?:\w+ )?(?:do|say|tell|try|ask|answer|suggest|recommend|advise|advice)\b|\bwhat (?:am i|are we|im|i am|im i) (?:\w+ )?to (?:do|say)\b|\b(?:know|idea|sure|me|us|unsure) what (?:\w+ )?(?:to|i should|we should|i can|i must) (?:do|say|try)\b|^(?:so )?what to do\b` +
		`|^(?:so |and |but |ok |okay |now )*(?:what (?:now|next|then|else)|now what|and now|then what)\b|\bwhat (?:happens|comes) (?:now|next|then)\b|\bwhat (?:are|is|s) (?:my|our|the) (?:options?|next steps?|first steps?|best thing)\b|\bwhat if (?:` + thirdWords + `)\b` +
		`|\bhow (?:do|can|could|should|shall|must|might|to) (?:(?:i|we) )?(?:\w+ )?(?:help|stop|calm|handle|respond|react|act|save|protect|reach|convince|persuade|intervene|deal|proceed|de escalate|deescalate)\b|\bhow (?:should|do) (?:i|we) go on\b|\b(?:can|could|will|would|should|when will|when are|where are|are) (?:the )?(?:` + rescuers + `)\b|\bhow (?:fast|long|soon|quickly) (?:\w+ ){0,4}(?:wait|arrive|get (?:here|there)|come|take (?:to|them)|be here|ambulance|police)\b|\bis it (?:ok|okay|safe|better|best|wise|right|dangerous|a good idea) (?:to|if i|if we) (?:\w+ )?(?:hang|leave|call|go|wait|stay|talk|ask|tell|let|send|enter)\b` +
		`|\b(?:should|shall|do|must|can|could|may|ought|have|need) (?:i|we) (?:\w+ ){0,3}(?:call|ring|phone|dial|go|stay|leave|wait|report|alert|warn|contact|intervene|enter|evacuate|notify|hide|run|restrain|confront|approach|involve|inform|drive|come|hang up|send|break)\b|\b(?:i|we) should (?:\w+ )?(?:call|ring|phone|go|stay|leave|wait|report|alert|warn|contact|intervene)\b|\bam i allowed\b|\banything (?:else )?(?:i|we) (?:can|could|should) do\b|\bwhat (?:can|could|should) be done\b|\bwhats? (?:is )?the (?:\w+ )?(?:first|best|right|next|safest|procedure|protocol|plan)\b` +
		`|\b(?:who|whom) (?:\w+ ){0,3}(?:call|ring|phone|contact|alert|inform|notify|warn|turn to|talk to)\b|\b(?:which|what) number\b|\b(?:any|some|your|need|want|give me) (?:advice|suggestions?|guidance|ideas?|help)\b|^(?:advice|guidance|suggestions?|please advise)\b` +
		`|^(?:please |somebody |someone )?help(?: (?:me|us|him|her|them))?(?: (?:please|now|quick|quickly))?$|\b(?:can|could|will|would) (?:you|anyone|anybody|someone|somebody) (?:please )?(?:help|advise)(?: (?:me|us|him|her|them))?(?: (?:please|now))?$|^(?:i|we) need (?:your )?help\b` +
		`|\b(?:que|quoi|quest ce que?|quest ce quon|ce que|keske|kesk|ke|koi) (?:\w+ ){0,2}(?:faire|fais|fait|dire|dis|reponds|repondre)\b|\b(?:faire|fais|fait|fera|dire|dis|dit|conseilles?|conseillez|proposes?|proposez|suggerez|suggeres|recommandez|recommandes|tente|essaie|essaye|feriez|ferais|reponds) (?:quoi|koi)\b|\bquoi (?:faire|dire|tenter)\b|\bque (?:me |nous )?(?:conseillez|conseilles|feriez|recommandez|suggerez|dois|puis|peut|faut|devrais|devons|pouvons)\b|\bque ferais tu\b` +
		`|^(?:et )?(?:maintenant|ensuite|apres|alors|la)$|^et (?:maintenant|ensuite|apres|la|alors|si|sil|sils)\b` +
		`|\bcomment (?:\w+ ){0,3}l?(?:aider|calmer|reagir|raisonner|intervenir|proteger|sauver|empecher|convaincre|joindre|parler|apaiser|rassurer|gerer|agir|repondre|aide|calme|reagis|reagit|gere)\b` +
		`|\b(?:dois|devons|doit|devrais|devrait|faut|puis|peut|peux|pouvons|devrions|vaut) (?:\w+ ){0,4}l?(?:appeler|prevenir|rester|aller|partir|entrer|attendre|raccrocher|rappeler|laisser|signaler|alerter|intervenir|contacter|avertir|evacuer|sortir|envoyer|maitriser|fuir|cacher|deplacer|quitter|rompre)\b|\bquelle est la (?:\w+ )?(?:marche|procedure|conduite|demarche|chose)\b|\bquelque chose (?:a|que je (?:peux|puisse)) faire\b` +
		`|\b(?:jappelle|on appelle|jy vais|on y va|je reste|je rappelle|je previens|on previent|jattends) (?:qui|la police|les pompiers|le samu|le 15|le 17|le 18|le 112|les secours|ou)\b|\bqui (?:\w+ ){0,3}(?:appeler|prevenir|contacter|joindre|alerter|avertir|jappelle)\b|\bquel(?:le)? numero\b|^(?:sil (?:te|vous) plait )?(?:aidez|aide) (?:moi|nous|la|le|les)\b|^(?:a laide|au secours)\b|\bcomment (?:on |je |nous )?(?:fait|fais|faire|faisons)$|^(?:je|on|nous) (?:lui |le |la )?(?:raccroche|raccrochons|reste|restons|attends|attend|evacue|evacuons|entre|y vais|rappelle|appelle|previens|previent|insiste)\b|\bbesoin (?:daide|de (?:votre |ton )?aide|de conseils?)\b|\b(?:un|des|vos|tes) conseils?\b|\bconseillez (?:moi|nous)\b`)
	asksFirst = lazyregexp.New(`\bhow (?:do|can|could|should|shall|to) (?:(?:i|we) )?(?:\w+ )?(?:get|keep|make|find|talk|speak|tell|know|let|bring)\b|\b(?:should|shall|do|must|can|could|may|have|need) (?:i|we) (?:\w+ ){0,3}(?:tell|take|get|keep|ask|talk|text|try|let|bring|hold|lock|search|follow|believe|trust|message|turn|roll|lay|lie|move|lift|wake|shake|cover|give|make|start|press|put|feed|sit|do cpr)\b` +
		`|\b(?:will|is|are|would|could|might) (?:he|she|they|(?:his|her|the|my) \w+) (?:\w+ )?(?:be ok|be okay|be alright|be all right|going to be|going to (?:die|do it|shoot|jump|hurt)|gonna (?:die|do it|shoot|jump|hurt|be)|die|survive|make it|do it|shoot|wake up|hurt)\b|\b(?:va|vont) (?:\w+ ){0,2}(?:mourir|le faire|sen sortir|tirer|sauter|survivre|aller bien)\b|\b(?:dois|faut|puis|peux|est ce que je) (?:\w+ ){0,4}l?(?:dire|parler|prendre|garder|croire|suivre|demander|emmener|enlever|fouiller|enfermer|ecrire|tourner|coucher|allonger|bouger|soulever|secouer|donner|faire vomir|faire boire|masser|mettre|couvrir|reveiller|asseoir|lever|laver)\b`)

	// settled says that somebody is safe, inHands that others look after them.
	settled = lazyregexp.New(`\b(?:safe|unharmed|unhurt|stable|sedated|out of danger|sain et sauf|saine et sauve|sains et saufs|en securite|hors de danger|a labri|va bien|vont bien|va mieux|vont mieux|apaise|apaisee|stabilise|stabilisee|sous controle|under control|rien de grave)\b|\b(?:nobody|no one|personne)(?: \w+){0,2} (?:hurt|harmed|injured|blesse|blessee)\b|\b(?:in good hands|de bonnes mains)\b|\b(?:false alarm|fausse alerte|malentendu|misunderstanding)\b` +
		`|\b(?:` + thirdWords + `|everyone|everybody|everything|tout)(?: \w+){0,4} (?:ok|okay|fine|alright|all right|better|calm|calmer|calmed|asleep|sleeping|calme|calmee|endormi|endormie|dort)\b`)
	inHands = lazyregexp.New(`\b(?:` + rescuers + `|doctors?|nurses?|medecins?|docteur|infirmiers?|infirmieres?) (?:\w+ ){0,3}?(?:here|there|with (?:him|her|them|us)|arrived|came|took|taken|got (?:him|her|them)|have (?:him|her|them)|has (?:him|her|them)|on (?:scene|site)|looking after|taking care|la|avec (?:lui|elle|eux|elles|nous)|arrivee?s?|sur place|d?arriver|emmenee?s?|prise?|en charge|soccupent?|sen occupent?|intervenus?)\b` +
		`|\b(?:is|are|hes|shes|theyre|was|were|been|now|got|est|sont|et) (?:\w+ ){0,2}(?:with|avec) (?:the |a |an |les? |la |des |un |une |son |sa )?(?:` + rescuers + `|doctors?|nurses?|psychiatr\w+|medecins?|infirmiers?|infirmieres?)\b` +
		`|\b(?:in|at|to|into) (?:the |a )?(?:hospital|er|a and e|emergency room|emergency department|icu|custody|psych ward|ward|police station|ambulance)\b|\b(?:admitted|hospitali[sz]ed|sectioned|handed over|disarmed|arrested|restrained)\b` +
		`|\b(?:a|aux|vers) l?(?:hopital|urgences)\b|\b(?:hospitalisee?s?|admise?|internee?|prise? en charge|desarmee?|interpellee?|maitrisee?|(?:ete|est|sont|fait) arretee?s?)\b`)
	// disarmed says that a weapon or pills are out of somebody's reach; alarming are what else is told of them.
	disarmed = lazyregexp.New(`\b(?:(?:i|we|they|ive|weve|theyve|` + rescuers + `|mother|mom|mum|dad|father|wife|husband|sister|brother|friend|staff|nurses?) (?:have |has |just |already )*(?:took|taken|got|removed|hid|hidden)|removed|secured|confiscated|locked(?: away| up)?) (?:away )?(?:\w+ ){0,2}(?:guns?|rifle|pistol|weapons?|knife|knives|blade|rope|pills)\b|\b(?:handed|gave|given|surrendered) (?:\w+ ){0,3}(?:gun|rifle|pistol|weapon|knife|blade|rope|pills) (?:up|over|in|to (?:the )?(?:` + rescuers + `|me|us|staff|nurses?))\b|\b(?:handed|gave|given) (?:me|us|over|up) (?:\w+ )?(?:gun|rifle|pistol|weapon|knife|blade|rope|pills)\b` +
		`|\b(?:gun|rifle|pistol|weapon|knife|pills) (?:is|are|has been|have been|was|were) (?:\w+ )?(?:gone|locked|secured|taken|removed)\b|\b(?:on|jai|ils|elles|nous avons|` + rescuers + `|mere|pere|femme|mari|soeur|frere) (?:lui )?(?:\w+ )?(?:a |ont |ai )?(?:lui )?(?:pris|confisque|retire|enleve|recupere|range) (?:\w+ ){0,2}l?(?:armes?|fusil|pistolet|couteau|lame|corde|cachets)\b|\b(?:ma|nous a|leur a) (?:donne|remis) (?:\w+ ){0,2}l?(?:arme|fusil|pistolet|couteau|lame|corde|cachets)\b`)
	alarming = lazyregexp.New(`\b(?:guns?|rifle|pistol|shotgun|weapons?|knife|knives|blade|shoot|shooting|shot|kill|killing|kills|stab|stabbing|jump|bleed|bleeding|dead|dying|die|screaming|shouting|threatening|armes?|fusil|pistolet|couteau|lame|tire|tirer|tuer|sauter|saigne|mort|morte|mourir|hurle|menace)\b`)
	// unsettled takes back what such words say: a no, a doubt, a time that is not now, what somebody else says.
	unsettled = lazyregexp.New(`\b(?:not|no|never|isnt|arent|wasnt|werent|havent|hasnt|doesnt|dont|cant|wont|yet|unless|until|if|whether|think|guess|hope|hoping|says|said|claims|told|maybe|perhaps|probably|wonder|sure|pretends|would|safe (?:to|for)|better off|still|without|sent|send|before|was (?:fine|ok|okay|safe|better|calm|stable)|` +
		`pas|plus|jamais|ni|aucun|si|pense|crois|espere|dit|disait|pretend|peutetre|peut etre|semble|parait|sans|toujours|avant|etait)\b`)
	// agrees is a yes to the question whether somebody is safe.
	agrees = lazyregexp.New(`^(?:yes|yeah|yep|yup|ya|oui|ouais|ouaip|si|yes yes|oui oui)(?: (?:he|she|they|hes|shes|it|everyone|everybody|il|elle|ils|elles|cest|on|tout le monde) ?(?:is|are|does|lest|le sont|est|bon)?)?(?: now| maintenant)?$|^(?:(?:he|she|everyone|everybody) is|they are|(?:il|elle|tout le monde) lest|(?:ils|elles) le sont)(?: now| maintenant)?$`)

	// business is what people come for otherwise: papers, visits, treatment, complaints, the program.
	business = lazyregexp.New(`\b(?:appointments?|visits?|booking|bookings|slots?|refills?|prescriptions?|referrals?|insurance|insured|bills?|billing|invoices?|copay|labs?|blood (?:test|tests|work|type|pressure|group)|test results?|results?|records?|charts?|notes|summary|summaries|letters?|forms?|certificates?|schedule|calendar|availability|providers?|specialists?|vaccines?|vaccinations?|vaccinated|allerg\w+|dos(?:e|es|age)|diet|exports?|settings?|app|screen|model|trial|trials|papers?|studies|study|guidelines?|history of|` +
		`rendez vous|rdv|rendezvous|visites?|creneaux?|ordonnances?|renouvellement|mutuelle|assurance|factures?|resultats?|analyses?|bilan|dossiers?|courriers?|lettres?|formulaires?|certificats?|agenda|disponibilites?|specialistes?|vaccins?|posologie|regime|reglages?|parametres?|etudes?|recommandations?|antecedents|` +
		`sore|rash|eczema|asthma|diabet\w+|cholesterol|cough|coughs|coughing|flu|fever|headaches?|migraines?|knee|back pain|sprain\w*|toothache|acne|hay fever|eczema|asthme|toux|tousse|fievre|grippe|rhume|migraine|genou|mal (?:au|aux|a la) (?:dos|genou|dents?|gorge|tete|ventre|oreilles?)|angine|entorse|acne|` +
		`prefers?|prefere|preferent|sick notes?|sick leave|arret de travail)\b|\b(?:address|number|email|name|adresse|numero|mail|nom) (?:\w+ )?(?:changed|change|is|est)\b|\bwhat (?:can|do|are|will) you (?:do|able|offer)\b|\b(?:que|quoi|quest ce que) (?:peux|pouvez|sais|savez|fais|faites) (?:tu|vous)\b|\b(?:tu|vous) (?:sais|savez|peux|pouvez) faire\b`)
	// supplies are medicines that are asked for, and asideOf what somebody asks what to do about.
	supplies = lazyregexp.New(`\b(?:needs?|wants?|(?:ran|run|running) out of|prescribed|out of|besoin de|prescrit|prescrite|manque de|plus de)(?: \w+){0,3} d?(?:medications?|medicines?|meds|tablets|metformin|insulin|antibiotics?|inhaler|cream|medicaments?|comprimes|antibiotiques?|insuline|creme|ventoline)\b`)
	asideOf  = lazyregexp.New(`\b(?:do|say|faire|fais|fait|dire|quoi|help) (?:\w+ )?(?:about|for|with|pour|avec|de|du|au sujet) (?:\w+ )?(?:\w+)$`)
	wanting  = lazyregexp.New(`^(?:please |and |also |now |then |ok |so )?(?:(?:can|could|would|will) you (?:please )?|(?:i|we) (?:need|want|would like|d like)(?: you)? to |id like (?:you )?to |help me (?:to )?|lets )?(?:book|cancel|reschedule|move|change|show|list|search|look up|draft|write|print|export|open|remind|order|renew|summari[sz]e|translate|explain|compare|check|update|add|remove|set|pull up|prepare|fill|sign|file|read|plan|arrange)\b` +
		`|^(?:please |and |also )?(?:i|we) (?:need|want|would like) (?:a|an|the|his|her|their|to see)\b|^id like (?:a|an|the)\b` +
		`|^(?:et |sinon |maintenant |ensuite |stp |svp )?(?:(?:peux tu|pouvez vous|pourrais tu|pourriez vous|tu peux|vous pouvez|aidez moi a|aide moi a|je (?:veux|voudrais|souhaite|dois|vais)|jaimerais) (?:me |lui |nous )?)?(?:reserve[rz]?|annule[rz]?|montre[rz]?|affiche[rz]?|liste[rz]?|cherche[rz]?|ecris|ecrire|ecrivez|redige[rz]?|imprime[rz]?|ouvre|ouvrez|ouvrir|planifie[rz]?|commande[rz]?|renouvele[rz]?|renouvelle|resume[rz]?|traduis|traduire|traduisez|explique[rz]?|compare[rz]?|verifie[rz]?|ajoute[rz]?|supprime[rz]?|prepare[rz]?|programme[rz]?|change[rz]?|modifie[rz]?|deplace[rz]?)\b`)
	// anotherOne is a person whom the help was not about.
	anotherOne = lazyregexp.New(`\b(?:another|next|other|second|new|different|autre|autres|prochaine?|suivante?|nouvelle?|nouveau|deuxieme) (?:patiente?s?|pt|clients?|cliente|residente?s?|person|personne|case|caller|kid|child|enfant|man|woman|friend|amie?|monsieur|dame)\b|\b(?:patiente?|cliente?|enfant|personne) (?:suivante?|prochaine?|dapres)\b`)
	// questions begin like these; those that ask what to do are heard before.
	questions = lazyregexp.New(`^(?:and |but |so |et |mais |sinon |also )?(?:what|whats|which|who|whos|whose|when|where|wheres|why|how|(?:is|are|was|were|does|do|did|can|could|will|would|should|has|have|had) (?:he|she|they|there|this|that|it|his|her|their|the|you|i|we|my)|quoi|que|quel|quelle|quels|quelles|qui est|quand|ou est|ou sont|comment|pourquoi|combien|est ce|estce|quest|a quelle|depuis quand|(?:a|est|prend|va|peut|doit|fait|fume|boit|suit|souffre) (?:t )?(?:il|elle)|(?:il|elle) (?:prend|suit|a) (?:quoi|quel|quelle|quels|quelles))\b`)
	// perceives is what a witness hears, or that a call broke off.
	perceives = lazyregexp.New(`\b(?:i|we) (?:can |could |just )?(?:hear|heard|hearing)\b|\b(?:jentends|on entend|jai entendu)\b|\b(?:the )?(?:call|line|connection) (?:just )?(?:dropped|ended|cut|died|broke|went|got|is|has)\b|\b(?:ca|ligne|communication|appel|lappel) (?:\w+ )?(?:coupe|coupee|raccroche)\b`)
	thankful  = lazyregexp.New(`\b(?:thanks|thank|thx|ty|cheers|grateful|appreciate|merci|mercii|remercie|bye|goodbye|au revoir|bonne (?:journee|soiree|nuit))\b`)
	// leaves is a farewell that may be told of somebody.
	leaves = lazyregexp.New(`\b(?:bye|goodbye|au revoir)\b`)
	third  = regexp.MustCompile(`\b(?:` + thirdWords + `)\b`)
	own    = wordSet(strings.Fields(`my our mon ma mes notre nos`))
)

// clause is one of a message: its words, and what of the text they are.
type clause struct {
	words []string
	said  string // the words with blanks between
	text  string
}

// clausesOf cuts a text where nothing said before reaches any further.
func clausesOf(text string) (out []clause) {
	tokens := uncorrected.scan(text)
	for i, from := 0, 0; i < len(tokens); i++ {
		if i+1 < len(tokens) && tokens[i+1].clause == tokens[i].clause && tokens[i+1].sentence == tokens[i].sentence {
			continue
		}
		var words []string
		for _, t := range tokens[from : i+1] {
			words = append(words, t.word)
		}
		out = append(out, clause{words, strings.Join(words, " "), text[tokens[from].start:tokens[i].end]})
		from = i + 1
	}
	return out
}

// FollowsHelp reads how a message goes on after help about another person, in English or French. rest is
// what it says beside thanks and beside that somebody is safe.
func FollowsHelp(text string) (how Follow, rest string) {
	if len(strings.Fields(text)) > mostFollow {
		return Elsewhere, text
	}
	var tells, asks, safe, otherwise, doubtful bool
	var left []string
	for _, c := range clausesOf(text) {
		about := third.MatchString(c.said) || names(c.words) || perceives.MatchString(c.said)
		elsewhere := business.MatchString(c.said) || anotherOne.MatchString(c.said) || wanting.MatchString(c.said) || supplies.MatchString(c.said) || !about && asideOf.MatchString(c.said)
		switch {
		case !elsewhere && (asksWhatToDo.MatchString(c.said) || about && asksFirst.MatchString(c.said)):
			asks = true
		case agrees.MatchString(c.said), !elsewhere && (disarmed.MatchString(c.said) || (settled.MatchString(c.said) || inHands.MatchString(c.said)) && !alarming.MatchString(c.said)) && !unsettled.MatchString(c.said) && !questions.MatchString(c.said):
			safe = true
			continue
		case thankful.MatchString(c.said) && !(about && leaves.MatchString(c.said)):
			continue
		case elsewhere, questions.MatchString(c.said):
			otherwise = true
		case about:
			tells = true
			doubtful = doubtful || unsettled.MatchString(c.said)
		}
		left = append(left, c.text)
	}
	rest = strings.Join(left, ". ")
	switch {
	case asks:
		return GoesOn, rest
	case safe && !doubtful:
		return AllSafe, rest
	case tells && !otherwise:
		return GoesOn, rest
	}
	return Elsewhere, rest
}

// names says that a clause has a word for a person or a thing of an emergency that is not the writer's own.
func names(words []string) bool {
	for i, w := range words {
		if scenes[w] && (i == 0 || !own[words[i-1]]) || people[w] {
			return true
		}
	}
	return false
}

// OfWriter says that a message names its writer.
func OfWriter(text string) bool {
	return slices.ContainsFunc(uncorrected.scan(text), func(t token) bool { return writers[t.word] || myself[t.word] })
}
