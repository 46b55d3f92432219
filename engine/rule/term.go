package rule

import (
	"fmt"
	"strings"
	"time"
)

// AnyCheckpoint stands for all types of checkpoints that have no term of their own.
const AnyCheckpoint = "*"

// Term says how long holds of a checkpoint type wait for a person, and for whom else. Hours
// count from the request; zero is the usual.
type Term struct {
	// ExpiresHours is after how long a hold counts as denied and is asked anew.
	ExpiresHours float64 `json:"expires_hours,omitempty"`
	// DueHours is by when a decision is wanted, RemindHours when somebody is reminded of it.
	DueHours    float64 `json:"due_hours,omitempty"`
	RemindHours float64 `json:"remind_hours,omitempty"`
	// EscalateHours is from when on EscalateTo may decide as well; nobody else ever, while
	// that is nil.
	EscalateHours float64   `json:"escalate_hours,omitempty"`
	EscalateTo    *Reviewer `json:"escalate_to,omitempty"`
	// Reviewer decides where the rule that holds names nobody; nil is anybody.
	Reviewer *Reviewer `json:"reviewer,omitempty"`
	// NoDelegation says that a reviewer may not let somebody else decide.
	NoDelegation bool `json:"no_delegation,omitempty"`
}

// What is usual: a week, with a decision wanted after three days and a reminder a day before.
const (
	usualExpires = 7 * 24
	usualDue     = 3 * 24
	usualRemind  = 2 * 24
	mostExpires  = 366 * 24
)

// Terms are those that a person set, by checkpoint type.
type Terms map[string]Term

// Of is the term of a checkpoint type with everything filled in: what it does not say,
// AnyCheckpoint says, and else what is usual.
func (all Terms) Of(checkpoint string) Term {
	t, any := all[checkpoint], all[AnyCheckpoint]
	pick := func(own, general, usual, most float64) float64 {
		switch {
		case own > 0:
			return min(own, most)
		case general > 0:
			return min(general, most)
		}
		return min(usual, most)
	}
	t.ExpiresHours = pick(t.ExpiresHours, any.ExpiresHours, usualExpires, mostExpires)
	t.DueHours = pick(t.DueHours, any.DueHours, usualDue, t.ExpiresHours)
	t.RemindHours = pick(t.RemindHours, any.RemindHours, min(usualRemind, t.DueHours*2/3), t.DueHours)
	if t.EscalateTo == nil {
		t.EscalateTo = any.EscalateTo
	}
	if t.EscalateTo == nil {
		t.EscalateHours = 0
	} else {
		t.EscalateHours = pick(t.EscalateHours, any.EscalateHours, t.DueHours, t.ExpiresHours)
	}
	if t.Reviewer == nil {
		t.Reviewer = any.Reviewer
	}
	t.NoDelegation = t.NoDelegation || any.NoDelegation
	return t
}

// after is a number of hours as people read it, to the second: 80h, 90m, 20s.
func after(hours float64) string {
	d := time.Duration(hours * float64(time.Hour)).Round(time.Second)
	switch {
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return d.String()
}

// CheckTerm says what is wrong with a term of a checkpoint type, and what to do; "" for nothing.
func CheckTerm(checkpoint string, t Term) string {
	if checkpoint != AnyCheckpoint && (len(checkpoint) > maxName || !nameForm.MatchString(checkpoint)) {
		return fmt.Sprintf("%q is not a type of checkpoint; use lower-case letters, digits and _, such as pre_filing, or * for all others", clip(checkpoint))
	}
	for _, x := range []struct {
		name  string
		hours float64
	}{{"expires_hours", t.ExpiresHours}, {"due_hours", t.DueHours}, {"remind_hours", t.RemindHours}, {"escalate_hours", t.EscalateHours}} {
		if !(x.hours >= 0 && x.hours <= mostExpires) {
			return fmt.Sprintf("%s is a number of hours from 0 (as usual) to %d", x.name, mostExpires)
		}
	}
	for name, r := range map[string]*Reviewer{"reviewer": t.Reviewer, "escalate_to": t.EscalateTo} {
		if r != nil && (strings.TrimSpace(r.Name) == "") == (strings.TrimSpace(r.Role) == "") {
			return name + " is one person (name) or anybody with a role (role); give one of the two"
		}
	}
	if t.EscalateHours > 0 && t.EscalateTo == nil {
		return "an escalation (escalate_hours) needs somebody who may decide from then on (escalate_to)"
	}
	full := Terms{checkpoint: t}.Of(checkpoint)
	for _, x := range []struct {
		first, then string
		a, b        float64
	}{{"remind_hours", "due_hours", t.RemindHours, full.DueHours}, {"due_hours", "expires_hours", t.DueHours, full.ExpiresHours}, {"escalate_hours", "expires_hours", t.EscalateHours, full.ExpiresHours}} {
		if x.a > x.b {
			return fmt.Sprintf("%s (%s) comes after %s (%s); make it earlier", x.first, after(x.a), x.then, after(x.b))
		}
	}
	return ""
}
