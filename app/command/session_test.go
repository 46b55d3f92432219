package command_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/run"
	"holdpoint/engine/turn"
)

// historyOf is the conversation that a turn was given.
func historyOf(t *testing.T, a *app.App, turn string) (out []turn.Exchange) {
	t.Helper()
	cp, err := a.Store.Load(app.RunID(turn))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cp.Channels {
		if c.Channel == "history" {
			if err := json.Unmarshal(c.Value, &out); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

// TestNavigator_N33_ALongConversationKeepsItsBeginning holds the window of the
// conversation still: were it to move with every turn, a mere "ok, thanks" would
// change what every tool is fed, and the prompt's prefix would never be the same.
func TestNavigator_N33_ALongConversationKeepsItsBeginning(t *testing.T) {
	x := inClinic(t)
	x.open(func(a *app.App) {
		moved, first := 0, ""
		for i := range 30 {
			out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "long", Patient: "pat-alder", Text: fmt.Sprintf("This is thought number %d.", i), Practice: true})
			if err != nil || out.Run.Status != run.Completed {
				t.Fatal(err, out.Run.Status)
			}
			history := historyOf(t, a, out.Run.Turn)
			if want := min(i, 6); len(history) < want || len(history) > 24 {
				t.Fatalf("turn %d knows %d exchanges", i+1, len(history))
			}
			for k := 1; k < len(history); k++ {
				if history[k].User == history[k-1].User {
					t.Fatalf("turn %d knows an exchange twice", i+1)
				}
			}
			if len(history) == 0 {
				continue
			}
			if last := history[len(history)-1].User; last != fmt.Sprintf("This is thought number %d.", i-1) {
				t.Fatalf("turn %d last knows %q", i+1, last)
			}
			if now := history[0].User; first != "" && now != first {
				moved++
			}
			first = history[0].User
		}
		if moved > 3 {
			t.Errorf("in 30 turns the conversation's beginning moved %d times", moved)
		}
	})
}
