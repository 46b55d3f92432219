package definition

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/sourcegraph/conc/pool"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/prompt"
	"holdpoint/engine/turn"
)

const (
	maxItems      = 100
	defaultAtOnce = 4
)

// items keeps what is finished of a fan-out for the length of a visit, so that a
// retry works only on what failed.
type items struct {
	mu   sync.Mutex
	done map[int]json.RawMessage
	// tried counts attempts, so that no two have calls of the same ids.
	tried int
}

// errBudget says that the run's tokens are used up before the list is.
var errBudget = errors.New("definition: the run's tokens are used up")

func (s *items) get(i int) (json.RawMessage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.done[i]
	return v, ok
}

func (s *items) next() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tried++
	return s.tried
}

func (s *items) put(i int, v json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done[i] = v
}

// fanOutStage works on each item of a list. The list is known only when the run is
// there, so the items are no stages of their own: they run side by side inside one.
func (l level) fanOutStage(n *Node) (graph.Stage, error) {
	vars := l.c.def.Vars
	if n.Tool != "" {
		reads, given := n.reads(vars), arguments(n.Arguments, vars)
		return graph.Stage{SideEffects: !n.has("readonly"), Run: func(ctx context.Context, t *graph.Task) (graph.Result, error) {
				return n.callEach(ctx, t, reads, given)
			}},
			checkAll(n.Arguments, vars)
	}
	w, err := newInstructions(n.Instructions, vars)
	return graph.Stage{Run: func(ctx context.Context, t *graph.Task) (graph.Result, error) { return n.askEach(ctx, t, w) }}, err
}

// withItem is what a stage sees, with the item in hand.
func withItem(context map[string]json.RawMessage, item any) map[string]json.RawMessage {
	out := maps.Clone(context)
	out[itemKey] = model.JSON(item)
	return out
}

func (n *Node) list(t *graph.Task) ([]any, error) {
	v, ok := lookup(t.Context(), n.Over)
	if !ok {
		return nil, fmt.Errorf("definition: there is no list at %s", n.Over)
	}
	list, isList := v.([]any)
	switch {
	case !isList:
		return nil, fmt.Errorf("definition: %s is not a list", n.Over)
	case len(list) > maxItems:
		return nil, fmt.Errorf("definition: %s has %d items; at most %d are worked on", n.Over, len(list), maxItems)
	}
	return list, nil
}

func (n *Node) askEach(ctx context.Context, t *graph.Task, instructions *wordings) (graph.Result, error) {
	list, err := n.list(t)
	if err != nil {
		return graph.Result{}, err
	}
	key := n.Name + "_items"
	kept, err := t.Memo("items", func() (any, error) {
		s := &items{done: map[int]json.RawMessage{}}
		if raw, ok := t.Context()[key]; ok && t.Round > 0 && json.Unmarshal(raw, &s.done) != nil {
			return nil, fmt.Errorf("definition: %s in the context are no items", key)
		}
		return s, nil
	})
	if err != nil {
		return graph.Result{}, err
	}
	s := kept.(*items)
	d, err := turn.DependenciesOf(t)
	if err != nil {
		return graph.Result{}, err
	}
	tools, err := n.lookers(d)
	if err != nil {
		return graph.Result{}, err
	}
	p := pool.New().WithErrors().WithMaxGoroutines(or(n.AtOnce, defaultAtOnce))
	context := sight(t, instructions.keys, 0)
	for i, item := range list {
		if _, ok := s.get(i); ok {
			continue
		}
		p.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if t.TokensLeft() == 0 {
				return errBudget
			}
			said := n.Instructions
			if len(instructions.keys) > 0 {
				var err error
				if said, err = instructions.fill(withItem(context, item)); err != nil {
					return fmt.Errorf("item %d: %w", i+1, err)
				}
			}
			out, err := n.work(ctx, t, tools, s, i, len(list), item, said)
			if err != nil {
				return fmt.Errorf("item %d: %w", i+1, err)
			}
			s.put(i, out)
			t.Emit(told(i, len(list), out))
			return nil
		})
	}
	switch err := p.Wait(); {
	case errors.Is(err, errBudget):
		// The executor ends the run as limited; with more tokens the rest is worked on.
		return graph.Result{Reenter: graph.LimitTokens, Patch: graph.Patch{prompt.Context.Put(key, model.JSON(s.done))}}, nil
	case err != nil:
		return graph.Result{}, fmt.Errorf("definition: %d of %d items are done: %w", len(s.done), len(list), err)
	}
	out := make([]json.RawMessage, len(list))
	for i := range out {
		out[i] = s.done[i]
	}
	r := graph.Result{Output: model.JSON(out)}
	if _, ok := t.Context()[key]; ok {
		r.Patch = graph.Patch{prompt.Context.Put(key, nil)}
	}
	return r, nil
}

func (n *Node) callEach(ctx context.Context, t *graph.Task, reads []string, given func(map[string]json.RawMessage) (json.RawMessage, error)) (graph.Result, error) {
	list, err := n.list(t)
	if err != nil || len(list) == 0 {
		return graph.Result{Output: json.RawMessage(`[]`)}, err
	}
	kept, err := t.Memo("items", func() (any, error) { return &items{done: map[int]json.RawMessage{}}, nil })
	if err != nil {
		return graph.Result{}, err
	}
	s := kept.(*items)
	var calling []model.Call
	var which []int
	for i, item := range list {
		if _, ok := s.get(i); ok {
			continue
		}
		args, err := given(withItem(sight(t, reads, 0), item))
		if err != nil {
			return graph.Result{}, err
		}
		calling, which = append(calling, model.Call{ID: callID(t, i+1), Tool: n.Tool, Arguments: args}), append(which, i)
	}
	var events []journal.Event
	var failed error
	most, asks := n.atOnce(t, len(list))
	for batch := range slices.Chunk(which, most) {
		if failed != nil && asks {
			break // the node has failed: nobody is asked for more that would change something
		}
		from := slices.Index(which, batch[0])
		answer, paused, err := calls(ctx, t, n, calling[from:from+len(batch)])
		if err != nil || paused != nil {
			return orPause(paused), err
		}
		events = append(events, answer.Events...)
		for k, i := range batch {
			if err := answer.Failures[k]; err == nil {
				s.put(i, result(answer.Messages[k].Text))
			} else if failed == nil {
				failed = fmt.Errorf("item %d: %w", i+1, notDone(n.Tool, err))
			}
		}
	}
	if failed != nil {
		t.Emit(events...)
		return graph.Result{}, fmt.Errorf("definition: %d of %d items are done: %w", len(s.done), len(list), failed)
	}
	out := make([]json.RawMessage, len(list))
	for i := range out {
		out[i] = s.done[i]
	}
	return graph.Result{Output: model.JSON(out), Events: events}, nil
}

// atOnce is how many calls run side by side, and of how many that need a verdict a person
// is asked at a time. Where the author names no number, all of those are asked for
// together. They are made one after the other.
func (n *Node) atOnce(t *graph.Task, all int) (most int, asks bool) {
	d, err := turn.DependenciesOf(t)
	if err == nil && d.Tools != nil {
		if tl, err := d.Tools.Get(n.Tool); err == nil && !tl.Mutates() {
			return or(n.AtOnce, defaultAtOnce), false
		}
	}
	return or(n.AtOnce, all), true
}
