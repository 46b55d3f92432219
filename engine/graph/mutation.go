package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrMutation says that a graph cannot be changed as asked.
var ErrMutation = errors.New("graph: change of the graph refused")

// Mutation is a change of the graph that a stage asks for while the run is under
// way. It is checked like a spec, put before the hooks, counted, journalled and
// applied again on resume; the run's fingerprint covers it.
type Mutation struct {
	// Op is add_stage, add_edge or remove_edge.
	Op string `json:"op"`
	// ID is that of the stage that was added; set by the executor.
	ID StageID `json:"id,omitempty"`
	// Stage is the definition that Spec.Grow builds a stage from; for add_stage.
	Stage json.RawMessage `json:"stage,omitempty"`
	// Edge is what is added or removed, with ids of the level that the stage belongs to.
	Edge *Edge `json:"edge,omitempty"`
	// Within is the stage whose nested graph changes; "" for the outermost.
	Within StageID `json:"within,omitempty"`
	Reason string  `json:"reason,omitempty"`
	// By is the stage that asked; set by the executor.
	By StageID `json:"by,omitempty"`
}

// Operations of a Mutation.
const (
	AddStage   = "add_stage"
	AddEdge    = "add_edge"
	RemoveEdge = "remove_edge"
)

// maxDefinition is how large the definition of an added stage may be, in bytes.
const maxDefinition = 16 << 10

// mutate changes a spec that nobody else holds.
func (s *Spec) mutate(m Mutation) error {
	level := s
	if m.Within != "" {
		for id := range strings.SplitSeq(string(m.Within), "/") {
			i := slices.IndexFunc(level.Stages, func(st Stage) bool { return string(st.ID) == id })
			if i < 0 || level.Stages[i].Graph == nil {
				return fmt.Errorf("%w: %q has no graph of its own", ErrMutation, m.Within)
			}
			level = level.Stages[i].Graph
		}
	}
	switch {
	case m.Op == AddStage && s.Grow == nil:
		return fmt.Errorf("%w: this graph cannot grow", ErrMutation)
	case m.Op == AddStage && len(m.Stage) > maxDefinition:
		return fmt.Errorf("%w: the definition has %d bytes, at most %d fit", ErrMutation, len(m.Stage), maxDefinition)
	case m.Op == AddStage:
		st, err := s.Grow(m.Stage)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrMutation, err)
		}
		level.Stages = append(level.Stages, st)
	case m.Edge == nil:
		return fmt.Errorf("%w: %s needs an edge", ErrMutation, m.Op)
	case m.Op == AddEdge && level.safe(*m.Edge):
		return fmt.Errorf("%w: safety edges are the agent's own", ErrMutation)
	case m.Op == AddEdge:
		level.Edges = append(level.Edges, *m.Edge)
	case m.Op == RemoveEdge:
		i := slices.IndexFunc(level.Edges, func(e Edge) bool {
			return e.From == m.Edge.From && e.To == m.Edge.To && (m.Edge.Type == "" || e.Type == m.Edge.Type) && e.Condition == m.Edge.Condition && e.Match == m.Edge.Match
		})
		if i < 0 {
			return fmt.Errorf("%w: there is no edge %s → %s", ErrMutation, m.Edge.From, m.Edge.To)
		}
		if level.safe(level.Edges[i]) {
			return fmt.Errorf("%w: safety edges are the agent's own", ErrMutation)
		}
		level.Edges = slices.Delete(level.Edges, i, i+1)
	default:
		return fmt.Errorf("%w: %q is neither add_stage, add_edge nor remove_edge", ErrMutation, m.Op)
	}
	return nil
}

func (s *Spec) safe(e Edge) bool {
	return e.Condition != "" && slices.ContainsFunc(s.Conditions, func(c Condition) bool { return c.Name == e.Condition && c.Safety })
}

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
		id := d.g.nodes[n].id
		for k := range made {
			e := d.event(GraphMutated, id)
			e.Reason = cut(made[k].Reason, memberRoom)
			if err != nil {
				e.Kind, e.Error = MutationRefused, cut(err.Error(), textRoom)
				e.Data = raw(map[string]any{"mutation": made[k]})
			} else {
				e.Data = raw(map[string]any{"mutation": made[k], "fingerprint": next.fingerprint})
			}
			w.events = append(w.events, e)
		}
		if err != nil {
			continue
		}
		d.row.Mutations = append(slices.Clone(d.row.Mutations), made...)
		d.row.Used.Mutations += len(made)
		d.row.Fingerprint = next.fingerprint
		finished = d.become(next, finished)
	}
	return finished
}

// grown works out what the graph would be with the changes that node n asks for.
func (d *driver) grown(n int, asked []Mutation) (next *Graph, made []Mutation, err error) {
	made = slices.Clone(asked)
	for k := range made {
		m := &made[k]
		m.By, m.Within = d.g.nodes[n].id, StageID(strings.TrimSuffix(string(d.g.prefix(n)), "/"))
		if m.Op == AddStage && len(m.Stage) <= maxDefinition && err == nil {
			var st Stage
			if st, err = d.g.spec.Grow(m.Stage); err == nil {
				m.ID = st.ID
			}
		}
	}
	limit := d.row.Limits.Mutations
	if limit == 0 {
		limit = defaultMutationLimit
	}
	if err == nil && limit > 0 && d.row.Used.Mutations+len(made) > limit {
		err = fmt.Errorf("%w: a run may change its graph %d times", ErrMutation, limit)
	}
	if err == nil {
		next, err = d.base.Grown(append(slices.Clone(d.row.Mutations), made...))
	}
	return next, made, err
}

// become goes on with another graph: what is known by node moves to where the
// other graph has the stage.
func (d *driver) become(next *Graph, finished []int) []int {
	old := d.g
	at := func(n int) int { return next.index[old.nodes[n].id] }
	counts, done := make([]count, len(next.nodes)), make([]*Result, len(next.nodes))
	for n := range old.nodes {
		counts[at(n)], done[at(n)] = d.counts[n], d.done[n]
	}
	d.counts, d.done = counts, done
	if len(d.arrived) > 0 {
		moved := map[int]map[int]bool{}
		for to, from := range d.arrived {
			moved[at(to)] = map[int]bool{}
			for n := range from {
				moved[at(to)][at(n)] = true
			}
		}
		d.arrived = moved
	}
	if len(d.led) > 0 {
		moved := map[int][]int{}
		for to, from := range d.led {
			for _, n := range from {
				moved[at(to)] = append(moved[at(to)], at(n))
			}
		}
		d.led = moved
	}
	out := make([]int, len(finished))
	for i, n := range finished {
		out[i] = at(n)
	}
	d.g, d.view = next, nil
	d.state = Snapshot{next, d.state.values}
	return out
}
