package filing

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"holdpoint/engine/call"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/memory"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/turn"
)

// PolicyVersion names the rules by which calls are gated; part of every digest.
const PolicyVersion = "filing-gate/1"

// Iterations is the limit of rounds of calls in a turn. It counts over pauses, and a person
// may grant more.
const Iterations = graph.LimitRounds

// act gates a whole round of calls before any of it is dispatched. When a call waits for a
// person the round is frozen, approval records first, and leaves the conversation: nothing
// dangles. An approved round comes back from resume_guard; each call is dispatched once,
// and only after its approval was read again.
func (f flow) act(ctx context.Context, t *graph.Task) (graph.Result, error) {
	d, err := turn.DependenciesOf(t)
	if err != nil {
		return graph.Result{}, err
	}
	if r, err := f.changed(t, d); r != nil || err != nil {
		return orNone(r), err
	}
	n, most := ChannelIteration.Get(t.State), t.Limit(Iterations, cmp.Or(t.Run.Limits.Rounds, usualIterations))
	if n >= most {
		return graph.Result{Reached: &graph.Reached{Name: Iterations, Max: most}}, nil
	}
	set, _, err := f.visible(t, d)
	if err != nil {
		return graph.Result{}, err
	}
	rules, err := rules(t, d)
	if err != nil {
		return graph.Result{}, err
	}
	messages := ChannelMessages.Get(t.State)
	answer, paused, err := turn.Loop{Talk: messages, Act: turn.Act{Tools: set, Rules: rules, Policy: PolicyVersion, Later: true, Echoes: spoken.With(ChannelHistory.Get(t.State)).Echoes,
		Subject: inHand(t), State: map[string]any{"iteration": n, "llm_phase": ChannelPhase.Get(t.State)}}}.Answer(ctx, t)
	if err != nil {
		return graph.Result{}, err
	}
	if paused != nil {
		return freeze(t, messages, paused), nil
	}
	to, why := InitialCall, "the calls are answered"
	if ChannelPhase.Get(t.State) == synthesis {
		to = Synthesis
	}
	r := leave(ToolNode, to, why, ChannelCalls.Set(nil), ChannelMutation.Set(nil), ChannelStatus.Set(running), ChannelNews.Set(true), ChannelIteration.Set(n+1),
		ChannelMessages.Set(with(messages, answer.Messages...)))
	if !ChannelRequired.Get(t.State) {
		r.Patch = append(r.Patch, ChannelApproval.Set(""))
	}
	r.Events, r.Usage = answer.Events, graph.Usage{Rounds: 1}
	r.Patch = append(r.Patch, ChannelError.Set(failed(answer.Failures)))
	hold(t, &r, answer.Held)
	notes := learned(answer.Messages)
	r.Patch = append(r.Patch, ChannelUnclear.Set(call.Unclear(ChannelUnclear.Get(t.State), answer.Messages)), ChannelRecent.Set(notes.On(memory.Working{Recent: ChannelRecent.Get(t.State)}).Recent))
	notes.Write(&r, t.Run.Session)
	return r, nil
}

// failed is what the first call of a round that did not succeed says; "" when all did.
func failed(failures []error) string {
	for _, err := range failures {
		if err != nil {
			return model.Shorten(err.Error(), 600)
		}
	}
	return ""
}

// freeze takes a round that waits out of the conversation and keeps it whole, in the
// transaction of its approval records. A question of a rule is asked where it came up.
func freeze(t *graph.Task, messages []model.Message, paused *graph.Result) graph.Result {
	round, before := messages[len(messages)-1], messages[:len(messages)-1]
	m := &Mutation{Status: "pending", Round: round, Phase: ChannelPhase.Get(t.State), Approvals: map[string]string{}}
	for _, p := range paused.Pauses {
		var about struct{ Call, Tool string }
		if p.Kind != turn.ApprovalPause || json.Unmarshal(p.Data, &about) != nil {
			return *paused
		}
		m.Approvals[about.Call] = p.ID
	}
	for _, c := range round.Calls {
		if id := m.Approvals[c.ID]; id != "" {
			m.Call, m.Tool, m.Args, m.Approval = c.ID, c.Tool, c.Arguments, id
			break
		}
	}
	r := leave(ToolNode, ResumeGuard, "a call waits for a person; nothing was dispatched", ChannelMutation.Set(m), ChannelMessages.Set(slices.Clone(before)), ChannelCalls.Set(nil),
		ChannelStatus.Set(awaiting), ChannelApproval.Set(m.Approval))
	r.Do, r.Events = paused.Do, paused.Events
	return r
}

// guard reconciles a frozen round with the verdicts, which it reads in the approval
// records and keeps nowhere. What it cannot read it does not go by: the turn stays paused.
func (f flow) guard(_ context.Context, t *graph.Task) (graph.Result, error) {
	m := ChannelMutation.Get(t.State)
	if m == nil {
		return leave(ResumeGuard, InitialCall, "no call waits"), nil
	}
	var keep []model.Call
	var notes []model.Message
	var pauses []graph.Pause
	var events []journal.Event
	declined := ChannelDeclined.Get(t.State)
	wait := func(c model.Call) {
		pauses = append(pauses, graph.Pause{ID: m.Approvals[c.ID], Kind: turn.ApprovalPause, Data: model.JSON(map[string]string{"call": c.ID, "tool": c.Tool})})
	}
	for _, c := range m.Round.Calls {
		if m.Approvals[c.ID] == "" {
			keep = append(keep, c) // it waits for its siblings only
			continue
		}
		ap, v := verdictOn(t, c)
		switch {
		case v == waits:
			wait(c)
		case v == rejected:
			declined = declined || c.Tool == f.kind.assembly
			notes = append(notes, model.Message{Role: "system", Text: fmt.Sprintf("A person rejected the call %s (%s). Nothing of it happened. Reason: %s. Acknowledge the reason; do not call it again with the same arguments.", c.Tool, model.Shorten(ap.Title, 200), model.Shorten(ap.Comment, 600))})
			events = append(events, journal.Event{Kind: journal.ToolRefused, Tool: c.Tool, Call: c.ID, Approval: ap.ID, Status: string(journal.ToolRejected), Reason: model.Shorten(ap.Comment, 600)})
		default: // approved, or run out: tool_node reads it again
			keep = append(keep, c)
		}
	}
	if len(pauses) > 0 {
		return graph.Result{Pauses: pauses}, nil
	}
	messages := with(ChannelMessages.Get(t.State), notes...)
	if len(keep) == 0 {
		r := leave(ResumeGuard, InitialCall, "the call was rejected", ChannelMutation.Set(nil), ChannelMessages.Set(messages), ChannelStatus.Set(running), ChannelApproval.Set(""), ChannelNews.Set(true), ChannelDeclined.Set(declined))
		r.Events = events
		return r, nil
	}
	round := m.Round
	round.Calls = keep
	r := leave(ResumeGuard, ToolNode, "the frozen calls go on", ChannelMessages.Set(with(messages, round)), ChannelCalls.Set(keep), ChannelPhase.Set(m.Phase), ChannelStatus.Set(running), ChannelDeclined.Set(declined))
	r.Events = events
	return r, nil
}

// What an approval record says of a call.
type verdict int

const (
	waits verdict = iota // nobody decided, or what was decided cannot be read
	goesOn
	rejected
)

// verdictOn reads the approval record of a call.
func verdictOn(t *graph.Task, c model.Call) (ap ledger.Approval, v verdict) {
	err := entryRows.View(t, func(tx ledger.Tx) error {
		e, err := tx.Entry(c.ID)
		if err == nil {
			ap, err = tx.Approval(e.Approval)
		}
		if err != nil {
			return err
		}
		digest, err := ledger.Digest(ap)
		switch {
		case err != nil:
			return err
		case digest != ap.Digest || e.Digest != ap.Digest:
			v = goesOn // it was meddled with: tool_node voids it and asks anew
		case ap.At(t.Now()) == ledger.Rejected:
			v = rejected
		case ap.At(t.Now()) != ledger.Pending:
			v = goesOn
		}
		return nil
	})
	if err != nil {
		return ledger.Approval{}, waits
	}
	return ap, v
}

// hold marks the turn as one that must be signed before it is answered. The same call made
// twice is signed once: what is signed is worked out anew from its arguments.
func hold(t *graph.Task, r *graph.Result, held []call.Held) {
	if len(held) == 0 {
		return
	}
	holds := slices.Clone(ChannelHolds.Get(t.State))
	for _, h := range held {
		if slices.ContainsFunc(holds, func(have Hold) bool { return have.Call.Tool == h.Call.Tool && bytes.Equal(have.Result, h.Result) }) {
			continue
		}
		holds = append(holds, Hold{h.Call, h.Result, h.Rule})
		r.Events = append(r.Events, span("hitl.rule_fire", map[string]any{"skill": strings.TrimPrefix(h.Rule.Source, "skill:"), "rule": h.Rule.Rule, "checkpoint_type": h.Rule.Checkpoint, "tool": h.Call.Tool}))
	}
	first := holds[0].Rule
	r.Patch = append(r.Patch, ChannelRequired.Set(true), ChannelCheckpoint.Set(first.Checkpoint), ChannelHolds.Set(holds))
	if w := first.Reviewer; w != nil && w.Name != "" {
		r.Patch = append(r.Patch, ChannelReviewer.Set(w.Name), ChannelStrategy.Set("named_individual"))
	} else if w != nil {
		r.Patch = append(r.Patch, ChannelReviewer.Set(w.Role), ChannelStrategy.Set("role_based"))
	}
}

// learned are the records that results speak of.
func learned(answers []model.Message) (n memory.Notes) {
	for _, m := range answers {
		var said struct {
			Entity string
			Well   string
			Name   string
			Result struct {
				Ref    string
				Entity string
			}
		}
		if json.Unmarshal([]byte(m.Text), &said) != nil {
			continue
		}
		for _, text := range []string{said.Result.Ref, said.Entity, said.Result.Entity, said.Well} {
			ref, ok := record.ParseRef(text)
			if !ok {
				continue
			}
			n.Recent = append(n.Recent, text)
			e := memory.Entity{Kind: ref.Type, ID: ref.ID}
			if text == said.Well {
				e.Text = said.Name
			}
			n.Entities = append(n.Entities, e)
		}
	}
	return n
}
