package navigator

import (
	"context"

	"holdpoint/engine/graph"
)

// PolicyVersion names the rules by which calls are gated; part of every digest.
const PolicyVersion = "navigator-gate/1"

// act answers the calls of the last assistant message.
func (a *navigator) act(ctx context.Context, t *graph.Task) (graph.Result, error) {
	answer, paused, err := a.loop(t).Answer(ctx, t)
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
