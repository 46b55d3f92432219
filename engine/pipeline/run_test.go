package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/tool"
)

func TestNavigator_N20_APhaseRunsConcurrentlyAndSeesEarlierPhasesOnly(t *testing.T) {
	var here sync.WaitGroup // every tool of the phase waits for all others
	here.Add(3)
	meet := func(ctx context.Context, in Input) (Output, error) {
		here.Done()
		here.Wait()
		for _, other := range []string{"a", "b", "c", "d"} {
			if _, ok := in.Outputs.Get(other); ok {
				return Output{}, fmt.Errorf("sees %s", other)
			}
		}
		return Output{Value: map[string]any{"x": 1}}, nil
	}
	var third []string
	k := newKit(t, []Config{config("a"), config("b"), config("c"), config("d", "a"), config("e", "d")}, map[string]fn{"a": meet, "b": meet, "c": meet,
		"e": func(_ context.Context, in Input) (Output, error) {
			for _, other := range []string{"a", "b", "c", "d", "e"} {
				if raw, ok := in.Outputs.Get(other); ok {
					third = append(third, other)
					clear(raw) // a copy: nobody else sees it
				}
			}
			return Output{Value: "done"}, nil
		}})
	res := k.turn(k.request("hi"))
	equal(t, "ran", res.Ran, []string{"a", "b", "c", "d", "e"})
	equal(t, "seen by the third phase", third, []string{"a", "b", "c", "d"})
	if string(res.Outputs["a"]) != `{"x":1}` {
		t.Errorf("%s", res.Outputs["a"])
	}
	var phases []string
	for _, e := range k.events {
		if e.Kind == journal.PhaseStarted || e.Kind == journal.PhaseCompleted {
			phases = append(phases, fmt.Sprint(e.Kind, e.Phase))
		}
	}
	equal(t, "phases", phases, []string{"phase_started1", "phase_completed1", "phase_started2", "phase_completed2", "phase_started3", "phase_completed3"})
}

func TestNavigator_N25_ArgumentsDefaultsThenInjectedThenTheCallers(t *testing.T) {
	b := config("b", "a")
	b.InjectInputs = []string{"one", "two", "absent"}
	b.Defaults = map[string]any{"zero": 0, "one": "default", "two": "default", "absent": "default"}
	k := newKit(t, []Config{config("a"), b}, map[string]fn{
		"a": value(map[string]any{"one": "injected", "two": "injected", "secret": "not asked for"}, 1)})
	req := k.request("hi")
	req.Args = map[string]map[string]any{"b": {"two": "caller", "three": "caller"}}
	k.turn(req)
	raw, _ := json.Marshal(k.inputs["b"][0].Args)
	if want := `{"absent":"default","one":"injected","three":"caller","two":"caller","zero":0}`; string(raw) != want {
		t.Errorf("got %s, want %s", raw, want)
	}
	req.Args = map[string]map[string]any{"nobody": {}}
	_, err := k.reg.Run(context.Background(), struct{}{}, req)
	wantError(t, err, "nobody")
}

func TestNavigator_N26_EachAttemptHasItsOwnTimeoutAndLateResultsAreDiscarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config("slow")
		c.MaxRetries, c.Timeout = 2, 10*time.Second
		release := make(chan struct{})
		k := newKit(t, []Config{c}, map[string]fn{"slow": func(ctx context.Context, in Input) (Output, error) {
			if in.Attempt < 3 { // does not look at its context at all
				<-release
				return Output{Value: "late", Completeness: 1}, nil
			}
			return Output{Value: "in time", Completeness: 1}, nil
		}})
		began := time.Now()
		res := k.turn(k.request("hi"))
		if took := time.Since(began); took != 20*time.Second {
			t.Errorf("took %v", took)
		}
		n := len(k.events)
		close(release)
		synctest.Wait() // both have returned by now
		if string(res.Outputs["slow"]) != `"in time"` || k.calls("slow") != 3 || len(k.events) != n {
			t.Errorf("%s after %d attempts, %d events then %d", res.Outputs["slow"], k.calls("slow"), n, len(k.events))
		}
	})
}

func TestNavigator_N26_AToolThatHidesItsTimeoutStillTimedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t, []Config{config("slow")}, map[string]fn{"slow": func(ctx context.Context, in Input) (Output, error) {
			<-ctx.Done()
			if in.Attempt == 1 {
				return Output{}, errors.New("gave up")
			}
			return Output{}, fmt.Errorf("%w: %w", model.ErrBroken, ctx.Err())
		}})
		res := k.turn(k.request("hi"))
		if f := res.Failed[0]; f.Class != ClassTimeout || f.Attempts != 2 {
			t.Errorf("%+v", f)
		}
	})
}

// classes are errors as tools give them, with what becomes of them.
var classes = map[string]struct {
	err   error
	class Class
}{
	"deadline":              {context.DeadlineExceeded, ClassTimeout},
	"read timeout":          {&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, ClassTimeout},
	"http timeout":          {&url.Error{Op: "Get", URL: "http://x", Err: context.DeadlineExceeded}, ClassTimeout},
	"stalled model":         {fmt.Errorf("x: %w", model.ErrStalled), ClassTimeout},
	"connection refused":    {&url.Error{Op: "Get", URL: "http://x", Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}, ClassConnection},
	"connection reset":      {fmt.Errorf("x: %w", syscall.ECONNRESET), ClassConnection},
	"no such host":          {&net.DNSError{Err: "no such host", IsNotFound: true}, ClassConnection},
	"unreachable model":     {fmt.Errorf("x: %w", model.ErrUnreachable), ClassConnection},
	"500":                   {&StatusError{Code: 500}, ClassServer},
	"503 wrapped":           {fmt.Errorf("x: %w", &StatusError{Code: 503, Err: errors.New("busy")}), ClassServer},
	"model server error":    {model.ErrServer, ClassServer},
	"400":                   {&StatusError{Code: 400}, ClassRequest},
	"429":                   {&StatusError{Code: 429}, ClassRequest},
	"refused model request": {model.ErrRequest, ClassRequest},
	"no such model":         {model.ErrNoModel, ClassRequest},
	"validation":            {fmt.Errorf("%w: no patient", ErrValidation), ClassValidation},
	"bad arguments":         {tool.ErrArguments, ClassValidation},
	"business refusal":      {&Refusal{Reason: "The clinic is closed."}, ClassRefusal},
	"refusal over timeout":  {errors.Join(context.DeadlineExceeded, &Refusal{}), ClassRefusal},
	"broken model answer":   {model.ErrBroken, ClassUnclassified},
	"odd status":            {&StatusError{Code: 302}, ClassUnclassified},
	"anything else":         {errors.New("boom"), ClassUnclassified},
	"canceled by itself":    {context.Canceled, ClassUnclassified},
}

func TestNavigator_N27_N28_N29_WhatIsRetried(t *testing.T) {
	for name, c := range classes {
		t.Run(name, func(t *testing.T) {
			k := newKit(t, []Config{config("a")}, map[string]fn{"a": failing(c.err)})
			res := k.turn(k.request("hi"))
			want := 1
			if slices.Contains([]Class{ClassTimeout, ClassConnection, ClassServer}, c.class) {
				want = 2
			}
			f := res.Failed[0]
			if f.Class != c.class || f.Attempts != want || k.calls("a") != want || k.count(journal.ToolFailed, "a") != want {
				t.Errorf("class %s, %d attempts; want %s, %d", f.Class, f.Attempts, c.class, want)
			}
			e := k.event(journal.ToolFailed, "a")
			if s := string(e.Data); s != fmt.Sprintf(`{"class":%q,"retry":%v}`, c.class, want == 2) {
				t.Error(s)
			}
		})
	}
}

func TestNavigator_N29_NothingCrashes(t *testing.T) {
	for name, f := range map[string]fn{
		"a panic": func(context.Context, Input) (Output, error) { panic("boom") },
		"a nil map": func(context.Context, Input) (Output, error) {
			m := map[string]map[string]int{}
			m["x"]["y"] = 1
			return Output{}, nil
		},
		"an end of its routine": func(context.Context, Input) (Output, error) { runtime.Goexit(); return Output{}, nil },
		"no output":             value(nil, 1),
		"an output of no JSON":  value(make(chan int), 1),
		"broken raw JSON":       value(json.RawMessage(`{"a":`), 1),
		"too complete":          value("x", 1.01),
		"a negative one":        value("x", -0.1),
	} {
		t.Run(name, func(t *testing.T) {
			k := newKit(t, []Config{config("a"), optional(config("b"))}, map[string]fn{"b": f})
			res := k.turn(k.request("hi"))
			if len(res.Failed) != 1 || res.Failed[0].Attempts != 1 || res.Err != nil || len(res.Ran) != 1 || len(k.rows) != 1 {
				t.Errorf("%+v", res)
			}
		})
	}
	slice := func([]model.Message) []model.Message { panic("boom") }
	reg, err := NewRegistry([]Config{config("a")}, map[string]Tool[struct{}]{"a": {Slice: slice,
		Run: func(context.Context, struct{}, Input) (Output, error) { return Output{Value: 1}, nil }}})
	if err != nil {
		t.Fatal(err)
	}
	res, err := reg.Run(context.Background(), struct{}{}, Request{Tools: []string{"a"}})
	if err != nil || len(res.Failed) != 1 || !errors.Is(res.Err, ErrRequired) {
		t.Errorf("%+v %v", res, err)
	}
}

func TestNavigator_N30_SleepDoublesFromTheFirstAndNotAfterTheLast(t *testing.T) {
	c := config("a")
	c.MaxRetries = 3
	k := newKit(t, []Config{c}, map[string]fn{"a": failing(context.DeadlineExceeded)})
	k.turn(k.request("hi"))
	equal(t, "slept", k.slept, []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second})
	if backoff(time.Second, 100) < time.Hour {
		t.Error("the backoff overflowed")
	}
}

func TestNavigator_N26_ACancelledTurnStopsAtOnce(t *testing.T) {
	for name, sleeping := range map[string]bool{"in a tool": false, "in a backoff": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				release := make(chan struct{})
				k := newKit(t, []Config{config("a"), config("quick"), config("later", "a")}, map[string]fn{"a": func(context.Context, Input) (Output, error) {
					if sleeping {
						return Output{}, context.DeadlineExceeded
					}
					<-release
					return Output{Value: 1}, nil
				}})
				req := k.request("hi")
				req.Sleep = nil // the real one, on the bubble's clock
				go func() { synctest.Wait(); cancel() }()
				began := time.Now()
				res, err := k.reg.Run(ctx, struct{}{}, req)
				if !errors.Is(err, context.Canceled) || len(res.Rows) != 0 || time.Since(began) != 0 || k.calls("later") != 0 {
					t.Errorf("%v %+v after %v", err, res, time.Since(began))
				}
				close(release)
			})
		})
	}
}

func TestNavigator_N26_TheTurnsOwnDeadlineIsNotAToolsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		k := newKit(t, []Config{config("a")}, map[string]fn{"a": func(ctx context.Context, _ Input) (Output, error) {
			<-ctx.Done()
			return Output{}, ctx.Err()
		}})
		_, err := k.reg.Run(ctx, struct{}{}, k.request("hi"))
		if !errors.Is(err, context.DeadlineExceeded) || k.calls("a") != 1 {
			t.Errorf("%v after %d attempts", err, k.calls("a"))
		}
	})
}

func TestNavigator_N36_ARequiredFailureEndsThePass(t *testing.T) {
	k := newKit(t, []Config{config("a"), config("b"), config("c", "a"), config("d", "c")}, map[string]fn{"a": failing(&Refusal{Reason: "No patient is chosen."})})
	res := k.turn(k.request("hi"))
	if !errors.Is(res.Err, ErrRequired) || !strings.Contains(res.Err.Error(), "a (refusal)") || len(res.Degraded) != 0 {
		t.Errorf("%v %+v", res.Err, res)
	}
	equal(t, "missing", res.Missing, []Section{{"a", "No patient is chosen."}})
	equal(t, "ran", res.Ran, []string{"b"})
	equal(t, "not run", res.NotRun, []string{"c", "d"})
	if len(k.rows) != 1 || k.rows["s1/b"] == nil {
		t.Errorf("only what succeeded is remembered: %v", k.rows)
	}
}

func TestNavigator_N37_AnOptionalFailureIsADegradedSection(t *testing.T) {
	k := newKit(t, []Config{optional(config("a")), config("b", "a"), config("c")}, map[string]fn{
		"a": failing(errors.New("boom")),
		"c": func(context.Context, Input) (Output, error) {
			return Output{Value: "half", Completeness: 0.5, Degraded: "Without documents: no embedding model."}, nil
		}})
	res := k.turn(k.request("hi"))
	if _, ok := res.Outputs["a"]; ok || res.Err != nil {
		t.Errorf("%+v", res)
	}
	want := []Section{{"c", "Without documents: no embedding model."}, {"a", "It failed for a reason that is not known."}}
	slices.SortFunc(want, func(x, y Section) int { return strings.Compare(x.Tool, y.Tool) })
	equal(t, "degraded", res.Degraded, want)
	equal(t, "ran", res.Ran, []string{"c", "b"})
	// The kept output is still the degraded one, and the tool that failed runs again.
	res = k.turn(k.request("hi", "thanks"))
	equal(t, "degraded again", res.Degraded, want)
	if k.calls("a") != 1 || len(res.Skipped) != 2 {
		t.Errorf("%+v", res)
	}
}

// "The extraction hung, so I got no answer at all": what needs no model stands in.
func TestNavigator_N36_WhatStandsInForAToolIsNotKept(t *testing.T) {
	var fails atomic.Pointer[error] // a call that is too slow goes on beside the next turn
	failing := func(err error) { fails.Store(&err) }
	failing(&StatusError{Code: 503})
	k := newKit(t, []Config{config("a"), config("b", "a")}, map[string]fn{"a": func(ctx context.Context, _ Input) (Output, error) {
		fail := *fails.Load()
		if fail == context.DeadlineExceeded {
			<-ctx.Done()
		}
		return Output{Value: "read", Completeness: 1}, fail
	}})
	instead := k.reg.tools["a"]
	instead.StandIn = func(in Input, class Class) Output {
		return Output{Value: in.Conversation[len(in.Conversation)-1].Text, Completeness: 0.2, Degraded: "not read: " + string(class)}
	}
	k.reg.tools["a"] = instead
	c := k.reg.configs["a"]
	c.Timeout = 20 * time.Millisecond
	k.reg.configs["a"] = c

	res := k.turn(k.request("my knee hurts"))
	if res.Err != nil || len(res.Missing) != 0 || string(res.Outputs["a"]) != `"my knee hurts"` || k.calls("a") != 2 {
		t.Errorf("%d attempts: %+v", k.calls("a"), res)
	}
	equal(t, "degraded", res.Degraded, []Section{{"a", "not read: server"}})
	equal(t, "ran", res.Ran, []string{"b"})
	if k.rows["s1/a"] != nil {
		t.Error("a stand-in was kept for the next turn")
	}
	failing(context.DeadlineExceeded)
	res = k.turn(k.request("my knee hurts", "thanks"))
	if k.calls("a") != 1 || len(res.Outputs) != 2 {
		t.Errorf("%d attempts of a tool that is too slow: %+v", k.calls("a"), res)
	}
	failing(nil)
	res = k.turn(k.request("my knee hurts", "thanks"))
	equal(t, "ran once it works", res.Ran, []string{"a", "b"})
	equal(t, "degraded", res.Degraded, nil)

	// One that panics or gives nothing leaves the failure as it is.
	for _, give := range []func(Input, Class) Output{func(Input, Class) Output { panic("boom") }, func(Input, Class) Output { return Output{} }} {
		failing(errors.New("boom"))
		instead.StandIn = give
		k.reg.tools["a"] = instead
		if res := k.turn(k.request("my elbow hurts")); !errors.Is(res.Err, ErrRequired) || len(res.Missing) != 1 {
			t.Errorf("%+v", res)
		}
	}
}

func TestNavigator_N38_ToolsGetNoTransaction(t *testing.T) {
	// Reads happen before, writes are only returned: a pass writes nothing itself.
	var writes atomic.Int32
	k := newKit(t, []Config{config("a")}, nil)
	req := k.request("hi")
	req.Skips = countingStore{&writes}
	res, err := k.reg.Run(context.Background(), struct{}{}, req)
	if err != nil || writes.Load() != 0 || len(res.Rows) != 1 {
		t.Errorf("%d writes, %+v %v", writes.Load(), res, err)
	}
}

type countingStore struct{ writes *atomic.Int32 }

func (countingStore) Skip(string, string) (json.RawMessage, error) { return nil, nil }
func (s countingStore) PutSkip(string, string, json.RawMessage) error {
	s.writes.Add(1)
	return nil
}

func TestInputDecodeRefusesWhatDoesNotFit(t *testing.T) {
	var args struct {
		Limit int `json:"limit"`
	}
	if err := (Input{Args: map[string]any{"limit": 3.0}}).Decode(&args); err != nil || args.Limit != 3 {
		t.Error(args, err)
	}
	for _, bad := range []map[string]any{{"limit": "x"}, {"other": 1}} {
		if err := (Input{Args: bad}).Decode(&args); !errors.Is(err, ErrValidation) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}
