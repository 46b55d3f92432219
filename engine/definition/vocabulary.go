package definition

import (
	"encoding/json"

	"github.com/expr-lang/expr/types"

	"holdpoint/engine/expression"
	"holdpoint/engine/tool"
)

// holds is the word of Schema that says what a text names. Each is one of the following.
const holds = "x-holds"

// What the texts of a graph name.
const (
	holdsNext       = "next"           // another node of the same list, or end
	holdsOther      = "other"          // another node of the same list
	holdsWay        = "way"            // a node of the same list, or end
	holdsNode       = "node"           // a node of the same list
	holdsInner      = "inner"          // a node of the list inside
	holdsAnyNode    = "any_node"       // a node of the file
	holdsKey        = "key"            // a value of the context: key.member
	holdsTool       = "tool"           // a tool
	holdsTools      = "tools"          // a tool, or * for all
	holdsSkills     = "skills"         // a skill, or * for all
	holdsTemplate   = "template"       // text with {{ … }}
	holdsTemplates  = "templates"      // texts with {{ … }}, however deep
	holdsAnswer     = "answer"         // text with {{ … }} that reads output, too
	holdsExpression = "expression"     // an expression
	holdsArguments  = "arguments"      // arguments of the node's tool, by name; texts with {{ … }}
	holdsWith       = "with"           // vars of the node's pattern, by name; texts with {{ … }}
	holdsOutput     = "pattern_output" // an output of the node's pattern
)

// Vocabulary is what may be named in a graph besides its own nodes and keys, for editors.
// Where which of it stands is said by Schema, with the word x-holds.
type Vocabulary struct {
	Kinds    []KindWords        `json:"kinds"`
	Tools    []tool.Description `json:"tools"`
	Skills   []string           `json:"skills"`
	Patterns []PatternWords     `json:"patterns"`
	// Functions are those of expressions.
	Functions []string `json:"functions"`
	// Keys are in the context of every run, with the members that each has in all of them.
	Keys map[string][]string `json:"keys"`
	// Events are those of rules.
	Events []EventWords `json:"events"`
}

// KindWords are what nodes of a kind take and write.
type KindWords struct {
	Kind   string   `json:"kind"`
	Fields []string `json:"fields"`
	// Writes are endings of keys, after the node's name; Inside are those that only nodes
	// inside of it read.
	Writes []string `json:"writes"`
	Inside []string `json:"within,omitempty"`
	// Reads are words of its own templates.
	Reads []string `json:"reads,omitempty"`
	// Output is the JSON Schema of what it puts out, where that is always the same.
	Output json.RawMessage `json:"output,omitempty"`
}

// PatternWords are what a pattern is handed, as JSON Schemas by name, and what it gives out.
type PatternWords struct {
	Pattern string                     `json:"pattern"`
	With    map[string]json.RawMessage `json:"with"`
	Outputs []string                   `json:"outputs"`
}

// EventWords are the words that rules of an event read besides the context, with the
// members of each.
type EventWords struct {
	Event string              `json:"event"`
	Words map[string][]string `json:"words"`
}

// WordsOf is the vocabulary where there are these tools and skills.
func WordsOf(tools []tool.Description, skills []string) Vocabulary {
	v := Vocabulary{Tools: tools, Skills: skills, Functions: expression.Functions(), Keys: map[string][]string{}}
	for name, of := range known(nil) {
		v.Keys[name] = []string{}
		if m, is := of.(types.Map); is && name != "vars" {
			v.Keys[name] = sortedKeys(m)
		}
	}
	for _, f := range forms {
		k := KindWords{Kind: f.kind, Fields: f.fields(), Output: presets[f.kind].schema}
		for _, ending := range endings(f.kind) {
			switch {
			case ending == roundsEnding:
				k.Inside = append(k.Inside, ending)
			case ending != thoughtEnding || f.asks: // the others never think aloud
				k.Writes = append(k.Writes, ending)
			}
		}
		if f.kind == KindFanOut {
			k.Reads = []string{itemKey}
		}
		v.Kinds = append(v.Kinds, k)
	}
	for _, p := range loaded() {
		w := PatternWords{Pattern: p.ID, With: map[string]json.RawMessage{"input": json.RawMessage(`{"type":"string"}`)}, Outputs: append([]string{}, p.Definition.Outputs...)}
		for name, declared := range p.Definition.Vars {
			w.With[name] = declared.schema()
		}
		v.Patterns = append(v.Patterns, w)
	}
	for _, m := range moments {
		words := map[string][]string{}
		for _, word := range everyWord {
			if word != runKey { // that is read everywhere
				words[word] = []string{}
			}
		}
		for _, word := range m.words {
			words[word] = append([]string{}, members[word]...)
		}
		v.Events = append(v.Events, EventWords{m.event, words})
	}
	return v
}

const (
	thoughtEnding = "_thought"
	roundsEnding  = "_rounds" // the nodes inside read it
)

// endings are the keys that a node of a kind writes, after its name.
func endings(kind string) []string {
	out := []string{"_output", thoughtEnding}
	switch kind {
	case KindAutonomous:
		out = append(out, "_steps")
	case KindLoop, KindRetry:
		out = append(out, roundsEnding)
	}
	return out
}
