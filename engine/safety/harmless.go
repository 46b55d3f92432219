package safety

import (
	"strings"

	"holdpoint/engine/lazyregexp"
)

// mostHarmless is how many words a message has that is read for what is ordinary in it, though it has the words of danger.
const mostHarmless = 30

var (
	// anaesthetic is a sleep that a doctor makes, fearsSleep the fear not to wake from it. Who hopes for that is heard.
	anaesthetic = lazyregexp.New(`\b(?:an(?:a)?esthe\w+|anest\w+|sedat\w+|surgery|surgeries|operation|operated|(?:my|the|an) op|colonoscopy|endoscopy|gastroscopy|c section|caesarean|cesarean|epidural|procedure|propofol|wisdom teeth|mri|transplant|bypass|` +
		`l?anesthesies?|l?anesthesiste|sedations?|l?operation|l?operer|opere\w*|coloscopie|l?endoscopie|fibroscopie|cesarienne|peridurale|intervention|chirurgie|bloc|dents de sagesse|greffe|pontage)\b`)
	fearsSleep = lazyregexp.New(`\b(?:(?:not|never|dont|wont|doesnt|didnt|without) (?:\w+ )?(?:wake|waking|wakes|woken|woke)|(?:pas|jamais|plus) (?:me |se )?(?:reveill\w+)|(?:me|se|mon) reveill\w+ (?:\w+ )?(?:pas|plus|jamais))\b`)
	fear       = lazyregexp.New(`\b(?:afraid|scared|frightened|terrified|nervous|anxious|worried|worry|fear\w*|panic\w*|dread\w*|what if|chances?|risks?|likely|odds|possible|happens?|peur|crains|craint|angoiss\w*|stress\w*|terrifi\w*|inquiet\w*|et si|risques?|chances|probabilite|possible|effraye\w*|redoute)\b`)
	longs      = lazyregexp.New(`\b(?:hop(?:e|es|ing)|wish\w*|want\w*|rather|glad|relief|relieved|pray\w*|better|kill\w*|suicid\w*|end (?:it|my|everything)|goodbye|pills|tablets|espere\w*|souhait\w*|voudrai\w*|veux|envie|tant mieux|soulag\w*|prie|tuer|finir|adieu|comprimes|cachets)\b`)

	// pillsMany are more medicines than somebody would like to take, burden that it is of the days. Who took them is heard.
	pillsMany = lazyregexp.New(`\b(?:(?:too|so|that) many|all (?:these|those|of these|this|my)|(?:fewer|less|number of)|trop(?: de| d)?|tant de|tous (?:ces|mes|les)|toutes ces|moins de|nombre de) (?:\w+ ){0,2}?(?:pills|tablets|medicines|medications|meds|medication|capsules|comprimes|cachets|medicaments|medocs|gelules|pilules)\b`)
	burden    = lazyregexp.New(`\b(?:every (?:\w+ )?(?:day|morning|evening|night)|each (?:day|morning|evening)|a day|per day|daily|in my day|can (?:we|you|i|he|she|the doctor|my doctor|any|some)|could (?:we|you|i|he|she|her doctor|his doctor)|stop some|some of them|cut (?:them )?(?:down|back)|reduce|deprescrib\w*|still need|do i need|need them all|swallow(?:ing)? (?:them|all)|remember|keep track|organi[sz]er?|prescribed|doctor|review|par jour|chaque|tous les (?:jours|matins|soirs)|arreter|en arreter|diminuer|reduire|alleger|ordonnance|pilulier|docteur|medecin|encore besoin|utiles?)\b`)
	tookThem  = lazyregexp.New(`\b(?:took|taken|swallowed|downed|overdos\w*|od|odd|have had|have just|ive just|just had|tonight|last night|this morning|right now|at once|in one go|kill\w*|die|dying|dead|end (?:it|my|everything)|suicid\w*|goodbye|sleep forever|alone|hoard\w*|saved|saving|stash\w*|lethal|enough|accident\w*|mistake|sick|dizzy|vomit\w*|drowsy|ai (?:\w+ )?(?:pris|avale|gobe)|jai|a (?:pris|avale|gobe)|viens|vient|ce soir|cette nuit|maintenant|dun coup|surdose|mourir|mort|tuer|finir|adieu|garde|cache|assez|erreur|vomi\w*|malaise|somnol\w*)\b`)

	// vitamins of which one more harms nobody, taken otherwise than to harm.
	vitamins = lazyregexp.New(`\b(?:vitamin|vitamins|vitamine|vitamines|multivitamins?|omega|probiotics?|probiotiques?|magnesium|zinc|collagen|collagene|biotin|biotine|folic acid|acide folique|ampoule de vitamine)\b`)
	harder   = lazyregexp.New(`\b(?:whole|entire|bottle|flacon|box|boite|packet|all|tout|toute|toutes|tous|handful|poignee|\d{2,}|lots|kill\w*|die|dying|dead|suicid\w*|end (?:it|my|everything)|hurt|goodbye|iron|fer|paracetamol|tylenol|doliprane|aspirin\w*|ibuprofen\w*|morphine|opioid\w*|insulin\w*|insuline|sleeping|somniferes?|antidepress\w*|warfarin\w*|benzo\w*|xanax|valium|bleach|javel|alcohol|vodka|mourir|tuer|finir|adieu|vomit\w*|vomi\w*|unconscious|wake|reveill\w*|breath\w*|respir\w*|convuls\w*|seizure|toddler|baby|bebe|child|enfant|year old|yo|ans|depress\w*|triste|hopeless|alone|seule?)\b`)

	// machines are what people would like to end, smash or throw out of the window.
	machines  = lazyregexp.New(`\b(?:printer|photocopier|copier|scanner|fax|computer|laptop|router|wifi|keyboard|toner|software|l?imprimante|photocopieuse|l?ordinateur|ordi|clavier|box internet|logiciel|fax)\b`)
	destroys  = lazyregexp.New(`\b(?:end it|kill (?:it|the|this|that|my)|kills? me|killing me|murder|smash|throw it|out of the window|shoot it|die[sd]?|dead|dying|mad|crazy|nuts|insane|la tuer|me tue|me tuer|la jeter|jeter par|par la fenetre|lexploser|morte?|rend folle|rend fou|lachever|(?:en )?finir avec)\b`)
	ownDanger = lazyregexp.New(`\b(?:myself|suicid\w*|my life|my wrist|pills|tablets|overdos\w*|gun|rope|knife|goodbye|want to die|wanna die|hopeless|hurt|him|her|them|he|she|they|me (?:suicider|pendre|jeter|foutre|couper)|ma vie|veux mourir|envie de mourir|comprimes|cachets|corde|couteau|fusil|adieu|il|mes jours|tonight|note|farewell)\b`)

	// placeOfDeath is a wish for where to die, of whom an illness ends; dyingNow is more than that.
	placeOfDeath = lazyregexp.New(`\b(?:die|dying|pass away|spend (?:my|his|her) last (?:days|weeks|hours)|mourir|finir (?:mes|ses) jours|meteindre|partir|deceder) (?:\w+ ){0,2}?(?:at home|in (?:my|our) (?:own )?(?:bed|home|house)|in peace at home|in (?:the |a )?hospice|chez (?:moi|nous)|a (?:la maison|domicile)|dans mon (?:propre )?lit|en soins palliatifs)\b`)
	dyingNow     = lazyregexp.New(`\b(?:tonight|today|now|tomorrow|soon|this (?:week|weekend|evening)|alone|pills|tablets|meds|overdos\w*|rope|gun|knife|gas|razor|kill\w*|suicid\w*|hang\w*|jump\w*|sleep forever|goodbye|sorry|note|nobody|no one|cant|going to|gonna|will die|about to|plan\w*|decided|hate|morphine|insulin|patches|doses|hoard\w*|saved|stash\w*|stock\w*|hopeless|tired of (?:living|life)|want it over|ce soir|cette nuit|demain|maintenant|bientot|aujourdhui|seule?|comprimes|cachets|medicaments|corde|fusil|couteau|gaz|lame|tuer|suicid\w*|pendre|sauter|adieu|pardon|lettre|personne|jen peux|peux plus|vais mourir|jvais|decide|prevu|finir avec|en finir|marre|deteste|pour toujours|insuline|patchs|ampoules|garde|gardee?s?|cache\w*|stocke\w*|reserve)\b`)
)

// ordinary is the most that a message asks for which has the words of danger and is an everyday one: the fear not to
// wake from an anaesthetic, the complaint of many medicines, a vitamin, a printer ask for nothing; the wish where to die
// asks whether all is well, as a palliative nurse would.
func ordinary(text string) Level {
	if wordsOf(text, mostHarmless) > mostHarmless {
		return Intervene
	}
	said := strings.Join(scanned(text), " ")
	switch {
	case anaesthetic.MatchString(said) && fearsSleep.MatchString(said) && fear.MatchString(said) && !longs.MatchString(said),
		pillsMany.MatchString(said) && burden.MatchString(said) && !tookThem.MatchString(said),
		vitamins.MatchString(said) && !harder.MatchString(said),
		machines.MatchString(said) && destroys.MatchString(said) && !ownDanger.MatchString(said):
		return Calm
	case placeOfDeath.MatchString(said) && !dyingNow.MatchString(said):
		return CheckIn
	}
	return Intervene
}
