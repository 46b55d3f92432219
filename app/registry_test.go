package app_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/agent"
	"holdpoint/engine/graph"
	"holdpoint/engine/record"
	"holdpoint/engine/turn"
)

// "I forgot Begin, and the program died in the middle of a turn." An agent's mistakes are found at start, by its name.
func TestAgents_AMistakeInAnAgentIsFoundAtStart(t *testing.T) {
	whole := agent.Agent{ID: "fridge", Graph: func(map[string]string) (*graph.Graph, error) { return nil, errors.New("not asked") }, Begin: func(turn.Message) graph.Patch { return nil }}
	for _, c := range []struct {
		change func(*agent.Agent) error
		want   string
	}{
		{func(a *agent.Agent) error { a.Begin = nil; return nil }, `"fridge" has no Begin`}, {func(a *agent.Agent) error { a.Graph = nil; return nil }, `"fridge" has no Graph`},
		{func(a *agent.Agent) error { a.ID = ""; return nil }, `"app_test" has no ID`}, {func(a *agent.Agent) error { a.ID = "filing"; return nil }, `two agents are called "filing"`},
		{func(a *agent.Agent) error { *a = agent.Agent{}; return errors.New("no fridge door") }, `"app_test": no fridge door`},
	} {
		_, err := app.NewAgents(t.TempDir(), nil, func(turn.Kit) (agent.Agent, error) {
			a := whole
			err := c.change(&a)
			return a, err
		})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// "My agent's records were shown as raw members." Screens read from the registry what an agent's records are called, and which are forms.
func TestAgents_SayWhatTheirRecordsAre(t *testing.T) {
	r, err := app.NewAgents(t.TempDir(), nil, func(turn.Kit) (agent.Agent, error) {
		return agent.Agent{ID: "fridge", Graph: func(map[string]string) (*graph.Graph, error) { return nil, errors.New("not asked") }, Begin: func(turn.Message) graph.Patch { return nil },
			Maps: []string{"Shelf"}, Records: []agent.RecordType{{Type: "Shelf", Plural: "Shelves", Names: map[string]string{"w_cm": "Width (cm)"}}, {Type: "Order", Form: func(record.Record) (agent.Form, error) { return agent.Form{}, nil }}}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.List()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(all[len(all)-1].Records)
	if want := `[{"type":"Shelf","plural":"Shelves","names":{"w_cm":"Width (cm)"},"map":true},{"type":"Order","form":true}]`; err != nil || string(raw) != want {
		t.Errorf("%s (%v), want %s", raw, err, want)
	}
}

// "My agent's variable for who reads is called reader, and help in danger came in the wrong language." What a variable is, its agent declares:
// the house looks for no name.
func TestAgents_VariablesGoByWhatTheyAreDeclaredAs(t *testing.T) {
	a, err := app.Open(app.Options{Dir: t.TempDir(), Practice: true, Agents: []agent.New{func(turn.Kit) (agent.Agent, error) {
		return agent.Agent{ID: "teller", Graph: func(map[string]string) (*graph.Graph, error) { return nil, errors.New("not asked") }, Begin: func(turn.Message) graph.Patch { return nil },
			Vars: []agent.Var{{Name: "reader", Values: []string{"child", "guardian"}, Audience: true, Carer: "guardian"}, {Name: "tongue", Values: []string{"en", "fr"}, Language: true}, {Name: "land", Values: []string{"FR", "GB"}, Region: true}}}, nil
	}}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	help := func(vars map[string]string) string {
		return app.AsFault(a.WithHelp(app.TurnRequest{Agent: "teller", Text: "I want to kill myself tonight", Vars: vars}, errors.New("refused"))).Help
	}
	if got := help(map[string]string{"land": "FR", "tongue": "fr"}); !strings.Contains(got, "3114") {
		t.Errorf("help in France is %q", got)
	}
	if got := help(map[string]string{"land": "GB"}); !strings.Contains(got, "116 123") && !strings.Contains(got, "999") {
		t.Errorf("help in Britain is %q", got)
	}
	if _, from := a.Offered(app.Settings{}); len(from) < 3 {
		t.Errorf("collections are offered for %v, want the teller's audiences, too", from)
	} else if _, ok := from["guardian"]; !ok {
		t.Errorf("collections are offered for %v, want guardian, too", from)
	}
}
