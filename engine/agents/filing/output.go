package filing

import (
	"context"
	"fmt"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/turn"
)

// output closes the turn. What nobody was given yet is the reply.
func (f flow) output(ctx context.Context, t *graph.Task) (graph.Result, error) {
	text := ChannelDraft.Get(t.State)
	r := leave(OutputFormat, "", "", ChannelStatus.Set(completed), ChannelIteration.Set(ChannelIteration.Get(t.State)+1))
	if ChannelRequired.Get(t.State) {
		return graph.Result{}, fmt.Errorf("filing: a turn that waits to be signed came to its end")
	}
	if !ChannelSpoken.Get(t.State) {
		var err error
		if text, err = turn.Release(ctx, t, text); err != nil {
			return graph.Result{}, err
		}
		r.Events = []journal.Event{journal.Event{Message: t.Run.Turn + "/" + string(OutputFormat), Text: text}.With(journal.MessageData{Role: "assistant", Template: "filing_outcome"})}
	}
	r.Patch = append(r.Patch, ChannelReply.Set(text), ChannelSpoken.Set(true))
	return r, nil
}
