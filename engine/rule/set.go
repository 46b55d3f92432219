package rule

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/panics"

	"holdpoint/engine/expression"
)

// Broken is the checkpoint type of a hold by a rule that could not be evaluated.
const Broken = "rule_error"

// Firing is one rule that fired.
type Firing struct {
	Rule    string  `json:"rule"`
	Source  string  `json:"source,omitempty"`
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason,omitempty"`
	// Error says why the rule could not be evaluated; it holds then.
	Error      string    `json:"error,omitempty"`
	Checkpoint string    `json:"checkpoint,omitempty"`
	Reviewer   *Reviewer `json:"reviewer,omitempty"`
	Question   string    `json:"question,omitempty"`
}

// Outcome is what all rules say about an occasion. The zero value allows.
type Outcome struct {
	// Fired are those that fired, the strictest first and else in their order.
	Fired []Firing `json:"fired"`
	// together is what several holds come to; see Under.
	together *Firing
}

// Verdict is the strictest; Allow when nothing fired.
func (o Outcome) Verdict() Verdict { return cmp.Or(o.First().Verdict, Allow) }

// First is the strictest that fired; the zero Firing for none.
func (o Outcome) First() Firing {
	switch {
	case o.together != nil:
		return *o.together
	case len(o.Fired) == 0:
		return Firing{}
	}
	return o.Fired[0]
}

// Under joins the rules that hold into one hold that satisfies each of them: whom a rule
// names decides, else whom the terms of their checkpoint types name; a rule of a person or
// a skill says what type it is, before one that comes with the program. Rules that want
// people who cannot be one refuse.
func (o Outcome) Under(terms Terms) Outcome {
	if o.Verdict() != Hold {
		return o
	}
	var holds []Firing
	for _, f := range o.Fired {
		if f.Verdict == Hold {
			holds = append(holds, f)
		}
	}
	if len(holds) == 1 {
		return o
	}
	rank := func(f Firing) int {
		switch {
		case f.Reviewer != nil:
			return 0
		case f.Error != "":
			return 1
		case f.Source != Platform:
			return 2
		}
		return 3
	}
	slices.SortStableFunc(holds, func(a, b Firing) int { return rank(a) - rank(b) })
	first := holds[0]
	var reasons, names []string
	named := first.Reviewer != nil
	for _, f := range holds {
		who := f.Reviewer
		if !named {
			who = terms.Of(f.Checkpoint).Reviewer
		}
		if who != nil {
			joined, ok := first.Reviewer.and(*who)
			if !ok {
				first = Firing{Rule: f.Rule, Source: f.Source, Verdict: Refuse, Reason: fmt.Sprintf(
					"one request is decided by one person, and rules want different ones: %s and %s; let them name the same person or role, or one of them nobody", first.Reviewer, who)}
				o.together = &first
				return o
			}
			first.Reviewer = joined
		}
		if f.Source != Platform && !slices.Contains(names, f.Rule) {
			reasons, names = append(reasons, f.Why()), append(names, f.Rule)
		}
	}
	if len(reasons) > 1 {
		first.Reason, first.Error = strings.Join(slices.Compact(reasons), "; "), ""
	}
	o.together = &first
	return o
}

// Why is the first reason, or one that names the rule.
func (f Firing) Why() string {
	switch {
	case f.Error != "":
		return fmt.Sprintf("the rule %s could not be evaluated: %s", f.Rule, f.Error)
	case f.Reason != "":
		return f.Reason
	}
	return "the rule " + f.Rule + " says " + string(f.Verdict)
}

// Set are rules that are asked together. It is immutable and safe for concurrent use; a
// nil one has no rules.
type Set struct {
	by map[Event]*eventRules
}

type eventRules struct {
	rules []compiled
	read  map[string]bool // what their conditions read
}

type compiled struct {
	Rule
	source string
	when   *expression.Expression // nil fires always
}

// Group are rules of one source: platform, user, or skill:NAME.
type Group struct {
	Source string
	Rules  []Rule
}

// Compile makes a set of groups, in their order. Rules that are off are checked and left
// out. The error is of type Mistakes.
func Compile(groups ...Group) (*Set, error) {
	s := &Set{by: map[Event]*eventRules{}}
	for _, g := range groups {
		if bad := Check(g.Rules, g.Source); len(bad) > 0 {
			return nil, bad
		}
		for _, r := range g.Rules {
			if r.Off {
				continue
			}
			when, _ := r.compile("")
			at := s.by[r.Event]
			if at == nil {
				at = &eventRules{read: map[string]bool{}}
				s.by[r.Event] = at
			}
			at.rules = append(at.rules, compiled{r, g.Source, when})
			if when != nil {
				for _, o := range when.Operands() {
					at.read[o.Name] = true
				}
			}
		}
	}
	return s, nil
}

// With are these rules and those of more groups, which are asked after them.
func (s *Set) With(groups ...Group) (*Set, error) {
	more, err := Compile(groups...)
	if err != nil || s == nil {
		return more, err
	}
	for e, own := range s.by {
		joined := &eventRules{rules: slices.Clone(own.rules), read: maps.Clone(own.read)}
		if added := more.by[e]; added != nil {
			joined.rules = append(joined.rules, added.rules...)
			maps.Copy(joined.read, added.read)
		}
		more.by[e] = joined
	}
	return more, nil
}

// Asks says whether any rule is asked at an event for an agent.
func (s *Set) Asks(e Event, agent string) bool {
	if s == nil || s.by[e] == nil {
		return false
	}
	return slices.ContainsFunc(s.by[e].rules, func(c compiled) bool { return matches(c.Agents, agent) })
}

// Judge asks all rules about an occasion.
func (s *Set) Judge(o Occasion) Outcome {
	if s == nil || s.by[o.Event] == nil {
		return Outcome{}
	}
	at, out := s.by[o.Event], Outcome{}
	raw, broken := o.values(at.read)
	values := expression.Read(raw)
	for i := range at.rules {
		c := &at.rules[i]
		if !matches(c.Agents, o.Agent) || len(c.Tools) > 0 && (o.Tool == nil || !matches(c.Tools, o.Tool.Name)) {
			continue
		}
		f := Firing{Rule: c.Name, Source: c.source, Verdict: c.Verdict, Reason: c.Reason, Checkpoint: c.Checkpoint, Reviewer: c.Reviewer, Question: c.Question}
		if c.when != nil {
			fires, err := false, broken
			if err == nil {
				fires, err = decide(c.when, values)
			}
			if err == nil && !fires {
				continue
			}
			if err != nil {
				f = Firing{Rule: c.Name, Source: c.source, Verdict: Hold, Checkpoint: Broken, Reviewer: c.Reviewer, Error: strings.TrimPrefix(err.Error(), "definition: ")}
			}
		}
		out.Fired = append(out.Fired, f)
	}
	slices.SortStableFunc(out.Fired, func(a, b Firing) int {
		return cmp.Compare(slices.Index(Verdicts, b.Verdict), slices.Index(Verdicts, a.Verdict))
	})
	return out
}

// decide evaluates a condition; one that panics cannot be evaluated.
func decide(when *expression.Expression, values *expression.Values) (fires bool, err error) {
	if caught := panics.Try(func() { fires, err = when.On(values) }); caught != nil {
		return false, fmt.Errorf("it panicked: %v", caught.Value)
	}
	return fires, err
}
