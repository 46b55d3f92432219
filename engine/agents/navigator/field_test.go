package navigator_test

import (
	"slices"
	"testing"

	"holdpoint/engine/agents/navigator"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
)

// fitFor is who fits a message, where the model told the need in the person's words.
func (h *house) fitFor(message string) navigator.Fit {
	h.t.Helper()
	h.model.answers["client_signal"] = string(model.JSON(navigator.Signal{SignalSummary: "The person says: " + message, Concerns: []string{}, Goals: []string{}, Preferences: []string{}, Urgency: "routine"}))
	return fitOf(h.t, h.status(h.askIn(message, "pat-alder", message), run.Completed))
}

// "I wanted a priest, and it proposed a skin doctor"; "he has a bad knee and speaks Spanish, and it
// proposed somebody for alcohol, because she does".
func TestNavigator_NoWordInPassingAndNoLanguageMakesAnybodyFit(t *testing.T) {
	plain, meaning := newTwin(t), newHouse(t)
	meaning.live.Encoder = sentences(t)
	for _, h := range []*house{plain, meaning} {
		for _, message := range []string{"I want a priest", "I need someone to walk my dog", "I want a rabbi to talk to", "Je veux un prêtre", "quelqu'un pour promener mon chien", "I need a plumber", "someone to babysit my kids", "I want a personal trainer",
			"I have a bad knee and I speak Spanish", "My knee is bad, somebody who speaks Spanish please", "mal au genou, qui parle espagnol ?", "I need a dentist who speaks French", "My eyes hurt; does anyone speak Arabic?", "I need a hairdresser who speaks German"} {
			if f := h.fitFor(message); len(f.Ranked) != 0 {
				t.Errorf("%q, by %s: %+v", message, f.Method, f.Ranked)
			}
		}
		for message, want := range map[string]string{"Somebody who speaks Spanish": "prov-delgado", "Qui parle arabe ici ?": "prov-haddad", "I need an Arabic speaker": "prov-haddad", "my son refuses school, a Japanese-speaking therapist please": "prov-nakamura",
			"I can't sleep, someone who speaks French": "prov-okafor", "Is Theo Whitlock free?": "prov-whitlock"} {
			if f := h.fitFor(message); len(f.Ranked) == 0 || f.Ranked[0].ID != want {
				t.Errorf("%q, by %s: %+v", message, f.Method, f.Ranked)
			}
		}
	}
	if f := meaning.fitFor("I drink too much, somebody who speaks Spanish"); len(f.Ranked) == 0 || f.Ranked[0].ID != "prov-delgado" {
		t.Errorf("%+v", f.Ranked)
	}
}

// « Trouve-lui un psychiatre pour son trouble bipolaire » : it ranked psychologists, and not the psychiatrist.
func TestNavigator_AProfessionAskedForInFrenchCountsAsInEnglish(t *testing.T) {
	plain, meaning := newTwin(t), newHouse(t)
	meaning.live.Encoder = sentences(t)
	for _, h := range []*house{plain, meaning} {
		for message, want := range map[string]string{"Trouve-lui un psychiatre pour son trouble bipolaire": "prov-mensah", "Je cherche une psychiatre": "prov-mensah", "Il lui faut un psychologue pour enfants": "prov-nakamura", "un addictologue": "prov-delgado",
			"une diététicienne pour ma fille": "prov-whitlock", "un spécialiste du sommeil": "prov-okafor", "un thérapeute de couple": "prov-brandt"} {
			if f := h.fitFor(message); !slices.ContainsFunc(f.Ranked[:min(2, len(f.Ranked))], func(r navigator.Ranked) bool { return r.ID == want }) {
				t.Errorf("%q, by %s: %+v", message, f.Method, f.Ranked)
			}
		}
	}
}
