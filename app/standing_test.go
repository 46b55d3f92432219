package app_test

import (
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/store"
)

// statusOf is what the list says of a session, and whether the filter for it finds it.
func statusOf(t *testing.T, a *app.App, id string) (status, waits string) {
	t.Helper()
	list, _, err := a.Sessions(store.SessionQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range list {
		if v.ID != id {
			continue
		}
		one, err := a.Session(id)
		if err != nil || one.Status != v.Status || one.Waits != v.Waits {
			t.Errorf("by itself it is %s %s, in the list %s %s (%v)", one.Status, one.Waits, v.Status, v.Waits, err)
		}
		for _, filter := range []string{"running", "paused", "interrupted", "completed", "failed"} {
			found, _, err := a.Sessions(store.SessionQuery{Status: filter, Search: "O"})
			if err != nil || (len(found) == 1) != (filter == v.Status) {
				t.Errorf("%s: the filter %s finds %d (%v)", v.Status, filter, len(found), err)
			}
		}
		return v.Status, v.Waits
	}
	t.Fatal("it is not in the list")
	return "", ""
}

// "My note waited to be approved, and the list said that the session is completed." What a person has
// to decide counts, whatever was asked since.
func TestSessions_OneThatWaitsForAVerdictSaysSoWhateverCameSince(t *testing.T) {
	a := clinic(t, 0)
	out := held(t, a, "s1")
	if status, waits := statusOf(t, a, "s1"); status != "paused" || waits != app.WaitsApproval {
		t.Errorf("%s %s", status, waits)
	}
	if out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Patient: "pat-alder", Text: "Which medicines does she take?", Practice: true}); err != nil || out.Run.Status != run.Completed {
		t.Fatal(out.Run.Status, err)
	}
	if status, waits := statusOf(t, a, "s1"); status != "paused" || waits != app.WaitsApproval {
		t.Errorf("after another turn: %s %s", status, waits)
	}
	v, err := a.Approval(out.Pauses[0].ID, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Decide(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Dr. Test", Comment: "not now"}, false); err != nil {
		t.Fatal(err)
	}
	if status, waits := statusOf(t, a, "s1"); status != "paused" || waits != app.WaitsResume {
		t.Errorf("after the verdict: %s %s", status, waits)
	}
	if _, err := a.ResumeTurn(t.Context(), out.Run.Turn); err != nil {
		t.Fatal(err)
	}
	if status, waits := statusOf(t, a, "s1"); status != "completed" || waits != "" {
		t.Errorf("at its end: %s %s", status, waits)
	}
}

// "I closed the window in the middle of a reply. Days later the list said that it is running."
func TestSessions_OneThatNobodyDrivesIsInterruptedNotRunning(t *testing.T) {
	dir := t.TempDir()
	a := openApp(t, dir, time.Hour)
	sample(t, a)
	events, stop := a.Listen("")
	s, err := a.StartTurn(t.Context(), app.TurnRequest{Patient: "pat-alder", Text: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	until(t, events, journal.MessageStarted)
	stop()
	if status, _ := statusOf(t, a, s.Session); status != "running" {
		t.Error(status)
	}
	closeApp(t, a)
	a = openApp(t, dir, 0)
	defer closeApp(t, a)
	if status, _ := statusOf(t, a, s.Session); status != app.StatusInterrupted {
		t.Error(status)
	}
	// Another message leaves it as it is: it can still be resumed.
	if _, err := a.RunTurn(t.Context(), app.TurnRequest{Session: s.Session, Patient: "pat-alder", Text: "Which medicines does she take?"}); err != nil {
		t.Fatal(err)
	}
	if status, _ := statusOf(t, a, s.Session); status != app.StatusInterrupted {
		t.Error(status)
	}
	if _, err := a.ResumeTurn(t.Context(), s.Turn); err != nil {
		t.Fatal(err)
	}
	if status, _ := statusOf(t, a, s.Session); status != "completed" {
		t.Error(status)
	}
}
