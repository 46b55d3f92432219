package prompt

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"sync"
	"testing"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/store/storetest"
)

var errCut = errors.New("the process is gone")

// cutter is a store that fails for good from its nth write on.
type cutter struct {
	run.Checkpointer
	mu sync.Mutex
	at int
	n  int
}

func (c *cutter) Apply(commits ...*run.Commit) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n++; c.at > 0 && c.n >= c.at {
		return errCut
	}
	return c.Checkpointer.Apply(commits...)
}

// TestAVisitThatDiesAnywhereEndsLikeOneThatDoesNot has the process die at each
// write of a run with reads, an approval and an answer.
func TestAVisitThatDiesAnywhereEndsLikeOneThatDoesNot(t *testing.T) {
	answer := func(r model.Request) (model.Message, error) {
		if err := wellFormed(r.Messages); err != nil {
			return model.Message{}, err
		}
		switch results := len(r.Messages) - 2; results {
		case 0:
			return calling(wants("look", `{"q":"a"}`), wants("look", `{"q":"b"}`)), nil
		case 3:
			return model.Message{Text: "I propose this.", Calls: []model.Call{wants("write", `{"q":"c"}`)}}, nil
		}
		return model.Message{Text: "done"}, nil
	}
	n := &Node{Name: "a", Says: true, Tools: []string{"*"}, Inputs: []string{"topic"}, Before: func(context.Context, *graph.Task) (graph.Patch, error) {
		return graph.Patch{Context.Put("topic", json.RawMessage(`"t"`))}, nil
	}}
	stage := n.Stage()
	play := func(at int) (out run.Outcome, l *lab, writes int) {
		l = newLab(t, &puppet{answer: answer}, look("look", nil), write("write", nil)).build(spec(stage))
		disk := &cutter{Checkpointer: l.db, at: at}
		start := run.StartRequest{ID: "turn:1", Session: "s", Turn: "1", Dependencies: l.live, State: graph.Patch{Messages.Add(model.Message{Role: "user", Text: "hello"})}}
		exec := func() *run.Executor {
			return run.NewExecutor(run.Options{Store: disk, Now: func() time.Time { return t0 }, NewID: func() string { return "id" }})
		}
		out, err := exec().Start(context.Background(), l.g, start)
		for tries := 0; tries < 10; tries++ {
			switch {
			case errors.Is(err, run.ErrNoRun), err != nil && tries == 0:
				// Dead before it was admitted: the person asks again.
				disk.mu.Lock()
				disk.at = 0
				disk.mu.Unlock()
				out, err = exec().Start(context.Background(), l.g, start)
			case err != nil || errors.Is(out.Err, errCut):
				disk.mu.Lock()
				disk.at = 0
				disk.mu.Unlock()
				out, err = exec().Resume(context.Background(), l.g, "turn:1", run.Resumption{Dependencies: l.live})
			case out.Run.Status == run.Paused:
				id := out.Pauses[0].ID
				_, err = storetest.Decide(l.db, ledger.Verdict{ID: id, Approve: true, Reviewer: "Test Reviewer"}, t0)
				if !errors.Is(err, ledger.ErrDecided) {
					must(t, err)
				}
				out, err = exec().Resume(context.Background(), l.g, "turn:1", run.Resumption{Dependencies: l.live, Answers: map[string]json.RawMessage{id: json.RawMessage(`{"decided":true}`)}})
			default:
				return out, l, disk.n
			}
		}
		t.Fatalf("write %d: the run does not end: %s %v %v", at, out.Run.Status, out.Err, err)
		return
	}
	whole, _, writes := play(0)
	wantStatus(t, whole, run.Completed)
	want := Messages.Get(whole.State)
	if len(want) != 7 || writes < 6 {
		t.Fatalf("%d messages after %d writes", len(want), writes)
	}
	for at := 1; at <= writes; at++ {
		out, l, _ := play(at)
		wantStatus(t, out, run.Completed)
		if got := Messages.Get(out.State); !reflect.DeepEqual(got, want) {
			t.Errorf("write %d: the conversation is\n%+v\nwant\n%+v", at, got, want)
		}
		if e := l.entries(); len(e) != 1 || e[0].State != ledger.Committed {
			t.Errorf("write %d: ledger %+v", at, e)
		}
		committed := 0
		events, err := l.db.Journal("s", 0, 1000)
		must(t, err)
		for _, e := range events {
			if e.Kind == journal.MutationCommitted {
				committed++
			}
		}
		if committed != 1 {
			t.Errorf("write %d: committed %d times", at, committed)
		}
	}
}
