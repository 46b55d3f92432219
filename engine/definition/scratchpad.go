package definition

import (
	"context"

	"holdpoint/engine/graph"
	"holdpoint/engine/memory"
)

// scratchpad is the key of the context that outlives the run: what is written there is in
// the working memory of the session, for its later turns.
const scratchpad = "scratchpad"

// noting puts a node's output on the session's scratchpad, in the transaction of its result.
func noting(run graph.Func) graph.Func {
	return func(ctx context.Context, t *graph.Task) (graph.Result, error) {
		r, err := run(ctx, t)
		if err == nil && r.Output != nil && r.Reenter == "" && len(r.Pauses) == 0 {
			text := plainText(r.Output)
			memory.Notes{Scratchpad: &text}.Write(&r, t.Run.Session)
		}
		return r, err
	}
}
