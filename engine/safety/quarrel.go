package safety

import (
	"slices"
	"strings"

	"holdpoint/engine/lazyregexp"
)

// How a parent tells that their children hit each other, as package safety scans words: lower
// case, no accents, no apostrophes. Who strikes is a child of the writer's, with nothing between
// them and what they do, and who is struck is another child.
const (
	ofTheirs = `(?:my|our|the|both|mon|ma|mes|notre|nos|les|le|la|l)`
	ofWhich  = `(?: (?:two|three|four|five|six|seven|eight|nine|ten|little|big|older|younger|eldest|oldest|youngest|middle|small|own|other|twin|year|yr|yo|old|and|\d{1,2}|\d{1,2}yo|deux|trois|quatre|petit|petite|petits|petites|grand|grande|grands|grandes|plus|jeune|jeunes))*`
	child    = `(?:son|sons|daughter|daughters|kid|kids|child|children|childs|toddler|toddlers|boy|boys|girl|girls|eldest|oldest|youngest|twin|twins|one|ones|old|olds|yo|\d{1,2}yo|preschooler|tween|teen|teenager|` +
		`fils|fille|filles|enfant|enfants|gamin|gamine|gamins|gosse|gosses|garcon|garcons|aine|ainee|aines|cadet|cadette|jumeau|jumeaux|jumelle|jumelles|grand|grande|grands|petit|petite|petits|dernier|derniere|ado|ados)`
	between = `(?: (?:keeps?|kept|always|just|only|has|have|had|will|often|sometimes|again|constantly|is|are|was|were|been|started|likes?|loves?|tends?|to|from|who|that|still|now|actually|also|even|regularly|really|suddenly|once|all|both|wont|stop|dont|cant|at|home|ages?|aged|\d{1,2}|years?|old|` +
		`a|ont|qui|se|s|sest|lui|encore|toujours|souvent|parfois|juste|aussi|de|ans|n|ne|arrete|arretent|pas|continue|continuent|commence|commencent|adore|aime|passe|passent|son|leur|temps|vient|viennent|sont|etait|etaient|va|vont|sur))*`
	strikes = `(?:hits?|hitting|slap(?:s|ped|ping)?|smack(?:s|ed|ing)?|push(?:es|ed|ing)?|shov(?:e|es|ed|ing)|kick(?:s|ed|ing)?|punch(?:es|ed|ing)?|bit|bites?|biting|bitten|scratch(?:es|ed|ing)?|pinch(?:es|ed|ing)?|whack(?:s|ed|ing)?|poke[sd]?|poking|pulls?|pulled|pulling|fights?|fought|fighting|wrestl(?:e|es|ed|ing)|` +
		`(?:beats?|beating) (?:each|one|the (?:crap|hell|living))|tape|tapes|tapent|taper|tapee|tapait|frappe|frappent|frapper|frappee|gifle|gifler|giflent|mord|mordent|mordre|mordu|mordue|pousse|poussent|pousser|griffe|griffent|griffer|pince|pincent|pincer|tire|tirent|tirer|battent|battre|battu|battus|battues|mordus|tapes|frappes|bagarre|bagarrent|bagarrer|disputent|chamaillent|cogne|cognent|donn(?:e|es|ent|er|ait) (?:des|un|une|plein de) (?:coups?|gifles?|claques?|tapes?))`
	another = `(?:his|her|their|the|a|my|our|sa|son|ses|leur|leurs|le|la|les|mon|ma|mes)` + ofWhich + `(?: (?:baby|half|step|demi))? (?:brothers?|sisters?|siblings?|bro|sis|cousins?|frere|freres|soeur|soeurs|soeurette|frangin|frangine|bebe|baby|babys|babies|` + child + `)`
)

var (
	// struck tells it with who strikes named; struckBy with a pronoun, beside a child that is named elsewhere.
	struck   = lazyregexp.New(`(?:^| )` + ofTheirs + ofWhich + ` ` + child + `(?: (?:de \d{1,2} ans))?` + between + ` ` + strikes + `(?: |$)`)
	struckBy = lazyregexp.New(`(?:^| )(?:he|she|hes|shes|they|il|elle|ils|elles)` + between + ` ` + strikes + ` ` + another + `(?: |$)`)
	ofOurs   = lazyregexp.New(`(?:^| )(?:my|our|mon|ma|mes|notre|nos)` + ofWhich + ` ` + child + `(?: |$)`)
	// whom says who is struck: a child, or each other.
	whom = lazyregexp.New(`(?:^| )(?:` + another + `|each|one another|themselves|fight|fights|fighting|fought|se|sest|s)(?: |$)`)
	// ownBlow is one by the writer, or against them.
	ownBlow = lazyregexp.New(`(?:^| )(?:(?:i|ive|id|we)(?: (?:cant|cannot|dont|didnt|do|did|not|wont|stop|keep|have|had|just|then|even|also|sometimes|always|nearly|almost|want|to|so|could|might)){0,4} ` + strikes +
		`|(?:je|j|jai|jvais|on)(?: (?:lai|les|le|la|lui|ai|a|vais|peux|ne|pas|mempeche|de)){0,4} (?:tape|tapes|frappe|frappes|gifle|secoue|cogne|tapee|frappee|taper|frapper|gifler|secouer))(?: |$)`)
)

// grave are words of more than a quarrel, or of somebody who is no child of the writer's.
var grave = wordSet(strings.Fields(`
	me myself us ourselves moi nous himself herself itself themself
	husband wife partner boyfriend girlfriend bf gf ex father dad daddy stepdad stepfather mother mum mom mommy stepmum stepmom stepmother parent parents uncle aunt grandfather grandmother grandad granddad grandpa grandma nan gran
	nanny babysitter sitter minder carer teacher coach neighbour neighbor man men woman women guy friend friends lodger landlord boss nephew niece colleague somebody someone anyone stranger pastor priest brotherinlaw fiance
	mari femme compagne compagnon conjoint copain copine pere papa beaupere mere maman bellemere parents oncle tonton tante papi mamie grandpere grandmere nounou nourrice babysitter voisin voisine prof maitresse maitre animateur coach homme hommes dame monsieur ami amis neveu niece quelquun beaufrere
	blood bloody bleed bleeds bleeding bled knife knives scissors stab stabs stabbed stabbing choke chokes choked choking strangle strangled strangles strangling throttle smother smothered suffocate suffocated drown drowned unconscious fainted collapsed passed unresponsive breathe breathing breath blue
	broke broken fracture fractured hospital er ambulance emergency surgery stitches concussion concussed bruise bruises bruised bruising injury injuries injured injure wound wounds wounded swollen scar scars seizure dead die dies died dying death kill kills killed killing murder
	gun weapon weapons belt hammer bat stick rod bottle brick axe stairs window fire burn burned burnt burns boiling pillow poison rope scared afraid terrified frightened fear fears fearful terrifies scares terror danger dangerous violent violence abuse abused abusive rape raped molest molested sexual sexually naked touch touched touches touching pants private privates underwear genitals
	police court threatens threatened threatening threat threats suicide suicidal wake waking severe severely seriously badly brutal brutally unable hide hiding drunk drugs psychosis voices until
	sang saigne saigner saignait couteau couteaux ciseaux poignarde plante etrangle etrangler etranglee etouffe etouffer etouffee noie noyer inconscient inconsciente evanoui evanouie evanouir evanouisse respire respirait respirer bleu bleus
	casse cassee fracture hopital urgences samu pompiers suture sutures commotion blesse blessee blesser blessure blessures gonfle cicatrice mort morte meurt mourir tuer tue tuee tuera meurtre assommer assomme assommee
	arme fusil ceinture marteau batte baton bouteille escalier escaliers fenetre feu brule bruler brulee oreiller poison corde peur terrifie terrifiee effraye danger dangereux violent violente violence maltraite maltraitance viole violer violee sexe sexuel sexuelle culotte nu nue touche touchee toucher attouchements
	police menace menacer menaces suicide suicider reveille gravement serieusement jusqua jusquau jusqua ivre bourre drogue`))

// asking is how a parent speaks of themselves beside it, which is no sign of more.
var asking = lazyregexp.New(` (?:(?:tell|help|advise|show|drives?|driving|give|gives|makes?|making) (?:me|us)|(?:aide|aidez|dis|dites|conseille|conseillez) (?:moi|nous)|(?:me|m|nous) (?:rend|rends|fatigue|epuise|enerve|desespere)|as (?:a )?parents?|comme parents?|in front of (?:me|us)|devant (?:moi|nous)) `)

// mostQuarrel is how many words such a message has.
const mostQuarrel = 40

// quarrel says that a message tells of the writer's own children who hit each other, and of
// nothing graver. It is asked about at most: to be taken for one who is beaten, or beats, stops a
// parent who wants to know what to say at breakfast. Whoever is afraid, hurt or grown up in it, or is the
// writer, is heard as ever.
func quarrel(text string) bool {
	said := strings.ReplaceAll(strings.Join(scanned(text), " "), "œ", "oe")
	words := strings.Fields(asking.ReplaceAllString(" "+said+" ", " "))
	if len(words) > mostQuarrel || slices.ContainsFunc(words, func(w string) bool { return grave[w] }) {
		return false
	}
	said = strings.Join(words, " ")
	if ownBlow.MatchString(said) || siblingOfWriter.MatchString(said) {
		return false
	}
	return struck.MatchString(said) && whom.MatchString(said) || struckBy.MatchString(said) && ofOurs.MatchString(said)
}

// siblingOfWriter is a brother or sister of who writes: a child tells of home then.
var siblingOfWriter = lazyregexp.New(`(?:^| )(?:my|our|mon|ma|mes|notre|nos)` + ofWhich + `(?: (?:baby|half|step|demi))? (?:brothers?|sisters?|siblings?|bro|sis|frere|freres|soeur|soeurs|frangin|frangine)(?: |$)`)
