package turn

import (
	"context"
	"fmt"
	"slices"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/safety"
)

// The two stages that every graph begins with, and the question between them.
const (
	Preflight          graph.StageID = "preflight"
	SafetyIntervention graph.StageID = "safety_intervention"

	SafetyHijacked    = "safety_hijacked"
	NotSafetyHijacked = "not_safety_hijacked"
)

// Safety is what preflight found in the person's message.
type Safety struct {
	// By says who checked: "rules", or "rules+model".
	By       string `json:"by"`
	Category string `json:"category,omitempty"`
	Region   string `json:"region"`
	// Concern is set when the model saw a risk that the rules saw no sign of.
	Concern  bool   `json:"concern,omitempty"`
	Degraded bool   `json:"degraded,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// Channels of the crisis stages. The safety's type has moved.
var (
	ChannelHijacked = graph.Value[bool]("safety_hijacked")
	ChannelSafety   = graph.Value[Safety]("safety").Formerly("navigator.Safety")
)

// CrisisStages are the names that no graph may give to stages of its own.
func CrisisStages() []graph.StageID { return []graph.StageID{Preflight, SafetyIntervention} }

// CrisisConditions are the questions of the two safety edges out of preflight: nothing
// that a file, a stage or a model chooses comes before them.
func CrisisConditions() []graph.Condition {
	return []graph.Condition{graph.When(SafetyHijacked, ChannelHijacked).AsSafety(), graph.Unless(NotSafetyHijacked, ChannelHijacked).AsSafety()}
}

// Finding is what the reviewed rules say of a text, and what follows of it. A model may
// add to Safety and to Hijack, never to Rules.
type Finding struct {
	Rules  safety.Verdict
	Safety Safety
	Hijack bool
}

// Check runs the reviewed rules over a text. No model has a say: the same text gives
// the same finding.
func Check(text, region string) Finding {
	v := safety.Check(text)
	return Finding{Rules: v, Hijack: v.Hijack, Safety: Safety{By: string(journal.ByRules), Region: region, Category: string(v.Category)}}
}

// Event is the finding for the journal.
func (f Finding) Event() journal.Event {
	by, v := f.Safety, f.Rules
	rules := make([]journal.SafetyRule, 0, len(v.Findings))
	for _, x := range v.Findings {
		rules = append(rules, journal.SafetyRule{Rule: x.Rule, Category: string(x.Category)})
	}
	return journal.Event{Status: by.By, Reason: by.Reason}.With(journal.SafetyCheckedData{By: journal.SafetyBy(by.By), Hijack: f.Hijack, Category: by.Category,
		Region: by.Region, Degraded: by.Degraded, Concern: by.Concern, Reason: by.Reason, Rules: rules, Score: v.Score, Threshold: v.Threshold, RulesVersion: v.Version})
}

// Patch writes the finding into the state.
func (f Finding) Patch() graph.Patch {
	return graph.Patch{ChannelHijacked.Set(f.Hijack), ChannelSafety.Set(f.Safety)}
}

// Intervene is the reviewed text for what was found, with its message under an id.
// Nothing in it is generated.
func Intervene(s Safety, id string) (text string, message journal.Event) {
	text, ok := safety.Intervention(safety.Category(s.Category), s.Region)
	if !ok {
		// An unknown category or region still gets the text that fits everywhere.
		text, _ = safety.Intervention(safety.Intent, safety.International)
	}
	return text, journal.Event{Message: id, Text: text}.
		With(journal.MessageData{Role: journal.Assistant, Template: "intervention", Category: s.Category, Region: s.Region})
}

// InterventionStage answers with the reviewed text for the category and region.
func InterventionStage(reply graph.Channel[string]) graph.Stage {
	return graph.Stage{ID: SafetyIntervention, Role: graph.RoleIntervention, Title: "Safety intervention", Description: "Answers with a reviewed crisis text",
		Run: func(_ context.Context, t *graph.Task) (graph.Result, error) {
			text, message := Intervene(ChannelSafety.Get(t.State), t.Run.Turn+"/intervention")
			return graph.Result{Patch: graph.Patch{reply.Set(text)}, Events: []journal.Event{message}}, nil
		}}
}

// Guard puts the reviewed safety rules before a graph: a message that speaks of danger
// is answered with the reviewed text of the region, and nothing of the graph runs. Both
// stages count as steps.
func Guard(s graph.Spec) (graph.Spec, error) {
	for _, st := range s.Stages {
		if slices.Contains(CrisisStages(), st.ID) {
			return s, fmt.Errorf("turn: the stage name %q is Holdpoint's own; choose another", st.ID)
		}
	}
	preflight := graph.Stage{ID: Preflight, Role: graph.RolePreflight, Title: "Preflight", Description: "Checks the message for danger by the reviewed rules", Kind: "safety",
		Flags: graph.Critical, Quick: true, Run: func(_ context.Context, t *graph.Task) (graph.Result, error) {
			region := ""
			if d, ok := t.Dependencies.(*Dependencies); ok {
				region = d.Region // rules need no model
			}
			f := Check(t.Run.Input, region)
			return graph.Result{Patch: f.Patch(), Events: []journal.Event{f.Event()}}, nil
		}}
	intervention := InterventionStage(s.Reply)
	intervention.Kind, intervention.Flags = "safety", graph.Critical

	edges := []graph.Edge{
		{From: graph.Start, To: Preflight, Type: graph.Entry},
		{From: Preflight, To: SafetyIntervention, Type: graph.Conditional, Condition: SafetyHijacked},
		{From: SafetyIntervention, To: graph.End, Type: graph.TerminalPath},
	}
	var rest []graph.Edge
	entries := 0
	for _, e := range s.Edges {
		if e.From == graph.Start {
			// Conditional edges choose one way, so there is one to begin with.
			edges = append(edges, graph.Edge{From: Preflight, To: e.To, Type: graph.Conditional, Condition: NotSafetyHijacked})
			entries++
		} else {
			rest = append(rest, e)
		}
	}
	if entries != 1 {
		return s, fmt.Errorf("turn: the graph %q has %d entries; it needs one", s.Agent, entries)
	}
	s.Stages, s.Edges = append([]graph.Stage{preflight, intervention}, s.Stages...), append(edges, rest...)
	s.Conditions = append(CrisisConditions(), s.Conditions...)
	s.Channels = append([]graph.AnyChannel{ChannelHijacked, ChannelSafety}, s.Channels...)
	return s, nil
}
