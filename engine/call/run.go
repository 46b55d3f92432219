package call

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/panics"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/tool"
)

type taskKey struct{}

func withTask(ctx context.Context, t *graph.Task) context.Context {
	return context.WithValue(ctx, taskKey{}, t)
}

// TaskOf returns the task on whose behalf a tool runs; read tools reach the records
// through it.
func TaskOf(ctx context.Context) (*graph.Task, error) {
	t, ok := ctx.Value(taskKey{}).(*graph.Task)
	if !ok {
		return nil, errors.New("call: a tool ran outside a turn")
	}
	return t, nil
}

// reads runs the round's read tools in parallel; a failure is an answer, too.
func (r *Round) reads(ctx context.Context) error {
	var which []int
	for i := range r.Calls {
		tl, err := r.Tools.Get(r.Calls[i].Tool)
		if err != nil || r.answers[i] != nil || tl.Mutates() || r.ruled[i].held {
			continue
		}
		asked := r.Calls[i].Arguments
		if no := r.before(ctx, i); no != "" {
			r.refuse(i, no)
			continue
		}
		if !bytes.Equal(asked, r.Calls[i].Arguments) {
			// Rules judged other arguments; what may not go on by itself now does not.
			if no, ask := r.judge(i); no != "" {
				r.refuse(i, no)
				continue
			} else if ask != nil || r.ruled[i].held {
				r.refuse(i, "a hook changed the arguments to what a rule does not let pass by itself")
				continue
			}
		}
		r.tell(i)
		if r.again(i) {
			continue
		}
		which = append(which, i)
	}
	failures := make([]error, len(r.Calls))
	if len(which) == 1 {
		failures[which[0]] = r.read(ctx, which[0])
	} else {
		var wg conc.WaitGroup
		for _, i := range which {
			wg.Go(func() { failures[i] = r.read(ctx, i) })
		}
		wg.Wait()
	}
	for i, err := range failures {
		var no *tool.Refusal
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &no):
			r.refuse(i, no.Reason)
		default:
			reason := model.Shorten(err.Error(), 300)
			r.answers[i], r.failures[i] = status("failed", reason), err
			r.events = append(r.events, journal.Event{Kind: journal.ToolFailed, Tool: r.Calls[i].Tool, Call: r.Calls[i].ID, Error: reason})
		}
	}
	return nil
}

// again answers a call that was made before in the turn with what it gave then, and says
// whether it did.
func (r *Round) again(i int) bool {
	known, ok := r.Past.again(r.Tools, r.Calls[i])
	if ok {
		r.answers[i], r.repeated[i] = known, true
		r.events = append(r.events, journal.Event{Kind: journal.ToolRefused, Tool: r.Calls[i].Tool, Call: r.Calls[i].ID, Status: string(journal.ToolRepeated),
			Reason: "the same call was made before in this turn; its result was given again"})
	}
	return ok
}

// read runs one read tool.
func (r *Round) read(ctx context.Context, i int) error {
	c := r.Calls[i]
	tl, err := r.Tools.Get(c.Tool)
	if err != nil {
		return err
	}
	began := r.Task.Now()
	r.Task.Emit(journal.Event{Tool: c.Tool, Call: c.ID}.With(journal.ToolStartedData{Args: c.Arguments}))
	out, err := guarded(func() (json.RawMessage, error) { return tl.Read(ctx, r.envOf(i), c.Arguments) })
	if err == nil {
		r.Task.Emit(journal.Event{Tool: c.Tool, Call: c.ID}.
			With(journal.ToolCompletedData{Result: out, MS: r.Task.Now().Sub(began).Milliseconds()}))
		r.answers[i] = out
	}
	return err
}

// guarded runs a tool and turns a panic into a failure of the call. An answer that is
// not JSON is passed on as a JSON string.
func guarded(run func() (json.RawMessage, error)) (out json.RawMessage, err error) {
	if caught := panics.Try(func() { out, err = run() }); caught != nil {
		return nil, fmt.Errorf("call: the tool panicked: %v", caught.Value)
	}
	if err == nil && len(out) == 0 {
		out = json.RawMessage("null")
	} else if err == nil && !json.Valid(out) {
		out = model.JSON(string(out))
	}
	return out, err
}

// mutate carries out or answers one mutating call. again says that it needs a new
// approval.
func (r *Round) mutate(ctx context.Context, i int) (again bool, err error) {
	c := r.Calls[i]
	tl, gone := r.Tools.Get(c.Tool)
	var ap ledger.Approval
	var entry ledger.Entry
	err = r.view(func(tx Tx) error {
		if entry, err = tx.Entry(c.ID); err != nil {
			return err
		}
		ap, err = tx.Approval(entry.Approval)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("call: verdict of call %s could not be read, it does not run: %w", c.ID, err)
	}
	if entry.Session != r.Task.Run.Session || entry.Turn != r.Task.Run.Turn || entry.Tool != c.Tool || ap.Call != c.ID {
		return false, fmt.Errorf("call: call %s belongs to another turn or tool, it does not run", c.ID)
	}
	defer func() {
		if err == nil && !again {
			r.Calls[i].Arguments = ap.Args // what ran, or was to run
		}
	}()
	switch entry.State {
	case ledger.Committed:
		r.answers[i] = r.answer(ap, entry.Result)
		return false, nil
	case ledger.Refused:
		r.rejected(i, ap, entry)
		return false, nil
	case ledger.Started, ledger.Unknown:
		if gone == nil && tl.Outside == nil {
			// An effect on our own records commits together with its row, so a row in this
			// state is damaged.
			return false, fmt.Errorf("call: outcome of call %s is unknown; a person has to look", c.ID)
		}
		if entry.State == ledger.Unknown {
			r.unknown(i, entry.Result)
			return false, nil
		}
		// Only this round could be driving the call, and it has not begun it.
		return false, r.lose(i, ap, "Holdpoint stopped while the call was under way")
	}
	if gone != nil {
		return false, gone
	}
	if ap.Original != nil && ap.At(r.Task.Now()) == ledger.Approved && intact(ap, entry) == nil {
		if no := r.edited(ctx, i, ap); no != "" {
			return false, r.shut(i, no)
		}
	}
	switch {
	case r.ruled[i].held:
		err = r.heldRead(ctx, i, tl, ap, entry)
	case tl.Outside != nil:
		err = r.outside(ctx, i, tl, ap)
	default:
		err = r.inside(i, tl, ap, entry)
	}
	switch {
	case errors.Is(err, ledger.ErrDigest), errors.Is(err, ledger.ErrExpired), errors.Is(err, ledger.ErrNotApproved), errors.Is(err, ledger.ErrUsed):
		return true, r.distrust(c, ap, err)
	case err != nil:
		return false, fmt.Errorf("call: %s was not run: %w", c.Tool, err)
	}
	return false, nil
}

// intact checks that a row is the one that the verdict was given on. Nothing may be
// concluded from a row that is not, not even a refusal.
func intact(ap ledger.Approval, e ledger.Entry) error {
	digest, err := ledger.Digest(ap)
	if err != nil {
		return err
	}
	if digest != ap.Digest || e.Digest != ap.Digest {
		return ledger.ErrDigest
	}
	return nil
}

// inside writes our own records: the side effect and its ledger row are one transaction.
func (r *Round) inside(i int, tl tool.Tool, ap ledger.Approval, entry ledger.Entry) error {
	c := r.Calls[i]
	var out ledger.Outcome
	err := r.commit(func(tx Tx, tell graph.Tell) error {
		out = ledger.Outcome{}
		if err := intact(ap, entry); err != nil {
			return err
		}
		// The approved arguments are planned again on the records as they are now.
		env := r.envOf(i)
		env.Now = ap.In(env.Now)
		p, err := tl.Plan(tx, env, ap.Args)
		var no *tool.Refusal
		if errors.As(err, &no) {
			out = ledger.Outcome{Refused: true, Result: status("refused", no.Reason)}
			tell(journal.Event{Kind: journal.ToolRefused, Tool: c.Tool, Call: c.ID, Approval: ap.ID, Reason: model.Shorten(no.Reason, 600)})
			return ledger.Refuse(tx, c.ID, out.Result, env.Now)
		}
		if err != nil {
			return err
		}
		out, err = ledger.Execute(tx, r.present(c, tl, p, ap.Checkpoint, ap.For), env.Now, func() (ledger.Outcome, error) {
			refs, err := write(tx, p.Changes, env.Now)
			return ledger.Outcome{Result: p.Result, Refs: refs}, err
		})
		if err != nil {
			return err
		}
		tell(committed(c, ap, out))
		return nil
	})
	if err != nil {
		return err
	}
	r.take(i, ap, out)
	return nil
}

func (r *Round) take(i int, ap ledger.Approval, out ledger.Outcome) {
	r.answers[i] = out.Result
	if out.Refused {
		no := struct{ Reason string }{"refused"}
		if err := json.Unmarshal(out.Result, &no); err != nil {
			no.Reason = "refused"
		}
		r.failures[i] = &tool.Refusal{Reason: no.Reason}
	} else {
		r.answers[i] = r.answer(ap, out.Result)
	}
}

func committed(c model.Call, ap ledger.Approval, out ledger.Outcome) journal.Event {
	names := make([]string, len(out.Refs))
	for k, ref := range out.Refs {
		names[k] = ref.String()
	}
	return journal.Event{Tool: c.Tool, Call: c.ID, Approval: ap.ID}.With(journal.MutationCommittedData{Refs: names, Result: out.Result})
}

// outside sends a call whose side effects are elsewhere. The ledger says started, on
// disk, before the call is sent, so it is sent at most once.
func (r *Round) outside(ctx context.Context, i int, tl tool.Tool, ap ledger.Approval) error {
	c := r.Calls[i]
	err := r.commit(func(tx Tx, _ graph.Tell) error {
		return ledger.Begin(tx, r.present(c, tl, tool.Plan{Args: ap.Args, Targets: ap.Targets, Changes: ap.Changes, Title: ap.Title, Summary: ap.Summary}, ap.Checkpoint, ap.For), r.Task.Now())
	}, journal.Event{Tool: c.Tool, Call: c.ID, Approval: ap.ID}.With(journal.ToolStartedData{Args: ap.Args}))
	if err != nil {
		return err
	}
	result, err := guarded(func() (json.RawMessage, error) { return tl.Outside(ctx, r.envOf(i), ap.Args, c.ID) })
	var no *tool.Refusal
	out := ledger.Outcome{Result: result}
	switch {
	case errors.As(err, &no):
		out = ledger.Outcome{Refused: true, Result: status("refused", no.Reason)}
	case err != nil:
		return r.lose(i, ap, model.Shorten(err.Error(), 300))
	}
	err = r.commit(func(tx Tx, tell graph.Tell) error {
		e := committed(c, ap, out)
		if out.Refused {
			e = journal.Event{Kind: journal.ToolRefused, Tool: c.Tool, Call: c.ID, Approval: ap.ID, Reason: model.Shorten(no.Reason, 600)}
		}
		tell(e)
		return ledger.Finish(tx, c.ID, out, r.Task.Now())
	})
	if err != nil {
		return err
	}
	r.take(i, ap, out)
	return nil
}

// lose records a call that had begun and whose outcome nobody knows.
func (r *Round) lose(i int, ap ledger.Approval, why string) error {
	c := r.Calls[i]
	answer := model.JSON(map[string]string{"status": "unknown", "reason": why,
		"note": "Nobody knows whether this took effect. Do not call it again; say that a person has to look."})
	err := r.commit(func(tx Tx, _ graph.Tell) error { return ledger.Lost(tx, c.ID, answer, r.Task.Now()) },
		journal.Event{Kind: journal.ToolFailed, Tool: c.Tool, Call: c.ID, Approval: ap.ID, Status: string(journal.OutcomeUnknown), Error: why})
	if err == nil {
		r.unknown(i, answer)
	}
	return err
}

// ErrUnknown is what hooks are given for a call whose outcome nobody knows.
var ErrUnknown = graph.OfKind(graph.KindUnknown, errors.New("call: nobody knows whether this took effect"))

func (r *Round) unknown(i int, answer json.RawMessage) {
	if len(answer) == 0 {
		answer = status("unknown", "nobody knows whether this took effect")
	}
	r.answers[i], r.failures[i] = answer, ErrUnknown
}

// write carries out what was approved, byte for byte, provided the records are still
// what the person was shown.
func write(tx record.Tx, changes []ledger.Change, now time.Time) ([]record.Ref, error) {
	var refs []record.Ref
	for _, c := range changes {
		r, err := record.New(c.After, now)
		if err != nil {
			return nil, err
		}
		if r.Ref != c.Ref {
			return nil, fmt.Errorf("call: a change of %s holds %s", c.Ref, r.Ref)
		}
		before := c.Before
		if bytes.Equal(before, []byte("null")) {
			before = nil
		}
		old, err := tx.Record(c.Ref)
		if err != nil && !errors.Is(err, record.ErrNotFound) {
			return nil, err
		}
		// A record that is not there has no resource: it must be shown as new.
		if !bytes.Equal(old.Resource, before) {
			return nil, fmt.Errorf("call: %s has changed: %w", c.Ref, ledger.ErrDigest)
		}
		if err := tx.PutRecord(r); err != nil {
			return nil, err
		}
		refs = append(refs, c.Ref)
	}
	return refs, nil
}
