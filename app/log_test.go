package app_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
)

// sink keeps what is logged.
type sink struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(p)
}

func (s *sink) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

// The canary stands in everything that a person, a record or a model says in a whole
// turn with a booking, and in a turn that fails; the log at its finest tells of every
// step and has it nowhere.
func TestThreat29_NoLogLineHoldsHealthData(t *testing.T) {
	const canary = "Zaunkoenigin"
	dir, log := t.TempDir(), &sink{}
	a, err := app.Open(app.Options{Dir: dir, Version: "test", Practice: true, Log: slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
	sample(t, a)
	records := filepath.Join(t.TempDir(), canary+".ndjson")
	err = os.WriteFile(records, []byte(strings.ReplaceAll(`{"resourceType":"Patient","id":"CANARY","name":[{"text":"CANARY Birch"}],"birthDate":"1990-11-24"}
{"resourceType":"Condition","id":"c-CANARY","subject":{"reference":"Patient/CANARY"},"code":{"text":"CANARY insomnia"}}
{"resourceType":"MedicationRequest","id":"m-CANARY","status":"active","subject":{"reference":"Patient/CANARY"},"medicationCodeableConcept":{"text":"CANARY drops"}}
`, "CANARY", canary)), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.ImportNow(t.Context(), records, func(int64, int64, string) {}); err != nil {
		t.Fatal(err)
	}
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "talk of " + canary, Patient: canary, Text: "Please book me a visit for my insomnia next week, says " + canary})
	if err != nil || out.Run.Status != run.Paused {
		t.Fatal(out.Run.Status, out.Err, err)
	}
	v, err := a.Approval(out.Pauses[0].ID, false)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(v.Args, []byte(canary)) {
		t.Fatalf("the booking is not for the patient: %s", v.Args)
	}
	if _, err := a.Decide(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Dr. " + canary, Comment: "fine, " + canary}, true); err != nil {
		t.Fatal(err)
	}
	if out, err = a.ResumeTurn(t.Context(), out.Run.Turn); err != nil || out.Run.Status != run.Completed {
		t.Fatal(out.Run.Status, err)
	}
	if _, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s2", Patient: "nobody-" + canary, Text: "Book a visit for " + canary}); err == nil {
		t.Fatal("a turn about a record that is not there began")
	}
	// A session whose subject has gone since: its turn ends without an answer.
	if err := a.Store.PutSession(session.Session{ID: "s2", Patient: "nobody-" + canary}); err != nil {
		t.Fatal(err)
	}
	if out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s2", Text: "Book a visit for " + canary}); err != nil || !strings.Contains(out.Run.Output, "nobody-"+canary) {
		t.Fatal(out.Run.Output, err)
	}
	journal, _, err := a.Journal("talk of "+canary, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	closeApp(t, a)

	if at := strings.Index(strings.ToLower(log.String()), strings.ToLower(canary)); at >= 0 {
		t.Errorf("the log has it: %s", log.String()[max(0, at-300):min(len(log.String()), at+100)])
	}
	type line struct {
		Msg, Session, Turn, Run string
		Seq                     uint64
	}
	lines := map[line]bool{}
	for raw := range strings.Lines(log.String()) {
		var l line
		if err := json.Unmarshal([]byte(raw), &l); err != nil {
			t.Fatal(err)
		}
		lines[l] = true
	}
	sum := sha256.Sum256([]byte("talk of " + canary)) // the session is told by what stands for it
	for _, e := range journal {
		if l := (line{string(e.Kind), hex.EncodeToString(sum[:6]), e.Turn, string(app.RunID(e.Turn)), e.Seq}); !lines[l] {
			t.Errorf("the log misses %+v", l)
		}
	}
	if !lines[line{Msg: "store opened"}] || !lines[line{Msg: "closed"}] || len(journal) < 20 {
		t.Errorf("the log tells nothing of the store, or the turn had only %d events", len(journal))
	}
}
