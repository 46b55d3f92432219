package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/engine/run/bench"
)

var (
	notes = graph.Keyed("context")
	talk  = graph.Append[string]("talk")
)

// spec is a graph with a context and a history that goes on after failures.
func spec(edges []graph.Edge, stages ...graph.Stage) graph.Spec {
	return graph.Spec{Agent: "test", Tolerant: true, Context: notes, Channels: []graph.AnyChannel{talk}, Stages: stages, Edges: edges,
		History: graph.HistoryOf(talk, func(s string) bool { return strings.HasPrefix(s, "system") })}
}

// says returns the JSON as the stage's output.
func says(output string) doing {
	return func(context.Context, *graph.Task, int) (graph.Result, error) {
		return graph.Result{Output: json.RawMessage(output), Route: graph.RouteOf(json.RawMessage(output))}, nil
	}
}

func flagged(st graph.Stage, f graph.Flag) graph.Stage { st.Flags |= f; return st }

func with(st graph.Stage, change func(*graph.Stage)) graph.Stage { change(&st); return st }

func value(out run.Outcome, key string) string { return string(notes.Get(out.State)[key]) }

// ways are the transitions of the journal as "from→to by resolver".
func ways(r *rig) []string {
	var out []string
	for _, e := range r.journal() {
		if e.Kind == journal.Transition {
			out = append(out, fmt.Sprintf("%s→%s by %s", e.From, e.To, e.Resolver))
		}
	}
	return out
}

func wantList(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// diary is where hooks and stages of a test write what happened.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) add(line string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, line)
}

func (d *diary) all() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.lines)
}

func TestReasoner_R05_AGraphIsNotSharedBetweenRuns(t *testing.T) {
	r := newRig(t)
	g := build(t, growing(newLab()))
	before := g.Fingerprint()
	out := r.start(g)
	wantStatus(t, out, run.Completed)
	if g.Fingerprint() != before || len(g.Manifest().Stages) != 1 {
		t.Error("a run's change of the graph changed the agent's graph")
	}
	if out.Run.Fingerprint == before || len(out.Run.Mutations) != 3 {
		t.Errorf("the run's own graph did not change: %+v", out.Run.Mutations)
	}
}

func TestReasoner_R08_RunsUntilTheEnd(t *testing.T) {
	r, l := newRig(t), newLab()
	out := r.start(build(t, spec(chain("a", "b", "c"), l.stage("a"), l.stage("b"), l.stage("c"))))
	wantStatus(t, out, run.Completed)
	isDone(t, out, "a", "b", "c")
}

func TestReasoner_R09_ChoosingAMissingStageIsAnErrorThatEndsTheRun(t *testing.T) {
	r, l := newRig(t), newLab()
	out := r.start(build(t, spec(chain("a", "b"), l.stage("a", chooses("nowhere")), l.stage("b"))))
	wantStatus(t, out, run.Failed)
	if out.Err == nil || !strings.Contains(out.Err.Error(), `"nowhere"`) {
		t.Errorf("the error does not name the stage: %v", out.Err)
	}
	l.wants(t, map[graph.StageID]int{"b": 0})
}

func TestReasoner_R10_HooksFlagsStageFlagsHooksTransition(t *testing.T) {
	r, d := newRig(t), &diary{}
	r.tap = func(e journal.Event) {
		switch e.Kind {
		case journal.StageOutput, journal.StageCompleted, journal.Transition:
			d.add(string(e.Kind))
		}
	}
	st := graph.Stage{ID: "a", Flags: graph.Lightweight | graph.Verbose, Run: func(_ context.Context, t *graph.Task) (graph.Result, error) {
		d.add(fmt.Sprintf("run, light %v", t.Light))
		return graph.Result{Output: json.RawMessage(`"x"`)}, nil
	}}
	s := spec(chain("a"), st)
	s.Hooks = []graph.Hooks{{Name: "h", PreStage: func(_ context.Context, t *graph.Task) (graph.Patch, error) {
		d.add("pre_node")
		return nil, nil
	}, PostStage: func(context.Context, *graph.Task, *graph.Result) error { d.add("post_node"); return nil }}}
	wantStatus(t, r.start(build(t, s)), run.Completed)
	got := d.all()
	// The journal reaches subscribers from the writer; its own order is fixed.
	var work, told []string
	for _, line := range got {
		if strings.Contains(line, "node") || strings.Contains(line, "run") {
			work = append(work, line)
		} else {
			told = append(told, line)
		}
	}
	wantList(t, "around the stage", work, "pre_node", "run, light true", "post_node")
	wantList(t, "in the journal", told, "stage_output", "stage_completed", "transition")
}

func TestReasoner_R11_SkippedAndCachedResultsReachTheFlagsAfterButNotSummaryAndValidation(t *testing.T) {
	r, l, d := newRig(t), newLab(), &diary{}
	long := `"` + strings.Repeat("x", 1200) + `"`
	a := with(l.stage("a", says(long)), func(s *graph.Stage) {
		s.Flags = graph.Cacheable | graph.Observable | graph.SummarizeOutput | graph.ValidateOutput
		s.Output, s.OutputSchema = "out", json.RawMessage(`{"type":"string"}`)
	})
	again := graph.Stage{ID: "loop", Run: func(_ context.Context, t *graph.Task) (graph.Result, error) {
		if len(done.Get(t.State)) < 2 {
			return graph.Result{Goto: "a", Patch: graph.Patch{done.Add("loop")}}, nil
		}
		return graph.Result{}, nil
	}}
	s := spec(chain("a", "loop"), a, again)
	s.Summarize = func(context.Context, *graph.Task, string) (string, error) { d.add("summary"); return "short", nil }
	s.Hooks = []graph.Hooks{{OnObservable: func(_ context.Context, _ *graph.Task, m graph.Metrics) { d.add(fmt.Sprintf("cached %v", m.Cached)) }}}
	out := r.start(build(t, s))
	wantStatus(t, out, run.Completed)
	wantList(t, "flags after", d.all(), "cached false", "summary", "cached true")
	l.wants(t, map[graph.StageID]int{"a": 1})
	if value(out, "out") != `"short"` || value(out, "a_output") != long {
		t.Error("the cached output is not what was written first")
	}
}

func TestReasoner_R12_AHookCanEndTheGraph(t *testing.T) {
	r, l := newRig(t), newLab()
	s := spec(chain("a", "b"), l.stage("a"), l.stage("b"))
	s.Hooks = []graph.Hooks{{PostStage: func(_ context.Context, _ *graph.Task, res *graph.Result) error {
		res.Goto, res.Reason = graph.End, "that is enough"
		return nil
	}}}
	out := r.start(build(t, s))
	wantStatus(t, out, run.Completed)
	isDone(t, out, "a")
	wantList(t, "ways", ways(r), "a→end by goto")
}

// TestReasoner_R14_TheOrderOfTheTransitionChain gives a stage every reason at once
// and takes the strongest away one by one.
func TestReasoner_R14_TheOrderOfTheTransitionChain(t *testing.T) {
	danger := graph.Value[bool]("danger")
	reasons := []string{"safety", "again", "route", "goto", "terminal", "conditional", "match", "static", "end"}
	for i, want := range reasons {
		t.Run(want, func(t *testing.T) {
			r, l := newRig(t), newLab()
			has := func(reason string) bool { return slices.Index(reasons, reason) >= i }
			st := with(l.stage("a", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
				var res graph.Result
				if has("safety") {
					res.Patch = graph.Patch{danger.Set(true)}
				}
				if has("again") && task.Round == 0 {
					res.Reenter = "tool_calls_present"
				}
				if has("route") {
					res.Output = json.RawMessage(`{"route":"by_route","n":1}`)
					res.Route = graph.RouteOf(res.Output)
				} else if has("match") {
					res.Output = json.RawMessage(`"yes"`)
				}
				if has("goto") {
					res.Goto = "by_goto"
				}
				return res, nil
			}), func(s *graph.Stage) { s.MayEnd = true })
			if has("terminal") {
				st.Flags = graph.Terminal
			}
			stages := []graph.Stage{st}
			edges := []graph.Edge{edge(graph.Start, "a", graph.Entry)}
			add := func(e graph.Edge) {
				edges = append(edges, e, edge(e.To, graph.End, graph.Exit))
				stages = append(stages, l.stage(e.To))
			}
			s := graph.Spec{}
			add(onlyIf("a", "by_safety", "danger"))
			add(edge("a", "by_route", graph.Choice))
			add(edge("a", "by_goto", graph.Choice))
			if has("conditional") {
				add(onlyIf("a", "by_conditional", "always"))
			}
			if has("match") {
				add(graph.Edge{From: "a", To: "by_match", Type: graph.Match, Match: "yes"})
			}
			if has("static") {
				add(edge("a", "by_static", graph.Sequence))
			}
			s = spec(edges, stages...)
			s.Channels = append(s.Channels, danger)
			s.Conditions = []graph.Condition{graph.When("danger", danger).AsSafety(),
				graph.WhenKey("always", notes, "k", "always", func(json.RawMessage) bool { return true })}
			wantStatus(t, r.start(build(t, s)), run.Completed)
			got := ways(r)
			to := "by_" + want
			switch want {
			case "again":
				to = "a"
			case "terminal", "end":
				to = "end"
			}
			if got[0] != fmt.Sprintf("a→%s by %s", to, want) {
				t.Errorf("first way is %q, want by %s", got[0], want)
			}
			if want == "again" && r.journal()[2].Reason == "" {
				for _, e := range r.journal() {
					if e.Resolver == "again" && e.Reason != "tool_calls_present" {
						t.Errorf("the reason is %q", e.Reason)
					}
				}
			}
		})
	}
}

func TestReasoner_R15_AnOutputsRouteOnlyLeadsToAStageThatIsThere(t *testing.T) {
	for output, want := range map[string]string{
		`{"route":"b"}`: "b by route", `{"_next":"b"}`: "b by route", `{"goto":"b"}`: "b by route",
		`{"route":"nowhere"}`: "c by static", `{"route":7}`: "c by static", `"b"`: "c by static",
	} {
		r, l := newRig(t), newLab()
		edges := append(chain("a", "c"), edge("a", "b", graph.Choice), edge("b", graph.End, graph.Exit))
		wantStatus(t, r.start(build(t, spec(edges, l.stage("a", says(output)), l.stage("b"), l.stage("c")))), run.Completed)
		if got := ways(r)[0]; got != "a→"+want {
			t.Errorf("%s leads %s, want %s", output, got, want)
		}
	}
}

func TestReasoner_R17_ConditionalEdgesGoByDescendingPriority(t *testing.T) {
	r, l := newRig(t), newLab()
	low, high, same := onlyIf("a", "low", "yes"), onlyIf("a", "high", "yes"), onlyIf("a", "same", "yes")
	low.Priority, high.Priority, same.Priority = 1, 9, 9
	edges := []graph.Edge{edge(graph.Start, "a", graph.Entry), low, high, same}
	var stages []graph.Stage
	for _, id := range []graph.StageID{"low", "high", "same"} {
		edges = append(edges, edge(id, graph.End, graph.Exit))
		stages = append(stages, l.stage(id))
	}
	s := spec(edges, append(stages, with(l.stage("a", says(`"7"`)), func(s *graph.Stage) { s.Output, s.MayEnd = "k", true }))...)
	s.Conditions = []graph.Condition{graph.WhenKey("yes", notes, "k", "is 7", func(v json.RawMessage) bool { return string(v) == `"7"` })}
	wantStatus(t, r.start(build(t, s)), run.Completed)
	if got := ways(r)[0]; got != "a→high by conditional" {
		t.Errorf("went %s", got)
	}
}

func TestReasoner_R18_TheTransitionsTableMatchesTheOutput(t *testing.T) {
	for output, want := range map[string]string{`"revise"`: "b", `true`: "c", `"other"`: "d"} {
		r, l := newRig(t), newLab()
		edges := append(chain("a", "d"), graph.Edge{From: "a", To: "b", Type: graph.Match, Match: "revise"}, edge("b", graph.End, graph.Exit),
			graph.Edge{From: "a", To: "c", Type: graph.Match, Match: "true"}, edge("c", graph.End, graph.Exit))
		wantStatus(t, r.start(build(t, spec(edges, l.stage("a", says(output)), l.stage("b"), l.stage("c"), l.stage("d")))), run.Completed)
		if got := ways(r)[0]; !strings.HasPrefix(got, "a→"+want) {
			t.Errorf("%s leads %s, want %s", output, got, want)
		}
	}
}

func TestReasoner_R20_AStageThatMayEndEndsWhereNothingLeadsOn(t *testing.T) {
	r, l := newRig(t), newLab()
	st := l.stage("a")
	st.MayEnd = true
	wantStatus(t, r.start(build(t, spec([]graph.Edge{edge(graph.Start, "a", graph.Entry)}, st))), run.Completed)
	wantList(t, "ways", ways(r), "a→end by end")
}

func TestReasoner_R24_AStagesOwnLimitIsATypedOutcomeThatGoesOnWithMore(t *testing.T) {
	r, l := newRig(t), newLab()
	g := build(t, spec(chain("a"), l.stage("a", func(_ context.Context, task *graph.Task, nth int) (graph.Result, error) {
		if limit := task.Limit("tries", 2); task.Round >= limit {
			return graph.Result{Reached: &graph.Reached{Name: "tries", Max: limit}}, nil
		}
		if task.Round < 3 {
			return graph.Result{Reenter: "not yet"}, nil
		}
		return graph.Result{}, nil
	})))
	out := r.start(g)
	wantStatus(t, out, run.Limited)
	if out.Run.Limit != "tries" {
		t.Errorf("the limit is %q", out.Run.Limit)
	}
	r.cold()
	_, err := r.x.Resume(context.Background(), g, run1, run.Resumption{MoreSteps: 5})
	wantErr(t, err, run.ErrLimit)
	out, err = r.x.Resume(context.Background(), g, run1, run.Resumption{More: graph.Limits{Own: map[string]int{"tries": 2}}})
	must(t, err)
	wantStatus(t, out, run.Completed)
	l.wants(t, map[graph.StageID]int{"a": 5}) // rounds 0 to 2, where it stopped, and on from there
}

func TestReasoner_R40_AVisitSpansItsToolLoop(t *testing.T) {
	r, l, d := newRig(t), newLab(), &diary{}
	made := 0
	a := with(l.stage("a", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
		v, err := task.Memo("prompt", func() (any, error) { made++; return made, nil })
		d.add(fmt.Sprintf("round %d memo %v", task.Round, v))
		if task.Round < 2 {
			return graph.Result{Reenter: "tool_calls_present"}, err
		}
		return graph.Result{Output: json.RawMessage(`"final"`)}, err
	}), func(s *graph.Stage) { s.Flags, s.Output = graph.Observable, "out" })
	back := l.stage("b", func(_ context.Context, _ *graph.Task, nth int) (graph.Result, error) {
		if nth == 1 {
			return graph.Result{Goto: "a"}, nil
		}
		return graph.Result{}, nil
	})
	s := spec(chain("a", "b"), a, back)
	s.Hooks = []graph.Hooks{{
		PreStage: func(_ context.Context, t *graph.Task) (graph.Patch, error) {
			d.add("pre " + string(t.Stage))
			return nil, nil
		},
		PostStage: func(_ context.Context, t *graph.Task, _ *graph.Result) error {
			d.add("post " + string(t.Stage))
			return nil
		},
		OnObservable: func(_ context.Context, _ *graph.Task, m graph.Metrics) { d.add("observed " + string(m.Stage)) },
	}}
	wantStatus(t, r.start(build(t, s)), run.Completed)
	visit := func(memo int) []string {
		return []string{"pre a", fmt.Sprintf("round 0 memo %d", memo), fmt.Sprintf("round 1 memo %d", memo), fmt.Sprintf("round 2 memo %d", memo),
			"observed a", "post a", "pre b", "post b"}
	}
	wantList(t, "two visits", d.all(), append(visit(1), visit(2)...)...)
}

func TestReasoner_R41_TheOutputGoesToItsKeyAndTheRawOneBesideIt(t *testing.T) {
	r, l := newRig(t), newLab()
	a := with(l.stage("a", says(`{"n":1}`)), func(s *graph.Stage) { s.Output = "answer" })
	out := r.start(build(t, spec(chain("a"), a)))
	wantStatus(t, out, run.Completed)
	if value(out, "answer") != `{"n":1}` || value(out, "a_output") != `{"n":1}` {
		t.Errorf("context is %v", notes.Get(out.State))
	}
}

func TestReasoner_R46_NewEdgesLeadOnAtOnce(t *testing.T) {
	r := newRig(t)
	wantStatus(t, r.start(build(t, growing(newLab()))), run.Completed)
	wantList(t, "ways", ways(r), "a→added by goto", "added→end by static")
}

// TestReasoner_R48_TheOrderOfTheFlagsBefore gives a stage all flags that could
// act before it and takes the first away one by one.
func TestReasoner_R48_TheOrderOfTheFlagsBefore(t *testing.T) {
	all := graph.SkipOnError | graph.Cacheable | graph.NoHistory | graph.IsolatedContext | graph.Lightweight | graph.RequiresHuman
	start := func(t *testing.T, f graph.Flag, filled bool) (*rig, run.Outcome, *diary) {
		r, l, d := newRig(t), newLab(), &diary{}
		first := l.stage("first", func(context.Context, *graph.Task, int) (graph.Result, error) {
			return graph.Result{}, errBroken
		})
		b := with(l.stage("b", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
			d.add(fmt.Sprintf("ran light=%v history=%v context=%d", task.Light, talk.Get(task.State), len(task.Context())))
			return graph.Result{Output: json.RawMessage(`"b"`)}, nil
		}), func(s *graph.Stage) { s.Flags, s.Inputs, s.Output = f, []string{"in"}, "out" })
		fill := l.stage("fill", func(context.Context, *graph.Task, int) (graph.Result, error) {
			return graph.Result{Patch: graph.Patch{notes.Put("in", json.RawMessage(`1`)), notes.Put("other", json.RawMessage(`2`)), talk.Add("system: be brief", "hello")}}, nil
		})
		back := l.stage("back", func(_ context.Context, _ *graph.Task, nth int) (graph.Result, error) {
			if filled && nth == 1 {
				return graph.Result{Goto: "first"}, nil
			}
			return graph.Result{}, nil
		})
		out := r.start(build(t, spec(chain("fill", "first", "b", "back"), fill, first, b, back)))
		return r, out, d
	}
	t.Run("skip comes first", func(t *testing.T) {
		r, out, d := start(t, all, false)
		wantStatus(t, out, run.Completed)
		if len(d.all()) != 0 || r.count(journal.StageSkipped, "b") != 1 {
			t.Errorf("the stage was not skipped: %v", d.all())
		}
	})
	t.Run("then the cache", func(t *testing.T) {
		// Without a person there is no output to be cached; so let it run once without asking.
		r, out, d := start(t, all&^graph.SkipOnError&^graph.RequiresHuman, true)
		wantStatus(t, out, run.Completed)
		if len(d.all()) != 1 || r.count(journal.StageCompleted, "b") != 2 {
			t.Errorf("the stage was not taken from the cache: %v", d.all())
		}
	})
	t.Run("the view is narrowed before a person is asked", func(t *testing.T) {
		_, out, d := start(t, all&^graph.SkipOnError, false)
		wantStatus(t, out, run.Paused)
		if len(d.all()) != 0 {
			t.Error("the stage ran before a person let it")
		}
		var ask struct {
			Inputs map[string]json.RawMessage `json:"inputs"`
		}
		must(t, json.Unmarshal(out.Pauses[0].Data, &ask))
		if len(ask.Inputs) != 1 {
			t.Errorf("the person is shown %v", ask.Inputs)
		}
		wantList(t, "nothing ran", d.all())
	})
	t.Run("then the stage", func(t *testing.T) {
		_, out, d := start(t, all&^graph.SkipOnError&^graph.RequiresHuman, false)
		wantStatus(t, out, run.Completed)
		wantList(t, "what it saw", d.all(), "ran light=true history=[system: be brief] context=1")
	})
}

func TestReasoner_R48_AFailureBeforeComesBeforeTheCacheAndTheCacheBeforeAPerson(t *testing.T) {
	r, l := newRig(t), newLab()
	first := l.stage("first", func(_ context.Context, _ *graph.Task, nth int) (graph.Result, error) {
		if nth == 3 {
			return graph.Result{}, errBroken
		}
		return graph.Result{}, nil
	})
	b := with(l.stage("b", says(`"b"`)), func(s *graph.Stage) {
		s.Flags, s.Output = graph.SkipOnError|graph.Cacheable|graph.RequiresHuman, "out"
	})
	back := l.stage("back", func(_ context.Context, _ *graph.Task, nth int) (graph.Result, error) {
		if nth < 3 {
			return graph.Result{Goto: "first"}, nil
		}
		return graph.Result{}, nil
	})
	g := build(t, spec(chain("first", "b", "back"), first, b, back))
	out := r.start(g)
	wantStatus(t, out, run.Paused)
	wantStatus(t, r.resume(g, out.Pauses[0].ID, `{"approved":true}`), run.Completed)
	var told []string
	for _, e := range r.journal() {
		if e.Stage == "b" && (e.Kind == journal.StagePaused || e.Kind == journal.StageSkipped || e.Kind == journal.StageCompleted) {
			told = append(told, strings.TrimSpace(string(e.Kind)+" "+e.Status))
		}
	}
	wantList(t, "three visits of b", told, "stage_paused", "stage_completed", "stage_completed cached", "stage_skipped")
	l.wants(t, map[graph.StageID]int{"b": 1})
}

func TestReasoner_R49_CacheablesAreKeptByTheValuesOfTheirInputs(t *testing.T) {
	r, l := newRig(t), newLab()
	in := l.stage("in", func(_ context.Context, _ *graph.Task, nth int) (graph.Result, error) {
		return graph.Result{Patch: graph.Patch{notes.Put("x", json.RawMessage([]string{`1`, `1`, `2`}[nth-1]))}}, nil
	})
	a := with(l.stage("a", says(`"out"`)), func(s *graph.Stage) { s.Flags, s.Inputs, s.Output = graph.Cacheable, []string{"x"}, "y" })
	back := l.stage("back", func(_ context.Context, _ *graph.Task, nth int) (graph.Result, error) {
		if nth < 3 {
			return graph.Result{Goto: "in"}, nil
		}
		return graph.Result{}, nil
	})
	wantStatus(t, r.start(build(t, spec(chain("in", "a", "back"), in, a, back))), run.Completed)
	l.wants(t, map[graph.StageID]int{"a": 2})
}

func TestReasoner_R47_TheCacheIsInTheRunsStateAndSurvivesARestart(t *testing.T) {
	r, l := newRig(t), newLab()
	a := with(l.stage("a", says(`"out"`)), func(s *graph.Stage) { s.Flags, s.Output = graph.Cacheable, "y" })
	ask := l.stage("ask", asks("q"))
	back := l.stage("back", func(_ context.Context, _ *graph.Task, nth int) (graph.Result, error) {
		if nth == 1 {
			return graph.Result{Goto: "a"}, nil
		}
		return graph.Result{}, nil
	})
	g := build(t, spec(chain("a", "ask", "back"), a, ask, back))
	wantStatus(t, r.start(g), run.Paused)
	r.cold()
	out := r.resume(g, "q", "1")
	wantStatus(t, out, run.Paused) // it asks again in the second round
	l.wants(t, map[graph.StageID]int{"a": 1})
}

func TestReasoner_R50_NoHistoryShowsFixedEntriesAndWhatTheVisitAddedAndRestoresTheRest(t *testing.T) {
	r, l, d := newRig(t), newLab(), &diary{}
	first := l.stage("first", sets(talk.Add("system: rules", "user: hello")))
	a := with(l.stage("a", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
		d.add(fmt.Sprint(talk.Get(task.State)))
		if task.Round == 0 {
			return graph.Result{Reenter: "tool_calls_present", Patch: graph.Patch{talk.Add("call")}}, nil
		}
		return graph.Result{Patch: graph.Patch{talk.Add("answer")}}, nil
	}), func(s *graph.Stage) { s.Flags = graph.NoHistory })
	out := r.start(build(t, spec(chain("first", "a"), first, a)))
	wantStatus(t, out, run.Completed)
	wantList(t, "what it saw", d.all(), "[system: rules]", "[system: rules call]")
	wantList(t, "the whole history", talk.Get(out.State), "system: rules", "user: hello", "call", "answer")
}

func TestReasoner_R51_IsolatedContextSeesItsInputsAndKeepsItsOutput(t *testing.T) {
	r, l, d := newRig(t), newLab(), &diary{}
	first := l.stage("first", sets(notes.Put("in", json.RawMessage(`1`)), notes.Put("secret", json.RawMessage(`2`))))
	a := with(l.stage("a", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
		_, sees := task.Input("secret")
		d.add(fmt.Sprint(len(task.Context()), sees))
		return graph.Result{Output: json.RawMessage(`"o"`), Patch: graph.Patch{notes.Put("secret", json.RawMessage(`3`)), notes.Put("new", json.RawMessage(`4`))}}, nil
	}), func(s *graph.Stage) { s.Flags, s.Inputs, s.Output = graph.IsolatedContext, []string{"in"}, "out" })
	out := r.start(build(t, spec(chain("first", "a"), first, a)))
	wantStatus(t, out, run.Completed)
	wantList(t, "what it saw", d.all(), "1 false")
	if value(out, "secret") != "2" || value(out, "new") != "" || value(out, "out") != `"o"` || value(out, "a_output") != `"o"` {
		t.Errorf("context is %v", notes.Get(out.State))
	}
}

func TestReasoner_R52_LightweightAsksForTheLightModelForThisStageOnly(t *testing.T) {
	r, d := newRig(t), &diary{}
	see := func(id graph.StageID, f graph.Flag) graph.Stage {
		return graph.Stage{ID: id, Flags: f, Run: func(_ context.Context, t *graph.Task) (graph.Result, error) {
			d.add(fmt.Sprint(t.Light))
			return graph.Result{}, nil
		}}
	}
	wantStatus(t, r.start(build(t, spec(chain("a", "b"), see("a", graph.Lightweight), see("b", 0)))), run.Completed)
	wantList(t, "light", d.all(), "true", "false")
}

func TestReasoner_R53_RequiresHumanPausesBeforeTheStageRuns(t *testing.T) {
	for answer, ran := range map[string]int{`{"approved":true}`: 1, `{"approved":false,"comment":"not today"}`: 0, `"yes"`: 0} {
		r, l, d := newRig(t), newLab(), &diary{}
		s := spec(chain("a"), flagged(l.stage("a"), graph.RequiresHuman))
		s.Hooks = []graph.Hooks{{OnHuman: func(_ context.Context, _ *graph.Task, p []graph.Pause) { d.add(p[0].Kind) }}}
		g := build(t, s)
		out := r.start(g)
		wantStatus(t, out, run.Paused)
		l.wants(t, map[graph.StageID]int{"a": 0})
		r.cold()
		out = r.resume(g, out.Pauses[0].ID, answer)
		wantStatus(t, out, run.Completed)
		l.wants(t, map[graph.StageID]int{"a": ran})
		wantList(t, "on_human_required", d.all(), "question")
		if ran == 0 && !strings.Contains(out.Run.Errors["a"], "rejected by a person") {
			t.Errorf("a no is told as %q", out.Run.Errors["a"])
		}
	}
}

func TestReasoner_R54_OnlyCriticalAborts(t *testing.T) {
	for _, critical := range []bool{false, true} {
		r, l := newRig(t), newLab()
		a := l.stage("a", breaks(9))
		if critical {
			a.Flags = graph.Critical
		}
		out := r.start(build(t, spec(chain("a", "b"), a, l.stage("b"))))
		if critical {
			wantStatus(t, out, run.Failed)
			wantErr(t, out.Err, errBroken)
			l.wants(t, map[graph.StageID]int{"b": 0})
			continue
		}
		wantStatus(t, out, run.Completed)
		l.wants(t, map[graph.StageID]int{"b": 1})
		if r.count(journal.StageFailed, "a") != 1 || out.Run.Errors["a"] == "" {
			t.Error("the failure is not told")
		}
	}
}

// TestReasoner_R59_TheOrderOfTheFlagsAfter lets every flag after the stage leave a trace.
func TestReasoner_R59_TheOrderOfTheFlagsAfter(t *testing.T) {
	r, l, d := newRig(t), newLab(), &diary{}
	long := `"` + strings.Repeat("x", 1200) + `"`
	a := with(l.stage("a", says(long)), func(s *graph.Stage) {
		s.Flags = graph.Verbose | graph.Observable | graph.SummarizeOutput | graph.ValidateOutput | graph.Cacheable
		s.Output, s.OutputSchema = "out", json.RawMessage(`{"type":"string","minLength":1000}`)
	})
	s := spec(chain("a"), a)
	s.Summarize = func(_ context.Context, task *graph.Task, _ string) (string, error) {
		task.Emit(journal.Event{Kind: journal.Warned, Reason: "summary"})
		return "short", nil
	}
	s.Hooks = []graph.Hooks{{PostStage: func(_ context.Context, task *graph.Task, res *graph.Result) error {
		task.Emit(journal.Event{Kind: journal.Warned, Reason: "post_node"})
		return nil
	}}}
	out := r.start(build(t, s))
	wantStatus(t, out, run.Completed)
	for _, e := range r.journal() {
		switch e.Kind {
		case journal.StageOutput, journal.Observed, journal.StageCompleted:
			d.add(string(e.Kind))
		case journal.Warned:
			d.add(e.Reason)
		}
	}
	wantList(t, "the order", d.all(), "stage_output", "observed", "summary", "post_node", "stage_completed")
	// The schema asks for 1,000 characters: validation judged the original.
	if value(out, "out") != `"short"` || value(out, "a_output") != long {
		t.Errorf("out is %.30s, a_output %.30s", value(out, "out"), value(out, "a_output"))
	}
}

func TestReasoner_R58_AResultIsCachedOnlyAfterItValidated(t *testing.T) {
	r, l := newRig(t), newLab()
	a := with(l.stage("a", func(_ context.Context, _ *graph.Task, nth int) (graph.Result, error) {
		return graph.Result{Output: json.RawMessage([]string{`"wrong"`, `7`, `8`}[nth-1])}, nil
	}), func(s *graph.Stage) {
		s.Flags, s.Output, s.OutputSchema = graph.Cacheable|graph.ValidateOutput, "out", json.RawMessage(`{"type":"number"}`)
	})
	back := l.stage("back", func(_ context.Context, _ *graph.Task, nth int) (graph.Result, error) {
		if nth < 3 {
			return graph.Result{Goto: "a"}, nil
		}
		return graph.Result{}, nil
	})
	out := r.start(build(t, spec(chain("a", "back"), a, back)))
	wantStatus(t, out, run.Completed)
	l.wants(t, map[graph.StageID]int{"a": 2}) // wrong, 7, and then from the cache
	if value(out, "out") != "7" {
		t.Errorf("out is %s", value(out, "out"))
	}
}

func TestReasoner_R60_ObservableTellsMetrics(t *testing.T) {
	r, l := newRig(t), newLab()
	a := flagged(l.stage("a", func(context.Context, *graph.Task, int) (graph.Result, error) {
		return graph.Result{Output: json.RawMessage(`"abc"`), Usage: graph.Usage{Tokens: 12}}, nil
	}), graph.Observable)
	wantStatus(t, r.start(build(t, spec(chain("a"), a))), run.Completed)
	for _, e := range r.journal() {
		if e.Kind == journal.Observed {
			var m graph.Metrics
			must(t, json.Unmarshal(e.Data, &m))
			if m.Usage.Tokens != 12 || m.OutputBytes != 5 || m.Stage != "a" {
				t.Errorf("metrics are %+v", m)
			}
			return
		}
	}
	t.Error("nothing was observed")
}

func TestReasoner_R61_OnlyOutputsAboveAThousandCharactersAreSummarised(t *testing.T) {
	for n, want := range map[int]bool{1000: false, 1001: true} {
		r, l := newRig(t), newLab()
		a := with(l.stage("a", says(`"`+strings.Repeat("ä", n)+`"`)), func(s *graph.Stage) { s.Flags, s.Output = graph.SummarizeOutput, "out" })
		s := spec(chain("a"), a)
		s.Summarize = func(context.Context, *graph.Task, string) (string, error) { return "short", nil }
		out := r.start(build(t, s))
		wantStatus(t, out, run.Completed)
		if got := value(out, "out") == `"short"`; got != want {
			t.Errorf("%d characters summarised: %v", n, got)
		}
	}
}

func TestReasoner_R61_ASummaryThatFailsLeavesTheOutput(t *testing.T) {
	r, l := newRig(t), newLab()
	long := `"` + strings.Repeat("x", 1200) + `"`
	a := with(l.stage("a", says(long)), func(s *graph.Stage) { s.Flags, s.Output = graph.SummarizeOutput, "out" })
	s := spec(chain("a"), a)
	s.Summarize = func(context.Context, *graph.Task, string) (string, error) { panic("no model") }
	out := r.start(build(t, s))
	wantStatus(t, out, run.Completed)
	if value(out, "out") != long || r.count(journal.Warned, "a") != 1 {
		t.Error("the output is gone, or nobody was told")
	}
}

func TestReasoner_R62_AnOutputThatDoesNotFollowItsSchemaFails(t *testing.T) {
	for _, critical := range []graph.Flag{0, graph.Critical} {
		r, l := newRig(t), newLab()
		a := with(l.stage("a", says(`"text"`)), func(s *graph.Stage) {
			s.Flags, s.OutputSchema = graph.ValidateOutput|critical, json.RawMessage(`{"type":"object"}`)
		})
		out := r.start(build(t, spec(chain("a", "b"), a, l.stage("b"))))
		if critical != 0 {
			wantStatus(t, out, run.Failed) // CRITICAL is looked at after validation too
			wantErr(t, out.Err, run.ErrOutput)
			continue
		}
		wantStatus(t, out, run.Completed)
		if out.Run.Errors["a"] == "" {
			t.Error("the failure is not told")
		}
	}
}

func TestReasoner_R63_OutputKeysFeedInputKeys(t *testing.T) {
	r, l, d := newRig(t), newLab(), &diary{}
	a := with(l.stage("a", says(`"found"`)), func(s *graph.Stage) { s.Output = "findings" })
	b := with(l.stage("b", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
		v, _ := task.Input("findings")
		d.add(string(v) + string(task.Context()[graph.OutputKey("a")]))
		return graph.Result{}, nil
	}), func(s *graph.Stage) { s.Inputs, s.Inherit = []string{"findings"}, []graph.StageID{"a"} })
	wantStatus(t, r.start(build(t, spec(chain("a", "b"), a, b))), run.Completed)
	wantList(t, "what b reads", d.all(), `"found""found"`)
}

func TestReasoner_R66_WhatLivesBesideARunIsNeverSharedOrKept(t *testing.T) {
	r := newRig(t)
	seen := make(chan string, 2)
	g := build(t, spec(chain("a"), graph.Stage{ID: "a", Run: func(_ context.Context, t *graph.Task) (graph.Result, error) {
		seen <- fmt.Sprintf("%s:%v", t.Run.ID, t.Dependencies)
		return graph.Result{}, nil
	}}))
	for _, id := range []string{"1", "2"} {
		_, err := r.x.Start(context.Background(), g, run.StartRequest{ID: graph.RunID(id), Session: ses1, Dependencies: "caller " + id})
		must(t, err)
	}
	for range 2 {
		if got := wait(t, seen, "a caller"); got != "1:caller 1" && got != "2:caller 2" {
			t.Errorf("a run saw %s", got)
		}
	}
	raw, err := json.Marshal(r.journal())
	must(t, err)
	if strings.Contains(string(raw), "caller") {
		t.Error("the caller is in the journal")
	}
}

func TestReasoner_R71_PreNodeMayChangeStateAndHooksRunInOrder(t *testing.T) {
	r, l, d := newRig(t), newLab(), &diary{}
	hook := func(name string) graph.Hooks {
		return graph.Hooks{Name: name, PreStage: func(context.Context, *graph.Task) (graph.Patch, error) {
			d.add("pre " + name)
			return graph.Patch{notes.Put(name, json.RawMessage(`1`))}, nil
		}, PostStage: func(_ context.Context, _ *graph.Task, res *graph.Result) error { d.add("post " + name); return nil }}
	}
	a := l.stage("a", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
		d.add(fmt.Sprint(len(task.Context())))
		return graph.Result{}, nil
	})
	s := spec(chain("a"), a)
	s.Hooks = []graph.Hooks{hook("x"), hook("y")}
	out := r.start(build(t, s))
	wantStatus(t, out, run.Completed)
	wantList(t, "the order", d.all(), "pre x", "pre y", "2", "post x", "post y")
	if value(out, "x") != "1" {
		t.Error("what the hook wrote is not kept")
	}
}

func TestReasoner_R72_PostNodeMayChangeTheResult(t *testing.T) {
	r, l := newRig(t), newLab()
	a := with(l.stage("a", says(`"rude"`)), func(s *graph.Stage) { s.Output = "out" })
	s := spec(chain("a"), a)
	s.Hooks = []graph.Hooks{{PostStage: func(_ context.Context, _ *graph.Task, res *graph.Result) error {
		res.Output = json.RawMessage(`"kind"`)
		return nil
	}}}
	out := r.start(build(t, s))
	wantStatus(t, out, run.Completed)
	if value(out, "out") != `"kind"` || value(out, "a_output") != `"rude"` {
		t.Errorf("context is %v", notes.Get(out.State))
	}
}

func TestReasoner_R78_AFailingOrPanickingHookNeverEndsARun(t *testing.T) {
	for name, fail := range map[string]func() error{"fails": func() error { return errBroken }, "panics": func() error { panic("oh") }} {
		t.Run(name, func(t *testing.T) {
			r, l := newRig(t), newLab()
			a := with(l.stage("a", says(`"x"`)), func(s *graph.Stage) { s.Flags, s.Output = graph.Observable, "out" })
			a.Run = func(run graph.Func) graph.Func {
				return func(ctx context.Context, task *graph.Task) (graph.Result, error) {
					use := graph.ToolUse{Tool: "t", Arguments: json.RawMessage(`{}`)}
					task.PreTool(ctx, &use)
					task.PostTool(ctx, &use)
					if string(use.Arguments) != `{}` {
						return graph.Result{}, errors.New("a hook that failed changed the arguments")
					}
					return run(ctx, task)
				}
			}(a.Run)
			s := spec(chain("a", "b"), a, l.stage("b", breaks(9)))
			s.Hooks = []graph.Hooks{{Name: "bad",
				PreStage:     func(context.Context, *graph.Task) (graph.Patch, error) { return nil, fail() },
				PostStage:    func(_ context.Context, _ *graph.Task, res *graph.Result) error { res.Goto = "nowhere"; return fail() },
				PreTool:      func(_ context.Context, _ *graph.Task, u *graph.ToolUse) error { u.Arguments = nil; return fail() },
				PostTool:     func(context.Context, *graph.Task, *graph.ToolUse) error { return fail() },
				OnObservable: func(context.Context, *graph.Task, graph.Metrics) { _ = fail(); panic("oh") },
				OnError:      func(context.Context, *graph.Task, error) { panic("oh") },
			}}
			wantStatus(t, r.start(build(t, s)), run.Completed)
			if n := r.count(journal.HookFailed, ""); n != 7 {
				t.Errorf("%d failures of hooks are told, want 7", n)
			}
		})
	}
}

func TestReasoner_R79_HooksRunTheSameWayWhileTheReplyStreams(t *testing.T) {
	order := func(stream bool) []string {
		r, d := newRig(t), &diary{}
		s := spec(chain("a"), graph.Stage{ID: "a", Run: func(_ context.Context, task *graph.Task) (graph.Result, error) {
			if stream {
				st := task.Stream("m")
				st.Write("hello")
				st.Close()
			}
			d.add("run")
			return graph.Result{}, nil
		}})
		for _, name := range []string{"x", "y"} {
			s.Hooks = append(s.Hooks, graph.Hooks{PreStage: func(context.Context, *graph.Task) (graph.Patch, error) { d.add("pre " + name); return nil, nil },
				PostStage: func(context.Context, *graph.Task, *graph.Result) error { d.add("post " + name); return nil }})
		}
		wantStatus(t, r.start(build(t, s)), run.Completed)
		return d.all()
	}
	wantList(t, "with a stream", order(true), order(false)...)
}

func TestReasoner_R80_TheStepLimitIsATypedOutcome(t *testing.T) {
	r, l := newRig(t), newLab()
	a := l.stage("a", func(context.Context, *graph.Task, int) (graph.Result, error) {
		return graph.Result{Reenter: "more"}, nil
	})
	s := spec(chain("a"), a)
	s.MaxSteps = 3
	g := build(t, s)
	out := r.start(g)
	wantStatus(t, out, run.Limited)
	if out.Run.Limit != graph.LimitSteps {
		t.Errorf("the limit is %q", out.Run.Limit)
	}
	r.cold()
	out, err := r.x.Resume(context.Background(), g, run1, run.Resumption{MoreSteps: 2})
	must(t, err)
	wantStatus(t, out, run.Limited)
	l.wants(t, map[graph.StageID]int{"a": 5})
}

func TestReasoner_R81_AStageEnteredTooOftenLeadsToItsErrorEdgeThenToTheErrorStageThenToTheLimit(t *testing.T) {
	loop := func(l *lab) graph.Stage {
		return l.stage("a", func(context.Context, *graph.Task, int) (graph.Result, error) {
			return graph.Result{Reenter: "more"}, nil
		})
	}
	t.Run("error edge", func(t *testing.T) {
		r, l := newRig(t), newLab()
		s := spec(append(chain("a"), edge("a", "help", graph.OnError), edge("help", graph.End, graph.Exit)), loop(l), l.stage("help"), l.stage("__error__"))
		s.Edges = append(s.Edges, edge("__error__", graph.End, graph.Exit))
		s.Limits.Visits = 4
		wantStatus(t, r.start(build(t, s)), run.Completed)
		l.wants(t, map[graph.StageID]int{"a": 4, "help": 1, "__error__": 0})
	})
	t.Run("error stage", func(t *testing.T) {
		r, l := newRig(t), newLab()
		s := spec(append(chain("a"), edge("__error__", graph.End, graph.Exit)), loop(l), l.stage("__error__"))
		s.Limits.Visits = 4
		wantStatus(t, r.start(build(t, s)), run.Completed)
		l.wants(t, map[graph.StageID]int{"a": 4, "__error__": 1})
	})
	t.Run("neither", func(t *testing.T) {
		r, l := newRig(t), newLab()
		s := spec(chain("a"), loop(l))
		s.Limits.Visits = 4
		g := build(t, s)
		out := r.start(g)
		wantStatus(t, out, run.Limited)
		if out.Run.Limit != graph.LimitVisits {
			t.Errorf("the limit is %q", out.Run.Limit)
		}
		r.cold() // a restart does not reset what was used
		out, err := r.x.Resume(context.Background(), g, run1, run.Resumption{More: graph.Limits{Visits: 2}})
		must(t, err)
		wantStatus(t, out, run.Limited)
		l.wants(t, map[graph.StageID]int{"a": 6})
	})
}

func TestReasoner_R82_TheTokenLimitPersistsWithTheRun(t *testing.T) {
	r, l := newRig(t), newLab()
	spend := func(id graph.StageID) graph.Stage {
		return l.stage(id, func(context.Context, *graph.Task, int) (graph.Result, error) {
			return graph.Result{Usage: graph.Usage{Tokens: 60, Cost: 0.5}}, nil
		})
	}
	s := spec(chain("a", "b", "c"), spend("a"), spend("b"), spend("c"))
	s.Limits.Tokens = 100
	g := build(t, s)
	out := r.start(g)
	wantStatus(t, out, run.Limited)
	if out.Run.Limit != graph.LimitTokens || out.Run.Used.Tokens != 120 || out.Run.Used.Cost != 1 {
		t.Errorf("%s %+v", out.Run.Limit, out.Run.Used)
	}
	r.cold()
	_, err := r.x.Resume(context.Background(), g, run1, run.Resumption{MoreSteps: 9})
	wantErr(t, err, run.ErrLimit)
	out, err = r.x.Resume(context.Background(), g, run1, run.Resumption{More: graph.Limits{Tokens: 100}})
	must(t, err)
	wantStatus(t, out, run.Completed)
	if out.Run.Used.Tokens != 180 {
		t.Errorf("used %+v", out.Run.Used)
	}
}

func TestReasoner_R83_ACycleEndsTheRun(t *testing.T) {
	r, l := newRig(t), newLab()
	edges := []graph.Edge{edge(graph.Start, "a", graph.Entry), edge("a", "b", graph.Sequence), edge("b", "a", graph.Sequence), edge("b", graph.End, graph.Choice)}
	s := spec(edges, l.stage("a"), l.stage("b"))
	s.Limits.Cycle = 3
	g := build(t, s)
	out := r.start(g)
	wantStatus(t, out, run.Limited)
	if out.Run.Limit != graph.LimitCycle {
		t.Errorf("the limit is %q", out.Run.Limit)
	}
	l.wants(t, map[graph.StageID]int{"a": 3, "b": 3})
	// A tool loop is no cycle: one visit counts once.
	r2, l2 := newRig(t), newLab()
	s2 := spec(chain("a"), l2.stage("a", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
		if task.Round < 8 {
			return graph.Result{Reenter: "tool_calls_present"}, nil
		}
		return graph.Result{}, nil
	}))
	s2.Limits.Cycle = 3
	wantStatus(t, r2.start(build(t, s2)), run.Completed)
}

func TestReasoner_R84_TimingOnlyMarksTheResult(t *testing.T) {
	r := newRig(t)
	now := t0
	var mu sync.Mutex
	r.x = run.NewExecutor(run.Options{Store: r.db, NewID: r.newID, OnToken: r.token, Now: func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}})
	a := graph.Stage{ID: "a", SoftTimeout: time.Millisecond, Flags: graph.Observable, Run: func(context.Context, *graph.Task) (graph.Result, error) { return graph.Result{}, nil }}
	wantStatus(t, r.start(build(t, spec(chain("a"), a))), run.Completed)
	if r.count(journal.Warned, "a") != 1 {
		t.Error("nobody was told that the stage took too long")
	}
}

func TestReasoner_R85_ACriticalErrorIsTheRunsError(t *testing.T) {
	r, l := newRig(t), newLab()
	out := r.start(build(t, spec(chain("a"), flagged(l.stage("a", breaks(9)), graph.Critical))))
	wantStatus(t, out, run.Failed)
	if out.Run.ErrorStage != "a" || out.Run.Error != errBroken.Error() {
		t.Errorf("%q %q", out.Run.ErrorStage, out.Run.Error)
	}
}

func TestReasoner_R86_RetryableWaitsLongerEachTime(t *testing.T) {
	r, l := newRig(t), newLab()
	var waits []string
	r.x = run.NewExecutor(run.Options{Store: r.db, Now: func() time.Time { return t0 }, NewID: r.newID, OnToken: r.token,
		Sleep: func(_ context.Context, d time.Duration) error { waits = append(waits, d.String()); return nil }})
	a := with(l.stage("a", breaks(7)), func(s *graph.Stage) { s.Flags, s.MaxRetries = graph.Retryable, 7 })
	out := r.start(build(t, spec(chain("a"), a)))
	wantStatus(t, out, run.Completed)
	wantList(t, "waits", waits, "500ms", "1s", "2s", "4s", "8s", "8s", "8s")
	l.wants(t, map[graph.StageID]int{"a": 8})
	if out.Run.Errors["a"] != "" {
		t.Error("what was retried and went well is told as a failure")
	}
	if err := graph.Validate(spec(chain("a"), acting(flagged(l.stage("a"), graph.Retryable)))); !errors.Is(err, graph.ErrFlag) {
		t.Errorf("a stage that acts may be retried: %v", err)
	}
}

// growing is a graph whose only stage adds another one and goes there.
func growing(l *lab) graph.Spec {
	a := l.stage("a", func(context.Context, *graph.Task, int) (graph.Result, error) {
		return graph.Result{Goto: "added", Mutations: []graph.Mutation{
			{Op: graph.AddStage, Stage: json.RawMessage(`"added"`), Reason: "a second look is needed"},
			{Op: graph.AddEdge, Edge: &graph.Edge{From: "a", To: "added", Type: graph.Choice}},
			{Op: graph.AddEdge, Edge: &graph.Edge{From: "added", To: graph.End, Type: graph.Exit}}}}, nil
	})
	s := spec(chain("a"), a)
	s.Grow = func(definition json.RawMessage) (graph.Stage, error) {
		var id string
		if err := json.Unmarshal(definition, &id); err != nil {
			return graph.Stage{}, err
		}
		if strings.HasPrefix(id, "ask") {
			return l.stage(graph.StageID(id), asks(id)), nil
		}
		return l.stage(graph.StageID(id)), nil
	}
	return s
}

func TestReasoner_R88_MutationsAreCheckedCountedJournalledAndAppliedAgainOnResume(t *testing.T) {
	ask := func(l *lab) graph.Spec {
		s := growing(l)
		s.Stages[0] = l.stage("a", func(context.Context, *graph.Task, int) (graph.Result, error) {
			return graph.Result{Goto: "ask1", Mutations: []graph.Mutation{{Op: graph.AddStage, Stage: json.RawMessage(`"ask1"`)},
				{Op: graph.AddEdge, Edge: &graph.Edge{From: "a", To: "ask1", Type: graph.Choice}},
				{Op: graph.AddEdge, Edge: &graph.Edge{From: "ask1", To: graph.End, Type: graph.Exit}}}}, nil
		})
		return s
	}
	t.Run("resume goes on with the graph of the run", func(t *testing.T) {
		r, l := newRig(t), newLab()
		g := build(t, ask(l))
		out := r.start(g)
		wantStatus(t, out, run.Paused)
		if n := r.count(journal.GraphMutated, "a"); n != 3 {
			t.Errorf("%d changes are told", n)
		}
		r.cold()
		out = r.resume(g, "ask1", "1")
		wantStatus(t, out, run.Completed)
		l.wants(t, map[graph.StageID]int{"a": 1, "ask1": 2})
		grown, err := g.Grown(out.Run.Mutations)
		must(t, err)
		if grown.Fingerprint() != out.Run.Fingerprint {
			t.Error("the fingerprint does not cover the changes")
		}
		m := grown.Manifest()
		if len(m.Stages) != 2 || !m.Stages[1].Added || m.Stages[0].Added {
			t.Errorf("the manifest does not say what was added: %+v", m.Stages)
		}
	})
	t.Run("a changed base refuses", func(t *testing.T) {
		r, l := newRig(t), newLab()
		wantStatus(t, r.start(build(t, ask(l))), run.Paused)
		other := ask(l)
		other.Stages = append(other.Stages, l.stage("x"))
		other.Edges = append(other.Edges, edge(graph.Start, "x", graph.Entry), edge("x", graph.End, graph.Exit))
		_, err := r.x.Resume(context.Background(), build(t, other), run1, run.Resumption{Answers: answerMap("ask1", "1")})
		wantErr(t, err, run.ErrTopology)
	})
	t.Run("no more than the limit", func(t *testing.T) {
		r, l := newRig(t), newLab()
		s := growing(l)
		s.Limits.Mutations = 2
		s.Stages[0].MayEnd = true
		out := r.start(build(t, s))
		wantStatus(t, out, run.Failed) // it chose a stage that was not added
		if n := r.count(journal.MutationRefused, "a"); n != 0 && len(out.Run.Mutations) != 0 {
			t.Errorf("%d refused, %d made", n, len(out.Run.Mutations))
		}
	})
	for name, bad := range map[string]graph.Mutation{
		"an edge to nowhere":      {Op: graph.AddEdge, Edge: &graph.Edge{From: "a", To: "ghost", Type: graph.Choice}},
		"a stage without a way":   {Op: graph.AddStage, Stage: json.RawMessage(`"island"`)},
		"a definition that is no": {Op: graph.AddStage, Stage: json.RawMessage(`{}`)},
		"an edge that is not":     {Op: graph.RemoveEdge, Edge: &graph.Edge{From: "a", To: "b"}},
		"the only way out":        {Op: graph.RemoveEdge, Edge: &graph.Edge{From: "a", To: graph.End}},
		"an unknown operation":    {Op: "explode"},
	} {
		t.Run(name, func(t *testing.T) {
			r, l := newRig(t), newLab()
			s := growing(l)
			s.Stages[0] = l.stage("a", func(context.Context, *graph.Task, int) (graph.Result, error) {
				return graph.Result{Mutations: []graph.Mutation{bad}}, nil
			})
			out := r.start(build(t, s))
			wantStatus(t, out, run.Completed)
			if r.count(journal.MutationRefused, "a") != 1 || len(out.Run.Mutations) != 0 {
				t.Errorf("made %+v", out.Run.Mutations)
			}
		})
	}
}

func TestReasoner_R77_AHookMayVetoAChangeAndOneThatFailsVetoes(t *testing.T) {
	for name, hook := range map[string]func(context.Context, *graph.Task, graph.Mutation) error{
		"says no": func(context.Context, *graph.Task, graph.Mutation) error { return errors.New("not here") },
		"panics":  func(context.Context, *graph.Task, graph.Mutation) error { panic("oh") },
	} {
		t.Run(name, func(t *testing.T) {
			r, l := newRig(t), newLab()
			s := growing(l)
			inner := s.Stages[0].Run
			s.Stages[0].Run = func(ctx context.Context, task *graph.Task) (graph.Result, error) {
				res, err := inner(ctx, task)
				res.Goto = ""
				return res, err
			}
			s.Hooks = []graph.Hooks{{Name: "guard", OnMutation: hook}}
			out := r.start(build(t, s))
			wantStatus(t, out, run.Completed)
			if r.count(journal.MutationRefused, "a") != 1 || len(out.Run.Mutations) != 0 {
				t.Errorf("made %+v", out.Run.Mutations)
			}
		})
	}
}

func TestReasoner_R87_RunsAtOnceDoNotShareLimits(t *testing.T) {
	r, l := newRig(t), newLab()
	s := spec(chain("a", "b"), l.stage("a", func(context.Context, *graph.Task, int) (graph.Result, error) {
		return graph.Result{Usage: graph.Usage{Tokens: 60}}, nil
	}), l.stage("b", func(context.Context, *graph.Task, int) (graph.Result, error) {
		return graph.Result{Usage: graph.Usage{Tokens: 30}}, nil
	}))
	s.Limits.Tokens = 100
	g := build(t, s)
	for i := range 3 {
		out, err := r.x.Start(context.Background(), g, run.StartRequest{ID: graph.RunID(fmt.Sprint(i)), Session: ses1})
		must(t, err)
		wantStatus(t, out, run.Completed)
	}
}

func TestReasoner_R82_TheTimeLimitEndsAStageThatHangs(t *testing.T) {
	r := newRig(t)
	r.grace = time.Second
	r.x = run.NewExecutor(run.Options{Store: r.db, Now: time.Now, NewID: r.newID, OnToken: r.token})
	s := spec(chain("a"), graph.Stage{ID: "a", Run: func(ctx context.Context, _ *graph.Task) (graph.Result, error) {
		select {
		case <-ctx.Done():
			return graph.Result{}, ctx.Err()
		case <-time.After(patience):
			return graph.Result{}, errors.New("nobody stopped it")
		}
	}})
	s.Limits.Time = 30 * time.Millisecond
	out := r.start(build(t, s))
	wantStatus(t, out, run.Limited)
	if out.Run.Limit != graph.LimitTime || len(out.Run.Frontier) != 1 {
		t.Errorf("%s %v", out.Run.Limit, out.Run.Frontier)
	}
}

func TestMemory_GivesTheSameJournalAsTheDisk(t *testing.T) {
	l := newLab()
	g := build(t, spec(fan("first", "join", "b", "c"), with(l.stage("first", says(`{"n":1}`)), func(s *graph.Stage) { s.Output, s.Quick = "out", true }),
		l.stage("b"), l.stage("c"), l.stage("join", asks("q"))))
	r := newRig(t)
	wantStatus(t, r.start(g), run.Paused)
	wantStatus(t, r.resume(g, "q", "1"), run.Completed)
	m := run.NewInMemory()
	x := run.NewExecutor(run.Options{Store: m, Now: func() time.Time { return t0 }, NewID: r.newID})
	out, err := x.Start(context.Background(), g, run.StartRequest{ID: run1, Session: ses1, Turn: "1", Input: "hello"})
	must(t, err)
	wantStatus(t, out, run.Paused)
	out, err = x.Resume(context.Background(), g, run1, run.Resumption{Answers: answerMap("q", "1")})
	must(t, err)
	wantStatus(t, out, run.Completed)
	// Which branch ends first is up to the machine.
	sorted := func(events []journal.Event) []string {
		lines := strings.Split(tell(events), "\n")
		slices.Sort(lines)
		return lines
	}
	wantList(t, "journal", sorted(m.Journal(ses1, 0)), sorted(r.journal())...)
	if _, err := x.Start(context.Background(), g, run.StartRequest{ID: run1, Session: ses1}); !errors.Is(err, run.ErrRunExists) {
		t.Errorf("a taken id: %v", err)
	}
}

// What a run costs in time is told by benchmarks; what it allocates is the same on
// every machine.
func TestReasoner_R89_ARunOfFiveStagesTakesUnderFortyAllocations(t *testing.T) {
	g, err := graph.New(bench.Chain(5))
	must(t, err)
	x := run.NewExecutor(run.Options{Store: run.NewInMemory(), Now: time.Now, NewID: func() string { return "id" }})
	ids := make([]graph.RunID, 300)
	for i := range ids {
		ids[i] = graph.RunID(fmt.Sprint(i))
	}
	n := 0
	allocs := testing.AllocsPerRun(200, func() {
		out, err := x.Start(context.Background(), g, run.StartRequest{ID: ids[n], Session: ses1, Turn: "1", Input: "hello"})
		n++
		if err != nil || out.Run.Status != run.Completed {
			t.Fatal(out.Run.Status, out.Err, err)
		}
	})
	if allocs >= 40 {
		t.Errorf("%.0f allocations", allocs)
	}
}
