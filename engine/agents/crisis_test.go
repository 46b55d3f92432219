package agents_test

import (
	"testing"
	"time"

	"holdpoint/engine/agent"
	"holdpoint/engine/agents"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/engine/safety"
	"holdpoint/engine/turn"
	"holdpoint/store/storetest"
)

// "The same sentence, in the same conversation, was helped in French by one agent and in English by
// the other." Every agent has the one check: the same message gets the same text and is told of alike.
func TestBuiltIn_TheSameMessageInDangerIsAnsweredAlikeByEveryAgent(t *testing.T) {
	for _, c := range []struct{ text, language string }{
		{"Ich will sterben, ich bringe mich heute um", "fr"}, {"no quiero vivir, me quiero morir", "en"}, {"I want to kill myself tonight", ""}, {"je veux me tuer", ""},
	} {
		text, told := "", ""
		for _, build := range agents.BuiltIn() {
			a, err := build(turn.Kit{})
			if err != nil {
				t.Fatal(err)
			}
			vars := map[string]string{}
			if len(a.Patterns) > 0 {
				vars[agent.PatternVar] = a.Patterns[0].ID
			}
			if c.language != "" {
				vars["language"] = c.language
			}
			g, err := a.Graph(vars)
			if err != nil {
				t.Fatal(err)
			}
			db := storetest.Open(t)
			x := run.NewExecutor(run.Options{Store: db, Now: time.Now, NewID: func() string { return "id" }})
			out, err := x.Start(t.Context(), g, run.StartRequest{ID: "turn:1", Session: "s", Turn: "1", Input: c.text, Vars: vars,
				State: a.Begin(turn.Message{Text: c.text, Vars: vars}), Dependencies: &turn.Dependencies{Region: "US", Language: safety.English}})
			if err != nil || out.Run.Status != run.Completed {
				t.Fatalf("%s: %q ended %s (%v)", a.ID, c.text, out.Run.Status, err)
			}
			events, err := db.Journal("s", 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			var stages []graph.StageID
			said := ""
			for _, e := range events {
				switch e.Kind {
				case journal.StageStarted:
					stages = append(stages, e.Stage)
				case journal.SafetyChecked:
					said += e.Status + string(e.Data)
				}
			}
			if len(stages) < 2 || stages[0] != turn.Preflight || stages[1] != turn.SafetyIntervention {
				t.Errorf("%s: %q ran %v", a.ID, c.text, stages)
			}
			if text == "" {
				text, told = out.Run.Output, said
			}
			if out.Run.Output != text || said != told {
				t.Errorf("%s answers %q with\n%s\n%s\nnot\n%s\n%s", a.ID, c.text, out.Run.Output, said, text, told)
			}
		}
	}
}
