package prompt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"holdpoint/engine/model"
)

// Strategy is a way to come to an answer: parts that the model writes ahead of it.
// Several compose: their parts are written one after another, each once. What was
// written there is kept apart from the answer, under "{id}_thought".
type Strategy struct {
	Name  string
	Parts []Part
}

// Part is one thing to write ahead of the answer.
type Part struct {
	// Name is the tag, or the member of a structured answer; it sorts before "value".
	Name string
	// Says tells the model what belongs there.
	Says string
	// List has one entry a line.
	List bool
}

// Strategies are all there are.
var Strategies = []Strategy{
	{"chain_of_thought", []Part{
		{"reasoning", "think the matter through step by step, one short step after the other", false}}},
	{"structured_reasoning", []Part{
		{"facts", "what is known and where it comes from, one fact a line", true},
		{"assumptions", "what you take for granted without knowing it, one assumption a line", true},
		{"inference", "what follows from the facts, and where it rests on an assumption", false}}},
	{"self_critique", []Part{
		{"draft", "a first version of the answer", false},
		{"review", "what is wrong, unsupported or missing in the draft; the answer afterwards mends it", false}}},
	{"plan_and_execute", []Part{
		{"plan", "the steps that lead to the answer, one a line", true},
		{"steps", "what each step of the plan gave, in the same order, one a line", true}}},
	{"decompose", []Part{
		{"questions", "smaller questions that together settle the matter, one a line", true},
		{"replies", "the answer to each of the questions, in the same order, one a line", true}}},
}

// StrategyNames are the names of Strategies, in order.
func StrategyNames() []string {
	var out []string
	for _, s := range Strategies {
		out = append(out, s.Name)
	}
	return out
}

// parts are those of several strategies, each once.
func parts(names []string) ([]Part, error) {
	var out []Part
	for _, name := range names {
		i := slices.IndexFunc(Strategies, func(s Strategy) bool { return s.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("prompt: strategy %q is not known; use some of %s", name, strings.Join(StrategyNames(), ", "))
		}
		for _, p := range Strategies[i].Parts {
			if !slices.ContainsFunc(out, func(o Part) bool { return o.Name == p.Name }) {
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// answerTag holds the answer of a text, valueMember that of a structured answer.
const answerTag, valueMember = "answer", "value"

// ways words the parts for the prompt.
func ways(parts []Part, structured bool) string {
	var b strings.Builder
	if structured {
		b.WriteString("Fill the members of your JSON answer like this:\n")
		for _, p := range parts {
			fmt.Fprintf(&b, "- %s: %s\n", p.Name, p.Says)
		}
		b.WriteString("- " + valueMember + ": the answer itself, which comes out of the other members")
		return b.String()
	}
	b.WriteString("Once you need no more tools, write these parts, in this order, each inside its tags, and nothing outside of them:\n")
	for _, p := range parts {
		fmt.Fprintf(&b, "<%s>%s</%s>\n", p.Name, p.Says, p.Name)
	}
	b.WriteString("<" + answerTag + ">the answer itself; whoever reads it sees none of the parts before</" + answerTag + ">")
	return b.String()
}

// wrap puts the parts ahead of the schema of a structured answer.
func wrap(parts []Part, schema json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	names := make([]string, 0, len(parts)+1)
	for _, p := range parts {
		kind := `{"type":"string","maxLength":1500}`
		if p.List {
			kind = `{"type":"array","maxItems":8,"items":{"type":"string","maxLength":300}}`
		}
		fmt.Fprintf(&b, "%q:%s,", p.Name, kind)
		names = append(names, p.Name)
	}
	fmt.Fprintf(&b, `"%s":`, valueMember)
	b.Write(schema)
	fmt.Fprintf(&b, `},"required":%s,"additionalProperties":false}`, model.JSON(append(names, valueMember)))
	return b.Bytes()
}

// split takes the parts off a text. A text without tags is an answer as it is.
func split(parts []Part, text string) (answer string, thought map[string]any) {
	thought = map[string]any{}
	rest := text
	for _, p := range parts {
		inside, before, after, ok := between(rest, p.Name)
		if !ok {
			continue
		}
		rest = before + after
		if !p.List {
			thought[p.Name] = inside
			continue
		}
		thought[p.Name] = lines(inside)
	}
	if inside, _, _, ok := between(rest, answerTag); ok {
		return inside, thought
	}
	if rest = strings.TrimSpace(rest); rest != "" {
		return rest, thought
	}
	return strings.TrimSpace(text), thought
}

// between finds what stands inside a tag; one that is not closed reaches to the end.
func between(text, tag string) (inside, before, after string, ok bool) {
	before, inside, ok = strings.Cut(text, "<"+tag+">")
	if !ok {
		return "", text, "", false
	}
	inside, after, _ = strings.Cut(inside, "</"+tag+">")
	return strings.TrimSpace(inside), before, after, true
}

// lines are the entries of a list as models write them.
func lines(text string) []string {
	out := []string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if trimmed := strings.TrimLeft(line, "0123456789"); trimmed != line && (strings.HasPrefix(trimmed, ".") || strings.HasPrefix(trimmed, ")")) {
			line = trimmed[1:]
		}
		if line = strings.TrimSpace(strings.TrimLeft(line, "-*• ")); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// answerStream lets only what stands inside the answer's tags through.
type answerStream struct {
	write  func(string)
	buffer string
	inside bool
	over   bool
}

const opening, closing = "<" + answerTag + ">", "</" + answerTag + ">"

func (s *answerStream) Write(text string) {
	if s.over {
		return
	}
	s.buffer += text
	if !s.inside {
		_, rest, found := strings.Cut(s.buffer, opening)
		if !found {
			s.buffer = s.buffer[max(0, len(s.buffer)-len(opening)+1):]
			return
		}
		s.inside, s.buffer = true, strings.TrimLeft(rest, " \n")
	}
	if said, _, found := strings.Cut(s.buffer, closing); found {
		s.over = true
		s.write(strings.TrimRight(said, " \n"))
		return
	}
	// The beginning of the closing tag may be at the end; so may blanks before it.
	hold := 0
	for n := min(len(closing)-1, len(s.buffer)); n > 0; n-- {
		if strings.HasSuffix(s.buffer, closing[:n]) {
			hold = n
			break
		}
	}
	out := strings.TrimRight(s.buffer[:len(s.buffer)-hold], " \n")
	s.write(out)
	s.buffer = s.buffer[len(out):]
}
