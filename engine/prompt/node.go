package prompt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"holdpoint/engine/graph"
	"holdpoint/engine/schema"
)

// Node is one prompt. It is immutable once Stage was called, and safe for
// concurrent use by many runs.
type Node struct {
	Name        graph.StageID
	Title       string
	Description string
	// Instructions and then Blocks open the prompt, byte for byte the same in every run.
	Instructions string
	Blocks       []string
	// Fill puts values of the run into Instructions and Blocks when the node is entered;
	// optional. Without it they are the same in every run.
	Fill func(t *graph.Task, text string) (string, error)
	// Inputs are keys of the context, Inherit stages whose raw output is read too.
	Inputs  []string
	Inherit []graph.StageID
	// Output is the key that the answer is written to; optional.
	Output string
	Flags  graph.Flag
	// Strategies are names of Strategies, in order.
	Strategies []string
	// Perspective is a name of Perspectives; "custom" takes PerspectiveText.
	Perspective     string
	PerspectiveText string
	// Tools names what the node may call: nil nothing, "*" all that the agent has.
	Tools []string
	// Skills names the skills that the model may load: nil none, "*" all. Spec.Channels then
	// has Skills.
	Skills []string
	// Schema makes the answer JSON of this schema, an object's.
	Schema json.RawMessage
	// OutputSchema is that of the ValidateOutput flag; Schema when nil.
	OutputSchema json.RawMessage
	Guards       []Guard
	// Retries is how often guards may ask for another answer in one visit; 0 means 2.
	Retries int
	// Before runs once when the node is entered, ahead of everything else; what it
	// writes is there when the prompt is assembled.
	Before func(ctx context.Context, t *graph.Task) (graph.Patch, error)
	// After may change the output before it is written.
	After func(ctx context.Context, t *graph.Task, output json.RawMessage) (json.RawMessage, error)
	// Decides may let what the model answered, whatever After makes of it, name the next stage.
	Decides func(t *graph.Task, answer json.RawMessage, r *graph.Result)
	// MaxTokens bounds each answer; 0 means 1,024.
	MaxTokens   int
	Temperature float64
	// Rounds is how often the node may call tools in one visit before it has to
	// answer; 0 means 8.
	Rounds int
	// Says makes the output the run's reply: it is streamed to the person, kept as a
	// message and put into Reply.
	Says bool
	// Held shows the person nothing of the reply before it is whole: hooks may still change it.
	Held bool
	// Observes, Plans and Reflects also put the output into the channel of that name.
	Observes, Plans, Reflects bool
	// MaxRetries and SoftTimeout are those of graph.Stage.
	MaxRetries  int
	SoftTimeout time.Duration

	once sync.Once
	made prepared
	// built hears what was made anew, for tests of the caches.
	built func(what string)
}

// Stage makes the graph's stage of the node.
func (n *Node) Stage() graph.Stage {
	schema := n.OutputSchema
	if schema == nil {
		schema = n.Schema
	}
	return graph.Stage{ID: n.Name, Title: n.Title, Description: n.Description, Kind: "prompt", Run: n.Run, Flags: n.Flags,
		// Tools may write records or call out; those of a node that only reads do not.
		SideEffects: len(n.Tools)+len(n.Skills) > 0 && !n.Flags.Has(graph.ReadOnly),
		Inputs:      n.Inputs, Inherit: n.Inherit, Output: n.Output, OutputSchema: schema, MaxRetries: n.MaxRetries, SoftTimeout: n.SoftTimeout}
}

// prepared is what follows from the node alone.
type prepared struct {
	head    string
	tail    []string // of the head, after the node's own texts
	parts   []Part
	schema  json.RawMessage // of the answer, its strategies' parts included
	checker *jsonschema.Schema
	err     error
}

// prepare works it out once.
func (n *Node) prepare() (*prepared, error) {
	n.once.Do(func() {
		p := &n.made
		if p.parts, p.err = parts(n.Strategies); p.err != nil {
			return
		}
		view, ok := Perspectives[n.Perspective]
		switch {
		case n.Perspective == Custom && strings.TrimSpace(n.PerspectiveText) == "":
			p.err = errors.New("prompt: the custom perspective needs its text")
		case n.Perspective == Custom:
			view = n.PerspectiveText
		case n.Perspective != "" && !ok:
			p.err = fmt.Errorf("prompt: perspective %q is not known; use one of %s", n.Perspective, strings.Join(slices.Sorted(maps.Keys(Perspectives)), ", "))
		}
		for _, g := range n.Guards {
			if g.Check == nil {
				p.err = fmt.Errorf("prompt: guard %q checks nothing", g.Name)
			}
		}
		if p.err != nil {
			return
		}
		if n.Schema != nil {
			p.schema = n.Schema
			if len(p.parts) > 0 {
				p.schema = wrap(p.parts, n.Schema)
			}
			if p.checker, p.err = compile(p.schema); p.err != nil {
				return
			}
		}
		p.tail = []string{rules, view}
		if len(p.parts) > 0 {
			p.tail = append(p.tail, ways(p.parts, n.Schema != nil))
		}
		p.head = n.headOf(append([]string{n.Instructions}, n.Blocks...))
	})
	return &n.made, n.made.err
}

// headOf is the head with these as the node's own texts.
func (n *Node) headOf(own []string) string {
	texts := append(own, n.made.tail...)
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return strings.TrimSpace(s) == "" }), "\n\n")
}

// head is what opens the prompt in this visit.
func (n *Node) head(t *graph.Task) (string, error) {
	if n.Fill == nil {
		return n.made.head, nil
	}
	texts := append([]string{n.Instructions}, n.Blocks...)
	for i := range texts {
		var err error
		if texts[i], err = n.Fill(t, texts[i]); err != nil {
			return "", err
		}
	}
	return n.headOf(texts), nil
}

func compile(text json.RawMessage) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("prompt: the schema of the answer: %w", err)
	}
	if o, _ := doc.(map[string]any); o["type"] != "object" {
		return nil, errors.New("prompt: the schema of the answer must be that of an object")
	}
	s, err := schema.Compile("answer.json", doc, false)
	if err != nil {
		return nil, fmt.Errorf("prompt: the schema of the answer: %w", err)
	}
	return s, nil
}

// Check finds mistakes in the node: strategies and perspectives that do not
// exist, a schema that is none, a guard without a check.
func (n *Node) Check() error {
	_, err := n.prepare()
	return err
}
