package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/rule"
	"holdpoint/engine/tool"
)

// propose plans the calls and requests an approval for each. A call whose plan is
// refused is answered at once; nil means that no approval is needed.
func (r *Round) propose(ctx context.Context, which []int) (*graph.Result, error) {
	if len(which) == 0 {
		return nil, nil
	}
	refused := map[int]string{}
	var asks []graph.Pause
	which = slices.DeleteFunc(slices.Clone(which), func(i int) bool {
		var ask *graph.Pause
		no := r.before(ctx, i)
		if no == "" {
			no, ask = r.judge(i)
		}
		if ask != nil {
			asks = append(asks, *ask) // planned once the person said yes
		} else if no != "" {
			refused[i] = no
		}
		return ask != nil
	})
	var asked []ledger.Approval
	again := map[int]string{} // refused now, although an approval was requested before
	err := r.view(func(tx Tx) error {
		for _, i := range which {
			reason, no := refused[i]
			if !no {
				a, err := r.plan(tx, i)
				var because *tool.Refusal
				switch {
				case errors.As(err, &because):
					reason = because.Reason
				case err != nil:
					return err
				default:
					asked = append(asked, a)
					continue
				}
			}
			switch _, err := tx.Entry(r.Calls[i].ID); {
			case err == nil:
				again[i] = reason
			case errors.Is(err, ledger.ErrNotFound):
				r.refuse(i, reason)
			default:
				return err
			}
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
	switch {
	case len(asked) == 0 && len(asks) == 0:
		return nil, nil
	case len(asked) == 0:
		return &graph.Result{Pauses: asks}, nil
	}
	fired := map[string][]journal.Event{}
	for _, i := range which {
		if r.Hold != nil {
			break // they were told of where they fired
		}
		fired[r.Calls[i].ID] = Fired(r.ruled[i].outcome, rule.BeforeToolCall, journal.Event{Session: r.Task.Run.Session, Turn: r.Task.Run.Turn, Stage: r.Task.Stage,
			At: r.Task.Now(), Tool: r.Calls[i].Tool, Call: r.Calls[i].ID})
	}
	res := &graph.Result{Pauses: asks, Do: graph.In(func(tx Tx, tell graph.Tell) error {
		for _, a := range asked {
			stored, err := ledger.Request(tx, a)
			if err != nil {
				return err
			}
			tell(fired[a.Call]...)
			tell(requested(stored, r.Task.Stage))
		}
		return nil
	})}
	for _, a := range asked {
		res.Pauses = append(res.Pauses, pauseFor(a))
	}
	return res, nil
}

func requested(a ledger.Approval, stage graph.StageID) journal.Event {
	d := journal.ApprovalRequestedData{Title: model.Shorten(a.Title, 300), Digest: a.Digest, ExpiresAt: a.ExpiresAt, DueAt: a.DueAt}
	if a.For != nil {
		d.For = a.For.String()
	}
	return journal.Event{At: a.RequestedAt, Session: a.Session, Turn: a.Turn, Stage: stage, Approval: a.ID, Call: a.Call, Tool: a.Tool}.With(d)
}

// shut answers a call that awaits an approval and can no longer be carried out, so
// that nobody decides on it later.
func (r *Round) shut(i int, reason string) error {
	c := r.Calls[i]
	answer := status("refused", reason)
	err := r.commit(func(tx Tx, tell graph.Tell) error {
		tell(journal.Event{Kind: journal.ToolRefused, Tool: c.Tool, Call: c.ID, Reason: model.Shorten(reason, 600)})
		return ledger.Refuse(tx, c.ID, answer, r.Task.Now())
	})
	if err == nil {
		r.answers[i], r.failures[i] = answer, &tool.Refusal{Reason: reason}
	}
	return err
}

// plan works out what call i would do and puts it into an approval. A repeated
// request for the same call gets the next number.
func (r *Round) plan(tx Tx, i int) (ledger.Approval, error) {
	c := r.Calls[i]
	tl, err := r.Tools.Get(c.Tool)
	if err != nil {
		return ledger.Approval{}, err
	}
	id, err := nextID(tx, c.ID)
	if err != nil {
		return ledger.Approval{}, err
	}
	p, err := tl.Held().Plan(tx, r.envOf(i), c.Arguments)
	if err != nil {
		return ledger.Approval{}, err
	}
	var f rule.Firing
	if first := r.ruled[i].outcome.First(); first.Verdict == rule.Hold {
		f = first
	}
	term := r.Terms.Of(f.Checkpoint)
	if f.Reviewer == nil {
		f.Reviewer = term.Reviewer
	}
	a := r.present(c, tl, p, f.Checkpoint, f.Reviewer)
	if a.Checkpoint, a.For, a.Rule = f.Checkpoint, f.Reviewer, f.Rule; f.Rule != "" {
		a.Because = model.Shorten(f.Why(), 600)
	}
	a.ID, a.Reason, a.Weak = id, model.Shorten(r.Reason, 2000), r.Weak
	if zone := r.Task.Now().Location().String(); zone != "Local" {
		a.Zone = zone
	}
	a.Under(term, r.Task.Now())
	return a, nil
}

// nextID names the next approval of a call.
func nextID(tx Tx, call string) (string, error) {
	id, n := "ap."+call, 1
	for {
		if _, err := tx.Approval(id); errors.Is(err, ledger.ErrNotFound) {
			return id, nil
		} else if err != nil {
			return "", err
		}
		n++
		id = fmt.Sprintf("ap.%s-%d", call, n)
	}
}

// present is what would run, as far as a digest covers it. For an outside tool that
// includes its server, so that an approval is good for no other server.
func (r *Round) present(c model.Call, tl tool.Tool, p tool.Plan, checkpoint string, who *rule.Reviewer) ledger.Approval {
	version := r.Policy
	if tl.Server != "" {
		version += " on " + tl.Server
	}
	if tl.Origin != "" {
		version += " from " + tl.Origin
	}
	return ledger.Approval{Session: r.Task.Run.Session, Turn: r.Task.Run.Turn, Call: c.ID, Tool: c.Tool, Args: p.Args, Targets: p.Targets,
		Changes: p.Changes, PolicyVersion: policy(version, checkpoint, who), Title: p.Title, Summary: p.Summary, RiskHigh: tl.RiskHigh}
}

// distrust voids an approval that does not match what would run.
func (r *Round) distrust(c model.Call, ap ledger.Approval, cause error) error {
	return r.commit(func(tx Tx, tell graph.Tell) error {
		a, err := tx.Approval(ap.ID)
		if err != nil {
			return err
		}
		if err := ledger.Withdraw(tx, a, r.Task.Now()); err != nil {
			return err
		}
		told := journal.Event{Kind: journal.ApprovalRefused, Tool: c.Tool, Call: c.ID, Approval: ap.ID, Error: cause.Error(),
			Reason: "what would be done is no longer what was approved; a new approval is asked for"}
		if errors.Is(cause, ledger.ErrExpired) {
			told.Reason = "the approval expired before this was carried out; a new one is asked for"
		}
		tell(told)
		return nil
	})
}

// answer tells the model what was done, and that a reviewer edited it.
func (r *Round) answer(ap ledger.Approval, result json.RawMessage) json.RawMessage {
	if len(result) == 0 {
		result = json.RawMessage(`{"status":"done"}`)
	}
	if ap.Original == nil {
		return result
	}
	return model.JSON(map[string]any{"status": "done", "result": result, "modified_by_reviewer": ap.Args, "comment": ap.Comment})
}

// rejected tells the model that a person, or the state of the records, said no.
func (r *Round) rejected(i int, ap ledger.Approval, e ledger.Entry) {
	if ap.Status != ledger.Rejected {
		r.answers[i], r.failures[i] = e.Result, &tool.Refusal{Reason: "refused"}
		if r.answers[i] == nil {
			r.answers[i] = status("refused", "refused")
		}
		return
	}
	r.answers[i] = model.JSON(map[string]string{"status": "rejected", "reason": ap.Comment,
		"note": "The reviewer said no. Nothing was changed. Acknowledge the reason."})
	r.failures[i] = &tool.Refusal{Reason: ap.Comment, Rejected: true}
	r.events = append(r.events, journal.Event{Kind: journal.ToolRefused, Tool: e.Tool, Call: e.Call, Approval: ap.ID, Reason: model.Shorten(ap.Comment, 600), Status: string(journal.ToolRejected)})
}
