package prompt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
)

func TestReasoner_R38_GuardsAct(t *testing.T) {
	guard := func(async bool, check func(string) (Verdict, error)) Guard {
		return Guard{Name: "g", Async: async, Check: func(_ context.Context, _ *graph.Task, s string) (Verdict, error) { return check(s) }}
	}
	for _, async := range []bool{false, true} {
		for _, c := range []struct {
			name   string
			check  func(string) (Verdict, error)
			want   string // the reply; "" for none
			err    error
			asked  int
			status string
		}{
			{"pass", func(string) (Verdict, error) { return Pass(), nil }, "bad", nil, 1, ""},
			{"transform", func(s string) (Verdict, error) { return Transform(s+" made good", "was bad"), nil }, "bad made good", nil, 1, "transform"},
			{"retry", func(s string) (Verdict, error) {
				if s == "bad" {
					return Retry("too bad"), nil
				}
				return Pass(), nil
			}, "good", nil, 2, "retry"},
			{"retry without end", func(string) (Verdict, error) { return Retry("never"), nil }, "", ErrRetries, 3, "retry"},
			{"block", func(string) (Verdict, error) { return Block("no"), nil }, "", ErrBlocked, 1, "block"},
			{"a failing check", func(string) (Verdict, error) { return Pass(), errors.New("down") }, "", ErrUnchecked, 1, ""},
			{"a panicking check", func(string) (Verdict, error) { panic("oh") }, "", ErrUnchecked, 1, ""},
			{"a verdict that is none", func(string) (Verdict, error) { return Verdict{Action: "maybe"}, nil }, "", ErrUnchecked, 1, ""},
		} {
			t.Run(fmt.Sprintf("%s/async=%v", c.name, async), func(t *testing.T) {
				p := says("bad", "good")
				l := newLab(t, p)
				n := &Node{Name: "a", Says: true, Guards: []Guard{guard(async, c.check)}}
				out := l.build(spec(n.Stage())).ask("hello")
				if !errors.Is(out.Err, c.err) || out.Run.Output != c.want || p.count() != c.asked {
					t.Errorf("reply %q, error %v, asked %d times", out.Run.Output, out.Err, p.count())
				}
				if len(l.of(journal.Token)) > 0 {
					t.Error("an answer was shown before its guards let it through")
				}
				var status string
				for _, e := range l.of(journal.GuardActed) {
					status = e.Status
				}
				if status != c.status {
					t.Errorf("the journal says %q, want %q", status, c.status)
				}
				if c.name == "retry" {
					holds(t, text(p.request(1)), "assistant: bad", "<why>too bad</why>")
				}
			})
		}
	}
}

func TestReasoner_R38_AsyncGuardsRunAtTheSameTimeAndABlockCountsMost(t *testing.T) {
	var met sync.WaitGroup
	met.Add(2)
	meet := func(v Verdict) Guard {
		return Guard{Name: v.Action, Async: true, Check: func(context.Context, *graph.Task, string) (Verdict, error) {
			met.Done()
			met.Wait()
			return v, nil
		}}
	}
	n := &Node{Name: "a", Guards: []Guard{meet(Retry("again")), meet(Block("no"))}}
	out := newLab(t, says("x")).build(spec(n.Stage())).ask("hello")
	if wantStatus(t, out, run.Failed); !errors.Is(out.Err, ErrBlocked) {
		t.Error(out.Err)
	}
}

func TestReasoner_R38_ChangesAreMadeOneAfterTheOther(t *testing.T) {
	add := func(s string, async bool) Guard {
		return Guard{Name: s, Async: async, Check: func(_ context.Context, _ *graph.Task, text string) (Verdict, error) {
			return Transform(text+s, ""), nil
		}}
	}
	n := &Node{Name: "a", Output: "x", Guards: []Guard{add("1", true), add("2", false), add("3", true), add("4", false)}}
	out := newLab(t, says("0")).build(spec(n.Stage())).ask("hello")
	if wantStatus(t, out, run.Completed); value(out, "x") != "02413" {
		t.Errorf("it became %q", value(out, "x"))
	}
}

func TestReasoner_R38_GuardsLookAtTheFinalAnswerOnly(t *testing.T) {
	var seen counter
	p := says("", "final")
	p.answers[0] = model.Message{Text: "let me look", Calls: []model.Call{wants("look", `{}`)}}
	n := &Node{Name: "a", Tools: []string{"*"}, Guards: []Guard{{Name: "g", Check: func(_ context.Context, _ *graph.Task, s string) (Verdict, error) {
		seen.add(s)
		return Pass(), nil
	}}}}
	wantStatus(t, newLab(t, p, look("look", nil)).build(spec(n.Stage())).ask("hello"), run.Completed)
	if got := seen.all(); !slices.Equal(got, []string{"final"}) {
		t.Errorf("guards saw %q", got)
	}
}
