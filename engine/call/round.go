// Package call answers the tool calls in a model's message, for any stage. Read tools
// run at once; a call with side effects is held until a person has approved exactly
// what will run.
package call

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"holdpoint/engine/graph"
	"holdpoint/engine/identity"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/rule"
	"holdpoint/engine/tool"
)

// PolicyVersion names the rules by which calls are gated; part of every digest.
const PolicyVersion = "call-gate/1"

// Round answers the calls of one message. It keeps nothing in memory from one Run to
// the next: the ledger says which calls are answered, so a re-entry of the stage may
// start the round again at any point.
type Round struct {
	Task  *graph.Task
	Tools *tool.Set
	// Calls have ids that are unique in the store.
	Calls []model.Call
	// Policy is part of every digest; "" is PolicyVersion.
	Policy string
	// Terms say how long holds wait, and for whom else.
	Terms rule.Terms
	// Reason is why the agent asks, in the model's words.
	Reason string
	// Weak says that the model that made the calls is too small for its word to count alone.
	Weak bool
	// Subject is what the run is about; may be the zero Ref.
	Subject record.Ref
	// Caller is who asked for the run; tools with a guard look at it.
	Caller identity.Caller
	// ReadOnly refuses everything that would change something.
	ReadOnly bool
	// Echoes says that a text is what the model was told and nothing of its own; nil says it of none.
	Echoes func(text string) bool
	// Past are the earlier rounds of the turn: what a read call got there is not read again.
	Past *Past

	// Rules are asked about each call, before and after; nil asks nothing.
	Rules *rule.Set
	// Talk are the turn's messages before the calls, State what else of the agent rules may
	// read as state.
	Talk  []model.Message
	State map[string]any

	// Later hands holds of rules after a call back to the stage, which waits for them where
	// its graph says so; else the round waits.
	Later bool
	// Hold is the rule for which the calls wait, where no rule is asked here.
	Hold *rule.Firing
	// Facts are what tools may know that a person confirmed.
	Facts map[string]tool.Fact

	held  []Held
	ruled []ruled
	// released says of a result that it is what a person was shown, repeated that it was given
	// before in the turn and that rules judged it then.
	released, repeated []bool
	// answers are by position, nil until known. failures belong to calls that were
	// not carried out.
	answers  []json.RawMessage
	failures []error
	events   []journal.Event
}

// Answer is what the model is told: one message for each call, in the order of the calls,
// and the events to journal with them. A message of a call that was made with other arguments
// than the model's has them as Args.
type Answer struct {
	// Calls are the calls as they were made: hooks and people may have changed arguments.
	Calls    []model.Call
	Messages []model.Message
	// Failures says by position why a call was not carried out: refused, rejected by a
	// person, failed, or nobody knows. nil stands for one that was.
	Failures []error
	Events   []journal.Event
	// Held are the results that rules hold, of a round that hands them back.
	Held []Held
}

// Held is what a call gave and a rule holds: nothing may come of it until a person looked.
type Held struct {
	Call   model.Call
	Result json.RawMessage
	Rule   rule.Firing
}

// Run answers every call, or returns a result that pauses the stage. While one call
// waits for a verdict, no call of the round runs.
func (r *Round) Run(ctx context.Context) (Answer, *graph.Result, error) {
	seen := map[string]bool{}
	for _, c := range r.Calls {
		if c.ID == "" || seen[c.ID] {
			return Answer{}, nil, fmt.Errorf("call: call id %q is empty or stands twice", c.ID)
		}
		seen[c.ID] = true
	}
	if r.Policy == "" {
		r.Policy = PolicyVersion
	}
	asked := r.Calls
	r.Calls = slices.Clone(asked)
	r.ruled, r.released, r.repeated = make([]ruled, len(r.Calls)), make([]bool, len(r.Calls)), make([]bool, len(r.Calls))
	r.answers, r.failures, r.events, r.held = make([]json.RawMessage, len(r.Calls)), make([]error, len(r.Calls)), nil, nil
	if r.Hold != nil {
		for i := range r.ruled {
			r.ruled[i].outcome = rule.Outcome{Fired: []rule.Firing{*r.Hold}}
		}
	}
	ctx = identity.With(withTask(ctx, r.Task), r.Caller)

	paused, err := r.gate(ctx)
	if err != nil || paused != nil {
		return Answer{}, paused, err
	}
	if err := r.reads(ctx); err != nil {
		return Answer{}, nil, err
	}
	var again []int
	for i := range r.Calls {
		if r.answers[i] != nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return Answer{}, nil, err
		}
		asked, err := r.mutate(ctx, i)
		if err != nil {
			return Answer{}, nil, err
		}
		if !asked {
			continue
		}
		if no := r.canonical(i); no != "" {
			if err := r.shut(i, no); err != nil {
				return Answer{}, nil, err
			}
			continue
		}
		again = append(again, i)
	}
	if len(again) > 0 {
		// What would run is not what was approved any more: ask for it anew.
		paused, err := r.propose(ctx, again)
		if err != nil || paused != nil {
			return Answer{}, paused, err
		}
	}
	if paused, err := r.after(); err != nil || paused != nil {
		return Answer{}, paused, err
	}
	a := Answer{Calls: r.Calls, Messages: make([]model.Message, len(r.Calls)), Failures: r.failures, Events: r.events, Held: r.held}
	for i, c := range r.Calls {
		use := graph.ToolUse{Call: c.ID, Tool: c.Tool, Arguments: c.Arguments, Result: r.answers[i], Err: r.failures[i]}
		r.Task.PostTool(ctx, &use)
		a.Messages[i] = model.Message{Role: "tool", Call: c.ID, Tool: c.Tool, Text: string(use.Result)}
		if bytes.Equal(asked[i].Arguments, c.Arguments) {
			continue
		}
		if was, err := r.Past.check(r.Tools, asked[i]); err == nil && !bytes.Equal(was, c.Arguments) {
			a.Messages[i].Args = c.Arguments
		}
	}
	return a, nil, nil
}

func (r *Round) envOf(i int) tool.Env {
	return tool.Env{Session: r.Task.Run.Session, Turn: r.Task.Run.Turn, Call: r.Calls[i].ID, Subject: r.Subject, Now: r.Task.Now(), Facts: r.Facts}
}

func status(s, reason string) json.RawMessage {
	return model.JSON(map[string]string{"status": s, "reason": reason})
}

func (r *Round) refuse(i int, reason string) {
	r.answers[i], r.failures[i] = status("refused", reason), &tool.Refusal{Reason: reason}
	r.events = append(r.events, journal.Event{Kind: journal.ToolRefused, Tool: r.Calls[i].Tool, Call: r.Calls[i].ID, Reason: reason})
}

// gate checks every call and makes sure that each mutating one has a verdict. A
// non-nil result pauses the stage.
func (r *Round) gate(ctx context.Context) (*graph.Result, error) {
	mutating, err := r.sort()
	if err != nil {
		return nil, err
	}
	var missing []int
	var pauses []graph.Pause
	for i, c := range r.Calls {
		if slices.Contains(mutating, i) || r.answers[i] != nil {
			continue
		}
		tl, err := r.Tools.Get(c.Tool)
		if err != nil {
			return nil, err
		}
		if no := r.denied(tl); no != "" {
			r.refuse(i, no)
			continue
		}
		if !r.check(i) {
			continue
		}
		switch no, ask := r.judge(i); {
		case no != "":
			r.refuse(i, no)
		case ask != nil:
			pauses = append(pauses, *ask)
		case r.ruled[i].held:
			missing = append(missing, i)
		}
	}
	if len(mutating)+len(missing)+len(pauses) == 0 {
		return nil, nil
	}
	denied := map[int]string{} // requested, but not by this caller
	err = r.view(func(tx Tx) error {
		for _, i := range mutating {
			no := ""
			if tl, err := r.Tools.Get(r.Calls[i].Tool); err == nil {
				no = r.denied(tl)
			} else {
				no = fmt.Sprintf("there is no tool %q", model.Shorten(r.Calls[i].Tool, 60))
			}
			e, err := tx.Entry(r.Calls[i].ID)
			switch {
			case errors.Is(err, ledger.ErrNotFound) && no != "":
				r.refuse(i, no)
				continue
			case errors.Is(err, ledger.ErrNotFound):
				if r.check(i) && !r.echoed(i) && !r.again(i) && !r.twice(i) {
					missing = append(missing, i)
				}
				continue
			case err != nil:
				return err
			case e.State != ledger.Proposed && e.State != ledger.Cleared:
				continue // it ran, or was refused, or nobody knows: it never runs again
			case no != "":
				denied[i] = no
				continue
			}
			ap, err := tx.Approval(e.Approval)
			if err != nil {
				return err
			}
			switch ap.At(r.Task.Now()) {
			case ledger.Approved:
			case ledger.Pending:
				pauses = append(pauses, pauseFor(ap))
			default:
				// Expired or void: it counts as denied, and a new approval is needed.
				if r.check(i) {
					missing = append(missing, i)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("call: verdicts could not be read, nothing runs: %w", err)
	}
	for _, i := range slices.Sorted(maps.Keys(denied)) {
		if err := r.shut(i, denied[i]); err != nil {
			return nil, err
		}
	}
	res, err := r.propose(ctx, missing)
	if err != nil {
		return nil, err
	}
	if res == nil {
		if len(pauses) == 0 {
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

// twice refuses a change that a call before it in the round asks for as well, and says whether it did.
func (r *Round) twice(i int) bool {
	key, _ := r.Past.keyOf(r.Tools, r.Calls[i])
	for _, other := range r.Calls[:i] {
		if same, mutates := r.Past.keyOf(r.Tools, other); mutates && same == key {
			r.refuse(i, tool.Refusal{Reason: "the same change is asked for by another call of this message"}.Reason)
			return true
		}
	}
	return false
}

// sort finds the calls that need an approval, or may have needed one: those of tools that
// change something or are gone, and read calls that a rule held before.
func (r *Round) sort() (mutating []int, err error) {
	if r.Rules == nil {
		for i, c := range r.Calls {
			if tl, err := r.Tools.Get(c.Tool); err != nil || tl.Mutates() {
				mutating = append(mutating, i)
			}
		}
		return mutating, nil
	}
	err = r.view(func(tx Tx) error {
		for i, c := range r.Calls {
			if err := r.thaw(tx, i); err != nil {
				return err
			}
			if tl, err := r.Tools.Get(c.Tool); err != nil || tl.Mutates() {
				mutating = append(mutating, i)
				continue
			}
			switch _, err := tx.Entry(c.ID); {
			case err == nil:
				r.ruled[i].held = true
				mutating = append(mutating, i)
			case !errors.Is(err, ledger.ErrNotFound):
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("call: verdicts could not be read, nothing runs: %w", err)
	}
	return mutating, nil
}

// denied says why this caller or this stage may not use the tool.
func (r *Round) denied(tl tool.Tool) string {
	if r.ReadOnly && tl.Mutates() {
		return "this step may only read"
	}
	if tl.Allow != nil {
		if err := tl.Allow(r.Caller); err != nil {
			return model.Shorten(err.Error(), 300)
		}
	}
	return ""
}

// check puts the arguments of a call into canonical form, or answers it.
func (r *Round) check(i int) bool {
	no := r.canonical(i)
	if no != "" {
		r.refuse(i, no)
	}
	return no == ""
}

// echoed refuses a change whose text is what the model was told: a small one says it back, and
// a person would be asked to write it into a record.
func (r *Round) echoed(i int) bool {
	if r.Echoes == nil || !holds(r.Calls[i].Arguments, r.Echoes) {
		return false
	}
	r.refuse(i, tool.Refusal{Reason: "its text repeats what you were told; write what the person said, or what the record says"}.Reason)
	return true
}

// holds says whether one of the texts of a JSON value is such.
func holds(value json.RawMessage, such func(string) bool) bool {
	d := json.NewDecoder(bytes.NewReader(value))
	for {
		switch token, err := d.Token(); text := token.(type) {
		case string:
			if such(text) {
				return true
			}
		default:
			if err != nil {
				return false
			}
		}
	}
}

// canonical puts the arguments of a call into canonical form, or says why it cannot.
func (r *Round) canonical(i int) (no string) {
	args, err := r.Past.check(r.Tools, r.Calls[i])
	if err != nil {
		return model.Shorten(err.Error(), 600)
	}
	r.Calls[i].Arguments = args
	return ""
}

// before runs the PreTool hooks on a call for which no approval was requested yet,
// and checks the arguments that they leave. A hook that sets Err refuses the call.
func (r *Round) before(ctx context.Context, i int) (no string) {
	c := &r.Calls[i]
	use := graph.ToolUse{Call: c.ID, Tool: c.Tool, Arguments: c.Arguments}
	if no = r.hooked(ctx, &use); no != "" {
		return no
	}
	if bytes.Equal(use.Arguments, c.Arguments) {
		return ""
	}
	c.Arguments = use.Arguments
	return r.canonical(i)
}

// hooked lets the hooks see a call before it is made, and says why one refuses it.
func (r *Round) hooked(ctx context.Context, use *graph.ToolUse) (no string) {
	r.Task.PreTool(ctx, use)
	if use.Err != nil {
		return model.Shorten(use.Err.Error(), 600)
	}
	return ""
}

func pauseFor(a ledger.Approval) graph.Pause {
	return graph.Pause{ID: a.ID, Kind: "approval", Data: model.JSON(map[string]string{"call": a.Call, "tool": a.Tool})}
}
