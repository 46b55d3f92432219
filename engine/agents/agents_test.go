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
// agents still declared what package turn has now, and those of the form before today's.
func TestBuiltIn_RunsThatBeganBeforeGoOn(t *testing.T) {
	goOn(t, map[string]string{ // by agent and pattern
		"navigator/":          "sha256:92637ab5c894087a03089e110aedc6db37b1c37a53c8c6cc7efcaa0351a365eb",
		"reasoner/autonomous": "sha256:480fbc281ac0427e37b809320e200c91d6e8750fda2dbdaf4aa090bb7625868b",
		"reasoner/debate":     "sha256:52fb218dfce2590d3a1af216fdd9aefd1c4f0e2a81ec0d871f4564d03ebca9a0",
		"reasoner/deliberate": "sha256:3ee92f2499cba8526f90699995fc48a58a266169cbfe921b2c4dfc60af448159",
		"reasoner/peoatr":     "sha256:5f0f0dbc2102e17e5f786178cf2670692db3cc885de316949b697baf282f64f8",
		"reasoner/pipeline":   "sha256:9791442f5d9fab5f92513742b4480d5c023a8088ce1a24f80ee51d1332057202",
		"reasoner/react":      "sha256:6f639d56d0f572338fb799f41ecdc22b58011ff3c230684c2af0c2b58515a7d0",
		"reasoner/research":   "sha256:68f33b9d36aa3a26ea7e46783a811abf1ae3d86690d1b4f194e8b305263d0663",
		"reasoner/verify":     "sha256:aea98efc0f493c612c60c406fbad8d3fac90ae0faca37081dbc0dccb7d642a26",
	}, map[string]string{ // by file
		"ask_first": "sha256:e7e05e18ee0f36c9adc12677345641b65db324a8dd9920385fca36ab32f4941c",
		"triage":    "sha256:d37c9f4a788bf931b17154c113fbe409560721b6bd1cfe611a8248536c07009a",
	})
	goOn(t, map[string]string{
		"navigator/":          "sha256:faba97ae6babdd016a6dffe25ce6471bdfe4e3daefbb5b98a9fe215f9e529e7d",
		"reasoner/react":      "sha256:1bc24f97ee1088ef221e7e361826975624a9b381f39f60989e8827647348ba49",
		"reasoner/peoatr":     "sha256:9309c4951ce77e20a9299ea4b13181359ef3dfa9a1fdf98c541b9ccf8ec03e80",
		"reasoner/research":   "sha256:01d7a99ebda0c056991ea82564a9448460db0669e2899dc47d21b7e3b3f213b0",
		"reasoner/autonomous": "sha256:dc085db3836ab9e9dd3ffe71284702836de8ebcb9f4278f9f0a7c2f5989a4ae8",
		"reasoner/deliberate": "sha256:6d6e9880972073134decdf4f5d98e7bfd47bb02319c1883cfc192e6c4d890ce2",
		"reasoner/debate":     "sha256:f98ed150d43cdb37e999821f1424909ca5c9723ddc858cc4075936de5694d367",
		"reasoner/pipeline":   "sha256:46d163bf8b10e6ddb9813f649d6128adeef8dd471b4741654453ada41a23534b",
		"reasoner/verify":     "sha256:cbb2f078ad3285a794159c13ea4661628a006156fe42836166da2bc3ab04be4d",
		"filing/desk":         "sha256:7eba8d843622ca54e692aebc82c4b70aab3e4ceb49a829875746434f8ae4260b",
		"filing/general":      "sha256:5aa8a941ffc6359b7df5cafa9832281c339ebf493d06e027dbb995f0bc26577b",
		"researcher/":         "sha256:e07a03724b9f89db9a7305322bbd20cc080a2fb1e4a442ef47173d1a5852236a",
		"companion/":          "sha256:8bb1c180ffcba5e2840278ee2308bd666b0ce8796d1951f5423e259ecc1e0db0",
	}, map[string]string{
		"ask_first":        "sha256:5d7c771dd4ac3d91f543a4ef726bfa707e3366bf1e6eb0ee8d056799fa05b03a",
		"triage":           "sha256:fa083868c55d8e0320c3749c027a20faa06aad6addac4d9eeb163e60786bf522",
		"safe_letters":     "sha256:76039a4065a7040117deb289ba9ecdfcb081e58e56304e2db3eba3d9a13611fa",
		"letter_in_rounds": "sha256:12f6bc0b3204129f3001049b6e276a91b04f73feae95b38a99fa161be0cdad37",
		"two_opinions":     "sha256:fbfd4701a351e84fe629a4ac969e2d2357ea0b19b40f507ffb54559f38556cf8",
	})
}

// goOn says that graphs of agents and of files take on runs with fingerprints of before.
func goOn(t *testing.T, before, files map[string]string) {
	t.Helper()
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
	for name, fingerprint := range files {
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
