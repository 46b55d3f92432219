package companion_test

import (
	"strings"
	"testing"

	"holdpoint/engine/model"
)

// "Under its advice about sleep stood a source on bullying."
func TestCompanion_C7_OnlySourcesThatAreCitedOrWereJudgedToHelpAreShown(t *testing.T) {
	const advice = `{"advice":"Go to bed at ten every evening, and put the phone away for the exams.","sources":[],"action":"user_feedback"}`
	shown := func(change func(*voice)) string {
		w := newWorld(t, "teen", "en")
		w.voice.answers["GiveAdviceAnswer"] = advice
		change(w.voice)
		_, sources, _ := strings.Cut(w.say("s", everything["en"]).reply, "Where this comes from:")
		return sources
	}
	if s := shown(func(v *voice) { v.fails["Relevance"] = model.ErrBroken }); s != "" {
		t.Errorf("what nobody judged and nobody cites is shown: %s", s)
	}
	if s := shown(func(v *voice) {
		v.fails["Relevance"] = model.ErrBroken
		v.answers["GiveAdviceAnswer"] = strings.Replace(advice, "exams.", "exams (S2).", 1)
	}); !strings.Contains(s, "S2 ") || strings.Contains(s, "S1 ") {
		t.Errorf("what the advice names in its words is not what is shown: %s", s)
	}
	if s := shown(func(v *voice) { v.answers["Relevance"] = `{"scores":[{"id":"P1","score":9},{"id":"P2","score":2}]}` }); !strings.Contains(s, "S1 ") || strings.Contains(s, "S2 ") {
		t.Errorf("not what was judged to help: %s", s)
	}
}
