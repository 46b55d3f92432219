package definition

import (
	"errors"
	"regexp"
	"strings"

	"holdpoint/engine/graph"
)

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
		if at, says := c.ways(text); says != "" {
			c.bad(at, "%s", says)
			continue
		}
		if m := quotedName.FindStringSubmatch(text); m != nil {
			name := m[1] + m[2]
			if loop, is := strings.CutSuffix(name, "_check"); is && c.names[name] == "" && errors.Is(each, graph.ErrUnreachable) {
				loop = loop[strings.LastIndex(loop, "/")+1:]
				c.bad(c.names[loop], "no round of %s comes to its end: every way through it ends the run or goes in a circle; lead one of them to end, without terminal", loop)
				continue
			}
			path = c.names[name[strings.LastIndex(name, "/")+1:]]
		}
		c.bad(path, "%s", text)
	}
}

var (
	mixedWays  = regexp.MustCompile(`^edge type does not fit: stage "([^"]+)" mixes parallel branches`)
	manyWays   = regexp.MustCompile(`^edge type does not fit: stage "([^"]+)" has (\d+) plain edges out`)
	oneBranch  = regexp.MustCompile(`^edge type does not fit: stage "([^"]+)" has a single parallel_branch`)
	oneInput   = regexp.MustCompile(`: stage "([^"]+)" joins a single input`)
	twoErrors  = regexp.MustCompile(`: stage "([^"]+)" has \d+ error edges out`)
	unreached  = regexp.MustCompile(`^stage cannot be reached from start: "([^"]+)"`)
	withoutEnd = regexp.MustCompile(`^stage has no way to the end: "([^"]+)"`)
)

// ways words what the engine's rules say of ways between nodes as their author wrote them:
// where that stands, and what to do; "" for other mistakes.
func (c *checker) ways(text string) (at, says string) {
	of := func(form *regexp.Regexp) (name string) {
		if m := form.FindStringSubmatch(text); m != nil {
			name = m[1][strings.LastIndex(m[1], "/")+1:]
			if at = c.names[name]; at == "" {
				return "" // a stage of the program's own
			}
		}
		return name
	}
	next := func() string {
		if field := join(at, "default_next"); c.d.has(field) {
			return field
		}
		return at
	}
	if name := of(mixedWays); name != "" {
		return next(), phrase("%s starts branches side by side (parallel_branch) and leads to another node as well; leave default_next and its other edges without a rule out, or make them parallel_branch, too", name)
	}
	if name := of(manyWays); name != "" {
		return next(), phrase("%s leads to several nodes and nothing says which; give all but one of its edges a rule (when), or make all of them parallel_branch to start them side by side", name)
	}
	if name := of(oneBranch); name != "" {
		return at, phrase("%s has a single parallel_branch edge, and one branch runs beside nothing; write default_next, or add another", name)
	}
	if name := of(oneInput); name != "" {
		return at, phrase("a single join_input edge leads to %s, so there is nothing to wait for; write default_next where it comes from, or add the other ways", name)
	}
	if name := of(twoErrors); name != "" {
		return at, phrase("%s has several ways for its failure; keep one on_error or one edge of type error", name)
	}
	if name := of(unreached); name != "" {
		return at, phrase("nothing that can run leads to %s; name it in a default_next, an edge or a choice, or leave it out", name)
	}
	if name := of(withoutEnd); name != "" {
		return at, phrase("no way leads from %s to the end; add default_next: end, or an edge with a rule that leads out of the cycle", name)
	}
	return "", ""
}
