package turn_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/engine/turn"
	"holdpoint/store/storetest"
)

var reply = graph.Value[string]("reply")

// guarded is a graph of one stage that says "through", behind the crisis stages.
func guarded(t *testing.T) *graph.Graph {
	t.Helper()
	s, err := turn.Guard(graph.Spec{Agent: "plain", Channels: []graph.AnyChannel{reply}, Reply: reply,
		Stages: []graph.Stage{{ID: "say", Run: func(context.Context, *graph.Task) (graph.Result, error) {
			return graph.Result{Patch: graph.Patch{reply.Set("through")}}, nil
		}}},
		Edges: []graph.Edge{{From: graph.Start, To: "say", Type: graph.Entry}, {From: "say", To: graph.End, Type: graph.Exit}}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestGuard_WhoSpeaksOfDangerGetsTheReviewedText runs the same graph with and without
// danger in the message; no model is at hand in either.
func TestGuard_WhoSpeaksOfDangerGetsTheReviewedText(t *testing.T) {
	db := storetest.Open(t)
	defer db.Close()
	x := run.NewExecutor(run.Options{Store: db, Now: time.Now, NewID: func() string { return "id" }})
	for id, c := range map[string]struct{ text, says string }{"1": {"Good morning", "through"}, "2": {"I want to kill myself", "988"}} {
		out, err := x.Start(t.Context(), guarded(t), run.StartRequest{ID: graph.RunID("turn:" + id), Session: "s" + id, Turn: id, Input: c.text, Dependencies: &turn.Dependencies{Region: "US"}})
		if err != nil || out.Run.Status != run.Completed || !strings.Contains(out.Run.Output, c.says) {
			t.Errorf("%q is answered with %q (%s %v)", c.text, out.Run.Output, out.Run.Status, err)
		}
		events, err := db.Journal("s"+id, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		checked := slices.IndexFunc(events, func(e journal.Event) bool { return e.Kind == journal.SafetyChecked })
		if checked < 0 || events[checked].Status != "rules" {
			t.Fatalf("%q: nothing tells of the check", c.text)
		}
		var data map[string]any
		if err := json.Unmarshal(events[checked].Data, &data); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"by", "category", "concern", "degraded", "hijack", "level", "reason", "region", "rules", "rules_version", "score", "speaker", "language", "threshold", "tiers"} {
			if _, ok := data[want]; !ok || data["region"] != "US" {
				t.Errorf("the check tells no %s: %v", want, data)
			}
		}
	}
}

func TestGuard_RefusesGraphsThatItCannotStandBefore(t *testing.T) {
	nothing := func(context.Context, *graph.Task) (graph.Result, error) { return graph.Result{}, nil }
	two := graph.Spec{Stages: []graph.Stage{{ID: "a", Run: nothing}, {ID: "b", Run: nothing}},
		Edges: []graph.Edge{{From: graph.Start, To: "a", Type: graph.Entry}, {From: graph.Start, To: "b", Type: graph.Entry}}}
	own := graph.Spec{Stages: []graph.Stage{{ID: turn.Preflight, Run: nothing}}, Edges: []graph.Edge{{From: graph.Start, To: turn.Preflight, Type: graph.Entry}}}
	for name, s := range map[string]graph.Spec{"two entries": two, "a stage of its name": own} {
		if _, err := turn.Guard(s); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
}

func TestIntervene_AnUnknownRegionStillGetsAText(t *testing.T) {
	text, message := turn.Intervene(turn.Safety{Category: "nothing", Region: "XX"}, "m1")
	if text == "" || message.Text != text || message.Message != "m1" || message.Kind != journal.Message {
		t.Errorf("%q %+v", text, message)
	}
}
