package run

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/schema"
)

// Errors of flags.
var (
	// ErrRejected says that a person did not let the stage run.
	ErrRejected = graph.OfKind(graph.KindRejected, errors.New("run: rejected by a person"))
	// ErrOutput says that an output does not follow its schema.
	ErrOutput = errors.New("run: output does not follow its schema")
)

// visit is one super-step of a stage with all that stands around its function:
// hooks, flags before, the function, flags after, hooks. Flags before and hooks
// before run when the visit begins, flags and hooks after it when it ends.
type visit struct {
	t        *start
	ctx      context.Context
	stage    *graph.Stage
	compiled *graph.CompiledStage
	patch    graph.Patch // of the hooks before
	res      visited
	err      error
	over     bool // the function is not to run
	took     time.Duration
	late     bool   // took longer than it should
	tries    int    // of execute beyond the first
	held     string // why a hook wants a person to let the stage run; "" for no hook does
	value    json.RawMessage
}

// before and after fix the order of the flags.
var before = []struct {
	flag graph.Flag
	act  func(*visit)
	each bool // also when the stage is entered again within its visit
}{
	{graph.SkipOnError, (*visit).skip, false},
	{graph.Cacheable, (*visit).lookUp, false},
	{graph.NoHistory, (*visit).hideHistory, true},
	{graph.IsolatedContext, (*visit).isolate, true},
	{graph.Lightweight, func(v *visit) { v.t.Light = true }, true},
	{graph.RequiresHuman, (*visit).ask, false},
}

// What is restored after the function needs no step of its own among these: a stage sees
// a filtered snapshot and returns a patch, so the state itself was never stripped.
// Validation judges what the stage said; a cached output is one that passed.
var after = []struct {
	flag  graph.Flag
	act   func(*visit)
	fresh bool // not for what was skipped or came from the cache
	fine  bool // not after an error
}{
	{graph.IsolatedContext, (*visit).confine, false, true},
	{graph.ReadOnly, (*visit).refuseChanges, false, true},
	{graph.Verbose, (*visit).tell, false, false},
	{graph.Observable, (*visit).measure, false, false},
	{graph.SummarizeOutput, (*visit).summarize, true, true},
	{graph.ValidateOutput, (*visit).validate, true, true},
	{graph.Cacheable, (*visit).store, true, true},
}

func (t *start) visit(ctx context.Context) (visited, error) {
	v := &visit{t: t, ctx: ctx, stage: &t.Compiled.Stage, compiled: t.Compiled}
	entry := t.Round == 0
	if entry {
		if v.hooksBefore(); v.held != "" && !v.over {
			v.askFor(v.t.Hold()) // before all flags, a cached output among them
		}
	}
	if flags := v.stage.Flags; flags != 0 {
		for i := range before {
			if f := &before[i]; flags.Has(f.flag) && (entry || f.each) && !v.over {
				f.act(v)
			}
		}
	}
	if !v.over {
		v.execute()
	}
	v.t.State, v.t.Whole = v.t.All(), nil // what flags hid is for the function alone
	if len(v.res.Pauses) > 0 && v.err == nil {
		t.human(ctx, v.res.Pauses)
		return v.res, nil // nothing else of it is kept
	}
	if v.err == nil && v.res.Reached != nil {
		return v.res, nil
	}
	if v.res.Reenter != "" && v.err == nil {
		// The visit goes on: only what keeps the stage within its bounds is due.
		for i := range after[:2] {
			if f := &after[i]; v.stage.Flags.Has(f.flag) && v.err == nil {
				f.act(v)
			}
		}
		v.veto()
		v.res.Patch = append(v.patch, v.res.Patch...)
		return v.res, v.err
	}
	if !v.res.cached {
		v.value = v.res.Output
	}
	if flags := v.stage.Flags; flags != 0 {
		for i := range after {
			f := &after[i]
			if flags.Has(f.flag) && !(f.fresh && (v.res.cached || v.res.skipped != "")) && !(f.fine && v.err != nil) {
				f.act(v)
			}
		}
	}
	if v.err == nil {
		v.veto()
		v.hooksAfter()
	}
	if v.err != nil {
		t.failed(ctx, v.err)
		return v.res, v.err
	}
	v.res.Patch = append(v.res.Patch, v.writes()...)
	v.res.look()
	v.res.Patch = append(v.patch, v.res.Patch...)
	return v.res, nil
}

// Points of hooks around a stage as hook_failed events name them; journals hold these names.
const preStage, postStage = "pre_node", "post_node"

func (v *visit) hooksBefore() {
	for i := range v.t.Graph.Spec().Hooks {
		h := &v.t.Graph.Spec().Hooks[i]
		if h.PreStage == nil {
			continue
		}
		if v.over || v.held != "" {
			return // one of the hooks before has decided
		}
		hook(&v.t.Task, h, preStage, func() error {
			p, err := h.PreStage(v.ctx, &v.t.Task)
			if stop := (*graph.Stop)(nil); err != nil && !errors.As(err, &stop) {
				return err
			}
			next, wrong := v.t.State.With(p)
			if wrong != nil {
				return wrong
			}
			v.t.State, v.patch = next, append(v.patch, p...)
			if err != nil {
				return v.stopped(err)
			}
			return nil
		})
	}
}

// hooksAfter runs the hooks after the stage. Each sees the state as the stage would leave it,
// with what those before it set.
func (v *visit) hooksAfter() {
	before := v.t.State
	defer func() { v.t.State = before }()
	for i := range v.t.Graph.Spec().Hooks {
		h := &v.t.Graph.Spec().Hooks[i]
		if h.PostStage == nil || v.err != nil {
			continue
		}
		ended := v.res.Goto == graph.End
		hook(&v.t.Task, h, postStage, func() error {
			state, err := before.With(append(slices.Clone(v.res.Patch), v.writes()...))
			if err != nil {
				return err
			}
			v.t.State = state
			r := v.res.Result
			r.Output, r.Raw = v.value, v.res.Output
			if err := h.PostStage(v.ctx, &v.t.Task, &r); err != nil {
				return v.stopped(err)
			}
			v.value, r.Output, r.Raw = r.Output, r.Raw, nil
			v.res.Result = r
			return nil
		})
		if v.res.Goto == graph.End && !ended {
			return // it decided; the others are asked of what goes on
		}
	}
}

// stopped does what a hook decided; any other error is its failure.
func (v *visit) stopped(err error) error {
	var s *graph.Stop
	if !errors.As(err, &s) {
		return err
	}
	if r := v.stage.Role; r == graph.RolePreflight || r == graph.RoleIntervention {
		return errors.New("run: a hook cannot stop what looks after a person in danger")
	}
	switch reason := journal.Cut(s.Reason, journal.MemberRoom); s.Do {
	case graph.StopSkip:
		v.res, v.over = visited{skipped: reason}, true
	case graph.StopEnd:
		v.res, v.over = visited{skipped: reason, Result: graph.Result{Goto: graph.End, Reason: reason}}, true
	case graph.StopRefuse:
		v.err, v.over = graph.OfKind(graph.KindRefused, fmt.Errorf("%w: %s", graph.ErrHookRefused, reason)), true
	case graph.StopHold:
		answer, ok := v.t.Answer(v.t.Hold())
		if !ok {
			v.held = reason
			break
		}
		v.decide(answer) // those behind it are asked of what goes on
		v.t.Holds++
	default:
		return fmt.Errorf("run: a hook cannot %q", s.Do)
	}
	return nil
}

// skip passes the stage over after a failure.
func (v *visit) skip() {
	if v.t.Before != "" {
		v.res, v.over = visited{skipped: passedOver(v.t.Before, v.t.BeforeError)}, true
	}
}

func passedOver(before graph.StageID, why string) string {
	return fmt.Sprintf("%q failed before it: %s", before, why)
}

// cachedOutput is what leaves a Cacheable stage, but for what its hooks add.
type cachedOutput struct {
	Raw    json.RawMessage      `json:"raw"`
	Value  json.RawMessage      `json:"value"` // what goes to the stage's key
	Patch  []graph.ChannelValue `json:"patch,omitempty"`
	Goto   graph.StageID        `json:"goto,omitempty"`
	Route  graph.StageID        `json:"route,omitempty"`
	Reason string               `json:"reason,omitempty"`
}

// cacheKey names the stage and the values of all that its output depends on. What the run
// itself may have changed outside since is another world: a record that was looked up before
// a note was written is not the record that has the note.
func (v *visit) cacheKey() string {
	inputs := make(map[string]json.RawMessage, len(v.stage.Inputs))
	all := v.t.Context()
	for _, keys := range [][]string{v.stage.Inputs, v.stage.Reads} {
		for _, k := range keys {
			if !slices.Contains(v.stage.Prepares, k) {
				inputs[k] = all[k]
			}
		}
	}
	for _, id := range v.stage.Inherit {
		inputs[graph.OutputKey(id)] = all[graph.OutputKey(id)]
	}
	sum := sha256.Sum256(raw(inputs))
	if v.stage.Sees != nil {
		sum = sha256.Sum256(append(sum[:], raw(v.stage.Sees(v.t.State))...))
	}
	if v.t.acted > 0 {
		sum = sha256.Sum256(fmt.Appendf(sum[:], "%d", v.t.acted))
	}
	return string(v.t.Stage) + "#" + hex.EncodeToString(sum[:16])
}

func (v *visit) lookUp() {
	kept, ok := graph.Cache.Get(v.t.State)[v.cacheKey()]
	if !ok {
		return
	}
	var c cachedOutput
	var patch graph.Patch
	err := json.Unmarshal(kept, &c)
	if err == nil {
		patch, err = v.t.Graph.DecodePatch(c.Patch)
	}
	if err != nil {
		v.t.Emit(journal.Event{Kind: journal.Warned, Reason: "the cached output cannot be read; the stage runs again"})
		return
	}
	v.res, v.over = visited{Result: graph.Result{Output: c.Raw, Patch: patch, Goto: c.Goto, Route: c.Route, Reason: c.Reason}, cached: true}, true
	v.value = c.Value
}

func (v *visit) store() {
	if v.res.Output == nil || v.res.Fleeting || v.res.Do != nil || len(v.res.Mutations) > 0 {
		return
	}
	var enc graph.Encoder
	var all graph.Patch
	for _, key := range v.stage.Prepares {
		all = append(all, v.t.Graph.Spec().Context.Put(key, v.t.Context()[key]))
	}
	patch, err := enc.Patch(v.t.Graph, append(all, v.res.Patch...))
	if err != nil {
		return // the result cannot be kept either, and says so
	}
	c := cachedOutput{Raw: v.res.Output, Value: v.value, Patch: whole(patch), Goto: v.res.Goto, Route: v.res.Route, Reason: v.res.Reason}
	v.res.Patch = append(v.res.Patch, graph.Cache.Put(v.cacheKey(), raw(c)))
}

// hideHistory leaves what is fixed in sight, and what came in this visit.
func (v *visit) hideHistory() {
	v.t.Hide(v.t.Graph.Spec().History.Hide(v.t.State, v.t.mark))
}

func (v *visit) isolate() {
	own := map[string]json.RawMessage{}
	for _, k := range v.stage.Inputs {
		if x, ok := v.t.Context()[k]; ok {
			own[k] = x
		}
	}
	v.t.Hide(v.t.State.Only(v.t.Graph.Spec().Context, own))
}

// ask holds the stage until a person lets it run. A hook that holds it first asks for the same.
func (v *visit) ask() {
	first := v.t.Task
	first.Holds = 0
	v.askFor(first.Hold())
}

// askFor is ask by the id of a hold.
func (v *visit) askFor(id string) {
	answer, ok := v.t.Answer(id)
	if !ok {
		title := v.stage.Title
		if title == "" {
			title = string(v.stage.ID)
		}
		prompt := fmt.Sprintf("May %q run?", title)
		if v.held != "" {
			prompt += " " + v.held
		}
		v.over = true
		v.res = visited{Result: graph.Result{Pauses: []graph.Pause{{ID: id, Kind: "question", Data: raw(map[string]any{"stage": v.t.Stage, "choices": []string{"approve", "reject"},
			"prompt": prompt, "inputs": v.inputs()})}}}}
		return
	}
	v.decide(answer)
}

// decide does what a person said of a hold.
func (v *visit) decide(answer json.RawMessage) {
	var verdict struct {
		Approved bool   `json:"approved"`
		Comment  string `json:"comment"`
	}
	if err := json.Unmarshal(answer, &verdict); err != nil || !verdict.Approved {
		v.over, v.err = true, ErrRejected
		if comment := strings.TrimSpace(verdict.Comment); comment != "" {
			v.err = fmt.Errorf("%w: %s", ErrRejected, journal.Cut(comment, journal.MemberRoom))
		}
	}
}

func (v *visit) inputs() map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, k := range v.stage.Inputs {
		if x, ok := v.t.Context()[k]; ok {
			out[k] = x
		}
	}
	return out
}

// execute runs the stage's function, more than once where it may be retried.
func (v *visit) execute() {
	began := v.t.Now()
	retries := 0
	if v.stage.Flags.Has(graph.Retryable) {
		if retries = v.stage.MaxRetries; retries == 0 {
			retries = 3
		}
	}
	for try := 0; ; try++ {
		v.tries = try
		v.err = guarded(func() (err error) { v.res.Result, err = v.stage.Run(v.ctx, &v.t.Task); return err })
		if v.t.d.waiting.Load() {
			v.res.Result, v.err = v.t.held(v.ctx, v.res.Result, v.err)
		}
		if v.err == nil || try >= retries || v.ctx.Err() != nil || v.t.TokensLeft() == 0 {
			break
		}
		v.t.Spend(v.res.Usage)                                // of an attempt that is lost
		wait := min(500*time.Millisecond<<try, 8*time.Second) // a backoff library counts the tries itself and is longer to set up
		v.t.Emit(journal.Event{Attempt: try + 1, Error: journal.Cut(v.err.Error(), journal.TextRoom)}.With(journal.StageRetriedData{WaitMS: wait.Milliseconds()}))
		if err := v.t.d.x.sleep(v.ctx, wait); err != nil {
			break
		}
	}
	v.took = v.t.Now().Sub(began)
	v.late = v.stage.SoftTimeout > 0 && v.took > v.stage.SoftTimeout
	if v.late {
		v.t.Emit(overTime(v.took, v.stage.SoftTimeout))
	}
}

func overTime(took, should time.Duration) journal.Event {
	return journal.Event{Kind: journal.Warned, Status: string(journal.OverTime), Reason: fmt.Sprintf("took %s, should take %s", took.Round(time.Millisecond), should)}
}

// confine drops what the stage wrote to the context beside its output.
func (v *visit) confine() {
	c := v.t.Graph.Spec().Context
	v.res.Patch = slices.DeleteFunc(v.res.Patch, func(w graph.Write) bool {
		return c.Wrote(w) && w.Key() != v.stage.Output && w.Key() != graph.OutputKey(v.stage.ID)
	})
}

func (v *visit) refuseChanges() {
	if v.res.Do != nil || len(v.res.Mutations) > 0 {
		v.err = graph.ErrReadOnly
	}
}

func (v *visit) tell() {
	e := journal.Event{}.With(journal.StageOutputData{Output: v.res.Output})
	if v.err != nil {
		e.Error = journal.Cut(v.err.Error(), journal.TextRoom)
	}
	v.t.Emit(e)
}

func (v *visit) measure() {
	m := graph.Metrics{Stage: v.t.Stage, Attempt: v.t.Attempt + v.tries, Took: v.took, Usage: v.res.Usage.Plus(v.t.d.Spent(&v.t.Task)), Cached: v.res.cached, Skipped: v.res.skipped != "",
		Failed: v.err != nil, OverTime: v.late, OutputBytes: len(v.res.Output)}
	v.t.Emit(journal.Event{}.With(journal.ObservedData{Stage: m.Stage, Attempt: m.Attempt, Took: m.Took, Usage: journal.Usage(m.Usage), Cached: m.Cached, Skipped: m.Skipped,
		Failed: m.Failed, OverTime: m.OverTime, OutputBytes: m.OutputBytes}))
	for i := range v.t.Graph.Spec().Hooks {
		if h := &v.t.Graph.Spec().Hooks[i]; h.OnObservable != nil {
			hook(&v.t.Task, h, "on_observable_event", func() error { h.OnObservable(v.ctx, &v.t.Task, m); return nil })
		}
	}
}

// summaryFrom is how many characters an output may have before it is summarised.
const summaryFrom = 1000

func (v *visit) summarize() {
	text := string(v.res.Output)
	if len(text) > 0 && text[0] == '"' {
		if err := json.Unmarshal(v.res.Output, &text); err != nil {
			return
		}
	}
	if utf8.RuneCountInString(text) <= summaryFrom {
		return
	}
	var short string
	err := guarded(func() (err error) { short, err = v.t.Graph.Spec().Summarize(v.ctx, &v.t.Task, text); return err })
	if err != nil || short == "" {
		v.t.Emit(journal.Event{Kind: journal.Warned, Status: string(journal.NotSummarized), Reason: "the output stays as it is", Error: journal.Cut(fmt.Sprint(err), journal.TextRoom)})
		return
	}
	v.value = raw(short)
}

func (v *visit) validate() {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(v.res.Output))
	if err == nil {
		err = schema.Validate(v.compiled.Schema, doc)
	}
	if err != nil {
		v.err = fmt.Errorf("%w: %w", ErrOutput, err)
	}
}

// writes put the output where other stages look for it.
func (v *visit) writes() (out graph.Patch) {
	c := v.t.Graph.Spec().Context
	if !c.Declared() || v.res.Output == nil {
		return nil
	}
	for _, s := range v.stage.Sinks {
		out = append(out, c.Put(s.Key, v.res.Output).Around(s.Around))
	}
	if v.stage.Output != "" {
		out = append(out, c.Put(v.stage.Output, v.value))
	}
	return append(out, c.Put(graph.OutputKey(v.stage.ID), v.res.Output))
}

// veto asks the hooks about changes of the graph: one no, and none is made.
func (v *visit) veto() {
	if len(v.res.Mutations) == 0 || v.err != nil {
		return
	}
	// What cannot grow at all is refused where the changes are made.
	asked, _ := named(v.t.Graph, v.t.Graph.Index[v.t.Stage], v.res.Mutations)
	for i := range v.t.Graph.Spec().Hooks {
		h := &v.t.Graph.Spec().Hooks[i]
		if h.OnMutation == nil {
			continue
		}
		for _, m := range asked {
			if err := guarded(func() error { return h.OnMutation(v.ctx, &v.t.Task, m) }); err != nil {
				refused := toldMutation(m)
				v.t.Emit(journal.Event{Tool: h.Name, Reason: journal.Cut(m.Reason, journal.MemberRoom), Error: journal.Cut(err.Error(), journal.TextRoom)}.
					With(journal.MutationRefusedData{Mutation: &refused}))
				v.res.Mutations = nil
				return
			}
		}
	}
}

// human tells the hooks that the stage waits for a person.
func (t *start) human(ctx context.Context, pauses []graph.Pause) {
	for i := range t.Graph.Spec().Hooks {
		if h := &t.Graph.Spec().Hooks[i]; h.OnHuman != nil {
			hook(&t.Task, h, "on_human_required", func() error { h.OnHuman(ctx, &t.Task, pauses); return nil })
		}
	}
}

// failed tells the hooks that the stage failed.
func (t *start) failed(ctx context.Context, err error) {
	for i := range t.Graph.Spec().Hooks {
		if h := &t.Graph.Spec().Hooks[i]; h.OnError != nil {
			hook(&t.Task, h, "on_error", func() error { h.OnError(ctx, &t.Task, err); return nil })
		}
	}
}

// PreTool runs the PreTool hooks over a call, before anything of it is planned or
// shown; PostTool runs those after it.
func (d *driver) PreTool(ctx context.Context, t *graph.Task, c *graph.ToolUse) {
	for i := range t.Graph.Spec().Hooks {
		if h := &t.Graph.Spec().Hooks[i]; h.PreTool != nil {
			toolHook(t, h, "pre_tool", h.PreTool, ctx, c)
		}
	}
}

// PostTool runs the PostTool hooks over a call that was answered.
func (d *driver) PostTool(ctx context.Context, t *graph.Task, c *graph.ToolUse) {
	for i := range t.Graph.Spec().Hooks {
		if h := &t.Graph.Spec().Hooks[i]; h.PostTool != nil {
			toolHook(t, h, "post_tool", h.PostTool, ctx, c)
		}
	}
}

// toolHook sees to it that a hook that fails half-way changes nothing.
func toolHook(t *graph.Task, h *graph.Hooks, point string, run func(context.Context, *graph.Task, *graph.ToolUse) error, ctx context.Context, c *graph.ToolUse) {
	hook(t, h, point, func() error {
		changed, seen := *c, *t
		seen.State = t.All()
		err := run(ctx, &seen, &changed)
		if err == nil {
			*c = changed
		}
		return err
	})
}

// hook runs one hook. What fails or panics is told in the journal and passed over.
func hook(t *graph.Task, h *graph.Hooks, point string, run func() error) {
	if err := guarded(run); err != nil {
		t.Emit(journal.Event{Kind: journal.HookFailed, Tool: h.Name, Status: point, Error: journal.Cut(err.Error(), journal.TextRoom)})
	}
}

// guarded turns a panic into an error.
func guarded(run func() error) (err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("run: panicked: %v", caught)
		}
	}()
	return run()
}

// memo is what a stage remembers within one visit, in this process only, and what it
// used up since it was settled last.
type memo struct {
	values map[string]any
	used   graph.Usage
	waits  []graph.Pause
}

// memo is that of a stage; the caller holds mu.
func (d *driver) memo(id graph.StageID) *memo {
	if d.memos == nil {
		d.memos = map[graph.StageID]*memo{}
	}
	m := d.memos[id]
	if m == nil {
		m = &memo{}
		d.memos[id] = m
	}
	return m
}

// Memo implements graph.Host.
func (d *driver) Memo(t *graph.Task, key string, make func() (any, error)) (any, error) {
	d.mu.Lock()
	v, ok := d.memo(t.Stage).values[key]
	d.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := make()
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	m := d.memo(t.Stage)
	if m.values == nil {
		m.values = map[string]any{}
	}
	m.values[key] = v
	return v, nil
}

// forget ends the memory of a visit.
func (d *driver) forget(id graph.StageID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.memos, id)
}
