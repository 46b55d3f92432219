package navigator

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/sourcegraph/conc"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/safety"
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

// preflight reads the message with what needs no model, and answers danger at once:
// nobody waits for a model then. Otherwise it asks the light model about safety, intent
// and tone, in one call; help that a check-in shows is told before. As soon as the
// safety is known the main model reads the beginning of the reply's prompt beside it. All of
// that has one bound: what is not answered or read by then is done without.
func (a *navigator) preflight(ctx context.Context, t *graph.Task) (graph.Result, error) {
	d, ok := t.Dependencies.(*turn.Dependencies)
	if !ok {
		return graph.Result{}, turn.ErrNoModel
	}
	message := ChannelMessage.Get(t.State)
	found := d.CheckMessage(t, message)
	intent, tone := "question", Empathy{}
	if !found.Hijack {
		found.Show(t)
		if _, err := turn.DependenciesOf(t); err != nil {
			return unanswered(t, &found, err)
		}
		var (
			wg       conc.WaitGroup
			begin    sync.Once
			intended struct{ Intent string }
			judging  bool
		)
		within, over := turn.Checking(ctx)
		defer over()
		reading, stop := context.WithCancel(within)
		ahead := func() { begin.Do(func() { wg.Go(func() { a.readAhead(reading, t) }) }) }
		answers, failed := a.light.Ask(within, t, model.Shorten(message, 4000), []string{turn.SafetyQuestion.Name, "intent", "empathy"}, func(so turn.Answers) {
			if _, known := so[turn.SafetyQuestion.Name]; !known || judging || !turn.KeepsApart(t) {
				return
			}
			judging = true
			if j, err := turn.Judged(ctx, t, so, nil); err == nil && !found.Heeded(j).Hijack {
				ahead()
			}
		})
		judged, err := turn.Judged(ctx, t, answers, failed)
		if errors.Is(err, turn.ErrNoModel) && found.Level == safety.Calm {
			stop()
			return unanswered(t, &found, err) // nothing can be answered, and nothing has to be
		}
		if err == nil {
			judged, err = a.light.Control(within, t, found, judged)
		}
		if found.Heed(judged, err); found.Hijack || ctx.Err() != nil {
			stop()
		} else {
			found.Show(t)
			if within.Err() == nil {
				ahead()
			}
		}
		wg.Wait()
		stop()
		if ctx.Err() != nil {
			return graph.Result{}, ctx.Err()
		}
		// What is not one of the classes would stand in the prompt as the model wrote it.
		if answers.Fill("intent", &intended) == nil && slices.Contains(intents, intended.Intent) {
			intent = intended.Intent
		}
		if answers.Fill("empathy", &tone) != nil {
			tone = Empathy{}
		}
	}
	r := done(Preflight, append(found.Patch(), ChannelIntent.Set(intent), ChannelEmpathy.Set(tone)))
	r.Events = found.Events(t)
	return r, nil
}

// unanswered ends a turn for which there is no model. What the message was checked by is told first.
func unanswered(t *graph.Task, found *turn.Finding, err error) (graph.Result, error) {
	found.Heed(turn.Judgement{}, err)
	t.Emit(found.Events(t)...)
	return graph.Result{}, err
}

func done(id graph.StageID, p graph.Patch) graph.Result {
	return graph.Result{Patch: append(p, ChannelCompleted.Add(id))}
}

// intervention is the stage that all agents have, counted among the completed ones.
func (a *navigator) intervention() graph.Stage {
	s := turn.InterventionStage(ChannelReply)
	answer := s.Run
	s.Run = func(ctx context.Context, t *graph.Task) (graph.Result, error) {
		r, err := answer(ctx, t)
		r.Patch = append(r.Patch, ChannelCompleted.Add(SafetyIntervention))
		return r, err
	}
	return s
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
