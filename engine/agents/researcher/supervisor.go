package researcher

import (
	"context"
	"encoding/json"
	"fmt"

	"holdpoint/engine/board"
	"holdpoint/engine/graph"
)

// breaker is how many answers in a row may be of no use before a study ends with what it has.
const breaker = 3

// Route chooses the next step by the board alone, and says why. The rules are asked in this
// order:
//
//  1. a limit was reached: synthesize, forced;
//  2. a conflict is open: resolve;
//  3. there are hypotheses, and all are confirmed or refuted: synthesize;
//  4. evidence is unjudged: judge;
//  5. else: search.
//
// A judge that gave no usable answer three times in a row is a limit, too.
func Route(s *board.State) (next graph.StageID, why string, forced bool) {
	open, unjudged := len(s.OpenConflicts()), len(s.Unjudged())
	switch {
	case s.Synthesis != nil:
		return Finish, "the report is written", false
	case s.Iterations >= s.Max:
		return Synthesize, fmt.Sprintf("the limit of %d steps was reached before all was settled.", s.Max), true
	case s.Failures >= breaker:
		return Synthesize, fmt.Sprintf("the model gave no usable answer %d times in a row.", s.Failures), true
	case open > 0:
		return Resolve, count(open, "conflict is open", "conflicts are open"), false
	case len(s.Hypotheses) > 0 && len(s.Unsettled()) == 0:
		return Synthesize, "every hypothesis is confirmed or refuted", false
	case unjudged > 0:
		return Judge, count(unjudged, "piece of evidence is unjudged", "pieces of evidence are unjudged"), false
	case len(s.Hypotheses) == 0:
		return Search, "there is no evidence yet", false
	}
	return Search, count(len(s.Unsettled()), "hypothesis lacks evidence", "hypotheses lack evidence"), false
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// supervise takes over what people decided meanwhile, and chooses the next step.
func supervise(_ context.Context, t *graph.Task) (graph.Result, error) {
	read, s, _, err := now(t)
	if err != nil {
		return graph.Result{}, err
	}
	patch, err := read.Writes(s)
	if err != nil {
		return graph.Result{}, err
	}
	next, why, forced := Route(s)
	if forced {
		patch = append(patch, board.ChannelForced.Set(why))
	}
	out, err := json.Marshal(next)
	if err != nil {
		return graph.Result{}, err
	}
	return graph.Result{Patch: append(patch, board.ChannelNext.Set(string(next)), board.ChannelCount.Set(s.Iterations+1)), Output: out, Reason: why}, nil
}
