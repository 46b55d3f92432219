package reasoner_test

import (
	"errors"
	"testing"

	"holdpoint/engine/agents/reasoner"
	"holdpoint/engine/definition"
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
