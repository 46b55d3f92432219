package definition

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/types"

	"holdpoint/engine/expression"
	"holdpoint/engine/graph"
)

// fixedKeys are in the context of every run.
var fixedKeys = []string{"input", "vars", errorKey, runKey}

// checker goes through a definition that fits the schema and finds what the
// schema cannot say.
type checker struct {
	d     *document
	found Problems
	// warned is what is odd and does not keep the graph from running.
	warned Problems
	// names are all nodes of the file by the path of their first place, keys what
	// stands in the context at some time.
	names map[string]string
	keys  []string
	vars  map[string]Value
	nodes Nodes
	ruled []Rule
	// instructed is what all nodes that ask a model are told first.
	instructed string
	// handled are nodes after whose failure something follows, or that end the run with it.
	handled map[string]bool
	// lacking are keys by whether they may have no value, as far as it was asked.
	lacking map[string]bool
	// compiled and domains are what was worked out before, by text and by path.
	compiled map[string]compiledRule
	domains  map[string]*domain
	// words are what a rule reads besides the context, while it is looked at.
	words []string
	// typed are the types of what nodes put out, by key; nil before anybody asked.
	typed map[string]types.Type
	// read are the keys that each text with templates reads.
	read  map[string][]string
	limit int
	// free lets a node read keys that nobody is known to write: other nodes may have
	// been added before it.
	free        bool
	expressions int
	many        bool // the file has more expressions than are read, and that was said
	// members are those that the words of a rule have, by word.
	members map[string][]string
	// flow are the nodes that each node of a list leads to, by the path of the list, and
	// starts those that begin side by side along edges; neither of lists that are not known.
	// reach are those that it leads to in the end, as far as it was asked.
	flow   map[string]map[string]map[string]bool
	reach  map[string]map[string]map[string]bool
	starts map[string][][]string
	// edges are those of the level in hand.
	edges   []Edge
	edgesAt string
}

func newChecker(def *Definition) *checker {
	return &checker{names: map[string]string{}, compiled: map[string]compiledRule{}, domains: map[string]*domain{}, read: map[string][]string{}, handled: map[string]bool{}, lacking: map[string]bool{},
		flow: map[string]map[string]map[string]bool{}, reach: map[string]map[string]map[string]bool{}, starts: map[string][][]string{}, vars: def.Vars, limit: or(def.Limits.MaxNodeIterations, defaultNodeIterations)}
}

func check(def *Definition, d *document) *checker {
	c := newChecker(def)
	c.instructed = def.Instructions
	c.d, c.keys, c.nodes, c.ruled, c.free = d, slices.Clone(fixedKeys), def.Nodes, def.Rules, def.Mutable && len(def.MayAdd) > 0
	c.collect(def.Nodes, "nodes")
	c.failures(def.Nodes, def.Edges, false)
	for _, r := range def.Rules {
		if r.Event == BeforeNode || r.Event == AfterNode {
			c.keys = append(c.keys, sortedKeys(r.Set)...)
		}
	}
	if l, ok := c.raw("limits"); ok && l["max_time"] != nil && def.Limits.MaxTime == 0 {
		c.bad("limits.max_time", "a run needs some time; leave max_time out for no limit")
	}
	c.declared(def)
	c.level(def.Nodes, def.Edges, def.Entry, "", "nodes", "")
	c.rules(def)
	c.early(def.Nodes)
	if len(def.MayAdd) > 0 && !def.Mutable {
		c.bad("may_add", "may_add is for mutable graphs; add mutable: true or leave it out")
	}
	if len(c.found) > 0 || d != nil && d.misshapen {
		return c
	}
	spec, err := compile(*def)
	if err == nil {
		_, err = graph.New(spec)
	}
	if err != nil {
		c.fromGraph(err)
	}
	return c
}

func (c *checker) warn(path, format string, args ...any) {
	c.warned = append(c.warned, c.d.at(path, format, args...))
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
		case n.Name == "": // the schema says so
		case n.Name == "start" || n.Name == "end":
			c.bad(at+".name", "%s is the name of an end of every graph; choose another", n.Name)
		case ok && n.Name == string(graph.ErrorStage) && first[:strings.LastIndexByte(first, '[')] != path:
			// each list may have one
		case ok:
			c.bad(at+".name", "a node at %s has the name %s, too; choose another", first, n.Name)
		default:
			c.names[n.Name] = at
		}
		c.keys = append(c.keys, n.writes()...)
		c.collect(n.Nodes, at+".nodes")
		c.collect(n.Pool, at+".pool")
	}
}

// level checks a list of nodes; inside is the kind of the node around them.
func (c *checker) level(nodes Nodes, edges []Edge, entry, prefix, path, inside string) {
	here := make([]string, len(nodes))
	for i, n := range nodes {
		here[i] = n.Name
	}
	if entry != "" && !slices.Contains(here, entry) {
		c.bad(join(prefix, "entry"), "there is no node %s here%s", entry, suggest(entry, here))
	}
	for i := range nodes {
		c.edges, c.edgesAt = edges, join(prefix, "edges")
		c.node(&nodes[i], here, fmt.Sprintf("%s[%d]", path, i))
	}
	for i, e := range edges {
		at := fmt.Sprintf("%s[%d]", join(prefix, "edges"), i)
		c.edge(e, here, at)
		if from := slices.IndexFunc(nodes, func(n Node) bool { return n.Name == e.From }); from >= 0 && e.Type == "choice" {
			c.choice(&nodes[from], e, at)
		}
	}
	switch inside {
	case KindParallel:
		c.flow[path] = choiceWays(nodes)
	case KindAutonomous, KindRetry: // the node around says what follows
	default:
		c.branches(nodes, edges, join(prefix, "edges"))
		c.paths(nodes, edges, entry, prefix, path)
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
	if f.kind == "" {
		return // the schema says so
	}
	if raw, ok := c.raw(path); ok {
		c.fields(f, raw, path)
	}
	c.target(n.DefaultNext, here, path+".default_next", true)
	c.target(n.OnError, here, path+".on_error", false)
	c.target(n.RetryAt, here, path+".retry_at", false)
	for i, name := range n.Routes {
		c.target(name, here, fmt.Sprintf("%s.routes[%d]", path, i), true)
	}
	for list, inner := range map[string]Nodes{"nodes": n.Nodes, "pool": n.Pool} {
		for i, each := range inner {
			if own := ownStep[n.Kind]; own != "" && each.Name == n.Name+own {
				c.bad(fmt.Sprintf("%s.%s[%d].name", path, list, i), "%s is the name of a step that %s has of its own; choose another", each.Name, n.Name)
			}
		}
	}
	for _, out := range sortedKeys(n.Transitions) {
		if out == "" {
			c.bad(path+".transitions", "an empty text is nothing to go by; name what the output says, or write default_next")
		}
		c.target(n.Transitions[out], here, join(path+".transitions", out), true)
	}
	for i, key := range n.Inputs {
		c.key(key, fmt.Sprintf("%s.inputs[%d]", path, i))
	}
	for i, name := range n.Inherit {
		if c.names[name] == "" {
			c.bad(fmt.Sprintf("%s.inherit_context_from[%d]", path, i), "%s", phrase("there is no node %s%s", name, suggest(name, c.all())))
		}
	}
	c.flags(n, path)
	if n.Output != "" {
		c.keeps(n.Output, n.Name, path+".output", false)
	}
	for i, g := range n.Guards {
		if err := g.check(); err != nil {
			c.bad(fmt.Sprintf("%s.guards[%d]", path, i), "%s", err)
		}
	}
	if n.Schema != nil {
		switch _, err := compileSchema(n.Schema); {
		case err != nil:
			c.bad(path+".output_schema", "%s", err)
		case !n.answersInObjects() && f.asks:
			c.bad(path+".output_schema", "%s", noObject)
		case !n.answersInObjects() && n.Kind == KindFanOut && n.Tool == "":
			c.warn(path+".output_schema", "%s", noObject)
		}
	}
	if (n.Perspective == "custom") != (n.PerspectiveText != "") {
		c.bad(path, "perspective custom and perspective_text belong together; give both or neither")
	}
	c.asItStands(n.PerspectiveText, path+".perspective_text")
	c.asItStands(n.Title, path+".title")
	for i, answer := range n.Answers {
		c.asItStands(answer, fmt.Sprintf("%s.answers[%d]", path, i))
	}
	for i, g := range n.Guards {
		c.asItStands(g.Ask, fmt.Sprintf("%s.guards[%d].ask", path, i))
	}
	c.instructions(n.Instructions, path+".instructions", n.Kind == KindFanOut)
	for i, text := range n.Blocks {
		c.instructions(text, fmt.Sprintf("%s.blocks[%d]", path, i), false)
	}
	c.templates(n.Before, path+".before")
	c.template(n.After, path+".after", "output")
	for _, key := range sortedKeys(n.Before) {
		c.keeps(key, "", join(path+".before", key), true)
		if slices.Contains(n.Flags, "isolated_context") {
			c.bad(join(path+".before", key), "isolated_context hides all but the inputs, %s too; work it out in a node before", key)
		}
	}
	c.kind(n, here, path)
}

// ownStep is how the names end of the steps that nodes made of nodes have of their own, by kind.
var ownStep = map[string]string{KindLoop: "_check", KindRetry: "_check", KindAutonomous: "_choose", KindParallel: "_join"}

// noObject says what is asked of models.
const noObject = "what a model answers is an object, so the schema is that of one (type: object); put this into one of its properties"

// answersInObjects says whether the schema of the output is that of an object.
func (n *Node) answersInObjects() bool {
	var s struct {
		Type any `json:"type"`
	}
	return json.Unmarshal(n.Schema, &s) == nil && s.Type == "object"
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
		switch v, ok := raw[key]; {
		case !ok:
			c.bad(path, "a node of kind %s needs %s; add it", f.kind, key)
		case v == "":
			c.bad(join(path, key), "%s is empty, and a node of kind %s needs it; write it", key, f.kind)
		}
	}
}

func (c *checker) key(path, at string) {
	if message := c.unwritten(keyOf(path)); message != "" {
		c.bad(at, "%s", message)
	}
	c.gone(keyOf(path), at)
	c.ofRoute(path, func(format string, args ...any) { c.bad(at, format, args...) })
}

// acts says that the node may change something.
func (n *Node) acts() bool {
	return !n.has("readonly") && (n.calls() || n.Kind == KindFanOut && n.Tool != "" || formOf(n.Kind).asks && len(n.Skills) > 0)
}

// calls says that the node may call tools.
func (n *Node) calls() bool {
	return n.Kind == KindTool || len(n.Tools) > 0 && n.Kind != KindFanOut || n.Kind == KindAct && n.Tools == nil
}

func (c *checker) kind(n *Node, here []string, path string) {
	switch n.Kind {
	case KindTransform:
		c.one(path, n.Template != "", "template", n.Pick != "", "pick", n.Set != nil, "set", n.Count != "", "count")
		c.template(n.Template, path+".template")
		if n.Pick != "" {
			c.key(n.Pick, path+".pick")
			c.statusPath(n.Pick, "", path+".pick")
		}
		if n.Count != "" {
			c.key(n.Count, path+".count")
		}
		c.templates(n.Set, path+".set")
	case KindTool:
		c.templates(n.Arguments, path+".arguments")
	case KindHuman:
		c.template(n.Question, path+".question")
		for i, answer := range n.Answers {
			at := fmt.Sprintf("%s.answers[%d]", path, i)
			switch {
			case strings.TrimSpace(answer) == "":
				c.bad(at, "nobody can choose an empty answer; write it or leave it out")
			case slices.ContainsFunc(n.Answers[:i], func(other string) bool { return strings.EqualFold(strings.TrimSpace(other), strings.TrimSpace(answer)) }):
				c.bad(at, "%q stands twice; keep one of them", clip(answer, 60))
			}
		}
		if n.Answer != nil && n.Answers != nil {
			c.bad(path, "give answers, or what the answer is (answer: {type: string, enum: […]}), not both")
		}
		if n.Answer != nil {
			c.value(n.Answer, path+".answer")
			if n.Answer.Default != nil || n.Answer.Required {
				c.bad(path+".answer", "a person is waited for, so an answer has no default and need not be required; leave that out")
			}
		}
	case KindRouter:
		if n.DefaultNext == "" && !c.certain(n) && !c.leaves(n) {
			c.bad(path, "all rules of %s may be false, and then the graph ends without a word; add default_next (a node, or end) or a choice with about", n.Name)
		}
		if n.mute(c.edges) {
			c.unsure(n, path)
		}
		for i, choice := range n.Choices {
			at := fmt.Sprintf("%s.choices[%d]", path, i)
			c.target(choice.To, here, at+".to", true)
			c.when(choice.When, at+".when")
			c.asItStands(choice.About, at+".about")
			if choice.When != nil && choice.About != "" {
				c.bad(at, "a choice has a rule (when) or words for a model (about); give one of them")
			}
		}
	case KindGuard:
		for i, g := range n.Guards {
			if g.Action == "retry" && n.RetryAt == "" {
				c.bad(fmt.Sprintf("%s.guards[%d]", path, i), "retry needs retry_at: the node that tries again; add it to %s, beside guards", n.Name)
			}
		}
	case KindLoop, KindRetry:
		c.when(n.Until, path+".until")
		if why := c.never(n.Until); why != "" {
			c.warn(path+".until", "this can never hold, so every round is run: %s", why)
		}
		c.count(n.Times, maxTimes, path+".times")
		if n.Kind == KindRetry && len(n.Nodes) > 1 {
			c.bad(path+".nodes", "retry holds one node; use loop for several")
		}
		if most, _ := n.Times.fixed(); most > c.limit {
			c.bad(path+".times", "%d rounds are more than max_node_iterations (%d); raise that limit or lower this", most, c.limit)
		}
		c.level(n.Nodes, n.Edges, n.Entry, path, path+".nodes", n.Kind)
		c.idleRounds(n, path)
	case KindParallel:
		if len(n.Nodes) == 1 {
			c.bad(path+".nodes", "parallel holds at least two nodes; add another")
		}
		if reached := n.chosen(); !slices.ContainsFunc(n.Nodes, func(b Node) bool { return !reached[b.Name] }) && len(n.Nodes) > 1 {
			c.bad(path+".nodes", "every branch waits to be chosen by another one, so none begins; leave one out of the choices")
		}
		c.loose(n.Nodes, path+".nodes", n.Kind)
		c.writers(n.Nodes, path+".nodes")
		c.level(n.Nodes, nil, "", path, path+".nodes", n.Kind)
	case KindSubgraph:
		c.one(path, n.Nodes != nil, "nodes", n.Use != "", "use")
		c.uses(n, path)
		c.level(n.Nodes, n.Edges, n.Entry, path, path+".nodes", n.Kind)
	case KindFanOut:
		c.one(path, n.Instructions != "", "instructions", n.Tool != "", "tool")
		if n.Tool != "" && n.Tools != nil {
			c.bad(path+".tools", "tools are for items that a model works on; with tool each item is one call of it")
		}
		c.key(n.Over, path+".over")
		if n.Over == "input" {
			c.bad(path+".over", "input is a text, and fan_out works on a list; let a plan or a prompt with an output_schema make one")
		} else if what := scalar(c.types()[n.Over]); what != "" {
			c.warn(path+".over", "%s is %s, and fan_out works on a list, so this fails; let a plan or a prompt with an output_schema make one", n.Over, what)
		}
		c.templates(n.Arguments, path+".arguments", "item")
	case KindAutonomous:
		c.count(n.MaxSteps, maxSteps, path+".max_steps")
		if most, _ := n.MaxSteps.fixed(); most >= c.limit {
			c.bad(path+".max_steps", "%d steps are not fewer than max_node_iterations (%d); raise that limit or lower this", most, c.limit)
		}
		c.loose(n.Pool, path+".pool", n.Kind)
		c.level(n.Pool, nil, "", path, path+".pool", n.Kind)
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
	raw, _ := c.raw(path)
	if len(set) == 0 && slices.ContainsFunc(names, func(name string) bool { v, given := raw[name]; return given && v == nil }) {
		return // what is there does not fit, and that was said
	}
	if len(set) != 1 {
		c.bad(path, "give exactly one of %s", strings.Join(names, ", "))
	}
}

// count checks a number from 1 to most that may be an expression.
func (c *checker) count(n Count, most int, path string) {
	if at := strings.LastIndexByte(path, '.'); at > 0 {
		raw, _ := c.raw(path[:at])
		if zero, written := raw[path[at+1:]].(json.Number); written && zero == "0" {
			c.bad(path, "0 is too small; use at least 1, or leave the field out")
			return
		}
	}
	if _, fixed := n.fixed(); fixed {
		return
	}
	if e, ok := whole(string(n), c.vars); ok && len(e.Operands()) == 0 {
		if v, err := e.Value(nil, nil); err == nil {
			if fixed, whole := v.(int); !whole || fixed < 1 || fixed > most {
				c.bad(path, "%s is %s, and must be a whole number from 1 to %d", e, clip(expression.Words(v), 40), most)
				return
			}
		}
	}
	if _, err := n.at(1, 1, c.vars); err != nil {
		if _, err := newWordings(string(n), c.vars); err != nil {
			c.template(string(n), path)
			return
		}
		c.bad(path, "%s", err)
		return
	}
	c.template(string(n), path)
}

// value checks a declaration.
func (c *checker) value(v *Value, path string) {
	if valueTypes[v.Type] == "" {
		return // the schema says so
	}
	if err := v.check(); err != nil {
		c.bad(path, "%s", strings.TrimPrefix(err.Error(), "definition: "))
	}
}

// declared checks what the graph says of itself.
func (c *checker) declared(def *Definition) {
	for _, name := range sortedKeys(def.Vars) {
		v, path := def.Vars[name], "vars."+name
		if slices.Contains(runVars, name) || name == "input" {
			c.found = append(c.found, c.d.atKey(path, "%s is a name of the run's own; choose another", name))
		}
		c.value(&v, path)
	}
	for i, key := range def.Outputs {
		c.key(key, fmt.Sprintf("outputs[%d]", i))
	}
	c.instructions(def.Instructions, "instructions", false)
}

// uses checks what a node hands to its pattern and takes from it.
func (c *checker) uses(n *Node, path string) {
	p, err := ByPattern(n.Use)
	if raw, ok := c.raw(path); ok && n.Use == "" {
		if _, given := raw["use"]; given {
			return // it does not fit, and that was said
		}
	}
	if err != nil {
		for field, given := range map[string]bool{"with": n.With != nil, "takes": n.Takes != nil} {
			if given {
				c.bad(path+"."+field, "%s is for a pattern (use); nodes of a subgraph share the graph's context, so leave it out", field)
			}
		}
		return
	}
	inner := p.Definition
	for _, name := range sortedKeys(n.With) {
		at := join(path+".with", name)
		v, declared := inner.Vars[name]
		switch {
		case !declared && name != "input":
			c.found = append(c.found, c.d.atKey(at, "%s", misnamed(n.Use, name, sortedKeys(inner.Vars), "%s has no var %s; did you mean %s? It takes %s", "%s has no var %s; it takes %s", strings.Join(append(sortedKeys(inner.Vars), "input"), ", "))))
		case handsIn(n.With[name]):
			c.templates(n.With[name], at)
		case declared:
			if _, err := inner.varOf(name, plainValue(n.With[name])); err != nil {
				c.bad(at, "%s must be %s", name, v.wanted())
			}
		}
	}
	for _, name := range sortedKeys(inner.Vars) {
		if _, given := n.With[name]; inner.Vars[name].Required && !given {
			v := inner.Vars[name]
			c.bad(path, "%s needs %s, %s; hand it in with: {%s: …}", n.Use, name, v.wanted(), name)
		}
	}
	for _, key := range sortedKeys(n.Takes) {
		at := join(path+".takes", key)
		if !slices.Contains(inner.Outputs, n.Takes[key]) {
			c.bad(at, "%s", misnamed(n.Use, n.Takes[key], inner.Outputs, "%s gives out no %s; did you mean %s? It has %s", "%s gives out no %s; it has %s", or(strings.Join(inner.Outputs, ", "), phrase("no outputs"))))
		}
		c.keeps(key, "", at, true)
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

// failures notes the nodes after whose failure something follows: themselves, or a node
// around them, leads on then.
func (c *checker) failures(nodes Nodes, edges []Edge, around bool) {
	for i := range nodes {
		n := &nodes[i]
		here := around || handles(n, edges)
		c.handled[n.Name] = here
		c.failures(n.Nodes, n.Edges, here)
		c.failures(n.Pool, nil, here)
	}
}

func (c *checker) all() []string { return sortedKeys(c.names) }

// raw is the mapping at a path of the file, to see which fields are written.
func (c *checker) raw(path string) (map[string]any, bool) {
	if c.d == nil || c.d.value == nil {
		return nil, false
	}
	v, ok := inside(c.d.value, dotted(path))
	m, isMap := v.(map[string]any)
	return m, ok && isMap
}
