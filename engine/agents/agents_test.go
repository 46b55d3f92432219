package agents_test

import (
	"os"
	"path/filepath"
	"testing"

	"holdpoint/engine/agent"
	"holdpoint/engine/agents"
	"holdpoint/engine/definition"
	"holdpoint/engine/turn"
)

// TestBuiltIn_RunsThatBeganBeforeGoOn has the fingerprints that graphs had while the
// agents still declared what package turn has now.
func TestBuiltIn_RunsThatBeganBeforeGoOn(t *testing.T) {
	before := map[string]string{ // by agent and pattern
		"navigator/":          "sha256:92637ab5c894087a03089e110aedc6db37b1c37a53c8c6cc7efcaa0351a365eb",
		"reasoner/autonomous": "sha256:480fbc281ac0427e37b809320e200c91d6e8750fda2dbdaf4aa090bb7625868b",
		"reasoner/debate":     "sha256:52fb218dfce2590d3a1af216fdd9aefd1c4f0e2a81ec0d871f4564d03ebca9a0",
		"reasoner/deliberate": "sha256:3ee92f2499cba8526f90699995fc48a58a266169cbfe921b2c4dfc60af448159",
		"reasoner/peoatr":     "sha256:5f0f0dbc2102e17e5f786178cf2670692db3cc885de316949b697baf282f64f8",
		"reasoner/pipeline":   "sha256:9791442f5d9fab5f92513742b4480d5c023a8088ce1a24f80ee51d1332057202",
		"reasoner/react":      "sha256:6f639d56d0f572338fb799f41ecdc22b58011ff3c230684c2af0c2b58515a7d0",
		"reasoner/research":   "sha256:68f33b9d36aa3a26ea7e46783a811abf1ae3d86690d1b4f194e8b305263d0663",
		"reasoner/verify":     "sha256:aea98efc0f493c612c60c406fbad8d3fac90ae0faca37081dbc0dccb7d642a26",
	}
	found := 0
	for _, build := range agents.BuiltIn() {
		a, err := build(turn.Kit{})
		if err != nil {
			t.Fatal(err)
		}
		patterns := []string{""}
		if len(a.Patterns) > 0 {
			patterns = nil
			for _, p := range a.Patterns {
				patterns = append(patterns, p.ID)
			}
		}
		for _, p := range patterns {
			fingerprint, known := before[a.ID+"/"+p]
			if !known {
				continue
			}
			found++
			g, err := a.Graph(map[string]string{agent.PatternVar: p})
			if err != nil {
				t.Fatal(err)
			}
			if !g.Recognizes(fingerprint) && a.Earlier != nil {
				// It goes on on the graph that it began on.
				if g, err = a.Earlier(map[string]string{agent.PatternVar: p}); err != nil || g == nil {
					t.Fatal(a.ID, p, err)
				}
			}
			if !g.Recognizes(fingerprint) {
				t.Errorf("a run of %s %s that waits since then is refused", a.ID, p)
			}
		}
	}
	if found != len(before) {
		t.Errorf("%d of %d graphs are there", found, len(before))
	}
	for name, fingerprint := range map[string]string{
		"ask_first": "sha256:e7e05e18ee0f36c9adc12677345641b65db324a8dd9920385fca36ab32f4941c",
		"triage":    "sha256:d37c9f4a788bf931b17154c113fbe409560721b6bd1cfe611a8248536c07009a",
	} {
		text, err := os.ReadFile(filepath.Join("../definition/examples", name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		a, err := definition.Agent(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		g, err := a.Graph(nil)
		if err != nil || !g.Recognizes(fingerprint) {
			t.Errorf("a run of the file %s that waits since then is refused (%v)", name, err)
		}
	}
}
