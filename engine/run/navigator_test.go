package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

func TestNavigator_N07_AJoinWaitsForAllItsInputs(t *testing.T) {
	l := newLab()
	meet := together(3)
	edges := fan("a", "join", "b", "c", "d")
	edges[6] = edge("d", "d2", graph.Sequence) // one branch takes a step more
	g := build(t, graph.Spec{
		Stages: []graph.Stage{l.stage("a"), l.stage("b", meet), l.stage("c", meet), l.stage("d", meet), l.stage("d2"), l.stage("join")},
		Edges:  append(edges, edge("d2", "join", graph.JoinInput)),
	})
	out := newRig(t).start(g)
	wantStatus(t, out, run.Completed)
	isDone(t, out, "a", "b", "c", "d", "d2", "join")
	l.wants(t, map[graph.StageID]int{"join": 1})
}

func TestNavigator_N09_BothCheckpointersGiveTheSameJournal(t *testing.T) {
	play := func(r *rig) string {
		l := newLab()
		g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a"), l.stage("b", asks("q")), l.stage("c")}, Edges: chain("a", "b", "c")})
		wantStatus(t, r.start(g), run.Paused)
		wantStatus(t, r.resume(g, "q", `"yes"`), run.Completed)
		return tell(r.journal())
	}
	file, _ := newFileRig(t)
	if memory, disk := play(newRig(t)), play(file); memory != disk {
		t.Errorf("in memory:\n%s\non disk:\n%s", memory, disk)
	}
}

func TestNavigator_N10_TheRunKeepsTheIDOfItsTurn(t *testing.T) {
	r := newRig(t)
	r.start(build(t, graph.Spec{Stages: []graph.Stage{newLab().stage("a")}, Edges: chain("a")}))
	if cp := r.checkpoint(); cp.Run.ID != "turn:1" || cp.Run.Turn != "1" || cp.Run.Session != ses1 {
		t.Errorf("run is %+v", cp.Run)
	}
}

func TestNavigator_N11_ARestartBetweenTwoStagesDoesNotRepeatTheFirst(t *testing.T) {
	for _, after := range []bool{false, true} {
		// Writes: 1 admits, 2 commits preflight, 3 navigator.
		for at := 2; at <= 3; at++ {
			r := newRig(t)
			cut := &cutter{Checkpointer: r.db, at: at, after: after}
			r.disk = cut
			r.cold()
			spec := func(l *lab) *graph.Graph {
				return build(t, graph.Spec{Stages: []graph.Stage{l.stage("preflight"), acting(l.stage("navigator"))}, Edges: chain("preflight", "navigator")})
			}
			g := spec(newLab())
			out := r.start(g)
			wantErr(t, out.Err, errCut)
			acknowledged := r.count(journal.StageCompleted, "preflight")
			if want := map[bool]int{true: 1}[after || at == 3]; acknowledged != want {
				t.Fatalf("write %d, after %v: preflight is on disk %d times, want %d", at, after, acknowledged, want)
			}
			r.disk = r.db
			r.cold()
			l := newLab() // counts what the new process runs
			out = r.resume(spec(l))
			wantStatus(t, out, run.Completed)
			isDone(t, out, "preflight", "navigator")
			if again := l.ran("preflight"); again != 1-acknowledged {
				t.Errorf("write %d, after %v: preflight ran %d times more, %d of it was on disk", at, after, again, acknowledged)
			}
		}
	}
}

func acting(s graph.Stage) graph.Stage { s.SideEffects = true; return s }

func TestNavigator_N12_ParallelBranchesAppendInSpecOrder(t *testing.T) {
	// Each branch waits for the next one, so they finish in the opposite order.
	last := make(chan struct{})
	close(last)
	turns := []chan struct{}{make(chan struct{}), make(chan struct{}), last}
	l := newLab()
	var branches []graph.Stage
	for i, id := range []graph.StageID{"b", "c"} {
		branches = append(branches, l.stage(id, func(context.Context, *graph.Task, int) (graph.Result, error) {
			wait(t, turns[i+1], "the branch behind")
			close(turns[i])
			return graph.Result{}, nil
		}))
	}
	g := build(t, graph.Spec{Stages: append([]graph.Stage{l.stage("a"), l.stage("join")}, branches...), Edges: fan("a", "join", "b", "c")})
	out := newRig(t).start(g)
	wantStatus(t, out, run.Completed)
	isDone(t, out, "a", "b", "c", "join")
}

func TestNavigator_N13_LiveThingsAreNeverInACheckpoint(t *testing.T) {
	const canary = "a-live-handle-that-nobody-stores"
	r := newRig(t)
	var got any
	g := build(t, graph.Spec{Stages: []graph.Stage{newLab().stage("a", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
		got = task.Dependencies
		return graph.Result{Pauses: []graph.Pause{{ID: "q"}}}, nil
	})}, Edges: chain("a")})
	_, err := r.x.Start(context.Background(), g, run.StartRequest{ID: run1, Session: ses1, Turn: "1", Dependencies: map[string]string{"handle": canary}})
	must(t, err)
	if m, ok := got.(map[string]string); !ok || m["handle"] != canary {
		t.Errorf("the stage saw %v", got)
	}
	cp, err := json.Marshal(r.checkpoint())
	must(t, err)
	journal, err := json.Marshal(r.journal())
	must(t, err)
	if strings.Contains(string(cp)+string(journal), canary) {
		t.Error("what lives beside the state was stored")
	}
}

func TestNavigator_N40_OneStreamTellsTheWholeTurnWhileItRuns(t *testing.T) {
	r, l := newRig(t), newLab()
	told, goOn := make(chan journal.Event, 1), make(chan struct{})
	r.tap = func(e journal.Event) {
		if e.Kind == journal.ToolStarted {
			told <- e
		}
	}
	g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
		task.Emit(journal.Event{Kind: journal.ToolStarted, Tool: "look"})
		wait(t, goOn, "the test to have seen the event")
		return graph.Result{Events: []journal.Event{{Kind: journal.ToolCompleted, Tool: "look"}}}, nil
	}), l.stage("b")}, Edges: chain("a", "b")})
	ended := make(chan run.Outcome, 1)
	go func() {
		out, err := r.x.Start(context.Background(), g, run.StartRequest{ID: run1, Session: ses1, Turn: "1"})
		if err != nil {
			out.Err = err
		}
		ended <- out
	}()
	e := wait(t, told, "an event of a stage that is still running")
	if e.Stage != "a" || e.Session != ses1 || e.Turn != "1" || e.Seq == 0 || !e.At.Equal(t0) {
		t.Errorf("the event is %+v", e)
	}
	close(goOn)
	wantStatus(t, wait(t, ended, "the end"), run.Completed)
	var kinds []string
	for i, e := range r.journal() {
		if e.Seq != uint64(i+1) {
			t.Errorf("event %d has number %d", i+1, e.Seq)
		}
		kinds = append(kinds, string(e.Kind))
	}
	want := "turn_started stage_started tool_started tool_completed stage_completed transition checkpoint stage_started stage_completed transition checkpoint turn_completed"
	if got := strings.Join(kinds, " "); got != want {
		t.Errorf("the journal is\n%s\nwant\n%s", got, want)
	}
	if got, want := tell(r.events()), tell(r.journal()); got != want {
		t.Errorf("subscribers saw\n%s\nthe disk has\n%s", got, want)
	}
}

func TestNavigator_N41_OnlyEdgesMakeStagesRunAtOnce(t *testing.T) {
	l := newLab()
	wantStatus(t, newRig(t).start(build(t, graph.Spec{
		Stages: []graph.Stage{l.stage("a"), l.stage("b"), l.stage("c"), l.stage("d")}, Edges: chain("a", "b", "c", "d")})), run.Completed)
	if l.peak != 1 {
		t.Errorf("%d stages of a chain ran at once", l.peak)
	}
	l = newLab()
	meet := together(4)
	wantStatus(t, newRig(t).start(build(t, graph.Spec{
		Stages: []graph.Stage{l.stage("a"), l.stage("b", meet), l.stage("c", meet), l.stage("d", meet), l.stage("e", meet), l.stage("join")},
		Edges:  fan("a", "join", "b", "c", "d", "e")})), run.Completed)
	if l.peak != 4 {
		t.Errorf("%d of four branches ran at once", l.peak)
	}
}

func TestSnapshot_IsTheStateBeforeTheSuperStep(t *testing.T) {
	word := graph.Value[string]("word")
	read := make(chan string, 2)
	reads := func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
		read <- word.Get(task.State)
		return graph.Result{}, nil
	}
	l := newLab()
	g := build(t, graph.Spec{Channels: []graph.AnyChannel{word}, Edges: fan("a", "d", "b", "c"), Stages: []graph.Stage{
		l.stage("a", sets(word.Set("first"))), l.stage("b", sets(word.Set("second"))), l.stage("c", reads), l.stage("d", reads)}})
	out := newRig(t).start(g)
	wantStatus(t, out, run.Completed)
	if got := []string{<-read, <-read}; !slices.Equal(got, []string{"first", "second"}) {
		t.Errorf("the branch and the join read %v", got)
	}
	values, err := out.State.Values()
	must(t, err)
	if string(values["word"]) != `"second"` || string(values["done"]) != `["a","b","c","d"]` {
		t.Errorf("values are %s", values)
	}
}

func TestChannel_OfAnInterfaceMayHoldNothing(t *testing.T) {
	free := graph.Value[any]("free")
	l := newLab()
	g := build(t, graph.Spec{Channels: []graph.AnyChannel{free}, Edges: chain("a", "b"), Stages: []graph.Stage{
		l.stage("a", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
			if free.Get(task.State) != nil {
				return graph.Result{}, errors.New("it holds something")
			}
			return graph.Result{Patch: graph.Patch{free.Set(nil)}}, nil
		}), l.stage("b", asks("q"))}})
	r := newRig(t)
	wantStatus(t, r.start(g), run.Paused)
	out := r.resume(g, "q", "1")
	wantStatus(t, out, run.Completed)
	if free.Get(out.State) != nil {
		t.Error("it holds something")
	}
}

func TestSafetyEdge_IsExclusiveAndComesBeforeAStagesChoice(t *testing.T) {
	for name, c := range map[string]struct {
		danger   bool
		resolver string
		want     map[graph.StageID]int
	}{
		"danger overrides the choice":    {true, "safety", map[graph.StageID]int{"help": 1, "chat": 0, "plain": 0}},
		"without danger the choice wins": {false, "goto", map[graph.StageID]int{"help": 0, "chat": 1, "plain": 0}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab()
			first := l.stage("a", func(context.Context, *graph.Task, int) (graph.Result, error) {
				return graph.Result{Patch: graph.Patch{hijacked.Set(c.danger)}, Goto: "chat"}, nil
			})
			g := build(t, graph.Spec{Channels: []graph.AnyChannel{hijacked, failed}, Stages: []graph.Stage{first, l.stage("plain"), l.stage("help"), l.stage("chat")},
				Conditions: []graph.Condition{graph.When("danger", hijacked).AsSafety(), graph.Unless("fine", failed)},
				Edges: []graph.Edge{edge(graph.Start, "a", graph.Entry), onlyIf("a", "chat", "fine"), onlyIf("a", "help", "danger"), edge("a", "plain", graph.Sequence),
					edge("help", graph.End, graph.Exit), edge("chat", graph.End, graph.Exit), edge("plain", graph.End, graph.Exit)}})
			r := newRig(t)
			wantStatus(t, r.start(g), run.Completed)
			l.wants(t, c.want)
			for _, e := range r.journal() {
				if e.Kind == journal.Transition && e.From == "a" && e.Resolver != c.resolver {
					t.Errorf("decided by %s", e.Resolver)
				}
			}
		})
	}
}
