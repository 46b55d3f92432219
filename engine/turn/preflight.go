package turn

import (
	"context"
	"errors"
	"sync"

	"github.com/sourcegraph/conc"

	"holdpoint/engine/graph"
	"holdpoint/engine/model"
	"holdpoint/engine/safety"
)

// Beside is what an agent asks and does beside the safety check of its first stage. The zero
// value is the check alone.
type Beside struct {
	// Light are the agent's light questions, SafetyQuestion among them, and Questions the names of
	// those that are asked in one request with it.
	Light     *Light
	Questions []string
	// Ahead reads ahead for the reply, beside the request, from when the message is known to be safe.
	Ahead func(context.Context, *graph.Task)
	// Patch is what the stage writes besides the finding: of the answers, which are nil in danger.
	Patch func(Answers) graph.Patch
	// Needed says that nothing is answered without a model: the turn ends in this stage then.
	Needed bool
}

// PreflightStage is the first stage of every graph. It reads the message with what needs no model,
// and answers danger at once: nobody waits for a model then. Otherwise it asks the model's classifier,
// when a model is at hand, and in the same request what the agent asks beside; help that a check-in
// shows is told before. All of that has one bound: what is not answered or read by then is done without.
func PreflightStage(b Beside) (graph.Stage, error) {
	if b.Light == nil {
		light, err := NewLight(SafetyQuestion)
		if err != nil {
			return graph.Stage{}, err
		}
		b.Light = light
	}
	b.Questions = append([]string{SafetyQuestion.Name}, b.Questions...)
	return graph.Stage{ID: Preflight, Role: graph.RolePreflight, Title: "Check the message", Description: "Checks the message for danger", Run: b.check}, nil
}

func (b Beside) check(ctx context.Context, t *graph.Task) (graph.Result, error) {
	d, _ := t.Dependencies.(*Dependencies) // a check without a model needs none
	found := d.CheckMessage(t, t.Run.Input)
	found.prefer(safety.Language(t.Run.Vars["language"]), t.Run.Input) // an agent may speak another than the screens
	_, none := DependenciesOf(t)
	var answers Answers
	switch {
	case found.Hijack:
	case none != nil && !b.Needed:
		found.Safety.Unjudged = true
	case none != nil:
		found.Show(t)
		return unanswered(t, &found, none)
	default:
		found.Show(t)
		if answers, none = b.ask(ctx, t, &found); none != nil {
			return unanswered(t, &found, none)
		}
		if ctx.Err() != nil {
			return graph.Result{}, ctx.Err()
		}
	}
	r := graph.Result{Patch: found.Patch(), Events: found.Events(t)}
	if b.Patch != nil {
		r.Patch = append(r.Patch, b.Patch(answers)...)
	}
	return r, nil
}

// ask puts the questions, heeds what the model says of the message, and reads ahead. The error ends the
// turn: nothing can be answered, and nothing has to be.
func (b Beside) ask(ctx context.Context, t *graph.Task, found *Finding) (Answers, error) {
	within, over := checking(ctx)
	defer over()
	reading, stop := context.WithCancel(within)
	defer stop()
	var wg conc.WaitGroup
	defer wg.Wait()
	var begin sync.Once
	ahead := func() { begin.Do(func() { wg.Go(func() { b.Ahead(reading, t) }) }) }
	var heard func(Answers)
	if judging := false; b.Ahead != nil {
		heard = func(so Answers) {
			if _, known := so[SafetyQuestion.Name]; !known || judging || !KeepsApart(t) {
				return
			}
			judging = true
			if j, err := judgedBy(ctx, t, so, nil); err == nil && !found.heeded(j).Hijack {
				ahead()
			}
		}
	}
	answers, failed := b.Light.Ask(within, t, model.Shorten(t.Run.Input, 4000), b.Questions, heard)
	judged, err := judgedBy(ctx, t, answers, failed)
	if b.Needed && errors.Is(err, ErrNoModel) && found.Level == safety.Calm {
		stop()
		return nil, err
	}
	if err == nil {
		judged, err = b.Light.control(within, t, *found, judged)
	}
	if found.Heed(judged, err); found.Hijack || ctx.Err() != nil {
		stop()
	} else if b.Ahead != nil {
		found.Show(t)
		if within.Err() == nil {
			ahead()
		}
	}
	return answers, nil
}

// unanswered ends a turn for which there is no model. What the message was checked by is told first.
func unanswered(t *graph.Task, found *Finding, err error) (graph.Result, error) {
	found.Heed(Judgement{}, err)
	t.Emit(found.Events(t)...)
	return graph.Result{}, err
}
