package reasoner

import (
	"errors"
	"slices"
	"testing"
)

func TestReasoner_R03_EveryPatternBuildsAGraph(t *testing.T) {
	var ids []string
	for _, p := range Patterns() {
		ids = append(ids, p.ID)
		if _, err := Parse([]byte(p.Text)); err != nil {
			t.Errorf("%s: %v", p.ID, err)
			continue
		}
		a, err := New(p.ID)
		if err != nil {
			t.Errorf("%s: %v", p.ID, err)
			continue
		}
		if m := a.Graph.Manifest(); m.Agent != Name || p.Title == "" || p.Description == "" || p.Example == "" || p.Doc == "" {
			t.Errorf("%s lacks a title, a description, an example or a paragraph: %+v", p.ID, p)
		}
	}
	if want := []string{"react", "peoatr", "research", "autonomous", "deliberate", "debate", "pipeline", "verify"}; !slices.Equal(ids, want) {
		t.Errorf("patterns are %v, want %v", ids, want)
	}
	if _, err := New("nonsense"); !errors.Is(err, ErrPattern) {
		t.Errorf("an unknown pattern gives %v", err)
	}
	a, err := New("")
	if err != nil || a.Definition.Title != "Reason and act" {
		t.Errorf("without a pattern the agent is %q (%v), want react", a.Definition.Title, err)
	}
}
