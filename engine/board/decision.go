package board

import (
	"fmt"
	"slices"
	"time"
)

// Op is what a person did on a board.
type Op string

// What people do.
const (
	Add     Op = "add"     // a hypothesis of their own
	Edit    Op = "edit"    // its statement; judgements of the one before count no more
	Confirm Op = "confirm" // whatever the evidence says
	Refute  Op = "refute"
	Reopen  Op = "reopen"  // take the verdict back: the evidence decides again
	Resolve Op = "resolve" // a conflict
)

// Decision is what a person did. It counts as theirs: nothing that a model writes changes it.
type Decision struct {
	// N numbers a study's from 1.
	N  int `json:"n"`
	Op Op  `json:"op"`
	// On is the hypothesis or the conflict.
	On string `json:"on"`
	// Statement is that of Add and Edit; of the others about a hypothesis, the words that they are
	// about, "" in decisions of before they were kept.
	Statement string `json:"statement,omitempty"`
	// Outcome is that of Resolve.
	Outcome Outcome   `json:"outcome,omitempty"`
	Reason  string    `json:"reason,omitempty"`
	Who     string    `json:"who"`
	At      time.Time `json:"at"`
}

// On are the decisions about a hypothesis or a conflict, in the order of a list. The last is what
// counts; the others stay on record.
func On(list []Decision, id string) []Decision {
	return slices.DeleteFunc(slices.Clone(list), func(d Decision) bool { return d.On != id })
}

func (d *Decision) number() int {
	if d == nil {
		return 0
	}
	return d.N
}

// Next is the id of the next hypothesis that a person adds.
func (s *State) Next() string {
	for n := 1; ; n++ {
		if id := fmt.Sprintf("p%d", n); s.Hypothesis(id) == nil {
			return id
		}
	}
}

// revision tells a statement from all others of the same hypothesis, also of those that a
// replay of the study gets.
func (d *Decision) revision() int { return int(d.At.UnixMilli())*1000 + d.N%1000 }

// Check says what is wrong with a decision about this board. The errors wrap ErrMalformed, or
// ErrNotFound for what is not on it.
func (s *State) Check(d Decision) error {
	if err := checkText("name of who decides", d.Who); err != nil {
		return err
	}
	if d.Op != Add {
		if err := checkText("reason", d.Reason); err != nil {
			return err
		}
	}
	switch d.Op {
	case Add:
		return s.checkNew(d)
	case Edit:
		if err := s.checkNew(d); err != nil {
			return err
		}
	case Confirm, Refute, Reopen:
	case Resolve:
		if s.Conflict(d.On) == nil {
			return fmt.Errorf("%w: there is no conflict %q on the board", ErrNotFound, d.On)
		}
		return d.Outcome.check()
	default:
		return fmt.Errorf("%w: nobody can %q on a board", ErrMalformed, d.Op)
	}
	if s.Hypothesis(d.On) == nil {
		return fmt.Errorf("%w: there is no hypothesis %q on the board", ErrNotFound, d.On)
	}
	return nil
}

// SaidError says that another hypothesis of the board has the words already; it wraps ErrMalformed.
type SaidError struct{ Hypothesis string }

func (e *SaidError) Error() string {
	return ErrMalformed.Error() + ": hypothesis " + e.Hypothesis + " says that already"
}

// Unwrap makes it one of what is malformed.
func (e *SaidError) Unwrap() error { return ErrMalformed }

// checkNew says what is wrong with the words of a hypothesis that is added, or worded anew: those of
// another one, capitals and spaces aside, are on the board already, which is a SaidError.
func (s *State) checkNew(d Decision) error {
	if err := checkText("statement", d.Statement); err != nil {
		return err
	}
	for i := range s.Hypotheses {
		if h := &s.Hypotheses[i]; h.ID != d.On && plain(h.Statement) == plain(d.Statement) {
			return &SaidError{h.ID}
		}
	}
	return nil
}

// Decided is the board with the decisions of people laid over what models wrote, and with
// everything that follows from both worked out anew.
func (s *State) Decided(list []Decision) *State {
	next := s.clone()
	for _, d := range list {
		switch d.Op {
		case Add:
			if next.Hypothesis(d.On) == nil {
				next.Hypotheses = append(next.Hypotheses, Hypothesis{ID: d.On, Statement: d.Statement, Status: Proposed, Confidence: 0.5, Decision: &d})
			}
		case Resolve:
			if c := next.Conflict(d.On); c != nil {
				c.Status, c.Resolution, c.Outcome, c.Decision = Resolved, d.Reason, d.Outcome, &d
			}
		default:
			h := next.Hypothesis(d.On)
			if h == nil {
				continue // a replay may begin before it was there
			}
			if d.Op == Edit {
				h.Statement, h.Revision = d.Statement, d.revision()
			}
			h.Decision = &d
		}
	}
	next.settle()
	return next
}

// settle works out confidences and statuses. A person's verdict stands whatever the
// evidence says; that it says otherwise is told.
func (s *State) settle() {
	for i := range s.Hypotheses {
		h := &s.Hypotheses[i]
		w := s.Weigh(h)
		h.Supporting, h.Contradicting, h.Confidence = w.Supporting, w.Contradicting, w.Confidence()
		evident := w.Status()
		h.Status, h.Dissent = evident, false
		if v := h.Decision.verdict(); v != "" {
			h.Status, h.Dissent = v, evident != v && (evident == Confirmed || evident == Refuted)
		} else if h.Settled() && s.disputed(h.ID) {
			h.Status = Validating // not before the conflict is resolved
		}
	}
}

func (s *State) disputed(hypothesis string) bool {
	for i := range s.Conflicts {
		if c := &s.Conflicts[i]; c.Status == Open && c.Hypothesis == hypothesis {
			return true
		}
	}
	return false
}

// verdict is the status that a decision gives; "" for one that leaves it to the evidence.
func (d *Decision) verdict() Status {
	switch {
	case d == nil:
	case d.Op == Confirm:
		return Confirmed
	case d.Op == Refute:
		return Refuted
	}
	return ""
}
