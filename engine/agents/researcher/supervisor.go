package researcher

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"holdpoint/engine/board"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
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
// A judge that gave no usable answer three times in a row is a limit, too. A study that goes on with
// an earlier board is searched for its new question before the third rule, and what is found is judged.
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
	case s.Unasked():
		return Search, "a new question was put to the board", false
	case len(s.Hypotheses) > 0 && len(s.Unsettled()) == 0 && (s.Continued == nil || s.Continued.Proposed && unjudged == 0):
		return Synthesize, "every hypothesis is confirmed or refuted", false
	case s.Fresh() && len(s.Evidence) > 0:
		return Judge, "nothing was proposed for the new question yet", false
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
	r := graph.Result{Patch: append(patch, board.ChannelNext.Set(string(next)), board.ChannelCount.Set(s.Iterations+1)), Output: out, Reason: why}
	if s.Continued != nil && s.Iterations == 0 {
		r.Events = new(board.State).Told(s, journal.ChangedByRule, "continued", "taken over from the study before")
		r.Do, err = takeOver(t, s)
	}
	return r, err
}

// takeOver gives a study that goes on its own copy of the evidence and of what people decided:
// what becomes of the earlier one later changes nothing here.
func takeOver(t *graph.Task, s *board.State) (graph.Change, error) {
	var bodies []board.Evidence
	var decisions []board.Decision
	if err := boardRows.View(t, func(tx board.Tx) (err error) {
		for _, p := range s.Evidence {
			e, err := board.Find(tx, s.Continued.Study, p)
			if err == nil {
				bodies = append(bodies, e)
			} else if !errors.Is(err, board.ErrNotFound) {
				return err
			}
		}
		decisions, err = board.DecisionsOf(tx, s.Continued.Study)
		return err
	}); err != nil {
		return nil, err
	}
	if len(bodies)+len(decisions) == 0 {
		return nil, nil
	}
	return boardRows.Change(func(tx board.Tx, _ graph.Tell) error {
		for _, e := range bodies {
			if err := tx.PutEvidence(string(t.Run.ID), e); err != nil {
				return err
			}
		}
		for _, d := range decisions {
			if err := tx.AddDecision(string(t.Run.ID), &d); err != nil {
				return err
			}
		}
		return nil
	}), nil
}
