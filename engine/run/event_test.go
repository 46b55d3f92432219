package run_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/store"
)

const eventLimit = 4096

func TestEvent_LargeBodiesMoveIntoBlobsAndCanBeFetched(t *testing.T) {
	long := strings.Repeat("ä word ", 2000)
	body, err := json.Marshal(map[string]any{"result": long, "small": 1})
	must(t, err)
	many := map[string]string{}
	for i := range 500 {
		many[strings.Repeat("k", i+1)] = "v"
	}
	manyRaw, err := json.Marshal(many)
	must(t, err)
	list, err := json.Marshal([]string{long})
	must(t, err)
	half, err := json.Marshal(map[string]string{"a": strings.Repeat("x", 390), "b": strings.Repeat("x", 390), "c": strings.Repeat("x", 390),
		"d": strings.Repeat("x", 390), "e": strings.Repeat("x", 390), "f": strings.Repeat("x", 390), "g": strings.Repeat("x", 390)})
	must(t, err)
	for name, c := range map[string]struct {
		event journal.Event
		blobs map[string]string // the way to the reference → what it holds
	}{
		"a long text":                  {journal.Event{Text: long}, map[string]string{"text": long}},
		"a long member":                {journal.Event{Data: body}, map[string]string{"result": string(mustRaw(t, long))}},
		"many members":                 {journal.Event{Data: manyRaw}, map[string]string{"": string(manyRaw)}},
		"data that is no object":       {journal.Event{Data: list}, map[string]string{"value": string(list)}},
		"text of control characters":   {journal.Event{Text: strings.Repeat("\x01", 1400)}, map[string]string{"text": strings.Repeat("\x01", 1400)}},
		"text of quotes and newlines":  {journal.Event{Text: strings.Repeat("\"\n", 900)}, map[string]string{"text": strings.Repeat("\"\n", 900)}},
		"a long error and reason":      {journal.Event{Error: long, Reason: long}, nil},
		"a hostile name of a tool":     {journal.Event{Tool: long}, nil},
		"each member just fits":        {journal.Event{Text: strings.Repeat("y", 1490), Error: strings.Repeat("e", 740), Data: half}, map[string]string{"": string(half)}},
		"bytes that are no characters": {journal.Event{Text: strings.Repeat("\xff", 1400)}, map[string]string{"text": strings.Repeat("\xff", 1400)}},
	} {
		t.Run(name, func(t *testing.T) {
			r, l := newRig(t), newLab()
			c.event.Kind = journal.ToolCompleted
			g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a", func(context.Context, *graph.Task, int) (graph.Result, error) {
				return graph.Result{Events: []journal.Event{c.event}}, nil
			})}, Edges: chain("a")})
			wantStatus(t, r.start(g), run.Completed)
			for _, e := range r.journal() {
				raw, err := json.Marshal(e)
				must(t, err)
				if len(raw) >= eventLimit {
					t.Errorf("%s takes %d bytes", e.Kind, len(raw))
				}
				if e.Kind != journal.ToolCompleted {
					continue
				}
				for way, want := range c.blobs {
					ref := e.Data
					if way != "" {
						var members map[string]json.RawMessage
						must(t, json.Unmarshal(e.Data, &members))
						ref = members[way]
					}
					if got := fetch(t, r, ref); got != want {
						t.Errorf("%q leads to %d bytes, want %d", way, len(got), len(want))
					}
				}
			}
		})
	}
}

func mustRaw(t testing.TB, v any) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(v)
	must(t, err)
	return b
}

func fetch(t testing.TB, r *rig, ref json.RawMessage) string {
	t.Helper()
	var b struct {
		Blob string
		Size int
	}
	must(t, json.Unmarshal(ref, &b))
	var body []byte
	must(t, r.db.Read(func(tx store.Tx) (err error) { body, err = tx.Blob(b.Blob); return err }))
	if len(body) != b.Size {
		t.Errorf("the blob has %d bytes, the reference says %d", len(body), b.Size)
	}
	return string(body)
}

func TestEvent_ALargePatchAndAnEmittedEventAreShrunkToo(t *testing.T) {
	big := graph.Value[string]("big")
	reply := graph.Value[string]("reply")
	long := strings.Repeat("z", 10_000)
	r, l := newRig(t), newLab()
	g := build(t, graph.Spec{Channels: []graph.AnyChannel{big, reply}, Reply: reply, Edges: chain("a"),
		Stages: []graph.Stage{l.stage("a", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
			task.Emit(journal.Event{Kind: journal.Message, Message: "m", Text: long})
			if err := task.Commit(graph.In(func(_ store.Tx, tell graph.Tell) error {
				tell(journal.Event{Kind: journal.MutationCommitted, Data: mustRaw(t, map[string]string{"result": long})})
				return nil
			})); err != nil {
				return graph.Result{}, err
			}
			return graph.Result{Patch: graph.Patch{big.Set(long), reply.Set(long)}}, nil
		})}})
	out, err := r.x.Start(context.Background(), g, run.StartRequest{ID: run1, Session: ses1, Turn: "1", Input: long, Vars: map[string]string{"file": long}})
	must(t, err)
	wantStatus(t, out, run.Completed)
	if out.Run.Output != long || out.Run.Input != long || out.Run.Vars["file"] != long {
		t.Error("the row lost what the events leave out")
	}
	found := 0
	for _, e := range r.journal() {
		raw, err := json.Marshal(e)
		must(t, err)
		if len(raw) >= eventLimit {
			t.Errorf("%s takes %d bytes", e.Kind, len(raw))
		}
		var data struct {
			Text, Result json.RawMessage
			Patch        map[string]json.RawMessage
		}
		if e.Data != nil {
			must(t, json.Unmarshal(e.Data, &data))
		}
		want := map[journal.Kind]json.RawMessage{journal.Message: data.Text, journal.MutationCommitted: data.Result, journal.StageCompleted: data.Patch["big"], journal.TurnCompleted: data.Text}
		if ref, ok := want[e.Kind]; ok {
			found++
			if got := strings.Trim(fetch(t, r, ref), `"`); got != long {
				t.Errorf("%s leads to %d bytes", e.Kind, len(got))
			}
		}
	}
	if found != 4 {
		t.Errorf("%d of 4 large events are in the journal", found)
	}
}

func TestStream_TokensAreLiveOnlyWholeAndInOrder(t *testing.T) {
	r, l := newRig(t), newLab()
	first := make(chan struct{})
	var once bool
	r.tap = func(e journal.Event) {
		if e.Kind == journal.Token && !once {
			once = true
			close(first)
		}
	}
	text := "Grüße, 日本"
	cutAt := strings.Index(text, "ü") + 1 // in the middle of a character
	g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
		s := task.Stream("m1")
		s.Write(text[:cutAt])
		wait(t, first, "the first piece")
		s.Write("")
		s.Write(text[cutAt:])
		s.Close()
		s.Write("after the end")
		s.Close()
		return graph.Result{Events: []journal.Event{{Kind: journal.Message, Message: "m1", Text: text}}}, nil
	})}, Edges: chain("a")})
	wantStatus(t, r.start(g), run.Completed)
	got := ""
	pieces := 0
	for _, e := range r.events() {
		if e.Kind != journal.Token {
			continue
		}
		pieces++
		if e.Seq != 0 || e.Message != "m1" || e.Stage != "a" || e.Session != ses1 || e.Offset != len(got) || strings.ContainsRune(e.Text, '\uFFFD') || !strings.HasPrefix(text, got+e.Text) {
			t.Errorf("piece %+v behind %q", e, got)
		}
		got += e.Text
	}
	if got != text || pieces != 2 {
		t.Errorf("%d pieces make %q", pieces, got)
	}
	if n := r.count(journal.Token, ""); n != 0 {
		t.Errorf("%d tokens are stored", n)
	}
	if r.count(journal.MessageStarted, "a") != 1 || r.count(journal.Message, "a") != 1 {
		t.Errorf("the journal is\n%s", tell(r.journal()))
	}
}

func TestEmit_TheCallerKeepsItsSlice(t *testing.T) {
	r, l := newRig(t), newLab()
	g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
		events := []journal.Event{{Kind: journal.MemoryUpdated, Text: "one"}}
		task.Emit(events...)
		events[0].Text = "two"
		err := task.Commit(graph.In(func(_ store.Tx, _ graph.Tell) error { return nil }), events...)
		events[0].Text = "three"
		if events[0].Seq != 0 || events[0].Stage != "" {
			t.Errorf("the caller's event became %+v", events[0])
		}
		return graph.Result{}, err
	})}, Edges: chain("a")})
	wantStatus(t, r.start(g), run.Completed)
	var texts []string
	for _, e := range r.journal() {
		if e.Kind == journal.MemoryUpdated {
			texts = append(texts, e.Text)
		}
	}
	if strings.Join(texts, " ") != "one two" {
		t.Errorf("the journal has %v", texts)
	}
}

func TestLimit_IsATypedOutcomeThatGoesOnWithMoreStepsAlsoAfterARestart(t *testing.T) {
	l := newLab()
	inner := graph.Spec{Stages: []graph.Stage{l.stage("in")}, Edges: chain("in")}
	spec := graph.Spec{MaxSteps: 2, Stages: []graph.Stage{l.stage("a"), l.stage("b"), {ID: "nest", Graph: &inner}, l.stage("d")}, Edges: chain("a", "b", "nest", "d")}
	g := build(t, spec)
	r, path := newFileRig(t)
	out := r.start(g)
	wantStatus(t, out, run.Limited)
	if out.Err != nil || out.Run.Step != 2 {
		t.Errorf("the outcome is %+v", out)
	}
	must(t, r.db.Close())
	r = reopened(t, path)
	before := tell(r.journal())
	for _, n := range []int{0, -1} {
		_, err := r.x.Resume(context.Background(), g, run1, run.Resumption{MoreSteps: n})
		wantErr(t, err, run.ErrLimit)
	}
	if tell(r.journal()) != before {
		t.Error("a refused resume wrote something")
	}
	out, err := r.x.Resume(context.Background(), g, run1, run.Resumption{MoreSteps: 1})
	must(t, err)
	wantStatus(t, out, run.Limited)
	l.wants(t, map[graph.StageID]int{"a": 1, "b": 1, "in": 1, "d": 0})
	out, err = r.x.Resume(context.Background(), g, run1, run.Resumption{MoreSteps: 5})
	must(t, err)
	wantStatus(t, out, run.Completed)
	isDone(t, out, "a", "b", "in", "d")
	l.wants(t, map[graph.StageID]int{"a": 1, "b": 1, "in": 1, "d": 1})
	if out.Run.MaxSteps != 8 || r.count(journal.TurnLimited, "") != 2 {
		t.Errorf("limit %d, told %d times", out.Run.MaxSteps, r.count(journal.TurnLimited, ""))
	}
	for _, kind := range []journal.Kind{journal.StageStarted, journal.StageCompleted} {
		for _, stage := range []graph.StageID{"nest", "nest/in", "d"} {
			if n := r.count(kind, stage); n != 1 {
				t.Errorf("%s %s %d times", kind, stage, n)
			}
		}
	}
	sound(t, r, path)
}

// A stage that only computes may tell something, as the first of its run: it comes
// behind the run's beginning and its own, in the journal and on the screen.
func TestEngine_WhatAComputingStageTellsComesBehindWhatLedToIt(t *testing.T) {
	r, l := newRig(t), newLab()
	quick := func(id graph.StageID, do doing) graph.Stage {
		return with(l.stage(id, do), func(s *graph.Stage) { s.Quick = true })
	}
	tells := func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
		task.Emit(journal.Event{Kind: journal.Warned, Reason: "look"})
		return graph.Result{}, task.Commit(func(graph.Tx, graph.Tell) error { return nil }, journal.Event{Kind: journal.MemoryUpdated})
	}
	g := build(t, graph.Spec{Stages: []graph.Stage{quick("a", tells), quick("b", tells)}, Edges: chain("a", "b")})
	wantStatus(t, r.start(g), run.Completed)
	var got []string
	for _, e := range r.journal() {
		got = append(got, string(e.Kind))
	}
	each := []string{"stage_started", "warning", "memory_updated", "stage_completed", "transition", "checkpoint"}
	wantList(t, "journal", got, append(append(append([]string{"turn_started"}, each...), each...), "turn_completed")...)
}
