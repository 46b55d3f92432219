package web_test

import (
	"net/http"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/journal"
	"holdpoint/engine/text"
)

// "I changed a sentence on the screen, and took my consent back there."
func TestCompanion_C24_C29_TextsPromptsAndConsentAreReachedFromTheScreens(t *testing.T) {
	w := open(t)
	const key = "companion/teen/fr/question.region"
	if e := done[text.Entry](w, "set_text", map[string]any{"key": key, "text": "Où vis-tu ?"}); e.Source != text.Override || e.Original == e.Text {
		t.Errorf("%+v", e)
	}
	refused(w, http.StatusBadRequest, "set_text", map[string]any{"key": key, "text": " "})
	refused(w, http.StatusNotFound, "set_text", map[string]any{"key": "companion/teen/fr/nothing", "text": "x"})
	if list := get[[]text.Entry](w, "/api/texts?agent=companion"); len(list) < 100 {
		t.Errorf("%d texts", len(list))
	}
	if p := get[app.NodePrompt](w, "/api/agents/companion/prompt?node=give_advice&audience=teen&language=fr"); len(p.Tools) != 1 || p.Text == "" {
		t.Errorf("%+v", p)
	}
	events, stop := w.app.Listen("")
	defer stop()
	s := done[app.Started](w, "send", map[string]any{"agent": "companion", "text": "Bonjour", "vars": map[string]string{"audience": "teen", "language": "fr"}})
	w.wait(events, journal.TurnCompleted)
	if c := get[app.Consent](w, "/api/sessions/"+s.Session+"/consent"); c.Scope != "pending_consent" {
		t.Errorf("%+v", c)
	}
	if c := done[app.Consent](w, "set_consent", map[string]any{"id": s.Session, "scope": "full"}); c.Scope != "full" {
		t.Errorf("%+v", c)
	}
	refused(w, http.StatusBadRequest, "set_consent", map[string]any{"id": s.Session, "scope": "everything"})
	if c := done[app.Consent](w, "set_consent", map[string]any{"id": s.Session, "scope": "pending_consent", "delete": true}); c.Scope != "pending_consent" || c.Kept != 0 {
		t.Errorf("%+v", c)
	}
	if e := done[text.Entry](w, "reset_text", map[string]any{"key": key}); e.Source != text.FromFile {
		t.Errorf("%+v", e)
	}
}
