package turn

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"holdpoint/engine/call"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/rule"
)

// rulesOf are the rules of the task's run, if any is asked at an event.
func rulesOf(t *graph.Task, e rule.Event) (*Dependencies, bool) {
	d, ok := t.Dependencies.(*Dependencies)
	return d, ok && d.Rules.Asks(e, t.Run.Agent)
}

// ruled asks the rules whether the model may be asked. The error wraps call.ErrRule, or is
// graph.ErrWaits when a person is asked first. Questions that read a message for danger are
// asked whatever rules say.
func (q Chat) ruled(t *graph.Task, info model.Info) error {
	d, ok := rulesOf(t, rule.BeforeModelCall)
	if !ok || slices.Contains(strings.Split(q.Purpose, "+"), SafetyQuestion.Name) {
		return nil
	}
	var prompt strings.Builder
	for _, m := range q.Request.Messages {
		prompt.WriteString(m.Text)
		prompt.WriteByte('\n')
	}
	o := call.OccasionOf(t, rule.BeforeModelCall)
	o.Model, o.Prompt = &rule.Model{Name: info.Name, Role: string(q.Role), Purpose: q.Purpose}, prompt.String()
	out := d.Rules.Judge(o).Under(d.Terms)
	f, events := out.First(), call.Fired(out, rule.BeforeModelCall, journal.Event{})
	if out.Verdict() != rule.Allow && out.Verdict() != rule.Warn && q.Request.Ahead {
		return fmt.Errorf("%w: %s", call.ErrRule, f.Why()) // nobody is asked for what only saves time
	}
	// name is the same for the same question; most are asked without one.
	name := func() string {
		sum := sha256.Sum256([]byte(q.Purpose + "\x00" + o.Prompt))
		return t.Run.Turn + "." + strings.ReplaceAll(string(t.Stage), "/", ".") + ".model." + hex.EncodeToString(sum[:8])
	}
	switch out.Verdict() {
	case rule.Refuse:
		t.Emit(events...)
		return fmt.Errorf("%w: %s", call.ErrRule, f.Why())
	case rule.Ask:
		approved, said, pause := call.Ask(t, "rule."+name()+"."+f.Rule, f, true)
		switch {
		case pause != nil:
			t.Emit(events...)
			return t.Wait(*pause)
		case !approved:
			return fmt.Errorf("%w: %s", call.ErrRule, said)
		}
	case rule.Hold:
		p, pause, err := call.Checkpoint{Task: t, Call: name(), On: rule.BeforeModelCall, Title: "Ask the model for " + q.Purpose, Rule: f, Events: events, Terms: d.Terms,
			Shown: map[string]any{"model": info.Name, "purpose": q.Purpose, "prompt": ends(o.Prompt, shownPrompt)}}.Pass()
		switch {
		case err != nil:
			return err
		case pause != nil:
			return t.Wait(*pause)
		case p.Rejected:
			return fmt.Errorf("%w: %s", call.ErrRule, p.Comment)
		}
	default:
		if len(events) > 0 {
			t.Emit(events...)
		}
	}
	return nil
}

// shownPrompt is how much of a prompt a person is shown at a checkpoint, in characters.
const shownPrompt = 16_000

// outputName is what the ledger calls the reply of a visit.
func outputName(t *graph.Task) string {
	return t.Run.Turn + "." + strings.ReplaceAll(string(t.Stage), "/", ".") + ".v" + strconv.Itoa(t.Finished-t.Round) + ".output"
}

// MayHold says that rules look at replies: nothing of one is shown before they did.
func MayHold(t *graph.Task) bool {
	_, ok := rulesOf(t, rule.BeforeOutput)
	return ok
}

// Waiting is the reply of this visit that waited, or waits, for a person: it goes out as it
// was shown, and the model is not asked again.
func Waiting(t *graph.Task) (text string, ok bool, err error) {
	if !MayHold(t) {
		return "", false, nil
	}
	shown, ok, err := call.Waits(t, outputName(t))
	if !ok || err != nil {
		return "", false, err
	}
	text, err = outputOf(shown)
	return text, err == nil, err
}

func outputOf(shown json.RawMessage) (string, error) {
	var o struct{ Output string }
	err := json.Unmarshal(shown, &o)
	return o.Output, err
}

// Release asks the rules about a reply before the person gets it. What goes out is the
// text, or says that it was withheld. The error is graph.ErrWaits when somebody has to
// approve it first.
func Release(_ context.Context, t *graph.Task, text string) (string, error) {
	d, ok := rulesOf(t, rule.BeforeOutput)
	if !ok {
		return text, nil
	}
	_, waited, err := Waiting(t)
	if err != nil {
		return "", err
	}
	o := call.OccasionOf(t, rule.BeforeOutput)
	o.Output = text
	out := d.Rules.Judge(o).Under(d.Terms)
	f, events := out.First(), call.Fired(out, rule.BeforeOutput, journal.Event{})
	switch v := out.Verdict(); {
	case v == rule.Refuse:
		t.Emit(events...)
		return withheld(t, f.Why()), nil
	case v == rule.Hold || v == rule.Ask || waited:
		title := "Give this reply to the person"
		if f.Question != "" {
			title = f.Question
		}
		p, pause, err := call.Checkpoint{Task: t, Call: outputName(t), On: rule.BeforeOutput, Title: title, Shown: map[string]any{"output": text}, Rule: f, Events: events, Terms: d.Terms}.Pass()
		switch {
		case err != nil:
			return "", err
		case pause != nil:
			return "", t.Wait(*pause)
		case p.Rejected:
			return withheld(t, p.Comment), nil
		}
		return outputOf(p.Shown)
	}
	if len(events) > 0 {
		t.Emit(events...)
	}
	return text, nil
}

// Reword asks the rules about a reply that was changed after Release: what they would only let
// go once a person saw it is withheld, since nobody sees this one.
func Reword(t *graph.Task, text string) string {
	d, ok := rulesOf(t, rule.BeforeOutput)
	if !ok {
		return text
	}
	o := call.OccasionOf(t, rule.BeforeOutput)
	o.Output = text
	out := d.Rules.Judge(o)
	switch out.Verdict() {
	case rule.Refuse, rule.Hold, rule.Ask:
		t.Emit(call.Fired(out, rule.BeforeOutput, journal.Event{})...)
		return withheld(t, out.First().Why())
	}
	return text
}

func withheld(t *graph.Task, why string) string {
	words := Tongue(t)
	return words.Say("This reply was withheld: %s.", words.Told(strings.TrimSuffix(model.Shorten(why, 600), ".")))
}
