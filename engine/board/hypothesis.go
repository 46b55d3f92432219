package board

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrMalformed says that a hypothesis, a conflict or a judgement is not one.
var ErrMalformed = errors.New("board: malformed")

// Status is how far a hypothesis is.
type Status string

// Statuses of hypotheses.
const (
	Proposed   Status = "proposed"   // nothing speaks for or against it yet
	Validating Status = "validating" // something does, and it does not suffice
	Confirmed  Status = "confirmed"
	Refuted    Status = "refuted"
)

// Hypothesis is an answer that may be true.
type Hypothesis struct {
	ID        string `json:"id"`
	Statement string `json:"statement"`
	Status    Status `json:"status"`
	// Confidence is from 0 (refuted) to 1, what Weigh made of the judgements; 0.5 says nothing.
	Confidence    float64  `json:"confidence"`
	Supporting    []string `json:"supporting_evidence_ids"`
	Contradicting []string `json:"contradicting_evidence_ids"`
	// Revision tells the statement from those before it: judgements are of one.
	Revision int `json:"revision,omitempty"`
	// Decision is the last one of a person about it; Dissent says that the evidence says otherwise.
	Decision *Decision `json:"decision,omitempty"`
	Dissent  bool      `json:"dissent,omitempty"`
}

// MaxStatement bounds what people and models write on a board, in characters.
const MaxStatement = 1000

// Settled says that nothing more has to be found out.
func (h *Hypothesis) Settled() bool { return h.Status == Confirmed || h.Status == Refuted }

// Check says what is wrong with a hypothesis; the error wraps ErrMalformed.
func (h *Hypothesis) Check() error {
	if err := checkID("hypothesis", h.ID); err != nil {
		return err
	}
	if err := checkText("statement of hypothesis "+h.ID, h.Statement); err != nil {
		return err
	}
	switch h.Status {
	case Proposed, Validating, Confirmed, Refuted:
	default:
		return fmt.Errorf("%w: hypothesis %s has the status %q", ErrMalformed, h.ID, h.Status)
	}
	if !(h.Confidence >= 0 && h.Confidence <= 1) { // NaN is neither
		return fmt.Errorf("%w: hypothesis %s has a confidence of %v, which is not from 0 to 1", ErrMalformed, h.ID, h.Confidence)
	}
	for _, id := range h.Supporting {
		if slices.Contains(h.Contradicting, id) {
			return fmt.Errorf("%w: evidence %s supports and contradicts hypothesis %s", ErrMalformed, id, h.ID)
		}
	}
	return nil
}

func checkID(what, id string) error {
	if id == "" || len(id) > 100 || strings.ContainsAny(id, "/ \t\n\x00") || !utf8.ValidString(id) {
		return fmt.Errorf("%w: the id of a %s is %q", ErrMalformed, what, id)
	}
	return nil
}

func checkText(what, text string) error {
	if strings.TrimSpace(text) == "" {
		return fmt.Errorf("%w: the %s is empty", ErrMalformed, what)
	}
	if n := utf8.RuneCountInString(text); n > MaxStatement {
		return fmt.Errorf("%w: the %s has %d characters; at most %d are kept", ErrMalformed, what, n, MaxStatement)
	}
	return nil
}

// equal compares what is shown of two hypotheses.
func (h *Hypothesis) equal(o *Hypothesis) bool {
	return h.Statement == o.Statement && h.Status == o.Status && math.Abs(h.Confidence-o.Confidence) < 1e-9 && h.Revision == o.Revision && h.Dissent == o.Dissent &&
		slices.Equal(h.Supporting, o.Supporting) && slices.Equal(h.Contradicting, o.Contradicting) && h.Decision.number() == o.Decision.number()
}
