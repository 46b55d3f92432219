package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/panics"

	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
)

// ErrRequired says that a required tool failed for good: the turn cannot go on.
var ErrRequired = errors.New("pipeline: required context is missing")

// Request is one pass over an agent's tools for one turn.
type Request struct {
	Session string
	Turn    string
	// Tools is this agent's list; their order is the order within a phase.
	Tools []string
	// Args are the caller's arguments by tool; they win over all others.
	Args map[string]map[string]any
	// Conversation is oldest first and ends with the message of this turn.
	Conversation []model.Message

	// Skips are the rows of earlier turns; nil lets every tool run.
	Skips SkipStore
	// Version returns a record's current version, "" for a record that does not exist. If
	// Version is nil or fails, every tool that read records runs.
	Version func(record.Ref) (string, error)
	// Threshold of the completeness gate, above 0 and up to 1; 0 is DefaultThreshold.
	Threshold float64

	// Emit receives every event as it happens, one at a time; may be nil.
	Emit func(journal.Event)
	// Now and Sleep are the clock; nil is the real one.
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error
}

// Section is a tool with what a person should know about its part of the context.
type Section struct {
	Tool   string `json:"tool"`
	Reason string `json:"reason"`
}

// Skip is a tool that did not run, and the gate that said so.
type Skip struct {
	Tool         string       `json:"tool"`
	Gate         journal.Gate `json:"gate"`
	Reason       string       `json:"reason"`
	Completeness float64      `json:"completeness"`
}

// Failure is a tool that failed for good.
type Failure struct {
	Tool     string
	Class    Class
	Err      error
	Attempts int
}

// Result is what a pass found out. All lists are in plan order: phase by phase,
// in each in the order of the request's list.
type Result struct {
	// Outputs is the bundle, by tool: what ran, what was kept and what stands in for a
	// tool that failed.
	Outputs      map[string]json.RawMessage
	Completeness map[string]float64

	Ran     []string // successfully
	Skipped []Skip
	Failed  []Failure
	NotRun  []string // in phases after one that a required tool failed in

	// Degraded are sections that are missing from the context or incomplete: optional
	// tools that failed, tools that something stands in for, and outputs that declared a
	// lack.
	Degraded []Section
	// Missing are the required tools that failed.
	Missing []Section
	// Err wraps ErrRequired when something is missing.
	Err error
	// Rows are for the transaction that makes the stage's result durable.
	Rows []Row
}

// Store writes the rows.
func (r Result) Store(w SkipWriter) error {
	for _, row := range r.Rows {
		raw, err := json.Marshal(row)
		if err != nil {
			return fmt.Errorf("pipeline: skip row of %s: %w", row.Tool, err)
		}
		if err := w.PutSkip(row.Session, row.Tool, raw); err != nil {
			return fmt.Errorf("pipeline: skip row of %s: %w", row.Tool, err)
		}
	}
	return nil
}

// run is one pass. Only the goroutine of Run touches it, except for emit.
type run[D any] struct {
	reg        *Registry[D]
	deps       D
	req        Request
	callerArgs map[string]map[string]any
	threshold  float64
	now        func() time.Time
	sleep      func(context.Context, time.Duration) error
	outputs    map[string]finished
	emitting   sync.Mutex
}

// prepared is a tool of the current phase with all that it gets.
type prepared struct {
	name         string
	dependencies []string // those of this list
	args         map[string]any
	argsHash     string
	slice        []model.Message
	sliceHash    string
	known        map[string]json.RawMessage
	decision     decision

	out     finished
	failure *Failure
	// stoodIn says that out stands in for what the tool failed to give.
	stoodIn bool
}

// Run runs the phases of the request's list one after the other, and the tools of each
// phase in parallel. A tool that fails is listed in the Result. The error is for an
// invalid request, or wraps the context's error when the turn was stopped; then there
// are no rows. When a required tool fails, its phase is finished and no later phase is
// started.
func (r *Registry[D]) Run(ctx context.Context, deps D, req Request) (Result, error) {
	p, phases, err := r.newRun(deps, req)
	if err != nil {
		return Result{}, err
	}
	res := Result{Outputs: map[string]json.RawMessage{}, Completeness: map[string]float64{}}
	for i, names := range phases {
		if len(res.Missing) > 0 {
			res.NotRun = append(res.NotRun, names...)
			continue
		}
		tools := p.phase(ctx, i+1, names)
		if err := ctx.Err(); err != nil {
			return Result{}, fmt.Errorf("pipeline: stopped: %w", err)
		}
		for _, t := range tools {
			p.collect(t, &res)
		}
	}
	if len(res.Missing) > 0 {
		var causes []error
		for _, f := range res.Failed {
			if slices.ContainsFunc(res.Missing, func(s Section) bool { return s.Tool == f.Tool }) {
				causes = append(causes, fmt.Errorf("%s (%s): %w", f.Tool, f.Class, f.Err))
			}
		}
		res.Err = fmt.Errorf("%w: %w", ErrRequired, errors.Join(causes...))
	}
	return res, nil
}

func (r *Registry[D]) newRun(deps D, req Request) (*run[D], [][]string, error) {
	phases, _, err := r.Plan(req.Tools)
	if err != nil {
		return nil, nil, err
	}
	p := &run[D]{reg: r, deps: deps, req: req, threshold: req.Threshold, now: req.Now, sleep: req.Sleep,
		callerArgs: map[string]map[string]any{}, outputs: map[string]finished{}}
	if p.threshold == 0 {
		p.threshold = DefaultThreshold
	}
	if math.IsNaN(p.threshold) || p.threshold < 0 || p.threshold > 1 {
		return nil, nil, fmt.Errorf("pipeline: threshold %v is not between 0 and 1", req.Threshold)
	}
	if p.now == nil {
		p.now = time.Now
	}
	if p.sleep == nil {
		p.sleep = sleep
	}
	for _, name := range sortedKeys(req.Args) {
		if !slices.Contains(req.Tools, name) {
			return nil, nil, fmt.Errorf("pipeline: arguments for %q, which the list does not name", name)
		}
		if p.callerArgs[name], err = asJSON(req.Args[name]); err != nil {
			return nil, nil, fmt.Errorf("pipeline: arguments of %q are not JSON: %w", name, err)
		}
	}
	return p, phases, nil
}

// phase decides for all tools of a phase before any of them runs.
func (p *run[D]) phase(ctx context.Context, number int, names []string) []*prepared {
	p.emit(journal.Event{Phase: number}.With(journal.PhaseStartedData{Tools: names}))
	known := make(map[string]json.RawMessage, len(p.outputs))
	for name, out := range p.outputs {
		known[name] = out.value
	}
	said := WithoutAcknowledgements(p.req.Conversation)
	tools := make([]*prepared, len(names))
	for i, name := range names {
		t := p.prepare(name, said, known)
		tools[i] = t
		if t.failure != nil {
			p.emit(journal.Event{Phase: number, Tool: name, Error: t.failure.Err.Error()}.
				With(journal.ToolFailedData{Class: string(t.failure.Class)}))
		} else if d := t.decision; d.gate != "" {
			t.out = d.row.finished()
			p.emit(journal.Event{Phase: number, Tool: name, Reason: d.reason}.
				With(journal.ToolSkippedData{Gate: d.gate, Completeness: d.row.Completeness}))
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	var wg conc.WaitGroup
	for _, t := range tools {
		if t.failure == nil && t.decision.gate == "" {
			wg.Go(func() { t.out, t.failure = p.attempts(ctx, number, t) })
		}
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil
	}
	became := journal.PhaseCompletedData{Failed: []string{}, Ran: []string{}, Skipped: []string{}}
	for _, t := range tools {
		switch {
		case t.failure != nil:
			became.Failed = append(became.Failed, t.name)
		case t.decision.gate != "":
			became.Skipped = append(became.Skipped, t.name)
		default:
			became.Ran = append(became.Ran, t.name)
		}
	}
	p.emit(journal.Event{Phase: number}.With(became))
	return tools
}

func (p *run[D]) prepare(name string, said []model.Message, known map[string]json.RawMessage) *prepared {
	c, tool := p.reg.configs[name], p.reg.tools[name]
	t := &prepared{name: name, args: p.arguments(c, Outputs{known: known}), known: known}
	for _, d := range c.Dependencies {
		if slices.Contains(p.req.Tools, d) {
			t.dependencies = append(t.dependencies, d)
		}
	}
	pick := tool.Slice
	if pick == nil {
		pick = Said
	}
	var caught panics.Catcher
	caught.Try(func() { t.slice = pick(slices.Clone(said)) })
	if c := caught.Recovered(); c != nil {
		t.failure = &Failure{Tool: name, Class: ClassUnclassified, Err: fmt.Errorf("pipeline: the slice panicked: %v", c.Value)}
		return t
	}
	t.sliceHash = hashMessages(t.slice)
	t.argsHash = digest(data(t.args))
	t.decision = p.decide(t)
	return t
}

// collect records how a tool ended, in the result and, for later phases, in the run.
func (p *run[D]) collect(t *prepared, res *Result) {
	if f := t.failure; f != nil {
		res.Failed = append(res.Failed, *f)
		if p.standIn(t); t.stoodIn {
			res.Degraded = append(res.Degraded, Section{Tool: t.name, Reason: t.out.degraded})
			res.Outputs[t.name], res.Completeness[t.name] = t.out.value, t.out.completeness
			p.outputs[t.name] = t.out
			return
		}
		section := Section{Tool: t.name, Reason: plain(f.Class, f.Err)}
		if p.reg.configs[t.name].Optional {
			res.Degraded = append(res.Degraded, section)
		} else {
			res.Missing = append(res.Missing, section)
		}
		return
	}
	if d := t.decision; d.gate != "" {
		res.Skipped = append(res.Skipped, Skip{Tool: t.name, Gate: d.gate, Reason: d.reason, Completeness: d.row.Completeness})
	} else {
		res.Ran = append(res.Ran, t.name)
		res.Rows = append(res.Rows, p.row(t))
	}
	if t.out.degraded != "" {
		res.Degraded = append(res.Degraded, Section{Tool: t.name, Reason: t.out.degraded})
	}
	res.Outputs[t.name], res.Completeness[t.name] = t.out.value, t.out.completeness
	p.outputs[t.name] = t.out
}

func (p *run[D]) row(t *prepared) Row {
	row := Row{
		Session: p.req.Session, Tool: t.name, Turn: p.req.Turn, At: p.now().UTC(),
		SliceHash: t.sliceHash, ArgsHash: t.argsHash,
		Completeness: t.out.completeness, Output: t.out.value, OutputHash: t.out.hash, Degraded: t.out.degraded, Weak: t.out.weak,
		DepHashes: map[string]string{}, Reads: slices.Clone(t.out.reads),
	}
	if row.Reads == nil {
		row.Reads = []ledger.Target{}
	}
	for _, name := range slices.Concat(t.dependencies, t.out.upstream) {
		if raw, ok := t.known[name]; ok {
			row.DepHashes[name] = digest(raw)
		} else {
			row.DepHashes[name] = ""
		}
	}
	return row
}

// hashOf names an output of an earlier phase; "" when there is none.
func (p *run[D]) hashOf(tool string) string { return p.outputs[tool].hash }

func (p *run[D]) emit(e journal.Event) {
	if p.req.Emit == nil {
		return
	}
	p.emitting.Lock()
	defer p.emitting.Unlock()
	p.req.Emit(e)
}

// data encodes what is JSON by construction: arguments that came through JSON,
// names and numbers.
func data(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("pipeline: %v", err))
	}
	return raw
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
