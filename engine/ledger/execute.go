package ledger

import (
	"encoding/json"
	"fmt"
	"time"

	"holdpoint/engine/record"
)

// Outcome is what a side effect did.
type Outcome struct {
	Result json.RawMessage
	Refs   []record.Ref
	// Refused carries the business reason when nothing was done.
	Refused bool
}

// Execute runs an approved side effect on Holdpoint's own records inside tx: the side
// effect, the used approval and the committed entry are one transaction. present
// describes what would run now, as an Approval (call, tool, args, targets, changes,
// policy, title, risk). If its digest differs from the approved one, nothing happens and the error
// wraps ErrDigest. A call that is already committed returns its stored result and runs
// nothing.
func Execute(tx Tx, present Approval, now time.Time, effect func() (Outcome, error)) (Outcome, error) {
	e, err := tx.Entry(present.Call)
	if err != nil {
		return Outcome{}, err
	}
	if !e.of(present) {
		return Outcome{}, fmt.Errorf("%w: call %s belongs to another turn or tool", ErrDigest, e.Call)
	}
	switch e.State {
	case Committed:
		return Outcome{Result: e.Result}, nil
	case Refused:
		return Outcome{Result: e.Result, Refused: true}, nil
	case Started, Unknown:
		return Outcome{}, fmt.Errorf("ledger: outcome of call %s is unknown; a person has to look", e.Call)
	}
	a, err := approved(tx, e, present, now)
	if err != nil {
		return Outcome{}, err
	}
	out, err := effect()
	if err != nil {
		return Outcome{}, err
	}
	a.Status, a.UsedAt = Used, &now
	if err := tx.PutApproval(a); err != nil {
		return Outcome{}, err
	}
	e.State = Committed
	if out.Refused {
		e.State = Refused
	}
	e.Result, e.UpdatedAt = out.Result, now
	return out, tx.PutEntry(e)
}

// of reports whether the row belongs to the call.
func (e Entry) of(a Approval) bool {
	return e.Session == a.Session && e.Turn == a.Turn && e.Tool == a.Tool
}

// approved returns the approval of a call if the call may start: the approval was
// given, has not expired, and was given for exactly what is present.
func approved(tx Tx, e Entry, present Approval, now time.Time) (Approval, error) {
	a, err := tx.Approval(e.Approval)
	if err != nil {
		return Approval{}, err
	}
	switch a.At(now) {
	case Approved:
	case Expired:
		return Approval{}, ErrExpired
	case Used:
		return Approval{}, ErrUsed
	default:
		return Approval{}, fmt.Errorf("%w: it is %s", ErrNotApproved, a.Status)
	}
	// Why and until when it was asked is the approval's own: nothing that runs says so.
	present.DigestVersion, present.Reason, present.RequestedAt, present.ExpiresAt = a.DigestVersion, a.Reason, a.RequestedAt, a.ExpiresAt
	present.Checkpoint, present.For, present.Rule, present.Because, present.Terms = a.Checkpoint, a.For, a.Rule, a.Because, a.Terms
	if len(a.Summary) == 0 {
		present.Summary = nil // asked before there were summaries, or of a tool that gave none
	}
	digest, err := Digest(present)
	if err != nil {
		return Approval{}, err
	}
	stored, err := Digest(a)
	if err != nil {
		return Approval{}, err
	}
	if digest != a.Digest || stored != a.Digest || e.Digest != a.Digest {
		return Approval{}, ErrDigest
	}
	if e.State != Cleared {
		return Approval{}, fmt.Errorf("%w: the call is %s", ErrNotApproved, e.State)
	}
	told, err := tx.Verdict(a)
	if err != nil {
		return Approval{}, err
	}
	if told != a.Digest {
		return Approval{}, fmt.Errorf("%w: the journal has no verdict on it", ErrDigest)
	}
	return a, nil
}

// Ready says whether a call may start now, as Execute does, and changes nothing.
func Ready(tx Tx, present Approval, now time.Time) error {
	e, err := tx.Entry(present.Call)
	if err != nil {
		return err
	}
	if !e.of(present) {
		return fmt.Errorf("%w: call %s belongs to another turn or tool", ErrDigest, e.Call)
	}
	_, err = approved(tx, e, present, now)
	return err
}

// Begin uses up the approval of a call with side effects outside our records and marks
// the call as started. Its transaction must be on disk before the call is sent. A call
// begins only once; after that it is ErrUsed.
func Begin(tx Tx, present Approval, now time.Time) error {
	e, err := tx.Entry(present.Call)
	if err != nil {
		return err
	}
	if !e.of(present) {
		return fmt.Errorf("%w: call %s belongs to another turn or tool", ErrDigest, e.Call)
	}
	switch e.State {
	case Started, Committed, Unknown:
		return fmt.Errorf("%w: call %s is %s", ErrUsed, e.Call, e.State)
	}
	a, err := approved(tx, e, present, now)
	if err != nil {
		return err
	}
	a.Status, a.UsedAt = Used, &now
	if err := tx.PutApproval(a); err != nil {
		return err
	}
	e.State, e.UpdatedAt = Started, now
	return tx.PutEntry(e)
}

// Finish records the outcome of a call that had begun.
func Finish(tx Tx, call string, out Outcome, now time.Time) error {
	state := Committed
	if out.Refused {
		state = Refused
	}
	return finish(tx, call, state, out.Result, now)
}

// Lost records that the outcome of a call that had begun is unknown. The call is never
// run again.
func Lost(tx Tx, call string, result json.RawMessage, now time.Time) error {
	return finish(tx, call, Unknown, result, now)
}

func finish(tx Tx, call string, state State, result json.RawMessage, now time.Time) error {
	e, err := tx.Entry(call)
	if err != nil {
		return err
	}
	if e.State != Started {
		return fmt.Errorf("ledger: call %s is %s and has not started", call, e.State)
	}
	e.State, e.Result, e.UpdatedAt = state, result, now
	return tx.PutEntry(e)
}

// Refuse answers a call for good without running it; its approval, pending or given,
// becomes void.
func Refuse(tx Tx, call string, result json.RawMessage, now time.Time) error {
	e, err := tx.Entry(call)
	if err != nil {
		return err
	}
	if e.State != Proposed && e.State != Cleared {
		return fmt.Errorf("ledger: call %s is %s and cannot be refused", call, e.State)
	}
	a, err := tx.Approval(e.Approval)
	if err != nil {
		return err
	}
	if err := end(tx, a, Void); err != nil {
		return err
	}
	e.State, e.Result, e.UpdatedAt = Refused, result, now
	return tx.PutEntry(e)
}
