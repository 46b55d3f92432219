package graph

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Flag changes how a stage is run. Several are or-ed. Each works in one place of
// the order of a visit, see package run.
type Flag uint32

const (
	// Critical ends the run when the stage fails. Without it a Tolerant graph goes on.
	Critical Flag = 1 << iota
	// SkipOnError passes the stage over when a predecessor of it failed.
	SkipOnError
	// Cacheable keeps the output in the run's state by stage and values of its
	// inputs, and uses it when the stage is entered with the same again.
	Cacheable
	// NoHistory shows the stage the history's fixed entries only.
	NoHistory
	// IsolatedContext shows the stage nothing of the context but its inputs, and
	// keeps nothing of what it writes there but its output.
	IsolatedContext
	// Lightweight asks for the light model; see Task.Light.
	Lightweight
	// RequiresHuman pauses before the stage runs until a person lets it.
	RequiresHuman
	// Retryable runs a failed stage again up to Stage.MaxRetries times, after 0.5, 1,
	// 2, 4 and then 8 s each. Refused on stages that act.
	Retryable
	// Verbose puts the whole output into the journal.
	Verbose
	// Observable emits a metrics event and calls OnObservable.
	Observable
	// SummarizeOutput replaces an output above 1,000 characters by the spec's
	// summary of it; "{id}_output" stays raw.
	SummarizeOutput
	// ValidateOutput checks the output against Stage.OutputSchema.
	ValidateOutput
	// Terminal ends the stage's graph once the stage succeeded.
	Terminal
	// ReadOnly refuses a stage that returns changes of records or of the graph.
	ReadOnly
	// Stateful keeps what Task.Memo holds from one visit to the next of a run.
	Stateful
	// InjectTools puts the schemas of all tools at hand into the prompt; for stages
	// that build prompts.
	InjectTools
)

// Errors of flags.
var (
	// ErrFlag says that a flag does not fit its stage.
	ErrFlag = errors.New("graph: flag does not fit the stage")
	// ErrReadOnly says that a stage that may only read wanted to change something.
	ErrReadOnly = errors.New("graph: the stage may only read")
)

var flagNames = []string{"critical", "skip_on_error", "cacheable", "no_history", "isolated_context", "lightweight", "requires_human",
	"retryable", "verbose", "observable", "summarize_output", "validate_output", "terminal", "readonly", "stateful", "inject_tools"}

// FlagNames are all flags as they are written in files and manifests.
func FlagNames() []string { return slices.Clone(flagNames) }

// ParseFlag finds a flag by its name, in any case.
func ParseFlag(name string) (Flag, error) {
	if i := slices.Index(flagNames, strings.ToLower(name)); i >= 0 {
		return 1 << i, nil
	}
	return 0, fmt.Errorf("%w: flag %q; use one of %s", ErrUnknownName, name, strings.Join(flagNames, ", "))
}

// Names lists the flags that are set.
func (f Flag) Names() []string {
	var out []string
	for i, n := range flagNames {
		if f&(1<<i) != 0 {
			out = append(out, n)
		}
	}
	return out
}

// Has says whether any of the flags is set.
func (f Flag) Has(which Flag) bool { return f&which != 0 }
