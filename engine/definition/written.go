package definition

import (
	"fmt"
	"slices"
	"strings"
)

// gone warns of a count of rounds that is read where there is none.
func (c *checker) gone(key, at string) {
	of, counts := strings.CutSuffix(key, "_rounds")
	place := c.names[of]
	if n := c.named(c.nodes, of); !counts || n == nil || n.Kind != KindLoop && n.Kind != KindRetry || strings.HasPrefix(at, "rules[") || strings.HasPrefix(at, place+".") {
		return
	}
	c.warn(at, "%s is counted inside %s, and always reads as missing outside of it; let a node inside write it to a key of its own", key, of)
}

// unwritten says what is wrong with a key that nobody writes.
func (c *checker) unwritten(key string) string {
	if c.free || key == "" || slices.Contains(c.keys, key) { // of an empty one the schema says so
		return ""
	}
	if n := c.hides(key); n != nil {
		return phrase("%s is written inside %s (pattern %s) and not seen outside; write takes: {%s: %s} at %s", key, n.Name, n.Use, key, key, n.Name)
	}
	if events := momentsOf(key); events != "" {
		return phrase("no node writes %s; it can be read by rules at %s", key, events)
	}
	return misnamed("", key, c.keys, "no node writes %s; did you mean %s? Name an output, NODE_output, input or vars", "no node writes %s; name an output, NODE_output, input or vars")
}

// hides finds a node whose pattern writes the key and may give it out.
func (c *checker) hides(key string) (found *Node) {
	outputs(c.nodes, "", 0, func(n *Node, _ string) {
		if n.Use == "" || found != nil {
			return
		}
		if p, err := ByPattern(n.Use); err == nil && slices.Contains(p.Definition.Outputs, key) {
			found = n
		}
	})
	return found
}

// overwrites says whose a key is that a node, "" for a rule, must not write; "" where it may.
func (c *checker) overwrites(key, by string) string {
	if what := keptBy(key); what != "" {
		return what
	}
	i := strings.LastIndexByte(key, '_')
	if i <= 0 || c.names[key[:i]] == "" {
		return ""
	}
	switch of := key[:i]; key[i:] {
	case "_output", "_thought":
		if of != by {
			return phrase("what node %s puts out", of)
		}
	case "_rounds", "_steps", "_failed", "_items":
		return phrase("what node %s counts", of)
	}
	return ""
}

// keeps refuses keys of a node or rule that somebody else keeps, each at its place.
func (c *checker) keeps(key, by, at string, inKey bool) {
	what := c.overwrites(key, by)
	if what == "" {
		return
	}
	place := c.d.at
	if inKey {
		place = c.d.atKey
	}
	c.found = append(c.found, place(at, "%s", phrase("%s is %s, and this would overwrite it; choose another key", key, what)))
}

// keptBy says what a key is that no node may write; "" for all others.
func keptBy(key string) string {
	switch key {
	case "input", "vars":
		return phrase("what the run was started with")
	case errorKey:
		return phrase("the last failure of the run")
	case runKey:
		return phrase("what the run counts")
	}
	return ""
}

// leaves says that edges lead on from a node whatever the rules say.
func (c *checker) leaves(n *Node) bool {
	return slices.ContainsFunc(c.edges, func(e Edge) bool { return e.From == n.Name && e.When == nil && e.Type != "error" && e.Type != "choice" })
}

// written is a key that a node or a rule writes.
type written struct {
	key string
	by  string // the node, or the rule with its node
	at  string
	// rule is its place among the rules, from 1; 0 for a node.
	rule int
}

const thePlan = "the plan"

// written are the keys that a node writes beside its own, and what rules write at it.
func (c *checker) written(n *Node, at string) (out []written) {
	if n.Output != "" {
		out = append(out, written{n.Output, n.Name, at + ".output", 0})
	}
	for _, key := range sortedKeys(n.Takes) {
		out = append(out, written{key, n.Name, join(at+".takes", key), 0})
	}
	for _, key := range sortedKeys(n.Before) {
		out = append(out, written{key, n.Name, join(at+".before", key), 0})
	}
	if n.Kind == KindPlan {
		out = append(out, written{thePlan, n.Name, at, 0})
	}
	if formOf(n.Kind).kind == "" || nested(n.Kind) {
		return out
	}
	for i := range c.ruled {
		r := &c.ruled[i]
		if (r.Event == BeforeNode || r.Event == AfterNode) && r.Verdict == Sets && matches(r.Nodes, n.Name) {
			for _, key := range sortedKeys(r.Set) {
				out = append(out, written{key, fmt.Sprintf("%s (rule %s)", n.Name, r.Name), fmt.Sprintf("rules[%d].set", i), i + 1})
			}
		}
	}
	return out
}

// writers refuses two branches that write the same key side by side.
func (c *checker) writers(branches Nodes, path string) {
	first := map[string]written{}
	for i := range branches {
		mine := map[string]bool{}
		outputs(branches[i:i+1], path, i, func(n *Node, at string) {
			for _, w := range c.written(n, at) {
				switch other, known := first[w.key]; {
				case !known:
					first[w.key], mine[w.key] = w, true
				case !mine[w.key] && (w.rule == 0 || w.rule != other.rule): // one rule is told once
					c.clash(w, other.by)
				}
			}
		})
	}
}

// clash says that a key is written by another one side by side.
func (c *checker) clash(w written, other string) {
	if w.key == thePlan {
		c.bad(w.at, "%s and %s run side by side and both make the plan; let one of them", other, w.by)
		return
	}
	c.bad(w.at, "%s and %s run side by side and both write %s; give one of them another key", other, w.by, w.key)
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
