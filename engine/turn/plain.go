package turn

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"holdpoint/engine/lazyregexp"
	"holdpoint/engine/model"
)

// identifier is how tools are named, and words of people are not.
const (
	identifier = `(?:` + snake + `|[a-z]+(?:[A-Z][a-z0-9]+)+)`
	snake      = `[a-z][a-z0-9]*(?:_[a-z0-9]+)+`
)

// label is how a line begins that names a tool to call, named how one may begin that goes on
// with its arguments.
const (
	label  = `[ \t>*#"'` + "`" + `-]*(?:` + labels + `)[*"'` + "`" + `]{0,3} ?[:=]`
	named  = `[ \t>*#"'` + "`" + `-]*(?:` + labels + `|name|nom)[*"'` + "`" + `]{0,3} ?[:=]`
	labels = `(?:tool|function|outil|fonction)(?:[ _-]?(?:name|call|use))?|action|calling(?: the)? (?:tool|function)|appel d['’]outil`
)

// What small models write when they mean to call a tool, and no person should read.
var machinery = lazyregexp.New(`<\x{ff5c}(?:tool|function)|<\|?/?(?:tool_calls?|tool_responses?|tool_results?|function_calls?|function_results?|function|python_tag|im_start|im_end|eot_id|endoftext|start_header_id|end_header_id)\b|<\|[a-z_]+\|>|<function=|<(?:invoke|parameter) name=|` +
	`\[/?TOOL_(?:CALLS|RESULTS)\]|\[/?AVAILABLE_TOOLS\]|\[/?INST\]|<</?SYS>>|` +
	`\{\s*["'](?:action|arguments|parameters|function|tool|tool_call|tool_calls)["']\s*:|\{\s*["']name["']\s*:[^{}]{0,200}["'](?:arguments|parameters|args|input)["']\s*:|` +
	"(?:```|~~~)" + `(?:json|(?:python|py|tool_code)[ \t]*\n[ \t]*(?:print\()?` + snake + `\(|(?:tool|function)s?[ \t]*(?:\n|$)|` + snake + `|` + identifier + `[ \t]+\w+ *[=:]|` + identifier + ` *[({]|[a-z]\w* +\w+=["'\w])|\bfunctools\b *\[|\b(?:to=)?(?:functions?|tools?|default_api)\.[a-z]\w*(?::\d+| *[({])|` +
	`\[ *` + identifier + `\(|\b` + identifier + `\(\s*(?:\w+ *[=:]|\{)|(?m:^[ \t*"'` + "`" + `]*` + identifier + "[`*]{0,2}" + ` *:?\d*\s*\{)|\b` + identifier + `:\d+ *\{|` +
	`(?im:^` + label + `[ \t*"'` + "`" + `]*)(?-i:` + identifier + `)|(?im:^` + named + `[^\n]*\n[ \t>*#"'` + "`" + `-]*(?:arguments?|parameters?|params|args|input|action[ _]input|paramètres)\b[*"'` + "`" + `]{0,3} ?[:=])|` +
	`(?m:^[ \t>*#"'` + "`" + `-]*` + snake + `[ \t]+\w+=\S)|` +
	`(?m:^[ \t>*#"'` + "`" + `-]*` + identifier + "[ \t`*\"']*:?" + `[ \t]*\n(?:[ \t]*\n)?[ \t>*"'` + "`" + `-]*\w+["'*` + "`" + `]{0,2}[ \t]*[=:][ \t]*\S)|\A[ \t>*-]*[a-z]\w*[ \t]*\n[ \t>*-]*[a-z][a-z0-9_]*=\S|\A(?:[ \t>*-]*[a-z][a-z0-9_]+=\S[^\n]*(?:\n|\z)){2,}\z|\A[ \t]*(?:[a-z]+_[a-z0-9_]+|type|query|id|name|limit|filter|search|tool|action|function|args|arguments)=\S|` +
	`\bAction: *` + identifier + `|\bAction Input:|(?im:^[ \t>*#-]*(?:thoughts?|pensée)\*{0,2} ?:)|(?m:^</?[a-z]+(?:_[a-z]+)+(?: [^<>\n]*)?>)`)

// callLine is a call written as in a program, on a line of its own.
var callLine = lazyregexp.New(`^\W*(?:print\()?` + identifier + `\([^\n]*\)\W*$`)

// unfinished is what may become a call written as in a program, at the end of a text.
var unfinished = lazyregexp.New(`\b(?:Action( Input)?:? *)?[A-Za-z][a-z0-9]{0,40}(_[a-z0-9]{0,40}|[A-Z][a-z0-9]{0,40}){0,8}$|\b(?:` + identifier + `|(?:to=)?(?:functions?|tools?|functools|default_api)[a-z_.]*) *(?:\([^)\n]*\)?\W*|[:` + "`" + `*]*\d*\s*)$|` + "```[^`\\n]*$" + `|(?:^|\n)~{1,3}[^~\n]*$|\bto=[a-z._]*$|(?:^|\n)[ \t>*#"'` + "`" + `-]*` + identifier + `[ \t*"'` + "`" + `]*:?[ \t]*\n\s*[>*"'` + "`" + `-]{0,3}[ \t]*\w*["'*` + "`" + `]{0,2}[ \t]*(?:[=:][ \t]*)?$|^[ \t>*-]*[a-z]\w*[ \t]*\n[ \t>*-]*\w*=?$|(?:^|\n)[ \t>*#"'` + "`" + `-]*` + snake + `[ \t]+\w*=?$|\bAct(?:i(?:on?)?)?$|\bAction:? *(I[a-z]*)?$`)

// labelled is a last line, or one before it, that may become a label of a call.
var labelled = lazyregexp.New(`(?i)(?:^|\n)(?:[ \t>*#"'` + "`" + `-]*(?:t(?:h(?:o(?:u(?:g(?:h(?:ts?)?)?)?)?)?|o(?:ol?)?)?|f(?:u(?:n(?:c(?:t(?:i(?:on?)?)?)?)?)?|on(?:c(?:t(?:i(?:on?)?)?)?)?)?|a(?:c(?:t(?:i(?:on?)?)?)?)?|n(?:a(?:me?)?)?|p(?:ens(?:ée?)?)?|outil?)[*"']{0,3} ?$|` + named + `[^\n]*(?:\n[^\n]*)?$)`)

// longestMark is how far the beginning of machinery is looked for in what is held back.
const longestMark = 24

// Spoken is what of a model's text is for people.
type Spoken struct {
	// Own are sentences that the model was told. A small one says them back, and a person
	// would take them for an answer.
	Own []Own
	// Told is what else it was told, as of tools: an answer may begin so, and may not be mostly of it.
	Told []Own

	judges       bool // see For
	asked, given string
	again        []Own  // see Repeating
	exact        string // see Exact
}

// Own is a sentence that a model was told: a Spoken leaves it out of replies, where a model only repeats it.
type Own struct {
	text  string
	words []string // in small letters
}

func (o Own) row() string { return strings.Join(o.words, " ") }

// OwnWords are the sentences of what a model is told.
func OwnWords(told ...string) (out []Own) {
	for _, text := range told {
		for line := range strings.Lines(text) {
			for sentence := range strings.SplitAfterSeq(strings.TrimPrefix(strings.TrimSpace(line), "- "), ". ") {
				if sentence = strings.TrimSpace(sentence); sentence != "" {
					out = append(out, Own{sentence, tokens.FindAllString(strings.ToLower(sentence), -1)})
				}
			}
		}
	}
	return out
}

// With adds what the model is told of earlier turns that were not answered.
func (p Spoken) With(history []Exchange) Spoken {
	own := slices.Clip(p.Own)
	for _, e := range history {
		own = append(own, OwnWords(e.Ended)...)
	}
	p.Own = own
	return p
}

// Echoes says that nothing of a text of some words is the model's own.
func (p Spoken) Echoes(text string) bool {
	n, open := p.echo(text)
	return n > 0 && strings.TrimSpace(text[n:]) == "" || open && len(text)-n >= longestMark
}

// echo is how much at the beginning of a text repeats what the model was told; open says
// that what follows may still become more of that.
func (p Spoken) echo(text string) (n int, open bool) {
	for {
		rest := strings.TrimLeft(text[n:], " \t\r\n-\"“,;:.")
		longest, more := 0, rest == ""
		for _, list := range [][]Own{p.Own, ownOfLanguage} {
			for _, own := range list {
				same, opens := own.start(rest)
				longest, more = max(longest, same), more || opens
			}
		}
		if longest == 0 {
			return n, more
		}
		n = len(text) - len(rest) + longest
	}
}

// A small model says back what it was told nearly word for word: a sentence that begins with
// likeStart words of one is none of its own. Shorter sentences have to be the same.
const likeStart = 6

// start is how much at the beginning of a text is this sentence; open says that the text may
// become it.
func (o Own) start(text string) (n int, open bool) {
	words := o.words
	if len(words) < likeStart {
		if strings.HasPrefix(text, o.text) {
			return len(o.text), false
		}
		return 0, strings.HasPrefix(o.text, text)
	}
	at := tokens.FindAllStringIndex(text, len(words)+1)
	same := 0
	for same < min(len(at), len(words)) && strings.ToLower(text[at[same][0]:at[same][1]]) == words[same] {
		same++
	}
	switch {
	case same == len(words):
		return len(text) - len(strings.TrimLeft(text[at[same-1][1]:], ".!?:")), false
	case same >= likeStart && same < len(at):
		rest := text[at[same][0]:]
		if end := strings.IndexAny(rest, ".!?\n"); end >= 0 {
			return at[same][0] + end + 1, false
		}
		return len(text), false
	case same == len(at): // all of it so far
		return 0, true
	case same == len(at)-1 && at[same][1] == len(text) && strings.HasPrefix(words[same], strings.ToLower(text[at[same][0]:])):
		return 0, true // its last word is not whole
	}
	return 0, false
}

var tokens = lazyregexp.New(`[\pL\pN]+`)

// Plain is what of a text is for people: behind what repeats the model's instructions, and
// up to where it turns into a tool's syntax or JSON. It is "" when nothing is.
func (p Spoken) Plain(text string) string {
	text = p.untraced(text)
	n, open := p.echo(text)
	if open && len(text)-n >= longestMark {
		return "" // a part of a sentence that is not its own
	}
	if text = p.unmachined(p.unprogrammed(plain(text[n:], p.dialogue()))); !p.answers(text) {
		return ""
	}
	return text
}

// Writer passes on what of a stream is for people. What may become an echo of the
// instructions, machinery, or talk about the answer instead of one, waits until it is known.
func (p Spoken) Writer(write func(string)) func(string) {
	plain, said, begun := plainWriter(p.hold(write), p.dialogue()), "", false
	return func(piece string) {
		if begun {
			plain(piece)
			return
		}
		said += piece
		if n, open := p.echo(said); !open {
			begun = true
			plain(said[n:])
		}
	}
}

// Plain is what of a model's text is for people: without what it thinks aloud, and up to
// where it turns into a tool's syntax or JSON. Where it does, what was only said to lead there
// ("Let me look that up.") is no answer. It is "" when nothing is for them.
func Plain(text string) string { return plain(text, between) }

// dialogue is one with a model that was told what p has.
func (p Spoken) dialogue() *dialogue { return dialogueOf(callings(p.Own)) }

func plain(text string, d *dialogue) string {
	text, cut := uncalled(text, d)
	if !cut {
		return text
	}
	text = strings.TrimSpace(text[:leading(text, leads)])
	if len(strings.Fields(text)) < leastWords {
		return ""
	}
	return text
}

// leastWords say something before a call.
const leastWords = 3

// syntax are signs without any of which a text is no call, no JSON, no sign of a template and no dialogue: a sentence.
const syntax = "<>[]{}()`~:=\"\n"

// uncalled is a text up to where it turns into a tool's syntax or JSON; cut says that it does.
func uncalled(text string, d *dialogue) (plain string, cut bool) {
	if strings.ContainsAny(text, syntax) {
		return throughout(text, d)
	}
	if text = strings.TrimSpace(text); wordless(text) {
		return "", true
	}
	return text, false
}

// wordless says that a text is only a tool's name, or what programs write for nothing.
func wordless(text string) bool {
	return nameAlone.MatchString(text) || noValue.MatchString(text) && !strings.HasPrefix(text, "None.")
}

// throughout is uncalled for a text that any of its signs may be in.
func throughout(text string, d *dialogue) (plain string, cut bool) {
	if m := memberAlone.FindStringSubmatch(text); m != nil {
		text = strings.NewReplacer(`\"`, `"`, `\n`, "\n").Replace(m[1])
	}
	text, madeUp := d.ownTurn(unwrapped(text))
	if at := lastLabel.FindStringIndex(text); at != nil {
		text = strings.TrimSpace(text[at[1]:])
	}
	if wholeJSON(text) || keyFirst.MatchString(text) {
		return "", true
	}
	if inside, fenced := onlyFence(text); fenced {
		if inside == "" {
			return "", true
		}
		if left, _ := uncalled(inside, d); left == "" {
			return "", true
		}
	}
	end := len(text)
	if at := machinery.FindStringIndex(text); at != nil {
		end = at[0]
	}
	end = min(end, lineOfCall(text), argumentsIn(text))
	text, cut = strings.TrimSpace(text[:end]), end < len(text)
	if rest := turnEnds.ReplaceAllString(madeUp, ""); machinery.MatchString(rest) || opensJSON.MatchString(rest) {
		cut = cut || leading(text, leads) < len(text) || !anyWord.MatchString(text)
	}
	if wordless(text) || text == "" && madeUp != "" {
		return "", true
	}
	return text, cut
}

// lastLabel stands before the answer of a model that was taught to write its thoughts.
var lastLabel = lazyregexp.New(`(?is)^(?:[^\n]*\n)*?[ \t*]*(?:thoughts?|action|observation)\*{0,2} ?:.*\n[ \t*]*(?:final )?answer\*{0,2} ?:\*{0,2}|^[ \t*]*final answer\*{0,2} ?:\*{0,2}`)

// memberAlone is the answer as a member of an object without its braces, keyFirst begins a text that is one of what the
// program asks models for and no answer.
var (
	memberAlone = lazyregexp.New(`(?is)^\s*"(?:` + answerMember + `)"\s*:\s*"(.*?)"?\s*,?\s*\}?\s*$`)
	keyFirst    = lazyregexp.New(`^["'*]*` + snake + `["'*]*[ \t]*:`)
)

const answerMember = `reply|response|answer|message|text|réponse`

// nameAlone is a text that is only a tool's name, or a call of one with named arguments.
var nameAlone = lazyregexp.New("^[`\"'\\[(*]*" + identifier + "(?:\\(\\))?[`\"'\\])*.]*$|^`?[\\w.]+\\(\\s*\\w+ *[=:][^\n]*\\)[`.]*$")

// noValue is a text that is only what programs write for nothing, mayBeNoValue what may become one.
var (
	noValue      = lazyregexp.New("^" + quotes + "*(?:(?:(?i:undefined|null)|None|NaN|nan|nil|object Object)" + quotes + "*[. \n]*)*$")
	mayBeNoValue = lazyregexp.New("^" + quotes + "*(?:(?:(?i:undefined|null)|None|NaN|nan|nil|object Object)" + quotes + "*[. \n]+)*(?:[A-Za-z]{0,9}|object [A-Za-z]{0,6})" + quotes + "*[. \n]*$")
	anyWord      = lazyregexp.New(`[\pL\pN]`)
)

const quotes = "[`\"'*_<>(){}\\[\\]]"

// wholeCall begins a text that may be a call, or has a label before the answer.
var wholeCall = lazyregexp.New("(?i)^(?:\"[a-z_]{0,40}\"?\\s*$|\"(?:" + answerMember + ")\"\\s*:|[\"'*]*" + snake + "[\"'*]*[ \\t]*:|`?[\\w.]+\\(|[ \\t>*-]*[a-z][a-z0-9_]*(?:=|\\z)|[ \\t*]*(?:f(?:i(?:n(?:al?)?)?)? *$|final a(?:n(?:s(?:we?)?)?)?$|final answer\\b))")

// wholeJSON says whether a text, or all of a fenced block, is an object or a list.
func wholeJSON(text string) bool {
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, "```"), "```"))
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") && (strings.HasPrefix(strings.TrimSpace(text[1:]), "{") || strings.HasSuffix(text, "]") && json.Valid([]byte(text)))
}

// onlyFence is what stands inside a fenced block that is all of a text; one that is not closed
// reaches to the end.
func onlyFence(text string) (inside string, ok bool) {
	rest, ok := strings.CutPrefix(text, "```")
	if !ok {
		return "", false
	}
	inside, after, _ := strings.Cut(rest, "```")
	_, inside, _ = strings.Cut(inside, "\n") // behind the name of a language
	return strings.TrimSpace(inside), strings.TrimSpace(after) == ""
}

// lineOfCall is where a line begins that is a call and nothing else, outside of fenced
// blocks; the text's length when none does.
func lineOfCall(text string) int {
	at, fenced := 0, false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		} else if !fenced && callLine.MatchString(strings.TrimSpace(line)) {
			return at
		}
		at += len(line)
	}
	return at
}

// opensJSON begins an object, or a list of them.
var opensJSON = lazyregexp.New(`\[?\s*\{\s*["'][^"'\n]{1,60}["']\s*:`)

// argumentsIn is where JSON begins that is what a sentence is about to do something with, or
// all of a text but its heading; the text's length when none does. JSON that a sentence merely
// quotes stays.
func argumentsIn(text string) int {
	first, size := -1, 0
	for from := 0; ; {
		at := opensJSON.FindStringIndex(text[from:])
		if at == nil {
			break
		}
		begin := from + at[0]
		if leading(text[:begin], announces) < begin {
			return begin
		}
		if first < 0 {
			first = begin
		}
		n := lengthOfJSON(text[begin:])
		size, from = size+n, begin+n
	}
	if first >= 0 && size > len(text)-size && heading.MatchString(text[:first]) {
		return first
	}
	return len(text)
}

// heading stands over JSON that nobody is meant to read.
var heading = lazyregexp.New(`(?i)^\W*(?:json|output|response|result|function|tool|sortie|réponse|résultat)\W*$`)

// lengthOfJSON is how long the value is that a text begins with; one that is not closed
// reaches to the end.
func lengthOfJSON(text string) int {
	d := json.NewDecoder(strings.NewReader(text))
	var value json.RawMessage
	if d.Decode(&value) == nil {
		return int(d.InputOffset())
	}
	if end := strings.LastIndexAny(text, "}]"); end >= 0 {
		return end + 1
	}
	return len(text)
}

// unwrapped is a text without what a model thinks aloud and without the tags of its prompt:
// their content was given to it and is no answer, that of an answer's own tag is.
func unwrapped(text string) string {
	if _, after, found := cutLast(text, "</think>"); found {
		text = after // some templates write the opening tag themselves
	}
	for from := 0; ; {
		at := tag.FindStringSubmatchIndex(text[from:])
		if at == nil {
			return text
		}
		begin, end, name := from+at[2], from+at[1], text[from+at[4]:from+at[5]]
		switch inside, after, closed := strings.Cut(text[end:], "</"+name+">"); {
		case answers[name] && strings.HasSuffix(text[begin:end], "<"+name+">"):
			text = text[:begin] + inside + after
		case strings.Contains(name, "tool") || strings.Contains(name, "function") || strings.Contains(name, "call"):
			from = end // what comes behind a call was made up with it
		case closed:
			text = text[:begin] + after
		case thinks[name]:
			return text[:begin]
		default:
			from = end
		}
	}
}

// tag opens one that a line begins with.
var tag = lazyregexp.New(`(?:^|\n)\s*(<([a-z]+(?:_[a-z]+)+|think|thinking|thought|reasoning|reflection|reflections|scratchpad|analysis|observations|plan|context|concern|today|text|input|output|answer|reply|response)(?: [^<>\n]*)?>)`)

var (
	answers = map[string]bool{"answer": true, "reply": true, "response": true, "final_answer": true, "final_response": true, "output": true}
	thinks  = map[string]bool{"think": true, "thinking": true, "thought": true, "reasoning": true, "reflection": true, "scratchpad": true, "analysis": true}
)

func cutLast(text, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(text, sep); i >= 0 {
		return text[:i], text[i+len(sep):], true
	}
	return text, "", false
}

// leading is where the sentences begin, at the end of a text, that only say what their
// writer is about to do: a call is what they lead to.
func leading(text string, leads func(sentence string) bool) int {
	end := len(text)
	for end > 0 {
		begin := sentence(text[:end])
		if !leads(text[begin:end]) {
			break
		}
		end = begin
	}
	return end
}

// leads says that a sentence is one that only announces, or breaks off where something was to follow.
func leads(sentence string) bool {
	return announces(sentence) || strings.HasSuffix(strings.TrimSpace(sentence), ":")
}

// sentence is where the last sentence of a text begins.
func sentence(text string) int {
	trimmed := strings.TrimRight(text, " \t\r\n.!?…:")
	if at := endOfSentence.FindAllStringIndex(trimmed, -1); at != nil {
		return at[len(at)-1][1]
	}
	return 0
}

var endOfSentence = lazyregexp.New(`[.!?…:]["')»”*]*\s+|\n+`)

// announces says that a sentence says nothing but that its writer is about to do something,
// as far as it goes.
func announces(text string) bool {
	rest := strings.ToLower(strings.ReplaceAll(text, "’", "'"))
	for {
		rest = strings.TrimLeft(rest, " \t\r\n.,!?…:;*-–—\"“«>#")
		if rest == "" {
			return true
		}
		if i := slices.IndexFunc(fillers, func(f string) bool { return strings.HasPrefix(rest, f) && !letterAt(rest, len(f)) }); i >= 0 {
			rest = rest[len(fillers[i]):]
			continue
		}
		return slices.ContainsFunc(intentions, func(x string) bool { return strings.HasPrefix(rest, x) && !letterAt(rest, len(x)) })
	}
}

// mayAnnounce says that a sentence which is not whole may become one that only announces.
func mayAnnounce(text string) bool {
	if announces(text) {
		return true
	}
	rest := strings.TrimLeft(strings.ToLower(strings.ReplaceAll(text, "’", "'")), " \t\r\n.,!?…:;*-–—\"“«>#")
	begins := func(x string) bool { return strings.HasPrefix(x, rest) }
	if slices.ContainsFunc(fillers, begins) || slices.ContainsFunc(intentions, begins) {
		return true
	}
	for _, f := range fillers {
		if after, ok := strings.CutPrefix(rest, f); ok && !letterAt(rest, len(f)) && mayAnnounce(after) {
			return true
		}
	}
	return false
}

func letterAt(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	return i < len(text) && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// What people say before they do something, in small letters: intentions, and fillers that
// stand before them.
var (
	fillers = []string{"sure thing", "sure", "okay", "ok", "of course", "certainly", "absolutely", "alright", "all right", "great", "understood", "got it", "no problem", "thank you", "thanks", "first", "now", "next", "then", "so",
		"bien sûr", "d'accord", "certainement", "très bien", "entendu", "merci", "d'abord", "maintenant", "alors"}
	intentions = []string{"i will", "i'll", "i am going to", "i'm going to", "i need to", "i need the", "i have to", "i must", "i should", "i shall", "i want to", "i would like to", "i'd like to", "i am calling", "i'm calling", "i am looking", "i'm looking", "i am checking", "i'm checking",
		"let me", "let's", "let us", "allow me", "we need to", "we will", "we'll", "please wait", "please hold", "please give me a moment", "one moment", "just a moment", "a moment", "one second", "hold on", "calling", "using the", "looking", "searching", "checking", "fetching", "retrieving", "here is", "here's", "here are", "to do this", "to answer", "to find", "to look",
		"je vais", "je dois", "j'appelle", "je cherche", "je consulte", "je regarde", "je vérifie", "laissez-moi", "laisse-moi", "permettez-moi", "un instant", "un moment", "une seconde", "veuillez patienter", "patientez", "voici", "pour répondre", "pour trouver"}
)

// lookedBack is how much of a line that was shown is looked at again, in bytes.
const lookedBack = 120

// PlainWriter passes on what of a stream is for people. What may become machinery waits
// until it is known, and so does what may only lead to it; what waits to the end is shown with
// the whole message.
func PlainWriter(write func(string)) func(string) { return plainWriter(write, between) }

func plainWriter(write func(string), d *dialogue) func(string) {
	said, shown, over := "", 0, false
	return func(piece string) {
		if over {
			return
		}
		said += piece
		start := strings.TrimLeft(said, " \t\r\n")
		if wholeJSON(start) || start == "" || strings.HasPrefix("```", start[:min(3, len(start))]) || strings.HasPrefix(start, "```") || shown == 0 && (wholeCall.MatchString(start) || mayBeNoValue.MatchString(start)) {
			return // what is no JSON in the end is shown whole
		}
		// What was shown is not looked through again, but for the end of its last line: a long reply costs no more a word than a short one.
		from, before := strings.LastIndexByte(said[:shown], '\n')+1, ""
		if far := shown - lookedBack; far > from {
			if i := strings.IndexByte(said[far:shown], ' '); i >= 0 {
				from, before = far+i, "x" // no line begins here
			}
		}
		rest := before + said[from:]
		end := len(rest)
		for i, m := range []*lazyregexp.Regexp{machinery, tag, opensJSON, d.madeUp, labelled, unfinished, d.mayBeMadeUp} {
			if at := m.FindStringIndex(rest); at != nil {
				end, over = min(end, at[0]), over || i < 4 // the rest is shown with the whole, if at all
			}
		}
		if i := strings.LastIndexAny(rest, "<[{`"); i >= 0 && len(rest)-i < longestMark {
			end = min(end, len(strings.TrimRight(rest[:i], "`")))
		}
		if strings.Count(said[:from], "```")%2 == 0 {
			end = min(end, lineOfCall(rest))
		}
		if begin := sentence(rest[:end]); mayAnnounce(rest[begin:end]) || leads(rest[begin:end]) {
			end = leading(rest[:begin], leads)
		}
		if end += from - len(before); end > shown {
			write(said[shown:end])
			shown = end
		}
	}
}

// CallIn reads a call that a model wrote as text instead of making it: an object with the
// name of one of the tools and its arguments. Only the first braces are looked at: a text
// of nothing else is no call.
func CallIn(text string, tools []model.Tool) (model.Call, bool) {
	for i, tries := strings.IndexByte(text, '{'), 0; i >= 0 && tries < mostBraces; tries++ {
		var c struct {
			Name, Action, Tool    string
			Arguments, Parameters json.RawMessage
		}
		if json.NewDecoder(strings.NewReader(text[i:])).Decode(&c) == nil {
			args := c.Arguments
			if args == nil {
				args = c.Parameters
			}
			for _, t := range tools {
				if t.Name == c.Name || t.Name == c.Action || t.Name == c.Tool {
					return model.Call{Tool: t.Name, Arguments: args}, true
				}
			}
		}
		next := strings.IndexByte(text[i+1:], '{')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return model.Call{}, false
}

// mostBraces is how many braces of a text may begin a call.
const mostBraces = 16
