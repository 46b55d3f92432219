package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/sourcegraph/conc/panics"
)

// memo is what a stage remembers within one visit; in this process only.
type memo struct {
	mu     sync.Mutex
	values map[string]any
}

// Memo returns what make made under the key earlier in this visit of the stage,
// or makes it now. A visit spans the stage's re-entries by Result.Again and ends
// when the stage is left; a Stateful stage keeps its memory for the whole run. What
// is remembered does not survive the process: make must give the same again.
func (t *Task) Memo(key string, make func() (any, error)) (any, error) {
	t.memo.mu.Lock()
	defer t.memo.mu.Unlock()
	if v, ok := t.memo.values[key]; ok {
		return v, nil
	}
	v, err := make()
	if err != nil {
		return nil, err
	}
	if t.memo.values == nil {
		t.memo.values = map[string]any{}
	}
	t.memo.values[key] = v
	return v, nil
}

// Input reads a key of the context as the stage may see it.
func (t *Task) Input(key string) (json.RawMessage, bool) {
	v, ok := t.Context()[key]
	return v, ok
}

// Context is what the stage may see of the context. Treat it as read-only.
func (t *Task) Context() map[string]json.RawMessage {
	return KeyedChannel{t.d.g.spec.Context.definition}.Get(t.State)
}

// Limit is a limit of the stage's own: def, or what a person granted beyond it.
func (t *Task) Limit(name string, def int) int { return def + t.Run.Limits.Own[name] }

// TokensLeft is what is left of the run's tokens; negative without a limit.
func (t *Task) TokensLeft() int {
	if t.Run.Limits.Tokens <= 0 {
		return -1
	}
	return max(0, t.Run.Limits.Tokens-t.Run.Used.Tokens)
}

// PreTool runs the PreTool hooks over a call, before anything of it is planned or
// shown; PostTool runs those after it.
func (t *Task) PreTool(ctx context.Context, c *ToolUse) {
	t.hooks("pre_tool", func(h *Hooks) func() error {
		if h.PreTool == nil {
			return nil
		}
		return func() error {
			changed := *c // a hook that fails half-way changes nothing
			err := h.PreTool(ctx, t, &changed)
			if err == nil {
				*c = changed
			}
			return err
		}
	})
}

// PostTool runs the PostTool hooks over a call that was answered.
func (t *Task) PostTool(ctx context.Context, c *ToolUse) {
	t.hooks("post_tool", func(h *Hooks) func() error {
		if h.PostTool == nil {
			return nil
		}
		return func() error {
			changed := *c
			err := h.PostTool(ctx, t, &changed)
			if err == nil {
				*c = changed
			}
			return err
		}
	})
}

// hooks runs one kind of hook in registration order. What fails or panics is told
// in the journal and passed over.
func (t *Task) hooks(point string, pick func(*Hooks) func() error) {
	for i := range t.d.g.spec.Hooks {
		h := &t.d.g.spec.Hooks[i]
		run := pick(h)
		if run == nil {
			continue
		}
		if err := guarded(run); err != nil {
			t.Emit(Event{Kind: HookFailed, Tool: h.Name, Status: point, Error: cut(err.Error(), textRoom)})
		}
	}
}

// guarded turns a panic into an error.
func guarded(run func() error) (err error) {
	if caught := panics.Try(func() { err = run() }); caught != nil {
		return fmt.Errorf("graph: panicked: %v", caught.Value)
	}
	return err
}
