package definition

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/prompt"
)

const defaultTimes = 3

// loopStage compiles loop and retry: the nodes inside, then a stage that goes back
// to the first of them until a rule holds or the rounds are used up.
func (l level) loopStage(n *Node) (graph.Stage, error) {
	check := n.Name + "_check"
	l.back = check
	accept := l.accept
	l.accept = nil // a round that does not do yet is no mistake
	spec, err := l.spec(n.Nodes, n.Edges, n.Entry)
	if err != nil {
		return graph.Stage{}, err
	}
	var until *rule
	if n.Until != nil {
		r, err := n.Until.compile(l.c.def.Vars)
		if err != nil {
			return graph.Stage{}, err
		}
		until = &r
	}
	entry := graph.StageID(or(n.Entry, n.Nodes[0].Name))
	key := n.Name + "_rounds"
	number, err := n.Times.at(defaultTimes, maxTimes, l.c.def.Vars)
	if err != nil {
		return graph.Stage{}, err
	}
	times := func(t *graph.Task) (int, error) {
		most, err := number(t)
		if err != nil {
			err = fmt.Errorf("definition: times of %s: %w", n.Name, err)
		}
		return most, err
	}
	description := "Goes back for another round"
	if most, fixed := n.Times.fixed(); fixed {
		description = fmt.Sprintf("Goes back at most %d times", or(most, defaultTimes)-1)
	}
	var reads []string
	if n.Until != nil {
		reads = n.Until.reads(l.c.def.Vars)
	}
	spec.Stages = append(spec.Stages, graph.Stage{ID: graph.StageID(check), Title: "Again?", Kind: n.Kind + "_check", Quick: true, MayEnd: true, Hears: true, Flags: l.fatal(),
		Description: description,
		Run: func(_ context.Context, t *graph.Task) (graph.Result, error) {
			why := fmt.Sprintf("every round of %s failed", n.Name)
			said, err := t.Memo("why", func() (any, error) { return t.BeforeError, nil })
			if err != nil {
				return graph.Result{}, err
			}
			if t.Round > 0 {
				if err := fits(t.Context()[n.Name+"_output"], accept); err != nil && said == "" {
					return graph.Result{}, err
				}
				return graph.Result{}, because(t, fmt.Errorf("definition: %s: %s", why, unprefixed(fmt.Sprint(said))))
			}
			most, err := times(t)
			if err != nil {
				return graph.Result{}, err
			}
			r, rounds := n.again(t, until, reads, entry, most, key)
			failed, lost := n.Name+"_failed", 0
			if raw, ok := t.Context()[failed]; ok && json.Unmarshal(raw, &lost) != nil {
				return graph.Result{}, fmt.Errorf("definition: %s in the context is not a number", failed)
			}
			if t.Before != "" {
				lost++
			}
			output := t.Context()[n.Name+"_output"]
			switch {
			case lost > 0 && r.Goto != "":
				r.Patch = append(r.Patch, prompt.Context.Put(failed, model.JSON(lost)))
			case r.Goto != "":
			case lost == rounds:
				// The counts are put back first: the node may be entered anew.
				return graph.Result{Reenter: why, Patch: graph.Patch{prompt.Context.Put(key, nil), prompt.Context.Put(failed, nil)}}, nil
			default:
				if fits(output, accept) != nil {
					return graph.Result{Reenter: "its output does not follow its schema", Patch: graph.Patch{prompt.Context.Put(key, nil), prompt.Context.Put(failed, nil)}}, nil
				}
				if lost > 0 {
					r.Patch = append(r.Patch, prompt.Context.Put(failed, nil))
				}
			}
			return r, nil
		}})
	if !n.Times.fits(maxTimes, l.c.def.Vars) {
		// Nothing is done for a number of rounds that is none.
		first := graph.StageID(n.Name + "_times")
		spec.Stages = append(spec.Stages, graph.Stage{ID: first, Title: "How often?", Kind: n.Kind + "_times", Quick: true, Description: "Works out how many rounds there may be",
			Run: func(_ context.Context, t *graph.Task) (graph.Result, error) {
				most, err := times(t)
				if err != nil {
					return graph.Result{}, err
				}
				return graph.Result{Goto: entry, Reason: fmt.Sprintf("at most %d rounds", most)}, nil
			}})
		i := slices.IndexFunc(spec.Edges, func(e graph.Edge) bool { return e.Type == graph.Entry })
		spec.Edges[i].To = first
		spec.Edges = append(spec.Edges, graph.Edge{From: first, To: entry, Type: graph.Choice}, graph.Edge{From: first, To: graph.StageID(check), Type: graph.OnError})
	}
	spec.Edges = append(spec.Edges, graph.Edge{From: graph.StageID(check), To: entry, Type: graph.Choice},
		graph.Edge{From: graph.StageID(check), To: graph.End, Type: graph.Exit})
	return graph.Stage{Graph: spec, Begins: map[string]json.RawMessage{key: json.RawMessage("0"), n.Name + "_failed": nil}}, nil
}

// because is the failure of a node whose inner nodes failed.
func because(t *graph.Task, err error) error {
	if f, ok := graph.FailureIn(t.Context()); ok {
		return graph.Because(f, err)
	}
	return err
}

func (n *Node) again(t *graph.Task, until *rule, reads []string, entry graph.StageID, times int, key string) (r graph.Result, round int) {
	round = 1
	if raw, ok := t.Context()[key]; ok {
		var before int
		if json.Unmarshal(raw, &before) == nil {
			round = before + 1
		}
	}
	// The count is gone once the rounds are over: the node may be entered anew.
	over := graph.Patch{prompt.Context.Put(key, nil)}
	var odd []journal.Event
	if until != nil {
		done, err := until.holds(sight(t, reads, round))
		if done {
			return graph.Result{Patch: over, Reason: until.text}, round
		}
		odd = undecided(until.text, err)
	}
	switch {
	case round >= times && until != nil:
		return graph.Result{Patch: over, Reason: fmt.Sprintf("%d rounds, and still not: %s", times, until.text),
			Events: append(odd, warning("%s used its %d rounds and goes on although it does not hold that %s", n.Name, times, until.text))}, round
	case round >= times:
		return graph.Result{Patch: over, Reason: fmt.Sprintf("%d rounds are done", times)}, round
	}
	r = graph.Result{Patch: graph.Patch{prompt.Context.Put(key, model.JSON(round))}, Goto: entry, Events: odd, Reason: fmt.Sprintf("round %d of %d", round+1, times)}
	if n.Kind == KindRetry {
		r.Patch = append(r.Patch, prompt.Observations.Add(fmt.Sprintf("Attempt %d was not good enough; wanted: %s", round, until.text)))
	}
	return r, round
}
