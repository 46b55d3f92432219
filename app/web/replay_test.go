package web_test

import (
	"net/http"
	"slices"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/journal"
)

// "I wanted another answer from the same reading of the record, and had to ask everything anew." A turn's
// stream names its checkpoints, and a screen can have the turn carried out again from each of them.
func TestNavigator_N40_TheStreamsCheckpointsAreWhereAReplayBegins(t *testing.T) {
	w := open(t)
	events, stop := w.app.Listen("")
	defer stop()
	var steps []int
	ran := func(turn string) (stages []string) {
		t.Helper()
		for e := range events {
			if e.Turn != turn {
				continue
			}
			switch e.Kind {
			case journal.CheckpointSaved:
				d, err := journal.Read[journal.CheckpointSavedData](e)
				if err != nil {
					t.Fatal(err)
				}
				steps = append(steps, d.Step)
			case journal.StageStarted:
				stages = append(stages, string(e.Stage))
			case journal.TurnCompleted:
				return stages
			case journal.TurnFailed:
				t.Fatalf("%s: %s", turn, e.Error)
			}
		}
		t.Fatalf("the events ended before %s", turn)
		return nil
	}
	s := done[app.Started](w, "send", map[string]any{"agent": "navigator", "text": "I'd like to see someone about my sleep"})
	all := ran(s.Turn)
	if len(steps) < 3 {
		t.Fatalf("the stream names the checkpoints %v", steps)
	}
	from := steps[len(steps)-2]
	again := done[app.Started](w, "replay", map[string]any{"turn": s.Turn, "step": from})
	if late := ran(again.Turn); again.Turn == s.Turn || len(late) == 0 || len(late) >= len(all) || !slices.Contains(late, "finalize") || slices.Contains(late, "preflight") {
		t.Errorf("from step %d of %v: %v ran", from, all, late)
	}
	if turns := get[[]app.TurnView](w, "/api/sessions/"+s.Session+"/turns"); len(turns) != 2 || turns[0].Output == "" || turns[1].Output != turns[0].Output {
		t.Errorf("%+v", turns)
	}
	if fault := refused(w, http.StatusBadRequest, "replay", map[string]any{"turn": s.Turn, "step": 99}); fault.Hint == "" {
		t.Errorf("a checkpoint that is none: %+v", fault)
	}
}
