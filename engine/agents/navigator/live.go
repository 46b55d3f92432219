package navigator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/model"
	"holdpoint/engine/prompt"
	"holdpoint/engine/run"
)

// Live is what a turn has beside its state: models, settings and caches. It is
// handed to the executor with each Start and Resume and is never stored.
type Live struct {
	Models model.Set
	// Region is a code of package safety, for the hotline.
	Region string
	// Threshold of the completeness gate, 0 to 1.
	Threshold float64
	// ApprovalTTL is how long a person has for a verdict.
	ApprovalTTL time.Duration
	// Vectors caches embeddings by model digest and text hash.
	Vectors VectorCache
}

// VectorCache keeps embeddings between turns.
type VectorCache interface {
	Vector(model, textHash string) ([]float32, bool, error)
	PutVectors(model string, vectors map[string][]float32) error
}

// Admit makes the admission of a turn.
func Admit(a run.Admission, history []Exchange) run.Admission {
	a.State = graph.Patch{ChannelMessage.Set(a.Input), ChannelPatient.Set(a.Vars["patient"]), ChannelHistory.Set(history)}
	return a
}

func live(t *graph.Task) (*Live, error) {
	l, ok := t.Live.(*Live)
	if !ok || l.Models.Main == nil || l.Models.Light == nil {
		return nil, errors.New("navigator: no model at hand; choose one under Models, or practice mode")
	}
	return l, nil
}

// ask puts one question with a structured answer to the light model and journals
// the call. out receives the answer.
func ask(ctx context.Context, t *graph.Task, m model.Model, purpose, system, user string, schema json.RawMessage, out any) error {
	res, err := prompt.Ask(ctx, t, prompt.Question{Model: m, Role: model.Light, Purpose: purpose, Request: model.Request{
		Messages:  []model.Message{{Role: "system", Text: system}, {Role: "user", Text: user}},
		Format:    schema,
		MaxTokens: 1024, // the schemas bound the answer; this is for models of single bytes
	}})
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(res.Message.Text), out); err != nil {
		return fmt.Errorf("%w: %s gave no usable answer", model.ErrBroken, purpose)
	}
	return nil
}

func done(id graph.StageID, p graph.Patch) graph.Result {
	return graph.Result{Patch: append(p, ChannelCompleted.Add(id))}
}
