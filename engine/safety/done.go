package safety

import (
	"strings"

	"holdpoint/engine/lazyregexp"
)

// mostDone is how many words a message has at most that only says that it is done.
const mostDone = 14

var (
	// justDone says that something is done, and not what; words as a scan has them.
	justDone = lazyregexp.New(`^(?:(?:ok|okay|well|so|and|now|there|i think|bon|voila|alors) )*(?:(?:its|it is|thats|that is|im|i am|all|its all|cest|voila cest|tout est) )?(?:done|finished|over|fini|finie|fait)(?: (?:it|now|maintenant|already|deja|for me|pour moi))?$|^(?:good )?(?:bye|goodbye|night|goodnight)(?: (?:all|everyone|forever))?$|^(?:au revoir|bonne nuit)(?: (?:a )?tous)?$|^ca y est\b`)
	// took says that it was swallowed or injected.
	took = lazyregexp.New(`\b(?:i|ive|i have|im|i am)(?: \w+){0,2} (?:took|taken|swallowed|swallowing|downed|drank|drunk|injected|ate|eaten)(?: (?:it|them|all|half|some|most|everything|more|another|the|my|both|\d+|two|three|ten|twenty)\b|$)|^(?:took|swallowed|downed|drank) (?:it|them|all|half|everything|the)\b|\b(?:im|i am) (?:taking|swallowing) (?:it|them)\b` +
		`|\b(?:jai|je les ai|je lai|jen ai)(?: \w+){0,2} (?:avale|avalee|avales|avalees|pris|prise|prises|bu|bue|injecte)\b` +
		`|\b(?:theyre|they are|the pills are|the bottle is) (?:all |now )?(?:gone|empty|inside me|down)\b|\b(?:la boite|la bouteille|le flacon) est vide\b|\bil nen reste (?:plus|pas)\b`)
	// done says that it has been done, is being done, or shows its effect.
	done = lazyregexp.New(`\b(?:too late|trop tard)\b|^(?:cen est fini|i couldnt wait)\b` +
		`|\b(?:i|ive|i have|i just|ive just|i already|ive already) (?:\w+ )?(?:did|done) it\b|\b(?:im|i am|ill|i will) (?:\w+ )?(?:doing|do|about to do|going to do|gonna do|starting|jumping) (?:it|now)\b|\bje (?:lai|vais le) (?:\w+ )?(?:fait|faire)\b|\bje le fais\b` +
		`|\b(?:i|im|i am|i feel|im feeling|feeling|getting|its getting)(?: (?:so|very|really|all|a bit|kind of|getting|feeling|now|\w+ing)){0,3} (?:sleepy|drowsy|dizzy|numb|faint|woozy|dark|blurry)\b|\bcant (?:\w+ )?(?:keep my eyes open|stay awake|feel my|stop the bleeding|breathe)\b|\b(?:everything is|its all) (?:going|getting) (?:dark|black|blurry)\b|\bso much blood\b` +
		`|\bjai (?:tres |trop |tellement )?(?:sommeil|la tete qui tourne)\b|\bje (?:mendors|somnole|pars|me sens partir|ne sens plus|vois trouble|saigne)\b|\bma tete tourne\b|\btout (?:devient|est) (?:noir|flou)\b` +
		`|\b(?:no one|nobody) can help me\b|\bpersonne ne peut (?:plus )?maider\b|\b(?:dont|do not) (?:look for|try to (?:stop|find)) me\b|\bne me cherche[zr]? pas\b|^adieu\b|\b(?:this is|its) goodbye\b`)
	// undone takes that back: help was called, or the thing is out of reach.
	undone = lazyregexp.New(`\b(?:called|calling|rang|phoned|texted|ringing|told (?:my|him|her|them|a)|talked to|spoke to|spoken to|ambulance|paramedics?|hospital|doctor|safe|better|away|back|flushed|threw|thrown|handed|gave|given|binned|returned|locked|pharmacy|toilet|bin|sink|not|never|didnt|havent|wont|joke|joking|kidding|novel|story|prescribed|usual|normal|breakfast|dinner|lunch|with food|homework|exam|form|` +
		`appele|appelee|telephone|parle a|samu|pompiers|ambulance|hopital|medecin|securite|mieux|jete|jetes|jetees|rendu|rendus|donne|pharmacie|toilettes|poubelle|pas|jamais|blague|roman|histoire|prescrit|habituel|petit dejeuner|repas|formulaire|devoirs)\b`)
	// comes says that whoever threatens is there.
	comes = lazyregexp.New(`\b(?:hes|shes|theyre|he is|she is|they are|il est|elle est|ils sont|il arrive|elle arrive)(?: \w+){0,3} (?:at|outside|inside|in|here|back|coming|upstairs|downstairs|breaking|banging|devant|derriere|la|ici|dans|entre|revenu|rentre)\b|\b(?:he|she|il|elle) (?:has |just |is |vient de |est )*(?:got in|came in|broke in|broken in|breaking|kicking|banging|entre|casse|tape|frappe|force)\b|\bim (?:outside|at|in front of|near) (?:his|her|their)\b|\bje suis (?:devant|chez|a cote de|en bas de) (?:lui|elle|chez|son|sa)\b`)
)

// Done is how a message that follows help for its writer's danger tells that what was feared is done.
type Done int

// The ways.
const (
	NotDone  Done = iota
	DoneBare      // “done”, « ça y est », “goodbye”: it may be of something else
	DoneIt        // “too late”, « j'ai sommeil », “he's at the door”
	DoneTook      // “I took them”, « la boîte est vide »
)

// SaysDone reads whether a message that follows help for its writer's danger tells, in English or French, that what
// was feared has happened, happens, or shows its effect.
func SaysDone(text string, danger Category) Done {
	if len(strings.Fields(text)) > mostDone {
		return NotDone
	}
	says := NotDone
	for _, c := range clausesOf(text) {
		switch {
		case undone.MatchString(c.said), business.MatchString(c.said), wanting.MatchString(c.said), thankful.MatchString(c.said) && !justDone.MatchString(c.said):
			return NotDone
		case took.MatchString(c.said):
			says = DoneTook
		case done.MatchString(c.said), (danger == Abuse || danger == ChildAbuse || danger == HarmOthers) && comes.MatchString(c.said):
			says = max(says, DoneIt)
		case justDone.MatchString(c.said):
			says = max(says, DoneBare)
		}
	}
	return says
}
