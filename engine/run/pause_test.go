package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

func pauseIDs(out run.Outcome) []string {
	var ids []string
	for _, p := range out.Pauses {
		ids = append(ids, p.ID)
	}
	return ids
}

func wantPauses(t testing.TB, out run.Outcome, want ...string) {
	t.Helper()
	wantStatus(t, out, run.Paused)
	if got := pauseIDs(out); !reflect.DeepEqual(got, want) {
		t.Fatalf("it waits for %v, want %v", got, want)
	}
}

func TestEngine_TwoPausesInOneBatchGetTheirOwnAnswers(t *testing.T) {
	heard := map[string]string{}
	l, r := newLab(), newRig(t)
	g := build(t, graph.Spec{Edges: chain("a"), Stages: []graph.Stage{l.stage("a", asks("first", "second"), func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
		res := graph.Result{}
		for _, id := range []string{"first", "second"} {
			if a, ok := task.Answer(id); ok {
				heard[id] = string(a)
			} else {
				res.Pauses = append(res.Pauses, graph.Pause{ID: id})
			}
		}
		return res, nil
	})}})
	wantPauses(t, r.start(g), "first", "second")
	wantPauses(t, r.resume(g, "second", `"two"`), "first")
	r.cold()
	out := r.resume(g, "first", `"one"`)
	wantStatus(t, out, run.Completed)
	if heard["first"] != `"one"` || heard["second"] != `"two"` {
		t.Errorf("the stage heard %v", heard)
	}
	l.wants(t, map[graph.StageID]int{"a": 3})
}

func TestEngine_CrossedAnswersAreImpossible(t *testing.T) {
	for name, stages := range map[string]func(l *lab) (graph.Stage, graph.Stage){
		"two stages ask under one id": func(l *lab) (graph.Stage, graph.Stage) { return l.stage("b", asks("same")), l.stage("c", asks("same")) },
		"one stage asks twice":        func(l *lab) (graph.Stage, graph.Stage) { return l.stage("b", asks("q", "q")), l.stage("c") },
		"a question without an id":    func(l *lab) (graph.Stage, graph.Stage) { return l.stage("b", asks("")), l.stage("c") },
		"a question beside a result": func(l *lab) (graph.Stage, graph.Stage) {
			return l.stage("b", func(context.Context, *graph.Task, int) (graph.Result, error) {
				return graph.Result{Pauses: []graph.Pause{{ID: "q"}}, Patch: graph.Patch{done.Add("b")}}, nil
			}), l.stage("c")
		},
	} {
		t.Run(name, func(t *testing.T) {
			l, r := newLab(), newRig(t)
			b, c := stages(l)
			out := r.start(build(t, graph.Spec{Stages: []graph.Stage{l.stage("a"), b, c, l.stage("join")}, Edges: fan("a", "join", "b", "c")}))
			if out.Run.Status == run.Completed || l.ran("join") != 0 {
				t.Fatalf("the run is %s", out.Run.Status)
			}
			refused := 0
			for _, e := range r.journal() {
				if e.Kind == journal.StageFailed {
					refused++
				}
			}
			if refused != 1 {
				t.Errorf("%d stages were refused", refused)
			}
			if out.Run.Status == run.Failed {
				wantErr(t, out.Err, run.ErrPause)
			} else if len(out.Pauses) != 1 {
				t.Errorf("pauses %+v", out.Pauses)
			}
		})
	}
}

func TestEngine_BadAnswersAreTypedErrorsAndChangeNothing(t *testing.T) {
	for name, c := range map[string]struct {
		answers map[string]json.RawMessage
		want    error
	}{
		"an unknown id":             {answerMap("other", `"yes"`), run.ErrUnknownPause},
		"a known and unknown one":   {answerMap("q", `"yes"`, "other", `"yes"`), run.ErrUnknownPause},
		"no answer":                 {map[string]json.RawMessage{"q": nil}, run.ErrEmptyAnswer},
		"an empty answer":           {answerMap("q", ``), run.ErrEmptyAnswer},
		"a blank answer":            {answerMap("q", " \n"), run.ErrEmptyAnswer},
		"null":                      {answerMap("q", `null`), run.ErrEmptyAnswer},
		"null with blanks":          {answerMap("q", ` null `), run.ErrEmptyAnswer},
		"an empty text":             {answerMap("q", `""`), run.ErrEmptyAnswer},
		"something that is no JSON": {answerMap("q", `{"approve":`), run.ErrEmptyAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			l, r := newLab(), newRig(t)
			g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a", asks("q"))}, Edges: chain("a")})
			wantPauses(t, r.start(g), "q")
			before, journal := r.checkpoint(), tell(r.journal())
			_, err := r.x.Resume(context.Background(), g, run1, run.Resumption{Answers: c.answers})
			wantErr(t, err, c.want)
			if after := r.checkpoint(); !reflect.DeepEqual(after, before) || tell(r.journal()) != journal {
				t.Errorf("something changed:\n%+v\n%+v", before, after)
			}
			l.wants(t, map[graph.StageID]int{"a": 1})
			wantStatus(t, r.resume(g, "q", `"yes"`), run.Completed)
		})
	}
}

func TestEngine_AnAnswerCannotBeChangedAndRepeatingItDoesNothing(t *testing.T) {
	l, r := newLab(), newRig(t)
	g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a", asks("p", "q"))}, Edges: chain("a")})
	wantPauses(t, r.start(g), "p", "q")
	wantPauses(t, r.resume(g, "p", `"yes"`), "q")
	before, journal := r.checkpoint(), tell(r.journal())
	for range 3 {
		wantPauses(t, r.resume(g), "q")
		wantPauses(t, r.resume(g, "p", `"yes"`), "q")
		r.cold()
	}
	_, err := r.x.Resume(context.Background(), g, run1, run.Resumption{Answers: answerMap("p", `"no"`)})
	wantErr(t, err, run.ErrAnswered)
	if after := r.checkpoint(); !reflect.DeepEqual(after, before) || tell(r.journal()) != journal {
		t.Errorf("a repeated resume changed the run:\n%s\n%s", journal, tell(r.journal()))
	}
	l.wants(t, map[graph.StageID]int{"a": 2})
	wantStatus(t, r.resume(g, "q", `1`), run.Completed)
	journal = tell(r.journal())
	for range 2 {
		out := r.resume(g)
		wantStatus(t, out, run.Completed)
		isDone(t, out, "a")
		r.cold()
	}
	if tell(r.journal()) != journal {
		t.Error("resuming a completed run wrote something")
	}
}

func TestEngine_AReaskingStageConsumesNoExtraAnswers(t *testing.T) {
	// The stage wants three good answers, one at a time, and asks again after a bad one.
	var heard []string
	l, r := newLab(), newRig(t)
	g := build(t, graph.Spec{Edges: chain("a"), Stages: []graph.Stage{l.stage("a", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
		heard = nil
		for _, id := range []string{"q1", "q2", "q3"} {
			a, ok := task.Answer(id)
			if !ok || string(a) == `"bad"` {
				return graph.Result{Pauses: []graph.Pause{{ID: id}}}, nil
			}
			heard = append(heard, string(a))
		}
		return graph.Result{}, nil
	})}})
	wantPauses(t, r.start(g), "q1")
	wantPauses(t, r.resume(g, "q1", `"bad"`), "q1")
	wantPauses(t, r.resume(g, "q1", `"one"`), "q2")
	r.cold()
	wantPauses(t, r.resume(g, "q2", `"bad"`), "q2")
	wantPauses(t, r.resume(g, "q2", `"two"`), "q3")
	wantStatus(t, r.resume(g, "q3", `"three"`), run.Completed)
	if !reflect.DeepEqual(heard, []string{`"one"`, `"two"`, `"three"`}) {
		t.Errorf("heard %v", heard)
	}
	l.wants(t, map[graph.StageID]int{"a": 6})
}

func TestEngine_APauseIsOnDiskBeforeItsEventIsSeen(t *testing.T) {
	r := newRig(t)
	told := 0
	r.tap = func(e journal.Event) {
		if e.Kind != journal.StagePaused && e.Kind != journal.TurnPaused {
			return
		}
		told++
		cp, err := r.db.Load(run1)
		if err != nil || len(cp.Pauses) != 1 || cp.Pauses[0].ID != "q" {
			t.Errorf("at %s the disk holds %+v (%v)", e.Kind, cp.Pauses, err)
		}
		if e.Kind == journal.TurnPaused && cp.Run.Status != run.Paused {
			t.Errorf("at turn_paused the row says %s", cp.Run.Status)
		}
	}
	wantPauses(t, r.start(build(t, graph.Spec{Stages: []graph.Stage{newLab().stage("a", asks("q"))}, Edges: chain("a")})), "q")
	if told != 2 {
		t.Errorf("%d events told of the pause", told)
	}
	for _, e := range r.journal() {
		if want := `{"pauses":[{"id":"q","kind":"question","stage":"a"}]}`; (e.Kind == journal.StagePaused || e.Kind == journal.TurnPaused) && string(e.Data) != want {
			t.Errorf("%s says %s, want %s", e.Kind, e.Data, want)
		}
	}
}

func TestEngine_APauseOutranksTheErrorOfASibling(t *testing.T) {
	l, r := newLab(), newRig(t)
	meet := together(2)
	g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a"), l.stage("b", meet, asks("q")), l.stage("c", meet, breaks(1)), l.stage("join")}, Edges: fan("a", "join", "b", "c")})
	out := r.start(g)
	wantPauses(t, out, "q")
	if out.Err != nil || r.count(journal.StageFailed, "c") != 1 {
		t.Errorf("the outcome's error is %v", out.Err)
	}
	out = r.resume(g, "q", `"yes"`)
	wantStatus(t, out, run.Completed)
	isDone(t, out, "a", "b", "c", "join")
	l.wants(t, map[graph.StageID]int{"a": 1, "b": 2, "c": 2, "join": 1})
}

func TestEngine_AnsweringOnePauseKeepsTheOthers(t *testing.T) {
	l, r := newLab(), newRig(t)
	meet := together(3)
	g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a"), l.stage("b", onFirst(meet), asks("qb")), l.stage("c", onFirst(meet), asks("qc")), l.stage("d", onFirst(meet), asks("qd")), l.stage("join")},
		Edges: fan("a", "join", "b", "c", "d")})
	wantPauses(t, r.start(g), "qb", "qc", "qd")
	wantPauses(t, r.resume(g, "qc", `1`), "qb", "qd")
	l.wants(t, map[graph.StageID]int{"b": 1, "c": 2, "d": 1})
	r.cold()
	wantPauses(t, r.resume(g, "qd", `1`), "qb")
	out := r.resume(g, "qb", `1`)
	wantStatus(t, out, run.Completed)
	isDone(t, out, "a", "b", "c", "d", "join")
	l.wants(t, map[graph.StageID]int{"a": 1, "b": 2, "c": 2, "d": 2, "join": 1})
}

func onFirst(do doing) doing {
	return func(ctx context.Context, t *graph.Task, nth int) (graph.Result, error) {
		if nth > 1 {
			return graph.Result{}, nil
		}
		return do(ctx, t, nth)
	}
}

func TestEngine_OneBranchPausedOneDoneRestartAndTheJoinGetsBoth(t *testing.T) {
	r, path := newFileRig(t)
	l := newLab()
	both := make(chan []string, 1)
	g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a"), l.stage("b", asks("q")), l.stage("c"),
		l.stage("join", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
			both <- done.Get(task.State)
			return graph.Result{}, nil
		})}, Edges: fan("a", "join", "b", "c")})
	wantPauses(t, r.start(g), "q")
	if cp := r.checkpoint(); len(cp.Pending) != 1 || cp.Pending[0].Stage != "c" {
		t.Errorf("pending results are %+v", cp.Pending)
	}
	must(t, r.db.Close())
	r = reopened(t, path)
	out := r.resume(g, "q", `"yes"`)
	wantStatus(t, out, run.Completed)
	if got := wait(t, both, "the join"); !reflect.DeepEqual(got, []string{"a", "b", "c"}) {
		t.Errorf("the join saw %v", got)
	}
	l.wants(t, map[graph.StageID]int{"a": 1, "b": 2, "c": 1, "join": 1})
	if cp := r.checkpoint(); len(cp.Pending)+len(cp.Pauses) != 0 {
		t.Errorf("left behind: %+v %+v", cp.Pending, cp.Pauses)
	}
	sound(t, r, path)
}

func TestEngine_ARetryInAFanOutRerunsOnlyWhatFailed(t *testing.T) {
	l, r := newLab(), newRig(t)
	g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a"), l.stage("b"), l.stage("c", breaks(2)), l.stage("d"), l.stage("join")}, Edges: fan("a", "join", "b", "c", "d")})
	out := r.start(g)
	wantStatus(t, out, run.Failed)
	wantErr(t, out.Err, errBroken)
	if out.Run.ErrorStage != "c" {
		t.Errorf("blamed %q", out.Run.ErrorStage)
	}
	wantErr(t, r.resume(g).Err, errBroken)
	r.cold()
	out = r.resume(g)
	wantStatus(t, out, run.Completed)
	isDone(t, out, "a", "b", "c", "d", "join")
	l.wants(t, map[graph.StageID]int{"a": 1, "b": 1, "c": 3, "d": 1, "join": 1})
	if out.Run.Error != "" || out.Run.ErrorStage != "" {
		t.Errorf("the run still names an error: %+v", out.Run)
	}
}

func TestEngine_AFailedOrPausedResultIsNeverKept(t *testing.T) {
	for name, first := range map[string]doing{
		"failed": func(context.Context, *graph.Task, int) (graph.Result, error) {
			return graph.Result{Patch: graph.Patch{done.Add("of a failed stage")}, Events: []journal.Event{{Kind: journal.MemoryUpdated}}}, errBroken
		},
		"panicked": func(context.Context, *graph.Task, int) (graph.Result, error) { panic("oops") },
		"paused":   func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) { return asks("q")(nil, task, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			l, r := newLab(), newRig(t)
			g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a", onFirst(first)), l.stage("b")}, Edges: chain("a", "b")})
			r.start(g)
			if cp := r.checkpoint(); len(cp.Pending) != 0 || len(cp.Channels) != 0 || r.count(journal.MemoryUpdated, "") != 0 {
				t.Errorf("kept: %+v", cp)
			}
			answers := []string{}
			if name == "paused" {
				answers = []string{"q", "1"}
			}
			out := r.resume(g, answers...)
			wantStatus(t, out, run.Completed)
			isDone(t, out, "a", "b")
			l.wants(t, map[graph.StageID]int{"a": 2})
		})
	}
}

func TestEngine_NestedGraphsRunPauseAndResumeInside(t *testing.T) {
	more := graph.Value[bool]("more")
	l := newLab()
	inner := graph.Spec{Conditions: []graph.Condition{graph.When("more", more), graph.Unless("enough", more)},
		Stages: []graph.Stage{l.stage("think", func(_ context.Context, _ *graph.Task, nth int) (graph.Result, error) {
			return graph.Result{Patch: graph.Patch{more.Set(nth < 2)}}, nil
		}), l.stage("act", asks("q"))},
		Edges: []graph.Edge{edge(graph.Start, "think", graph.Entry), onlyIf("think", "act", "more"), onlyIf("think", graph.End, "enough"), edge("act", "think", graph.Sequence)}}
	g := build(t, graph.Spec{Channels: []graph.AnyChannel{more}, Stages: []graph.Stage{l.stage("first"), {ID: "loop", Graph: &inner}, l.stage("last")}, Edges: chain("first", "loop", "last")})
	r, path := newFileRig(t)
	out := r.start(g)
	wantPauses(t, out, "q")
	if out.Pauses[0].Stage != "loop/act" || r.count(journal.StageCompleted, "loop") != 0 || l.ran("last") != 0 {
		t.Errorf("the pause is %+v, and the parent did not wait: %v", out.Pauses, l.order)
	}
	must(t, r.db.Close())
	r = reopened(t, path)
	out = r.resume(g, "q", `"yes"`)
	wantStatus(t, out, run.Completed)
	isDone(t, out, "first", "think", "act", "think", "last")
	l.wants(t, map[graph.StageID]int{"first": 1, "think": 2, "act": 2, "last": 1})
	for kind, want := range map[journal.Kind]int{journal.StageStarted: 1, journal.StageCompleted: 1} {
		if n := r.count(kind, "loop"); n != want {
			t.Errorf("%s of the parent %d times", kind, n)
		}
	}
	sound(t, r, path)
}

func TestEngine_NestedGraphsRunBesideEachOther(t *testing.T) {
	l := newLab()
	meet := together(2)
	nested := func(ids ...graph.StageID) *graph.Spec {
		return &graph.Spec{Stages: []graph.Stage{l.stage(ids[0], meet), l.stage(ids[1])}, Edges: chain(ids...)}
	}
	g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a"), {ID: "b", Graph: nested("x", "y")}, {ID: "c", Graph: nested("x2", "y2")}, l.stage("join")}, Edges: fan("a", "join", "b", "c")})
	out := newRig(t).start(g)
	wantStatus(t, out, run.Completed)
	isDone(t, out, "a", "x", "x2", "y", "y2", "join")
}

func TestResume_OfAnUnknownRun(t *testing.T) {
	r := newRig(t)
	g := build(t, graph.Spec{Stages: []graph.Stage{newLab().stage("a")}, Edges: chain("a")})
	_, err := r.x.Resume(context.Background(), g, "turn:none", run.Resumption{})
	wantErr(t, err, run.ErrNoRun)
	wantErr(t, r.x.Abandon("turn:none", "why"), run.ErrNoRun)
	if _, err := r.db.Load("turn:none"); !errors.Is(err, run.ErrNoRun) {
		t.Error("a run was made")
	}
}
