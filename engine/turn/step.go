package turn

import (
	"context"
	"encoding/json"
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

// Step is one round of the loop of tool calls: the model answers, or asks for calls.
// The calls are a stage's result, on disk before Act answers them, so that a start
// after a crash or a pause makes no call twice.
type Step struct {
	// Chat asks; its OnText is the speech's.
	Chat
	// Calls is how the ids of the step's calls begin: "{Calls}1" and so on. They must be
	// unique in the store, and the same when the result is replayed.
	Calls string
	// Speech is what the person watches; nil for a step that works for others.
	Speech *Speech
}

// Said is what came of a step.
type Said struct {
	Text string
	// Calls are what the model wants; none means that Text is its answer.
	Calls []model.Call
	// Events tell of a text that came with calls.
	Events   []journal.Event
	Response model.Response
	Used     graph.Usage
}

// Take asks the model. What was said before a model broke off stays in the journal,
// marked as unfinished. No call is taken where no tool was offered.
func (s Step) Take(ctx context.Context, t *graph.Task) (Said, error) {
	if s.Speech != nil {
		s.OnText = s.Speech.onText()
	}
	res, err := s.Send(ctx, t)
	defer s.Speech.close()
	said := Said{Text: strings.TrimSpace(res.Message.Text), Response: res, Used: spent(t, res.Usage)}
	shown := ""
	// What was held back to the end of a whole message belongs to it as well.
	if s.Speech.began() || err == nil && s.OnText != nil && s.Speech != nil {
		shown = s.Speech.clean(said.Text)
	}
	if err != nil {
		s.Speech.close()
		if shown != "" {
			t.Emit(s.Speech.Message(shown, res, true))
		}
		return said, fmt.Errorf("turn: the model did not finish its answer: %w", err)
	}
	calls := res.Message.Calls
	if c, ok := CallIn(said.Text, s.Request.Tools); ok && len(calls) == 0 {
		calls = []model.Call{c} // written as text
		said.Text, _ = uncalled(said.Text)
	}
	if len(calls) == 0 || s.Request.Tools == nil {
		s.Speech.rest(said.Text)
		return said, nil
	}
	said.Calls = slices.DeleteFunc(slices.Clone(calls), func(c model.Call) bool { return s.closed(c.Tool) })
	if len(said.Calls) == 0 {
		return said, nil
	}
	for i := range said.Calls {
		c := &said.Calls[i]
		c.ID = s.Calls + strconv.Itoa(i+1)
		if len(c.Arguments) == 0 || !json.Valid(c.Arguments) {
			c.Arguments = json.RawMessage(`{}`)
		}
	}
	if shown != "" {
		said.Events = []journal.Event{s.Speech.Message(shown, res, false)}
	}
	return said, nil
}

// closed says that a tool was offered before and is not any more.
func (s Step) closed(name string) bool {
	is := func(t model.Tool) bool { return t.Name == name }
	return slices.ContainsFunc(s.Request.Described, is) && !slices.ContainsFunc(s.Request.Tools, is)
}

// Asked is the message of a step with calls, for the conversation.
func (s Said) Asked() model.Message {
	return model.Message{Role: "assistant", Text: s.Text, Calls: s.Calls}
}

// Act is the other half of the loop: it answers the calls of a message, each through
// the gate that all calls go through.
type Act struct {
	Tools *tool.Set
	Calls []model.Call
	// Reason is why the agent asks, in the model's words.
	Reason string
	// Policy stands in the digests; "" is that of package call.
	Policy string
	// Earlier are the turn's messages before the one with the calls: what a read call got
	// there is given again.
	Earlier []model.Message
	// Past is what was read of them already; nil reads Earlier.
	Past *call.Past
	// Rules are asked about the calls; nil is those of the turn.
	Rules *rule.Set
	// Talk are the turn's messages so far, for what rules count; Earlier when nil.
	Talk []model.Message
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

// Take answers the calls, or returns a result that pauses the stage.
func (a Act) Take(ctx context.Context, t *graph.Task) (call.Answer, *graph.Result, error) {
	r := call.Round{Task: t, Tools: a.Tools, Calls: a.Calls, Policy: a.Policy, Reason: a.Reason, Subject: SubjectOf(t), ReadOnly: a.ReadOnly, Echoes: a.Echoes, Past: a.Past, Talk: a.Talk,
		Later: a.Later, Hold: a.Hold, State: a.State}
	if r.Subject.ID == "" {
		r.Subject = a.Subject
	}
	if r.Past == nil {
		r.Past = call.PastOf(a.Tools, a.Earlier)
	}
	if r.Talk == nil {
		r.Talk = a.Earlier
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
