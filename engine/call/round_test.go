package call_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"holdpoint/engine/call"
	"holdpoint/engine/graph"
	"holdpoint/engine/identity"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
	"holdpoint/engine/tool"
	"holdpoint/store"
)

func TestReasoner_R36_ReadsOfOneMessageRunAtTheSameTime(t *testing.T) {
	l := newLab(t)
	var met sync.WaitGroup
	met.Add(3)
	meet := func(name string) tool.Tool {
		x := l.read(name)
		x.Read = func(context.Context, tool.Env, json.RawMessage) (json.RawMessage, error) {
			met.Done()
			met.Wait()
			return json.RawMessage(`"` + name + `"`), nil
		}
		return x
	}
	l.use(meet("a"), meet("b"), meet("c"))
	out := l.start(wants("a", `{}`), wants("b", `{}`), wants("c", `{}`))
	wantStatus(t, out, run.Completed)
	if got := l.answers(out); !slices.Equal(got, []string{`"a"`, `"b"`, `"c"`}) {
		t.Errorf("answers: %v", got)
	}
}

func TestReasoner_R37_EachCallIsAnsweredOnceWhateverItIs(t *testing.T) {
	l := newLab(t)
	panics, fails, no, odd := l.read("panics"), l.read("fails"), l.read("no"), l.read("odd")
	panics.Read = func(context.Context, tool.Env, json.RawMessage) (json.RawMessage, error) { panic("oh") }
	fails.Read = func(context.Context, tool.Env, json.RawMessage) (json.RawMessage, error) {
		return nil, errors.New("down")
	}
	no.Read = func(context.Context, tool.Env, json.RawMessage) (json.RawMessage, error) {
		return nil, &tool.Refusal{Reason: "not today"}
	}
	odd.Read = func(context.Context, tool.Env, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage("no JSON"), nil
	}
	l.use(l.read("fine"), panics, fails, no, odd)
	out := l.start(wants("fine", `{"q":"x"}`), wants("panics", `{}`), wants("fails", `{}`), wants("no", `{}`), wants("odd", `{}`), wants("gone", `{}`),
		wants("fine", `{"z":1}`), wants("fine", `{"q":"1","q":"2"}`))
	wantStatus(t, out, run.Completed)
	for i, want := range []string{`{"q":"x"}`, "panicked", "down", "not today", `"no JSON"`, "there is no tool", "do not fit", "stands twice"} {
		if got := l.answers(out)[i]; !strings.Contains(got, want) {
			t.Errorf("answer %d is %s, want %q in it", i, got, want)
		}
	}
	if l.times("fine") != 1 {
		t.Errorf("the tool ran %d times for one good call", l.times("fine"))
	}
}

func TestReasoner_R37_CallsWithOneIDAreRefused(t *testing.T) {
	l := newLab(t)
	l.use(l.read("a"))
	l.start()
	for _, ids := range [][]string{{"x", "x"}, {""}} {
		l.calls = nil
		for _, id := range ids {
			c := wants("a", `{}`)
			c.ID = id
			l.calls = append(l.calls, c)
		}
		out, err := l.executor().Start(context.Background(), l.graph(), run.StartRequest{ID: graph.RunID("turn:2" + ids[0]), Session: "s", Turn: "2" + ids[0]})
		must(t, err)
		wantStatus(t, out, run.Failed)
	}
}

func TestReasoner_R36_NothingRunsWhileASiblingWaitsAndVerdictsAreNeverCrossed(t *testing.T) {
	l := newLab(t)
	l.use(l.read("look"), l.note("note"), l.note("other"))
	out := l.start(wants("note", `{"q":"one"}`), wants("look", `{}`), wants("other", `{"q":"two"}`), wants("note", `{"q":"three"}`))
	wantStatus(t, out, run.Paused)
	if len(out.Pauses) != 3 || l.times("look") != 0 || len(l.notes()) != 0 {
		t.Fatalf("pauses %v, looked %d times, notes %v", out.Pauses, l.times("look"), l.notes())
	}
	for id, want := range map[string]string{"ap.c1": `{"q":"one"}`, "ap.c3": `{"q":"two"}`, "ap.c4": `{"q":"three"}`} {
		if a := l.approval(id); string(a.Args) != want || a.PolicyVersion != call.PolicyVersion || a.Reason != "because" {
			t.Errorf("approval %s is %+v", id, a)
		}
	}
	l.decide("ap.c4", true)
	out = l.resume()
	if wantStatus(t, out, run.Paused); len(out.Pauses) != 2 || l.times("look") != 0 || len(l.notes()) != 0 {
		t.Fatalf("after one verdict: pauses %v, looked %d times, notes %v", out.Pauses, l.times("look"), l.notes())
	}
	l.decide("ap.c1", false)
	l.decide("ap.c3", true)
	out = l.resume()
	wantStatus(t, out, run.Completed)
	got := l.answers(out)
	for i, want := range []string{"rejected", "{}", "written", "written"} {
		if !strings.Contains(got[i], want) {
			t.Errorf("answer %d is %s, want %q", i, got[i], want)
		}
	}
	if n := l.notes(); !slices.Equal(n, []string{`{"q":"three"}`, `{"q":"two"}`}) || l.times("look") != 1 {
		t.Errorf("notes %v, looked %d times", n, l.times("look"))
	}
	for c, want := range map[string]ledger.State{"c1": ledger.Refused, "c3": ledger.Committed, "c4": ledger.Committed} {
		if e := l.entry(c); e.State != want {
			t.Errorf("call %s is %s, want %s", c, e.State, want)
		}
	}
}

func TestReasoner_R70_RoleGuardsHoldWhenTheCallAndWhenItsRunGoesOn(t *testing.T) {
	l := newLab(t)
	guarded := l.note("note")
	guarded.Allow = func(c identity.Caller) error {
		if !slices.Contains(c.Roles, "clinician") {
			return errors.New("this needs the role clinician")
		}
		return nil
	}
	l.use(guarded)
	l.caller = identity.Caller{Roles: []string{"clinician"}}
	wantStatus(t, l.start(wants("note", `{}`)), run.Paused)
	l.decide("ap.c1", true)
	l.caller = identity.Caller{Roles: []string{"visitor"}} // somebody else resumes
	out := l.resume()
	wantStatus(t, out, run.Completed)
	if got := l.answers(out)[0]; !strings.Contains(got, "needs the role") || len(l.notes()) != 0 || l.entry("c1").State != ledger.Refused || l.approval("ap.c1").Status != ledger.Void {
		t.Errorf("answer %s, notes %v, call %s", got, l.notes(), l.entry("c1").State)
	}
	other := newLab(t, guarded)
	out = other.start(wants("note", `{}`))
	if wantStatus(t, out, run.Completed); !strings.Contains(other.answers(out)[0], "needs the role") {
		t.Errorf("a caller without the role: %v", other.answers(out))
	}
}

func TestReasoner_R70_ToolsKnowTheCaller(t *testing.T) {
	l := newLab(t)
	x := l.read("who")
	x.Read = func(ctx context.Context, env tool.Env, _ json.RawMessage) (json.RawMessage, error) {
		if _, err := call.TaskOf(ctx); err != nil {
			return nil, err
		}
		return json.RawMessage(`"` + identity.From(ctx).Subject + ` for ` + env.Subject.ID + `"`), nil
	}
	l.use(x)
	l.caller = identity.Caller{Subject: "ann"}
	out := l.start(wants("who", `{}`))
	if wantStatus(t, out, run.Completed); l.answers(out)[0] != `"ann for pat"` {
		t.Errorf("the tool saw %s", l.answers(out)[0])
	}
}

func TestAReadOnlyRoundRefusesWhatChangesSomething(t *testing.T) {
	l := newLab(t)
	l.use(l.note("note"), l.read("look"))
	l.readOnly = true
	out := l.start(wants("note", `{}`), wants("look", `{}`))
	if wantStatus(t, out, run.Completed); !strings.Contains(l.answers(out)[0], "only read") || l.times("look") != 1 {
		t.Errorf("answers: %v", l.answers(out))
	}
}

func TestReasoner_R73_PreToolChangesArgumentsBeforeTheyAreHashed(t *testing.T) {
	l := newLab(t)
	l.use(l.note("note"), l.read("look"))
	n := 0
	l.hooks = []graph.Hooks{{Name: "stamp", PreTool: func(_ context.Context, _ *graph.Task, u *graph.ToolUse) error {
		l.count("hook " + u.Call)
		n++
		u.Arguments = json.RawMessage(`{ "q" : "hooked` + strings.Repeat("!", n) + `" }`)
		return nil
	}}}
	wantStatus(t, l.start(wants("note", `{"q":"model"}`), wants("look", `{}`)), run.Paused)
	a := l.approval("ap.c1")
	if string(a.Args) != `{"q":"hooked!"}` {
		t.Fatalf("the person is shown %s", a.Args)
	}
	if digest, err := ledger.Digest(a); err != nil || digest != a.Digest {
		t.Errorf("the digest is not that of the changed arguments (%v)", err)
	}
	l.decide("ap.c1", true)
	out := l.resume()
	wantStatus(t, out, run.Completed)
	if n := l.notes(); !slices.Equal(n, []string{`{"q":"hooked!"}`}) {
		t.Errorf("what ran is %v, not what was approved", n)
	}
	if l.times("hook c1") != 1 || l.times("hook c2") != 1 || l.answers(out)[1] != `{"q":"hooked!!"}` {
		t.Errorf("the hook ran %d and %d times; the read was asked %s", l.times("hook c1"), l.times("hook c2"), l.answers(out)[1])
	}
}

func TestReasoner_R73_WhatPreToolMakesIsCheckedAndItMayRefuse(t *testing.T) {
	for name, c := range map[string]struct {
		hook func(u *graph.ToolUse) error
		want string
	}{
		"arguments that do not fit": {func(u *graph.ToolUse) error { u.Arguments = json.RawMessage(`{"z":1}`); return nil }, "do not fit"},
		"ambiguous arguments":       {func(u *graph.ToolUse) error { u.Arguments = json.RawMessage(`{"q":"1","q":"2"}`); return nil }, "stands twice"},
		"a veto":                    {func(u *graph.ToolUse) error { u.Err = errors.New("not on Sundays"); return nil }, "not on Sundays"},
	} {
		l := newLab(t)
		l.use(l.note("note"), l.read("look"))
		l.hooks = []graph.Hooks{{Name: name, PreTool: func(_ context.Context, _ *graph.Task, u *graph.ToolUse) error { return c.hook(u) }}}
		out := l.start(wants("note", `{}`), wants("look", `{}`))
		wantStatus(t, out, run.Completed)
		for i, got := range l.answers(out) {
			if !strings.Contains(got, c.want) {
				t.Errorf("%s: answer %d is %s", name, i, got)
			}
		}
		if l.times("look") != 0 {
			t.Errorf("%s: the tool ran", name)
		}
	}
}

func TestReasoner_R74_PostToolChangesWhatTheModelIsTold(t *testing.T) {
	l := newLab(t)
	fails := l.read("fails")
	fails.Read = func(context.Context, tool.Env, json.RawMessage) (json.RawMessage, error) {
		return nil, errors.New("down")
	}
	l.use(l.read("look"), fails, l.note("note"))
	var failed []string
	l.hooks = []graph.Hooks{{Name: "first", PostTool: func(_ context.Context, _ *graph.Task, u *graph.ToolUse) error {
		if u.Err != nil {
			failed = append(failed, u.Tool)
		}
		u.Result = json.RawMessage(`{"was":` + string(u.Result) + `}`)
		return nil
	}}, {Name: "second", PostTool: func(_ context.Context, _ *graph.Task, u *graph.ToolUse) error {
		u.Result = json.RawMessage(strings.ToUpper(string(u.Result)))
		return nil
	}}}
	wantStatus(t, l.start(wants("look", `{"q":"a"}`), wants("fails", `{}`), wants("note", `{"q":"b"}`)), run.Paused)
	l.decide("ap.c3", true)
	out := l.resume()
	wantStatus(t, out, run.Completed)
	for i, want := range []string{`{"WAS":{"Q":"A"}}`, `"DOWN"`, `"WRITTEN"`} {
		if got := l.answers(out)[i]; !strings.Contains(got, want) {
			t.Errorf("answer %d is %s", i, got)
		}
	}
	if !slices.Equal(failed, []string{"fails"}) || !slices.Equal(l.notes(), []string{`{"q":"b"}`}) {
		t.Errorf("failed %v, notes %v", failed, l.notes())
	}
}

func TestReasoner_R78_AToolHookThatFailsChangesNothing(t *testing.T) {
	l := newLab(t)
	l.use(l.read("look"))
	l.hooks = []graph.Hooks{{Name: "broken", PreTool: func(_ context.Context, _ *graph.Task, u *graph.ToolUse) error {
		u.Arguments = json.RawMessage(`{"q":"half"}`)
		return errors.New("broken")
	}, PostTool: func(_ context.Context, _ *graph.Task, u *graph.ToolUse) error { panic("oh") }}}
	out := l.start(wants("look", `{"q":"whole"}`))
	wantStatus(t, out, run.Completed)
	if got := l.answers(out)[0]; got != `{"q":"whole"}` || len(l.of(journal.HookFailed)) != 2 {
		t.Errorf("answer %s, %d failures told", got, len(l.of(journal.HookFailed)))
	}
}

func TestOutside_IsApprovedBegunAndSentOnce(t *testing.T) {
	l := newLab(t)
	var key, args string
	var state ledger.State
	l.use(l.send(func(_ context.Context, a json.RawMessage, k string) (json.RawMessage, error) {
		key, args, state = k, string(a), l.entry(k).State
		return json.RawMessage(`{"sent":true}`), nil
	}), l.read("look"))
	wantStatus(t, l.start(wants("send", `{"q":"hello"}`), wants("look", `{}`)), run.Paused)
	if l.times("send c1") != 0 {
		t.Fatal("it was sent before anybody approved it")
	}
	if a := l.approval("ap.c1"); !strings.Contains(a.Title, "send on mail") || len(a.Changes)+len(a.Targets) > 0 {
		t.Errorf("the person is shown %+v", a)
	}
	l.decide("ap.c1", true)
	out := l.resume()
	wantStatus(t, out, run.Completed)
	if key != "c1" || args != `{"q":"hello"}` || state != ledger.Started {
		t.Errorf("sent %s with key %q while the call was %q on disk", args, key, state)
	}
	if e := l.entry("c1"); e.State != ledger.Committed || string(e.Result) != `{"sent":true}` || l.answers(out)[0] != `{"sent":true}` || l.approval("ap.c1").Status != ledger.Used {
		t.Errorf("the call is %+v", e)
	}
	if len(l.of(journal.MutationCommitted)) != 1 || l.times("send c1") != 1 {
		t.Errorf("sent %d times", l.times("send c1"))
	}
}

func TestOutside_ARefusalIsCertainAndAnyOtherFailureIsUnknown(t *testing.T) {
	for name, c := range map[string]struct {
		do    func() (json.RawMessage, error)
		state ledger.State
		want  string
	}{
		"a refusal":  {func() (json.RawMessage, error) { return nil, &tool.Refusal{Reason: "no such mailbox"} }, ledger.Refused, "no such mailbox"},
		"a failure":  {func() (json.RawMessage, error) { return nil, errors.New("connection lost") }, ledger.Unknown, `"status":"unknown"`},
		"a panic":    {func() (json.RawMessage, error) { panic("oh") }, ledger.Unknown, `"status":"unknown"`},
		"odd answer": {func() (json.RawMessage, error) { return json.RawMessage("ok"), nil }, ledger.Committed, `"ok"`},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			l.use(l.send(func(context.Context, json.RawMessage, string) (json.RawMessage, error) { return c.do() }))
			l.start(wants("send", `{}`))
			l.decide("ap.c1", true)
			out := l.resume()
			wantStatus(t, out, run.Completed)
			if got := l.answers(out)[0]; !strings.Contains(got, c.want) || l.entry("c1").State != c.state {
				t.Errorf("answer %s, call %s", got, l.entry("c1").State)
			}
			unknown := 0
			for _, e := range l.of(journal.ToolFailed) {
				if e.Status == "unknown" && e.Call == "c1" {
					unknown++
				}
			}
			if (unknown == 1) != (c.state == ledger.Unknown) {
				t.Errorf("the journal says %d times that it is unknown", unknown)
			}
		})
	}
}

// TestOutside_ACallThatHadStartedIsNeverSentAgain has the process die at each
// moment around the call.
func TestOutside_ACallThatHadStartedIsNeverSentAgain(t *testing.T) {
	l := newLab(t)
	l.use(l.send(func(context.Context, json.RawMessage, string) (json.RawMessage, error) {
		l.disk.cut.Store(true) // it took effect, and nobody will hear of it
		return json.RawMessage(`{"sent":true}`), nil
	}), l.read("look"))
	l.start(wants("send", `{}`), wants("look", `{}`))
	l.decide("ap.c1", true)
	if out := l.resume(); !errors.Is(out.Err, errCut) {
		t.Fatalf("the process did not die: %v", out.Err)
	}
	if s := l.entry("c1").State; s != ledger.Started {
		t.Fatalf("on disk the call is %s", s)
	}
	l.disk.cut.Store(false)
	out := l.resume()
	wantStatus(t, out, run.Completed)
	if got := l.answers(out); !strings.Contains(got[0], `"status":"unknown"`) || got[1] != "{}" {
		t.Errorf("answers: %v", got)
	}
	if l.times("send c1") != 1 || l.entry("c1").State != ledger.Unknown {
		t.Errorf("sent %d times, the call is %s", l.times("send c1"), l.entry("c1").State)
	}
	failed := l.of(journal.ToolFailed)
	if len(failed) != 1 || failed[0].Status != "unknown" || failed[0].Call != "c1" {
		t.Errorf("the journal says %+v", failed)
	}
}

func TestOutside_DyingBeforeItBeginsLeavesItApproved(t *testing.T) {
	l := newLab(t)
	look := l.read("look")
	look.Read = func(context.Context, tool.Env, json.RawMessage) (json.RawMessage, error) {
		if l.times("cut") == 0 {
			l.count("cut")
			l.disk.cut.Store(true)
		}
		return json.RawMessage(`{}`), nil
	}
	l.use(l.send(func(context.Context, json.RawMessage, string) (json.RawMessage, error) {
		return json.RawMessage(`{"sent":true}`), nil
	}), look)
	l.start(wants("send", `{}`), wants("look", `{}`))
	l.decide("ap.c1", true)
	if out := l.resume(); !errors.Is(out.Err, errCut) || l.times("send c1") != 0 {
		t.Fatalf("it was sent though that it had begun was not on disk (%v)", out.Err)
	}
	l.disk.cut.Store(false)
	out := l.resume()
	wantStatus(t, out, run.Completed)
	if l.times("send c1") != 1 || l.entry("c1").State != ledger.Committed {
		t.Errorf("sent %d times, the call is %s", l.times("send c1"), l.entry("c1").State)
	}
}

func TestOutside_AnUnknownOneStaysUnknownHoweverOftenTheRunGoesOn(t *testing.T) {
	l := newLab(t)
	l.use(l.send(func(context.Context, json.RawMessage, string) (json.RawMessage, error) {
		return nil, errors.New("lost")
	}))
	l.start(wants("send", `{}`))
	l.decide("ap.c1", true)
	// The stage runs again from its start: its result was not kept.
	n := 0
	l.hooks = []graph.Hooks{{Name: "cut", PostTool: func(context.Context, *graph.Task, *graph.ToolUse) error {
		if n++; n == 1 {
			l.disk.cut.Store(true)
		}
		return nil
	}}}
	if out := l.resume(); !errors.Is(out.Err, errCut) {
		t.Fatal(out.Err)
	}
	l.disk.cut.Store(false)
	out := l.resume()
	wantStatus(t, out, run.Completed)
	if l.times("send c1") != 1 || !strings.Contains(l.answers(out)[0], "unknown") || len(l.of(journal.ToolFailed)) != 1 {
		t.Errorf("sent %d times; %v; told %d times", l.times("send c1"), l.answers(out), len(l.of(journal.ToolFailed)))
	}
}

func TestACallWhoseToolIsGoneIsClosed(t *testing.T) {
	for _, begun := range []bool{false, true} {
		l := newLab(t)
		l.use(l.send(func(context.Context, json.RawMessage, string) (json.RawMessage, error) {
			l.disk.cut.Store(true)
			return json.RawMessage(`{}`), nil
		}))
		l.start(wants("send", `{}`))
		l.decide("ap.c1", true)
		want, state := "there is no tool", ledger.Refused
		if begun {
			l.resume()
			l.disk.cut.Store(false)
			want, state = "unknown", ledger.Unknown
		}
		l.use() // the server was removed meanwhile
		out := l.resume()
		wantStatus(t, out, run.Completed)
		if got := l.answers(out)[0]; !strings.Contains(got, want) || l.entry("c1").State != state {
			t.Errorf("begun %v: answer %s, call %s", begun, got, l.entry("c1").State)
		}
	}
}

func TestAnApprovalThatRanOutIsAskedForAnewWithItsHooks(t *testing.T) {
	l := newLab(t)
	l.use(l.note("note"))
	l.hooks = []graph.Hooks{{Name: "count", PreTool: func(_ context.Context, _ *graph.Task, u *graph.ToolUse) error {
		l.count("hook")
		u.Arguments = json.RawMessage(`{"q":"` + strings.Repeat("x", l.times("hook")) + `"}`)
		return nil
	}}}
	l.start(wants("note", `{}`))
	l.decide("ap.c1", true)
	l.pass(8 * 24 * time.Hour)
	out := l.resume()
	if wantStatus(t, out, run.Paused); len(l.notes()) != 0 || out.Pauses[0].ID != "ap.c1-2" {
		t.Fatalf("an approval that ran out was used: %v, %v", l.notes(), out.Pauses)
	}
	l.decide("ap.c1-2", true)
	wantStatus(t, l.resume(), run.Completed)
	if n := l.notes(); !slices.Equal(n, []string{`{"q":"xx"}`}) {
		t.Errorf("notes: %v", n)
	}
}

func TestCancelLeavesEachCallAnsweredOrClosed(t *testing.T) {
	t.Run("while a read is under way", func(t *testing.T) {
		l := newLab(t)
		ctx, cancel := context.WithCancel(context.Background())
		slow := l.read("slow")
		slow.Read = func(ctx context.Context, _ tool.Env, _ json.RawMessage) (json.RawMessage, error) {
			cancel()
			<-ctx.Done()
			return nil, ctx.Err()
		}
		l.use(slow)
		out := l.run(ctx, wants("slow", `{}`))
		if wantStatus(t, out, run.Cancelled); len(told.Get(out.State)) != 0 {
			t.Errorf("told %v", told.Get(out.State))
		}
	})
	t.Run("between two approved calls", func(t *testing.T) {
		l := newLab(t)
		ctx, cancel := context.WithCancel(context.Background())
		l.use(l.send(func(ctx context.Context, _ json.RawMessage, key string) (json.RawMessage, error) {
			cancel()
			<-ctx.Done()
			return nil, ctx.Err() // nobody knows
		}), l.note("note"))
		l.start(wants("send", `{}`), wants("note", `{}`), wants("send", `{"q":"again"}`))
		for _, id := range []string{"ap.c1", "ap.c2", "ap.c3"} {
			l.decide(id, true)
		}
		answers := map[string]json.RawMessage{"ap.c1": json.RawMessage(`1`), "ap.c2": json.RawMessage(`1`), "ap.c3": json.RawMessage(`1`)}
		out, err := l.executor().Resume(ctx, l.graph(), "turn:1", run.Resumption{Answers: answers})
		must(t, err)
		wantStatus(t, out, run.Cancelled)
		for c, want := range map[string]ledger.State{"c1": ledger.Unknown, "c2": ledger.Refused, "c3": ledger.Refused} {
			if e := l.entry(c); e.State != want {
				t.Errorf("call %s is %s, want %s", c, e.State, want)
			}
		}
		for _, id := range []string{"ap.c2", "ap.c3"} {
			if s := l.approval(id).Status; s != ledger.Void {
				t.Errorf("approval %s is %s", id, s)
			}
		}
		if len(l.notes()) != 0 || l.times("send c3") != 0 {
			t.Error("a call ran after the stop")
		}
	})
}

func TestOutside_WhatWasAlteredAfterTheApprovalIsNotSent(t *testing.T) {
	for name, alter := range map[string]func(*ledger.Approval){
		"the arguments": func(a *ledger.Approval) { a.Args = json.RawMessage(`{"q":"other"}`) },
		"the arguments and the digest": func(a *ledger.Approval) {
			a.Args = json.RawMessage(`{"q":"other"}`)
			a.Digest, _ = ledger.Digest(*a)
		},
		"the policy": func(a *ledger.Approval) { a.PolicyVersion = "other/1" },
		"the tool":   func(a *ledger.Approval) { a.Tool = "look" },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			sent := ""
			l.use(l.send(func(_ context.Context, a json.RawMessage, _ string) (json.RawMessage, error) {
				sent = string(a)
				return json.RawMessage(`{}`), nil
			}), l.read("look"))
			l.start(wants("send", `{"q":"mine"}`))
			l.decide("ap.c1", true)
			a := l.approval("ap.c1")
			alter(&a)
			must(t, l.db.Update(func(tx store.Tx) error { return tx.PutApproval(a) }))
			out := l.resume()
			if wantStatus(t, out, run.Paused); sent != "" || out.Pauses[0].ID == "ap.c1" {
				t.Fatalf("sent %q, waits for %s", sent, out.Pauses[0].ID)
			}
			l.decide(out.Pauses[0].ID, true)
			wantStatus(t, l.resume(), run.Completed)
			if sent != `{"q":"mine"}` {
				t.Errorf("sent %s", sent)
			}
		})
	}
}

func TestOutside_AnApprovalServesForNoOtherServer(t *testing.T) {
	l := newLab(t)
	send := l.send(func(context.Context, json.RawMessage, string) (json.RawMessage, error) {
		return json.RawMessage(`{}`), nil
	})
	l.use(send)
	l.start(wants("send", `{}`))
	l.decide("ap.c1", true)
	send.Server = "elsewhere"
	l.use(send)
	out := l.resume()
	if wantStatus(t, out, run.Paused); l.times("send c1") != 0 || !strings.Contains(l.approval(out.Pauses[0].ID).Title, "elsewhere") {
		t.Errorf("sent %d times, waits for %v", l.times("send c1"), out.Pauses)
	}
}

func TestACallThatCannotBeDoneAnyMoreIsClosed(t *testing.T) {
	l := newLab(t)
	note := l.note("note")
	plan := note.Plan
	note.Plan = func(tx record.Tx, env tool.Env, args json.RawMessage) (tool.Plan, error) {
		if l.clock().After(t0) {
			return tool.Plan{}, &tool.Refusal{Reason: "the slot is gone"}
		}
		return plan(tx, env, args)
	}
	l.use(note)
	l.start(wants("note", `{}`))
	l.pass(8 * 24 * time.Hour) // nobody decided in time
	out := l.resume()
	wantStatus(t, out, run.Completed)
	if got := l.answers(out)[0]; !strings.Contains(got, "the slot is gone") || l.entry("c1").State != ledger.Refused || l.approval("ap.c1").At(t0) != ledger.Void {
		t.Errorf("answer %s, call %s, approval %s", got, l.entry("c1").State, l.approval("ap.c1").Status)
	}
}
