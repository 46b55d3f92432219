package definition

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"holdpoint/engine/graph"
)

// way is one that leads out of a node, as far as check can tell.
type way struct {
	to string // a node, or end
	// dead says why it is never taken; "" where it may be.
	dead string
	// rule is what it is taken by, where nothing but that decides; at is its place.
	rule *When
	at   string
	// goes are the keys that it is taken by where there is no rule; nil where nobody knows.
	goes []string
	// fails says that it is taken after a failure.
	fails bool
	// plain says that it is taken when nothing else was said, beside all others that are.
	plain bool
	// silent says that the graph ends there because nothing else was said.
	silent bool
}

// paths looks at where the nodes of a level lead: at those that never come to an end, at
// branches that write the same side by side, and at ends that nobody wrote.
func (c *checker) paths(nodes Nodes, edges []Edge, entry, prefix, path string) {
	if len(nodes) == 0 {
		return
	}
	known := map[string]bool{"end": true}
	for _, n := range nodes {
		if known[n.Name] {
			return // two of a name: nobody knows which is meant
		}
		if formOf(n.Kind).kind == "" || n.Name == "" {
			return // nobody knows where it leads, or what leads to it
		}
		known[n.Name] = true
	}
	out, sound, guessed := map[string][]way{}, known[entry] || entry == "", false
	names := sortedKeys(known)
	// meant is the node that a misspelt name stands for.
	meant := func(name string) string {
		if known[name] {
			return name
		}
		guess := nearest(name, names)
		guessed, sound = true, sound && guess != ""
		return guess
	}
	named := slices.Clone(edges)
	for i := range named {
		named[i].From = meant(named[i].From)
	}
	for i := range nodes {
		ways := c.waysOut(&nodes[i], named, fmt.Sprintf("%s[%d]", path, i), join(prefix, "edges"))
		for k := range ways {
			ways[k].to = meant(ways[k].to)
		}
		out[nodes[i].Name] = ways
	}
	for i := range nodes {
		if c.lost(fmt.Sprintf("%s[%d]", path, i)) {
			sound = false
			continue
		}
		c.silentEnd(&nodes[i], out[nodes[i].Name], fmt.Sprintf("%s[%d]", path, i))
	}
	if !sound || c.free {
		return // ways are missing, or may be added
	}
	first := nodes[0].Name
	if entry != "" {
		first = entry
	}
	all, live := successors(out, false), successors(out, true)
	c.flows(nodes, edges, path, successors(out, false))
	reached := follow(all, first)
	if out[string(graph.ErrorStage)] != nil {
		maps.Copy(reached, follow(all, string(graph.ErrorStage))) // where nodes without a way of their own go when they ran too often
	}
	leads := make(map[string]map[string]bool, len(nodes))
	for _, n := range nodes {
		leads[n.Name] = follow(live, n.Name)
	}
	told := map[string]bool{}
	for i, n := range nodes {
		at := fmt.Sprintf("%s[%d]", path, i)
		switch {
		case !reached[n.Name]:
			c.bad(at, "stage cannot be reached: nothing leads to %s; name it in a default_next, an edge or a choice, or leave it out", n.Name)
		case told[n.Name] || guessed:
		case !leads[n.Name]["end"]:
			c.endless(leads[n.Name], out, at, told)
		default:
			c.unmoved(n.Name, nodes, edges, out, leads, at, told)
		}
	}
}

// lost says that a way out of a node was written and does not fit.
func (c *checker) lost(at string) bool {
	raw, _ := c.raw(at)
	return slices.ContainsFunc([]string{"default_next", "transitions", "on_error", "routes", "choices", "flags"}, func(field string) bool {
		v, given := raw[field]
		return given && v == nil
	})
}

// successors are the nodes that each leads to; alive leaves out those that it never does.
func successors(out map[string][]way, alive bool) map[string]map[string]bool {
	to := make(map[string]map[string]bool, len(out))
	for name, ways := range out {
		to[name] = map[string]bool{}
		for _, w := range ways {
			if !alive || w.dead == "" {
				to[name][w.to] = true
			}
		}
	}
	return to
}

// follow are the nodes that one leads to in the end, itself included.
func follow(to map[string]map[string]bool, from string) map[string]bool {
	seen, queue := map[string]bool{from: true}, []string{from}
	for len(queue) > 0 {
		for next := range to[queue[0]] {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
		queue = queue[1:]
	}
	return seen
}

// endless says that nodes lead to each other and never to an end.
func (c *checker) endless(among map[string]bool, out map[string][]way, at string, told map[string]bool) {
	var dead []string
	for _, each := range sortedKeys(among) {
		told[each] = true
		for _, w := range out[each] {
			if w.dead != "" && !among[w.to] {
				dead = append(dead, fmt.Sprintf("%s → %s (%s)", each, w.to, w.dead))
			}
		}
	}
	names := strings.Join(sortedKeys(among), ", ")
	if len(dead) > 0 {
		c.bad(at, "%s never ends: there is no way to the end but some that can never be taken: %s; correct one of them", names, clip(strings.Join(dead, "; "), 400))
		return
	}
	c.bad(at, "%s never ends: there is no way to the end (a cycle needs a way out); add default_next: end, or an edge with a rule", names)
}

// unmoved finds a cycle whose ways out go by values that nothing in it writes: what they
// say the first time they say for ever.
func (c *checker) unmoved(name string, nodes Nodes, edges []Edge, out map[string][]way, leads map[string]map[string]bool, at string, told map[string]bool) {
	if slices.ContainsFunc(edges, func(e Edge) bool { return e.Type == "parallel_branch" }) {
		return
	}
	cycle, itself := map[string]bool{}, false
	for each := range leads[name] {
		if each != "end" && leads[each][name] {
			cycle[each] = true
		}
	}
	for _, w := range out[name] {
		itself = itself || w.to == name && w.dead == ""
	}
	if len(cycle) < 2 && !itself {
		return
	}
	var rules []string
	var exits []way
	for each := range cycle {
		told[each] = true
	}
	for _, each := range sortedKeys(cycle) {
		for _, w := range out[each] {
			if w.dead != "" || cycle[w.to] {
				continue
			}
			if w.rule != nil {
				w.goes = c.readsOf(w.rule)
			} else if w.goes == nil {
				return
			}
			exits = append(exits, w)
			rules = append(rules, fmt.Sprintf("%s → %s", each, w.to))
		}
	}
	flow := successors(out, true)
	moves := c.moving(nodes, cycle, func(name string) bool { return !goesRound(flow, cycle, name) })
	if slices.ContainsFunc(exits, func(w way) bool { return slices.ContainsFunc(w.goes, func(key string) bool { return moves[key] }) }) {
		return
	}
	if len(rules) > 0 {
		c.warn(at, "%s goes round for ever once it has gone round: the ways out (%s) go by values that nothing in it writes; let a node in it write one of them, or add a way out",
			strings.Join(sortedKeys(cycle), ", "), strings.Join(rules, ", "))
	}
}

// goesRound says that nodes lead back to themselves without another one of them.
func goesRound(flow map[string]map[string]bool, among map[string]bool, without string) bool {
	const under, done = 1, 2
	state := map[string]int{}
	var visit func(name string) bool
	visit = func(name string) bool {
		state[name] = under
		for next := range flow[name] {
			if next != without && among[next] && (state[next] == under || state[next] == 0 && visit(next)) {
				return true
			}
		}
		state[name] = done
		return false
	}
	for name := range among {
		if name != without && state[name] == 0 && visit(name) {
			return true
		}
	}
	return false
}

// idleRounds warns of a loop whose rule goes by values that no round changes: of what is
// made of the same values again, it says the same again.
func (c *checker) idleRounds(n *Node, path string) {
	flow, known := c.flow[path+".nodes"]
	if n.Kind == KindRetry {
		flow, known = map[string]map[string]bool{}, true
	}
	if n.Until == nil || !known || c.free || c.never(n.Until) != "" || asksWhether(n.Until) {
		return
	}
	all := map[string]bool{}
	for _, inner := range n.Nodes {
		all[inner.Name] = true
	}
	if len(all) == 0 {
		return
	}
	first := or(n.Entry, n.Nodes[0].Name)
	moves := c.moving(n.Nodes, all, func(name string) bool { return name == first || !follow(without(flow, name), first)["end"] }, n.Name+"_rounds", n.Name+"_failed")
	own := slices.ContainsFunc(n.Nodes, func(inner Node) bool { return ending(&inner, n.Edges) && moves[inner.Name+"_output"] })
	for _, key := range []string{n.Name + "_output", n.Output} {
		moves[key] = moves[key] || own || n.Kind == KindLoop && slices.ContainsFunc(n.Nodes, func(inner Node) bool { return inner.Kind == KindRouter })
	}
	keys := slices.Compact(slices.Sorted(slices.Values(c.readsOf(n.Until))))
	if slices.ContainsFunc(keys, func(key string) bool { return moves[key] }) || !slices.ContainsFunc(keys, func(key string) bool { return key != "vars" }) {
		return // of what the run was started with the author knows that it stays
	}
	c.warn(path+".until", "no round of %s changes %s, so this says the same after each; let a node inside make it of something new, or leave the rounds out", n.Name, strings.Join(keys, ", "))
}

// asksWhether says that a rule asks whether a value is there: one round may have failed to
// make it, and the next one not.
func asksWhether(w *When) bool {
	return w.Exists != nil || strings.Contains(w.Expression, "nil") || strings.Contains(w.Expression, "??") || strings.Contains(w.Expression, "?.")
}

// without are the ways of a list that do not lead to a node.
func without(flow map[string]map[string]bool, name string) map[string]map[string]bool {
	out := make(map[string]map[string]bool, len(flow))
	for from, leads := range flow {
		out[from] = maps.Clone(leads)
		delete(out[from], name)
	}
	return out
}

// moving are the keys that may have another value after each round of a cycle. What is
// worked out without a model, or kept, of values that stay the same stays the same, if it is
// in every round.
func (c *checker) moving(nodes Nodes, cycle map[string]bool, every func(name string) bool, counts ...string) map[string]bool {
	moves, set := map[string]bool{errorKey: true, runKey: true}, map[string]bool{}
	for _, key := range counts {
		moves[key] = true
	}
	for i := range c.ruled {
		if r := &c.ruled[i]; r.Event == BeforeNode || r.Event == AfterNode {
			for _, key := range sortedKeys(r.Set) {
				moves[key], set[key] = true, true
			}
		}
	}
	// Everything moves until it is known not to; what two nodes write goes to and fro.
	type maker struct {
		writes, reads []string
		kept, asks    bool
	}
	var still []maker
	count := map[string]int{}
	acts, looks := false, false
	for i := range nodes {
		if !cycle[nodes[i].Name] {
			continue
		}
		outputs(nodes[i:i+1], "", 0, func(n *Node, _ string) {
			m := maker{writes: n.writes(), kept: n.has("cacheable"), asks: formOf(n.Kind).asks && !n.has("no_history")}
			for _, key := range m.writes {
				moves[key] = true
				count[key]++
			}
			acts = acts || n.acts()
			looks = looks || n.calls() || n.Kind == KindFanOut && (n.Tool != "" || n.Tools != nil)
			if n.Name != nodes[i].Name || nested(n.Kind) || !every(n.Name) || n.has("skip_on_error") || c.passedOver(n) {
				return
			}
			switch {
			case m.kept:
				m.reads = n.reads(c.vars)
				for _, path := range n.Inputs {
					m.reads = append(m.reads, keyOf(path))
				}
				for _, name := range n.Inherit {
					m.reads = append(m.reads, name+"_output")
				}
				if formOf(n.Kind).asks || n.Kind == KindRouter {
					m.reads = append(m.reads, keysIn(c.instructed, c.vars)...)
				}
				still = append(still, m)
			case n.Kind == KindTransform:
				m.reads = c.keysRead(n.Template, n.Set, keyOf(n.Pick), keyOf(n.Count))
				still = append(still, m)
			}
		})
	}
	// What is kept is made anew when something was changed since, or looked up.
	still = slices.DeleteFunc(still, func(m maker) bool { return m.kept && (acts || looks && m.asks) })
	for again := true; again; {
		again = false
		for _, m := range still {
			if slices.ContainsFunc(m.reads, func(key string) bool { return moves[key] }) {
				continue
			}
			for _, key := range m.writes {
				if moves[key] && count[key] == 1 && !set[key] {
					moves[key], again = false, true
				}
			}
		}
	}
	return moves
}

// passedOver says that a rule may keep a node from running.
func (c *checker) passedOver(n *Node) bool {
	return slices.ContainsFunc(c.ruled, func(r Rule) bool {
		return (r.Event == BeforeNode || r.Event == AfterNode) && (r.Verdict == Skips || r.Verdict == Refuses) && matches(r.Nodes, n.Name)
	})
}

// keysRead are the keys that a transform goes by, as its texts were read before.
func (c *checker) keysRead(template string, set any, paths ...string) []string {
	keys := append(slices.Clone(paths), c.read[template]...)
	switch v := set.(type) {
	case string:
		keys = append(keys, c.read[v]...)
	case map[string]any:
		for _, each := range v {
			keys = append(keys, c.keysRead("", each)...)
		}
	case []any:
		for _, each := range v {
			keys = append(keys, c.keysRead("", each)...)
		}
	}
	return keys
}

// writes are the keys of the context that a node writes.
func (n *Node) writes() []string {
	keys := sortedKeys(n.Before)
	for _, ending := range endings(n.Kind) {
		keys = append(keys, n.Name+ending)
	}
	if n.Output != "" {
		keys = append(keys, n.Output)
	}
	if n.Kind == KindSubgraph {
		keys = append(keys, sortedKeys(n.Takes)...)
	}
	return keys
}

// waysOut are those of a node, in the order in which they are asked.
func (c *checker) waysOut(n *Node, edges []Edge, at, edgesAt string) (out []way) {
	last := n.Kind == KindAnswer || n.has("terminal")
	by := func(w *When, to, at string) way { return way{to: to, dead: c.never(w), rule: w, at: at} }
	taken := "" // why nothing after it is asked
	var conditional []Edge
	places := map[*When]string{}
	plain := n.DefaultNext != ""
	for i, e := range edges {
		if e.From != n.Name {
			continue
		}
		place := fmt.Sprintf("%s[%d]", edgesAt, i)
		switch {
		case e.When != nil && e.Type == "safety":
			out = append(out, by(e.When, e.To, place))
		case e.When != nil:
			conditional = append(conditional, e)
			places[e.When] = place
		case e.Type == "error":
			out = append(out, way{to: e.To, fails: true})
		case e.Type == "choice":
			out = append(out, way{to: e.To})
		case e.Type != "match":
			plain = true
		}
	}
	if n.OnError != "" {
		out = append(out, way{to: n.OnError, fails: true})
	}
	if n.RetryAt != "" {
		out = append(out, way{to: n.RetryAt})
	}
	for _, to := range n.Routes {
		out = append(out, way{to: to})
	}
	for i, choice := range n.Choices {
		w := way{to: choice.To, dead: taken}
		if choice.When != nil && taken == "" {
			w = by(choice.When, choice.To, fmt.Sprintf("%s.choices[%d]", at, i))
			if c.always(choice.When) {
				taken, w.rule = "the choice before it always holds", nil
			}
		}
		out = append(out, w)
	}
	if last && taken == "" {
		out, taken = append(out, way{to: "end"}), n.Name+" ends the graph"
	}
	if n.Kind == KindRouter && !slices.ContainsFunc(n.Choices, func(choice Choice) bool { return choice.When == nil }) && c.certain(n) {
		plain = true // one of its rules always holds
	}
	slices.SortStableFunc(conditional, func(a, b Edge) int { return b.Priority - a.Priority })
	for _, e := range conditional {
		w := way{to: e.To, dead: taken}
		if taken == "" {
			w = by(e.When, e.To, places[e.When])
			if c.always(e.When) {
				taken, w.rule = phrase("the rule of another edge always holds"), nil
			}
		}
		out = append(out, w)
	}
	d := c.domainOf(n.Name + "_output")
	for _, said := range sortedKeys(n.Transitions) {
		w := way{to: n.Transitions[said], dead: taken}
		if d != nil && d.values != nil && taken == "" {
			if why := d.refuses(phrase("its output"), said); why != "" && !nested(n.Kind) {
				w.dead = why
				c.warn(join(at+".transitions", said), "%s is never what %s puts out: %s", said, n.Name, why)
			}
		}
		out = append(out, w)
	}
	for _, e := range edges {
		if e.From == n.Name && e.When == nil {
			switch e.Type {
			case "match":
				out = append(out, way{to: e.To, dead: taken})
			case "", "sequence", "parallel_branch", "join_input":
				out = append(out, way{to: e.To, dead: taken, plain: true})
			}
		}
	}
	if d != nil && d.values != nil && !n.has("skip_on_error") && !slices.ContainsFunc(d.values, func(v any) bool { return n.Transitions[words(v)] == "" }) {
		plain = true // there is one for each that it may put out
	}
	if n.DefaultNext != "" {
		out = append(out, way{to: n.DefaultNext, dead: taken, goes: n.lets(), plain: true})
	}
	if !plain && !last {
		out = append(out, way{to: "end", dead: taken, silent: true})
	}
	return out
}

// lets are the keys that a guard goes by when it lets a text pass or sends it back; nil for
// any other node, and where a model says whether.
func (n *Node) lets() []string {
	if n.Kind != KindGuard || n.RetryAt == "" || len(n.Inputs) == 0 || slices.ContainsFunc(n.Guards, func(g Guard) bool { return g.Ask != "" }) ||
		!slices.ContainsFunc(n.Guards, func(g Guard) bool { return g.Action == "retry" }) {
		return nil
	}
	return []string{keyOf(n.Inputs[0])}
}

// silentEnd warns of an end that nobody wrote.
func (c *checker) silentEnd(n *Node, out []way, at string) {
	for _, w := range out {
		if !w.silent || w.dead != "" {
			continue
		}
		if len(out) == 1 {
			c.warn(at, "nothing follows %s, so the graph ends there; write default_next: end", n.Name)
		} else {
			c.warn(at, "the graph ends after %s when none of its ways is taken; say so with default_next: end, or name a node", n.Name)
		}
	}
	for _, w := range out {
		if w.rule != nil && w.dead != "" {
			c.warn(w.at+".when", "this can never hold: %s", w.dead)
		}
	}
}

// branches refuses branches along parallel_branch edges that write the same side by side.
func (c *checker) branches(nodes Nodes, edges []Edge, edgesAt string) {
	if !slices.ContainsFunc(edges, func(e Edge) bool { return e.Type == "parallel_branch" }) {
		return
	}
	out, joins := map[string][]way{}, map[string]bool{}
	index := map[string]int{}
	for i := range nodes {
		index[nodes[i].Name] = i
		out[nodes[i].Name] = c.waysOut(&nodes[i], edges, "", "")
	}
	for _, e := range edges {
		if e.Type == "join_input" {
			joins[e.To] = true
		}
	}
	for i, e := range edges {
		if e.Type == "parallel_branch" && joins[e.To] {
			c.bad(fmt.Sprintf("%s[%d]", edgesAt, i), "%s waits for its join_input edges, and this would begin it besides; write type: join_input", e.To)
		}
	}
	to := successors(out, false)
	for _, leads := range to {
		delete(leads, "end")
	}
	told := map[string]bool{}
	for i := range nodes {
		var starts []string
		for _, e := range edges {
			if e.From == nodes[i].Name && e.Type == "parallel_branch" && !joins[e.To] && !slices.Contains(starts, e.To) {
				starts = append(starts, e.To)
			}
		}
		regions := between(without(to, nodes[i].Name), starts, joins)
		for k := range regions {
			c.unjoined(regions[k], out, joins, edges, told)
			for l := range regions[:k] {
				c.compare(nodes, index, regions[l], regions[k], edges, told)
			}
		}
	}
}

// between are the nodes of each branch, up to the joins that more than one of them leads to.
func between(to map[string]map[string]bool, starts []string, joins map[string]bool) []map[string]bool {
	reached := map[string]int{}
	for _, start := range starts {
		for name := range follow(to, start) {
			reached[name]++
		}
	}
	for join := range joins {
		if reached[join] > 1 {
			to = without(to, join)
		}
	}
	regions := make([]map[string]bool, len(starts))
	for k, start := range starts {
		regions[k] = follow(to, start)
	}
	return regions
}

// unjoined refuses ways of a branch into a join that the join does not wait for: it would run
// for each of them, and once more for those that it waits for.
func (c *checker) unjoined(region map[string]bool, out map[string][]way, joins map[string]bool, edges []Edge, told map[string]bool) {
	for _, name := range sortedKeys(region) {
		for _, w := range out[name] {
			waits := slices.ContainsFunc(edges, func(e Edge) bool { return e.From == name && e.To == w.to && e.Type == "join_input" })
			if !joins[w.to] || waits || told[name+" > "+w.to] {
				continue
			}
			told[name+" > "+w.to] = true
			if slices.ContainsFunc(out[name], func(other way) bool { return other.plain && other.to != w.to }) {
				c.bad(c.names[name], "%s leads to %s, which waits for others and not for it, so %s would run more than once; lead to a node of its own first, and from that to %s with type: join_input", name, w.to, w.to, w.to)
			} else {
				c.bad(c.names[name], "%s leads to %s, which waits for others and not for it, so %s would run more than once; add {from: %s, to: %s, type: join_input} to the edges", name, w.to, w.to, name, w.to)
			}
		}
	}
}

// compare looks at what two branches write. A node that both lead to runs beside those of
// the longer one, unless it joins them.
func (c *checker) compare(nodes Nodes, index map[string]int, a, b map[string]bool, edges []Edge, told map[string]bool) {
	owns := func(region map[string]bool) map[string][]written {
		keys := map[string][]written{}
		for _, name := range sortedKeys(region) {
			i, ok := index[name]
			if !ok {
				continue
			}
			outputs(nodes[i:i+1], "", 0, func(n *Node, _ string) {
				for _, w := range c.written(n, c.names[n.Name]) {
					keys[w.key] = append(keys[w.key], w)
				}
			})
			if ending(&nodes[i], edges) {
				keys[lastWord] = append(keys[lastWord], written{lastWord, name, c.names[name], 0})
			}
		}
		return keys
	}
	first, second := owns(a), owns(b)
	for _, key := range sortedKeys(second) {
		for _, y := range second[key] {
			for _, x := range first[key] {
				if x.by == y.by || told[x.by+" "+y.by+" "+key] || told[y.by+" "+x.by+" "+key] {
					continue
				}
				told[x.by+" "+y.by+" "+key] = true
				if key == lastWord {
					c.bad(y.at, "%s and %s run side by side and both end the graph; lead both to one node with join_input edges", x.by, y.by)
				} else {
					c.clash(y, x.by)
				}
			}
		}
	}
}

const lastWord = "the last word"

// handles says that something follows when the node failed, or that the run is over then.
func handles(n *Node, edges []Edge) bool {
	return n.OnError != "" || n.has("critical") || slices.ContainsFunc(edges, func(e Edge) bool { return e.From == n.Name && e.Type == "error" })
}
