package ledger

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/journal"
	"holdpoint/engine/rule"
)

// Under puts a request under a term: until when it holds, by when it is wanted, and who may
// decide where its rule names nobody.
func (a *Approval) Under(t rule.Term, now time.Time) {
	at := func(hours float64) time.Time { return now.Add(time.Duration(hours * float64(time.Hour))).UTC() }
	a.RequestedAt, a.ExpiresAt = now, now.Add(time.Duration(t.ExpiresHours*float64(time.Hour)))
	a.Terms = Terms{DueAt: at(t.DueHours), RemindAt: at(t.RemindHours), NoDelegation: t.NoDelegation}
	if t.EscalateTo != nil {
		a.EscalateAt, a.EscalateTo = at(t.EscalateHours), t.EscalateTo
	}
	if a.For == nil {
		a.For = t.Reviewer
	}
}

// Escalated says that a hold has waited so long that somebody else may decide as well.
func (a Approval) Escalated(now time.Time) bool {
	return a.EscalateTo != nil && !a.EscalateAt.IsZero() && !now.Before(a.EscalateAt)
}

// May says whether a person with these roles may decide: who the hold is for, whom one of
// those let decide, and whom it was escalated to.
func (a Approval) May(name string, roles []string, now time.Time) bool {
	return a.For == nil || a.For.Is(name, roles) ||
		slices.ContainsFunc(a.Delegations, func(d Delegation) bool { return rule.SameName(d.To, name) }) ||
		a.Escalated(now) && a.EscalateTo.Is(name, roles)
}

// Who says in words who may decide.
func (a Approval) Who(now time.Time) string {
	who, or := "anybody", "; it was passed on to "
	if a.For != nil {
		who, or = a.For.String(), ", or "
	}
	for _, d := range a.Delegations {
		who += fmt.Sprintf("%s%s (by %s)", or, d.To, d.From)
	}
	if a.Escalated(now) && a.For != nil {
		who += fmt.Sprintf(", or %s (escalated)", a.EscalateTo)
	}
	return who
}

// mostDelegations bounds how often a hold is passed on.
const mostDelegations = 20

// Delegate lets somebody else decide as well, under a new digest: who may decide is part of
// what a verdict is about. Only who may decide may pass it on. It fails with ErrDelegation,
// ErrReviewer, ErrDecided, ErrExpired or ErrDigest; a failure changes nothing.
func Delegate(tx Tx, id, digest string, d Delegation, roles []string, now time.Time) (Approval, error) {
	a, e, err := open(tx, id, digest, now)
	if err != nil {
		return Approval{}, err
	}
	d.To, d.From = strings.Join(strings.Fields(d.To), " "), strings.Join(strings.Fields(d.From), " ")
	d.At = now.UTC()
	switch {
	case d.From == "" || d.To == "":
		return Approval{}, fmt.Errorf("%w: it needs the names of two people", ErrDelegation)
	case a.NoDelegation:
		return Approval{}, fmt.Errorf("%w: holds of the type %s are not", ErrDelegation, a.Checkpoint)
	case !a.May(d.From, roles, now):
		return Approval{}, fmt.Errorf("%w: %s decides here", ErrReviewer, a.Who(now))
	case a.For != nil && a.May(d.To, nil, now), slices.ContainsFunc(a.Delegations, func(old Delegation) bool { return rule.SameName(old.To, d.To) }):
		return Approval{}, fmt.Errorf("%w: %s may decide already", ErrDelegation, d.To)
	case len(a.Delegations) >= mostDelegations:
		return Approval{}, fmt.Errorf("%w: it was passed on %d times", ErrDelegation, mostDelegations)
	}
	a.Delegations = append(slices.Clip(a.Delegations), d)
	return renewed(tx, a, e, now)
}

// Due are the words that are due of a hold which waits: a reminder, and that somebody else
// may decide now. They are journalled in the transaction that Remind keeps them in.
func (a Approval) Due(now time.Time) (out []journal.Event) {
	if a.At(now) != Pending {
		return nil
	}
	about := journal.Event{At: now, Session: a.Session, Turn: a.Turn, Approval: a.ID, Call: a.Call, Tool: a.Tool}
	if a.RemindedAt == nil && !a.RemindAt.IsZero() && !now.Before(a.RemindAt) {
		out = append(out, about.With(journal.ApprovalRemindedData{DueAt: a.DueAt}))
	}
	if a.EscalatedAt == nil && a.Escalated(now) {
		out = append(out, about.With(journal.ApprovalEscalatedData{To: a.EscalateTo.String()}))
	}
	return out
}

// Remind keeps that people were told what is due of a hold, and says whether that was news.
func Remind(tx Tx, id string, now time.Time) (news bool, err error) {
	a, err := tx.Approval(id)
	if err != nil {
		return false, err
	}
	due := a.Due(now)
	for _, e := range due {
		if e.Kind == journal.ApprovalReminded {
			a.RemindedAt = &now
		} else {
			a.EscalatedAt = &now
		}
	}
	if len(due) == 0 {
		return false, nil
	}
	return true, tx.PutApproval(a)
}
