package board

import "fmt"

// ConflictStatus says whether a conflict still has to be resolved.
type ConflictStatus string

// Statuses of conflicts.
const (
	Open     ConflictStatus = "open"
	Resolved ConflictStatus = "resolved"
)

// Outcome says which source stands after a conflict was resolved. The other one is set
// aside: it is shown, and counts no more for the hypothesis; for none of the board where a
// person resolved it.
type Outcome string

// Outcomes of conflicts.
const (
	SourceA Outcome = "source_a"
	SourceB Outcome = "source_b"
	Both    Outcome = "both" // they speak of different things: both count
)

// Conflict is a contradiction between two sources.
type Conflict struct {
	// ID is made of the two pieces of evidence, whichever of them is named first.
	ID          string         `json:"id"`
	Description string         `json:"description"`
	SourceA     string         `json:"source_a_id"`
	SourceB     string         `json:"source_b_id"`
	Status      ConflictStatus `json:"status"`
	// Resolution says in words how it was resolved; "" while it is open.
	Resolution string  `json:"resolution,omitempty"`
	Outcome    Outcome `json:"outcome,omitempty"`
	// Hypothesis is what the two are at odds about.
	Hypothesis string `json:"hypothesis"`
	// Decision is that of a person.
	Decision *Decision `json:"decision,omitempty"`
}

// ConflictID is that of the conflict between two pieces of evidence.
func ConflictID(one, other string) string {
	if other < one {
		one, other = other, one
	}
	return one + "+" + other
}

// Between is the open conflict of two pieces of evidence about a hypothesis.
func Between(one, other, hypothesis, description string) Conflict {
	if other < one {
		one, other = other, one
	}
	return Conflict{ID: ConflictID(one, other), Description: description, SourceA: one, SourceB: other, Status: Open, Hypothesis: hypothesis}
}

// Check says what is wrong with a conflict; the error wraps ErrMalformed.
func (c *Conflict) Check() error {
	if err := checkID("source", c.SourceA); err != nil {
		return err
	}
	if err := checkID("source", c.SourceB); err != nil {
		return err
	}
	if c.SourceA >= c.SourceB || c.ID != ConflictID(c.SourceA, c.SourceB) {
		return fmt.Errorf("%w: the conflict %q is not that of its two sources in order, %s and %s", ErrMalformed, c.ID, c.SourceA, c.SourceB)
	}
	if err := checkText("description of conflict "+c.ID, c.Description); err != nil {
		return err
	}
	switch {
	case c.Status == Open && (c.Resolution != "" || c.Outcome != ""):
		return fmt.Errorf("%w: the conflict %s is open and has a resolution", ErrMalformed, c.ID)
	case c.Status == Open:
		return nil
	case c.Status != Resolved:
		return fmt.Errorf("%w: the conflict %s has the status %q", ErrMalformed, c.ID, c.Status)
	}
	if err := c.Outcome.check(); err != nil {
		return err
	}
	return checkText("resolution of conflict "+c.ID, c.Resolution)
}

func (o Outcome) check() error {
	switch o {
	case SourceA, SourceB, Both:
		return nil
	}
	return fmt.Errorf("%w: the outcome of a conflict is %q; outcomes are %s, %s and %s", ErrMalformed, o, SourceA, SourceB, Both)
}

// aside is the piece of evidence that the resolution sets aside; "" for none.
func (c *Conflict) aside() string {
	switch c.Outcome {
	case SourceA:
		return c.SourceB
	case SourceB:
		return c.SourceA
	}
	return ""
}
