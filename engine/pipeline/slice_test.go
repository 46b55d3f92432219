package pipeline

import (
	"testing"

	"holdpoint/engine/model"
)

func TestNavigator_N33_AcknowledgementsAreLeftOut(t *testing.T) {
	for text, want := range map[string]bool{
		"ok, thanks": true, "OK": true, "Thanks!": true, "thank you so much for your help": true, "Got it.": true, "👍": true,
		"👍🏽": true, "🙏🙏": true, "Okay great, thank you!": true, "merci beaucoup": true, "sounds good": true, "that’s fine, thanks": true,
		"": false, "   ": false, "...": false, "?": false, "ok?": false, "yes": false, "no": false, "no thanks": false, "😭": false,
		"ok but it hurts": false, "thanks, I feel worse": false, "not ok": false, "I'm not okay": false, "fine": false, "right": false,
		"good": false, "so much": false, "ok 5": false, "thanks for nothing, I want to die": false, "all": false, "book it": false,
		"goodbye cruel world": false, "ok ok ok ok ok ok ok ok ok ok ok ok ok": false,
	} {
		if got, _ := acknowledges(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestNavigator_N33_TheSliceHashFollowsWhatWasSaid(t *testing.T) {
	u := func(s string) model.Message { return model.Message{Role: "user", Text: s} }
	a := func(s string) model.Message { return model.Message{Role: "assistant", Text: s} }
	hash := func(m []model.Message) string { return hashMessages(WithoutAcknowledgements(m)) }
	base := hash([]model.Message{u("I sleep badly")})
	for name, c := range map[string]struct {
		messages []model.Message
		same     bool
	}{
		"an acknowledgement changes nothing":    {[]model.Message{u("I sleep badly"), u("ok, thanks")}, true},
		"space around changes nothing":          {[]model.Message{u(" I sleep badly\n")}, true},
		"more said changes it":                  {[]model.Message{u("I sleep badly"), u("since May")}, false},
		"the same text by another changes it":   {[]model.Message{a("I sleep badly")}, false},
		"two messages are not one":              {[]model.Message{u("I sleep"), u("badly")}, false},
		"a bare ok to a question is an answer":  {[]model.Message{u("I sleep badly"), a("Shall I look for a clinic?"), u("ok")}, false},
		"and the question alone is none either": {[]model.Message{u("I sleep badly"), a("Shall I look for a clinic?")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := hash(c.messages) == base; got != c.same {
				t.Errorf("same hash: %v", got)
			}
		})
	}
	q := []model.Message{u("I sleep badly"), a("Shall I look for a clinic?")}
	if hash(append(q[:2:2], u("ok"))) == hash(q) {
		t.Error("the ok that answers a question was left out")
	}
	if hash(append(q[:2:2], u("thanks"))) != hash(q) {
		t.Error("thanks after a question is still only thanks")
	}
}
