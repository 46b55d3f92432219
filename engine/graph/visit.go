package graph

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Errors of flags.
var (
	// ErrFlag says that a flag does not fit its stage.
	ErrFlag = errors.New("graph: flag does not fit the stage")
	// ErrRejected says that a person did not let the stage run.
	ErrRejected = errors.New("graph: rejected by a person")
	// ErrOutput says that an output does not follow its schema.
	ErrOutput = errors.New("graph: output does not follow its schema")
	// ErrReadOnly says that a stage that may only read wanted to change something.
	ErrReadOnly = errors.New("graph: the stage may only read")
)

// visit is one super-step of a stage with all that stands around its function:
// hooks, flags before, the function, flags after, hooks. Flags before and hooks
// before run when the visit begins, flags and hooks after it when it ends.
type visit struct {
	t     *Task
	ctx   context.Context
	stage *Stage
	node  *node
	patch Patch // of the hooks before
	res   Result
	err   error
	over  bool // the function is not to run
	took  time.Duration
	late  bool // took longer than it should
	value json.RawMessage
}

// before and after fix the order of the flags.
var before = []struct {
	flag Flag
	act  func(*visit)
	each bool // also when the stage is entered again within its visit
}{
	{SkipOnError, (*visit).skip, false},
	{Cacheable, (*visit).lookUp, false},
	{NoHistory, (*visit).hideHistory, true},
	{IsolatedContext, (*visit).isolate, true},
	{Lightweight, func(v *visit) { v.t.Light = true }, true},
	{RequiresHuman, (*visit).ask, false},
}

// What is restored after the function needs no step of its own: a stage sees a
// filtered snapshot and returns a patch, so the state itself was never stripped.
// Validation judges what the stage said; a cached output is one that passed.
var after = []struct {
	flag  Flag
	act   func(*visit)
	fresh bool // not for what was skipped or came from the cache
	fine  bool // not after an error
}{
	{IsolatedContext, (*visit).confine, false, true},
	{ReadOnly, (*visit).refuseChanges, false, true},
	{Verbose, (*visit).tell, false, false},
	{Observable, (*visit).measure, false, false},
	{SummarizeOutput, (*visit).summarize, true, true},
	{ValidateOutput, (*visit).validate, true, true},
	{Cacheable, (*visit).store, true, true},
}

func (t *Task) visit(ctx context.Context) (Result, error) {
	node := &t.g.nodes[t.node]
	v := &visit{t: t, ctx: ctx, stage: &node.stage, node: node}
	entry := t.Round == 0
	if entry {
		v.hooksBefore()
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
	if len(v.res.Pauses) > 0 && v.err == nil {
		t.human(ctx, v.res.Pauses)
		return v.res, nil // nothing else of it is kept
	}
	if v.err == nil && v.res.Reached != nil {
		return v.res, nil
	}
	if v.res.Again != "" && v.err == nil {
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
	v.write()
	v.res.look()
	v.res.Patch = append(v.patch, v.res.Patch...)
	return v.res, nil
}

func (v *visit) hooksBefore() {
	for i := range v.t.g.spec.Hooks {
		h := &v.t.g.spec.Hooks[i]
		if h.PreNode == nil {
			continue
		}
		v.t.hook(h, "pre_node", func() error {
			p, err := h.PreNode(v.ctx, v.t)
			if err != nil {
				return err
			}
			next, _, err := v.t.State.with(p, nil)
			if err == nil {
				v.t.State, v.patch = next, append(v.patch, p...)
			}
			return err
		})
	}
}

func (v *visit) hooksAfter() {
	for i := range v.t.g.spec.Hooks {
		h := &v.t.g.spec.Hooks[i]
		if h.PostNode == nil {
			continue
		}
		v.t.hook(h, "post_node", func() error {
			r := v.res
			r.Output = v.value
			if err := h.PostNode(v.ctx, v.t, &r); err != nil {
				return err
			}
			if !bytes.Equal(r.Output, v.value) {
				v.value = r.Output
			}
			r.Output = v.res.Output
			v.res = r
			return nil
		})
	}
}

// skip passes the stage over after a failure.
func (v *visit) skip() {
	if v.t.before != "" {
		v.res, v.over = Result{skipped: fmt.Sprintf("%q failed before it: %s", v.t.before, v.t.beforeError)}, true
	}
}

// cached are outputs of Cacheable stages by stage and inputs.
var cached = Keyed("stage_cache")

type cachedOutput struct {
	Raw   json.RawMessage `json:"raw"`
	Value json.RawMessage `json:"value"` // what goes to the stage's key
}

// cacheKey names the stage and the values of its inputs.
func (v *visit) cacheKey() string {
	inputs := make(map[string]json.RawMessage, len(v.stage.Inputs))
	all := v.t.Context()
	for _, k := range v.stage.Inputs {
		inputs[k] = all[k]
	}
	sum := sha256.Sum256(raw(inputs))
	return string(v.t.Stage) + "#" + hex.EncodeToString(sum[:16])
}

func (v *visit) lookUp() {
	kept, ok := cached.Get(v.t.State)[v.cacheKey()]
	if !ok {
		return
	}
	var c cachedOutput
	if err := json.Unmarshal(kept, &c); err != nil {
		v.t.Emit(Event{Kind: Warned, Reason: "the cached output cannot be read; the stage runs again"})
		return
	}
	v.res, v.over = Result{Output: c.Raw, cached: true}, true
	v.value = c.Value
}

func (v *visit) store() {
	if v.res.Output != nil && v.res.Do == nil && len(v.res.Mutations) == 0 {
		v.res.Patch = append(v.res.Patch, cached.Put(v.cacheKey(), raw(cachedOutput{v.res.Output, v.value})))
	}
}

func (d *driver) historyLen() int {
	h := d.g.spec.History
	if h.channel == nil {
		return 0
	}
	return h.length(d.state.value(h.channel))
}

// hideHistory leaves what is fixed in sight, and what came in this visit.
func (v *visit) hideHistory() {
	h := v.t.g.spec.History
	v.t.State = v.t.State.replaced(h.channel, h.fixed(v.t.State.value(h.channel), v.t.mark))
}

func (v *visit) isolate() {
	own := map[string]json.RawMessage{}
	for _, k := range v.stage.Inputs {
		if x, ok := v.t.Context()[k]; ok {
			own[k] = x
		}
	}
	v.t.State = v.t.State.replaced(v.t.g.spec.Context.definition, own)
}

// replaced is the snapshot with another value in one channel.
func (s Snapshot) replaced(d *definition, value any) Snapshot {
	i := s.graph.slots[d]
	next := Snapshot{s.graph, slices.Clone(s.values)}
	next.values[i] = value
	return next
}

// ask holds the stage until a person lets it run.
func (v *visit) ask() {
	id := fmt.Sprintf("human.%s.%s.%d", v.t.Run.ID, v.t.Stage, v.t.Finished+1)
	answer, ok := v.t.Answer(id)
	if !ok {
		title := v.stage.Title
		if title == "" {
			title = string(v.stage.ID)
		}
		v.over = true
		v.res = Result{Pauses: []Pause{{ID: id, Kind: "question", Data: raw(map[string]any{"stage": v.t.Stage, "choices": []string{"approve", "reject"},
			"prompt": fmt.Sprintf("May %q run?", title), "inputs": v.inputs()})}}}
		return
	}
	var verdict struct {
		Approved bool   `json:"approved"`
		Comment  string `json:"comment"`
	}
	if err := json.Unmarshal(answer, &verdict); err != nil || !verdict.Approved {
		v.over, v.err = true, fmt.Errorf("%w: %s", ErrRejected, cut(verdict.Comment, memberRoom))
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
	if v.stage.Flags.Has(Retryable) {
		if retries = v.stage.MaxRetries; retries == 0 {
			retries = 3
		}
	}
	for try := 0; ; try++ {
		v.err = guarded(func() (err error) { v.res, err = v.stage.Run(v.ctx, v.t); return err })
		if v.err == nil || try >= retries || v.ctx.Err() != nil {
			break
		}
		wait := min(500*time.Millisecond<<try, 8*time.Second)
		v.t.Emit(Event{Kind: StageRetried, Attempt: try + 1, Error: cut(v.err.Error(), textRoom), Data: raw(map[string]int64{"wait_ms": wait.Milliseconds()})})
		if err := v.t.d.x.sleep(v.ctx, wait); err != nil {
			break
		}
	}
	v.took = v.t.Now().Sub(began)
	v.late = v.stage.Within > 0 && v.took > v.stage.Within
	if v.late {
		v.t.Emit(Event{Kind: Warned, Status: "over_time", Reason: fmt.Sprintf("took %s, should take %s", v.took.Round(time.Millisecond), v.stage.Within)})
	}
}

// outputKey is where the raw output of a stage goes.
func outputKey(id StageID) string { return string(id) + "_output" }

// confine drops what the stage wrote to the context beside its output.
func (v *visit) confine() {
	d := v.t.g.spec.Context.definition
	v.res.Patch = slices.DeleteFunc(v.res.Patch, func(w Write) bool {
		return w.channel == d && w.key != v.stage.Output && w.key != outputKey(v.stage.ID)
	})
}

func (v *visit) refuseChanges() {
	if v.res.Do != nil || len(v.res.Mutations) > 0 {
		v.err = ErrReadOnly
	}
}

func (v *visit) tell() {
	e := Event{Kind: StageOutput, Data: raw(map[string]json.RawMessage{"output": v.res.Output})}
	if v.err != nil {
		e.Error = cut(v.err.Error(), textRoom)
	}
	v.t.Emit(e)
}

func (v *visit) measure() {
	m := Metrics{Stage: v.t.Stage, Attempt: v.t.Attempt, Took: v.took, Usage: v.res.Usage, Cached: v.res.cached, Skipped: v.res.skipped != "",
		Failed: v.err != nil, OverTime: v.late, OutputBytes: len(v.res.Output)}
	v.t.Emit(Event{Kind: Observed, Data: raw(m)})
	for i := range v.t.g.spec.Hooks {
		if h := &v.t.g.spec.Hooks[i]; h.OnObservable != nil {
			v.t.hook(h, "on_observable_event", func() error { h.OnObservable(v.ctx, v.t, m); return nil })
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
	err := guarded(func() (err error) { short, err = v.t.g.spec.Summarize(v.ctx, v.t, text); return err })
	if err != nil || short == "" {
		v.t.Emit(Event{Kind: Warned, Status: "not_summarized", Reason: "the output stays as it is", Error: cut(fmt.Sprint(err), textRoom)})
		return
	}
	v.value = raw(short)
}

func (v *visit) validate() {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(v.res.Output))
	if err == nil {
		err = v.node.schema.Validate(doc)
	}
	if err != nil {
		v.err = fmt.Errorf("%w: %w", ErrOutput, err)
	}
}

// write puts the output where other stages look for it.
func (v *visit) write() {
	c := v.t.g.spec.Context
	if c.definition == nil || v.res.Output == nil {
		return
	}
	if v.stage.Output != "" {
		v.res.Patch = append(v.res.Patch, c.Put(v.stage.Output, v.value))
	}
	v.res.Patch = append(v.res.Patch, c.Put(outputKey(v.stage.ID), v.res.Output))
}

// veto asks the hooks about changes of the graph: one no, and none is made.
func (v *visit) veto() {
	if len(v.res.Mutations) == 0 || v.err != nil {
		return
	}
	for i := range v.t.g.spec.Hooks {
		h := &v.t.g.spec.Hooks[i]
		if h.OnMutation == nil {
			continue
		}
		for _, m := range v.res.Mutations {
			if err := guarded(func() error { return h.OnMutation(v.ctx, v.t, m) }); err != nil {
				v.t.Emit(Event{Kind: MutationRefused, Tool: h.Name, Reason: cut(m.Reason, memberRoom), Error: cut(err.Error(), textRoom), Data: raw(map[string]any{"mutation": m})})
				v.res.Mutations = nil
				return
			}
		}
	}
}

// human tells the hooks that the stage waits for a person.
func (t *Task) human(ctx context.Context, pauses []Pause) {
	for i := range t.g.spec.Hooks {
		if h := &t.g.spec.Hooks[i]; h.OnHuman != nil {
			t.hook(h, "on_human_required", func() error { h.OnHuman(ctx, t, pauses); return nil })
		}
	}
}

// failed tells the hooks that the stage failed.
func (t *Task) failed(ctx context.Context, err error) {
	for i := range t.g.spec.Hooks {
		if h := &t.g.spec.Hooks[i]; h.OnError != nil {
			t.hook(h, "on_error", func() error { h.OnError(ctx, t, err); return nil })
		}
	}
}

// PreTool runs the PreTool hooks over a call, before anything of it is planned or
// shown; PostTool runs those after it.
func (t *Task) PreTool(ctx context.Context, c *ToolUse) {
	for i := range t.g.spec.Hooks {
		if h := &t.g.spec.Hooks[i]; h.PreTool != nil {
			t.toolHook(h, "pre_tool", h.PreTool, ctx, c)
		}
	}
}

// PostTool runs the PostTool hooks over a call that was answered.
func (t *Task) PostTool(ctx context.Context, c *ToolUse) {
	for i := range t.g.spec.Hooks {
		if h := &t.g.spec.Hooks[i]; h.PostTool != nil {
			t.toolHook(h, "post_tool", h.PostTool, ctx, c)
		}
	}
}

// toolHook sees to it that a hook that fails half-way changes nothing.
func (t *Task) toolHook(h *Hooks, point string, run func(context.Context, *Task, *ToolUse) error, ctx context.Context, c *ToolUse) {
	t.hook(h, point, func() error {
		changed := *c
		err := run(ctx, t, &changed)
		if err == nil {
			*c = changed
		}
		return err
	})
}

// hook runs one hook. What fails or panics is told in the journal and passed over.
func (t *Task) hook(h *Hooks, point string, run func() error) {
	if err := guarded(run); err != nil {
		t.Emit(Event{Kind: HookFailed, Tool: h.Name, Status: point, Error: cut(err.Error(), textRoom)})
	}
}

// guarded turns a panic into an error.
func guarded(run func() error) (err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("graph: panicked: %v", caught)
		}
	}()
	return run()
}

// Input reads a key of the context as the stage may see it.
func (t *Task) Input(key string) (json.RawMessage, bool) {
	v, ok := t.Context()[key]
	return v, ok
}

// Context is what the stage may see of the context. Treat it as read-only.
func (t *Task) Context() map[string]json.RawMessage {
	if t.g.spec.Context.definition == nil {
		return nil
	}
	return t.g.spec.Context.Get(t.State)
}

// Inherited reads the raw outputs of the stages that this one inherits from.
func (t *Task) Inherited() map[StageID]json.RawMessage {
	ids := t.g.nodes[t.node].stage.Inherit
	out := make(map[StageID]json.RawMessage, len(ids))
	for _, id := range ids {
		if v, ok := t.Context()[outputKey(id)]; ok {
			out[id] = v
		}
	}
	return out
}

// Limit is a limit of the stage's own: def, and what a person granted beyond it.
func (t *Task) Limit(name string, def int) int { return def + t.Run.Limits.Own[name] }

// TokensLeft is what is left of the run's tokens; negative without a limit.
func (t *Task) TokensLeft() int {
	if t.Run.Limits.Tokens <= 0 {
		return -1
	}
	return max(0, t.Run.Limits.Tokens-t.Run.Used.Tokens)
}

// memo is what a stage remembers within one visit; in this process only.
type memo map[string]any

// Memo returns what make made under the key earlier in this visit of the stage,
// or makes it now. A visit spans the stage's re-entries by Result.Again and ends
// when the stage is left; a Stateful stage keeps its memory for the whole run. What
// is remembered does not survive the process: make must give the same again.
func (t *Task) Memo(key string, make func() (any, error)) (any, error) {
	t.d.mu.Lock()
	v, ok := t.d.memos[t.Stage][key]
	t.d.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := make()
	if err != nil {
		return nil, err
	}
	t.d.mu.Lock()
	defer t.d.mu.Unlock()
	if t.d.memos == nil {
		t.d.memos = map[StageID]memo{}
	}
	if t.d.memos[t.Stage] == nil {
		t.d.memos[t.Stage] = memo{}
	}
	t.d.memos[t.Stage][key] = v
	return v, nil
}

// forget ends the memory of a visit.
func (d *driver) forget(id StageID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.memos, id)
}
