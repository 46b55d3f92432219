package app

import (
	"context"
	"fmt"
	"slices"

	"holdpoint/engine/agents/navigator"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/safety"
)

// guardedStages are the stages that guarded puts before every graph; files cannot
// use their names.
var guardedStages = []graph.StageID{navigator.Preflight, navigator.SafetyIntervention}

// guarded puts the reviewed safety rules before a graph of prompt nodes: a message
// that speaks of danger is answered with the reviewed text of the region, and
// nothing of the graph runs. The two edges are safety edges, so nothing that a file,
// a node or a model chooses comes before them. Both stages count as steps.
func guarded(s graph.Spec, region func(*graph.Task) string) (graph.Spec, error) {
	for _, st := range s.Stages {
		if slices.Contains(guardedStages, st.ID) {
			return s, fmt.Errorf("app: the stage name %q is Holdpoint's own; choose another", st.ID)
		}
	}
	reply := s.Reply
	preflight := graph.Stage{ID: navigator.Preflight, Role: graph.RolePreflight, Title: "Preflight", Description: "Checks the message for danger by the reviewed rules", Kind: "safety",
		Flags: graph.Critical, Quick: true, Run: func(_ context.Context, t *graph.Task) (graph.Result, error) { return checkMessage(t, region(t)), nil }}
	intervention := graph.Stage{ID: navigator.SafetyIntervention, Role: graph.RoleIntervention, Title: "Safety intervention", Description: "Answers with a reviewed crisis text", Kind: "safety",
		Flags: graph.Critical, Run: func(_ context.Context, t *graph.Task) (graph.Result, error) { return intervene(t, reply), nil }}

	edges := []graph.Edge{
		{From: graph.Start, To: navigator.Preflight, Type: graph.Entry},
		{From: navigator.Preflight, To: navigator.SafetyIntervention, Type: graph.Conditional, Condition: navigator.SafetyHijacked},
		{From: navigator.SafetyIntervention, To: graph.End, Type: graph.TerminalPath},
	}
	var rest []graph.Edge
	entries := 0
	for _, e := range s.Edges {
		if e.From == graph.Start {
			// Conditional edges choose one way, so there is one to begin with.
			edges = append(edges, graph.Edge{From: navigator.Preflight, To: e.To, Type: graph.Conditional, Condition: navigator.NotSafetyHijacked})
			entries++
		} else {
			rest = append(rest, e)
		}
	}
	if entries != 1 {
		return s, fmt.Errorf("app: the graph %q has %d entries; it needs one", s.Agent, entries)
	}
	s.Stages, s.Edges = append([]graph.Stage{preflight, intervention}, s.Stages...), append(edges, rest...)
	s.Conditions = append([]graph.Condition{graph.When(navigator.SafetyHijacked, navigator.ChannelHijacked).AsSafety(),
		graph.Unless(navigator.NotSafetyHijacked, navigator.ChannelHijacked).AsSafety()}, s.Conditions...)
	s.Channels = append([]graph.AnyChannel{navigator.ChannelHijacked, navigator.ChannelSafety}, s.Channels...)
	return s, nil
}

// checkMessage runs the reviewed rules over the person's message. No model has a
// say: the same message gives the same verdict.
func checkMessage(t *graph.Task, region string) graph.Result {
	v := safety.Check(t.Run.Input)
	s := navigator.Safety{By: "rules", Region: region, Category: string(v.Category)}
	rules := make([]journal.SafetyRule, 0, len(v.Findings))
	for _, f := range v.Findings {
		rules = append(rules, journal.SafetyRule{Rule: f.Rule, Category: string(f.Category)})
	}
	return graph.Result{Patch: graph.Patch{navigator.ChannelHijacked.Set(v.Hijack), navigator.ChannelSafety.Set(s)},
		Events: []journal.Event{journal.Event{Status: s.By}.With(journal.SafetyCheckedData{By: journal.SafetyBy(s.By), Hijack: v.Hijack, Category: s.Category,
			Region: s.Region, Rules: rules, Score: v.Score, Threshold: v.Threshold, RulesVersion: v.Version})}}
}

// intervene answers with the reviewed text for the category and region; nothing in
// it is generated.
func intervene(t *graph.Task, reply graph.Channel[string]) graph.Result {
	s := navigator.ChannelSafety.Get(t.State)
	text, ok := safety.Intervention(safety.Category(s.Category), s.Region)
	if !ok {
		// An unknown category or region still gets the text that fits everywhere.
		text, _ = safety.Intervention(safety.Intent, safety.International)
	}
	return graph.Result{Patch: graph.Patch{reply.Set(text)},
		Events: []journal.Event{journal.Event{Message: t.Run.Turn + "/intervention", Text: text}.
			With(journal.MessageData{Role: journal.Assistant, Template: "intervention", Category: s.Category, Region: s.Region})}}
}
