package turn

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/memory"
	"holdpoint/engine/model"
)

// Chat is one request to a model.
type Chat struct {
	Model   model.Model
	Role    model.Role
	Purpose string
	// Control says that it is asked about a sentence that nobody wrote; see Light.control.
	Control bool
	Request model.Request
	// Info is the model's; nil asks the model.
	Info *model.Info
	// Fit builds the request's messages for a room, in characters; nil leaves those of
	// Request as they are. kept is how many of the first ones are those of the request
	// before in the same visit: the journal has them there.
	Fit    func(room int) (messages []model.Message, kept int)
	OnText func(string)
	// ForPerson says that a person reads what the model writes: the prompt says in which
	// language, at the end of its first message where no message has said so.
	ForPerson bool
	// Texts are the names of an agent's texts that the prompt was compiled of.
	Texts []string
}

// CharsPerToken is a cautious guess for English; LeastRoom is the smallest prompt
// that is tried, in characters.
const CharsPerToken, LeastRoom = 3, 1000

// RoomOf is the longest prompt for a model, in characters.
func RoomOf(info model.Info) int { return max(info.Context*CharsPerToken, LeastRoom) }

// Send asks the model, journals each try and counts what it used. A server that refuses a prompt gets a
// shorter one, if there is one: how many characters a token has differs from model to
// model.
func (q Chat) Send(ctx context.Context, t *graph.Task) (model.Response, error) {
	var info model.Info
	if q.Info != nil {
		info = *q.Info
	} else {
		var err error
		t.Show(journal.Event{}.With(journal.ModelReadingData{Role: string(q.Role), Purpose: q.Purpose}))
		if info, err = q.Model.Info(ctx); err != nil && q.Fit != nil {
			return model.Response{}, err
		}
	}
	language := LanguageOf(t)
	q.Request.Language, q.Request.Rounds = string(language), true
	if d, ok := t.Dependencies.(*Dependencies); ok {
		q.Request.Silence = d.Silence
	}
	room, kept := RoomOf(info), 0
	if q.Fit != nil {
		q.Request.Messages, kept = q.Fit(room)
	}
	for {
		size := length(q.Request.Messages) // without what is put into them here
		began := t.Now()
		if q.Role == model.Main || q.OnText != nil { // the small model may write the reply, too
			q.Request.Messages = heeding(t, q.Request.Messages)
		}
		if q.ForPerson {
			q.Request.Messages = inLanguage(language, q.Request.Messages)
		}
		if err := q.ruled(t, info); err != nil {
			return model.Response{}, err
		}
		reading := journal.ModelReadingData{Role: string(q.Role), Purpose: q.Purpose, Model: info.Name, Tokens: tokensOf(q.Request)}
		t.Show(journal.Event{}.With(reading))
		var heard time.Time
		res, err := q.Model.Chat(ctx, q.Request, func(piece string) {
			if now := t.Now(); !reading.Begun || now.Sub(heard) >= stillWrites {
				reading.Begun, heard = true, now
				t.Show(journal.Event{}.With(reading))
			}
			if q.OnText != nil {
				q.OnText(piece)
			}
		})
		if (err != nil || res.Repeats) && res.Usage.PromptTokens == 0 && (res.Message.Text != "" || res.Usage.OutputTokens > 0) {
			// It broke off before it said what it used.
			res.Usage.PromptTokens, res.Usage.OutputTokens = tokensOf(q.Request), max(res.Usage.OutputTokens, 1+len(res.Message.Text)/usualCharsPerToken)
		}
		e := journal.Event{}.With(q.told(info, kept, res.Usage, t.Now().Sub(began)))
		if q.Control {
			e.Reason = "a control with a harmless sentence that nobody wrote: it shows whether this model sees danger in everything"
		}
		switch {
		case err != nil:
			e.Error = err.Error()
		case res.Repeats:
			e.Reason = "the model said the same again and again; its answer was ended there"
		}
		t.Spend(spent(t, res.Usage))
		t.Emit(e)
		if heard, ok := ctx.Value(answeredKey{}).(*atomic.Bool); ok && err == nil {
			heard.Store(true)
		}
		if q.Fit == nil || !errors.Is(err, model.ErrRequest) {
			return res, err
		}
		for ; length(q.Request.Messages) >= size; q.Request.Messages, kept = q.Fit(room) {
			if room /= 2; room < LeastRoom {
				return res, err // the same again would be refused again
			}
		}
	}
}

// stillWrites is how often a model that writes is told of anew: who looks on sees when it falls silent.
const stillWrites = 2 * time.Second

// answeredKey finds, in a stage's context, the *atomic.Bool that says that a model answered in it.
type answeredKey struct{}

// tokensOf is about how many tokens a request has.
func tokensOf(r model.Request) int {
	n := length(r.Messages) + len(r.Format)
	for _, o := range r.Tools {
		n += len(o.Name) + len(o.Description) + len(o.Parameters)
	}
	return n / usualCharsPerToken
}

// usualCharsPerToken is what English and JSON have, where CharsPerToken is on the safe side.
const usualCharsPerToken = 4

func length(messages []model.Message) (n int) {
	for _, m := range messages {
		n += Weight(m)
	}
	return n
}

// Used is the usage of a request as runs count it.
func Used(u model.Usage) graph.Usage {
	return graph.Usage{Tokens: u.PromptTokens + u.OutputTokens}
}

// spent is the usage with what it costs.
func spent(t *graph.Task, u model.Usage) graph.Usage {
	used := Used(u)
	if d, ok := t.Dependencies.(*Dependencies); ok {
		used.Cost = float64(used.Tokens) * d.Price / 1e6
	}
	return used
}

// told is what the journal says about the request.
func (q Chat) told(info model.Info, kept int, u model.Usage, took time.Duration) journal.ModelCalledData {
	d := journal.ModelCalledData{Role: string(q.Role), Purpose: q.Purpose, Model: info.Name, Digest: info.Digest, Kept: kept, Texts: q.Texts,
		Prompt: make([]journal.PromptMessage, 0, len(q.Request.Messages)-kept), PromptTokens: u.PromptTokens, Evaluated: u.Evaluated, OutputTokens: u.OutputTokens,
		MS: took.Milliseconds(), PromptMS: u.PromptTime.Milliseconds(), OutputMS: u.OutputTime.Milliseconds()}
	for _, o := range q.Request.Tools {
		d.Tools = append(d.Tools, o.Name)
	}
	for _, m := range q.Request.Messages {
		for _, a := range m.Aside {
			d.Memories = append(d.Memories, journal.UsedMemory(a))
		}
	}
	for _, m := range q.Request.Messages[kept:] {
		told := journal.PromptMessage{Role: m.Role, Text: m.Text, Call: m.Call, Tool: m.Tool}
		if m.Aside != nil {
			told.Text = memory.Placeholder
		}
		for _, c := range m.Calls {
			told.Calls = append(told.Calls, journal.PromptCall(c))
		}
		d.Prompt = append(d.Prompt, told)
	}
	return d
}
