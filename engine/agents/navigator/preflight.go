package navigator

import (
	"context"
	"encoding/json"
	"slices"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/turn"
)

var intentSchema = json.RawMessage(`{"title":"intent","type":"object","properties":{
"intent":{"type":"string","enum":["find_provider","book","cancel","note","question","small_talk"]}},
"required":["intent"],"additionalProperties":false}`)

var intents = []string{"find_provider", "book", "cancel", "note", "question", "small_talk"}

const intentPrompt = `what the message asks for. intent is find_provider (wants to see somebody), book (a visit), cancel (a visit), note (something to be written down), question (about the patient or care), small_talk (none of these).`

// newLight are the light questions of the agent.
func newLight() (*turn.Light, error) {
	return turn.NewLight(turn.SafetyQuestion, turn.LightQuestion{Name: "intent", Text: intentPrompt, Schema: intentSchema},
		turn.LightQuestion{Name: "empathy", Text: empathyPrompt, Schema: empathySchema},
		turn.LightQuestion{Name: "client_signal", Text: signalPrompt, Schema: signalSchema, ForPerson: true},
		turn.LightQuestion{Name: "session_narrative", Text: narrativePrompt, Schema: narrativeSchema, ForPerson: true})
}

// preflight is the stage that all agents have. In the one call it asks about intent and tone, too, and
// beside it the main model reads the beginning of the reply's prompt.
func (a *navigator) preflight() (graph.Stage, error) {
	s, err := turn.PreflightStage(turn.Beside{Light: a.light, Questions: []string{"intent", "empathy"}, Ahead: a.readAhead, Patch: heard, Needed: true})
	s.Description = "Checks the message for danger and says what it is about"
	return s, err
}

// heard is what the answers say of intent and tone.
func heard(answers turn.Answers) graph.Patch {
	var said struct{ Intent string }
	var tone Empathy
	// What is not one of the classes would stand in the prompt as the model wrote it.
	if answers.Fill("intent", &said) != nil || !slices.Contains(intents, said.Intent) {
		said.Intent = "question"
	}
	if answers.Fill("empathy", &tone) != nil {
		tone = Empathy{}
	}
	return graph.Patch{ChannelIntent.Set(said.Intent), ChannelEmpathy.Set(tone), ChannelCompleted.Add(Preflight)}
}

func done(id graph.StageID, p graph.Patch) graph.Result {
	return graph.Result{Patch: append(p, ChannelCompleted.Add(id))}
}

func messageID(t *graph.Task, part string) string { return t.Run.Turn + "/" + part }

// gate chooses the context tools of the turn: the person's choice for this agent, or all.
// What the choice leaves without its dependencies is said in every turn.
func (a *navigator) gate(_ context.Context, t *graph.Task) (graph.Result, error) {
	list := a.context.list
	if d, ok := t.Dependencies.(*turn.Dependencies); ok && d.Context != nil {
		list = d.Context
	}
	_, warnings, err := a.context.registry.Plan(list)
	if err != nil {
		return graph.Result{}, err
	}
	r := done(AssemblyGate, graph.Patch{ChannelTools.Set(slices.Clone(list))})
	for _, w := range warnings {
		r.Events = append(r.Events, journal.Event{Kind: journal.Warned, Reason: w})
	}
	return r, nil
}
