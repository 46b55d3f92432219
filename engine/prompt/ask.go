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
		e := journal.Event{}.With(q.told(info, kept, res.Usage, t.Now().Sub(began)))
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

// told is what the journal says about the call.
func (q Question) told(info model.Info, kept int, u model.Usage, took time.Duration) journal.ModelCalledData {
	d := journal.ModelCalledData{Role: string(q.Role), Purpose: q.Purpose, Model: info.Name, Digest: info.Digest, Kept: kept,
		Prompt: make([]journal.PromptMessage, 0, len(q.Request.Messages)-kept), PromptTokens: u.PromptTokens, Evaluated: u.Evaluated, OutputTokens: u.OutputTokens,
		MS: took.Milliseconds(), PromptMS: u.PromptTime.Milliseconds(), OutputMS: u.OutputTime.Milliseconds()}
	for _, m := range q.Request.Messages[kept:] {
		told := journal.PromptMessage{Role: m.Role, Text: m.Text, Call: m.Call, Tool: m.Tool}
		for _, c := range m.Calls {
			told.Calls = append(told.Calls, journal.PromptCall(c))
		}
		d.Prompt = append(d.Prompt, told)
	}
	return d
}

// Said is what the journal says about a message of a model beside its text. partial
// marks one that broke off.
func Said(info model.Info, r model.Response, partial bool) journal.MessageData {
	d := journal.MessageData{Role: journal.Assistant, Generation: &journal.Generation{Partial: partial, PromptTokens: r.Usage.PromptTokens,
		OutputTokens: r.Usage.OutputTokens, ContextUsed: r.Usage.PromptTokens + r.Usage.OutputTokens}}
	if s := r.Usage.OutputTime.Seconds(); s > 0 {
		d.TokensPerSecond = float64(int(float64(r.Usage.OutputTokens)/s*10)) / 10
	}
	if info.Name != "" {
		d.ModelUsed = &journal.ModelUsed{Model: info.Name, Digest: info.Digest, Context: info.Context, Practice: info.Practice}
	}
	return d
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
