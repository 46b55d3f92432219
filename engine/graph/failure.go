package graph

import (
	"encoding/json"
	"errors"
)

// ErrorKey is the key of the context under which the last failure stands that a run
// passed by, until the stage that failed succeeds.
const ErrorKey = "error"

// Kinds of failures.
const (
	KindFailed   = "failed"
	KindRefused  = "refused"  // a tool, or what guards it, said no
	KindRejected = "rejected" // a person said no
	KindUnknown  = "unknown"  // nobody knows whether it was done
	KindLimited  = "limited"  // the stage ran as often as it may
)

// Failure is what stands under ErrorKey.
type Failure struct {
	// Outer is the stage that failed, by its own id; Stage is the innermost inside it that
	// did, by its full one.
	Outer   StageID `json:"node"`
	Stage   StageID `json:"stage"`
	Kind    string  `json:"kind"`
	Message string  `json:"message"`
}

// kinded is an error that knows its kind, and which stage it came from.
type kinded struct {
	kind  string
	stage StageID
	error
}

func (k kinded) FailureStage() StageID { return k.stage }

func (k kinded) FailureKind() string { return k.kind }
func (k kinded) Unwrap() error       { return k.error }

// OfKind is the error as one of a kind.
func OfKind(kind string, err error) error { return kinded{kind, "", err} }

// Because is the error as one that an earlier failure led to.
func Because(f Failure, err error) error { return kinded{f.Kind, f.Stage, err} }

// StageOf is the stage that an error came from; "" where it does not say.
func StageOf(err error) StageID {
	var k interface{ FailureStage() StageID }
	if errors.As(err, &k) {
		return k.FailureStage()
	}
	return ""
}

// KindOf is the kind of a failure: what an error in its chain says by FailureKind.
func KindOf(err error) string {
	var k interface{ FailureKind() string }
	if errors.As(err, &k) && k.FailureKind() != "" {
		return k.FailureKind()
	}
	return KindFailed
}

// FailureIn is the last failure as a context has it; ok is false for none.
func FailureIn(context map[string]json.RawMessage) (f Failure, ok bool) {
	raw, ok := context[ErrorKey]
	return f, ok && json.Unmarshal(raw, &f) == nil && f.Outer != ""
}

// failureFound puts under ErrorKey the failure that is found first under these keys, and none
// where there is none.
func failureFound(context map[string]json.RawMessage, keys []string) map[string]json.RawMessage {
	if _, ok := context[ErrorKey]; !ok {
		return context
	}
	for _, key := range keys {
		if f, has := context[key]; has {
			return put(context, ErrorKey, f, false).(map[string]json.RawMessage)
		}
	}
	return put(context, ErrorKey, nil, false).(map[string]json.RawMessage)
}

// Fail is what the failure of stage n writes; nothing without a context.
func (g *Graph) Fail(n int, f Failure) (out Patch) {
	if g.spec.Context.definition == nil {
		return nil
	}
	f.Outer = g.Stages[n].Stage.ID
	for _, key := range g.Stages[n].failures.kept {
		out = append(out, g.spec.Context.Put(key, raw(f)))
	}
	return g.Stages[n].Placed(out)
}

// Mend is what the success of stage n writes after it failed.
func (g *Graph) Mend(s Snapshot, n int) (out Patch) {
	if g.spec.Context.definition == nil {
		return nil
	}
	s.scope, s.keys = g.Stages[n].scope, nil // all that stands there, not what the stage sees
	context := g.spec.Context.Get(s)
	for _, key := range g.Stages[n].failures.kept {
		var f Failure
		if json.Unmarshal(context[key], &f) == nil && f.Outer == g.Stages[n].Stage.ID {
			out = append(out, g.spec.Context.Put(key, nil))
		}
	}
	return g.Stages[n].Placed(out)
}
