package graph

import (
	"encoding/json"
	"errors"
	"time"

	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
)

// RunID names one run of a graph; for a turn it is "turn:{turn id}".
type RunID string

// Status is the state of a run.
type Status string

const (
	Running   Status = "running" // also what a crashed run still says
	Paused    Status = "paused"
	Completed Status = "completed"
	Failed    Status = "failed"    // resumable: only what failed runs again
	Cancelled Status = "cancelled" // final
	Limited   Status = "limited"   // the step limit; resumable
	Abandoned Status = "abandoned" // final: a person gave the run up
)

// Errors of the store that the executor decides on.
var (
	ErrNoRun     = errors.New("graph: no such run")
	ErrRunExists = errors.New("graph: run id is taken")
	// ErrFenced says that another process or resume owns the run now.
	ErrFenced = errors.New("graph: run is owned by a newer writer")
)

// Run is the row of one run, without its channels.
type Run struct {
	ID          RunID   `json:"id"`
	Session     string  `json:"session"`
	Turn        string  `json:"turn"`
	Agent       string  `json:"agent"`
	Fingerprint string  `json:"fingerprint"`
	Status      Status  `json:"status"`
	Error       string  `json:"error,omitempty"`
	ErrorStage  StageID `json:"error_stage,omitempty"`
	// Fence rises by one each time a writer takes the run.
	Fence uint64 `json:"fence"`
	// Step counts finished super-steps.
	Step     int `json:"step"`
	MaxSteps int `json:"max_steps"`
	// Ended says that some path has reached the end.
	Ended bool `json:"ended,omitempty"`
	// Frontier are the stages of the super-step that is under way, in spec order.
	Frontier []StageID `json:"frontier"`
	// Arrived are, per join, the stages whose result the join has.
	Arrived map[StageID][]StageID `json:"arrived,omitempty"`
	// Finished counts completions per stage, nested stages included.
	Finished map[StageID]int `json:"finished,omitempty"`
	// Attempts counts starts per stage of the current super-step.
	Attempts map[StageID]int `json:"attempts,omitempty"`
	// Input is the user's message; Output the reply so far acknowledged.
	Input  string `json:"input"`
	Output string `json:"output,omitempty"`
	// Model names the main model; Practice says that it is the scripted one.
	Model    string `json:"model,omitempty"`
	Practice bool   `json:"practice,omitempty"`
	// Vars are the caller's inputs (e.g. patient), fixed for the run.
	Vars map[string]string `json:"vars,omitempty"`
	// Limits are what the run may use, Used what it has used.
	Limits Limits `json:"limits"`
	Used   Used   `json:"used"`
	// Limit names the limit that the run came to; set while it is Limited.
	Limit string `json:"limit,omitempty"`
	// Mutations are the changes of the graph that hold, in order.
	Mutations []Mutation `json:"mutations,omitempty"`
	// Visits counts the super-steps of each stage's visit so far, for stages whose
	// visit goes on.
	Visits map[StageID]int `json:"visits,omitempty"`
	// Marks are the lengths of the history when visits of stages with NoHistory began.
	Marks map[StageID]int `json:"marks,omitempty"`
	// Errors are the last errors of stages that failed and were passed by.
	Errors map[StageID]string `json:"errors,omitempty"`
	// Led are the stages that led to each stage of the frontier; kept for stages with SkipOnError.
	Led map[StageID][]StageID `json:"led,omitempty"`
	// Path are the last stages that ran, for the cycle limit.
	Path      []StageID `json:"path,omitempty"`
	StartedAt time.Time `json:"started_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Pause is a hold point: a stage cannot go on until an answer for ID comes.
type Pause struct {
	ID    string          `json:"id"`
	Kind  string          `json:"kind"` // "approval", "question"
	Stage StageID         `json:"stage"`
	Data  json.RawMessage `json:"data,omitempty"`
	// Answer is nil until the pause is answered.
	Answer json.RawMessage `json:"answer,omitempty"`
	// Seen says that the stage ran with the answer and asked something else: by
	// itself the answer is no reason to run the stage again.
	Seen bool `json:"seen,omitempty"`
}

// ChannelValue is one serialised channel, or in a commit what is appended to one.
type ChannelValue struct {
	Channel string `json:"channel"`
	// Key is that of a keyed channel; "" for all others.
	Key   string          `json:"key,omitempty"`
	Value json.RawMessage `json:"value"`
	// Append are items, each one JSON value, that come behind those that the channel
	// has, or behind Value when that is set; a checkpoint has them all as one list in
	// Value. What was there is neither read nor written again.
	Append []json.RawMessage `json:"append,omitempty"`
}

// Pending is the durable result of a finished branch whose super-step has not
// reached its barrier.
type Pending struct {
	Stage  StageID        `json:"stage"`
	Writes []ChannelValue `json:"writes"`
	Goto   StageID        `json:"goto,omitempty"`
	Reason string         `json:"reason,omitempty"`
	// Skipped marks a stage that was passed over.
	Skipped bool `json:"skipped,omitempty"`
	// Error is why a stage failed that the run passes by.
	Error string `json:"error,omitempty"`
	// Again, Route and Match are what the output said about the way on.
	Again     string     `json:"again,omitempty"`
	Route     StageID    `json:"route,omitempty"`
	Match     string     `json:"match,omitempty"`
	HasOutput bool       `json:"has_output,omitempty"`
	Usage     Usage      `json:"usage,omitzero"`
	Mutations []Mutation `json:"mutations,omitempty"`

	result *Result // in a volatile store
}

// Checkpoint is all that a resume needs.
type Checkpoint struct {
	Run      Run
	Channels []ChannelValue
	Pending  []Pending
	Pauses   []Pause

	state Snapshot // instead of Channels, from a volatile store
	// LastSeq is the session's newest event number.
	LastSeq uint64
}

// Tx is what a stage may change besides its run, inside the same transaction.
// Valid only during the call it was handed to.
type Tx interface {
	record.Tx
	ledger.Tx
	// Skip rows are the durable skip gates, keyed by session and tool.
	Skip(session, tool string) (json.RawMessage, error) // nil, nil when there is none
	PutSkip(session, tool string, row json.RawMessage) error
	// PutBlob stores body under "sha256:" + hex and returns that name.
	PutBlob(body []byte) (string, error)
	Blob(name string) ([]byte, error)
}

// Commit is one unit for the store: everything in it becomes durable together or
// not at all. A nil field leaves that part of the run as it is.
type Commit struct {
	Run RunID
	// Admit records Row as a new run (ErrRunExists for a taken id), and its session if that is new.
	Admit  bool
	Fence  uint64 // must equal the row's, else ErrFenced
	Row    *Run   // replaces the row (its Fence is ignored)
	Set    []ChannelValue
	Add    []Pending
	Clear  bool    // drop all pending results (the barrier was passed)
	Pauses []Pause // insert or replace by id
	Unask  []string
	Events []Event // Seq is set on these by the store, in order
	// Do runs inside the transaction, before the events are written. It may run at
	// most once per attempt and its error rolls the whole commit back.
	// It may append to the events of the commit that it is given.
	Do func(Tx, *Commit) error

	state Snapshot // all channels, for a volatile store
}

// Checkpointer keeps runs. Every method that writes returns after the data is on disk.
// Implementations are safe for concurrent use.
type Checkpointer interface {
	// Acquire raises the fence and returns the checkpoint with the new one (ErrNoRun).
	Acquire(id RunID) (Checkpoint, error)
	// Load reads a checkpoint without taking it (ErrNoRun).
	Load(id RunID) (Checkpoint, error)
	// Apply commits all, in order, in one transaction. One failing commit (ErrFenced, an
	// error of its Do) fails the whole call and leaves nothing behind.
	Apply(commits ...*Commit) error
	// View runs fn on a consistent read-only snapshot; writing through it is an error.
	View(fn func(Tx) error) error
}
