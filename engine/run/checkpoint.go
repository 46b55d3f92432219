package run

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
)

// Status is the state of a run.
type Status string

const (
	Running   Status = "running" // also what a crashed run still says
	Paused    Status = "paused"
	Completed Status = "completed"
	Failed    Status = "failed"    // resumable: only what failed runs again
	Cancelled Status = "cancelled" // final
	Limited   Status = "limited"   // came to one of its limits; resumable with more of it
	Abandoned Status = "abandoned" // final: a person gave the run up
)

// states are all there are; a run with another one was written by something else.
var states = []Status{Running, Paused, Completed, Failed, Cancelled, Limited, Abandoned}

// Errors of the store that the executor decides on.
var (
	ErrNoRun     = errors.New("run: no such run")
	ErrRunExists = errors.New("run: run id is taken")
	// ErrFenced says that another process or resume owns the run now.
	ErrFenced = errors.New("run: run is owned by a newer writer")
	// ErrID says that an id is empty, longer than 4096 bytes or not UTF-8.
	ErrID = errors.New("run: an id must be 1 to 4096 bytes of UTF-8")
	// ErrSession says that a row or an event names another session than its run's.
	ErrSession = errors.New("run: a run and its events stay in one session")
	// ErrNoBlob says that there is no blob of a name; ErrView, that a view was written to;
	// ErrTxDone, that a transaction was used after the call it was handed to.
	ErrNoBlob = errors.New("run: no such blob")
	ErrView   = errors.New("run: a view cannot write")
	ErrTxDone = errors.New("run: transaction used after its end")
)

const maxID = 4096

// CheckID is ErrID for what cannot be the id of a thing.
func CheckID(what, id string) error {
	if id == "" || len(id) > maxID || !utf8.ValidString(id) {
		return fmt.Errorf("run: %s: %w", what, ErrID)
	}
	return nil
}

// Run is the row of one run, without its channels.
type Run struct {
	ID          graph.RunID   `json:"id"`
	Session     string        `json:"session"`
	Turn        string        `json:"turn"`
	Agent       string        `json:"agent"`
	Fingerprint string        `json:"fingerprint"`
	Status      Status        `json:"status"`
	Error       string        `json:"error,omitempty"`
	ErrorStage  graph.StageID `json:"error_stage,omitempty"`
	// LeaseEpoch rises by one each time a writer takes the run. It, JoinInputs and Predecessors
	// keep the names that they have in rows that are stored.
	LeaseEpoch uint64 `json:"fence"`
	// Step counts finished super-steps.
	Step     int `json:"step"`
	MaxSteps int `json:"max_steps"`
	// Ended says that some path has reached the end.
	Ended bool `json:"ended,omitempty"`
	// Frontier are the stages of the super-step that is under way, in spec order.
	Frontier []graph.StageID `json:"frontier"`
	// JoinInputs are, per join, the stages whose result the join has.
	JoinInputs map[graph.StageID][]graph.StageID `json:"arrived,omitempty"`
	// Finished counts completions per stage, nested stages included.
	Finished Counts `json:"finished,omitempty"`
	// Attempts counts starts per stage of the current super-step.
	Attempts Counts `json:"attempts,omitempty"`
	// Input is the user's message; Output the reply so far acknowledged.
	Input string `json:"input"`
	// Title is what lists call a session that begins with the run; "" is Input's beginning.
	Title  string `json:"title,omitempty"`
	Output string `json:"output,omitempty"`
	// Model names the main model; Practice says that it is the scripted one.
	Model    string `json:"model,omitempty"`
	Practice bool   `json:"practice,omitempty"`
	// Caller names who the run began for; "" for nobody in particular.
	Caller string `json:"caller,omitempty"`
	// Vars are the caller's inputs (e.g. patient), fixed for the run.
	Vars map[string]string `json:"vars,omitempty"`
	// Limits are what the run may use, Used what it has used.
	Limits graph.Limits `json:"limits"`
	Used   graph.Used   `json:"used"`
	// Limit names the limit that the run came to; set while it is Limited. LimitMax is its
	// number, and LimitStage the stage whose limit it is, "" for one of the whole run.
	Limit      string        `json:"limit,omitempty"`
	LimitMax   int           `json:"limit_max,omitempty"`
	LimitStage graph.StageID `json:"limit_stage,omitempty"`
	// Mutations are the changes of the graph that hold, in order.
	Mutations []graph.Mutation `json:"mutations,omitempty"`
	// Visits counts the super-steps of each stage's visit so far, for stages whose
	// visit goes on.
	Visits Counts `json:"visits,omitempty"`
	// Marks are the lengths of the history when visits of stages with NoHistory began.
	Marks Counts `json:"marks,omitempty"`
	// Errors are the last errors of stages that failed and were passed by.
	Errors map[graph.StageID]string `json:"errors,omitempty"`
	// Predecessors are those of each stage of the frontier, as the run came; kept for stages with SkipOnError.
	Predecessors map[graph.StageID][]graph.StageID `json:"led,omitempty"`
	// Path are the last stages that ran, for the cycle limit.
	Path      []graph.StageID `json:"path,omitempty"`
	StartedAt time.Time       `json:"started_at"`
	UpdatedAt time.Time       `json:"updated_at"`
}

// Pending is the durable result of a finished branch whose super-step has not
// reached its barrier.
type Pending struct {
	Stage  graph.StageID        `json:"stage"`
	Writes []graph.ChannelValue `json:"writes"`
	Goto   graph.StageID        `json:"goto,omitempty"`
	Reason string               `json:"reason,omitempty"`
	// Skipped marks a stage that was passed over.
	Skipped bool `json:"skipped,omitempty"`
	// Error is why a stage failed that the run passes by.
	Error string `json:"error,omitempty"`
	// Again, Route and Match are what the output said about the way on.
	Again     string           `json:"again,omitempty"`
	Route     graph.StageID    `json:"route,omitempty"`
	Match     string           `json:"match,omitempty"`
	HasOutput bool             `json:"has_output,omitempty"`
	Usage     graph.Usage      `json:"usage,omitzero"`
	Mutations []graph.Mutation `json:"mutations,omitempty"`
}

// Checkpoint is all that a resume needs.
type Checkpoint struct {
	Run      Run
	Channels []graph.ChannelValue
	Pending  []Pending
	Pauses   []graph.Pause
	// LastSeq is the session's newest event number.
	LastSeq uint64
}

// Commit is one unit for the store: everything in it becomes durable together or
// not at all. A nil field leaves that part of the run as it is.
type Commit struct {
	Run graph.RunID
	// Admit records Row as a new run (ErrRunExists for a taken id), and its session if that is new.
	Admit      bool
	LeaseEpoch uint64               // must equal the row's, else ErrFenced
	Row        *Run                 // replaces the row (its LeaseEpoch is ignored)
	Set        []graph.ChannelValue // changes of channels, in order
	Add        []Pending            // insert or replace by stage
	Clear      bool                 // drop all pending results (the barrier was passed), ahead of Add
	Pauses     []graph.Pause        // insert or replace by id
	Unask      []string             // ids of pauses that are over
	Events     []journal.Event      // Seq is set on these by the store, in order
	// Do runs inside the transaction, before the events are written. It may run at
	// most once per attempt and its error rolls the whole commit back. What it tells
	// is appended to Events.
	Do graph.Change

	notes notes // what the executor tells, ahead of Events; see Unfold
}

// Check says what every Checkpointer refuses in a commit as it was handed over.
func (c *Commit) Check() error {
	if err := CheckID("run", string(c.Run)); err != nil {
		return err
	}
	switch r := c.Row; {
	case r == nil && c.Admit:
		return fmt.Errorf("run: an admission has a row: %w", ErrID)
	case r == nil:
	case r.ID != c.Run:
		return fmt.Errorf("run: row %q in a commit of run %q: %w", r.ID, c.Run, ErrID)
	default:
		if err := CheckID("session of a run", r.Session); err != nil {
			return err
		}
		if err := CheckID("status of a run", string(r.Status)); err != nil {
			return err
		}
	}
	for i := range c.Set {
		v := &c.Set[i]
		err := CheckID("channel", v.Channel)
		if err == nil && v.Key != "" {
			err = CheckID("key of a channel", v.Key)
		}
		if err != nil {
			return err
		}
	}
	for i := range c.Add {
		if err := CheckID("stage", string(c.Add[i].Stage)); err != nil {
			return err
		}
	}
	for i := range c.Pauses {
		if err := CheckID("pause", c.Pauses[i].ID); err != nil {
			return err
		}
	}
	return nil
}

// CheckSession is ErrSession for a commit whose run is of that session and whose row or events are not,
// once its Do has run.
func (c *Commit) CheckSession(session string) error {
	if c.Row != nil && c.Row.Session != session {
		return fmt.Errorf("run: run %q of session %q cannot move to %q: %w", c.Run, session, c.Row.Session, ErrSession)
	}
	if err := stays(c.notes.wholes, session); err != nil {
		return err
	}
	return stays(c.Events, session)
}

func stays(events []journal.Event, session string) error {
	for i := range events {
		if e := &events[i]; e.Kind != journal.Token && e.Session != session && e.Session != "" {
			return fmt.Errorf("run: event %s of session %q in a commit of session %q: %w", e.Kind, e.Session, session, ErrSession)
		}
	}
	return nil
}

// Unfold writes the executor's own events out in full, ahead of the others in Events.
// A Checkpointer that keeps events as JSON calls it first.
func (c *Commit) Unfold() {
	if n := len(c.notes.list); n > 0 {
		all := make([]journal.Event, 0, n+len(c.Events))
		c.notes.each(0, new(journal.Event), func(e *journal.Event) { all = append(all, *e) })
		c.Events, c.notes.list = append(all, c.Events...), nil
	}
}

// tell is what a commit's Do gets.
func (c *Commit) tell(events ...journal.Event) { c.Events = append(c.Events, events...) }

// Checkpointer keeps runs. Every method that writes returns after the data is on disk.
// Implementations are safe for concurrent use.
type Checkpointer interface {
	// Acquire raises the lease epoch and returns the checkpoint with the new one (ErrNoRun).
	Acquire(id graph.RunID) (Checkpoint, error)
	// Load reads a checkpoint without taking it (ErrNoRun).
	Load(id graph.RunID) (Checkpoint, error)
	// Apply commits all, in order, in one transaction; they are the store's from then on. One failing commit (ErrFenced, an
	// error of its Do) fails the whole call and leaves nothing behind. For each commit it calls, in this order, Check,
	// Unfold (which puts the executor's own events before Events; InMemory shows them one by one instead), Do where there
	// is one, and CheckSession; then it keeps what the commit says.
	Apply(commits ...*Commit) error
	// View runs fn on a consistent read-only snapshot; writing through it is an error.
	View(fn func(graph.Tx) error) error
}

// BlobName is the name of a blob: "sha256:" and the digest of its body in hex.
func BlobName(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// fit makes the commit move oversized bodies of its events into blobs, inside
// its own transaction.
func fit(c *Commit) {
	if c.Do == nil && !journal.Oversized(c.Events) && !c.notes.oversized() {
		return
	}
	c.Unfold()
	inner := c.Do
	c.Do = func(tx graph.Tx, tell graph.Tell) error {
		if inner != nil {
			if err := inner(tx, tell); err != nil {
				return err
			}
		}
		return journal.Fit(tx, c.Events)
	}
}
