package call

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/rule"
	"holdpoint/engine/tool"
)

// ErrRule says that a rule does not let something happen.
var ErrRule = errors.New("call: a rule does not allow this")

// ruled is what rules said about one call of the round.
type ruled struct {
	outcome rule.Outcome
	// held says that a read call waits for an approval, or had to.
	held bool
}

// occasion is what rules are asked about call i.
func (r *Round) occasion(e rule.Event, i int) rule.Occasion {
	c := r.Calls[i]
	o := OccasionOf(r.Task, e)
	o.Args = c.Arguments
	o.Tool = &rule.Tool{Name: c.Tool}
	tl, err := r.Tools.Get(c.Tool)
	if err != nil {
		return o
	}
	o.Tool = ToolOf(tl)
	if tl.Complete != nil {
		err = r.view(func(tx Tx) error { o.Args = tl.Complete(tx, r.envOf(i), c.Arguments); return nil })
		if err != nil {
			o.Args = nil // a rule that reads them cannot be evaluated then, and holds
		}
	}
	return o
}

// ToolOf is a tool as rules know it.
func ToolOf(tl tool.Tool) *rule.Tool {
	return &rule.Tool{Name: tl.Name, Capabilities: tl.Capabilities, Mutates: tl.Mutates(), Server: tl.Server}
}

// beforehand is what rules say about call i before it is made.
func (r *Round) beforehand(i int) rule.Outcome {
	o := r.occasion(rule.BeforeToolCall, i)
	o.State = r.state(Unclear(0, r.Talk))
	return r.Rules.Judge(o).Under(r.Terms)
}

// OccasionOf begins what rules are asked about in a task.
func OccasionOf(t *graph.Task, e rule.Event) rule.Occasion {
	return rule.Occasion{Event: e, Agent: t.Run.Agent, Stage: string(t.Stage), Input: t.Run.Input, Vars: t.Run.Vars, Practice: t.Run.Practice}
}

// Fired are the events of the rules that fired; about names what it was about.
func Fired(o rule.Outcome, on rule.Event, about journal.Event) []journal.Event {
	out := make([]journal.Event, 0, len(o.Fired))
	for _, f := range o.Fired {
		e := about
		e.Status, e.Reason, e.Error = string(f.Verdict), model.Shorten(f.Reason, 600), model.Shorten(f.Error, 600)
		d := journal.RuleFiredData{Rule: f.Rule, Source: f.Source, On: string(on), Checkpoint: f.Checkpoint, Question: model.Shorten(f.Question, 600)}
		if f.Reviewer != nil {
			d.Reviewer = f.Reviewer.String()
		}
		out = append(out, e.With(d))
	}
	return out
}

// tell journals what rules said of call i, once.
func (r *Round) tell(i int) {
	if o := r.ruled[i].outcome; len(o.Fired) > 0 {
		r.Task.Emit(Fired(o, rule.BeforeToolCall, journal.Event{Tool: r.Calls[i].Tool, Call: r.Calls[i].ID})...)
	}
}

// judge asks the rules about call i before it is made. no says why the call is not made;
// a pause asks a person first.
func (r *Round) judge(i int) (no string, ask *graph.Pause) {
	x := &r.ruled[i]
	if !r.Rules.Asks(rule.BeforeToolCall, r.Task.Run.Agent) {
		return "", nil
	}
	x.outcome = r.beforehand(i)
	switch f := x.outcome.First(); x.outcome.Verdict() {
	case rule.Refuse:
		r.tell(i)
		return f.Why(), nil
	case rule.Ask:
		c := r.Calls[i]
		approved, said, pause := Ask(r.Task, "rule."+c.ID+"."+f.Rule, f, true)
		switch {
		case pause != nil:
			r.tell(i)
			return "", pause
		case !approved:
			return said, nil
		}
		x.outcome = rule.Outcome{} // it was told of when the person was asked
	case rule.Hold:
		if tl, err := r.Tools.Get(r.Calls[i].Tool); err == nil && !tl.Mutates() {
			if r.ReadOnly {
				r.tell(i)
				return fmt.Sprintf("the rule %s wants an approval, and a step that only reads cannot wait for one", f.Rule), nil
			}
			x.held = true
		}
	}
	return "", nil
}

// edited says why the arguments that a reviewer put in the place of the model's are not
// used: the rules that were asked about those are asked about these, but for what they would
// set, since what was approved runs as it was shown. What holds them is satisfied by the
// approval, where those whom it wants were asked for it.
func (r *Round) edited(ctx context.Context, i int, ap ledger.Approval) (no string) {
	was := r.Calls[i].Arguments
	defer func() { r.Calls[i].Arguments = was }()
	r.Calls[i].Arguments = ap.Args
	use := graph.ToolUse{Call: r.Calls[i].ID, Tool: r.Calls[i].Tool, Arguments: bytes.Clone(ap.Args), Approved: true}
	if no = r.hooked(ctx, &use); no != "" || !r.Rules.Asks(rule.BeforeToolCall, r.Task.Run.Agent) {
		return no
	}
	out := r.beforehand(i)
	if no = WhyNot(out, ap, r.Terms); no != "" {
		r.ruled[i].outcome = out
		r.tell(i)
	}
	return no
}

// WhyNot says why what rules say of edited arguments is more than the approval that was, or is
// to be, given for them.
func WhyNot(out rule.Outcome, ap ledger.Approval, terms rule.Terms) string {
	switch f := out.First(); out.Verdict() {
	case rule.Refuse:
		return f.Why()
	case rule.Ask:
		return fmt.Sprintf("the rule %s asks first: %s", f.Rule, f.Question)
	case rule.Hold:
		who := f.Reviewer
		if who == nil {
			who = terms.Of(f.Checkpoint).Reviewer
		}
		if who != nil && f.Rule != ap.Rule && (ap.For == nil || *ap.For != *who) {
			return fmt.Sprintf("for this the rule %s wants a decision of %s", f.Rule, who)
		}
	}
	return ""
}

// Ask is the question of a rule as a hold point: what the person said, or the pause that
// asks. yesNo asks whether to go on.
func Ask(t *graph.Task, id string, f rule.Firing, yesNo bool) (approved bool, said string, pause *graph.Pause) {
	if raw, ok := t.Answer(id); ok {
		var a struct {
			Answer   string `json:"answer"`
			Approved *bool  `json:"approved"`
			Comment  string `json:"comment"`
		}
		if json.Unmarshal(raw, &a) == nil {
			switch {
			case a.Approved != nil && *a.Approved:
				return true, a.Comment, nil
			case a.Approved != nil && a.Comment != "":
				return false, "the person said no: " + a.Comment, nil
			case a.Approved != nil:
				return false, "the person said no", nil
			case !yesNo && a.Answer != "":
				return true, a.Answer, nil
			}
		}
	}
	q := map[string]any{"prompt": f.Question, "stage": t.Stage, "rule": f.Rule}
	if yesNo {
		q["choices"] = []string{"approve", "reject"}
	}
	return false, "", &graph.Pause{ID: id, Kind: string(journal.PauseQuestion), Data: model.JSON(q)}
}

// heldRead runs a read call that a person approved.
func (r *Round) heldRead(ctx context.Context, i int, tl tool.Tool, ap ledger.Approval, entry ledger.Entry) error {
	if err := intact(ap, entry); err != nil {
		return err
	}
	err := r.view(func(tx Tx) error { return ledger.Ready(tx, ap, r.Task.Now()) })
	if err != nil {
		return err
	}
	r.Calls[i].Arguments = ap.Args
	err = r.read(ctx, i)
	var no *tool.Refusal
	out := ledger.Outcome{Result: r.answers[i]}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &no):
		out = ledger.Outcome{Refused: true, Result: status("refused", no.Reason)}
	case err != nil:
		out = ledger.Outcome{Refused: true, Result: status("failed", model.Shorten(err.Error(), 300))}
	}
	r.answers[i], r.failures[i] = out.Result, err
	return r.commit(func(tx Tx, tell graph.Tell) error {
		if err != nil {
			tell(journal.Event{Kind: journal.ToolFailed, Tool: tl.Name, Call: ap.Call, Approval: ap.ID, Error: model.Shorten(err.Error(), 300)})
		}
		_, execErr := ledger.Execute(tx, ap, r.Task.Now(), func() (ledger.Outcome, error) { return out, nil })
		return execErr
	})
}

// after asks the rules about what the calls gave, before the model hears of it. What is given
// again waits for nobody a second time.
func (r *Round) after() (*graph.Result, error) {
	if !r.Rules.Asks(rule.AfterToolCall, r.Task.Run.Agent) {
		return nil, nil
	}
	count := Unclear(0, r.Talk)
	res := &graph.Result{}
	for i, c := range r.Calls {
		count = unclear(count, r.answers[i])
		if r.repeated[i] {
			continue
		}
		o := r.occasion(rule.AfterToolCall, i)
		o.Result, o.Failed, o.State = r.answers[i], r.failures[i] != nil, r.state(count)
		out := r.Rules.Judge(o).Under(r.Terms)
		f, events := out.First(), Fired(out, rule.AfterToolCall, journal.Event{Tool: c.Tool, Call: c.ID})
		switch v := out.Verdict(); {
		case v == rule.Refuse:
			r.Task.Emit(events...)
			return nil, fmt.Errorf("%w: %s", ErrRule, f.Why())
		case v == rule.Hold && r.Later && !r.released[i]:
			r.Task.Emit(events...)
			r.held = append(r.held, Held{Call: c, Result: r.answers[i], Rule: f})
		case v == rule.Hold || r.released[i]: // what once waited for a person never goes on without them
			shown := map[string]any{"tool": c.Tool, "args": c.Arguments, "result": r.answers[i]}
			p, pause, err := Checkpoint{Task: r.Task, Call: c.ID + afterCall, On: rule.AfterToolCall, Title: "Use what " + c.Tool + " gave", Shown: shown, Rule: f, Events: events, Terms: r.Terms}.Pass()
			switch {
			case err != nil:
				return nil, err
			case pause != nil:
				res.Pauses = append(res.Pauses, *pause)
			case p.Rejected:
				r.answers[i] = model.JSON(map[string]string{"status": "rejected", "reason": p.Comment,
					"note": "The call was made; the reviewer does not let its result be used. Acknowledge the reason."})
				r.failures[i] = &tool.Refusal{Reason: p.Comment}
			}
		case v == rule.Ask:
			_, said, pause := Ask(r.Task, "rule."+c.ID+".after."+f.Rule, f, false)
			if pause != nil {
				r.Task.Emit(events...)
				res.Pauses = append(res.Pauses, *pause)
				continue
			}
			r.answers[i] = model.JSON(map[string]any{"result": r.answers[i], "question": f.Question, "answer": said,
				"note": "The person was asked and answered. Go by the answer."})
			count = 0
		default:
			r.Task.Emit(events...)
		}
	}
	if len(res.Pauses) == 0 {
		return nil, nil
	}
	return res, nil
}

// afterCall ends the ledger's name of a call's result that waits to be used.
const afterCall = ".after"

// thaw takes a result that waits, or waited, for a person from the approval that shows it:
// the call is not made again.
func (r *Round) thaw(tx Tx, i int) error {
	ap, ok, err := shownAt(tx, r.Calls[i].ID+afterCall)
	if !ok || err != nil {
		return err
	}
	var shown struct{ Result json.RawMessage }
	if err := json.Unmarshal(ap.Args, &shown); err != nil {
		return err
	}
	r.answers[i], r.released[i] = shown.Result, true
	return nil
}

// Unclear counts on from n the searches in a row that found nothing that is clearly meant.
func Unclear(n int, messages []model.Message) int {
	for _, m := range messages {
		if m.Role == "tool" {
			n = unclear(n, json.RawMessage(m.Text))
		}
	}
	return n
}

// unclear counts a result, or what it has as its result: {"decisive": false} is one more; a
// decisive one, or a person's answer, begins anew.
func unclear(n int, result json.RawMessage) int {
	if !bytes.Contains(result, []byte(`"decisive"`)) && !bytes.Contains(result, []byte(`"answer"`)) {
		return n
	}
	var said struct {
		Decisive *bool
		Answer   *string
		Question *string
		Result   json.RawMessage
	}
	switch {
	case json.Unmarshal(result, &said) != nil:
		return n
	case said.Decisive == nil && said.Answer == nil && bytes.HasPrefix(said.Result, []byte("{")):
		return unclear(n, said.Result)
	case said.Answer != nil && said.Question != nil, said.Decisive != nil && *said.Decisive:
		return 0
	case said.Decisive != nil:
		return n + 1
	}
	return n
}

// state is what rules read as state.
func (r *Round) state(n int) json.RawMessage {
	state := maps.Clone(r.State)
	if state == nil {
		state = map[string]any{}
	}
	state[rule.Unclear] = n
	return model.JSON(state)
}

// Checkpoint is a hold point of a rule that is about no change: it waits until a person
// approved what is shown.
type Checkpoint struct {
	Task *graph.Task
	// Call names what waits: unique in the store, the same on every start of the stage.
	Call  string
	On    rule.Event
	Title string
	// Shown is what the person sees and what goes on, byte for byte.
	Shown map[string]any
	Rule  rule.Firing
	// Events are journalled with the request.
	Events []journal.Event
	// Terms say how long it waits, and for whom else.
	Terms rule.Terms
}

// Passed is what came of a checkpoint.
type Passed struct {
	// Shown is what was approved, an object.
	Shown    json.RawMessage
	Rejected bool
	// Comment is the reviewer's.
	Comment string
}

// Pass says what a person decided, or returns the pause that waits for it. What was shown
// when it was asked first counts, not what is now.
func (c Checkpoint) Pass() (Passed, *graph.Pause, error) {
	var e ledger.Entry
	var ap ledger.Approval
	found := false
	err := graph.View(c.Task, func(tx Tx) (err error) {
		if e, err = tx.Entry(c.Call); errors.Is(err, ledger.ErrNotFound) {
			return nil
		}
		if err == nil {
			found = true
			ap, err = tx.Approval(e.Approval)
		}
		return err
	})
	if err != nil {
		return Passed{}, nil, fmt.Errorf("call: the verdict on %s could not be read, nothing goes on: %w", c.On, err)
	}
	if !found {
		return c.request(c.Shown)
	}
	if err := intact(ap, e); err != nil {
		return Passed{}, nil, fmt.Errorf("call: the approval %s is not as it was asked, nothing goes on: %w", ap.ID, err)
	}
	now := c.Task.Now()
	switch {
	case e.State == ledger.Committed:
		return Passed{Shown: ap.Args, Comment: ap.Comment}, nil, nil
	case e.State == ledger.Refused:
		return Passed{Shown: ap.Args, Rejected: true, Comment: ap.Comment}, nil, nil
	case ap.At(now) == ledger.Pending:
		p := pauseFor(ap)
		return Passed{}, &p, nil
	case ap.At(now) != ledger.Approved:
		// It ran out: it counts as denied, and is asked anew with what was shown.
		var shown map[string]any
		if err := json.Unmarshal(ap.Args, &shown); err != nil {
			return Passed{}, nil, err
		}
		return c.request(shown)
	}
	err = c.Task.Commit(graph.In(func(tx Tx, _ graph.Tell) error {
		_, err := ledger.Execute(tx, ap, now, func() (ledger.Outcome, error) {
			return ledger.Outcome{Result: json.RawMessage(`{"status":"passed"}`)}, nil
		})
		return err
	}))
	if err != nil {
		return Passed{}, nil, fmt.Errorf("call: the approval %s does not hold: %w", ap.ID, err)
	}
	return Passed{Shown: ap.Args, Comment: ap.Comment}, nil, nil
}

// Waits reads what is shown at a checkpoint that was asked before; ok is false for none.
func Waits(t *graph.Task, name string) (shown json.RawMessage, ok bool, err error) {
	err = graph.View(t, func(tx Tx) error {
		ap, there, err := shownAt(tx, name)
		shown, ok = ap.Args, there
		return err
	})
	return shown, ok, err
}

// shownAt is the approval that shows what waits under a name of the ledger, as it was asked
// for; ok is false for none.
func shownAt(tx Tx, name string) (ap ledger.Approval, ok bool, err error) {
	e, err := tx.Entry(name)
	if errors.Is(err, ledger.ErrNotFound) {
		return ap, false, nil
	}
	if err != nil {
		return ap, false, err
	}
	if ap, err = tx.Approval(e.Approval); err != nil {
		return ap, false, err
	}
	return ap, true, intact(ap, e)
}

func (c Checkpoint) request(shown map[string]any) (Passed, *graph.Pause, error) {
	args, err := ledger.Canonical(model.JSON(shown))
	if errors.Is(err, ledger.ErrArguments) {
		// Numbers that no two programs read alike go as text.
		shown = maps.Clone(shown)
		for _, k := range slices.Sorted(maps.Keys(shown)) {
			if raw, ok := shown[k].(json.RawMessage); ok {
				shown[k] = string(raw)
			}
		}
		args, err = ledger.Canonical(model.JSON(shown))
	}
	if err != nil {
		return Passed{}, nil, err
	}
	term, h := c.Terms.Of(c.Rule.Checkpoint), c.Task.Run
	if c.Rule.Reviewer == nil {
		c.Rule.Reviewer = term.Reviewer
	}
	a := ledger.Approval{Session: h.Session, Turn: h.Turn, Call: c.Call, Tool: string(c.On), Args: args, Targets: []ledger.Target{}, Changes: []ledger.Change{},
		PolicyVersion: policy(PolicyVersion, c.Rule.Checkpoint, c.Rule.Reviewer), Title: c.Title, Checkpoint: c.Rule.Checkpoint, For: c.Rule.Reviewer, Rule: c.Rule.Rule, Because: model.Shorten(c.Rule.Why(), 600)}
	a.Under(term, c.Task.Now())
	err = c.Task.Commit(graph.In(func(tx Tx, tell graph.Tell) error {
		if a.ID, err = nextID(tx, c.Call); err != nil {
			return err
		}
		stored, err := ledger.Request(tx, a)
		if err != nil {
			return err
		}
		a = stored
		tell(requested(a, c.Task.Stage))
		return nil
	}), c.Events...)
	if err != nil {
		return Passed{}, nil, err
	}
	p := pauseFor(a)
	return Passed{}, &p, nil
}

// policy is what a digest covers of how a call is gated: also of what type its hold is and
// who alone may decide on it.
func policy(version, checkpoint string, who *rule.Reviewer) string {
	if checkpoint != "" && checkpoint != rule.Mutation {
		version += " at " + checkpoint
	}
	if who != nil {
		version += " by " + who.String()
	}
	return version
}
