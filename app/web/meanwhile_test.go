package web_test

import (
	"net/http"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/agent"
	"holdpoint/engine/journal"
)

// "I had the conversation open in two tabs and answered the question in both. The second answer was put
// down as the answer to the next question." An answer names its question, a message the turn after which
// it was written; what comes too late is refused, with help where it speaks of danger.
func TestCompanion_AnAnswerIsTakenForNoOtherQuestion(t *testing.T) {
	w := open(t)
	events, stop := w.app.Listen("")
	defer stop()
	vars := map[string]string{"audience": "parent", "language": "en", "region": "GB", "age": "at_15"}
	say := func(session, text string, more map[string]any) answer {
		body := map[string]any{"agent": "companion", "session": session, "text": text, "vars": vars}
		for k, v := range more {
			body[k] = v
		}
		return w.call("send", body)
	}
	first := done[app.Started](w, "send", map[string]any{"agent": "companion", "text": "Hello, my child does not want to go to school any more", "vars": vars})
	w.wait(events, journal.TurnCompleted)
	cards := func() agent.CardView { return get[agent.CardView](w, "/api/sessions/"+first.Session+"/cards") }
	asked := cards().Open
	if asked == "" {
		t.Fatal("nothing is asked")
	}
	if res := say(first.Session, "since last month", map[string]any{"question": asked}); res.status != http.StatusOK {
		t.Fatal(res)
	}
	w.wait(events, journal.TurnCompleted)
	next := cards()
	if next.Open == asked || next.Open == "" {
		t.Fatalf("it asks %q after %q", next.Open, asked)
	}
	answers := func(v agent.CardView) (n int) {
		for _, q := range v.Asked {
			if q.Value != "" {
				n++
			}
		}
		return n
	}
	for name, more := range map[string]map[string]any{"the other tab's answer": {"question": asked}, "the other tab's box": {"after": first.Turn}} {
		res := say(first.Session, "since last month", more)
		if res.status != http.StatusConflict || !strings.Contains(res.body, `"answered"`) || strings.Contains(res.body, `"help":"`) {
			t.Errorf("%s: %d %s", name, res.status, res.body)
		}
		if now := cards(); now.Open != next.Open || answers(now) != answers(next) {
			t.Errorf("%s: %+v", name, now)
		}
	}
	if res := say(first.Session, "I want to kill myself tonight", map[string]any{"question": asked}); res.status != http.StatusConflict || !strings.Contains(res.body, "116 123") {
		t.Errorf("no help: %d %s", res.status, res.body)
	}
	// Who sees the newest turn, or names none as programs do, is heard.
	turns := get[[]app.TurnView](w, "/api/sessions/"+first.Session+"/turns")
	if res := say(first.Session, "every morning", map[string]any{"after": turns[len(turns)-1].Turn}); res.status != http.StatusOK {
		t.Errorf("%d %s", res.status, res.body)
	}
	w.wait(events, journal.TurnCompleted)
	if res := say(first.Session, "not really", nil); res.status != http.StatusOK {
		t.Errorf("%d %s", res.status, res.body)
	}
	w.wait(events, journal.TurnCompleted)
}

// Both tabs at once: one of the answers is taken, whoever comes first.
func TestCompanion_OfTwoAnswersAtOnceOneIsTaken(t *testing.T) {
	w := open(t)
	events, stop := w.app.Listen("")
	defer stop()
	vars := map[string]string{"audience": "parent", "language": "en", "region": "GB", "age": "at_15"}
	first := done[app.Started](w, "send", map[string]any{"agent": "companion", "text": "Hello, my child does not want to go to school any more", "vars": vars})
	w.wait(events, journal.TurnCompleted)
	asked := get[agent.CardView](w, "/api/sessions/"+first.Session+"/cards").Open
	status := make(chan int, 2)
	for range 2 {
		go func() {
			status <- w.call("send", map[string]any{"agent": "companion", "session": first.Session, "text": "since last month", "vars": vars, "question": asked}).status
		}()
	}
	one, two := <-status, <-status
	if min(one, two) != http.StatusOK || max(one, two) != http.StatusConflict {
		t.Errorf("%d and %d", one, two)
	}
	w.wait(events, journal.TurnCompleted)
	if turns := get[[]app.TurnView](w, "/api/sessions/"+first.Session+"/turns"); len(turns) != 2 {
		t.Errorf("%d turns", len(turns))
	}
}
