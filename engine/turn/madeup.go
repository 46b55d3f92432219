package turn

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"holdpoint/engine/lazyregexp"
)

// What a template of a chat puts around a model's turn, and a small model writes on with: signs
// that a turn ends, who speaks, headings. What stands behind its own first turn was made up.

// The names of who speaks, behind marks that a line may begin with; colon ends a name.
const (
	person  = `(?:user|human|humain|utilisateur|utilisatrice|(?-i:PERSON))` // as prompts call them, in capitals
	program = `(?:ai |l['’])?assistant|chatbot|holdpoint`
	marks   = `[ \t>*_#\[]*`
	colon   = `[\]*_]{0,3}[ \x{a0}]?:[*_]{0,2}`
)

var (
	// turnEnds is a sign of a template that a turn begins or ends.
	turnEnds = lazyregexp.New(`</?s>|</?(?:eos|bos|pad|unk|eot|start_of_turn|end_of_turn|end_of_text|end_of_utterance)>|\[/?(?:EOS|BOS)\]|<\x{ff5c}[^<>\ntf][^<>\n]{1,40}\x{ff5c}>`)
	// turnBegins are such signs at the beginning of a text.
	turnBegins = lazyregexp.New(`^(?:\s*(?:` + turnEnds.String() + `))+\s*`)
	// mentionBefore and mentionAfter stand around a sign that a sentence speaks of.
	mentionBefore = lazyregexp.New("[\\pL,:] $|[`'\"“(]$|«[ \u00a0\u202f]?$")
	mentionAfter  = lazyregexp.New("^ [\\p{Ll}]|^ ?[.,;:?!]|^[`'\"”)]|^[ \u00a0\u202f]?»")

	personFirst = lazyregexp.New(`(?i)^` + marks + person + colon)
	// speakerWithin stands within a line.
	speakerWithin = lazyregexp.New(`\s[*_\[]{0,2}(?:PERSON|User|USER|Human|HUMAN|Humain|Utilisateur|Utilisatrice|Assistant|ASSISTANT)` + colon)
	// partnerLine begins a line with whom a model may take for its partner.
	partnerLine   = lazyregexp.New(`(?i)\n` + marks + `(?:patient|patiente|clinician|client|person|you|me|vous|moi|doctor|question|q)` + colon)
	machineWithin = lazyregexp.New(`\s[*_\[]{0,2}(?:Assistant|ASSISTANT)` + colon)
	// otherLabel begins a line of a list of terms: "Admin: may write".
	otherLabel = lazyregexp.New(`^[ \t>*_-]*\pL[\pL ]{0,30}[*_]{0,2}[ \x{a0}]?:`)

	taskHeading   = lazyregexp.New(`(?im)^[ \t]*#{2,4} *(?:instruction|consigne)(?:s?[ \x{a0}]?:|[ \t]*$)|^[ \t]*#{2,4} *(?:input|system)[ \x{a0}]?:`)
	severalTasks  = lazyregexp.New(`(?i)(?:instruction|consigne)s[ \x{a0}]?:`)
	answerHeading = lazyregexp.New(`(?im)^[ \t]*#{2,4} *(?:response|réponse|output)[ \x{a0}]?:[ \t]*`)
	// bareAnswer is such a heading behind one of a task.
	bareAnswer = lazyregexp.New(`(?im)^[ \t]*#{2,4} *(?:response|réponse|output)[ \t]*$`)
)

// dialogue finds the turns of a dialogue that was made up, by what its two sides are called.
type dialogue struct {
	ownLabel, machineLine *lazyregexp.Regexp
	// speakerLine begins a line with who speaks.
	speakerLine, anySpeaker *lazyregexp.Regexp
	// madeUp is what may be one of these, or a sign or heading, in a text that is not whole: what follows waits.
	madeUp *lazyregexp.Regexp
	// mayBeMadeUp is the beginning of one, at the end of a text.
	mayBeMadeUp *lazyregexp.Regexp
}

var (
	dialogues sync.Map // of *dialogue, by what a model was told that it is
	between   = dialogueOf("")
)

// dialogueOf is one with a model that was told that it is something, "care navigator" or several with
// bars between: it may write that before its words, or the end of it.
func dialogueOf(told string) *dialogue {
	if d, ok := dialogues.Load(told); ok {
		return d.(*dialogue)
	}
	machine, begun := `(?:`+program, ``
	for name := range strings.SplitSeq(told, "|") {
		for words := strings.Fields(name); len(words) > 0; words = words[1:] {
			machine += `|` + regexp.QuoteMeta(strings.Join(words, " "))
			if len(words) > 1 {
				begun += `|(?:^|\n)` + marks + regexp.QuoteMeta(words[0]) + `(?: \pL*){0,` + strconv.Itoa(len(words)-1) + `}$`
			}
		}
	}
	machine += `)`
	d := &dialogue{
		ownLabel:    lazyregexp.New(`(?i)^` + marks + machine + `(?:` + colon + `|\s*\n)\s*`),
		machineLine: lazyregexp.New(`(?i)(?:^|\n)` + marks + machine + colon + `[ \t]*`),
		speakerLine: lazyregexp.New(`(?i)\n` + marks + `(?:` + person + `|` + machine + `)` + colon + `|\n[ \t]*#{1,6} *(?:` + person + `|` + machine + `)[ \t]*(?:\n|$)`),
		anySpeaker:  lazyregexp.New(`(?i)^` + marks + `(?:` + person + `|` + machine + `)` + colon),
		madeUp: lazyregexp.New(turnEnds.String() + `|(?i:(?:^|\n)` + marks + `(?:` + person + `|` + machine + `|patient|patiente|clinician|client|you|me|vous|moi|doctor|question|q)` + colon + `)|(?:^|\s)[*_\[]{0,2}(?:PERSON|User|USER|Human|HUMAN|Humain|Utilisateur|Utilisatrice|Assistant|ASSISTANT)` + colon +
			`|(?i:(?:^|\n)(?:assistant\s*\n|[ \t]*#{1,6} *(?:instruction|consigne|input|system|response|réponse|output|` + person + `|` + machine + `)))`),
		mayBeMadeUp: lazyregexp.New(`(?i)(?:^|\s)[*_\[]{1,3}\pL{0,14}[\]*_]{0,3}[ \x{a0}]?$|(?:^|\n)[ \t>*_#\[]+\pL{0,14}[ \x{a0}]?$|(?:^|\s)(?:` + person + `|` + machine + `|patiente?|clinician|client|you|me|vous|moi|doctor|question|q)[\]*_]{0,3}[\s\x{a0}]?$|<\x{ff5c}[^<>\n]{0,40}$` + begun),
	}
	dialogues.Store(told, d)
	return d
}

// calling is what a sentence tells a model that it is, up to what it is that for.
var calling = lazyregexp.New(`(?i)^you are (?:an?|the|\pL+['’]s) ([\pL -]+)`)

// A name has no such word, and seldom more than three.
var (
	behindName = []string{"for", "in", "of", "at", "on", "to", "who", "that", "which", "with", "and", "or"}
	mostOfName = 3 // words
)

// callings are what a model was told that it is, with bars between; "" for nothing.
func callings(told []Own) string {
	var names []string
	for _, own := range told {
		m := calling.FindStringSubmatch(own.text)
		if m == nil {
			continue
		}
		words := strings.Fields(m[1])
		if end := slices.IndexFunc(words, func(w string) bool { return slices.Contains(behindName, w) }); end >= 0 {
			words = words[:end]
		}
		if name := strings.Join(words, " "); name != "" && len(words) <= mostOfName && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, "|")
}

// ownTurn is a model's own first turn of what it wrote. rest is what it made up behind it.
func (d *dialogue) ownTurn(text string) (own, rest string) {
	text = strings.TrimSpace(turnBegins.ReplaceAllString(text, ""))
	cut := func(at int) {
		rest = text[at:] + rest
		text = text[:at]
	}
	if at := d.firstTurnEnd(text); at >= 0 {
		cut(at)
	}
	// A task that was made up, or repeated, with the answer to it.
	task, answer := taskHeading.FindStringIndex(text), answerHeading.FindStringIndex(text)
	begins := func(at []int) bool {
		before := strings.TrimSpace(text[:at[0]])
		return before == "" || strings.HasPrefix(before, "Below is an instruction")
	}
	if answer == nil && task != nil && begins(task) {
		answer = bareAnswer.FindStringIndex(text)
	}
	if answer != nil && (begins(answer) || task != nil && task[0] < answer[0] && begins(task)) {
		text = text[answer[1]:]
		task, answer = taskHeading.FindStringIndex(text), answerHeading.FindStringIndex(text)
	}
	if answer != nil {
		cut(answer[0])
	}
	if task != nil && task[0] < len(text) && (answer != nil || !severalTasks.MatchString(text[task[0]:min(task[1], len(text))])) {
		cut(task[0])
	}
	text = strings.TrimSpace(text)
	led := false
	if at := d.machineLine.FindStringIndex(text); at != nil && personFirst.MatchString(text) {
		text, led = strings.TrimSpace(text[at[1]:]), true
	}
	for range 3 {
		at := d.ownLabel.FindStringIndex(text)
		if at == nil || d.listed(text[at[1]:]) {
			break
		}
		text, led = text[at[1]:], true
	}
	if at := d.nextSpeaker(text, led); at >= 0 {
		cut(at)
	}
	return strings.TrimSpace(text), rest
}

// firstTurnEnd is where a turn ends by a sign of a template; -1 where it does not. What a
// sentence speaks of, and what stands struck through between two of them, is none.
func (d *dialogue) firstTurnEnd(text string) int {
	for _, at := range turnEnds.FindAllStringIndex(text, -1) {
		before, after, sign := text[:at[0]], text[at[1]:], text[at[0]:at[1]]
		line, _, _ := strings.Cut(after, "\n")
		switch {
		case sign == "</s>" && strings.Count(before, "<s>") > strings.Count(before, "</s>"):
		case sign == "<s>" && strings.Contains(line, "</s>") && !d.anySpeaker.MatchString(line):
		case mentionBefore.MatchString(before) && mentionAfter.MatchString(after):
		default:
			return at[0]
		}
	}
	return -1
}

// nextSpeaker is where another turn of a made-up dialogue begins; -1 where none does. led says
// that the text began with who speaks. A list of terms is no dialogue.
func (d *dialogue) nextSpeaker(text string, led bool) int {
	found := []int{}
	for _, at := range d.speakerLine.FindAllStringIndex(text, -1) {
		before := strings.TrimSpace(text[:at[0]])
		_, line, _ := cutLast("\n"+before, "\n")
		if led || endsSentence(before) && !(otherLabel.MatchString(line) && !d.anySpeaker.MatchString(line)) && !d.listed(text[at[1]:]) {
			found = append(found, at[0])
			break
		}
	}
	if at := partnerLine.FindStringIndex(text); at != nil && endsSentence(strings.TrimSpace(text[:at[0]])) && d.machineLine.MatchString(text[at[1]:]) {
		found = append(found, at[0])
	}
	for _, at := range speakerWithin.FindAllStringIndex(text, -1) {
		if led || endsSentence(strings.TrimSpace(text[:at[0]])) && machineWithin.MatchString(text[at[1]:]) {
			found = append(found, at[0])
			break
		}
	}
	if len(found) == 0 {
		return -1
	}
	return slices.Min(found)
}

// listed says that the next line of a text begins with a label that is nobody who speaks.
func (d *dialogue) listed(text string) bool {
	_, next, _ := strings.Cut(text, "\n")
	next, _, _ = strings.Cut(next, "\n")
	return otherLabel.MatchString(next) && !d.anySpeaker.MatchString(next)
}

func endsSentence(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune(`.!?…"”»)}]*`+"`", last)
}
