package run

import (
	"fmt"
	"slices"
	"strings"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
)

// mutate makes the changes that the finished stages asked for, each stage's
// changes together or not at all, and returns the finished stages as the changed
// graph counts them.
func (d *driver) mutate(w *walk, finished []int) []int {
	for i := range finished {
		n := finished[i]
		asked := d.done[n].Mutations
		if len(asked) == 0 {
			continue
		}
		w.at = n
		next, made, err := d.grown(n, asked)
		id := d.g.Stages[n].ID
		for k := range made {
			e := d.event(journal.GraphMutated, id)
			e.Reason = journal.Cut(made[k].Reason, journal.MemberRoom)
			if err != nil {
				e.Error = journal.Cut(err.Error(), journal.TextRoom)
				m := toldMutation(made[k])
				e = e.With(journal.MutationRefusedData{Mutation: &m})
			} else {
				e = e.With(journal.GraphMutatedData{Mutation: toldMutation(made[k]), Fingerprint: next.Fingerprint()})
			}
			d.say(e)
		}
		if err != nil {
			continue
		}
		d.row.Mutations = append(slices.Clone(d.row.Mutations), made...)
		d.row.Used.Mutations += len(made)
		d.row.Fingerprint = next.Fingerprint()
		finished = d.become(next, finished)
	}
	return finished
}

// grown works out what the graph would be with the changes that stage n asks for.
func (d *driver) grown(n int, asked []graph.Mutation) (next *graph.Graph, made []graph.Mutation, err error) {
	made, err = named(d.g, n, asked)
	limit := d.row.Limits.Mutations
	if limit == 0 {
		limit = graph.DefaultMutations
	}
	if err == nil && limit > 0 && d.row.Used.Mutations+len(made) > limit {
		err = fmt.Errorf("%w: a run may change its graph %d times", graph.ErrMutation, limit)
	}
	if err == nil {
		next, err = d.base.Grown(append(slices.Clone(d.row.Mutations), made...))
	}
	return next, made, err
}

// named says of changes that stage n asks for who asks, where, and what an added stage is called.
func named(g *graph.Graph, n int, asked []graph.Mutation) (out []graph.Mutation, err error) {
	out = slices.Clone(asked)
	for k := range out {
		m := &out[k]
		m.By, m.Parent = g.Stages[n].ID, graph.StageID(strings.TrimSuffix(string(g.Prefix(n)), "/"))
		if grow := g.Spec().Grow; m.Op == graph.AddStage && grow != nil && len(m.Stage) <= graph.MaxDefinition && err == nil {
			var st graph.Stage
			if st, err = grow(m.Stage); err == nil {
				m.ID = st.ID
			}
		}
	}
	return out, err
}

// become goes on with another graph: what is known by stage moves to where the
// other graph has the stage.
func (d *driver) become(next *graph.Graph, finished []int) []int {
	old := d.g
	at := func(n int) int { return next.Index[old.Stages[n].ID] }
	counts, done := make([]count, len(next.Stages)), make([]*visited, len(next.Stages))
	for n := range old.Stages {
		counts[at(n)], done[at(n)] = d.counts[n], d.done[n]
	}
	d.counts, d.done = counts, done
	if len(d.joinInputs) > 0 {
		was := d.joinInputs
		d.joinInputs = nil
		d.g = next
		for to, a := range was {
			for i, in := range old.Stages[to].Inputs {
				if a.got[i] {
					d.arrive(at(to), slices.Index(next.Stages[at(to)].Inputs, at(in)))
				}
			}
		}
	}
	if len(d.predecessors) > 0 {
		moved := map[int][]int{}
		for to, from := range d.predecessors {
			for _, n := range from {
				moved[at(to)] = append(moved[at(to)], at(n))
			}
		}
		d.predecessors = moved
	}
	out := make([]int, len(finished))
	for i, n := range finished {
		out[i] = at(n)
	}
	d.g, d.view = next, nil
	if d.open != nil && len(d.open.notes.list) > 0 {
		// Notes name stages by their place in the graph of their commit.
		d.open.notes.move(next)
	}
	d.state = d.state.On(next)
	return out
}
