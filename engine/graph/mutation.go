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
	// Parent is the stage whose nested graph changes; "" for the outermost.
	Parent StageID `json:"within,omitempty"`
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

// MaxDefinition is how large the definition of an added stage may be, in bytes.
const MaxDefinition = 16 << 10

// mutate changes a spec that nobody else holds.
func (s *Spec) mutate(m Mutation) error {
	level := s
	if m.Parent != "" {
		for id := range strings.SplitSeq(string(m.Parent), "/") {
			i := slices.IndexFunc(level.Stages, func(st Stage) bool { return string(st.ID) == id })
			if i < 0 || level.Stages[i].Graph == nil {
				return fmt.Errorf("%w: %q has no graph of its own", ErrMutation, m.Parent)
			}
			level = level.Stages[i].Graph
		}
	}
	switch {
	case m.Op == AddStage && s.Grow == nil:
		return fmt.Errorf("%w: this graph cannot grow", ErrMutation)
	case m.Op == AddStage && len(m.Stage) > MaxDefinition:
		return fmt.Errorf("%w: the definition has %d bytes, at most %d fit", ErrMutation, len(m.Stage), MaxDefinition)
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
