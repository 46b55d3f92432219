// Package tool describes what an agent can do besides talking. Read tools run at once.
// Mutating tools only plan; the plan is carried out once a person has approved it.
// Outside tools wait for an approval, too, and then act beyond our own records.
package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"holdpoint/engine/identity"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/schema"
)

// Errors of a set that callers decide on.
var (
	ErrUnknown   = errors.New("tool: no such tool")
	ErrArguments = errors.New("tool: arguments do not fit")
)

// Refusal is a business "no": the tool understood and nothing was done.
type Refusal struct {
	Reason string
	// Rejected says that it was a person who said no.
	Rejected bool
}

func (r *Refusal) Error() string { return r.Reason }

// FailureKind tells a person's no from all others; see graph.KindOf.
func (r *Refusal) FailureKind() string {
	if r.Rejected {
		return "rejected"
	}
	return "refused"
}

// Env is what a call may know of the turn it belongs to.
type Env struct {
	Session string
	Turn    string
	Call    string
	Subject record.Ref // what the run is about; may be the zero Ref
	Now     time.Time
	// Facts are those of the agent that a person confirmed, by their ids.
	Facts map[string]Fact
}

// Fact is what a person says of something that no source at hand confirms.
type Fact struct {
	Value string    `json:"value"`
	By    string    `json:"by"`
	At    time.Time `json:"at"`
}

// Plan is what a mutating call would do to records, worked out in advance. The same
// arguments and the same records give the same plan.
type Plan struct {
	// Args are the complete arguments: what the person approves, and what runs.
	Args  json.RawMessage
	Title string // one plain sentence
	// Summary is what it means in words, for the person who approves; it needs not say what
	// the form or the arguments say as well.
	Summary []ledger.Fact
	Targets []ledger.Target
	Changes []ledger.Change
	// Result is what the model is told once the changes are written.
	Result json.RawMessage
}

// Tool is one registry entry. It has one body: Read, Plan or Outside.
type Tool struct {
	Name string
	// Title is what a person calls it; "" leaves it to the name.
	Title       string
	Description string
	// Parameters is the JSON Schema of the arguments: an object, without additional
	// properties unless the tool belongs to somebody else's server.
	Parameters json.RawMessage
	// RiskHigh asks the reviewer for the meaning of the signature.
	RiskHigh bool
	// Server is the id of the server that the tool belongs to; "" for our own.
	Server string
	// About are the types of records that the tool is about; nil is for all. A node that
	// may call all tools is offered it in turns about one of these; one that names the tool
	// may always call it.
	About []string
	// Subject is the argument that names the record that a run is about: a run about one takes no
	// other there. "" for none.
	Subject string
	// Origin names what brought the tool along, with its digest, where that may change: it is
	// part of what an approval is given for. "" for the program's own.
	Origin string
	// Capabilities are what the tool does, for rules: create_entity. A tool with Read only
	// looks, and has read when it names none; any other that names none counts as mutating.
	Capabilities []string
	// GoesBy are the context tools whose answers a proposal of this tool depends on: only of these
	// a reviewer is warned where they lack something. nil is all, an empty list none.
	GoesBy []string
	// Allow says why a caller may not use the tool; nil allows everybody. It is asked
	// whenever a call is looked at, so also when a run is resumed by somebody else.
	Allow func(identity.Caller) error

	Read func(ctx context.Context, env Env, args json.RawMessage) (json.RawMessage, error)
	Plan func(tx record.Tx, env Env, args json.RawMessage) (Plan, error)
	// Outside has side effects beyond our records. key is the idempotency key: the
	// call's id, the same on every attempt. A *Refusal guarantees that nothing was done;
	// after any other error the outcome is unknown. NewSet gives the tool a Plan that
	// changes no record.
	Outside func(ctx context.Context, env Env, args json.RawMessage, key string) (json.RawMessage, error)

	// Keep is for a tool with Read: the records that keep what it gave once a person signed
	// that. What is signed is worked out anew from the arguments; it needs no approval to
	// be read.
	Keep func(tx record.Tx, env Env, args json.RawMessage) (Plan, error)

	// Complete are the arguments as the call would run with them: the records that are meant
	// where a name, or nothing, stands for one. Rules read these. nil leaves them as they are,
	// and what cannot be completed stays.
	Complete func(tx record.Tx, env Env, args json.RawMessage) json.RawMessage

	// planned says that Plan was made by NewSet, so that the tool may go into another set.
	planned bool
}

// CanRead is the capability of a tool that only looks.
const CanRead = "read"

// Held is a read tool as a person approves it where a rule says so: its plan shows the
// arguments and changes nothing.
func (t Tool) Held() Tool {
	if t.Plan == nil {
		t.Plan = func(_ record.Tx, _ Env, args json.RawMessage) (Plan, error) {
			return Plan{Args: args, Title: "Run " + t.Name + ", which changes nothing"}, nil
		}
	}
	return t
}

// Signed is a read tool as a person signs what it gave: its plan is Keep.
func (t Tool) Signed() Tool {
	t.Read, t.Plan = nil, t.Keep
	return t
}

// Mutates says that the tool changes something and so needs an approval.
func (t Tool) Mutates() bool { return t.Plan != nil || t.Outside != nil }

// planOutside shows a person the arguments as they are: only the other side knows
// what they do.
func (t Tool) planOutside(_ record.Tx, _ Env, args json.RawMessage) (Plan, error) {
	title := "Run " + t.Name
	if t.Server != "" {
		title += " on " + t.Server
	}
	return Plan{Args: args, Title: title + ", which may change things outside Holdpoint"}, nil
}

// Set is a registry of tools, in a fixed order. It is immutable.
type Set struct {
	tools   []Tool
	at      map[string]int
	offer   []model.Tool
	schemas map[string]*jsonschema.Schema
}

// parameters are what a schema of a tool's arguments is: whether it is an object, and closed.
type parameters struct {
	schema         *jsonschema.Schema
	object, closed bool
}

// compiled are the newest schemas: turns and cards make sets of the same tools again and again.
var compiled, _ = lru.New[string, parameters](256) // only a size below 1 is an error

func parametersOf(text json.RawMessage) (parameters, error) {
	if p, ok := compiled.Get(string(text)); ok {
		return p, nil
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return parameters{}, err
	}
	o, _ := doc.(map[string]any)
	p := parameters{object: o["type"] == "object", closed: o["additionalProperties"] == false}
	if p.schema, err = schema.Compile("tool.json", doc, true); err != nil {
		return parameters{}, err
	}
	compiled.Add(string(text), p)
	return p, nil
}

// NewSet checks and compiles the tools.
func NewSet(tools ...Tool) (*Set, error) {
	s := &Set{at: map[string]int{}, schemas: map[string]*jsonschema.Schema{}}
	for _, t := range tools {
		if t.Name == "" || strings.ContainsFunc(t.Name, unicode.IsSpace) {
			return nil, fmt.Errorf("tool: %q is no name of a tool; write one word, such as log_temperature", t.Name)
		}
		if _, ok := s.schemas[t.Name]; ok {
			return nil, fmt.Errorf("tool: there are two tools called %q; rename one", t.Name)
		}
		if t.planned {
			t.Plan = nil
		}
		var bodies []string
		for _, b := range []struct {
			name string
			has  bool
		}{{"Read", t.Read != nil}, {"Plan", t.Plan != nil}, {"Outside", t.Outside != nil}} {
			if b.has {
				bodies = append(bodies, b.name)
			}
		}
		switch len(bodies) {
		case 0:
			return nil, fmt.Errorf("tool: %q does nothing; give it Read, Plan or Outside", t.Name)
		case 1:
		default:
			return nil, fmt.Errorf("tool: %q has %s; it has just one body", t.Name, strings.Join(bodies, " and "))
		}
		if len(t.Parameters) == 0 {
			return nil, fmt.Errorf(`tool: %q has no Parameters; a tool without arguments has {"type":"object","properties":{},"additionalProperties":false}`, t.Name)
		}
		of, err := parametersOf(t.Parameters)
		if err != nil {
			return nil, fmt.Errorf("tool: schema of %q: %w", t.Name, err)
		}
		// Which properties somebody else's server accepts is its own affair.
		if !of.object || t.Server == "" && !of.closed {
			return nil, fmt.Errorf("tool: schema of %q: it must be an object with additionalProperties false", t.Name)
		}
		s.schemas[t.Name] = of.schema
		if t.Read != nil && len(t.Capabilities) == 0 {
			t.Capabilities = []string{CanRead}
		}
		if t.Outside != nil {
			t.Plan, t.planned = t.planOutside, true
		}
		t.Plan, t.Keep = inOneForm(t.Name, t.Plan), inOneForm(t.Name, t.Keep)
		s.add(t)
	}
	return s, nil
}

// inOneForm gives a plan's arguments the canonical form, which approvals are made of. A plan only looks, also
// where it is made again to be carried out: one that tries to write is an error, whatever it does with its own.
func inOneForm(name string, plan func(record.Tx, Env, json.RawMessage) (Plan, error)) func(record.Tx, Env, json.RawMessage) (Plan, error) {
	if plan == nil {
		return nil
	}
	return func(tx record.Tx, env Env, args json.RawMessage) (Plan, error) {
		look := &looking{Tx: tx, tool: name}
		p, err := plan(look, env, args)
		if look.tried != nil {
			return Plan{}, look.tried
		}
		if err == nil {
			p.Args, err = ledger.Canonical(p.Args)
		}
		return p, err
	}
}

// looking is a transaction in which records are only read. It remembers that more was tried.
type looking struct {
	record.Tx
	tool  string
	tried error
}

func (l *looking) PutRecord(r record.Record) error { return l.refuse(r.Ref) }

func (l *looking) DeleteRecord(ref record.Ref) error { return l.refuse(ref) }

func (l *looking) refuse(ref record.Ref) error {
	if l.tried == nil {
		l.tried = fmt.Errorf("tool: the Plan of %q tried to write %s; a Plan only says in Changes what is to be written", l.tool, ref)
	}
	return l.tried
}

// Get finds a tool by name.
func (s *Set) Get(name string) (Tool, error) {
	if i, ok := s.at[name]; ok {
		return s.tools[i], nil
	}
	return Tool{}, fmt.Errorf("%w: %q", ErrUnknown, name)
}

// Only returns the tools for which keep is true, in the same order.
func (s *Set) Only(keep func(Tool) bool) *Set {
	for i := range s.tools {
		if !keep(s.tools[i]) {
			part := &Set{at: make(map[string]int, len(s.tools)), schemas: s.schemas}
			for k := range s.tools {
				if k < i || k > i && keep(s.tools[k]) {
					part.add(s.tools[k])
				}
			}
			return part
		}
	}
	return s
}

func (s *Set) add(t Tool) {
	s.at[t.Name] = len(s.tools)
	s.tools = append(s.tools, t)
	s.offer = append(s.offer, model.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
}

// Len is the number of tools.
func (s *Set) Len() int { return len(s.tools) }

// Offer lists the tools for a model. Treat it as read-only.
func (s *Set) Offer() []model.Tool { return s.offer }

// Description is a tool as the manifest shows it.
type Description struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description"`
	Mutates     bool   `json:"mutates"`
	RiskHigh    bool   `json:"risk_high,omitempty"`
	Server      string `json:"server,omitempty"`
	// Capabilities are what the tool does, for rules.
	Capabilities []string        `json:"capabilities,omitempty"`
	Outside      bool            `json:"outside,omitempty"`
	Parameters   json.RawMessage `json:"parameters"`
}

// Describe lists the tools for a manifest.
func (s *Set) Describe() []Description {
	out := make([]Description, len(s.tools))
	for i, t := range s.tools {
		out[i] = Description{t.Name, t.Title, t.Description, t.Mutates(), t.RiskHigh, t.Server, t.Capabilities, t.Outside != nil, t.Parameters}
	}
	return out
}

// Check returns the arguments in canonical form. Its errors wrap ErrArguments and say
// what is wrong: not a single unambiguous object, or not valid under the schema.
func (s *Set) Check(name string, args json.RawMessage) (json.RawMessage, error) {
	if _, ok := s.at[name]; !ok {
		return nil, fmt.Errorf("%w: %q", ErrUnknown, name)
	}
	return fit(s.schemas[name], args)
}

// Fit is Check for the arguments of a tool that is elsewhere, by the schema of its parameters.
func Fit(parameters, args json.RawMessage) (json.RawMessage, error) {
	of, err := parametersOf(parameters)
	if err != nil {
		return nil, fmt.Errorf("tool: schema of arguments: %w", err)
	}
	return fit(of.schema, args)
}

func fit(of *jsonschema.Schema, args json.RawMessage) (json.RawMessage, error) {
	if len(args) > 64<<10 {
		return nil, fmt.Errorf("%w: %d bytes are more than the 65,536 allowed", ErrArguments, len(args))
	}
	canonical, err := ledger.Canonical(args)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrArguments, err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(canonical))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrArguments, err)
	}
	if err := folded(v); err != nil {
		return nil, err
	}
	if err := schema.Validate(of, v); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrArguments, err)
	}
	return canonical, nil
}

// folded refuses an object with two keys that differ only in case: a parser that
// ignores case, such as Go's, would let one replace the other.
func folded(v any) error {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if err := folded(e); err != nil {
				return err
			}
		}
	case map[string]any:
		seen := make(map[string]bool, len(v))
		for k, e := range v {
			// A few letters have three forms; upper and then lower case makes them one.
			f := strings.ToLower(strings.ToUpper(k))
			if seen[f] {
				return fmt.Errorf("%w: two keys differ from %q only in case", ErrArguments, f)
			}
			seen[f] = true
			if err := folded(e); err != nil {
				return err
			}
		}
	}
	return nil
}
