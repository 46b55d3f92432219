package prompt

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"holdpoint/engine/call"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/schema"
	"holdpoint/engine/skill"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
)

// Reasons to enter a node again.
const (
	// Prepared is that of a node whose preprocessor ran.
	Prepared = "prepared"
	// CallsPresent is that of the tool loop.
	CallsPresent = "tool_calls_present"
	// SkillsSelected is that of a model that selected skills, which are loaded now.
	SkillsSelected = "skills_selected"
)

// ErrRetries says that a guard asked for another answer more often than it may.
var ErrRetries = errors.New("prompt: no answer that its guards accept")

const defaultRounds, defaultRetries, defaultTokens = 8, 2, 1024

// bound is the request as it is for a whole visit.
type bound struct {
	model   model.Model
	role    model.Role
	info    model.Info
	request model.Request
	offers  []model.Tool
	spare   int // characters that tools and the answer take
}

// visit is one super-step of a node's visit.
type visit struct {
	n *Node
	t *graph.Task
	d *turn.Dependencies
	// calls is how ids of this visit's calls begin.
	calls string
	key   string // of what the visit remembers
	// listed are the skills that the node names, loaded those of them that were loaded.
	listed, loaded []*skill.Skill
	kept           *remembered
}

// Run is one super-step of a visit. The model's message with calls is on disk
// before they are acted on, so a start after a crash or a pause makes no call twice.
func (n *Node) Run(ctx context.Context, t *graph.Task) (graph.Result, error) {
	if _, err := n.prepare(); err != nil {
		return graph.Result{}, err
	}
	d, err := turn.DependenciesOf(t)
	if err != nil {
		return graph.Result{}, err
	}
	if t.Round == 0 && n.Before != nil {
		patch, err := n.Before(ctx, t)
		return graph.Result{Patch: patch, Reenter: Prepared}, err
	}
	first := t.Finished - t.Round
	v := &visit{n: n, t: t, d: d, key: "prompt", calls: t.Run.Turn + "." + strings.ReplaceAll(string(t.Stage), "/", ".") + ".v" + itoa(first) + "-"}
	if t.Flags.Has(graph.Stateful) {
		v.key += itoa(first) // what is remembered is of this visit all the same
	}
	if err := v.remember(); err != nil {
		return graph.Result{}, err
	}
	if err := v.skills(); err != nil {
		return graph.Result{}, err
	}
	if r := v.changed(); r != nil {
		return *r, nil
	}
	messages := model.Made(Messages.Get(t.State))
	if i := v.open(messages); i >= 0 {
		return v.act(ctx, messages[:i+1])
	}
	return v.think(ctx, messages)
}

// remembered is what a visit made once and uses again until the node is left.
type remembered struct {
	tools  *tool.Set    // by name
	offers []model.Tool // what the model hears of them
	bound  *bound
	system *system
	past   *call.Past // of the visit's calls
}

// remember finds what the visit made so far. One step of a visit runs at a time.
func (v *visit) remember() error {
	x, err := v.t.Memo(v.key, func() (any, error) { return &remembered{}, nil })
	if err == nil {
		v.kept = x.(*remembered)
	}
	return err
}

// own says whether the calls were made in this visit.
func (v *visit) own(m *model.Message) bool {
	return len(m.Calls) > 0 && strings.HasPrefix(m.Calls[0].ID, v.calls)
}

// open is where the newest message of this visit is if its calls have no results yet; else -1.
func (v *visit) open(messages []model.Message) int {
	if v.t.Round == 0 {
		return -1
	}
	for i := len(messages) - 1; i >= 0; i-- {
		m := &messages[i]
		if m.Role == "tool" && strings.HasPrefix(m.Call, v.calls) {
			return -1
		}
		if v.own(m) {
			return i
		}
	}
	return -1
}

var none = &tool.Set{}

// tools are those that the node names, by name.
func (v *visit) tools() (*tool.Set, error) {
	if v.kept.tools != nil {
		return v.kept.tools, nil
	}
	named, all := v.n.Tools, v.d.Tools
	v.n.hear("tool map")
	switch {
	case all == nil || len(named) == 0:
		v.kept.tools = none
	case slices.Contains(named, "*"):
		subject := turn.SubjectOf(v.t).Type
		v.kept.tools = all.Only(func(t tool.Tool) bool {
			return t.About == nil || slices.Contains(t.About, subject) || slices.Contains(named, t.Name)
		})
	default:
		v.kept.tools = all.Only(func(t tool.Tool) bool { return slices.Contains(named, t.Name) })
	}
	if err := v.equip(); err != nil {
		v.kept.tools = nil
		return nil, err
	}
	for _, name := range named {
		if _, err := v.kept.tools.Get(name); name != "*" && err != nil {
			v.kept.tools = nil
			return nil, fmt.Errorf("prompt: node %s: %w", v.t.Stage, err)
		}
	}
	return v.kept.tools, nil
}

// offers are the tools that the model hears of: what the caller may use and, in a
// node that only reads, what changes nothing.
func (v *visit) offers() ([]model.Tool, error) {
	if v.kept.offers != nil {
		return v.kept.offers, nil
	}
	tools, err := v.tools()
	if err != nil || tools.Len() == 0 {
		return nil, err
	}
	v.n.hear("tools")
	v.kept.offers = tools.Only(func(t tool.Tool) bool {
		return !(v.t.Flags.Has(graph.ReadOnly) && t.Mutates()) && (t.Allow == nil || t.Allow(v.d.Caller) == nil)
	}).Offer()
	return v.kept.offers, nil
}

func (n *Node) hear(what string) {
	if n.built != nil {
		n.built(what)
	}
}

// made are those of messages that this visit's tool loop made.
func (v *visit) made(messages []model.Message) []model.Message {
	var out []model.Message
	for i := range messages {
		if m := &messages[i]; v.own(m) || m.Role == "tool" && strings.HasPrefix(m.Call, v.calls) {
			out = append(out, *m)
		}
	}
	return out
}

// past is what the visit's calls asked for and got, read on from what was read for the step
// before.
func (v *visit) past(messages []model.Message) *call.Past {
	made := v.made(messages)
	if v.kept.past == nil || v.kept.past.Len() > len(made) {
		v.kept.past = call.PastOf(v.kept.tools, made)
	} else {
		v.kept.past.Read(v.kept.tools, made)
	}
	return v.kept.past
}

// act answers the calls of the last message.
func (v *visit) act(ctx context.Context, messages []model.Message) (graph.Result, error) {
	tools, err := v.tools()
	if err != nil {
		return graph.Result{}, err
	}
	rules, err := v.rules()
	if err != nil {
		return graph.Result{}, err
	}
	answer, paused, err := turn.Loop{Talk: messages, Past: v.past(messages[:len(messages)-1]), Act: turn.Act{Tools: tools, Rules: rules, Echoes: spoken.Echoes, ReadOnly: v.t.Flags.Has(graph.ReadOnly)}}.Answer(ctx, v.t)
	if err != nil {
		return graph.Result{}, err
	}
	if paused != nil {
		return *paused, nil
	}
	return graph.Result{Patch: graph.Patch{Messages.Add(answer.Messages...)}, Events: answer.Events, Reenter: CallsPresent}, nil
}

// bind makes the request of the visit, but for its messages.
func (v *visit) bind(ctx context.Context) (*bound, error) {
	if v.kept.bound != nil {
		return v.kept.bound, nil
	}
	offers, err := v.offers()
	if err != nil {
		return nil, err
	}
	v.n.hear("request")
	b := &bound{model: v.d.Models.Main, role: model.Main}
	if v.t.Light {
		b.model, b.role = v.d.Models.Light, model.Light
	}
	if b.info, err = b.model.Info(ctx); err != nil {
		return nil, err
	}
	b.request, b.offers = model.Request{MaxTokens: v.n.MaxTokens, Temperature: v.n.Temperature, Format: v.n.made.schema}, offers
	if b.request.MaxTokens == 0 {
		b.request.MaxTokens = defaultTokens
	}
	b.spare = b.request.MaxTokens * turn.CharsPerToken
	for _, o := range offers {
		b.spare += len(o.Name) + len(o.Description) + len(o.Parameters)
	}
	v.kept.bound = b
	return b, nil
}

// think asks the model for the next step: calls, or the answer.
func (v *visit) think(ctx context.Context, messages []model.Message) (graph.Result, error) {
	b, err := v.bind(ctx)
	if err != nil {
		return graph.Result{}, err
	}
	if v.n.Says {
		if text, ok, err := turn.Waiting(v.t); err != nil {
			return graph.Result{}, err
		} else if ok {
			return v.release(ctx, model.JSON(text), nil, v.speech(b), model.Response{})
		}
	}
	anew := v.kept.system == nil
	if anew {
		// A model without a tool template is told the schemas by package model.
		if v.kept.system, err = v.n.assemble(v.t, b.offers, v.t.Flags.Has(graph.InjectTools) && b.info.Tools, skill.Listing(v.selectable())); err != nil {
			return graph.Result{}, err
		}
	}
	sys := v.kept.system
	// It is read again with each request: what was forgotten meanwhile is not told any more.
	earlier := v.remembered(ctx, b)
	anew = anew || !sameText(earlier, sys.memory)
	sys.memory = earlier
	rounds, kept := 0, 0
	for i := range messages {
		if v.own(&messages[i]) {
			// What the last request of this visit was sent with, its system message included.
			rounds, kept = rounds+1, i+1+len(sys.memory)
		}
	}
	talk := conversation(messages)
	if anew || len(talk) != len(messages) {
		kept = 0
	}
	loop := turn.Loop{IDs: v.calls + itoa(rounds+1) + ".", Talk: messages, Past: v.past(messages), Offers: b.offers, Most: cmp.Or(v.n.Rounds, defaultRounds), Act: turn.Act{Tools: v.kept.tools},
		Chat:  turn.Chat{Model: b.model, Role: b.role, Purpose: string(v.t.Stage), ForPerson: true, Request: b.request, Info: &b.info},
		Again: func(text string, err error) bool { return err != nil || v.words(text) == "" && !v.selects(text) }}
	var extra []model.Message
	loop.Fit = func(room int) ([]model.Message, int) {
		chat, trimmed := fit(sys, talk, extra, max(room-b.spare, turn.LeastRoom))
		if trimmed || len(extra) > 0 {
			return chat, 0
		}
		return chat, kept
	}
	for try := 0; ; try++ {
		loop.Speech = v.speech(b)
		said, err := loop.Ask(ctx, v.t)
		text := v.words(said.Text)
		if err == nil && len(said.Calls) == 0 {
			if r, ok := v.selected(said.Text, b); ok {
				return r, nil
			}
		}
		if err != nil && !(errors.Is(err, model.ErrUnusable) && v.n.Says && v.n.Schema == nil) {
			return graph.Result{}, err
		}
		if len(said.Calls) > 0 {
			return graph.Result{Reenter: CallsPresent, Patch: graph.Patch{Messages.Add(said.Asked())}, Events: said.Events}, nil
		}
		if v.n.Schema != nil && said.Offered && v.structured(text) != nil {
			// The tools are done with; now the answer takes its form.
			loop.Words = true
			if text != "" {
				extra = append(extra, model.Message{Role: "assistant", Text: text}, model.Message{Role: "user", Text: "Give your answer in the form that is asked for."})
			}
			try--
			continue
		}
		if text == "" && v.n.Says && v.n.Schema == nil {
			return v.wordless(ctx, loop.Speech, said.Response)
		}
		if text == "" {
			return graph.Result{}, fmt.Errorf("%w: the answer has no words for a person", model.ErrBroken)
		}
		g, err := v.n.guard(ctx, v.t, text)
		if len(g.events) > 0 {
			v.t.Emit(g.events...)
		}
		if err != nil {
			return graph.Result{}, err
		}
		if g.again == "" {
			return v.finish(ctx, loop.Speech, g.text, said.Response)
		}
		retries := v.n.Retries
		if retries == 0 {
			retries = defaultRetries
		}
		if try >= retries {
			return graph.Result{}, fmt.Errorf("%w: %s asked %d times for another one: %s", ErrRetries, g.by, try+1, g.again)
		}
		// What was refused is no part of the conversation. The tool loop is over: a
		// retry is about the words.
		extra = []model.Message{{Role: "assistant", Text: text}, {Role: "user", Text: "Your answer was not accepted.\n<why>" + turn.TagSafe(g.again) +
			"</why>\nGive another answer that mends this."}}
		loop.Words = true
	}
}

var errNoJSON = errors.New("it is not JSON, or it breaks off")

// structured says what is wrong with a text that should follow the node's schema.
func (v *visit) structured(text string) error {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return errNoJSON
	}
	return schema.Validate(v.n.made.checker, doc)
}

// answer reads the answer: what it is, what it came out of, and how it reads.
func (v *visit) answer(text string) (output json.RawMessage, thought map[string]any, err error) {
	p := &v.n.made
	if v.n.Schema == nil {
		if len(p.parts) > 0 {
			if text, thought = split(p.parts, text); v.speaks() {
				text = v.spoken().Plain(text)
			}
		}
		if v.n.Says {
			return model.JSON(text), thought, nil
		}
		return parseText(text), thought, nil
	}
	if err := v.structured(text); err != nil {
		return nil, nil, fmt.Errorf("%w: the answer does not follow its schema: %s", model.ErrBroken, model.Shorten(err.Error(), 300))
	}
	var whole bytes.Buffer
	if err := json.Compact(&whole, []byte(text)); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", model.ErrBroken, err)
	}
	if len(p.parts) == 0 {
		return whole.Bytes(), nil, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(whole.Bytes(), &members); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", model.ErrBroken, err)
	}
	thought = map[string]any{}
	for _, part := range p.parts {
		thought[part.Name] = members[part.Name]
	}
	return members[valueMember], thought, nil
}

// finish turns an answer that the guards let through into the node's result.
func (v *visit) finish(ctx context.Context, speech *turn.Speech, text string, res model.Response) (graph.Result, error) {
	switch {
	case res.Repeats:
		v.t.Emit(journal.Event{Kind: journal.Warned, Reason: "the model said the same again and again; its answer was ended there"})
	case res.Cut:
		v.t.Emit(journal.Event{Kind: journal.Warned, Reason: fmt.Sprintf("the answer was broken off after %d tokens, as many as one answer may have here", res.Usage.OutputTokens)})
	}
	output, thought, err := v.answer(text)
	answer := output
	if err == nil && v.n.After != nil {
		output, err = v.n.After(ctx, v.t, output)
	}
	if err != nil {
		return graph.Result{}, err
	}
	if v.n.Says && v.n.Schema == nil && len(output) > 0 && output[0] == '"' {
		said := v.spoken().Plain(Plain(output))
		// An answer that only says where to go on is not for the person.
		if routed := v.n.Decides != nil && graph.RouteOf(json.RawMessage(strings.TrimSpace(Plain(output)))) != ""; said == "" && !routed {
			return v.wordless(ctx, speech, res)
		}
		if said != "" {
			output = model.JSON(turn.Undone(v.t, said, false, turn.Tongue(v.t).Say("Nothing was changed in this turn.")))
		}
	}
	r, err := v.release(ctx, output, thought, speech, res)
	if err == nil && v.n.Decides != nil {
		v.n.Decides(v.t, answer, &r)
	}
	return r, err
}

// release hands the output on, and lets the rules look at what goes to the person.
func (v *visit) release(ctx context.Context, output json.RawMessage, thought map[string]any, speech *turn.Speech, res model.Response) (graph.Result, error) {
	n := v.n
	var r graph.Result
	if n.Says {
		said := Plain(output)
		reply, err := turn.Release(ctx, v.t, said)
		if err != nil {
			return r, err
		}
		if reply != said {
			output = model.JSON(reply)
		}
	}
	r.Output = output
	if len(thought) > 0 {
		r.Patch = append(r.Patch, Context.Put(v.stage()+"_thought", model.JSON(thought)))
	}
	switch {
	case n.Observes:
		r.Patch = append(r.Patch, Observations.Add(Remark(output)))
	case n.Plans:
		r.Patch = append(r.Patch, Plan.Set(Steps(output)))
	case n.Reflects:
		r.Patch = append(r.Patch, Reflections.Add(Remark(output)))
	}
	if n.Says {
		reply := Plain(output)
		r.Patch = append(r.Patch, Reply.Set(reply), Messages.Add(model.Message{Role: "assistant", Text: reply}))
		r.Events = append(r.Events, speech.Message(reply, res, res.Cut))
	}
	return r, nil
}

// stage is the stage's own id, as outputs are named by it.
func (v *visit) stage() string {
	id := string(v.t.Stage)
	return id[strings.LastIndexByte(id, '/')+1:]
}

// spoken leaves notes to the model out of what it says.
var spoken = turn.Spoken{Own: turn.OwnWords(call.RepeatNote)}

// spoken is what of its answer is for people. Its instructions may ask for one in a form.
func (v *visit) spoken() turn.Spoken {
	given := turn.Given(Messages.Get(v.t.State))
	if v.kept.system != nil {
		given += v.kept.system.text
	}
	return spoken.For(strings.Join(append([]string{v.t.Run.Input, v.n.Instructions}, v.n.Blocks...), "\n"), given)
}

// speaks says that the node talks to the person in words of its own: what a weak model
// writes when it means to call a tool is not for them. What a postprocessor reads is not
// words yet.
func (v *visit) speaks() bool { return v.n.Says && v.n.Schema == nil && v.n.After == nil }

// words are what of a model's text counts as its answer: for a person only what is for people.
func (v *visit) words(text string) string {
	if v.speaks() {
		return v.plain(text)
	}
	return text
}

// plain is an answer, with the parts ahead of it, where something of it is for people; else "".
func (v *visit) plain(text string) string {
	parts := v.n.made.parts
	if len(parts) == 0 {
		return v.spoken().Plain(text)
	}
	if answer, _ := split(parts, text); v.spoken().Plain(answer) == "" {
		return ""
	}
	return text
}

// NoWords is turn.NoWords for a graph of prompt nodes.
func NoWords(t *graph.Task) string {
	d, ok := t.Dependencies.(*turn.Dependencies)
	changed := ok && d.Tools != nil && call.PastOf(d.Tools, Messages.Get(t.State)).Changed()
	return turn.NoWords(turn.Tongue(t), turn.SummaryOf(t), t.Run.Input, changed)
}

// wordless is the reply where the model gave none that a person can use.
func (v *visit) wordless(ctx context.Context, speech *turn.Speech, res model.Response) (graph.Result, error) {
	res.Cut = false // the words are not the model's
	r, err := v.release(ctx, model.JSON(NoWords(v.t)), nil, speech, res)
	if err != nil {
		return r, err
	}
	r.Reason = "the model gave no usable answer"
	last := &r.Events[len(r.Events)-1]
	data, err := journal.Read[journal.MessageData](*last)
	data.Template = turn.NoWordsTemplate
	*last = last.With(data)
	return r, err
}

// remembered tells of memory: working memory of the session, and earlier conversations about
// its subject. What a node does not see of the conversation, it is not told of others.
func (v *visit) remembered(ctx context.Context, b *bound) []model.Message {
	if v.t.Flags.Has(graph.IsolatedContext) || v.t.Flags.Has(graph.NoHistory) {
		return nil
	}
	return turn.Remembered(v.t, turn.WorkingOf(v.t), turn.Earlier(ctx, v.t), max(b.info.Context*turn.CharsPerToken, turn.LeastRoom)/5)
}

func sameText(a, b []model.Message) bool {
	return slices.EqualFunc(a, b, func(x, y model.Message) bool { return x.Text == y.Text })
}

// speech is the message of a node that talks to the person; nil for one that works for
// others. What guards or a postprocessor may still change is not shown before.
func (v *visit) speech(b *bound) *turn.Speech {
	if !v.n.Says {
		return nil
	}
	s := &turn.Speech{Task: v.t, ID: v.t.Run.Turn + "/" + string(v.t.Stage) + "." + itoa(v.t.Finished+1), Info: b.info,
		Hidden: len(v.n.Guards) > 0 || len(v.selectable()) > 0 || v.n.After != nil || v.n.Held || v.n.Schema != nil}
	if v.speaks() {
		spoken := v.spoken()
		s.Through, s.Clean = spoken.Writer, spoken.Plain
	}
	if parts := v.n.made.parts; len(parts) > 0 {
		s.Through = func(write func(string)) func(string) { return (&answerStream{write: v.spoken().Writer(write)}).Write }
		s.Clean = func(text string) string {
			text, _ = split(parts, text)
			return v.spoken().Plain(text)
		}
	}
	return s
}
