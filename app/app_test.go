package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
	"holdpoint/engine/visible"
	"holdpoint/store"
	"holdpoint/store/storetest"
)

// openApp opens a data folder in practice mode; pace is that of the model.
func openApp(t testing.TB, dir string, pace time.Duration) *app.App {
	t.Helper()
	a, err := app.Open(app.Options{Dir: dir, Version: "test", Practice: true, Pace: pace})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// exported is what an export writes.
func exported(t testing.TB, e app.Export) string {
	t.Helper()
	var b strings.Builder
	if e.Write == nil {
		return ""
	}
	if err := e.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func closeApp(t testing.TB, a *app.App) {
	t.Helper()
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

func clinic(t testing.TB, pace time.Duration) *app.App {
	t.Helper()
	a := openApp(t, t.TempDir(), pace)
	t.Cleanup(func() { closeApp(t, a) })
	sample(t, a)
	return a
}

func sample(t testing.TB, a *app.App) {
	t.Helper()
	if _, err := a.ImportNow(t.Context(), "sample", func(int64, int64, string) {}); err != nil {
		t.Fatal(err)
	}
}

// until reads live events up to one of a kind.
func until(t *testing.T, events <-chan journal.Event, kind journal.Kind) journal.Event {
	t.Helper()
	for e := range events {
		if e.Kind == kind {
			return e
		}
	}
	t.Fatalf("the events ended before %s", kind)
	return journal.Event{}
}

func held(t *testing.T, a *app.App, sessionID string) run.Outcome {
	t.Helper()
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: sessionID, Patient: "pat-alder", Text: "Please book me a visit for my insomnia next week"})
	if err != nil || out.Run.Status != run.Paused {
		t.Fatalf("%s %v %v", out.Run.Status, out.Err, err)
	}
	return out
}

// carriedOut has Dr. Test approve a booking in a session, which is done then.
func carriedOut(t *testing.T, a *app.App, session string) app.ApprovalView {
	t.Helper()
	out := held(t, a, session)
	v := warned(a, t, out.Pauses[0].ID)
	if _, err := a.Decide(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Dr. Test"}, true); err != nil {
		t.Fatal(err)
	}
	if out, err := a.ResumeTurn(t.Context(), out.Run.Turn); err != nil || out.Run.Status != run.Completed {
		t.Fatal(out.Run.Status, err)
	}
	v, err := a.Approval(v.ID, false)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// "I sent a sign that nobody sees, and it answered."
func TestTurn_AMessageOfNothingThatCanBeSeenIsEmpty(t *testing.T) {
	a := clinic(t, 0)
	for _, text := range []string{"", " \n", "\u200b", "\u2060 \ufeff", "\u3164", "\u00ad\ufe0f", "\u2800"} {
		if _, err := a.RunTurn(t.Context(), app.TurnRequest{Text: text}); err == nil || !strings.Contains(err.Error(), "is empty") {
			t.Errorf("%+q: %v", text, err)
		}
	}
}

func TestStop_EndsWithinASecondAndTheSessionGoesOn(t *testing.T) {
	a := clinic(t, time.Hour)
	events, stop := a.Listen("")
	defer stop()
	s, err := a.StartTurn(t.Context(), app.TurnRequest{Text: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	until(t, events, journal.MessageStarted)
	if _, err := a.StartTurn(t.Context(), app.TurnRequest{Session: s.Session, Text: "again"}); !errors.Is(err, run.ErrLive) {
		t.Errorf("a second turn at the same time: %v", err)
	}
	if err := a.DeleteSession(s.Session); !errors.Is(err, run.ErrLive) {
		t.Errorf("deleting a session that answers: %v", err)
	}
	began := time.Now()
	if err := a.Stop(s.Turn); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("it took %v", took)
	}
	turns, err := a.Turns(s.Session)
	if err != nil || len(turns) != 1 || turns[0].Status != run.Cancelled {
		t.Errorf("%+v %v", turns, err)
	}
	list, _, err := a.Journal(s.Session, 0, 0)
	if err != nil || list[len(list)-1].Kind != journal.TurnCancelled {
		t.Errorf("the journal ends with %+v %v", list[len(list)-1], err)
	}
	if err := a.Stop(s.Turn); err == nil {
		t.Error("a stopped turn was stopped again")
	}
	if _, err := a.ResumeTurn(t.Context(), s.Turn); !errors.Is(err, run.ErrFinal) {
		t.Errorf("resuming a stopped turn: %v", err)
	}
	if err := a.DeleteSession(s.Session); err != nil {
		t.Error(err)
	}
}

func TestClose_LeavesTheTurnToBeResumed(t *testing.T) {
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
	closeApp(t, a)

	a = openApp(t, dir, 0)
	defer closeApp(t, a)
	state, err := a.State(t.Context())
	if err != nil || len(state.Interrupted) != 1 {
		t.Fatalf("%+v %v", state.Interrupted, err)
	}
	i := state.Interrupted[0]
	if i.Turn != s.Turn || i.Kept < 4 || i.Rerun != 1 || i.Unknown != 0 {
		t.Errorf("%+v", i)
	}
	out, err := a.ResumeTurn(t.Context(), s.Turn)
	if err != nil || out.Run.Status != run.Completed {
		t.Fatalf("%s %v %v", out.Run.Status, out.Err, err)
	}
	list, _, err := a.Journal(s.Session, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	starts := map[graph.StageID]int{}
	for _, e := range list {
		if e.Kind == journal.StageStarted {
			starts[e.Stage]++
		}
	}
	if starts["preflight"] != 1 || starts["context_assembly"] != 1 || starts["navigator/think"] != 2 {
		t.Errorf("stages started %v", starts)
	}
}

func TestDeleteSession_GivesUpWhatItWaitedFor(t *testing.T) {
	a := clinic(t, 0)
	held(t, a, "s1")
	if err := a.DeleteSession("s1"); err != nil {
		t.Fatal(err)
	}
	if list, err := a.Approvals("all"); err != nil || len(list) != 0 {
		t.Errorf("%d approvals stay, %v", len(list), err)
	}
	if _, err := a.Session("s1"); !errors.Is(err, session.ErrNotFound) {
		t.Error(err)
	}
}

func TestAbandon_VoidsTheApproval(t *testing.T) {
	a := clinic(t, 0)
	out := held(t, a, "s1")
	if err := a.Abandon(out.Run.Turn); err != nil {
		t.Fatal(err)
	}
	v, err := a.Approval(out.Pauses[0].ID, true)
	if err != nil || v.Status != ledger.Void || v.Nonce != "" {
		t.Errorf("%s %q %v", v.Status, v.Nonce, err)
	}
	if _, err := a.Decide(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Dr. Test"}, true); !errors.Is(err, ledger.ErrDecided) {
		t.Errorf("deciding a void approval: %v", err)
	}
	e, err := a.Export(app.ExportQuery{Session: "s1", Format: "md"})
	if err != nil || !strings.Contains(exported(t, e), "Abandoned") || !strings.Contains(exported(t, e), "given up by a person") || strings.Contains(exported(t, e), "Stopped") {
		t.Errorf("%v; the transcript says\n%s", err, exported(t, e))
	}
}

func TestMemory_ShowsBundlesAndForgetsThem(t *testing.T) {
	a := clinic(t, 0)
	turn := func() []journal.Event {
		t.Helper()
		out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Patient: "pat-alder", Text: "I'd like to see someone about my sleep"})
		if err != nil || out.Run.Status != run.Completed {
			t.Fatalf("%s %v", out.Run.Status, err)
		}
		list, _, err := a.Journal("s1", 0, 5000)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	turn()
	m, err := a.Memory("s1")
	if err != nil || len(m.Tools) != 5 || m.Signal == nil || len(m.Entities) == 0 {
		t.Fatalf("%d tools, %d entities, %v", len(m.Tools), len(m.Entities), err)
	}
	for _, tool := range m.Tools {
		if tool.Completeness < 0 || tool.Completeness > 1 || tool.Turn == "" || !json.Valid(tool.Output) {
			t.Errorf("%+v", tool)
		}
	}
	if err := a.Forget("s1", "nothing"); err == nil {
		t.Error("an unknown tool was forgotten")
	}
	if err := a.Forget("s1", "patient_context"); err != nil {
		t.Fatal(err)
	}
	if m, err = a.Memory("s1"); err != nil || len(m.Tools) != 4 {
		t.Fatalf("%d tools, %v", len(m.Tools), err)
	}
	ran := map[string]int{}
	for _, e := range turn() {
		if e.Kind == journal.ToolCompleted {
			ran[e.Tool]++
		}
	}
	if ran["patient_context"] != 2 || ran["provider_genome"] != 1 {
		t.Errorf("tools ran %v", ran)
	}
}

func TestExport_JSONHoldsAllThatAnAuditorNeeds(t *testing.T) {
	a := clinic(t, 0)
	out := held(t, a, "s1")
	v, err := a.Approval(out.Pauses[0].ID, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Decide(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Dr. Tëst 医", Comment: "fine"}, true); err != nil {
		t.Fatal(err)
	}
	if out, err = a.ResumeTurn(t.Context(), out.Run.Turn); err != nil || out.Run.Status != run.Completed {
		t.Fatal(out.Run.Status, err)
	}
	e, err := a.Export(app.ExportQuery{Session: "s1", Format: "json"})
	if err != nil {
		t.Fatal(err)
	}
	var tr app.Transcript
	if err := json.Unmarshal([]byte(exported(t, e)), &tr); err != nil {
		t.Fatal(err)
	}
	if tr.Format != "holdpoint-transcript/1" || !tr.Practice || len(tr.Turns) != 1 || len(tr.Approvals) != 1 || len(tr.Ledger) != 1 {
		t.Errorf("%s practice %v, %d turns, %d approvals, %d calls", tr.Format, tr.Practice, len(tr.Turns), len(tr.Approvals), len(tr.Ledger))
	}
	for i, ev := range tr.Events {
		if ev.Seq != uint64(i+1) {
			t.Fatalf("event %d has number %d", i+1, ev.Seq)
		}
	}
	if d, err := ledger.Digest(tr.Approvals[0]); err != nil || d != tr.Approvals[0].Digest || tr.Ledger[0].Digest != d {
		t.Errorf("the digest cannot be made again from the export: %s %v", d, err)
	}
	for _, format := range []string{"md", "html"} {
		e, err := a.Export(app.ExportQuery{Session: "s1", Format: format, Trace: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"Dr. Tëst 医", v.Digest, "ractice", app.SafetyLine[:20], "book_appointment"} {
			if !strings.Contains(exported(t, e), want) {
				t.Errorf("%s lacks %q", format, want)
			}
		}
	}
	// In French the same is told, by its own words in French and by everybody else's as they were.
	if err := a.Set("language", json.RawMessage(`"fr"`)); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"md", "html"} {
		french, err := a.Export(app.ExportQuery{Session: "s1", Format: format, Trace: true})
		if err != nil {
			t.Fatal(err)
		}
		text := exported(t, french)
		for _, want := range []string{"Dr. Tëst 医", v.Digest, "script a répondu", "book_appointment", "Tour 1 — ", "Point d’arrêt", "Verdict", "approuvé par Dr. Tëst 医", "terminé", "étapes sur", "Personne", "Étape commencée", " à "} {
			if !strings.Contains(text, want) {
				t.Errorf("%s in French lacks %q", format, want)
			}
		}
		for _, english := range []string{"Hold point", "Turn 1", "by Dr. Tëst", "Practice:", "PRACTICE", "Person<", "Person*", "Stage started", " steps", app.SafetyLine[:20]} {
			if strings.Contains(text, english) {
				t.Errorf("%s in French says %q", format, english)
			}
		}
		if visible.Text(text) != text {
			t.Errorf("%s in French has spaces that an export marks", format)
		}
		asked, err := a.Export(app.ExportQuery{Session: "s1", Format: format, Language: "en"})
		if err != nil || !strings.Contains(exported(t, asked), "Hold point") {
			t.Errorf("%s: English was asked for: %v", format, err)
		}
	}
	if _, err := a.Export(app.ExportQuery{Session: "s1", Language: "de"}); err == nil {
		t.Error("an unknown language was exported")
	}
	if _, err := a.Export(app.ExportQuery{Session: "s1", Format: "doc"}); err == nil {
		t.Error("an unknown format was exported")
	}
	if _, err := a.Export(app.ExportQuery{Session: "s1", From: "nobody"}); err == nil {
		t.Error("an unknown range was exported")
	}
}

// "The auditor got one turn of five, under the name of the whole, as Turn 1." A part says which part it is, in its name too.
func TestExport_APartSaysWhichPartItIs(t *testing.T) {
	a := clinic(t, 0)
	var turns []string
	for range 3 {
		out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Text: "Hello", Subject: "Patient/pat-alder"})
		if err != nil {
			t.Fatal(err)
		}
		turns = append(turns, out.Run.Turn)
	}
	for format, want := range map[string]string{"md": "- **turns 2 to 3 of 3; the others are not in this file**", "html": "<strong>turns 2 to 3 of 3; the others are not in this file</strong>", "json": `"part": {"from":2,"to":3,"of":3}`} {
		e, err := a.Export(app.ExportQuery{Session: "s1", Format: format, From: turns[1], To: turns[2], Language: "en"})
		if err != nil {
			t.Fatal(err)
		}
		text := exported(t, e)
		if !strings.Contains(text, want) || !strings.HasSuffix(e.Name, "-turns-2-3."+format) {
			t.Errorf("%s lacks %q, or its name the part: %s", format, want, e.Name)
		}
		if format != "json" && (strings.Contains(text, "Turn 1 — ") || !strings.Contains(text, "Turn 2 — ") || !strings.Contains(text, "Turn 3 — ")) {
			t.Errorf("%s counts its turns as others than the session's", format)
		}
		whole, err := a.Export(app.ExportQuery{Session: "s1", Format: format, Language: "en"})
		if err != nil || strings.Contains(exported(t, whole), "the others are not") || strings.Contains(whole.Name, "turns") {
			t.Errorf("%s of all calls itself a part (%v)", format, err)
		}
	}
}

func TestWriteFile_WritesAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x.md")
	if err := app.WriteFile(name, func(w io.Writer) error { _, err := io.WriteString(w, "one"); return err }); err != nil {
		t.Fatal(err)
	}
	if err := app.WriteFile(filepath.Join(dir, "no", "x.md"), nil); err == nil {
		t.Error("it wrote into a folder that is not there")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v %v", entries, err)
	}
}

func TestSettings_RefuseWhatCannotBe(t *testing.T) {
	a := clinic(t, 0)
	for key, values := range map[string][]string{"region": {"XX", ""}, "threshold": {"0", "1.1", "-1", "NaN", "much"}, "theme": {"pink"}, "density": {"tiny"}, "language": {"de", "French"}, "nothing": {"1"}} {
		for _, v := range values {
			if err := a.Set(key, json.RawMessage(fmt.Sprintf("%q", v))); err == nil {
				t.Errorf("%s = %q was taken", key, v)
			}
		}
	}
	for key, v := range map[string]string{"region": `"GB"`, "threshold": `0.7`, "theme": `"dark"`, "network": `true`, "language": `"fr"`} {
		if err := a.Set(key, json.RawMessage(v)); err != nil {
			t.Error(err)
		}
	}
	s, err := a.Settings()
	if err != nil || s.Region != "GB" || s.Threshold != 0.7 || s.Theme != "dark" || !s.Network || s.Language != "fr" {
		t.Errorf("%+v %v", s, err)
	}
	if err := a.Set("language", json.RawMessage(`"system"`)); err != nil {
		t.Error(err)
	}
	if s, err := a.Settings(); err != nil || s.Language != "" {
		t.Errorf("like the system: %+v %v", s, err)
	}
}

// TestSettings_NoCountryBeforeAPersonChoosesOne: a person elsewhere is not shown the
// numbers of the United States, also where an older version stored them unasked.
func TestSettings_NoCountryBeforeAPersonChoosesOne(t *testing.T) {
	a := clinic(t, 0)
	region := func() (string, bool) {
		t.Helper()
		s, err := a.Settings()
		if err != nil {
			t.Fatal(err)
		}
		state, err := a.State(t.Context())
		if err != nil || state.Region != s.Region || state.RegionChosen != s.RegionChosen {
			t.Errorf("the shell says %q %v, the settings %+v (%v)", state.Region, state.RegionChosen, s, err)
		}
		return s.Region, s.RegionChosen
	}
	if r, chosen := region(); r != "international" || chosen {
		t.Errorf("a new store has %q %v", r, chosen)
	}
	for old, want := range map[string]string{"US": "international", "GB": "GB"} {
		if err := a.Store.PutSetting("settings", map[string]any{"region": old, "threshold": 0.4}); err != nil {
			t.Fatal(err)
		}
		if r, chosen := region(); r != want || chosen != (want == "GB") {
			t.Errorf("an older store with %q has %q %v", old, r, chosen)
		}
	}
	if err := a.Set("region", json.RawMessage(`"US"`)); err != nil {
		t.Fatal(err)
	}
	if r, chosen := region(); r != "US" || !chosen {
		t.Errorf("chosen: %q %v", r, chosen)
	}
}

// "I wrote 'settings set region gb', and then 'united kingdom', and was told to choose one of the
// listed regions; there was no list."
func TestSettings_ARegionIsNamedAsPeopleWriteIt(t *testing.T) {
	a := clinic(t, 0)
	for written, want := range map[string]string{"gb": "GB", " United kingdom ": "GB", "fr": "FR", "Royaume-Uni": "GB", "belgique": "BE", "International": "international"} {
		if err := a.Set("region", json.RawMessage(strconv.Quote(written))); err != nil {
			t.Errorf("%q: %v", written, err)
		} else if s, err := a.Settings(); err != nil || s.Region != want {
			t.Errorf("%q became %q (%v)", written, s.Region, err)
		}
	}
	var refused *app.Fault
	if err := a.Set("region", json.RawMessage(`"Gondor"`)); !errors.As(err, &refused) || !strings.Contains(refused.Hint, "helplines") {
		t.Errorf("a region that is not there: %v", err)
	}
}

func TestDecideOnScreen_ResumesOnceNothingIsUndecided(t *testing.T) {
	a := clinic(t, 0)
	out := held(t, a, "s1")
	v, err := a.Approval(out.Pauses[0].ID, true)
	if err != nil {
		t.Fatal(err)
	}
	events, stop := a.Listen("s1")
	defer stop()
	other, err := a.ModifyOnScreen(app.Decision{ID: v.ID, Digest: v.Digest, Nonce: v.Nonce, Reviewer: "Dr. Test",
		Args: json.RawMessage(strings.Replace(string(v.Args), "my insomnia next week", "sleep", 1))})
	if err != nil || other.Digest == v.Digest || other.Original == nil || other.Original.Digest != v.Digest {
		t.Fatalf("%+v %v", other, err)
	}
	// "I changed the visit, and the journal still says what was asked first."
	list, err := a.Store.Journal("s1", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	last := list[len(list)-1]
	if told, err := journal.Read[journal.ApprovalDecidedData](last); err != nil || last.Status != string(journal.VerdictModified) || told.Title != other.Title || told.Was != v.Digest {
		t.Errorf("the journal says %+v (%v) of the change, want %q", told, err, other.Title)
	}
	if _, err := a.DecideOnScreen(t.Context(), app.Decision{ID: v.ID, Digest: v.Digest, Nonce: other.Nonce, Reviewer: "Dr. Test"}, true); !errors.Is(err, ledger.ErrDigest) {
		t.Errorf("the first digest was taken: %v", err)
	}
	again, err := a.Approval(v.ID, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.DecideOnScreen(t.Context(), app.Decision{ID: v.ID, Digest: again.Digest, Nonce: again.Nonce, Reviewer: "Dr. Test"}, true); err != nil {
		t.Fatal(err)
	}
	until(t, events, journal.TurnCompleted)
	page, err := a.Records("Appointment", "", "", 10)
	if err != nil || len(page.Records) != 1 || page.Records[0].Title != "sleep" {
		t.Errorf("%+v %v", page.Records, err)
	}
}

// TestCanary29_NothingOutsideTheStore looks for words of a turn in the files of the
// data folder other than the store.
func TestCanary29_NothingOutsideTheStore(t *testing.T) {
	dir := t.TempDir()
	a := openApp(t, dir, 0)
	sample(t, a)
	if _, err := a.RunTurn(t.Context(), app.TurnRequest{Patient: "pat-alder", Text: "canary-7d1f my sleep"}); err != nil {
		t.Fatal(err)
	}
	closeApp(t, a)
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == app.StoreFile {
			return err
		}
		body, err := os.ReadFile(name)
		if strings.Contains(string(body), "canary-7d1f") {
			t.Errorf("%s holds words of the turn", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestOpen_ALockedStoreSaysSo(t *testing.T) {
	dir := t.TempDir()
	a := openApp(t, dir, 0)
	defer closeApp(t, a)
	began := time.Now()
	_, err := app.Open(app.Options{Dir: dir})
	if !errors.Is(err, store.ErrLocked) || time.Since(began) > 20*time.Second { // it does not wait for the lock
		t.Errorf("%v after %v", err, time.Since(began))
	}
	if f := app.AsFault(err); f.Code != "locked" || f.Hint == "" {
		t.Errorf("%+v", f)
	}
}

func TestSessions_ArePagedSearchedAndRenamed(t *testing.T) {
	a := clinic(t, 0)
	for i := range 7 {
		if _, err := a.RunTurn(t.Context(), app.TurnRequest{Session: fmt.Sprint("s", i), Text: fmt.Sprintf("hello number %d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	var ids []string
	for before := ""; ; {
		page, next, err := a.Sessions(store.SessionQuery{Limit: 3, Before: before})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range page {
			ids = append(ids, s.ID)
		}
		if before = next; next == "" {
			break
		}
	}
	if strings.Join(ids, " ") != "s6 s5 s4 s3 s2 s1 s0" {
		t.Errorf("order %v", ids)
	}
	if err := a.Rename("s2", "  Sleep   talk "); err != nil {
		t.Fatal(err)
	}
	if err := a.Rename("s2", " "); err == nil {
		t.Error("an empty title was taken")
	}
	found, _, err := a.Sessions(store.SessionQuery{Search: "sleep TALK"})
	if err != nil || len(found) != 1 || found[0].Title != "Sleep talk" {
		t.Errorf("%+v %v", found, err)
	}
}

func TestImportJob_IsReportedAndCanBeCancelled(t *testing.T) {
	a := clinic(t, 0)
	j, err := a.ImportRecords(filepath.Join(t.TempDir(), "nothing"))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.WaitJob(j.ID, func(app.Job) {}); err == nil {
		t.Error("an import of nothing succeeded")
	}
	if err := a.CancelJob(j.ID); err == nil {
		t.Error("a finished job was cancelled")
	}
	if err := a.WaitJob(a.ImportSample().ID, func(app.Job) {}); err != nil {
		t.Error(err)
	}
}

// "I imported my wells, and it welcomed me as if nothing were there."
func TestState_RecordsOfAnyTypeEndTheFirstRun(t *testing.T) {
	a, err := app.Open(app.Options{Dir: t.TempDir(), Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer closeApp(t, a)
	first := func(want bool, records int) {
		t.Helper()
		if s, err := a.State(context.Background()); err != nil || s.FirstRun != want || s.Counts["records"] != records {
			t.Errorf("%v %v %v", s.FirstRun, s.Counts, err)
		}
	}
	first(true, 0)
	file := filepath.Join(t.TempDir(), "places.ndjson")
	if err := os.WriteFile(file, []byte(`{"resourceType":"Location","id":"l1","name":"Test Ranch"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := a.ImportRecords(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.WaitJob(j.ID, func(app.Job) {}); err != nil {
		t.Fatal(err)
	}
	first(false, 1)
}

// BenchmarkStartUp opens a store and collects the first screen.
func BenchmarkStartUp(b *testing.B) {
	for _, n := range []int{1, 10_000} {
		b.Run(fmt.Sprintf("%d sessions", n), func(b *testing.B) {
			dir := b.TempDir()
			db, err := store.Open(app.StorePath(dir))
			if err != nil {
				b.Fatal(err)
			}
			for i := range n {
				id := fmt.Sprint("s", i)
				run := run.Run{ID: graph.RunID("turn:" + id), Session: id, Turn: id, Agent: "navigator", Status: run.Completed, Input: "hello " + id, StartedAt: time.Now(), UpdatedAt: time.Now()}
				if err := storetest.Admit(db, run, nil, []journal.Event{{Kind: journal.TurnStarted, Session: id, Turn: id, At: time.Now()}}); err != nil {
					b.Fatal(err)
				}
			}
			if err := db.Close(); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			for b.Loop() {
				a := openApp(b, dir, 0)
				if _, err := a.State(context.Background()); err != nil {
					b.Fatal(err)
				}
				if _, _, err := a.Sessions(store.SessionQuery{Limit: 50}); err != nil {
					b.Fatal(err)
				}
				closeApp(b, a)
			}
		})
	}
}

func storeSearch(text string) store.SessionQuery { return store.SessionQuery{Search: text} }
