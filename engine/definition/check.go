package definition

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"holdpoint/engine/expression"
	"holdpoint/engine/graph"
)

// fixedKeys are in the context of every run.
var fixedKeys = []string{"input", "vars"}

// checker goes through a definition that fits the schema and finds what the
// schema cannot say.
type checker struct {
	d     *document
	found Problems
	// names are all nodes of the file by the path of their first place, keys what
	// stands in the context at some time.
	names map[string]string
	keys  []string
	limit int
	// free lets a node read keys that nobody is known to write: other nodes may have
	// been added before it.
	free        bool
	expressions int
	// edges are those of the level in hand.
	edges []Edge
}

func check(def *Definition, d *document) Problems {
	c := &checker{d: d, names: map[string]string{}, keys: slices.Clone(fixedKeys), limit: def.Limits.MaxNodeIterations, free: def.Mutable && len(def.MayAdd) > 0}
	if c.limit == 0 {
		c.limit = defaultNodeIterations
	}
	c.collect(def.Nodes, "nodes")
	c.level(def.Nodes, def.Edges, def.Entry, "", "nodes")
	if len(def.MayAdd) > 0 && !def.Mutable {
		c.bad("may_add", "may_add is for mutable graphs; add mutable: true or leave it out")
	}
	if len(c.found) > 0 {
		return c.found
	}
	spec, err := compile(*def)
	if err == nil {
		_, err = graph.New(spec)
	}
	if err != nil {
		c.fromGraph(err)
	}
	return c.found
}

func (c *checker) bad(path, format string, args ...any) {
	c.found = append(c.found, c.d.at(path, format, args...))
}

// collect finds the names of all nodes; they are unique in the whole file, since
// outputs are kept by them.
func (c *checker) collect(nodes Nodes, path string) {
	for i, n := range nodes {
		at := fmt.Sprintf("%s[%d]", path, i)
		switch first, ok := c.names[n.Name]; {
		case n.Name == "start" || n.Name == "end":
			c.bad(at+".name", "%s is the name of an end of every graph; choose another", n.Name)
		case ok:
			c.bad(at+".name", "a node at %s has the name %s, too; choose another", first, n.Name)
		default:
			c.names[n.Name] = at
		}
		c.keys = append(c.keys, n.Name+"_output", n.Name+"_thought")
		if n.Output != "" {
			c.keys = append(c.keys, n.Output)
		}
		switch n.Kind {
		case KindAutonomous:
			c.keys = append(c.keys, n.Name+"_steps")
		case KindLoop, KindRetry:
			c.keys = append(c.keys, n.Name+"_rounds")
		case KindSubgraph:
			// A pattern's nodes write into the same context.
			if p, err := ByPattern(n.Use); err == nil {
				outputs(p.Definition.Nodes, "", 0, func(inner *Node, _ string) {
					c.keys = append(c.keys, inner.Name+"_output", inner.Name+"_thought")
					if inner.Output != "" {
						c.keys = append(c.keys, inner.Output)
					}
				})
			}
		}
		c.collect(n.Nodes, at+".nodes")
		c.collect(n.Pool, at+".pool")
	}
}

func (c *checker) level(nodes Nodes, edges []Edge, entry, prefix, path string) {
	here := make([]string, len(nodes))
	for i, n := range nodes {
		here[i] = n.Name
	}
	if entry != "" && !slices.Contains(here, entry) {
		c.bad(join(prefix, "entry"), "there is no node %s here%s", entry, suggest(entry, here))
	}
	for i := range nodes {
		c.edges = edges
		c.node(&nodes[i], here, fmt.Sprintf("%s[%d]", path, i))
	}
	c.sideBySide(nodes, edges, path)
	for i, e := range edges {
		at := fmt.Sprintf("%s[%d]", join(prefix, "edges"), i)
		c.edge(e, here, at)
		if from := slices.IndexFunc(nodes, func(n Node) bool { return n.Name == e.From }); from >= 0 && e.Type == "choice" {
			c.choice(&nodes[from], e, at)
		}
	}
}

// target insists that a name is a node of the same level, or the end.
func (c *checker) target(name string, here []string, path string, end bool) {
	switch {
	case name == "" || slices.Contains(here, name):
	case name == "end" && end:
	case name == "end":
		c.bad(path, "this must be a node; the end is not one")
	case c.names[name] != "":
		c.bad(path, "node %s is inside another node; only nodes of the same list can follow", name)
	default:
		c.bad(path, "there is no node %s here%s", name, suggest(name, here))
	}
}

func (c *checker) node(n *Node, here []string, path string) {
	f := formOf(n.Kind)
	if raw, ok := c.raw(path); ok {
		c.fields(f, raw, path)
	}
	c.target(n.DefaultNext, here, path+".default_next", true)
	c.target(n.OnError, here, path+".on_error", false)
	c.target(n.RetryAt, here, path+".retry_at", false)
	for i, name := range n.Routes {
		c.target(name, here, fmt.Sprintf("%s.routes[%d]", path, i), true)
	}
	for _, out := range sortedKeys(n.Transitions) {
		c.target(n.Transitions[out], here, join(path+".transitions", out), true)
	}
	for i, key := range n.Inputs {
		c.key(key, fmt.Sprintf("%s.inputs[%d]", path, i))
	}
	for i, name := range n.Inherit {
		if c.names[name] == "" {
			c.bad(fmt.Sprintf("%s.inherit_context_from[%d]", path, i), "there is no node %s%s", name, suggest(name, c.all()))
		}
	}
	c.flags(n, path)
	c.output(n, path)
	for i, g := range n.Guards {
		if err := g.check(); err != nil {
			c.bad(fmt.Sprintf("%s.guards[%d]", path, i), "%s", err)
		}
	}
	if n.Schema != nil {
		if _, err := compileSchema(n.Schema); err != nil {
			c.bad(path+".output_schema", "%s", err)
		}
	}
	if (n.Perspective == "custom") != (n.PerspectiveText != "") {
		c.bad(path, "perspective custom and perspective_text belong together; give both or neither")
	}
	c.kind(n, here, path)
}

// fields refuses fields that the kind does not take and names those it lacks.
func (c *checker) fields(f form, raw map[string]any, path string) {
	known := f.fields()
	for _, key := range sortedKeys(raw) {
		if !slices.Contains(known, key) {
			c.found = append(c.found, c.d.atKey(join(path, key), "a node of kind %s takes no %s; leave it out or choose another kind", f.kind, key))
		}
	}
	for _, key := range f.needs {
		if _, ok := raw[key]; !ok {
			c.bad(path, "a node of kind %s needs %s; add it", f.kind, key)
		}
	}
}

func (c *checker) key(path, at string) {
	if message := c.unwritten(keyOf(path)); message != "" {
		c.bad(at, "%s", message)
	}
}

// unwritten says what is wrong with a key that nobody writes.
func (c *checker) unwritten(key string) string {
	if c.free || slices.Contains(c.keys, key) {
		return ""
	}
	return fmt.Sprintf("no node writes %s%s; name an output, NODE_output, input or vars", clip(key, 60), suggest(key, c.keys))
}

func (c *checker) flags(n *Node, path string) {
	has := func(name string) bool { return slices.Contains(n.Flags, name) }
	switch {
	case has("validate_output") && n.Schema == nil:
		c.bad(path+".flags", "validate_output needs an output_schema; add one or leave the flag out")
	case has("retryable") && !has("readonly") && n.calls():
		c.bad(path+".flags", "retryable is not for nodes that can change something: a call might happen twice; add readonly or leave the flag out")
	case n.MaxRetries > 0 && !has("retryable"):
		c.bad(path+".max_retries", "max_retries works with the flag retryable; add it or leave this out")
	}
	for i, flag := range n.Flags {
		if why := n.idle(flag); why != "" {
			c.bad(fmt.Sprintf("%s.flags[%d]", path, i), "%s has no effect on %s; leave it out", flag, why)
		}
		if slices.Contains(n.Flags[:i], flag) {
			c.bad(fmt.Sprintf("%s.flags[%d]", path, i), "%s stands twice; keep one of them", flag)
		}
	}
}

// idle says on what a flag does nothing; "" where it works.
func (n *Node) idle(flag string) string {
	f := formOf(n.Kind)
	judges := slices.ContainsFunc(n.Guards, func(g Guard) bool { return g.Ask != "" })
	chooses := n.Kind == KindRouter && slices.ContainsFunc(n.Choices, func(c Choice) bool { return c.When == nil })
	works := true
	switch flag {
	case "no_history", "stateful":
		works = f.asks
	case "inject_tools":
		works = f.asks && n.calls()
	case "lightweight":
		works = f.asks || n.Kind == KindFanOut && n.Tool == ""
	case "retryable":
		works = f.asks || judges || chooses || n.Kind == KindTool || n.Kind == KindFanOut
	case "readonly":
		works = f.asks || n.calls() || n.Kind == KindFanOut
	case "summarize_output":
		if works = n.Output != ""; !works {
			return "a node without an output key"
		}
	}
	if works || nested(n.Kind) { // those are told what they take
		return ""
	}
	return "a node of kind " + n.Kind
}

// output refuses a key that somebody else keeps.
func (c *checker) output(n *Node, path string) {
	if n.Output == "" {
		return
	}
	what := ""
	if slices.Contains(fixedKeys, n.Output) {
		what = "what the run was started with"
	} else if i := strings.LastIndexByte(n.Output, '_'); i > 0 && n.Output[:i] != n.Name && c.names[n.Output[:i]] != "" {
		switch n.Output[i:] {
		case "_output", "_thought":
			what = "what node " + n.Output[:i] + " puts out"
		}
	}
	if i := strings.LastIndexByte(n.Output, '_'); i > 0 && c.names[n.Output[:i]] != "" && slices.Contains([]string{"_rounds", "_steps", "_failed", "_items"}, n.Output[i:]) {
		what = "what node " + n.Output[:i] + " counts"
	}
	if what != "" {
		c.bad(path+".output", "%s is %s, and this would overwrite it; choose another key", n.Output, what)
	}
}

// calls says that the node may call tools.
func (n *Node) calls() bool {
	return n.Kind == KindTool || len(n.Tools) > 0 || n.Kind == KindAct && n.Tools == nil
}

func (c *checker) kind(n *Node, here []string, path string) {
	switch n.Kind {
	case KindTransform:
		c.one(path, n.Template != "", "template", n.Pick != "", "pick", n.Set != nil, "set", n.Count != "", "count")
		c.template(n.Template, path+".template")
		if n.Pick != "" {
			c.key(n.Pick, path+".pick")
		}
		if n.Count != "" {
			c.key(n.Count, path+".count")
		}
		c.templates(n.Set, path+".set")
	case KindTool:
		c.templates(n.Arguments, path+".arguments")
	case KindHuman:
		c.template(n.Question, path+".question")
	case KindRouter:
		if n.DefaultNext == "" && !slices.ContainsFunc(n.Choices, func(c Choice) bool { return c.When == nil }) && !c.leaves(n) {
			c.bad(path, "all rules of %s may be false, and then the graph ends without a word; add default_next (a node, or end) or a choice with about", n.Name)
		}
		for i, choice := range n.Choices {
			at := fmt.Sprintf("%s.choices[%d]", path, i)
			c.target(choice.To, here, at+".to", true)
			c.when(choice.When, at+".when")
			if choice.When != nil && choice.About != "" {
				c.bad(at, "a choice has a rule (when) or words for a model (about); give one of them")
			}
		}
	case KindGuard:
		for i, g := range n.Guards {
			if g.Action == "retry" && n.RetryAt == "" {
				c.bad(fmt.Sprintf("%s.guards[%d]", path, i), "retry needs retry_at: the node that tries again; add it")
			}
		}
	case KindLoop, KindRetry:
		c.when(n.Until, path+".until")
		if n.Kind == KindRetry && len(n.Nodes) > 1 {
			c.bad(path+".nodes", "retry holds one node; use loop for several")
		}
		if n.Times > c.limit {
			c.bad(path+".times", "%d rounds are more than max_node_iterations (%d); raise that limit or lower this", n.Times, c.limit)
		}
		c.level(n.Nodes, n.Edges, n.Entry, path, path+".nodes")
	case KindParallel:
		if len(n.Nodes) == 1 {
			c.bad(path+".nodes", "parallel holds at least two nodes; add another")
		}
		c.loose(n.Nodes, path+".nodes", n.Kind)
		c.writers(n.Nodes, path+".nodes")
		c.level(n.Nodes, nil, "", path, path+".nodes")
	case KindSubgraph:
		c.one(path, n.Nodes != nil, "nodes", n.Use != "", "use")
		c.level(n.Nodes, n.Edges, n.Entry, path, path+".nodes")
	case KindFanOut:
		c.one(path, n.Instructions != "", "instructions", n.Tool != "", "tool")
		c.key(n.Over, path+".over")
		c.templates(n.Arguments, path+".arguments", "item")
	case KindAutonomous:
		if n.MaxSteps >= c.limit {
			c.bad(path+".max_steps", "%d steps are not fewer than max_node_iterations (%d); raise that limit or lower this", n.MaxSteps, c.limit)
		}
		c.loose(n.Pool, path+".pool", n.Kind)
		c.level(n.Pool, nil, "", path, path+".pool")
	}
}

// loose insists that nodes have no ways of their own.
func (c *checker) loose(nodes Nodes, path, kind string) {
	for i, n := range nodes {
		if n.DefaultNext != "" || n.Transitions != nil || n.OnError != "" {
			c.bad(fmt.Sprintf("%s[%d]", path, i), "nodes inside %s have no default_next, transitions or on_error; leave them out", kind)
		}
	}
}

// one insists on exactly one of several fields, given as pairs of set and name.
func (c *checker) one(path string, pairs ...any) {
	var names, set []string
	for i := 0; i < len(pairs); i += 2 {
		names = append(names, pairs[i+1].(string))
		if pairs[i].(bool) {
			set = append(set, pairs[i+1].(string))
		}
	}
	if len(set) != 1 {
		c.bad(path, "give exactly one of %s", strings.Join(names, ", "))
	}
}

func (c *checker) template(text, path string, also ...string) {
	w, err := newWordings(text)
	if err != nil {
		c.bad(path, "%s", err)
		return
	}
	for _, key := range w.keys {
		if message := c.unwritten(key); message != "" && !slices.Contains(also, key) {
			c.bad(path, "%s", message)
		}
	}
}

// templates checks the texts inside a value, each at its own place.
func (c *checker) templates(v any, path string, also ...string) {
	switch v := v.(type) {
	case string:
		c.template(v, path, also...)
	case map[string]any:
		for _, key := range sortedKeys(v) {
			c.templates(v[key], join(path, key), also...)
		}
	case []any:
		for i, each := range v {
			c.templates(each, fmt.Sprintf("%s[%d]", path, i), also...)
		}
	}
}

// leaves says that edges lead on from a node whatever the rules say.
func (c *checker) leaves(n *Node) bool {
	return slices.ContainsFunc(c.edges, func(e Edge) bool { return e.From == n.Name && e.When == nil && e.Type != "error" && e.Type != "choice" })
}

// writers refuses two branches that write the same key side by side.
func (c *checker) writers(branches Nodes, path string) {
	first := map[string]string{}
	for i := range branches {
		mine := map[string]bool{}
		outputs(branches[i:i+1], path, i, func(n *Node, at string) {
			keys := []string{n.Output}
			if n.Kind == KindPlan {
				keys = append(keys, "the plan")
			}
			for _, key := range keys {
				other := first[key]
				switch {
				case key == "":
				case other != "" && !mine[key] && key == "the plan":
					c.bad(at, "%s and %s run side by side and both make the plan; let one of them", other, n.Name)
				case other != "" && !mine[key]:
					c.bad(at+".output", "%s and %s run side by side and both write %s; give one of them another key", other, n.Name, key)
				case other == "":
					first[key], mine[key] = n.Name, true
				}
			}
		})
	}
}

// outputs goes through nodes and those inside them.
func outputs(nodes Nodes, path string, from int, see func(n *Node, at string)) {
	for i := range nodes {
		at := fmt.Sprintf("%s[%d]", path, from+i)
		see(&nodes[i], at)
		outputs(nodes[i].Nodes, at+".nodes", 0, see)
		outputs(nodes[i].Pool, at+".pool", 0, see)
	}
}

func (c *checker) when(w *When, path string) {
	if w == nil {
		return
	}
	if w.Expression != "" {
		// Each takes half a millisecond.
		if c.expressions++; c.expressions == maxExpressions+1 {
			c.bad(path, "the file has more than %d expressions; split the graph into smaller ones", maxExpressions)
		}
		if c.expressions > maxExpressions {
			return
		}
	}
	r, err := w.compile()
	var at *expression.Error
	switch {
	case errors.As(err, &at):
		c.found = append(c.found, c.d.atCharacter(path, w.Expression, at.At, "%s", at.Message))
		return
	case err != nil:
		c.bad(path, "%s", err)
	}
	if r.expression == nil {
		c.key(w.Key, path+".key")
		return
	}
	for _, o := range r.expression.Operands() {
		if message := c.unwritten(o.Name); message != "" {
			c.found = append(c.found, c.d.atCharacter(path, w.Expression, o.At, "%s", message))
		}
	}
}

func (c *checker) edge(e Edge, here []string, path string) {
	c.target(e.From, here, path+".from", false)
	c.target(e.To, here, path+".to", e.Type != "join_input" && e.Type != "parallel_branch" && e.Type != "error")
	c.when(e.When, path+".when")
	switch {
	case e.When != nil && e.Type != "" && e.Type != "conditional" && e.Type != "safety", e.When == nil && (e.Type == "conditional" || e.Type == "safety"):
		c.bad(path, "conditional edges have a rule (when), safety edges too, and no others; add it or change the type")
	case (e.Match != "") != (e.Type == "match"):
		c.bad(path, "match edges have the output that they match (match), and no others; add it or change the type")
	}
}

// choice insists that nothing but a node that decides is led on by what it puts out.
func (c *checker) choice(n *Node, e Edge, path string) {
	switch {
	case n.Kind == KindRouter || n.Kind == KindAutonomous || slices.Contains(n.Routes, e.To):
	case slices.Contains(formOf(n.Kind).takes, "routes"):
		c.bad(path, "the answer of %s leads to %s only if its routes say so; write routes: [%s] at %s and leave this edge out", n.Name, e.To, e.To, n.Name)
	default:
		c.bad(path, "a node of kind %s decides nothing, so a choice edge out of it leads nowhere; use a router, transitions, or an edge with a rule (when)", n.Kind)
	}
}

// sideBySide refuses branches that would each have the last word.
func (c *checker) sideBySide(nodes Nodes, edges []Edge, path string) {
	last := map[string]string{} // by the node that they branch from
	for i, n := range nodes {
		for _, e := range edges {
			if e.Type != "parallel_branch" || e.To != n.Name || !ending(&n, edges) {
				continue
			}
			if other := last[e.From]; other != "" {
				c.bad(fmt.Sprintf("%s[%d]", path, i), "%s and %s run side by side and both end the graph; lead both to one node with join_input edges", other, n.Name)
			}
			last[e.From] = n.Name
		}
	}
}

func (c *checker) all() []string { return sortedKeys(c.names) }

// raw is the mapping at a path of the file, to see which fields are written.
func (c *checker) raw(path string) (map[string]any, bool) {
	if c.d == nil || c.d.value == nil {
		return nil, false
	}
	v, ok := within(c.d.value, strings.NewReplacer("[", ".", "]", "").Replace(path))
	m, isMap := v.(map[string]any)
	return m, ok && isMap
}

var quotedName = regexp.MustCompile(`"([a-z][a-z0-9_/]*)"|edge ([a-z0-9_]+) →`)

// fromGraph finds the places of mistakes that the engine's own rules found.
func (c *checker) fromGraph(err error) {
	list := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		list = joined.Unwrap()
	}
	for _, each := range list {
		text := strings.TrimPrefix(each.Error(), "graph: ")
		path := ""
		var of *nodeError
		if errors.As(each, &of) {
			c.bad(c.names[of.node], "%s", strings.TrimPrefix(of.err.Error(), "prompt: "))
			continue
		}
		if m := quotedName.FindStringSubmatch(text); m != nil {
			name := m[1] + m[2]
			path = c.names[name[strings.LastIndex(name, "/")+1:]]
		}
		c.bad(path, "%s", text)
	}
}
