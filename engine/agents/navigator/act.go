package navigator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sourcegraph/conc"

	"holdpoint/engine/graph"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/tool"
)

// PolicyVersion names the rules by which calls are gated; part of every digest.
const PolicyVersion = "navigator-gate/1"

const defaultTTL = 7 * 24 * time.Hour

// round is one assistant message's calls on their way to answers.
type round struct {
	a     *Agent
	t     *graph.Task
	calls []model.Call
	// answers by position; nil until known.
	answers []json.RawMessage
	events  []graph.Event
}

// act answers the calls of the last assistant message. The whole round is gated
// first: as long as one mutating call waits for a verdict, none of its siblings
// runs. The stage keeps nothing in memory: it can be started again at any point,
// because the ledger says which calls are answered.
func (a *Agent) act(ctx context.Context, t *graph.Task) (graph.Result, error) {
	messages := ChannelMessages.Get(t.State)
	if len(messages) == 0 {
		return graph.Result{}, errors.New("navigator: no call to act on")
	}
	r := &round{a: a, t: t, calls: messages[len(messages)-1].Calls}
	r.answers = make([]json.RawMessage, len(r.calls))

	paused, err := r.gate()
	if err != nil || paused != nil {
		if paused != nil {
			return *paused, err
		}
		return graph.Result{}, err
	}
	if err := r.reads(ctx); err != nil {
		return graph.Result{}, err
	}
	var again []int
	for i, c := range r.calls {
		if r.answers[i] != nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return graph.Result{}, err
		}
		asked, err := r.mutate(i, c)
		if err != nil {
			return graph.Result{}, err
		}
		if asked {
			again = append(again, i)
		}
	}
	if len(again) > 0 {
		// What would run is not what was approved any more: ask for it anew.
		paused, err := r.propose(again)
		if err != nil {
			return graph.Result{}, err
		}
		if paused != nil {
			return *paused, nil
		}
	}
	out := make([]model.Message, len(r.calls))
	for i, c := range r.calls {
		out[i] = model.Message{Role: "tool", Call: c.ID, Tool: c.Tool, Text: string(r.answers[i])}
	}
	res := done(Navigate+"/"+Act, graph.Patch{ChannelMessages.Add(out...), ChannelHasCalls.Set(false)})
	res.Events = r.events
	return res, nil
}

func (r *round) env(i int) tool.Env {
	return tool.Env{Session: r.t.Run.Session, Turn: r.t.Run.Turn, Call: r.calls[i].ID, Patient: ChannelPatient.Get(r.t.State), Now: r.t.Now()}
}

func (r *round) refuse(i int, kind graph.Kind, reason string) {
	r.answers[i] = encode(map[string]string{"status": "refused", "reason": reason})
	r.events = append(r.events, graph.Event{Kind: kind, Tool: r.calls[i].Tool, Call: r.calls[i].ID, Reason: reason})
}

// gate checks every call and makes sure that each mutating one has a verdict.
// A result means: pause.
func (r *round) gate() (*graph.Result, error) {
	var missing []int
	waiting := false
	var pauses []graph.Pause
	err := r.t.View(func(tx graph.Tx) error {
		for i, c := range r.calls {
			tl, err := r.a.Tools.Get(c.Tool)
			if err != nil {
				r.refuse(i, graph.ToolRefused, fmt.Sprintf("there is no tool %q", clip(c.Tool, 60)))
				continue
			}
			args, err := r.a.Tools.Check(c.Tool, c.Arguments)
			if err != nil {
				r.refuse(i, graph.ToolRefused, clip(err.Error(), 600))
				continue
			}
			r.calls[i].Arguments = args
			if !tl.Mutates() {
				continue
			}
			e, err := tx.Entry(c.ID)
			switch {
			case errors.Is(err, ledger.ErrNotFound):
				missing = append(missing, i)
				continue
			case err != nil:
				return err
			case e.State == ledger.Committed || e.State == ledger.Refused:
				continue
			}
			ap, err := tx.Approval(e.Approval)
			if err != nil {
				return err
			}
			switch ap.At(r.t.Now()) {
			case ledger.Approved:
			case ledger.Pending:
				waiting = true
				pauses = append(pauses, pauseFor(ap))
			default:
				// Expired or void: it counts as denied, and a new approval is needed.
				missing = append(missing, i)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("navigator: verdicts could not be read, nothing runs: %w", err)
	}
	if len(missing) == 0 && !waiting {
		return nil, nil
	}
	res, err := r.propose(missing)
	if err != nil {
		return nil, err
	}
	if res == nil {
		if !waiting {
			return nil, nil
		}
		res = &graph.Result{}
	}
	res.Pauses = append(res.Pauses, pauses...)
	slices.SortFunc(res.Pauses, func(a, b graph.Pause) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return res, nil
}

func pauseFor(a ledger.Approval) graph.Pause {
	return graph.Pause{ID: a.ID, Kind: "approval", Data: encode(map[string]string{"call": a.Call, "tool": a.Tool})}
}

// propose plans the calls and asks a person for each. Calls whose plan is refused
// are answered; nil means that nobody has to be asked.
func (r *round) propose(which []int) (*graph.Result, error) {
	var asked []ledger.Approval
	again := map[int]string{} // refused now, though a person was asked before
	err := r.t.View(func(tx graph.Tx) error {
		for _, i := range which {
			a, err := r.plan(tx, i)
			var no *tool.Refusal
			if errors.As(err, &no) {
				switch _, err := tx.Entry(r.calls[i].ID); {
				case err == nil:
					again[i] = no.Reason
				case errors.Is(err, ledger.ErrNotFound):
					r.refuse(i, graph.ToolRefused, no.Reason)
				default:
					return err
				}
				continue
			}
			if err != nil {
				return err
			}
			asked = append(asked, a)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, i := range slices.Sorted(maps.Keys(again)) {
		if err := r.shut(i, again[i]); err != nil {
			return nil, err
		}
	}
	if len(asked) == 0 {
		return nil, nil
	}
	res := &graph.Result{Do: func(tx graph.Tx, c *graph.Commit) error {
		for _, a := range asked {
			stored, err := ledger.Request(tx, a)
			if err != nil {
				return err
			}
			c.Events = append(c.Events, graph.Event{At: a.RequestedAt, Session: a.Session, Turn: a.Turn, Stage: r.t.Stage,
				Kind: graph.ApprovalRequested, Approval: a.ID, Call: a.Call, Tool: a.Tool,
				Data: encode(map[string]any{"title": clip(a.Title, 300), "digest": stored.Digest, "expires_at": a.ExpiresAt})})
		}
		return nil
	}}
	for _, a := range asked {
		res.Pauses = append(res.Pauses, pauseFor(a))
	}
	return res, nil
}

// shut answers a call that a person was asked about and that cannot be done any
// more: nobody is to decide on it later.
func (r *round) shut(i int, reason string) error {
	c := r.calls[i]
	answer := encode(map[string]string{"status": "refused", "reason": reason})
	err := r.t.Commit(func(tx graph.Tx, commit *graph.Commit) error {
		commit.Events = append(commit.Events, graph.Event{Kind: graph.ToolRefused, Tool: c.Tool, Call: c.ID, Reason: clip(reason, 600)})
		return ledger.Refuse(tx, c.ID, answer, r.t.Now())
	})
	if err == nil {
		r.answers[i] = answer
	}
	return err
}

// plan works out what call i would do and words it as an approval. A further
// request for the same call gets the next number.
func (r *round) plan(tx graph.Tx, i int) (ledger.Approval, error) {
	c := r.calls[i]
	tl, err := r.a.Tools.Get(c.Tool)
	if err != nil {
		return ledger.Approval{}, err
	}
	id, n := "ap."+c.ID, 1
	for {
		if _, err := tx.Approval(id); errors.Is(err, ledger.ErrNotFound) {
			break
		} else if err != nil {
			return ledger.Approval{}, err
		}
		n++
		id = fmt.Sprintf("ap.%s-%d", c.ID, n)
	}
	p, err := tl.Plan(tx, r.env(i), c.Arguments)
	if err != nil {
		return ledger.Approval{}, err
	}
	ttl := defaultTTL
	if l, err := live(r.t); err == nil && l.ApprovalTTL > 0 {
		ttl = l.ApprovalTTL
	}
	now := r.t.Now()
	messages := ChannelMessages.Get(r.t.State)
	return ledger.Approval{ID: id, Session: r.t.Run.Session, Turn: r.t.Run.Turn, Call: c.ID, Tool: c.Tool, Args: p.Args, Targets: p.Targets,
		Changes: p.Changes, PolicyVersion: PolicyVersion, Title: p.Title, Reason: clip(messages[len(messages)-1].Text, 2000),
		RiskHigh: tl.RiskHigh, RequestedAt: now, ExpiresAt: now.Add(ttl)}, nil
}

// reads runs the read tools of the round at once; a failure is an answer too.
func (r *round) reads(ctx context.Context) error {
	var wg conc.WaitGroup
	failures := make([]error, len(r.calls))
	for i, c := range r.calls {
		tl, err := r.a.Tools.Get(c.Tool)
		if err != nil || r.answers[i] != nil || tl.Mutates() {
			continue
		}
		wg.Go(func() {
			began := r.t.Now()
			r.t.Emit(graph.Event{Kind: graph.ToolStarted, Tool: c.Tool, Call: c.ID, Data: encode(map[string]any{"args": c.Arguments})})
			out, err := tl.Read(withTask(ctx, r.t), r.env(i), c.Arguments)
			failures[i] = err
			if err == nil {
				r.answers[i] = out
				r.t.Emit(graph.Event{Kind: graph.ToolCompleted, Tool: c.Tool, Call: c.ID,
					Data: encode(map[string]any{"result": out, "ms": r.t.Now().Sub(began).Milliseconds()})})
			}
		})
	}
	wg.Wait()
	for i, err := range failures {
		var no *tool.Refusal
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &no):
			r.refuse(i, graph.ToolRefused, no.Reason)
		default:
			r.answers[i] = encode(map[string]string{"status": "failed", "reason": clip(err.Error(), 300)})
			r.events = append(r.events, graph.Event{Kind: graph.ToolFailed, Tool: r.calls[i].Tool, Call: r.calls[i].ID, Error: clip(err.Error(), 300)})
		}
	}
	return nil
}

// mutate runs or answers one mutating call. again means that a new approval is needed.
func (r *round) mutate(i int, c model.Call) (again bool, err error) {
	tl, err := r.a.Tools.Get(c.Tool)
	if err != nil {
		return false, err
	}
	var ap ledger.Approval
	var entry ledger.Entry
	err = r.t.View(func(tx graph.Tx) error {
		if entry, err = tx.Entry(c.ID); err != nil {
			return err
		}
		ap, err = tx.Approval(entry.Approval)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("navigator: verdict of call %s could not be read, it does not run: %w", c.ID, err)
	}
	switch entry.State {
	case ledger.Committed:
		r.answers[i] = r.answer(ap, entry.Result)
		return false, nil
	case ledger.Refused:
		return false, r.rejected(i, ap, entry)
	}
	var out ledger.Outcome
	err = r.t.Commit(func(tx graph.Tx, commit *graph.Commit) error {
		out = ledger.Outcome{}
		// A row that is not what was decided on is no ground for anything, not even for
		// a refusal of what it asks.
		if digest, err := ledger.Digest(ap); err != nil {
			return err
		} else if digest != ap.Digest || entry.Digest != ap.Digest {
			return ledger.ErrDigest
		}
		// The approved arguments are planned again on the records as they are now.
		env := r.env(i)
		p, err := tl.Plan(tx, env, ap.Args)
		var no *tool.Refusal
		if errors.As(err, &no) {
			out = ledger.Outcome{Refused: true, Result: encode(map[string]string{"status": "refused", "reason": no.Reason})}
			commit.Events = append(commit.Events, graph.Event{Kind: graph.ToolRefused, Tool: c.Tool, Call: c.ID, Approval: ap.ID, Reason: clip(no.Reason, 600)})
			return ledger.Refuse(tx, c.ID, out.Result, env.Now)
		}
		if err != nil {
			return err
		}
		present := ledger.Approval{Session: env.Session, Turn: env.Turn, Call: c.ID, Tool: c.Tool, Args: p.Args, Targets: p.Targets,
			Changes: p.Changes, PolicyVersion: PolicyVersion}
		out, err = ledger.Execute(tx, present, env.Now, func() (ledger.Outcome, error) {
			refs, err := writeChanges(tx, p.Changes, env.Now)
			return ledger.Outcome{Result: p.Result, Refs: refs}, err
		})
		if err != nil {
			return err
		}
		names := make([]string, len(out.Refs))
		for k, ref := range out.Refs {
			names[k] = ref.String()
		}
		commit.Events = append(commit.Events, graph.Event{Kind: graph.MutationCommitted, Tool: c.Tool, Call: c.ID, Approval: ap.ID,
			Data: encode(map[string]any{"refs": names, "result": out.Result})})
		return nil
	})
	switch {
	case errors.Is(err, ledger.ErrDigest), errors.Is(err, ledger.ErrExpired), errors.Is(err, ledger.ErrNotApproved), errors.Is(err, ledger.ErrUsed):
		return true, r.distrust(c, ap, err)
	case err != nil:
		return false, fmt.Errorf("navigator: %s was not run: %w", c.Tool, err)
	}
	r.answers[i] = out.Result
	if !out.Refused {
		r.answers[i] = r.answer(ap, out.Result)
	}
	return false, nil
}

// distrust takes an approval out of use that does not fit what would run.
func (r *round) distrust(c model.Call, ap ledger.Approval, cause error) error {
	return r.t.Commit(func(tx graph.Tx, commit *graph.Commit) error {
		a, err := tx.Approval(ap.ID)
		if err != nil {
			return err
		}
		if a.Status == ledger.Pending || a.Status == ledger.Approved {
			a.Status = ledger.Void
			if err := tx.PutApproval(a); err != nil {
				return err
			}
		}
		commit.Events = append(commit.Events, graph.Event{Kind: graph.ApprovalRefused, Tool: c.Tool, Call: c.ID, Approval: ap.ID, Error: cause.Error(),
			Reason: "what would run is not what was approved; nothing was changed and a new approval is needed"})
		return nil
	})
}

// answer tells the model what was done, and that a reviewer edited it.
func (r *round) answer(ap ledger.Approval, result json.RawMessage) json.RawMessage {
	if ap.Original == nil {
		return result
	}
	return encode(map[string]any{"status": "done", "result": result, "modified_by_reviewer": ap.Args, "comment": ap.Comment})
}

// rejected words a "no" of a person or of the record for the model.
func (r *round) rejected(i int, ap ledger.Approval, e ledger.Entry) error {
	if ap.Status != ledger.Rejected {
		r.answers[i] = e.Result
		if r.answers[i] == nil {
			r.answers[i] = encode(map[string]string{"status": "refused", "reason": "refused"})
		}
		return nil
	}
	r.answers[i] = encode(map[string]string{"status": "rejected", "reason": ap.Comment,
		"note": "The reviewer said no. Nothing was changed. Acknowledge the reason."})
	r.events = append(r.events, graph.Event{Kind: graph.ToolRefused, Tool: e.Tool, Call: e.Call, Approval: ap.ID, Reason: clip(ap.Comment, 600), Status: "rejected"})
	return nil
}
