package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
)

// Func is what a tool does. D holds the turn's dependencies: a view of the store,
// models, settings. A Func only reads, because it may run several times in one turn. It
// should end with its context; a result that comes later is discarded.
type Func[D any] func(ctx context.Context, deps D, in Input) (Output, error)

// Tool is a function with the part of the conversation that feeds it.
type Tool[D any] struct {
	Run Func[D]
	// Slice picks, from a conversation without mere acknowledgements, what the tool
	// is fed; the content-hash gate looks at the same, and what the person says new in it
	// makes the tool run. nil is Said.
	Slice func([]model.Message) []model.Message
	// StandIn gives an output in the place of one that failed for good, from what is at
	// hand without asking anybody; it says in Degraded what is lacking. It is never kept:
	// the tool runs again in the next turn. A tool with a stand-in is not tried again when
	// it was too slow. nil is for tools whose part nothing can stand in for.
	StandIn func(in Input, class Class) Output
}

// Input is what one attempt sees. Its arguments, its list of messages and the
// outputs it reads are copies: changing them changes nothing elsewhere.
type Input struct {
	Session string
	Turn    string
	Attempt int // from 1
	// Args are JSON values as encoding/json decodes them into any:
	// defaults, over them what was injected, over that the caller's.
	Args map[string]any
	// Conversation is the tool's slice, oldest first.
	Conversation []model.Message
	// Outputs are those of earlier phases.
	Outputs Outputs
}

// Decode puts the arguments into a struct. An argument that does not fit or is
// not known to the struct wraps ErrValidation.
func (in Input) Decode(out any) error {
	raw, err := json.Marshal(in.Args)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrValidation, err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(out); err != nil {
		return fmt.Errorf("%w: %w", ErrValidation, err)
	}
	return nil
}

// Outputs reads the outputs of earlier phases. An output that a tool reads here counts
// as upstream even if it is not a declared dependency: when it changes, the tool runs
// again.
type Outputs struct {
	known map[string]json.RawMessage
	seen  *seen
}

type seen struct {
	mu    sync.Mutex
	names []string
}

// Get returns a copy of a tool's output; false when the tool is of no earlier
// phase or failed.
func (o Outputs) Get(tool string) (json.RawMessage, bool) {
	if o.seen != nil {
		o.seen.mu.Lock()
		if !slices.Contains(o.seen.names, tool) {
			o.seen.names = append(o.seen.names, tool)
		}
		o.seen.mu.Unlock()
	}
	raw, ok := o.known[tool]
	return bytes.Clone(raw), ok
}

// Output is what a tool found out.
type Output struct {
	// Value is anything that encodes to JSON, usually an object, whose top-level keys
	// dependents can inject. nil, or JSON null, is a failure.
	Value any
	// Completeness is how much the tool found of what it looks for, from 0 to 1.
	Completeness float64
	// Reads are the records that went into Value, with the version that was read; the
	// version is empty for a record that was looked for and does not exist.
	Reads []ledger.Target
	// Degraded says in plain words what is lacking in an output that can still be used.
	Degraded string
	// Weak says that a model too small for its word to count alone wrote it.
	Weak bool
}

// finished is an output as it is kept: checked and in one form.
type finished struct {
	value        json.RawMessage
	hash         string
	completeness float64
	degraded     string
	weak         bool
	reads        []ledger.Target
	upstream     []string // outputs that the tool looked at
}

// finish checks an output. The value gets sorted keys and plain spacing, so that
// equal outputs have equal hashes, also after a trip through the store.
func (o Output) finish() (finished, error) {
	if math.IsNaN(o.Completeness) || o.Completeness < 0 || o.Completeness > 1 {
		return finished{}, fmt.Errorf("%w: completeness %v is not between 0 and 1", ErrValidation, o.Completeness)
	}
	raw, err := json.Marshal(o.Value)
	if err != nil {
		return finished{}, fmt.Errorf("%w: the output is not JSON: %w", ErrValidation, err)
	}
	if raw, err = sorted(raw); err != nil {
		return finished{}, fmt.Errorf("%w: the output is not JSON: %w", ErrValidation, err)
	}
	if bytes.Equal(raw, []byte("null")) {
		return finished{}, fmt.Errorf("%w: there is no output", ErrValidation)
	}
	for _, r := range o.Reads {
		if r.Type == "" || r.ID == "" {
			return finished{}, fmt.Errorf("%w: a record that was read has no type or id", ErrValidation)
		}
	}
	return finished{value: raw, hash: digest(raw), completeness: o.Completeness, degraded: o.Degraded, weak: o.Weak, reads: slices.Clone(o.Reads)}, nil
}

// sorted re-encodes JSON with sorted keys; numbers stay as they are written.
func sorted(raw json.RawMessage) (json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if dec.More() {
		return nil, errors.New("more than one value")
	}
	return json.Marshal(v)
}
