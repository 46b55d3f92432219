package navigator

import (
	"context"
	"errors"

	"holdpoint/engine/call"
	"holdpoint/engine/graph"
)

// PolicyVersion names the rules by which calls are gated; part of every digest.
const PolicyVersion = "navigator-gate/1"

// act answers the calls of the last assistant message.
func (a *Agent) act(ctx context.Context, t *graph.Task) (graph.Result, error) {
	messages := ChannelMessages.Get(t.State)
	if len(messages) == 0 {
		return graph.Result{}, errors.New("navigator: no call to act on")
	}
	last := messages[len(messages)-1]
	r := call.Round{Task: t, Tools: a.Tools, Calls: last.Calls, Policy: PolicyVersion, Reason: last.Text, Patient: ChannelPatient.Get(t.State)}
	if l, err := live(t); err == nil {
		r.TTL = l.ApprovalTTL
	}
	answer, paused, err := r.Run(ctx)
	if err != nil {
		return graph.Result{}, err
	}
	if paused != nil {
		return *paused, nil
	}
	res := done(Navigate+"/"+Act, graph.Patch{ChannelMessages.Add(answer.Messages...), ChannelHasCalls.Set(false)})
	res.Events = answer.Events
	return res, nil
}
