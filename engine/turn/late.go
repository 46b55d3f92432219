package turn

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"holdpoint/engine/graph"
)

// LateCheck has the stages of a graph ask the model's classifier about a message
// that it did not judge at the beginning: the model was still being read from disk, its server hung,
// or there was none and the turn was resumed once there was. The first of them during or after which
// a model answered asks, once. Danger that only the model sees ends the turn with the reviewed text
// (or shows the check-in); a reply that was written by then stays above it.
func LateCheck(s *graph.Spec) error {
	light, err := NewLight(SafetyQuestion)
	if err != nil {
		return err
	}
	lateCheck(s, s.Reply, light, new(sync.Map))
	return nil
}

// lateCheck is LateCheck of one level. asked are the turns of which a stage asked: those beside it do not
// see that in the state yet.
func lateCheck(s *graph.Spec, reply graph.Channel[string], light *Light, asked *sync.Map) {
	s.Stages = slices.Clone(s.Stages)
	for i := range s.Stages {
		st := &s.Stages[i]
		if st.Graph != nil {
			inner := *st.Graph
			lateCheck(&inner, reply, light, asked)
			st.Graph = &inner
		}
		if st.Run == nil || st.Role == graph.RolePreflight || st.Role == graph.RoleIntervention {
			continue
		}
		work := st.Run
		st.Run = func(ctx context.Context, t *graph.Task) (graph.Result, error) {
			if ChannelSafety.Get(t.State).Late {
				return over(), nil // a stage beside the one before this asked
			}
			if !ChannelSafety.Get(t.State).Unjudged {
				return work(ctx, t)
			}
			answered := new(atomic.Bool)
			r, err := work(context.WithValue(ctx, answeredKey{}, answered), t)
			if err != nil || len(r.Pauses) > 0 || r.Reenter != "" || r.Reached != nil || !answered.Load() {
				return r, err
			}
			if _, other := asked.LoadOrStore(t.Run.ID, true); other {
				return r, nil
			}
			if r, err = judgeLate(ctx, t, light, r, reply); err != nil {
				asked.Delete(t.Run.ID)
			}
			return r, err
		}
	}
}

// over ends a turn to which help was shown late.
func over() graph.Result {
	return graph.Result{Goto: graph.End, Reason: "the model's check of the message came late and saw danger"}
}

// judgeLate adds to a stage's result what the model says of the turn's message now.
func judgeLate(ctx context.Context, t *graph.Task, light *Light, r graph.Result, reply graph.Channel[string]) (graph.Result, error) {
	d, err := DependenciesOf(t)
	if err != nil {
		return r, nil //nolint:nilerr // nobody to ask
	}
	before := ChannelSafety.Get(t.State)
	found := d.CheckMessage(t, t.Run.Input)
	found.shown = before.Concern
	judged, err := light.ask(ctx, t, found, t.Run.Input)
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	if err != nil {
		before.Unjudged = false // once is enough: what was said of the check stays true
		r.Patch = append(r.Patch, ChannelSafety.Set(before))
		return r, nil
	}
	found.Heed(judged, nil)
	found.Safety.Late = found.Hijack
	r.Patch, r.Events = append(r.Patch, found.Patch()...), append(r.Events, found.Events(t)...)
	if !found.Hijack {
		return r, nil
	}
	text, message := Intervene(found.Safety, t.Run.Turn+"/intervention")
	if change := r.Do; change == nil {
		r.Do = untitled(t)
	} else {
		r.Do = func(tx graph.Tx, tell graph.Tell) error {
			return errors.Join(change(tx, tell), untitled(t)(tx, tell))
		}
	}
	r.Patch, r.Events = append(r.Patch, reply.Set(text)), append(r.Events, message)
	end := over()
	r.Goto, r.Route, r.Reason = end.Goto, "", end.Reason
	return r, nil
}
