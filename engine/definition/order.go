package definition

import (
	"fmt"
	"slices"

	"holdpoint/engine/graph"
)

// Whether what a node reads can be there by then. Nodes run one after the other along the
// ways of their list, side by side in parallel and along parallel_branch edges, and anew
// inside loops: what no way leads from is read before it is written.

// spot is where a node stands: its list, and the node around that.
type spot struct {
	node   *Node
	list   string // path of the list
	around *Node  // nil at the top
}

// readAt is a key that a node goes by, and where that is written.
type readAt struct{ key, at string }

// early warns of keys that are read where nobody can have written them.
func (c *checker) early(nodes Nodes) {
	if c.free {
		return // nodes may be added
	}
	by := map[string][]string{} // nodes by the keys that they write
	places := map[string][]spot{}
	c.spots(nodes, "nodes", nil, nil, by, places)
	for i := range c.ruled {
		if r := &c.ruled[i]; r.Event == BeforeNode || r.Event == AfterNode {
			for key := range r.Set {
				delete(by, key) // a rule may write it anywhere
			}
		}
	}
	outputs(nodes, "nodes", 0, func(n *Node, at string) {
		if !c.precedes(places[n.Name], places[n.Name]) {
			for i, flag := range n.Flags {
				if flag == "cacheable" || flag == "stateful" {
					c.warn(fmt.Sprintf("%s.flags[%d]", at, i), "%s runs once, so %s has no effect; put it into a loop, or leave the flag out", n.Name, flag)
				}
			}
		}
		told := map[string]bool{}
		for _, r := range c.readings(n, at) {
			writers := by[r.key]
			if told[r.key] || len(writers) == 0 || n.Before[r.key] != nil {
				continue
			}
			if !slices.ContainsFunc(writers, func(w string) bool { return c.precedes(places[w], places[n.Name]) }) {
				told[r.key] = true
				c.tooEarly(n, r, writers, places)
			}
		}
	})
}

func (c *checker) tooEarly(n *Node, r readAt, writers []string, places map[string][]spot) {
	w := writers[0]
	switch i := slices.IndexFunc(writers, func(w string) bool { return c.beside(places[w], places[n.Name]) }); {
	case i >= 0:
		c.warn(r.at, "%s and %s run side by side, so %s may not be there yet and reads as missing; let %s follow %s", writers[i], n.Name, r.key, n.Name, writers[i])
	case w == n.Name:
		c.warn(r.at, "%s runs once and reads what it puts out itself, so %s always reads as missing; leave it out", n.Name, r.key)
	default:
		c.warn(r.at, "%s never runs before %s, so %s always reads as missing; let %s follow %s, or leave it out", w, n.Name, r.key, n.Name, w)
	}
}

// spots notes where nodes stand and what they write.
func (c *checker) spots(nodes Nodes, list string, around *Node, up []spot, by map[string][]string, places map[string][]spot) {
	for i := range nodes {
		n := &nodes[i]
		places[n.Name] = append(slices.Clone(up), spot{n, list, around})
		for _, key := range n.writes() {
			if !slices.Contains(by[key], n.Name) {
				by[key] = append(by[key], n.Name)
			}
		}
		at := fmt.Sprintf("%s[%d]", list, i)
		c.spots(n.Nodes, at+".nodes", n, places[n.Name], by, places)
		c.spots(n.Pool, at+".pool", n, places[n.Name], by, places)
	}
}

// common is the innermost list that two nodes stand in, themselves or with a node around
// them, by its place among the spots of both.
func common(a, b []spot) int {
	i := 0
	for i+1 < min(len(a), len(b)) && a[i].node == b[i].node {
		i++
	}
	return i
}

// precedes says that a node, the first, may have run before another one runs.
func (c *checker) precedes(w, r []spot) bool {
	at := common(w, r)
	for i := range at + 1 {
		if a := w[i].around; a != nil && (a.Kind == KindLoop || a.Kind == KindRetry || a.Kind == KindAutonomous) {
			return true // in another round
		}
		if i < at && c.leads(w[i].list, w[i].node.Name, w[i].node.Name) {
			return true // the node around both is entered again
		}
	}
	if w[at].node == r[at].node {
		switch {
		case len(w) > len(r):
			return true // it goes by what is inside of it
		case len(r) >= len(w) && (w[at].node.Kind == KindLoop || w[at].node.Kind == KindRetry || w[at].node.Kind == KindAutonomous):
			return true // each round puts something out
		}
	}
	return c.leads(w[at].list, w[at].node.Name, r[at].node.Name)
}

// beside says that two nodes run at the same time.
func (c *checker) beside(w, r []spot) bool {
	at := common(w, r)
	if w[at].node == r[at].node {
		return false
	}
	if a := w[at].around; a != nil && a.Kind == KindParallel {
		return true
	}
	for _, starts := range c.starts[w[at].list] {
		first := func(s spot) string {
			for _, start := range starts {
				if start == s.node.Name || c.leads(s.list, start, s.node.Name) {
					return start
				}
			}
			return ""
		}
		if a, b := first(w[at]), first(r[at]); a != "" && b != "" && a != b {
			return true
		}
	}
	return false
}

// leads says that a way of a list leads from one node to another, of one step or more. Of
// a list whose ways are not known it is taken that it does.
func (c *checker) leads(list, from, to string) bool {
	flow, known := c.flow[list]
	if !known {
		return true
	}
	if c.reach[list] == nil {
		c.reach[list] = map[string]map[string]bool{}
	}
	if c.reach[list][from] == nil {
		seen, queue := map[string]bool{}, []string{from}
		for len(queue) > 0 {
			for next := range flow[queue[0]] {
				if !seen[next] {
					seen[next] = true
					queue = append(queue, next)
				}
			}
			queue = queue[1:]
		}
		c.reach[list][from] = seen
	}
	return c.reach[list][from][to]
}

// flows notes the ways of a list; those along which nodes run side by side, too.
func (c *checker) flows(nodes Nodes, edges []Edge, list string, to map[string]map[string]bool) {
	if to[string(graph.ErrorStage)] != nil {
		for _, leads := range to {
			leads[string(graph.ErrorStage)] = true // a node that runs too often goes there
		}
	}
	c.flow[list] = to
	for i := range nodes {
		var starts []string
		for _, e := range edges {
			if e.From == nodes[i].Name && e.Type == "parallel_branch" && !slices.Contains(starts, e.To) {
				starts = append(starts, e.To)
			}
		}
		if len(starts) > 1 {
			c.starts[list] = append(c.starts[list], starts)
		}
	}
}

// choiceWays are the ways between the branches of a parallel node: one may choose another.
func choiceWays(nodes Nodes) map[string]map[string]bool {
	to := make(map[string]map[string]bool, len(nodes))
	for i := range nodes {
		to[nodes[i].Name] = map[string]bool{}
		for _, next := range nodes[i].chooses() {
			to[nodes[i].Name][next] = true
		}
	}
	return to
}

// readings are the keys that a node goes by, each with its place in the file; those of what
// follows a node are not among them.
func (c *checker) readings(n *Node, at string) (out []readAt) {
	add := func(place string, keys ...string) {
		for _, key := range keys {
			if key != "" && key != itemKey && key != "output" {
				out = append(out, readAt{key, place})
			}
		}
	}
	for i, path := range n.Inputs {
		add(fmt.Sprintf("%s.inputs[%d]", at, i), keyOf(path))
	}
	for i, name := range n.Inherit {
		add(fmt.Sprintf("%s.inherit_context_from[%d]", at, i), name+"_output")
	}
	for _, each := range []struct{ field, text string }{{"template", n.Template}, {"question", n.Question}, {"instructions", n.Instructions},
		{"after", n.After}, {"times", string(n.Times)}, {"max_steps", string(n.MaxSteps)}} {
		add(at+"."+each.field, c.read[each.text]...)
	}
	for i, text := range n.Blocks {
		add(fmt.Sprintf("%s.blocks[%d]", at, i), c.read[text]...)
	}
	for _, each := range []struct{ field, path string }{{"pick", n.Pick}, {"count", n.Count}, {"over", n.Over}} {
		add(at+"."+each.field, keyOf(each.path))
	}
	for _, each := range []struct {
		field  string
		values map[string]any
	}{{"set", n.Set}, {"arguments", n.Arguments}, {"before", n.Before}, {"with", n.With}} {
		for _, name := range sortedKeys(each.values) {
			add(join(at+"."+each.field, name), c.keysRead("", each.values[name])...)
		}
	}
	for i, choice := range n.Choices {
		if choice.When != nil {
			add(fmt.Sprintf("%s.choices[%d].when", at, i), c.readsOf(choice.When)...)
		}
	}
	if n.Until != nil {
		add(at+".until", c.readsOf(n.Until)...)
	}
	return out
}
