package safety

import (
	"strings"

	"holdpoint/engine/lazyregexp"
)

// Violence whose object is the writer (“he choked me”, “il m'a serré la gorge”): the writer is in danger, whoever
// else is named, and the help is that against violence. Words are as package safety scans them.
const (
	strikesMe = `(?:chok(?:e|es|ed|ing)|strangl(?:e|es|ed|ing)|throttl(?:e|es|ed|ing)|hits?|hitting|beats?|beating|beaten|batter(?:s|ed|ing)?|slap(?:s|ped|ping)?|smack(?:s|ed|ing)?|punch(?:es|ed|ing)?|kick(?:s|ed|ing)?|bit|bites|burn(?:s|ed|t|ing)?|scald(?:s|ed|ing)?|stab(?:s|bed|bing)?|shov(?:e|es|ed|ing)|pinch(?:es|ed|ing)?|rap(?:e|es|ed|ing)|molest(?:s|ed|ing)?|suffocat(?:e|es|ed|ing)|smother(?:s|ed|ing)?|whip(?:s|ped|ping)?|belt(?:s|ed)|headbutt(?:s|ed)?|thump(?:s|ed|ing)?|attack(?:s|ed|ing)|assault(?:s|ed|ing)|drag(?:s|ged|ging)|tied|ties|chain(?:s|ed)|lock(?:s|ed)|shak(?:e|es|ing)|shook|drown(?:s|ed|ing)?|threaten(?:s|ed|ing)?|kill|shoot|hurts?|hurting|abus(?:e|es|ed|ing)|poison(?:s|ed|ing)?|starv(?:e|es|ed|ing)|forc(?:e|es|ed))`
	ofMe      = `(?:head|face|neck|throat|arms?|wrists?|fingers?|hands?|hair|nose|jaw|ribs?|mouth|belly|stomach|legs?|back|eyes?|skin|chest|teeth)`
	remedy    = `(?:insulin|inhaler|meds?|medication|medications|medicines?|pills|tablets|epipen|glasses|wheelchair|walker|hearing aids?|oxygen|phone|passport)`
	frappeMoi = `(?:frapp\w*|tap(?:e|es|ee|er|ent|ait)|gifl\w*|cogn\w*|bats?|battent|battait|battue?|etrangl\w*|etouff\w*|brul\w*|ebouillant\w*|pouss\w*|bouscul\w*|pinc\w*|secou\w*|viol(?:e|es|ee|er|ent|ait)|menac\w*|tabass\w*|mord\w*|poignard\w*|plant(?:e|ee)|agress\w*|sequestr\w*|enferm\w*|attach\w*|drogu\w*|empoisonn\w*|griff\w*|fouett\w*|train\w*|touche(?:e|r)?|maltrait\w*|tuer|tue|noyer|noie|egorg\w*|prive\w*)`
	demoi     = `(?:gorge|cou|tete|visage|bras|poignets?|doigts?|mains?|cheveux|nez|machoire|cotes?|bouche|ventre|jambes?|dos|yeux|oeil|peau|figure)`
)

var (
	hurtsMe = lazyregexp.New(`\b(?:he|she|they|hes|shes|theyre|who|and|then|(?:my|the|our|a|his|her) (?:\w+ ){1,5}?)(?: ?\w+){0,3}? ?(?:` + strikesMe + ` (?:me|us)\b|` +
		`(?:thr[eo]ws?|thrown|poured|pours|tipped|splashed|chucked|flung|hurled|pointed|points|aimed) (?:\w+ ){1,6}?(?:at|over|on|onto) (?:me|my ` + ofMe + `)\b|` +
		`(?:squeez|twist|grab|crush|br[eo]ke?|bent|pull|yank|cut|slash|slice|cover|hold|held|put|puts|press|push|shov|slam|bang|smash|wrap)\w* (?:\w+ ){0,6}?my ` + ofMe + `\b|(?:push|shov|thr[eo]w|slam|pin|drag|h[eo]ld)\w* me (?:\w+ )?(?:down|against|into|off|out|under|over|up|by|to|through)\b|` +
		`(?:wont|doesnt|never|refuses to|didnt|not) (?:let|lets|letting|allow|give|gives) me (?:\w+ ){0,6}?` + remedy + `\b|(?:hid|hides|hiding|takes?|took|lock|locks|locked|withholds|withheld|flush|flushes|flushed|keeps?|stole|steals|destroys|destroyed|smashed) (?:\w+ ){0,3}?my (?:\w+ ){0,3}?` + remedy + `\b)`)
	notMe = lazyregexp.New(`\b(?:hits?|kicks?|kicked|hitting|beats?|chok\w+|pick\w*|put) me (?:up|out of the|as|that|how|like|to (?:it|the|be|think))\b|\b(?:news|question|truth|heat|song|story|bill|cold|bug|virus|pollen|asthma|pain|thought|idea) (?:\w+ )?(?:hits?|hitting|chok\w+|attack\w*|burn\w*|kill\w*|beat\w*) me\b`)
	// blessee is the same in French; its group is who does it to themselves.
	blessee = lazyregexp.New(`\b(?:(je|jme|tu|vous|nous) (?:ne |n )?)?(?:(?:me|hasme|nous|(?:il|elle|on|qui|mari|mec|copain|copine|ex|conjoint|compagnon|compagne|fils|fille) ma) (?:\w+ ){0,2}?(?:` + frappeMoi + `|(?:serr|tor|attrap|tir|ecras|press|couvr|couvert|tien|ten|cass|broy|bless|coup|mis|met|plong|maintien|mainten|enfonc|ser|pris)\w* (?:\w+ ){0,5}?` + demoi + `|(?:jet|lanc|vers|renvers|balanc|envoy|mis|point|braqu|donn|coll|fout|fich)\w* (?:\w+ ){0,6}?(?:bouillante?|dessus|figure|couteau|couteaux|acide|essence|huile|oreiller|assiettes?|bouteille|chaise|pierre|arme|fusil|coups?|gifles?|claques?|baffes?|raclee))|` +
		`m(?:etrangle|etranglait|etouffe|ebouillante|enferme|attache|agresse|empoisonne|arrache|empeche|egorge|ecrase)\w*)\b|` +
		`\b(?:mains|main|ceinture|cable|corde|couteau|lame|oreiller) (?:\w+ ){0,4}?(?:autour de |sur |sous |contre |a )(?:ma|mon|mes|la) ` + demoi + `\b|\b(?:cache|confisque|garde|jette|vole|enferme|prend|pris)\w* (?:\w+ ){0,2}(?:mes|mon|ma) (?:\w+ ){0,2}?(?:medicaments?|insuline|ventoline|comprimes|cachets|traitement|lunettes|fauteuil|telephone|papiers|passeport)\b`)
	// hasMe is “m'a”, which without its apostrophe is “ma”.
	hasMe = lazyregexp.New(`(?i)\bm['’ʼ] ?(?:as?|avait|avaient|avais|ont|aura|auraient) `)
	// theirLife is what somebody else may do to themselves, so that the violence is not all there is.
	theirLife = lazyregexp.New(`\b(?:himself|herself|themsel\w+|suicid\w*|overdos\w*|hang|noose|pills?|tablets|die|died|dead|dying|se (?:tuer|suicider|pendre|noyer|couper|faire du mal|foutre|jeter)|se (?:tue|suicide|pend|coupe)|mourir|mort|morte|en finir|cachets|comprimes|pendu|pendue|mettre fin)\b`)
	// lifeOfMine are threats against the life of the writer beside it.
	lifeOfMine = lazyregexp.New(`\b(?:kill|shoot|stab|murder|strangle|drown|burn) (?:me|us)\b|\b(?:me|nous|va me|de me) (?:tuer|buter|egorger|poignarder|etrangler|noyer|bruler)\b`)
	// homeOfChild are those whom a young person names who is hurt at home or at school.
	homeOfChild = lazyregexp.New(`\b(?:(?:my|our|the) (?:\w+ )?(?:step ?(?:dad|mum|mom|father|mother|brother|parents?)|dad|daddy|father|mum|mom|mommy|mummy|mother|uncle|aunt|auntie|grandad|grandpa|gran|nan|grandma|teacher|coach|parents|babysitter|foster \w+|mums|moms|dads|carer at school)|mums? (?:boyfriend|bf)|im \d\b|im 1[0-7]\b|i am 1[0-7]\b|school|homework|classmates?|` +
		`(?:mon|ma|mes|le|la) (?:\w+ )?(?:beau ?pere|belle ?mere|pere|papa|mere|maman|oncle|tonton|tante|prof|maitresse|maitre|entraineur|coach|parents|grandpere|papi|papy|mamie|parrain|nounou)|jai 1[0-7] ans|ecole|college|lycee|bahut)\b`)
)

// hurt says that a message tells of violence against its writer.
func hurt(text string) bool {
	said := strings.Join(scanned(hasMe.ReplaceAllString(quotedPart.ReplaceAllString(text, " "), "hasme ")), " ")
	if hurtsMe.MatchString(notMe.ReplaceAllString(said, " ")) {
		return true
	}
	for _, m := range blessee.FindAllStringSubmatch(said, -1) {
		if m[1] == "" {
			return true
		}
	}
	return false
}

// hurts makes the writer the one in danger where a message tells of violence against them, whatever saw the danger: with
// the help against violence, for a young person with that for children. What the writer may do themselves, and what
// another may do to themselves, stays.
func (a *Assessment) hurts(text string) {
	if a.Level == Calm || longer(text) || !hurt(text) {
		return
	}
	said := strings.Join(scanned(text), " ")
	if theirLife.MatchString(said) && !lifeOfMine.MatchString(said) {
		return
	}
	rules := a.Rules.heaviest()
	switch {
	case a.Category == Missing, a.Category == Poisoned, a.Category == Overdose, a.Category == Medical && rules == Medical,
		a.Category == Voices && rules == Voices, a.Category == ChildAbuse && rules == ChildAbuse && a.Rules.Speaker == Self, a.Category == HarmOthers && rules == HarmOthers && a.Rules.Speaker == Self,
		a.Rules.Speaker == Self && rules != None && rules.pot() == 0 && a.Tiers[0].Level.atLeast(CheckIn):
		if a.Category != Missing && a.Category != Poisoned {
			a.Speaker = Self
		}
		return
	}
	a.Speaker = Self
	young := homeOfChild.MatchString(said)
	switch {
	case young && a.Category != Abuse:
		a.Category = ChildAbuse
	case !young:
		a.Category = Abuse
	}
}
