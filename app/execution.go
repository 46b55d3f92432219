package app

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"holdpoint/engine/agent"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/run"
	"holdpoint/store"
)

// Execution is a turn as programs read it that start one over HTTP: the names are those of
// the interface that they were written against, for every agent.
type Execution struct {
	ID           string          `json:"execution_id"`
	Conversation string          `json:"conversation_id"`
	Agent        string          `json:"agent"`
	Type         string          `json:"agent_type,omitempty"`
	Status       ExecutionStatus `json:"status"`
	// Run is the same in the program's own words, Limit the one that the turn came to: a
	// person may give it more.
	Run   run.Status `json:"run_status"`
	Limit string     `json:"limit,omitempty"`

	// Output is what the person is shown: a check-in stands before the reply.
	Output string `json:"output"`
	// Safety is what the check of the message found; nil before it was checked.
	Safety *ExecutionSafety `json:"safety,omitempty"`
	Error  string           `json:"error,omitempty"`
	Tokens int              `json:"tokens_used"`
	Cost   float64          `json:"cost_usd"`
	Rounds int              `json:"iteration"`
	Budget []BudgetLine     `json:"budget"`
	// Approvals and Questions are what the turn waits for.
	Approvals []Awaited  `json:"approvals"`
	Questions []Question `json:"questions"`
}

// ExecutionSafety is what the check of a message found.
type ExecutionSafety struct {
	Level    string `json:"level"`
	Category string `json:"category,omitempty"`
}

// Awaited is an approval that a turn waits for.
type Awaited struct {
	ID         string `json:"id"`
	Tool       string `json:"tool"`
	Title      string `json:"title"`
	Checkpoint string `json:"checkpoint,omitempty"`
	MayDecide  string `json:"may_decide"`
}

// ExecutionStatus is how far a turn is.
type ExecutionStatus string

// Statuses, in the words of that interface.
const (
	ExecutionPending   ExecutionStatus = "pending"
	ExecutionRunning   ExecutionStatus = "running"
	ExecutionCompleted ExecutionStatus = "completed"
	ExecutionAwaiting  ExecutionStatus = "awaiting_hitl"
	ExecutionFailed    ExecutionStatus = "failed"
)

// executionStatus is a run's status in those words: what came to a limit or was stopped did
// not get where it should.
func executionStatus(s run.Status) ExecutionStatus {
	switch s {
	case run.Running:
		return ExecutionRunning
	case run.Completed:
		return ExecutionCompleted
	case run.Paused:
		return ExecutionAwaiting
	}
	return ExecutionFailed
}

// Execution reads a turn by its id.
func (a *App) Execution(turn string) (Execution, error) {
	row, err := a.Store.Run(RunID(turn))
	if err != nil {
		return Execution{}, err
	}
	e := Execution{ID: row.Turn, Conversation: row.Session, Agent: row.Agent, Type: row.Vars[agent.PatternVar], Status: executionStatus(row.Status), Run: row.Status, Limit: row.Limit,
		Output: row.Output, Error: row.Error, Tokens: row.Used.Tokens, Cost: row.Used.Cost, Rounds: row.Used.Rounds, Budget: BudgetLines(row), Approvals: []Awaited{}, Questions: []Question{}}
	if s, ok := a.checked(row); ok {
		e.Safety = &ExecutionSafety{cmp.Or(string(s.Level), "none"), s.Category}
		e.Output = strings.TrimSpace(s.CheckIn() + "\n\n" + e.Output)
	}
	if row.Status != run.Paused {
		return e, nil
	}
	questions, err := a.Questions()
	if err != nil {
		return e, err
	}
	for _, q := range questions {
		if q.Turn == row.Turn {
			e.Questions = append(e.Questions, q)
		}
	}
	now := a.now()
	return e, a.Store.Shown().Read(func(tx store.Tx) error {
		e.Approvals = e.Approvals[:0]
		return tx.Approvals(ledger.Pending, func(ap ledger.Approval) (bool, error) {
			if ap.Turn == row.Turn && ap.At(now) == ledger.Pending {
				e.Approvals = append(e.Approvals, Awaited{ap.ID, ap.Tool, ap.Title, ap.Checkpoint, ap.Who(now)})
			}
			return true, nil
		})
	})
}

// Driven is closed once nobody drives a turn any more: it ended, waits, or was interrupted.
func (a *App) Driven(turn string) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if l := a.turns[turn]; l != nil {
		return l.done
	}
	gone := make(chan struct{})
	close(gone)
	return gone
}

// StageEnd tells that a stage of a turn is done. Clients know it as node_end.
type StageEnd struct {
	Event string       `json:"event"` // node_end
	Node  string       `json:"node"`
	Data  StageEndData `json:"data"`
}

// StageEndData is how far the turn is then, and what was said to the person in the stage.
type StageEndData struct {
	Status  ExecutionStatus `json:"status"`
	Tokens  int             `json:"tokens_used"`
	Message *Spoken         `json:"message,omitempty"`
}

// Spoken is a message.
type Spoken struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Done tells that a turn ended, or waits for a person.
type Done struct {
	Event string   `json:"event"` // done
	Data  DoneData `json:"data"`
}

// DoneData is what came of the turn.
type DoneData struct {
	ID     string          `json:"execution_id"`
	Status ExecutionStatus `json:"status"`
	Tokens int             `json:"tokens_used"`
	Cost   float64         `json:"cost_usd"`
}

// StageStream renders the journal of a turn as the ends of its stages: the same events give
// the same, live or years later. It is for one reader.
type StageStream struct {
	a      *App
	turn   string
	status ExecutionStatus
	tokens int
	spoken map[journal.StageID]*Spoken
}

// StageStream begins at the turn's first event.
func (a *App) StageStream(turn string) *StageStream {
	return &StageStream{a: a, turn: turn, status: ExecutionRunning, spoken: map[journal.StageID]*Spoken{}}
}

// Render takes the next event of the turn's session. end is nil unless a stage ended with
// it; stopped says that the turn ended with it or waits, until it is resumed.
func (s *StageStream) Render(e journal.Event) (end *StageEnd, stopped bool, err error) {
	if e.Turn != s.turn {
		return nil, false, nil
	}
	switch e.Kind {
	case journal.ModelCalled:
		if d, err := journal.Read[journal.ModelCalledData](e); err == nil {
			s.tokens += d.PromptTokens + d.OutputTokens
		}
	case journal.Message:
		text := e.Text
		if d, err := journal.Read[journal.MessageData](e); err == nil && d.FullText != nil {
			body, err := s.a.Blob(d.FullText.Name)
			if err != nil {
				return nil, false, err
			}
			text = string(body)
		}
		s.spoken[e.Stage] = &Spoken{string(journal.Assistant), text}
	case journal.StageCompleted:
		if err := s.heard(e); err != nil {
			return nil, false, err
		}
		end = &StageEnd{"node_end", string(e.Stage), StageEndData{s.status, s.tokens, s.spoken[e.Stage]}}
		delete(s.spoken, e.Stage)
	case journal.TurnResumed:
		s.status = ExecutionRunning
	case journal.TurnCompleted, journal.TurnPaused, journal.TurnFailed, journal.TurnCancelled, journal.TurnLimited:
		stopped = true
	}
	return end, stopped, nil
}

// heard takes the status that a stage wrote into the state, of an agent that keeps one.
func (s *StageStream) heard(e journal.Event) error {
	var d struct{ Patch json.RawMessage }
	if json.Unmarshal(e.Data, &d) != nil || len(d.Patch) == 0 {
		return nil
	}
	var blob journal.Blob
	if json.Unmarshal(d.Patch, &blob) == nil && blob.Name != "" {
		body, err := s.a.Blob(blob.Name)
		if errors.Is(err, store.ErrNoBlob) {
			return nil
		}
		if err != nil {
			return err
		}
		d.Patch = body
	}
	var patch struct{ Status ExecutionStatus }
	if json.Unmarshal(d.Patch, &patch) != nil {
		return nil
	}
	switch patch.Status {
	case ExecutionPending, ExecutionRunning, ExecutionCompleted, ExecutionAwaiting, ExecutionFailed:
		s.status = patch.Status
	}
	return nil
}

// Done is the end as it is now: of the turn's row, which says what it cost.
func (s *StageStream) Done() (Done, error) {
	e, err := s.a.Execution(s.turn)
	return Done{"done", DoneData{e.ID, e.Status, e.Tokens, e.Cost}}, err
}
