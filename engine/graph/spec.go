package graph

import (
	"context"
	"encoding/json"
	"time"

	"holdpoint/engine/journal"
)

// Spec describes a graph as data. New checks it and turns it into a Graph; the
// manifest, the Mermaid text, the fingerprint and the wiring all come from it.
type Spec struct {
	Agent       string
	Title       string
	Description string
	Stages      []Stage
	Edges       []Edge
	Conditions  []Condition
	Channels    []AnyChannel
	// Reply is the channel that holds the run's answer to the person; optional.
	Reply Channel[string]
	// MaxSteps bounds the super-steps of a run; 0 means 100.
	MaxSteps int
	// Limits bound the run besides its super-steps.
	Limits Limits
	// Tolerant lets the run go on after a stage without Critical failed: along its
	// error edge if it has one, else as if it had given no output.
	Tolerant bool
	// Context is where outputs go and inputs come from; needed by stages with Inputs,
	// Output or Inherit. It is declared by standing here: Channels leave it out.
	Context KeyedChannel
	// History is what NoHistory hides; optional.
	History History
	// Hooks run in this order.
	Hooks []Hooks
	// Summarize shortens an output for SummarizeOutput.
	Summarize func(ctx context.Context, t *Task, output string) (string, error)
	// Failed tells what else is to be told of a run that ends with a stage's error; optional. It
	// emits by the task, which is of that stage.
	Failed func(t *Task, err error)
	// Grow builds the stage of an add_stage mutation; without it the graph cannot grow.
	Grow func(definition json.RawMessage) (Stage, error)
	// Settings is a digest of what the code of the stages goes by and no other field says: the tools that
	// a file names, how often a loop runs, where its router leads. It is part of the topology; "" where
	// there is nothing of the kind.
	Settings string
}

// Stage is one step of a graph. It has either Run or Graph.
type Stage struct {
	ID          StageID
	Title       string
	Description string
	// SideEffects says that the stage reaches outside the run (writes records, calls out):
	// it starts only when all that precedes it is on disk.
	SideEffects bool
	Run         Func
	// Graph is a graph of its own inside the stage. Its stages are named
	// "stage/inner", share the run's channels, and the stage is done when the inner
	// graph ends. It has stages, edges, conditions and channels; the rest of a Spec holds
	// for a whole run and is refused here (ErrNested).
	Graph *Spec
	// Scope gives that graph a context of its own; optional.
	Scope *Scope
	// Begins are keys of the context with what they hold when that graph is entered; nil
	// takes one away.
	Begins map[string]json.RawMessage
	// Join says when a stage with join_input edges starts.
	Join JoinPolicy

	// Kind names what the stage is made of ("prompt", "router"), for manifests.
	Kind string
	// Role says what the stage is to the person who watches ("" for none): screens go
	// by it, never by an id. It changes nothing of the run and is not in the hash.
	Role  string
	Flags Flag
	// Inputs are the keys of the context that the stage reads, Output the one that
	// its output is written to. The raw output also goes to "{id}_output".
	Inputs []string
	Output string
	// Sinks are further keys that the raw output is written to: those of the stages around
	// that this one ends.
	Sinks []Sink
	// Reads are keys that the stage goes by beside its inputs and what it inherits: what a
	// kept output of it depends on.
	Reads []string
	// Sees is what else the stage goes by, of other channels: what a kept output of it depends
	// on, as JSON can be made of it. nil for nothing.
	Sees func(Snapshot) any
	// Prepares are keys that the stage writes itself before it works: what is kept of it brings
	// them along and does not depend on them.
	Prepares []string
	// Inherit are stages whose raw output the stage reads beside its inputs.
	Inherit []StageID
	// OutputSchema is the JSON Schema of ValidateOutput.
	OutputSchema json.RawMessage
	// MaxRetries is how often Retryable runs the stage again; 0 means 3.
	MaxRetries int
	// SoftTimeout is how long the stage should take; longer only marks its result.
	SoftTimeout time.Duration
	// MayEnd lets the graph end after the stage when no edge of it holds.
	MayEnd bool
	// Ends says that what the stage chooses may be the end. It changes nothing of the run, where
	// every choice may, and is not in the hash.
	Ends bool
	// Hears says that the stage is told (Task.Before) when all predecessors of it failed.
	Hears bool
	// Quick says that Run only computes and waits for nothing: what it returns may
	// stay ahead of the disk until something waits. It must not use its Task after it
	// returned, but in a Do.
	Quick bool
}

// JoinPolicy says what a join does about an input that can no longer come,
// because its route was not taken.
type JoinPolicy string

const (
	// JoinReachable (the default) waits for every input that can still come and
	// then starts, once.
	JoinReachable JoinPolicy = ""
	// JoinAll starts only with every input; when one can no longer come the join is
	// skipped, and what follows it with it.
	JoinAll JoinPolicy = "all"
)

// Func is the work of a stage: state in, patch out. It must return soon after ctx ended (see
// run.Options.Grace); what it returns later is discarded.
type Func func(ctx context.Context, t *Task) (Result, error)

// Result is what a stage returns.
type Result struct {
	Patch Patch
	// Pauses make the run wait; Patch must then be empty, and the stage runs again
	// from its start once one of them is answered. Ids must be stable over such runs.
	Pauses []Pause
	// Reenter enters the stage once more in the next super-step, for the reason it
	// gives ("tool_calls_present"); its visit goes on. Only a safety edge comes first.
	Reenter string
	// Output is what the stage has to say; see Stage.Output. It is data and leads
	// nowhere by itself, but along match edges.
	Output json.RawMessage
	// Raw is only for hooks after a stage: what goes to the stage's OutputKey and Sinks, while
	// Output goes to the stage's own key. A hook may change either.
	Raw json.RawMessage
	// Route is the next stage of the same graph that the output names, of a stage whose
	// work is to decide; see RouteOf. One that does not exist chooses nothing.
	Route StageID
	// Goto names the next stage of the same graph, ahead of conditional and plain
	// edges but never ahead of a safety edge.
	Goto StageID
	// Reason says in words why the stage chose as it did.
	Reason string
	// Events are appended before stage_completed, in the same transaction.
	Events []journal.Event
	// Do changes rows besides the run's in the transaction of the result.
	Do Change
	// Usage is added to what the run used up, with what Task.Spend counted; requests
	// to a model by package turn are counted there.
	Usage Usage
	// Mutations change the graph from the next super-step on.
	Mutations []Mutation
	// Fleeting says that another visit may well do better: the flag Cacheable does not keep it.
	Fleeting bool
	// Reached says that the stage came to a limit of its own. The rest must be empty.
	Reached *Reached
}

// EdgeType says what an edge is for.
type EdgeType string

const (
	// Entry leads from Start to a first stage.
	Entry EdgeType = "entry"
	// Conditional leads on when its condition holds; of several the highest priority does.
	Conditional EdgeType = "conditional"
	// TerminalPath leads on always, as Sequence does, and may lead to End: screens draw it as
	// a way out.
	TerminalPath EdgeType = "terminal_path"
	// ParallelBranch leads on beside its siblings, JoinInput to the stage that waits for them.
	ParallelBranch EdgeType = "parallel_branch"
	JoinInput      EdgeType = "join_input"
	// Sequence leads on always, Exit to End.
	Sequence EdgeType = "sequence"
	Exit     EdgeType = "exit"
	// Choice is a way that a stage may take by Goto or by its output's route; nothing
	// else leads along it.
	Choice EdgeType = "choice"
	// Match leads on when the output equals Edge.Match: the stage's transitions table.
	Match EdgeType = "match"
	// OnError leads on when the stage failed or was entered too often.
	OnError EdgeType = "error"
)

// Edge leads from one stage to another. It is a value: New copies the spec's
// edges, and nothing changes them afterwards.
type Edge struct {
	From      StageID  `json:"from"`
	To        StageID  `json:"to"`
	Type      EdgeType `json:"type"`
	Condition string   `json:"condition,omitempty"`
	// Match is the output's text (or its JSON, if it is no text) of a match edge.
	Match string `json:"match,omitempty"`
	// Priority orders conditional edges, the highest first; equal ones as declared.
	Priority int `json:"priority,omitempty"`
}

// Condition is a named test that edges go by: of one boolean channel (When, Unless), of the
// context (WhenKey, WhenContext), or of what the run has done as well (WhenCounts).
type Condition struct {
	Name    string
	channel *definition
	want    bool
	// test and text are those of a condition on the context.
	test func(context map[string]json.RawMessage, now func() Counts) bool
	key  string // "" when the test looks at several
	text string
	// Safety makes the edges that use the condition come before all else and
	// exclude it: no choice of a stage or a model overrides them.
	Safety bool
	// Title words it for a person; "" leaves it to the name.
	Title string
}

// Called words the condition for a person.
func (c Condition) Called(title string) Condition { c.Title = title; return c }

// When holds while the channel is true.
func When(name string, c Channel[bool]) Condition {
	return Condition{Name: name, channel: c.definition, want: true}
}

// Unless holds while the channel is false.
func Unless(name string, c Channel[bool]) Condition {
	return Condition{Name: name, channel: c.definition}
}

// AsSafety marks the condition as one of a safety edge.
func (c Condition) AsSafety() Condition { c.Safety = true; return c }

// WhenKey holds while test says so of a key of the context; nil stands for a key
// without a value. text words the test for manifests and the fingerprint.
func WhenKey(name string, c KeyedChannel, key, text string, test func(json.RawMessage) bool) Condition {
	return Condition{Name: name, channel: c.definition, key: key, text: text, test: func(context map[string]json.RawMessage, _ func() Counts) bool { return test(context[key]) }}
}

// WhenContext is WhenKey for a test of several keys. The test must not change the
// context.
func WhenContext(name string, c KeyedChannel, text string, test func(context map[string]json.RawMessage) bool) Condition {
	return Condition{Name: name, channel: c.definition, text: text, test: func(context map[string]json.RawMessage, _ func() Counts) bool { return test(context) }}
}

// Counts are what a run has done so far.
type Counts struct {
	// Iterations are the run's super-steps, StageIterations those of the stage in hand.
	Iterations, StageIterations int
	// Tokens and Time are what it used of both.
	Tokens int
	Time   time.Duration
}

// WhenCounts is WhenContext for a test that also goes by what the run has done, the
// stage that it leads on from included.
func WhenCounts(name string, c KeyedChannel, text string, test func(context map[string]json.RawMessage, now Counts) bool) Condition {
	return Condition{Name: name, channel: c.definition, text: text, test: func(context map[string]json.RawMessage, now func() Counts) bool { return test(context, now()) }}
}

// Holds says whether the test holds, by the state and by what the run has done.
func (c Condition) Holds(s Snapshot, now func() Counts) bool {
	if c.test != nil {
		m, _ := s.value(c.channel).(map[string]json.RawMessage)
		return c.test(m, now)
	}
	return s.value(c.channel).(bool) == c.want
}

// Manifest is the graph as the screens draw it.
type Manifest struct {
	Agent       string            `json:"agent"`
	Title       string            `json:"title"`
	Description string            `json:"description,omitempty"`
	Fingerprint string            `json:"fingerprint"`
	MaxSteps    int               `json:"max_steps"`
	Stages      []ManifestStage   `json:"stages"`
	Edges       []Edge            `json:"edges"`
	Conditions  []ManifestRule    `json:"conditions"`
	Channels    []ManifestChannel `json:"channels"`
	Resolvers   []string          `json:"resolvers"`
	Mermaid     string            `json:"mermaid"`
	Limits      *Limits           `json:"limits,omitempty"`
	Mutations   []Mutation        `json:"mutations,omitempty"`
}

// ManifestStage is one stage.
type ManifestStage struct {
	ID          StageID  `json:"id"`
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	Join        bool     `json:"join,omitempty"`
	Acts        bool     `json:"acts,omitempty"`
	Kind        string   `json:"kind,omitempty"`
	Role        string   `json:"role,omitempty"`
	Flags       []string `json:"flags,omitempty"`
	Inputs      []string `json:"inputs,omitempty"`
	Output      string   `json:"output,omitempty"`
	// Added says that a mutation brought the stage into the run.
	Added  bool            `json:"added,omitempty"`
	Stages []ManifestStage `json:"stages,omitempty"`
	Edges  []Edge          `json:"edges,omitempty"`
}

// ManifestRule is a condition.
type ManifestRule struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Channel string `json:"channel"`
	Want    bool   `json:"want"`
	Safety  bool   `json:"safety,omitempty"`
	// Key and Test are those of a condition on the context.
	Key  string `json:"key,omitempty"`
	Test string `json:"test,omitempty"`
}

// ManifestChannel is a channel.
type ManifestChannel struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Reducer string `json:"reducer,omitempty"`
}

// raw marshals values of our own types, which cannot fail.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("graph: " + err.Error())
	}
	return b
}
