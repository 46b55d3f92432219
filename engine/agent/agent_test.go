package agent_test

import (
	"testing"

	"holdpoint/engine/agent"
)

func TestAgent_PatternIsTheChosenOrTheUsual(t *testing.T) {
	a := agent.Agent{Patterns: []agent.Pattern{{ID: "first"}, {ID: "second"}}}
	for vars, want := range map[string]string{"": "first", "second": "second"} {
		if got := a.Pattern(map[string]string{agent.PatternVar: vars}); got != want {
			t.Errorf("of %q it is %q, want %q", vars, got, want)
		}
	}
	if got := (&agent.Agent{}).Pattern(nil); got != "" {
		t.Errorf("an agent without patterns has %q", got)
	}
}
