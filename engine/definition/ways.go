package definition

import (
	"encoding/json"
	"slices"
	"strings"

	"holdpoint/engine/graph"
)

// ways collects the edges and conditions of a level.
type ways struct {
	level
	edges      []graph.Edge
	conditions []graph.Condition
}

func (w *ways) add(e graph.Edge) {
	if !slices.Contains(w.edges, e) {
		w.edges = append(w.edges, e)
	}
}

// to is the stage that a name in a file stands for.
func (w *ways) to(name string) graph.StageID {
	if name != "end" {
		return graph.StageID(name)
	}
	if w.back != "" {
		return graph.StageID(w.back)
	}
	return graph.End
}

// of adds the ways out of a node: the edges of the list, its transitions, its
// default, its error edge, and those that it may choose.
func (w *ways) of(n *Node, edges []Edge, s *graph.Stage) error {
	from := graph.StageID(n.Name)
	plain := false
	for _, e := range edges {
		if e.From != n.Name {
			continue
		}
		each := graph.Edge{From: from, To: w.to(e.To), Type: graph.EdgeType(e.Type), Match: e.Match, Priority: e.Priority}
		switch {
		case e.When != nil:
			each.Type = graph.Conditional
			safety := e.Type == "safety"
			if safety && e.To == "end" {
				each.To = graph.End // nothing comes before it, not another round either
			}
			name, err := w.condition(e.When, safety)
			if err != nil {
				return err
			}
			each.Condition = name
		case e.Type == "choice" && each.To == graph.End:
			s.Ends = true
			continue
		case e.Type == "" || e.Type == "sequence":
			each.Type, plain = w.plain(each.To), true
		case e.Type == "parallel_branch", e.Type == "join_input":
			plain = true
		}
		w.add(each)
	}
	for _, out := range sortedKeys(n.Transitions) {
		w.add(graph.Edge{From: from, To: w.to(n.Transitions[out]), Type: graph.Match, Match: out})
	}
	if n.OnError != "" {
		w.add(graph.Edge{From: from, To: w.to(n.OnError), Type: graph.OnError})
	}
	if n.RetryAt != "" {
		w.add(graph.Edge{From: from, To: w.to(n.RetryAt), Type: graph.Choice})
	}
	for _, name := range n.Routes {
		w.add(graph.Edge{From: from, To: w.to(name), Type: graph.Choice})
	}
	for _, c := range n.Choices {
		to := w.to(c.To)
		if to == graph.End {
			s.Ends = true // without an edge: a choice may always end the graph
			continue
		}
		w.add(graph.Edge{From: from, To: to, Type: graph.Choice})
	}
	switch {
	case n.DefaultNext != "":
		to := w.to(n.DefaultNext)
		if slices.ContainsFunc(w.edges, func(e graph.Edge) bool { return e.From == from && e.To == to && e.Type == graph.JoinInput }) {
			break // the same way, said twice
		}
		w.add(graph.Edge{From: from, To: to, Type: w.plain(to)})
	case !plain && w.back != "" && n.Kind != KindRouter:
		w.add(graph.Edge{From: from, To: graph.StageID(w.back), Type: graph.Sequence})
	case !plain:
		s.MayEnd = true
	}
	return nil
}

func (w *ways) plain(to graph.StageID) graph.EdgeType {
	if to == graph.End {
		return graph.Exit
	}
	return graph.Sequence
}

// condition declares a rule once and returns its name: the rule in words.
func (w *ways) condition(when *When, safety bool) (string, error) {
	r, err := when.compile(w.c.def.Vars)
	if err != nil {
		return "", err
	}
	c := r.condition(safety)
	if safety {
		c = c.AsSafety()
		c.Name = "safety: " + c.Name
	}
	if !slices.ContainsFunc(w.conditions, func(o graph.Condition) bool { return o.Name == c.Name }) {
		w.conditions = append(w.conditions, c)
	}
	return c.Name, nil
}

// keyOf is the key of the context that a path begins with.
func keyOf(path string) string {
	key, _, _ := strings.Cut(path, ".")
	return key
}

// textOf makes an output of text.
func textOf(s string) json.RawMessage { return graph.AppendText(make([]byte, 0, len(s)+2), s) }
