package prompt

import (
	"context"
	"errors"
	"fmt"

	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/panics"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
)

// Guard looks at a final answer and decides what becomes of it.
type Guard struct {
	Name string
	// Async guards run at the same time, after the others have run in order.
	Async bool
	// Check judges the output: text, or JSON as text. An error fails the node: what
	// could not be checked does not pass.
	Check func(ctx context.Context, t *graph.Task, output string) (Verdict, error)
}

// Verdict is what a guard decides. The zero value passes.
type Verdict struct {
	// Action is "", "transform", "retry" or "block".
	Action string
	// Text takes the place of the output, for transform.
	Text string
	// Reason tells the model (retry) or the journal why.
	Reason string
}

// Pass lets the output through.
func Pass() Verdict { return Verdict{} }

// Transform puts text in the place of the output.
func Transform(text, reason string) Verdict { return Verdict{"transform", text, reason} }

// Retry asks the model for another answer.
func Retry(reason string) Verdict { return Verdict{Action: "retry", Reason: reason} }

// Block fails the node; the output goes nowhere.
func Block(reason string) Verdict { return Verdict{Action: "block", Reason: reason} }

// Actions of a Verdict.
const (
	pass      = ""
	transform = "transform"
	retry     = "retry"
	block     = "block"
)

// Errors of guards.
var (
	// ErrBlocked says that a guard let the output go nowhere.
	ErrBlocked = errors.New("prompt: a guard blocked the answer")
	// ErrUnchecked says that a guard could not judge; nothing passes unchecked.
	ErrUnchecked = errors.New("prompt: a guard could not check the answer")
)

// guarding is what the guards made of an output.
type guarding struct {
	text   string
	events []journal.Event
	// by and again are the guard that wants another answer and why.
	by, again string
}

// guard runs the guards over an output: those in order first, each on what the one
// before made of it, then the others at the same time. Of what those say a block
// counts most, then a retry; changes are made one after the other.
func (n *Node) guard(ctx context.Context, t *graph.Task, text string) (guarding, error) {
	g := guarding{text: text}
	var later []Guard
	for _, x := range n.Guards {
		if x.Async {
			later = append(later, x)
			continue
		}
		v, err := judge(ctx, t, x, g.text)
		if err != nil {
			return g, err
		}
		if stop, err := g.take(x, v); stop {
			return g, err
		}
	}
	if len(later) == 0 {
		return g, nil
	}
	verdicts, errs := make([]Verdict, len(later)), make([]error, len(later))
	var wg conc.WaitGroup
	for i, x := range later {
		wg.Go(func() { verdicts[i], errs[i] = judge(ctx, t, x, g.text) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return g, err
	}
	for _, action := range []string{block, retry} {
		for i, v := range verdicts {
			if v.Action == action {
				_, err := g.take(later[i], v)
				return g, err
			}
		}
	}
	changed := false
	for i, v := range verdicts {
		if v.Action == transform && changed {
			// It judged a text that is no more.
			var err error
			if v, err = judge(ctx, t, later[i], g.text); err != nil {
				return g, err
			}
		}
		if stop, err := g.take(later[i], v); stop {
			return g, err
		}
		changed = changed || v.Action == transform
	}
	return g, nil
}

func judge(ctx context.Context, t *graph.Task, x Guard, text string) (v Verdict, err error) {
	if caught := panics.Try(func() { v, err = x.Check(ctx, t, text) }); caught != nil {
		err = fmt.Errorf("it panicked: %v", caught.Value)
	}
	switch v.Action {
	case pass, transform, retry, block:
	default:
		err = errors.Join(err, fmt.Errorf("its verdict %q is none", v.Action))
	}
	if err != nil {
		return v, fmt.Errorf("%w: %s: %w", ErrUnchecked, x.Name, err)
	}
	return v, nil
}

// take lets a verdict act; stop ends the guarding.
func (g *guarding) take(x Guard, v Verdict) (stop bool, err error) {
	if v.Action == pass {
		return false, nil
	}
	reason := model.Shorten(v.Reason, 400)
	g.events = append(g.events, journal.Event{Status: v.Action, Reason: reason}.With(journal.GuardActedData{Guard: x.Name}))
	switch v.Action {
	case transform:
		g.text = v.Text
		return false, nil
	case retry:
		g.by, g.again = x.Name, reason
		if g.again == "" {
			g.again = "it is not good enough"
		}
		return true, nil
	}
	return true, fmt.Errorf("%w: %s: %s", ErrBlocked, x.Name, reason)
}
