package definition

import (
	"context"
	"encoding/json"
	"fmt"

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
	spec, err := l.spec(n.Nodes, n.Edges, n.Entry)
	if err != nil {
		return graph.Stage{}, err
	}
	var until *rule
	if n.Until != nil {
		r, err := n.Until.compile()
		if err != nil {
			return graph.Stage{}, err
		}
		until = &r
	}
	entry := graph.StageID(or(n.Entry, n.Nodes[0].Name))
	times, key := or(n.Times, defaultTimes), n.Name+"_rounds"
	spec.Stages = append(spec.Stages, graph.Stage{ID: graph.StageID(check), Title: "Again?", Kind: n.Kind + "_check", Quick: true, MayEnd: true, Flags: critical(l.says),
		Description: fmt.Sprintf("Goes back at most %d times", times-1),
		Run: func(_ context.Context, t *graph.Task) (graph.Result, error) {
			r := n.again(t, until, entry, times, key)
			if _, ok := t.Context()[n.Name+"_output"]; !ok && r.Goto == "" {
				return r, fmt.Errorf("definition: every round of %s failed", n.Name)
			}
			return r, nil
		}})
	spec.Edges = append(spec.Edges, graph.Edge{From: graph.StageID(check), To: entry, Type: graph.Choice},
		graph.Edge{From: graph.StageID(check), To: graph.End, Type: graph.Exit})
	return graph.Stage{Graph: spec}, nil
}

func (n *Node) again(t *graph.Task, until *rule, entry graph.StageID, times int, key string) graph.Result {
	round := 1
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
		done, err := until.holds(t.Context())
		if done {
			return graph.Result{Patch: over, Reason: until.text}
		}
		odd = undecided(until.text, err)
	}
	switch {
	case round >= times && until != nil:
		return graph.Result{Patch: over, Reason: fmt.Sprintf("%d rounds, and still not: %s", times, until.text),
			Events: append(odd, warning("%s used its %d rounds and goes on although it does not hold that %s", n.Name, times, until.text))}
	case round >= times:
		return graph.Result{Patch: over, Reason: fmt.Sprintf("%d rounds are done", times)}
	}
	r := graph.Result{Patch: graph.Patch{prompt.Context.Put(key, model.JSON(round))}, Goto: entry, Events: odd, Reason: fmt.Sprintf("round %d of %d", round+1, times)}
	if n.Kind == KindRetry {
		r.Patch = append(r.Patch, prompt.Observations.Add(fmt.Sprintf("Attempt %d was not good enough; wanted: %s", round, until.text)))
	}
	return r
}

// critical makes a stage's failure that of the run where the run would end with it.
func critical(last bool) graph.Flag {
	if last {
		return graph.Critical
	}
	return 0
}
