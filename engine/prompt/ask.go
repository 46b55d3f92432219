package prompt

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
)

// Question is one call of a model.
type Question struct {
	Model   model.Model
	Role    model.Role
	Purpose string
	Request model.Request
	// Info is the model's; nil asks the model.
	Info *model.Info
	// Fit builds the request's messages for a room, in characters; nil leaves those of
	// Request as they are. kept is how many of the first ones are those of the question
	// before in the same visit: the journal has them there.
	Fit    func(room int) (messages []model.Message, kept int)
	OnText func(string)
}

// CharsPerToken is a cautious guess for English; LeastRoom is the smallest prompt
// that is tried, in characters.
const CharsPerToken, LeastRoom = 3, 1000

// Ask puts the question and journals each call. A server that refuses a prompt gets
// a shorter one: how many characters a token has differs from model to model.
func Ask(ctx context.Context, t *graph.Task, q Question) (model.Response, error) {
	var info model.Info
	if q.Info != nil {
		info = *q.Info
	} else {
		var err error
		if info, err = q.Model.Info(ctx); err != nil && q.Fit != nil {
			return model.Response{}, err
		}
	}
	for room := max(info.Context*CharsPerToken, LeastRoom); ; room /= 2 {
		began, kept := t.Now(), 0
		if q.Fit != nil {
			q.Request.Messages, kept = q.Fit(room)
		}
		res, err := q.Model.Chat(ctx, q.Request, q.OnText)
		e := journal.Event{Kind: journal.ModelCalled}.With(q.journal(info, kept, res.Usage, t.Now().Sub(began)))
		if err != nil {
			e.Error = err.Error()
		}
		t.Emit(e)
		if q.Fit == nil || !errors.Is(err, model.ErrRequest) || room/2 < LeastRoom {
			return res, err
		}
	}
}

// Used is the usage of a response as runs count it.
func Used(r model.Response) graph.Usage {
	return graph.Usage{Tokens: r.Usage.PromptTokens + r.Usage.OutputTokens}
}

func (q Question) journal(info model.Info, kept int, u model.Usage, took time.Duration) any {
	return struct {
		Role         model.Role      `json:"role"`
		Purpose      string          `json:"purpose"`
		Model        string          `json:"model,omitempty"`
		Digest       string          `json:"digest,omitempty"`
		Kept         int             `json:"kept,omitempty"`
		Prompt       []model.Message `json:"prompt"`
		PromptTokens int             `json:"prompt_tokens"`
		OutputTokens int             `json:"output_tokens"`
		Took         int64           `json:"ms"`
		PromptTook   int64           `json:"prompt_ms"`
		OutputTook   int64           `json:"output_ms"`
	}{q.Role, q.Purpose, info.Name, info.Digest, kept, q.Request.Messages[kept:], u.PromptTokens, u.OutputTokens,
		took.Milliseconds(), u.PromptTime.Milliseconds(), u.OutputTime.Milliseconds()}
}

// Said is what the journal says about a message of a model beside its text. partial
// marks one that broke off.
func Said(info model.Info, r model.Response, partial bool) map[string]any {
	data := map[string]any{"role": "assistant", "partial": partial, "prompt_tokens": r.Usage.PromptTokens, "output_tokens": r.Usage.OutputTokens,
		"context_used": r.Usage.PromptTokens + r.Usage.OutputTokens}
	if s := r.Usage.OutputTime.Seconds(); s > 0 {
		data["tokens_per_second"] = float64(int(float64(r.Usage.OutputTokens)/s*10)) / 10
	}
	if info.Name != "" {
		data["model"], data["digest"], data["context"], data["practice"] = info.Name, info.Digest, info.Context, info.Practice
	}
	return data
}

// OwnCalls gives the calls of a message ids of our own, "{prefix}1" and so on:
// unique in the store, and the same when the result is replayed. Arguments that are
// no JSON become empty.
func OwnCalls(calls []model.Call, prefix string) {
	for i := range calls {
		calls[i].ID = prefix + itoa(i+1)
		if len(calls[i].Arguments) == 0 || !json.Valid(calls[i].Arguments) {
			calls[i].Arguments = json.RawMessage(`{}`)
		}
	}
}
