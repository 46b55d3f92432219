package definition

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/memory"
	"holdpoint/engine/model"
	"holdpoint/engine/prompt"
	"holdpoint/engine/turn"
)

// Rule says what is to happen at a moment of a run: at a node, at a call of a tool, at a
// change of the graph. It becomes a hook; rules are asked in the order of the file.
type Rule struct {
	Name        string         `json:"name" jsonschema:"name for the journal: lower-case letters, digits and underscores"`
	Description string         `json:"description,omitempty" jsonschema:"what the rule is for"`
	Event       string         `json:"event" jsonschema:"when the rule is asked"`
	Nodes       []string       `json:"nodes,omitempty" jsonschema:"nodes that it is about, by name or pattern such as draft_*; all when left out"`
	Tools       []string       `json:"tools,omitempty" jsonschema:"tools that it is about, by name or pattern; all when left out"`
	When        *When          `json:"when,omitempty" jsonschema:"condition; always when left out"`
	Verdict     string         `json:"verdict" jsonschema:"what happens"`
	Reason      string         `json:"reason,omitempty" jsonschema:"why, for the person and for a model that is refused"`
	Set         map[string]any `json:"set,omitempty" jsonschema:"for the verdict set: keys of the context at a node, members of the arguments or the result at a call; texts may hold {{ … }}"`
}

// Events of rules, in the words of package graph's hooks and, for calls, of other rules.
const (
	BeforeNode     = "before_node"
	AfterNode      = "after_node"
	BeforeToolCall = "before_tool_call"
	AfterToolCall  = "after_tool_call"
	Observed       = "on_observable_event"
	HumanRequired  = "on_human_required"
	GraphMutation  = "on_graph_mutation"
	OnError        = "on_error"
)

// Verdicts of rules.
const (
	Warns   = string(journal.RuleWarns)
	Sets    = string(journal.RuleSets)
	Skips   = string(journal.RuleSkips)
	Holds   = string(journal.RuleHolds)
	Refuses = string(journal.RuleRefuses)
	Ends    = string(journal.RuleEnds)
)

// moment is an event with what may happen there, and what its rules can read besides the
// context.
type moment struct {
	event    string
	verdicts []string
	words    []string
}

var moments = []moment{
	{BeforeNode, []string{Warns, Sets, Skips, Holds, Refuses, Ends}, nil},
	{AfterNode, []string{Warns, Sets, Refuses, Ends}, []string{"output"}},
	{BeforeToolCall, []string{Warns, Sets, Refuses}, []string{"tool", "args"}},
	{AfterToolCall, []string{Warns, Sets}, []string{"tool", "args", "result", "failed"}},
	{Observed, []string{Warns}, []string{"metrics"}},
	{HumanRequired, []string{Warns}, []string{"pauses"}},
	{GraphMutation, []string{Warns, Refuses}, []string{"mutation"}},
	{OnError, []string{Warns}, []string{errorKey}},
}

// momentsOf names the events whose rules can read a word; "" where it is none.
func momentsOf(word string) string {
	var out []string
	for _, m := range moments {
		if slices.Contains(m.words, word) {
			out = append(out, m.event)
		}
	}
	return strings.Join(out, ", ")
}

// members are those of the words whose members are the same in every run.
var members = map[string][]string{
	"tool":     {"name", "mutates", "server"},
	"metrics":  {"took_ms", "tokens", "cached", "skipped", "failed", "over_time", "output_bytes", "attempt"},
	"mutation": {"op", "id", "reason", "stage", "edge"},
}

// kindsOf are what members of words are one of.
var kindsOf = map[string][]string{
	"mutation.op":      {graph.AddStage, graph.AddEdge, graph.RemoveEdge},
	errorKey + ".kind": {graph.KindFailed, graph.KindRefused, graph.KindRejected, graph.KindUnknown, graph.KindLimited},
}

// membersAt are the members of the words of an event.
func membersAt(m moment) map[string][]string {
	out := map[string][]string{}
	for _, word := range m.words {
		if members[word] != nil {
			out[word] = members[word]
		}
	}
	return out
}

// membersIn refuses members that a word of a rule does not have.
func (c *checker) membersIn(e *Expression, path, text string) {
	if len(c.members) == 0 {
		return
	}
	tree := e.Tree()
	ast.Walk(&tree, visit(func(n ast.Node) {
		word, name, at := member(n)
		if known := c.members[word]; known != nil && !slices.Contains(known, name) {
			c.found = append(c.found, c.d.atCharacter(path, text, at, "%s", noMember(word, name, known)))
		}
	}))
}

// noMember says that a word of a rule does not have a member, and which it has.
func noMember(word, name string, known []string) string {
	return misnamed(word, name, known, "%s has no %s; did you mean %s? It has %s", "%s has no member %s; it has %s", strings.Join(known, ", "))
}

// member is a member of a key that is read by name: key.name; word is "" for anything else.
func member(n ast.Node) (word, name string, at int) {
	m, ok := n.(*ast.MemberNode)
	if !ok {
		return "", "", 0
	}
	base, isKey := m.Node.(*ast.IdentifierNode)
	property, isText := m.Property.(*ast.StringNode)
	if !isKey || !isText {
		return "", "", 0
	}
	return base.Value, property.Value, m.Location().From
}

// everyWord can be read at every event.
var everyWord = []string{"event", "stage", runKey}

func momentOf(event string) moment {
	i := slices.IndexFunc(moments, func(m moment) bool { return m.event == event })
	if i < 0 {
		return moment{}
	}
	return moments[i]
}

// maxRulesInFile bounds the rules of a graph: each is asked at each of its events.
const maxRulesInFile = 100

// matches says whether a name is one of the patterns; none match all.
func matches(patterns []string, name string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return ok && err == nil
	})
}

// fired is a compiled rule.
type fired struct {
	*Rule
	rule  *rule // nil for always
	reads []string
	set   filling
}

// hooks compiles the rules of the definition, one set of hooks each.
func (c *compiler) hooks() ([]graph.Hooks, error) {
	var out []graph.Hooks
	for i := range c.def.Rules {
		f := &fired{Rule: &c.def.Rules[i], set: newFilling(c.def.Rules[i].Set, c.def.Vars), reads: keysIn(c.def.Rules[i].Set, c.def.Vars)}
		if f.When != nil {
			r, err := f.When.compile(c.def.Vars)
			if err != nil {
				return nil, err
			}
			f.rule, f.reads = &r, append(f.reads, f.When.reads(c.def.Vars)...)
		}
		h := graph.Hooks{Name: f.Name}
		switch f.Event {
		case BeforeNode:
			h.PreStage = f.beforeNode
		case AfterNode:
			h.PostStage = f.afterNode
		case BeforeToolCall:
			h.PreTool = f.beforeCall
		case AfterToolCall:
			h.PostTool = f.afterCall
		case Observed:
			h.OnObservable = func(_ context.Context, t *graph.Task, m graph.Metrics) {
				f.warn(t, map[string]any{"metrics": metricsOf(m)})
			}
		case HumanRequired:
			h.OnHuman = func(_ context.Context, t *graph.Task, pauses []graph.Pause) {
				f.warn(t, map[string]any{"pauses": pausesOf(pauses)})
			}
		case GraphMutation:
			h.OnMutation = f.onMutation
		case OnError:
			h.OnError = func(_ context.Context, t *graph.Task, err error) {
				f.warn(t, map[string]any{errorKey: graph.Failure{Outer: graph.StageID(nodeOf(t)), Stage: t.Stage, Kind: graph.KindOf(err), Message: err.Error()}})
			}
		}
		out = append(out, h)
	}
	return out, nil
}

// nodeOf is the author's name of a task's node.
func nodeOf(t *graph.Task) string {
	_, name, _ := cutLast(string(t.Stage))
	return name
}

// about says whether the rule is about the node: never about the stages that the compiler
// adds, nor about those that look after a person in danger.
func (f *fired) about(t *graph.Task) bool {
	return formOf(t.Compiled.Stage.Kind).kind != "" && matches(f.Nodes, nodeOf(t))
}

// asked answers the condition with what it read. A rule that refuses or holds and cannot be
// decided does so: it guards something. Any other is passed over, and says why.
func (f *fired) asked(t *graph.Task, words map[string]any) (holds bool, read map[string]json.RawMessage, err error) {
	if !f.about(t) {
		return false, nil, nil
	}
	read = maps.Clone(sight(t, f.reads, 0))
	if read == nil {
		read = map[string]json.RawMessage{}
	}
	words["event"], words["stage"] = f.Event, nodeOf(t)
	for name, v := range words {
		raw, err := json.Marshal(v)
		if err != nil {
			return false, nil, err
		}
		read[name] = raw
	}
	if f.rule == nil {
		return true, read, nil
	}
	holds, err = f.rule.holds(read)
	if err != nil && (f.Verdict == Refuses || f.Verdict == Holds) {
		return true, read, err
	}
	return holds, read, err
}

// why is what the rule says, and that it could not be decided.
func (f *fired) why(err error) string {
	text := "rule " + f.Name
	if f.Reason != "" {
		text += ": " + f.Reason
	}
	if err != nil {
		text += " (it could not be decided: " + cause(err) + ")"
	}
	return clip(text, 400)
}

// tell puts into the journal that the rule fired.
func (f *fired) tell(t *graph.Task, e journal.Event, err error) {
	e.Status, e.Reason = f.Verdict, clip(f.Reason, 400)
	if err != nil {
		e.Error = clip(err.Error(), 400)
	}
	t.Emit(e.With(journal.RuleFiredData{Rule: f.Name, Source: "graph", On: f.Event}))
}

// warn is all that a rule can do where nothing can be changed any more.
func (f *fired) warn(t *graph.Task, words map[string]any) {
	holds, _, err := f.asked(t, words)
	switch {
	case err != nil:
		t.Emit(undecided("rule "+f.Name, err)...)
	case holds:
		f.tell(t, journal.Event{}, nil)
	}
}

var stops = map[string]graph.StopDo{Skips: graph.StopSkip, Holds: graph.StopHold, Refuses: graph.StopRefuse, Ends: graph.StopEnd}

func (f *fired) beforeNode(_ context.Context, t *graph.Task) (graph.Patch, error) {
	holds, read, err := f.asked(t, map[string]any{})
	if !holds {
		return nil, err
	}
	var patch graph.Patch
	if f.Verdict == Sets {
		if patch, err = puts(f.set, read); err != nil {
			return nil, err
		}
	}
	if _, answered := t.Answer(t.Hold()); f.Verdict != Holds || !answered { // what was held is told once
		f.tell(t, journal.Event{}, err)
	}
	if do, ok := stops[f.Verdict]; ok {
		if f.Verdict == Ends && atTop(t) && prompt.Reply.Get(t.State) == "" {
			patch = graph.Patch{prompt.Reply.Set(turn.Reword(t, f.lastWord(t)))}
		}
		return patch, &graph.Stop{Do: do, Reason: f.why(err)}
	}
	return patch, nil
}

// atTop says that the end of the list that a task's node stands in is the end of the turn.
func atTop(t *graph.Task) bool { return !strings.Contains(string(t.Stage), "/") }

// lastWord is what a person is told whose turn a rule ends before anything was said: never nothing.
func (f *fired) lastWord(t *graph.Task) string {
	if f.Reason != "" {
		return clip(f.Reason, 400)
	}
	return turn.Tongue(t).Say("The rule %s ended the turn.", f.Name)
}

func (f *fired) afterNode(_ context.Context, t *graph.Task, r *graph.Result) error {
	output := r.Output
	if output == nil {
		output = json.RawMessage("null")
	}
	holds, read, err := f.asked(t, map[string]any{"output": output})
	if !holds {
		return err
	}
	switch f.Verdict {
	case Sets:
		set, err := f.set(read)
		if err != nil {
			return err
		}
		values, _ := set.(map[string]any)
		r.Patch = slices.Clone(r.Patch)
		for _, key := range sortedKeys(values) {
			if value := model.JSON(values[key]); key == t.Compiled.Stage.Output && r.Raw != nil {
				restate(t, r, value)
			} else {
				r.Patch = append(r.Patch, prompt.Context.Put(key, value))
			}
		}
	case Ends:
		r.Goto, r.Reason = graph.End, f.why(nil)
		if atTop(t) && !slices.ContainsFunc(r.Patch, prompt.Reply.Wrote) {
			// What the node that ends a graph puts out is what the person is told.
			said := plainText(output)
			if formOf(t.Compiled.Stage.Kind).asks {
				said = prompt.Plain(output)
			}
			if r.Output == nil || said == "" {
				said = f.lastWord(t)
			}
			r.Patch = append(slices.Clone(r.Patch), prompt.Reply.Set(turn.Reword(t, said)))
		}
	}
	f.tell(t, journal.Event{}, err)
	if f.Verdict == Refuses {
		return &graph.Stop{Do: graph.StopRefuse, Reason: f.why(err)}
	}
	return nil
}

// rewords says that a rule may change what the node puts out, or not let it out.
func (c *compiler) rewords(n *Node) bool {
	return slices.ContainsFunc(c.ruled, func(r Rule) bool {
		_, own := r.Set[n.Output]
		return r.Event == AfterNode && (own || r.Verdict == Refuses) && matches(r.Nodes, n.Name)
	})
}

// restate makes a node put out another value: all that it said of the first one, to other
// nodes and to the person, it says of this one.
func restate(t *graph.Task, r *graph.Result, value json.RawMessage) {
	s := &t.Compiled.Stage
	asks := formOf(s.Kind).asks
	text := plainText(value)
	if asks {
		text = prompt.Plain(value)
	}
	speaks := slices.ContainsFunc(r.Patch, prompt.Reply.Wrote)
	if speaks {
		if may := turn.Reword(t, text); may != text {
			text, value = may, model.JSON(may)
		}
	}
	r.Output, r.Raw = value, value
	for i, w := range r.Patch {
		switch {
		case prompt.Reply.Wrote(w):
			r.Patch[i] = prompt.Reply.Set(text)
		case prompt.Messages.Wrote(w):
			said := slices.Clone(prompt.Messages.Added(w))
			for k := range said {
				switch m := &said[k]; {
				case m.Role == "tool":
					m.Text = string(value)
				case len(m.Calls) == 0:
					m.Text = text
				}
			}
			r.Patch[i] = prompt.Messages.Add(said...)
		case prompt.Observations.Wrote(w):
			if asks {
				r.Patch[i] = prompt.Observations.Add(prompt.Remark(value))
			}
		case prompt.Reflections.Wrote(w):
			r.Patch[i] = prompt.Reflections.Add(prompt.Remark(value))
		case prompt.Plan.Wrote(w):
			r.Patch[i] = prompt.Plan.Set(prompt.Steps(value))
		}
	}
	r.Events = slices.Clone(r.Events)
	for i := range r.Events {
		if r.Events[i].Kind == journal.Message {
			r.Events[i].Text = text
		}
	}
	if s.Output == scratchpad {
		memory.Notes{Scratchpad: &text}.Write(r, t.Run.Session)
	}
}

// called is a tool as conditions read it.
type called struct {
	Name    string `json:"name"`
	Mutates bool   `json:"mutates"`
	Server  string `json:"server"`
}

func calledOf(t *graph.Task, name string) called {
	c := called{Name: name, Mutates: true} // what is not known counts as changing something
	if d, err := turn.DependenciesOf(t); err == nil && d.Tools != nil {
		if tl, err := d.Tools.Get(name); err == nil {
			c.Mutates, c.Server = tl.Mutates(), tl.Server
		}
	}
	return c
}

func (f *fired) beforeCall(_ context.Context, t *graph.Task, use *graph.ToolUse) error {
	if !matches(f.Tools, use.Tool) || use.Approved && f.Verdict == Sets {
		return nil
	}
	holds, read, err := f.asked(t, map[string]any{"tool": calledOf(t, use.Tool), "args": use.Arguments})
	if !holds {
		return err
	}
	if f.Verdict == Sets {
		if use.Arguments, err = f.amended(use.Arguments, read); err != nil {
			return err
		}
	}
	f.tell(t, journal.Event{Tool: use.Tool, Call: use.Call}, err)
	if f.Verdict == Refuses {
		use.Err = errors.New(f.why(err))
	}
	return nil
}

func (f *fired) afterCall(_ context.Context, t *graph.Task, use *graph.ToolUse) error {
	if !matches(f.Tools, use.Tool) {
		return nil
	}
	result := use.Result
	if !json.Valid(result) {
		result = json.RawMessage("null")
	}
	holds, read, err := f.asked(t, map[string]any{"tool": calledOf(t, use.Tool), "args": use.Arguments, "result": result, "failed": use.Err != nil})
	if !holds {
		return err
	}
	if f.Verdict == Sets {
		if use.Result, err = f.amended(result, read); err != nil {
			return err
		}
	}
	f.tell(t, journal.Event{Tool: use.Tool, Call: use.Call}, nil)
	return nil
}

// amended is an object with the members that the rule sets.
func (f *fired) amended(object json.RawMessage, read map[string]json.RawMessage) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil || members == nil {
		return object, fmt.Errorf("definition: rule %s sets members, and this is not an object", f.Name)
	}
	v, err := f.set(read)
	if err != nil {
		return object, err
	}
	set, _ := v.(map[string]any)
	for name, value := range set {
		members[name] = model.JSON(value)
	}
	return model.JSON(members), nil
}

func (f *fired) onMutation(_ context.Context, t *graph.Task, m graph.Mutation) error {
	told := map[string]any{"op": m.Op, "id": m.ID, "reason": m.Reason}
	if m.Edge != nil {
		told["edge"] = m.Edge
	}
	if len(m.Stage) > 0 {
		told["stage"] = m.Stage
	}
	holds, _, err := f.asked(t, map[string]any{"mutation": told})
	if !holds {
		if err != nil {
			t.Emit(undecided("rule "+f.Name, err)...)
		}
		return nil
	}
	f.tell(t, journal.Event{}, err)
	if f.Verdict == Refuses {
		return errors.New(f.why(err))
	}
	return nil
}

// metricsOf are the metrics of an observable node as conditions read them.
func metricsOf(m graph.Metrics) map[string]any {
	return map[string]any{"took_ms": m.Took.Milliseconds(), "tokens": m.Usage.Tokens, "cached": m.Cached, "skipped": m.Skipped, "failed": m.Failed,
		"over_time": m.OverTime, "output_bytes": m.OutputBytes, "attempt": m.Attempt}
}

func pausesOf(pauses []graph.Pause) []map[string]any {
	out := make([]map[string]any, len(pauses))
	for i, p := range pauses {
		out[i] = map[string]any{"id": p.ID, "kind": p.Kind}
	}
	return out
}

// rules checks the rules of a file.
func (c *checker) rules(def *Definition) {
	if len(def.Rules) > maxRulesInFile {
		c.bad("rules", "there are %d rules; at most %d are read", len(def.Rules), maxRulesInFile)
		return
	}
	inside := map[string]bool{} // names inside patterns that are used
	outputs(def.Nodes, "nodes", 0, func(n *Node, _ string) {
		if p, err := ByPattern(n.Use); err == nil {
			outputs(p.Definition.Nodes, "", 0, func(n *Node, _ string) { inside[n.Name] = true })
		}
	})
	seen := map[string]bool{}
	for i := range def.Rules {
		r, at := &def.Rules[i], fmt.Sprintf("rules[%d]", i)
		if seen[r.Name] {
			c.bad(at+".name", "two rules are named %s; rename one", r.Name)
		}
		seen[r.Name] = true
		c.rule(def, r, at, inside)
	}
}

func (c *checker) rule(def *Definition, r *Rule, at string, inside map[string]bool) {
	if r.Event == "" || r.Verdict == "" {
		return // the schema says so
	}
	m := momentOf(r.Event)
	if !slices.Contains(m.verdicts, r.Verdict) {
		c.bad(at+".verdict", "%s cannot be the verdict at %s; use one of %s", r.Verdict, r.Event, strings.Join(m.verdicts, ", "))
	}
	if (r.Verdict == Sets) != (len(r.Set) > 0) {
		c.bad(at, "the verdict set and the field set belong together; give both or neither")
	}
	if len(r.Tools) > 0 && !slices.Contains(m.words, "tool") {
		c.bad(at+".tools", "%s is about no tool; leave tools out", r.Event)
	}
	for field, patterns := range map[string][]string{"nodes": r.Nodes, "tools": r.Tools} {
		for k, p := range patterns {
			if _, err := path.Match(p, ""); err != nil || p == "" {
				c.bad(fmt.Sprintf("%s.%s[%d]", at, field, k), "%q is not a name or pattern; write a name, or draft_* for all that begin so", clip(p, 60))
			}
		}
	}
	for k, name := range r.Nodes {
		here := fmt.Sprintf("%s.nodes[%d]", at, k)
		n := c.named(def.Nodes, name)
		switch {
		case strings.ContainsAny(name, `*?[\`):
			some := func(known string) bool { ok, err := path.Match(name, known); return ok || err != nil }
			if !c.free && !slices.ContainsFunc(c.all(), some) && !slices.ContainsFunc(sortedKeys(inside), some) {
				c.bad(here, "no node is called like %s, so the rule is about none; there are %s", clip(name, 60), clip(strings.Join(c.all(), ", "), 300))
			}
		case n == nil && !inside[name]:
			c.bad(here, "%s", phrase("there is no node %s%s", clip(name, 60), suggest(name, c.all())))
		case n != nil && nested(n.Kind):
			c.bad(here, "%s is made of the nodes inside it, and rules are about those; name them", name)
		}
	}
	c.asItStands(r.Reason, at+".reason")
	keys := c.keys
	c.keys = append(append(slices.Clone(keys), everyWord...), m.words...)
	c.members, c.words = membersAt(m), append(slices.Clone(everyWord), m.words...)
	c.when(r.When, at+".when")
	c.templates(r.Set, at+".set")
	if why := c.never(r.When); why != "" {
		c.warn(at+".when", "this can never hold: %s", why)
	}
	c.keys, c.members, c.words = keys, nil, nil
	if r.Event != BeforeNode && r.Event != AfterNode {
		return
	}
	for _, key := range sortedKeys(r.Set) {
		if slices.Contains(fixedKeys, key) {
			c.bad(join(at+".set", key), "%s is what the run keeps, and this would overwrite it; choose another key", key)
			continue
		}
		if key == "output" && r.Event == AfterNode && !c.puts(def.Nodes, key) {
			c.found = append(c.found, c.d.atKey(join(at+".set", key), "output is what rules read of the node; to replace it set the key that the node writes (output: KEY at the node)"))
			continue
		}
		c.keeps(key, "", join(at+".set", key), true)
	}
	if r.Verdict == Sets {
		c.sideBySideSets(def.Nodes, r, at)
		outputs(def.Nodes, "", 0, func(n *Node, _ string) {
			if p, err := ByPattern(n.Use); err == nil {
				c.sideBySideSets(p.Definition.Nodes, r, at)
			}
		})
	}
}

// puts says that a node has the key as its output.
func (c *checker) puts(nodes Nodes, key string) (is bool) {
	outputs(nodes, "", 0, func(n *Node, _ string) { is = is || n.Output == key })
	return is
}

// named finds a node of the file.
func (c *checker) named(nodes Nodes, name string) (found *Node) {
	outputs(nodes, "", 0, func(n *Node, _ string) {
		if n.Name == name {
			found = n
		}
	})
	return found
}

// sideBySideSets refuses a rule that would write a key in two branches of parallel at once.
func (c *checker) sideBySideSets(nodes Nodes, r *Rule, at string) {
	outputs(nodes, "", 0, func(p *Node, _ string) {
		if p.Kind != KindParallel {
			return
		}
		branches := 0
		for i := range p.Nodes {
			hit := false
			outputs(p.Nodes[i:i+1], "", 0, func(n *Node, _ string) { hit = hit || !nested(n.Kind) && matches(r.Nodes, n.Name) })
			if hit {
				branches++
			}
		}
		if branches > 1 {
			c.bad(at+".set", "branches of %s run side by side, and this would write %s in more than one; name the nodes (nodes) so that one of them does", p.Name, strings.Join(sortedKeys(r.Set), ", "))
		}
	})
}
