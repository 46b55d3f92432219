package turn

import (
	"context"
	"errors"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
)

// Chat is one request to a model.
type Chat struct {
	Model   model.Model
	Role    model.Role
	Purpose string
	Request model.Request
	// Info is the model's; nil asks the model.
	Info *model.Info
	// Fit builds the request's messages for a room, in characters; nil leaves those of
	// Request as they are. kept is how many of the first ones are those of the request
	// before in the same visit: the journal has them there.
	Fit    func(room int) (messages []model.Message, kept int)
	OnText func(string)
}

// CharsPerToken is a cautious guess for English; LeastRoom is the smallest prompt
// that is tried, in characters.
const CharsPerToken, LeastRoom = 3, 1000

// Send asks the model and journals each try. A server that refuses a prompt gets a
// shorter one, if there is one: how many characters a token has differs from model to
// model.
func (q Chat) Send(ctx context.Context, t *graph.Task) (model.Response, error) {
	var info model.Info
	if q.Info != nil {
		info = *q.Info
	} else {
		var err error
		if info, err = q.Model.Info(ctx); err != nil && q.Fit != nil {
			return model.Response{}, err
		}
	}
	room, kept := max(info.Context*CharsPerToken, LeastRoom), 0
	if q.Fit != nil {
		q.Request.Messages, kept = q.Fit(room)
	}
	for {
		began := t.Now()
		res, err := q.Model.Chat(ctx, q.Request, q.OnText)
		e := journal.Event{Kind: journal.ModelCalled}.With(q.journal(info, kept, res.Usage, t.Now().Sub(began)))
		if err != nil {
			e.Error = err.Error()
		}
		t.Emit(e)
		if q.Fit == nil || !errors.Is(err, model.ErrRequest) {
			return res, err
		}
		for size := length(q.Request.Messages); length(q.Request.Messages) >= size; q.Request.Messages, kept = q.Fit(room) {
			if room /= 2; room < LeastRoom {
				return res, err // the same again would be refused again
			}
		}
	}
}

func length(messages []model.Message) (n int) {
	for _, m := range messages {
		n += Weight(m)
	}
	return n
}

// Used is the usage of a response as runs count it.
func Used(r model.Response) graph.Usage {
	return graph.Usage{Tokens: r.Usage.PromptTokens + r.Usage.OutputTokens}
}

func (q Chat) journal(info model.Info, kept int, u model.Usage, took time.Duration) any {
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
