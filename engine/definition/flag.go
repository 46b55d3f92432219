package definition

import (
	"fmt"
	"slices"
	"strings"
)

func (c *checker) flags(n *Node, path string) {
	has := func(name string) bool { return slices.Contains(n.Flags, name) }
	switch {
	case has("validate_output") && n.Schema == nil:
		c.bad(path+".flags", "validate_output needs an output_schema; add one or leave the flag out")
	case has("validate_output") && n.After != "" && n.answersInObjects():
		if _, alone := whole(n.After, c.vars); !alone {
			c.bad(path+".after", "after makes a text of the answer, and output_schema wants an object, so validate_output would fail each; write one {{ … }} that gives an object, or leave the flag out: a model's answer is held to its schema without it")
		}
	}
	switch {
	case has("retryable") && n.acts():
		c.bad(path+".flags", "retryable is not for nodes that can change something: a call might happen twice; name tools that only read (tools), add readonly, or leave the flag out")
	case n.MaxRetries > 0 && !has("retryable"):
		c.bad(path+".max_retries", "max_retries works with the flag retryable; add it or leave this out")
	}
	if has("critical") {
		why := phrase("critical ends the run when %s fails, so this is taken only when it ran too often (max_node_iterations); leave one of them out", n.Name)
		if n.OnError != "" {
			c.warn(path+".on_error", "%s", why)
		}
		for i, e := range c.edges {
			if e.From == n.Name && e.Type == "error" {
				c.warn(fmt.Sprintf("%s[%d]", c.edgesAt, i), "%s", why)
			}
		}
	}
	if has("cacheable") && !nested(n.Kind) {
		if n.Output == "" {
			c.bad(path+".flags", "cacheable keeps what goes to the output key, and %s has none; add output: KEY or leave the flag out", n.Name)
		}
		if n.acts() {
			c.bad(path+".flags", "cacheable is not for nodes that can change something: a call that is not made changes nothing; name tools that only read (tools), add readonly, or leave the flag out")
		}
	}
	if has("stateful") && has("isolated_context") && formOf(n.Kind).asks && !slices.ContainsFunc(n.Inputs, func(path string) bool { return keyOf(path) == n.Name+"_output" }) {
		c.bad(path+".flags", "isolated_context hides what %s put out before, so stateful shows nothing; add %s_output to inputs, or leave one of the flags out", n.Name, n.Name)
	}
	if f := formOf(n.Kind); n.Schema != nil && !has("validate_output") && !f.asks && !nested(n.Kind) && (n.Kind != KindFanOut || n.Tool != "") {
		c.bad(path+".output_schema", "a node of kind %s is held to its output_schema only with the flag validate_output; add the flag or leave the schema out", n.Kind)
	}
	if has("cacheable") && slices.Contains(n.reads(c.vars), runKey) {
		c.bad(path+".flags", "what %s reads of the run is another each time, so what cacheable kept would be wrong; leave the flag or run.… out", n.Name)
	}
	if has("isolated_context") && !nested(n.Kind) {
		if hidden := n.hidden(c.vars); len(hidden) > 0 {
			c.warn(path+".flags", "isolated_context hides all but the inputs, so %s always reads as missing in %s; add it to inputs, or leave the flag out", strings.Join(hidden, ", "), n.Name)
		}
	}
	for i, flag := range n.Flags {
		if why := n.idle(flag); why != "" {
			c.bad(fmt.Sprintf("%s.flags[%d]", path, i), "%s has no effect on %s; leave it out", flag, why)
		}
		if flag != "" && slices.Contains(n.Flags[:i], flag) {
			c.bad(fmt.Sprintf("%s.flags[%d]", path, i), "%s stands twice; keep one of them", flag)
		}
	}
}

// hidden are the keys that an isolated node reads and never sees.
func (n *Node) hidden(vars map[string]Value) (keys []string) {
	read := n.reads(vars)
	for _, name := range n.Inherit {
		read = append(read, name+"_output")
	}
	for _, key := range read {
		if key != runKey && key != itemKey && key != "output" && n.Before[key] == nil && !slices.Contains(keys, key) &&
			!slices.ContainsFunc(n.Inputs, func(path string) bool { return keyOf(path) == key }) {
			keys = append(keys, key)
		}
	}
	return keys
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
			return phrase("a node without an output key")
		}
	}
	if nested(n.Kind) && !slices.Contains([]string{"critical", "skip_on_error", "terminal", "validate_output"}, flag) {
		return phrase("a node of kind %s, but on the nodes inside it", n.Kind)
	}
	if works || nested(n.Kind) {
		return ""
	}
	return phrase("a node of kind %s", n.Kind)
}
