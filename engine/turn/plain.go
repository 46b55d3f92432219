package turn

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"holdpoint/engine/model"
)

// What small models write when they mean to call a tool, and no person should read.
var machinery = regexp.MustCompile(`<\|?/?(tool_call|tool_calls|function_call|function|python_tag|im_start|im_end|eot_id|endoftext|start_header_id|end_header_id)\b|<\|[a-z_]+\|>|<function=|\[/?TOOL_(CALLS|RESULTS)\]|\[/?AVAILABLE_TOOLS\]|\{\s*"(action|arguments|name|parameters|function|tool|tool_call|tool_calls)"\s*:|` + "```" + `(json|tool_code|tool_call)|\[?\b[a-z]+(_[a-z]+)+\(|\bAction: *[a-z]+(_[a-z]+)+|\bAction Input:`)

// unfinished is what may become a call written as in a program, at the end of a text.
var unfinished = regexp.MustCompile(`\b(?:Action( Input)?:? *)?[a-z]{1,40}(_[a-z]{0,40}){0,8}$|\bAct(?:i(?:on?)?)?$|\bAction:? *(I[a-z]*)?$`)

// longestMark is how far the beginning of machinery is looked for in what is held back.
const longestMark = 24

// Spoken is what of a model's text is for people.
type Spoken struct {
	// Own are sentences that the model was told. A small one says them back, and a person
	// would take them for an answer.
	Own []Own
}

// Own is a sentence that a model was told.
type Own struct {
	text  string
	words []string // in small letters
}

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
	return Spoken{Own: own}
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

var tokens = regexp.MustCompile(`[\pL\pN]+`)

// Plain is what of a text is for people: behind what repeats the model's instructions, and
// up to where it turns into a tool's syntax or JSON. It is "" when nothing is.
func (p Spoken) Plain(text string) string {
	n, open := p.echo(text)
	if open && len(text)-n >= longestMark {
		return "" // a part of a sentence that is not its own
	}
	return Plain(text[n:])
}

// Writer passes on what of a stream is for people. What may become an echo of the
// instructions, or machinery, waits until it is known.
func (p Spoken) Writer(write func(string)) func(string) {
	plain, said, begun := PlainWriter(write), "", false
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

// Plain is what of a model's text is for people: up to where it turns into a tool's
// syntax or JSON. It is "" when nothing is.
func Plain(text string) string {
	if at := machinery.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	text = strings.TrimSpace(text)
	if wholeJSON(text) {
		return ""
	}
	return text
}

// wholeJSON says whether a text, or all of a fenced block, is an object or a list.
func wholeJSON(text string) bool {
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, "```"), "```"))
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") && (strings.HasPrefix(strings.TrimSpace(text[1:]), "{") || strings.HasSuffix(text, "]") && json.Valid([]byte(text)))
}

// PlainWriter passes on what of a stream is for people. What may become machinery waits
// until it is known.
func PlainWriter(write func(string)) func(string) {
	said, shown := "", 0
	return func(piece string) {
		said += piece
		start := strings.TrimLeft(said, " \t\r\n")
		if wholeJSON(start) || start == "" || strings.HasPrefix("```", start[:min(3, len(start))]) || strings.HasPrefix(start, "```") {
			return // what is no JSON in the end is shown whole
		}
		end := len(said)
		// What was shown is not looked through again: a long reply costs no more a word than a short one.
		if at := machinery.FindStringIndex(said[shown:]); at != nil {
			end = shown + at[0]
		} else if i := strings.LastIndexAny(said, "<[{`"); i >= 0 && end-i < longestMark {
			end = i
		} else if i := unfinished.FindStringIndex(said[shown:]); i != nil {
			end = shown + i[0]
		}
		if end > shown {
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
