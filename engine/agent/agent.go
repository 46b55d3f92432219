// Package agent says what an agent is: a value that names its graph, its tools, what it
// remembers and how practice mode plays it. Package agents lists those that come with
// the program; package definition makes them of files. Whoever holds an agent knows no
// more of it than stands here.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"time"

	"holdpoint/engine/board"
	"holdpoint/engine/graph"
	"holdpoint/engine/manifest"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/skill"
	"holdpoint/engine/text"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
)

// ErrUseless says that a model's answer is of no use.
var ErrUseless = errors.New("agent: the model gave no usable answer")

// New builds an agent; an error is a mistake in its own declarations.
type New func(turn.Kit) (Agent, error)

// Agent is one agent. It is immutable and safe for concurrent use. ID, Graph and Begin are required;
// all else may be left out.
type Agent struct {
	// ID is its name on the command line and in stored runs.
	ID          string
	Title       string
	Description string
	// Experimental says that it is new and may be wrong in ways that nobody knows yet: people
	// are told wherever they can choose it.
	Experimental bool
	// SafetyLine says in exports of its sessions what it is not; "" is the program's, which
	// speaks of diagnoses.
	SafetyLine string
	// Example is a message to try the agent with.
	Example string
	// Patterns are the graphs to choose from by the var "pattern", the usual one first.
	Patterns []Pattern
	// PatternName is another var that chooses among them, where people know the choice by
	// another name; "" for none.
	PatternName string

	// Graph builds the graph of a run with these vars; the same vars give the same graph.
	// The screens go by the roles of its stages.
	Graph func(vars map[string]string) (*graph.Graph, error)
	// Asks are the values that a graph of a person's own is started with, by name; a session
	// keeps none of them by itself.
	Asks []Asked
	// Accept says what is wrong with the vars of a turn before it begins; nil takes any.
	Accept func(vars map[string]string) error
	// Earlier builds the graph that Graph gave in an earlier release, nil where it was the
	// same: a run that began on it goes on on it. nil for an agent whose graphs never changed.
	Earlier func(vars map[string]string) (*graph.Graph, error)
	// Begin is the first state of a turn.
	Begin func(turn.Message) graph.Patch

	// Tools are the agent's own. An open agent may also call those of all others and
	// those of servers that the person trusts.
	Tools []tool.Tool
	Open  bool

	// Light are the questions that its turns begin with; nil is the one about danger alone.
	Light *turn.Light

	// Phases are its context tools as they run; nil without such a pipeline. What they
	// found is kept for the session, and Memory says what people see of it.
	Phases [][]string
	Memory []MemoryView
	// Plan groups a list of the agent's context tools into phases and warns of what it
	// leaves out; an unknown tool is an error. nil without such a pipeline.
	Plan func(list []string) (phases [][]string, warnings []string, err error)

	// Subjects are the types of records that its sessions may be about; none means any.
	Subjects []string
	// Records are the types that it brings along, Formats the files it can read them from.
	Records []RecordType
	Formats []record.Format

	// Texts calls each with the texts in the records whose vectors the agent keeps, and how
	// they are read; nil without any. They are made anew when the encoder changes.
	Texts func(tx record.Tx, each func(turn.Reading, string) error) error

	// Skills opens those that come with it, sorted by name; nil without any.
	Skills func() ([]*skill.Skill, error)

	// Facts are the numbers that the agent takes from rules, with their sources; those
	// that a person has to confirm say so.
	Facts []Fact

	// Vectors holds what the agent computes against a file of worked examples; nil for an
	// agent that computes nothing.
	Vectors func(ctx context.Context, f VectorFile) ([]Case, error)

	// Maps are the types of records that the agent can draw, and Map draws one as a call of a
	// tool measured it; without a tool, as the records have it. It is ErrNoMap for a tool that
	// measures no places. nil for an agent without maps.
	Maps []string
	Map  func(tx record.Tx, about record.Ref, tool string, args json.RawMessage) (Map, error)

	// Weigh asks a model what a passage says about a statement, as the agent's own judging does: said is the
	// model's verdict, counts the one that the agent would go by. An error that wraps ErrUseless says that the answer is of
	// no use. nil for an agent that judges no evidence.
	Weigh func(ctx context.Context, m model.Model, passage, statement string) (said, counts board.Verdict, err error)
	// Features are what people may switch on for it: settings feature.NAME.
	Features []Feature

	// Vars are the inputs that each of its turns has; one that is left out is that of the
	// session's turn before.
	Vars []Var
	// Tongue is the value of the var of its language that a message asks for in words, or else is
	// written in as a whole; "" for none. nil for an agent that has no such var.
	Tongue func(message string) (language string, asked bool)
	// Wording are the agent's sentences and prompts by audience and language; nil for an agent
	// that has them in its graph.
	Wording *text.Files
	// Prompts compile what a node asks a model with; nil likewise.
	Prompts *Prompts
	// Whom names whom a session with these vars is with, for consent and memory; practice
	// sessions are with nobody else. An agent that has it writes its own summaries: no other
	// agent's prompt, and no other person's, has them. nil leaves memory to the program.
	Whom func(session string, vars map[string]string, practice bool) string
	// Person says whom one of these names; false for nobody of the agent's.
	Person func(whom string) (Person, bool)

	// Cards are how screens show it; nil for an agent without any.
	Cards *Cards

	// Script is what practice mode plays for the agent and for its tools.
	Script model.Script
}

// Feature is something that is off until a person switches it on.
type Feature struct {
	Name string
	// About goes on behind “takes on or off, and” in the help of the setting.
	About string
}

// Person is somebody whom an agent talks with.
type Person struct {
	// Title is what people call those like them, e.g. “A teenager”.
	Title string
	// Name is the one that they gave, in small letters; "" for none.
	Name string
	// Practice keeps apart what was said in practice.
	Practice bool
}

// Var is an input of a run.
type Var struct {
	Name string `json:"name"`
	// Values are those to choose from; Title and Titles are what people call it and them.
	Values []string `json:"values"`
	Title  string   `json:"title,omitempty"`
	Titles []string `json:"titles,omitempty"`
	// Open says that any other value may be given as well, e.g. a name.
	Open bool `json:"open,omitempty"`
	// Unsaid is what a card sends where a person leaves it open; "" waits for an answer.
	Unsaid string `json:"unsaid,omitempty"`
	// Fixed says that a session keeps the value of its first turn.
	Fixed bool `json:"fixed,omitempty"`
	// Default is taken where nothing else is known; "" asks for one.
	Default string `json:"default,omitempty"`
	// Language says that the default is the language that a person chose for the program, where
	// it is one of the values.
	Language bool `json:"language,omitempty"`
	// Region says that it need not be asked for where the program's region was chosen and is one of
	// the values.
	Region bool `json:"region,omitempty"`
	// Audience says that it chooses the audience of the agent's texts. Carer is the value of those who write about a child of theirs;
	// "" for none.
	Audience bool   `json:"audience,omitempty"`
	Carer    string `json:"carer,omitempty"`
	// Withheld is the value of somebody who rather does not say; "" for none.
	Withheld string `json:"withheld,omitempty"`
	// Once says that a turn does not take it over from the one before.
	Once bool `json:"once,omitempty"`
	// Start says that screens ask for it when a session begins.
	Start bool `json:"start,omitempty"`
}

// Asked is a value that a graph is started with, as its author declared it: a var whose text
// is read as what Schema says.
type Asked struct {
	Name string `json:"name"`
	// Schema is the JSON Schema of the value, with what it is for as its description; Values are those to choose from.
	Schema json.RawMessage `json:"schema"`
	Values []string        `json:"values,omitempty"`
	// Default is what is taken where nothing is given; without one nothing is.
	Default  string `json:"default,omitempty"`
	Required bool   `json:"required,omitempty"`
}

// Prompts are those of an agent's nodes.
type Prompts struct {
	Manifests *manifest.Set
	// Show compiles what a node asks with for a state that vars give in words; words finds
	// the texts in force.
	Show func(node string, vars map[string]string, words func(text.Key) (string, error)) (manifest.Compiled, error)
}

// Pattern is one graph of an agent that has several.
type Pattern struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Example     string `json:"example"` // a message to try it with
}

// PatternVar is the var that chooses among an agent's patterns.
const PatternVar = "pattern"

// Pattern is the pattern chosen by a run's vars, or the usual one; "" for an agent
// without any.
func (a *Agent) Pattern(vars map[string]string) string {
	if p := vars[a.PatternName]; a.PatternName != "" && p != "" {
		return p
	}
	if p := vars[PatternVar]; p != "" || len(a.Patterns) == 0 {
		return p
	}
	return a.Patterns[0].ID
}

// VectorFile is a file of worked examples.
type VectorFile struct {
	Body []byte
	// Folder is where the file lies, for the tables that it names.
	Folder fs.FS
	// Records reads what was imported.
	Records func(fn func(record.Tx) error) error
}

// Case is one worked example: what is expected and what came out.
type Case struct {
	ID       string          `json:"id"`
	OK       bool            `json:"ok"`
	Expected json.RawMessage `json:"expected"`
	Got      json.RawMessage `json:"got"`
}

// Fact is something that an agent takes from a rule.
type Fact struct {
	ID string `json:"id"`
	// Text says it in a sentence; Value is the number or word in it.
	Text  string `json:"text"`
	Value string `json:"value"`
	// Source is the rule or document. Confirm says that none was read: a person has to
	// confirm the fact before it stands in a filing as more than an assumption.
	Source  string `json:"source"`
	Confirm bool   `json:"confirm"`
	// Number says that a person may confirm another number in Value's place: what is worked
	// out does not rest on it. Any other fact is confirmed as it is.
	Number bool `json:"number,omitempty"`
}

// MemoryView is what people see of the part of memory that one context tool fills.
type MemoryView struct {
	Tool  string
	Title string
	// Signal marks the part that says what the conversation is about.
	Signal bool
	// Entities are the things that an output speaks of; nil finds none.
	Entities func(output json.RawMessage) []Entity
	// Lines are the part as people read it, in a language (ISO 639-1); nil shows it as it is kept.
	Lines func(s CardState, say Say) (lines []MemoryLine, language string, err error)
}

// MemoryLine is one thing that is remembered, in words.
type MemoryLine struct {
	Title string `json:"title"`
	Text  string `json:"text"`
	// From says where it came from; "" where that is not known.
	From string `json:"from,omitempty"`
}

// Entity is something that a conversation is about.
type Entity struct{ Kind, Text string }

// RecordType is a type of records that lists cannot put into words by themselves.
type RecordType struct {
	Type string // as records have it, e.g. "Well"
	// Plural heads lists of them, e.g. "Wells"; "" leaves the type's name in words.
	Plural string
	// Describe gives one its title and a line below it.
	Describe func(r record.Record, now time.Time) (title, subtitle string)
	// Names are what people call its members; one without shows its own name.
	Names map[string]string
	// Form reads a record that is a form; nil for a type that is none.
	Form func(r record.Record) (Form, error)
}
