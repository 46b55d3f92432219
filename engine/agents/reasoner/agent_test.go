package reasoner_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"holdpoint/engine/agents/reasoner"
	"holdpoint/engine/definition"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
)

func TestReasoner_RunsThePatternThatIsNamed(t *testing.T) {
	for _, p := range definition.Patterns() {
		def, err := reasoner.Definition(p.ID)
		if err != nil || def.Name != reasoner.Name || def.Title != p.Title {
			t.Errorf("%s gives %q, %q (%v)", p.ID, def.Name, def.Title, err)
		}
	}
	if def, err := reasoner.Definition(""); err != nil || def.Title != "Reason and act" {
		t.Errorf("without a pattern the agent is %q (%v), want react", def.Title, err)
	}
	if _, err := reasoner.Definition("nonsense"); !errors.Is(err, definition.ErrPattern) {
		t.Errorf("an unknown pattern gives %v", err)
	}
}

func TestAdmit_shows_the_newest_turns(t *testing.T) {
	var history []reasoner.Exchange
	var newest []model.Message
	for i := range 25 {
		e := reasoner.Exchange{User: fmt.Sprint("q", i), Reply: fmt.Sprint("a", i)}
		history = append(history, e)
		if i >= 5 {
			newest = append(newest, model.Message{Role: "user", Text: e.User}, model.Message{Role: "assistant", Text: e.Reply})
		}
	}
	vars := map[string]string{"tone": "plain"}
	a := reasoner.Admit(run.Admission{Input: "now", Vars: vars}, history)
	if want := definition.State("now", vars, newest...); !reflect.DeepEqual(a.State, want) {
		t.Errorf("the run begins with %v, want %v", a.State, want)
	}
}
