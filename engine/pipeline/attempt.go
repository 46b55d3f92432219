package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sourcegraph/conc/panics"

	"holdpoint/engine/journal"
)

// sleep waits, or ends early with the context's error.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// attempts runs a tool until it succeeds or fails for good. It returns when its
// context ends at the latest, whatever the tool does.
func (p *run[D]) attempts(ctx context.Context, phase int, t *prepared) (finished, *Failure) {
	c := p.reg.configs[t.name]
	for n := 0; ; n++ {
		if ctx.Err() != nil {
			return finished{}, &Failure{Tool: t.name, Class: ClassCancelled, Err: ctx.Err(), Attempts: n}
		}
		started := journal.Event{Phase: phase, Tool: t.name, Attempt: n + 1}.With(journal.ToolStartedData{Args: data(t.args)})
		if n == 0 {
			started.Reason = t.decision.reason
		}
		p.emit(started)
		began := p.now()
		out, err := p.attempt(ctx, c.Timeout, t, n+1)
		if err == nil {
			p.emit(journal.Event{Phase: phase, Tool: t.name, Attempt: n + 1, Reason: out.degraded}.
				With(journal.ToolCompletedData{Completeness: &out.completeness, MS: p.now().Sub(began).Milliseconds(), Result: out.value}))
			return out, nil
		}
		class := Classify(err)
		if ctx.Err() != nil {
			class = ClassCancelled
		}
		// Nobody waits twice as long for what a turn can do without.
		again := class.Retried() && n < c.MaxRetries && (class != ClassTimeout || p.reg.tools[t.name].StandIn == nil && !c.Optional)
		p.emit(journal.Event{Phase: phase, Tool: t.name, Attempt: n + 1, Error: err.Error()}.
			With(journal.ToolFailedData{Class: string(class), Retry: again}))
		if !again {
			return finished{}, &Failure{Tool: t.name, Class: class, Err: err, Attempts: n + 1}
		}
		// An error here is the context's end, which the next round reports.
		if err := p.sleep(ctx, backoff(c.RetryBackoff, n)); err != nil && ctx.Err() == nil {
			return finished{}, &Failure{Tool: t.name, Class: ClassUnclassified, Err: fmt.Errorf("pipeline: sleep: %w", err), Attempts: n + 1}
		}
	}
}

// backoff is base × 2^n, n from 0, and never overflows. Libraries for it (cenkalti's,
// sethvargo's) count the attempts themselves and are longer to set up than this is.
func backoff(base time.Duration, n int) time.Duration {
	for ; n > 0 && base < time.Hour; n-- {
		base *= 2
	}
	return base
}

// attempt runs a tool once. A tool that does not end with its context is left
// behind: its result goes into a channel that nobody reads any more.
func (p *run[D]) attempt(ctx context.Context, limit time.Duration, t *prepared, n int) (finished, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type result struct {
		out Output
		err error
	}
	looked := &seen{}
	in := p.input(t, n, looked)
	done := make(chan result, 1)
	go func() {
		r := result{err: errors.New("pipeline: the tool ended without a result")} // runtime.Goexit
		defer func() {
			if v := recover(); v != nil {
				r = result{err: fmt.Errorf("pipeline: the tool panicked: %v", v)}
			}
			done <- r
		}()
		out, err := p.reg.tools[t.name].Run(ctx, p.deps, in)
		r = result{out, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			// A tool may report its context's end as any error; the timeout is what it means.
			if ctx.Err() != nil && Classify(r.err) == ClassUnclassified {
				return finished{}, fmt.Errorf("%w (%v)", without(ctx, limit), r.err)
			}
			return finished{}, r.err
		}
		if ctx.Err() != nil {
			return finished{}, fmt.Errorf("pipeline: the result came after %v: %w", limit, ctx.Err())
		}
		out, err := r.out.finish()
		if err != nil {
			return finished{}, err
		}
		looked.mu.Lock()
		out.upstream = looked.names
		looked.mu.Unlock()
		return out, nil
	case <-ctx.Done():
		return finished{}, without(ctx, limit)
	}
}

// without says why there is no result: the time was up, or the turn was stopped before.
func without(ctx context.Context, limit time.Duration) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("pipeline: the turn was stopped before there was a result: %w", ctx.Err())
	}
	return fmt.Errorf("pipeline: no result within %v: %w", limit, ctx.Err())
}

func (p *run[D]) input(t *prepared, attempt int, looked *seen) Input {
	return Input{
		Session: p.req.Session, Turn: p.req.Turn, Attempt: attempt,
		Args:         copyJSON(t.args).(map[string]any),
		Conversation: slices.Clone(t.slice),
		// Nothing writes to the map once the phase has begun, and Get copies.
		Outputs: Outputs{known: t.known, seen: looked},
	}
}

// standIn puts a stand-in in the place of what a failed tool did not give, if it has one.
func (p *run[D]) standIn(t *prepared) {
	give := p.reg.tools[t.name].StandIn
	if give == nil || t.failure.Class == ClassCancelled {
		return
	}
	var out finished
	var err error
	var caught panics.Catcher
	caught.Try(func() { out, err = give(p.input(t, t.failure.Attempts, nil), t.failure.Class).finish() })
	if caught.Recovered() != nil || err != nil {
		return // the tool's own failure is what people hear of
	}
	if out.degraded == "" {
		out.degraded = plain(t.failure.Class, t.failure.Err)
	}
	t.out, t.stoodIn = out, true
}

// inject finds a key in the outputs of the dependencies.
func (o Outputs) inject(key string, dependencies []string) (any, bool) {
	for _, d := range dependencies {
		out, ok := o.Get(d)
		if !ok {
			continue
		}
		var keys map[string]json.RawMessage
		if json.Unmarshal(out, &keys) != nil {
			continue // not an object: it exports nothing
		}
		raw, ok := keys[key]
		if !ok {
			continue
		}
		var v any
		if json.Unmarshal(raw, &v) == nil {
			return v, true
		}
	}
	return nil, false
}

// arguments merges a tool's arguments, the weakest first.
func (p *run[D]) arguments(c Config, earlier Outputs) map[string]any {
	args := copyJSON(c.Defaults).(map[string]any)
	for _, key := range c.InjectInputs {
		if v, ok := earlier.inject(key, c.Dependencies); ok {
			args[key] = v
		}
	}
	maps.Copy(args, p.callerArgs[c.Name])
	return args
}
