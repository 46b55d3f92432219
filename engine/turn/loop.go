package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"holdpoint/engine/call"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/rule"
	"holdpoint/engine/tool"
)

// Loop is the loop of tool calls: a model asks for calls, gets their results, and is asked
// again, until it answers in words. A round of it is
//
//	said, err := loop.Ask(ctx, t)              // said.Asked() goes to the end of Talk
//	answer, paused, err := loop.Answer(ctx, t) // and then answer.Messages
//
// An agent has a stage for each half, or one that is entered again in between: what was asked
// for is a stage's result, on disk before it is answered, so that a start after a crash or a
// pause makes no call twice.
type Loop struct {
	// Chat asks. What its request offers is the loop's to say; its Format is that of the answer,
	// once no tools are offered, and its OnText the speech's.
	Chat
	// Act answers. Its calls and their reason are those of the last message of Talk.
	Act
	// Offers are the tools that the model hears of. All stay described to the end, so that the
	// prompt keeps its beginning; those that were refused too often are not offered again.
	Offers []model.Tool
	// Talk are the messages so far.
	Talk []model.Message
	// Past is what was read of the loop's calls already; nil reads Talk.
	Past *call.Past
	// Most is how many rounds of calls there may be before the model has to answer; 0 counts none.
	Most int
	// Words offers no tools: now the answer itself is asked for.
	Words bool
	// IDs is how the ids of this round's calls begin: "{IDs}1" and so on. They must be unique
	// in the store, and the same when the result is replayed.
	IDs string
	// Speech is what the person watches; nil for a loop that works for others.
	Speech *Speech
	// Again says that what a model wrote while it had tools will not do: it may be too weak for
	// them and is asked once more without. err is nil or a model.ErrUnusable. A nil Again is
	// that of replies: one that cannot be used and has no words for who watches the Speech.
	Again func(text string, err error) bool
	// Wanted says whether the person asks for a change that a tool makes: a very small model is
	// offered no others. nil counts every change as wanted.
	Wanted func(tool string) bool
	// Denied says that a tool is not offered again, as one to which a person said no more than once; nil denies none.
	Denied func(tool string) bool
	// Closed hears, before no tools are offered, what the calls found: a prompt may have that in
	// place of Talk, so that the model has the answers and nothing to go on with. It may be nil.
	Closed func(found []call.Result)
}

// Said is what came of asking.
type Said struct {
	Text string
	// Calls are what the model wants; none means that Text is its answer.
	Calls []model.Call
	// Offered says that it could have asked for calls.
	Offered bool
	// Events tell of a text that came with calls.
	Events   []journal.Event
	Response model.Response
	Used     graph.Usage
}

// Asked is the message of a model that asks for calls, for the conversation.
func (s Said) Asked() model.Message {
	return model.Message{Role: "assistant", Text: s.Text, Calls: s.Calls}
}

// Ask is the first half of a round: the model answers, or asks for calls. Tools are taken away
// when there were Most rounds, when it goes in circles, and when it cannot handle them. What was
// said before a model broke off stays in the journal, marked as unfinished.
func (l Loop) Ask(ctx context.Context, t *graph.Task) (Said, error) {
	if l.Past == nil {
		l.Past = call.PastOf(l.Tools, l.Talk)
	}
	open := l.Past.Open(l.Offers)
	if l.weak(ctx, t) {
		open = slices.DeleteFunc(open, l.unwanted)
	}
	if l.Denied != nil {
		open = slices.DeleteFunc(open, func(o model.Tool) bool { return l.Denied(o.Name) })
	}
	if l.Words || len(open) == 0 || l.Past.Over() || l.Most > 0 && l.Past.Rounds() >= l.Most {
		return l.ask(ctx, t, nil)
	}
	said, err := l.ask(ctx, t, open)
	if len(said.Calls) == 0 && (err == nil || errors.Is(err, model.ErrUnusable)) && l.again(said.Text, err) {
		l.Speech.anew()
		said, err = l.ask(ctx, t, nil)
	}
	return said, err
}

// unwanted says that a very small model is not offered a tool: it changes something for which the
// person did not ask, or a person said no to a change in this turn. The model answers then.
func (l Loop) unwanted(o model.Tool) bool {
	tl, err := l.Tools.Get(o.Name)
	return err == nil && tl.Mutates() && (l.Past.Rejected() || l.Wanted != nil && !l.Wanted(o.Name))
}

func (l Loop) again(text string, err error) bool {
	if l.Again != nil {
		return l.Again(text, err)
	}
	return err != nil && l.Speech != nil && l.Speech.clean(text) == ""
}

// ask asks once, with these tools or none. No call is taken that was not offered.
func (l Loop) ask(ctx context.Context, t *graph.Task, open []model.Tool) (Said, error) {
	if l.Request.Tools = open; open != nil {
		l.Request.Format = nil
	} else if l.Closed != nil {
		l.Closed(l.Past.Found(l.Talk))
	}
	// A model without a tool template answers in the form of its tools as long as it is told of them.
	if len(l.Offers) > 0 && l.Request.Format == nil {
		l.Request.Described = l.Offers
	}
	if l.Speech != nil {
		l.OnText = l.Speech.onText()
	}
	res, err := l.Send(ctx, t)
	defer l.Speech.close()
	said := Said{Text: strings.TrimSpace(res.Message.Text), Offered: open != nil, Response: res, Used: spent(t, res.Usage)}
	shown := ""
	// What was held back to the end of a message, or until it broke off, belongs to it as well.
	if l.Speech.began() || !errors.Is(err, model.ErrUnusable) && l.OnText != nil && l.Speech != nil {
		shown = l.Speech.clean(said.Text)
	}
	if err != nil {
		l.Speech.close()
		if shown != "" {
			t.Emit(l.Speech.Message(shown, res, true))
		}
		return said, fmt.Errorf("turn: the model did not finish its answer: %w", err)
	}
	calls := res.Message.Calls
	if c, ok := CallIn(said.Text, open); ok && len(calls) == 0 {
		calls = []model.Call{c} // written as text
		said.Text, _ = uncalled(said.Text, between)
	}
	if len(calls) == 0 || open == nil {
		l.Speech.rest(said.Text)
		return said, nil
	}
	said.Calls = slices.DeleteFunc(slices.Clone(calls), func(c model.Call) bool {
		is := func(o model.Tool) bool { return o.Name == c.Tool }
		return slices.ContainsFunc(l.Offers, is) && !slices.ContainsFunc(open, is)
	})
	if len(said.Calls) == 0 {
		return said, nil
	}
	for i := range said.Calls {
		c := &said.Calls[i]
		c.ID = l.IDs + strconv.Itoa(i+1)
		if len(c.Arguments) == 0 || !json.Valid(c.Arguments) {
			c.Arguments = json.RawMessage(`{}`)
		}
	}
	if shown != "" {
		said.Events = []journal.Event{l.Speech.Message(shown, res, false)}
	}
	return said, nil
}

// Answer is the other half of a round: it makes the calls of the last message, each through
// the gate that all calls go through, or returns a result that pauses the stage.
func (l Loop) Answer(ctx context.Context, t *graph.Task) (call.Answer, *graph.Result, error) {
	n := len(l.Talk) - 1
	if n < 0 || len(l.Talk[n].Calls) == 0 {
		return call.Answer{}, nil, errors.New("turn: no call to act on")
	}
	if l.Past == nil {
		l.Past = call.PastOf(l.Tools, l.Talk[:n])
	}
	l.Calls, l.Reason = l.Talk[n].Calls, l.Talk[n].Text
	l.Weak = l.weak(ctx, t)
	return l.answer(ctx, t, l.Past, l.Talk)
}

// weak says that the model that asks is too small for its word to count alone. Where none is
// named, the turn's main one is meant.
func (l Loop) weak(ctx context.Context, t *graph.Task) bool {
	if l.Info != nil {
		return l.Info.Weak()
	}
	m := l.Model
	if d, ok := t.Dependencies.(*Dependencies); ok && m == nil {
		m = d.Models.Main
	}
	if m == nil {
		return false
	}
	info, err := m.Info(ctx)
	return err == nil && info.Weak()
}

// Act puts calls through the gate that all calls go through, whoever asks for them. What an
// agent says of it is the same for all of its calls.
type Act struct {
	Tools *tool.Set
	Calls []model.Call
	// Reason is why the agent asks, in the model's words.
	Reason string
	// Weak says that a model too small for its word to count alone made the calls.
	Weak bool
	// Policy stands in the digests; "" is that of package call.
	Policy string
	// Rules are asked about the calls; nil is those of the turn.
	Rules *rule.Set
	// ReadOnly refuses everything that would change something.
	ReadOnly bool
	// Echoes says that a text is what the model was told and nothing of its own; a change with
	// such a text is refused. It may be nil.
	Echoes func(text string) bool
	// Later hands holds of rules after a call back; Hold is the rule for which all calls wait.
	Later bool
	Hold  *rule.Firing
	// State is what else of the agent rules may read as state.
	State map[string]any
	// Subject is what the calls are about where the run is about nothing.
	Subject record.Ref
}

// Take answers calls that no loop asked for, or returns a result that pauses the stage.
func (a Act) Take(ctx context.Context, t *graph.Task) (call.Answer, *graph.Result, error) {
	return a.answer(ctx, t, nil, nil)
}

// answer answers the calls. past is what calls before them got, talk what rules count.
func (a Act) answer(ctx context.Context, t *graph.Task, past *call.Past, talk []model.Message) (call.Answer, *graph.Result, error) {
	r := call.Round{Task: t, Tools: a.Tools, Calls: a.Calls, Policy: a.Policy, Reason: a.Reason, Weak: a.Weak, Subject: SubjectOf(t), ReadOnly: a.ReadOnly, Echoes: a.Echoes, Past: past, Talk: talk,
		Later: a.Later, Hold: a.Hold, State: a.State}
	if r.Subject.ID == "" {
		r.Subject = a.Subject
	}
	if d, ok := t.Dependencies.(*Dependencies); ok {
		r.Terms, r.Caller, r.Rules, r.Facts = d.Terms, d.Caller, d.Rules, d.Facts
		switch {
		case a.Hold != nil:
			r.Rules = nil // they were asked: this is what they said
		case a.Rules != nil:
			r.Rules = a.Rules
		}
	}
	return r.Run(ctx)
}
