package definition_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/definition"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
)

// plays lets the practice model answer, in a manner.
func (d *desk) plays(m model.Manner) {
	scripted := func() *model.Practice {
		return &model.Practice{Manner: m, Scripts: []model.Script{definition.Script()}}
	}
	d.live.Models = model.Set{Main: scripted(), Light: scripted()}
}

// count counts the events of a kind at a stage; "" is any.
func (d *desk) count(out run.Outcome, kind journal.Kind, stage string) (n int) {
	for _, e := range d.of(out, kind) {
		if stage == "" || string(e.Stage) == stage {
			n++
		}
	}
	return n
}

func TestPractice_StubbornLetsLoopsAndLimitsBeTried(t *testing.T) {
	d := newDesk(t)
	d.plays(model.Stubborn)
	out := d.status(d.run(d.pattern("verify"), "How many minutes are 3 hours? Use 3 * 60."), run.Completed)
	same(t, "the drafts", d.count(out, journal.StageCompleted, "rounds/verify"), 3)
	if !slices.ContainsFunc(d.of(out, journal.Warned), func(e journal.Event) bool { return strings.Contains(e.Reason, "used its 3 rounds") }) {
		t.Error("nobody says that the rounds were used up")
	}
	// It asks for the same again, and is given what it got before.
	same(t, "how often the same call was made", d.count(out, journal.ToolCompleted, "")+d.count(out, journal.ToolRefused, ""), 2)
	out = d.status(d.run(d.pattern("autonomous"), "Work out 12 * 37."), run.Limited)
	same(t, "the limit", out.Run.Limit, definition.LimitAutonomous)

	d.plays(model.Willing)
	out = d.status(d.run(d.pattern("verify"), "How many minutes are 3 hours? Use 3 * 60."), run.Completed)
	same(t, "the drafts of the willing one", d.count(out, journal.StageCompleted, "rounds/verify"), 1)
}

func TestPractice_WrongLetsRefusalsRetriesAndErrorWaysBeTried(t *testing.T) {
	d := newDesk(t)
	d.plays(model.Wrong)
	out := d.status(d.run(d.pattern("react"), "What is (17 + 4) * 2.5?"), run.Completed)
	same(t, "the refused calls", d.count(out, journal.ToolRefused, ""), 1)
	if !strings.Contains(out.Run.Output, "52.5") {
		t.Errorf("a refused call is not mended: %s", out.Run.Output)
	}

	out = d.status(d.run(d.def(`
name: sorted
nodes:
  - {name: sort, kind: router, choices: [{to: a, about: first}, {to: b, about: second}], default_next: b}
  - {name: a, kind: transform, template: way a}
  - {name: b, kind: plan, flags: [retryable], max_retries: 1, output: plan, default_next: c}
  - {name: c, kind: plan, on_error: d, default_next: a}
  - {name: d, kind: transform, template: "the plan of {{len .plan.steps}} steps stands"}
`), "Hello"), run.Completed)
	same(t, "the reply", out.Run.Output, "the plan of 3 steps stands")
	same(t, "the retries", d.count(out, journal.StageRetried, "b"), 1)
	sameList(t, "the failures", stages(d.of(out, journal.StageFailed)), []string{"c"})
}

func stages(events []journal.Event) (out []string) {
	for _, e := range events {
		out = append(out, string(e.Stage))
	}
	return out
}

func TestPractice_SlowWaitsBeforeEachAnswerAndEndsWithTheTurn(t *testing.T) {
	d := newDesk(t)
	waits, asked := 0, make(chan struct{}, 10)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	p := &model.Practice{Manner: model.Slow, Delay: func(ctx context.Context) error {
		if waits++; waits < 3 {
			return ctx.Err()
		}
		asked <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}}
	d.live.Models = model.Set{Main: p, Light: p}
	g := d.pattern("react")
	d.status(d.run(g, "Hello"), run.Completed)
	same(t, "the waits", waits, 1)
	waits = 2
	go func() { <-asked; stop() }()
	_, err := p.Chat(ctx, model.Request{Messages: []model.Message{{Role: "user", Text: "hi"}}}, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a stop does not end the wait: %v", err)
	}
}

func TestPractice_AMannerIsKnownByTheModelsName(t *testing.T) {
	for _, m := range append(model.Manners(), model.Willing) {
		info, err := (&model.Practice{Manner: m}).Info(t.Context())
		if err != nil || !info.Practice || model.MannerOf(info.Name) != m {
			t.Errorf("%q is %q", m, info.Name)
		}
	}
	if _, err := model.ParseManner("rude"); !errors.Is(err, model.ErrRequest) || !strings.Contains(err.Error(), "stubborn, wrong or slow") {
		t.Error(err)
	}
}
