package graph

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Mistakes that Validate finds; its error wraps one for each finding.
var (
	ErrDuplicate   = errors.New("graph: declared twice")
	ErrUnknownName = errors.New("graph: name is not declared")
	ErrBadID       = errors.New("graph: id is empty or holds a separator")
	ErrUnreachable = errors.New("graph: stage cannot be reached from start")
	ErrNoExit      = errors.New("graph: stage has no way to the end")
	ErrNoEntry     = errors.New("graph: no entry edge")
	ErrJoin        = errors.New("graph: join without a fan-out before it")
	ErrCondition   = errors.New("graph: conditional edges can match nothing")
	ErrEdgeType    = errors.New("graph: edge type does not fit")
	ErrBody        = errors.New("graph: stage needs either a function or a graph")
	ErrNested      = errors.New("graph: only the whole graph can say this, not one inside a stage")
)

// ErrorStage is the id of a stage that takes over from stages without an error edge.
const ErrorStage StageID = "__error__"

// Validate reports every mistake of a spec at once, nested graphs included.
func Validate(s Spec) error {
	var errs []error
	names := map[string]*definition{}
	if s.Context.definition != nil {
		names[s.Context.name] = s.Context.definition
		names[Cache.name] = Cache.definition
	}
	validateLevel(&s, &s, "", names, &errs)
	if d := s.Reply.definition; d != nil && names[d.name] != d {
		errs = append(errs, fmt.Errorf("%w: reply channel %q", ErrUnknownName, d.name))
	}
	return errors.Join(errs...)
}

func validateLevel(s, root *Spec, prefix string, names map[string]*definition, errs *[]error) {
	bad := func(sentinel error, format string, args ...any) {
		where := ""
		if prefix != "" {
			where = " (inside " + strings.TrimSuffix(prefix, "/") + ")"
		}
		*errs = append(*errs, fmt.Errorf("%w: %s%s", sentinel, fmt.Sprintf(format, args...), where))
	}
	for _, c := range s.Channels {
		if c == nil || c.declared() == nil {
			bad(ErrBadID, "a channel was not made with Value, Append or Keyed")
			continue
		}
		d := c.declared()
		if d.name == "" {
			bad(ErrBadID, "a channel has no name")
		}
		if old := names[d.name]; old != nil && old != d {
			bad(ErrDuplicate, "channel %q", d.name)
		}
		names[d.name] = d
	}
	conditions := map[string]Condition{}
	for _, c := range s.Conditions {
		if _, ok := conditions[c.Name]; ok || c.Name == "" {
			bad(ErrDuplicate, "condition %q", c.Name)
		}
		if c.channel == nil || names[c.channel.name] != c.channel {
			bad(ErrUnknownName, "condition %q reads a channel that is not declared", c.Name)
		}
		conditions[c.Name] = c
	}
	known, roled := map[StageID]bool{}, map[string]bool{}
	for _, st := range s.Stages {
		if st.ID == "" || st.ID == Start || st.ID == End || strings.ContainsAny(string(st.ID), "/\x00") {
			bad(ErrBadID, "stage %q", st.ID)
		}
		if known[st.ID] {
			bad(ErrDuplicate, "stage %q", st.ID)
		}
		known[st.ID] = true
		if (st.Run == nil) == (st.Graph == nil) {
			bad(ErrBody, "stage %q", st.ID)
		}
		validateFlags(s, root, st, bad)
		if st.Scope != nil && (st.Graph == nil || root.Context.definition == nil || st.Scope.Begin == nil) {
			bad(ErrBody, "stage %q has a scope, which needs a graph inside, a context and what it begins with", st.ID)
		}
		if st.Begins != nil && (st.Graph == nil || root.Context.definition == nil) {
			bad(ErrBody, "stage %q begins with values, which needs a graph inside and a context", st.ID)
		}
		switch {
		case st.Role == "":
		case !slices.Contains(roles, st.Role):
			bad(ErrUnknownName, "stage %q has the role %q; roles are %s", st.ID, st.Role, strings.Join(roles, ", "))
		case roled[st.Role] && st.Role != RoleHold:
			bad(ErrDuplicate, "role %q, at stage %q", st.Role, st.ID)
		}
		roled[st.Role] = true
		if st.Join != JoinReachable && st.Join != JoinAll {
			bad(ErrUnknownName, "stage %q has join policy %q", st.ID, st.Join)
		}
	}
	before := len(*errs)
	validateEdges(s, known, conditions, bad)
	if len(*errs) == before {
		validatePaths(s, bad)
	}
	for _, st := range s.Stages {
		if st.Graph != nil {
			for _, name := range st.Graph.ownOfTheRun() {
				bad(ErrNested, "%s of the graph of stage %q", name, st.ID)
			}
			validateLevel(st.Graph, root, prefix+string(st.ID)+"/", names, errs)
		}
	}
}

// ownOfTheRun names what a spec sets that holds for a whole run: inside a stage it
// would be passed over without a word.
func (s *Spec) ownOfTheRun() []string {
	var names []string
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"Agent", s.Agent != ""}, {"Title", s.Title != ""}, {"Description", s.Description != ""},
		{"Reply", s.Reply.definition != nil}, {"MaxSteps", s.MaxSteps != 0}, {"Limits", !reflect.ValueOf(s.Limits).IsZero()},
		{"Tolerant", s.Tolerant}, {"Context", s.Context.definition != nil}, {"History", s.History.channel != nil},
		{"Hooks", s.Hooks != nil}, {"Summarize", s.Summarize != nil}, {"Failed", s.Failed != nil}, {"Grow", s.Grow != nil}, {"Settings", s.Settings != ""},
	} {
		if f.set {
			names = append(names, f.name)
		}
	}
	return names
}

// validateFlags checks that a stage has what its flags need.
func validateFlags(s, root *Spec, st Stage, bad report) {
	needs := func(f Flag, ok bool, what string) {
		if st.Flags.Has(f) && !ok {
			bad(ErrFlag, "stage %q: %s %s", st.ID, strings.Join(f.Names(), ", "), what)
		}
	}
	context := root.Context.definition != nil
	needs(Cacheable, context && st.Output != "" && !st.SideEffects && st.Graph == nil, "needs a context and an output, and a stage that does not act")
	needs(IsolatedContext, context, "needs a spec with a context")
	needs(NoHistory, root.History.channel != nil, "needs a spec with a history")
	needs(Retryable, !st.SideEffects, "must not be on a stage that acts: what it did once must not happen again")
	needs(SummarizeOutput, root.Summarize != nil && context, "needs a spec that can summarize, and a context")
	needs(ValidateOutput, len(st.OutputSchema) > 0, "needs an output schema")
	if st.Graph != nil && st.Flags&^(Terminal|SkipOnError) != 0 {
		bad(ErrFlag, "stage %q has a graph inside; flags belong to the stages in it", st.ID)
	}
	if !context && (len(st.Inputs) > 0 || st.Output != "" || len(st.Inherit) > 0) {
		bad(ErrUnknownName, "stage %q has inputs or outputs, and the spec has no context", st.ID)
	}
}

type report func(sentinel error, format string, args ...any)

func validateEdges(s *Spec, known map[StageID]bool, conditions map[string]Condition, bad report) {
	seen := map[Edge]bool{}
	entries := 0
	for _, e := range s.Edges {
		if seen[e] {
			bad(ErrDuplicate, "edge %s → %s", e.From, e.To)
		}
		seen[e] = true
		if e.From != Start && !known[e.From] || e.From == End {
			bad(ErrUnknownName, "edge from %q", e.From)
		}
		if e.To != End && !known[e.To] || e.To == Start {
			bad(ErrUnknownName, "edge to %q", e.To)
		}
		switch {
		case (e.Type == Match) != (e.Match != ""):
			bad(ErrEdgeType, "edge %s → %s: a match belongs to match edges, and to all of them", e.From, e.To)
		case (e.Type == Conditional) != (e.Condition != ""):
			bad(ErrEdgeType, "edge %s → %s: a condition belongs to conditional edges, and to all of them", e.From, e.To)
		case (e.Type == Entry) != (e.From == Start):
			bad(ErrEdgeType, "edge %s → %s: entry edges are those from start", e.From, e.To)
		case e.Type == Exit && e.To != End, e.To == End && !slices.Contains([]EdgeType{Exit, Conditional, TerminalPath, Choice, Match, OnError}, e.Type):
			bad(ErrEdgeType, "edge %s → %s: parallel_branch, join_input and sequence edges lead to a stage, exit edges to the end", e.From, e.To)
		case !slices.Contains([]EdgeType{Entry, Conditional, TerminalPath, ParallelBranch, JoinInput, Sequence, Exit, Choice, Match, OnError}, e.Type):
			bad(ErrEdgeType, "edge %s → %s has type %q", e.From, e.To, e.Type)
		}
		if e.Condition != "" {
			if _, ok := conditions[e.Condition]; !ok {
				bad(ErrUnknownName, "edge %s → %s: condition %q", e.From, e.To, e.Condition)
			}
		}
		if e.Type == Entry {
			entries++
		}
	}
	if entries == 0 {
		bad(ErrNoEntry, "no edge leaves start")
	}
	for _, st := range s.Stages {
		validateOut(s, st.ID, conditions, bad)
	}
}

// validateOut checks the edges that leave one stage together.
func validateOut(s *Spec, id StageID, conditions map[string]Condition, bad report) {
	var plain, branches, inputs, chosen, failing int
	wants := map[*definition][2]bool{}
	for _, e := range s.Edges {
		if e.To == id && e.Type == JoinInput {
			inputs++
		}
		if e.From != id {
			continue
		}
		switch {
		case e.Type == Choice:
			chosen++
		case e.Type == Match:
		case e.Type == OnError:
			failing++
		case e.Condition != "" && conditions[e.Condition].test != nil:
			wants[nil] = [2]bool{}
		case e.Condition != "":
			c := conditions[e.Condition]
			w := wants[c.channel]
			if c.want {
				w[1] = true
			} else {
				w[0] = true
			}
			wants[c.channel] = w
		case e.Type == ParallelBranch:
			branches++
		default:
			plain++
		}
	}
	if plain > 1 {
		bad(ErrEdgeType, "stage %q has %d plain edges out; use parallel_branch to fan out", id, plain)
	}
	if branches == 1 {
		bad(ErrEdgeType, "stage %q has a single parallel_branch; use sequence", id)
	}
	if plain > 0 && branches > 0 {
		bad(ErrEdgeType, "stage %q mixes parallel branches with a plain edge", id)
	}
	if failing > 1 {
		bad(ErrEdgeType, "stage %q has %d error edges out", id, failing)
	}
	may := slices.ContainsFunc(s.Stages, func(st Stage) bool { return st.ID == id && st.MayEnd })
	if len(wants) > 0 && plain+branches+chosen == 0 && !may {
		for _, w := range wants {
			if w[0] && w[1] {
				return
			}
		}
		bad(ErrCondition, "stage %q: add the opposite condition or a plain edge", id)
	}
	if inputs == 1 {
		bad(ErrJoin, "stage %q joins a single input; use sequence", id)
	}
}

// validatePaths checks reachability, exits and that something fans out before a join.
func validatePaths(s *Spec, bad report) {
	forward, back := map[StageID][]StageID{}, map[StageID][]StageID{}
	for _, st := range s.Stages {
		if st.MayEnd || st.Ends || st.Flags.Has(Terminal) {
			back[End] = append(back[End], st.ID)
		}
		if st.ID == ErrorStage {
			forward[Start] = append(forward[Start], st.ID)
		}
	}
	fan := map[StageID]bool{}
	entries := 0
	for _, e := range s.Edges {
		forward[e.From] = append(forward[e.From], e.To)
		back[e.To] = append(back[e.To], e.From)
		if e.Type == ParallelBranch {
			fan[e.From] = true
		}
		if e.Type == Entry {
			entries++
		}
	}
	fan[Start] = entries > 1
	fromStart, toEnd := closure(forward, Start), closure(back, End)
	for _, st := range s.Stages {
		if !fromStart[st.ID] {
			bad(ErrUnreachable, "%q", st.ID)
		}
		if !toEnd[st.ID] {
			bad(ErrNoExit, "%q (a cycle needs a way out)", st.ID)
		}
	}
	for _, e := range s.Edges {
		if e.Type != JoinInput {
			continue
		}
		fanned := false
		for id := range closure(back, e.To) {
			fanned = fanned || fan[id]
		}
		if !fanned {
			bad(ErrJoin, "%q", e.To)
			return
		}
	}
}

func closure(next map[StageID][]StageID, from StageID) map[StageID]bool {
	seen := map[StageID]bool{from: true}
	queue := []StageID{from}
	for len(queue) > 0 {
		for _, to := range next[queue[0]] {
			if !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
		queue = queue[1:]
	}
	return seen
}
