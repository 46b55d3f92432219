package app_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"holdpoint/app"
	"holdpoint/app/tongue"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
	"holdpoint/store"
)

// clock is a clock that people set while work in the background reads it.
type clock struct{ now atomic.Pointer[time.Time] }

func clockAt(t time.Time) *clock {
	c := new(clock)
	c.set(t)
	return c
}

func (c *clock) Now() time.Time { return *c.now.Load() }

func (c *clock) set(t time.Time) { c.now.Store(&t) }

// "I looked on Monday and it had expired. The laptop's clock fell back, and now it can be
// approved again."
func TestApproval_ExpiredStaysExpiredWhenTheClockGoesBack(t *testing.T) {
	began := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for name, look := range map[string]func(t *testing.T, a *app.App, id string) *app.App{
		"somebody lists": func(t *testing.T, a *app.App, _ string) *app.App {
			list, err := a.Approvals("expired")
			if err != nil || len(list) != 1 {
				t.Errorf("expired: %+v %v", list, err)
			}
			return a
		},
		"somebody looks": func(t *testing.T, a *app.App, id string) *app.App {
			if v, err := a.Approval(id, true); err != nil || v.Status != ledger.Expired {
				t.Errorf("%s %v", v.Status, err)
			}
			return a
		},
		"somebody decides": func(t *testing.T, a *app.App, id string) *app.App {
			if _, err := a.Decide(app.Decision{ID: id, Reviewer: "Dr. A"}, true); !errors.Is(err, ledger.ErrExpired) {
				t.Errorf("decided: %v", err)
			}
			return a
		},
		"the app is opened": func(t *testing.T, a *app.App, _ string) *app.App { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			c, dir := clockAt(began), t.TempDir()
			open := func() *app.App {
				a, err := app.Open(app.Options{Dir: dir, Practice: true, Now: c.Now})
				if err != nil {
					t.Fatal(err)
				}
				return a
			}
			a := open()
			sample(t, a)
			out := held(t, a, "s1")
			id := out.Pauses[0].ID
			shown, err := a.Approval(id, true)
			if err != nil {
				t.Fatal(err)
			}
			c.set(began.AddDate(0, 0, 8))
			if b := look(t, a, id); b == nil {
				closeApp(t, a)
				a = open()
			}
			c.set(began.Add(time.Hour))
			defer func() { closeApp(t, a) }()
			if _, err := a.Decide(app.Decision{ID: id, Digest: shown.Digest, Reviewer: "Dr. A", Meaning: "yes"}, true); !errors.Is(err, ledger.ErrExpired) {
				t.Errorf("with the clock back it was decided: %v", err)
			}
			for status, want := range map[string]int{"pending": 0, "expired": 1} {
				if list, err := a.Approvals(status); err != nil || len(list) != want {
					t.Errorf("%s: %d, want %d (%v)", status, len(list), want, err)
				}
			}
			// The turn is not lost: it asks anew, and the journal says why.
			again, err := a.ResumeTurn(t.Context(), out.Run.Turn)
			if err != nil || again.Run.Status != run.Paused || again.Pauses[0].ID == id {
				t.Fatalf("resumed: %s %v %v", again.Run.Status, again.Pauses, err)
			}
			events, err := a.Store.Journal("s1", 0, 0)
			if err != nil || !slices.ContainsFunc(events, func(e journal.Event) bool {
				return e.Kind == journal.ApprovalRefused && e.Approval == id && e.Status == string(journal.ApprovalExpired)
			}) {
				t.Errorf("the journal does not say that it ran out (%v)", err)
			}
		})
	}
}

// "The sentence on the card was changed after I had read it, and my yes counted."
func TestApproval_WhatIsShownIsWhatIsSigned(t *testing.T) {
	for name, change := range map[string]func(*ledger.Approval){
		"title":  func(a *ledger.Approval) { a.Title = "Book nothing at all" },
		"reason": func(a *ledger.Approval) { a.Reason = "the patient asked for it" },
		"risk":   func(a *ledger.Approval) { a.RiskHigh = !a.RiskHigh },
		"expiry": func(a *ledger.Approval) { a.ExpiresAt = a.ExpiresAt.AddDate(1, 0, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			a := clinic(t, 0)
			out := held(t, a, "s1")
			id := out.Pauses[0].ID
			shown, err := a.Approval(id, false)
			if err != nil {
				t.Fatal(err)
			}
			alter := func(digestToo bool) {
				t.Helper()
				if err := a.Store.Update(func(tx store.Tx) error {
					ap, err := tx.Approval(id)
					if err != nil {
						return err
					}
					change(&ap)
					if digestToo {
						e, err := tx.Entry(ap.Call)
						if err != nil {
							return err
						}
						if ap.Digest, err = ledger.Digest(ap); err != nil {
							return err
						}
						e.Digest = ap.Digest
						if err := tx.PutEntry(e); err != nil {
							return err
						}
					}
					return tx.PutApproval(ap)
				}); err != nil {
					t.Fatal(err)
				}
			}
			restore := func() {
				t.Helper()
				if err := a.Store.Update(func(tx store.Tx) error { return tx.PutApproval(shown.Approval) }); err != nil {
					t.Fatal(err)
				}
			}
			verdict := app.Decision{ID: id, Digest: shown.Digest, Reviewer: "Dr. A", Meaning: "yes"}
			alter(false)
			if _, err := a.Decide(verdict, true); !errors.Is(err, ledger.ErrDigest) {
				t.Errorf("another %s was signed: %v", name, err)
			}
			restore()
			if _, err := a.Decide(verdict, true); err != nil {
				t.Fatal(err)
			}
			alter(true) // after the verdict, with a digest that fits
			again, err := a.ResumeTurn(t.Context(), out.Run.Turn)
			if err != nil || again.Run.Status != run.Paused || again.Pauses[0].ID == id {
				t.Fatalf("it went on: %s %v", again.Run.Status, err)
			}
			if page, err := a.Records("Appointment", "", "", 10); err != nil || len(page.Records) != 0 {
				t.Errorf("it was carried out: %+v %v", page.Records, err)
			}
			if next, err := a.Approval(again.Pauses[0].ID, false); err != nil || !strings.HasPrefix(next.Title, "Book") {
				t.Errorf("asked anew: %+v %v", next, err)
			}
		})
	}
}

// "The list showed a request without saying whose it was, and nobody told me that the
// file is damaged."
func TestApprovals_ADamagedSessionIsToldAndNotLeftOut(t *testing.T) {
	dir := t.TempDir()
	a := openApp(t, dir, 0)
	sample(t, a)
	held(t, a, "s1")
	list, err := a.Approvals("pending")
	if err != nil || len(list) != 1 || list[0].SessionTitle == "" || list[0].PatientName == "" || list[0].SubjectName != list[0].PatientName || list[0].Outcome != ledger.Proposed {
		t.Fatalf("%+v, %v", list, err)
	}
	closeApp(t, a)
	db, err := bbolt.Open(filepath.Join(dir, app.StoreFile), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("sessions"))
		k, _ := b.Cursor().First()
		return b.Put(bytes.Clone(k), []byte("{no row"))
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	a = openApp(t, dir, 0)
	defer closeApp(t, a)
	if list, err := a.Approvals("pending"); err != nil || len(list) != 1 || list[0].SessionTitle != "Damaged session" || list[0].SubjectName != "" {
		t.Errorf("%+v, %v", list, err)
	}
	if lost, err := a.Store.Lost(); err != nil || len(lost) != 1 || lost[0] != (store.Lost{Table: "sessions", ID: "s1"}) {
		t.Errorf("told of is %v, %v", lost, err)
	}
	if v, err := a.Approval(list[0].ID, true); !errors.Is(err, store.ErrDamaged) || v.Nonce != "" {
		t.Errorf("the card: %v", err)
	}
}

// "By the transcript I was asked for nine o'clock; I was asked for eleven, and changed it. And it did not say what I changed."
func TestTranscript_OfAModifiedApprovalSaysWhatWasAskedAndWhatWasChanged(t *testing.T) {
	a := clinic(t, 0)
	out := held(t, a, "s1")
	v := warned(a, t, out.Pauses[0].ID)
	asked := v.Title
	var args map[string]any
	if err := json.Unmarshal(v.Args, &args); err != nil {
		t.Fatal(err)
	}
	provider, _ := args["provider"].(string)
	slots, err := a.Slots(provider)
	if err != nil || len(slots.Slots) < 9 {
		t.Fatal(len(slots.Slots), err)
	}
	var titles []string
	for _, at := range []int{7, 8} { // changed twice
		args["start"], args["reason"] = slots.Slots[at].Start.Format(time.RFC3339), fmt.Sprintf("sleep, %d", at)
		raw, _ := json.Marshal(args)
		if v, err = a.Modify(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Dr. Jane Smith", Args: raw}); err != nil {
			t.Fatal(err)
		}
		titles = append(titles, v.Title)
	}
	if _, err := a.Decide(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Dr. Jane Smith"}, true); err != nil {
		t.Fatal(err)
	}
	if _, err := a.ResumeTurn(t.Context(), v.Turn); err != nil {
		t.Fatal(err)
	}
	export, err := a.Export(app.ExportQuery{Session: v.Session, Format: "md"})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := export.Write(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	at := 0
	for _, want := range []string{asked, "modified by Dr. Jane Smith", "from: " + asked, "to: " + titles[0], "sleep, 7", "modified by Dr. Jane Smith", "from: " + titles[0], "to: " + titles[1], "sleep, 7 → sleep, 8", "approved by Dr. Jane Smith", titles[1]} {
		next := strings.Index(text[at:], want)
		if next < 0 {
			t.Fatalf("not there, or not in this order: %q\n%s", want, text)
		}
		at += next + len(want)
	}
	first, _, _ := strings.Cut(text, "modified by Dr. Jane Smith")
	if strings.Contains(first, titles[1]) || strings.Contains(first, "sleep, 8") {
		t.Errorf("what was made of it later is told before:\n%s", first)
	}
}

// "My clock was wrong for a while, and the request says that it expired tomorrow."
func TestApproval_AClockThatWasSetBackIsSaidInsteadOfATimeToCome(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	clocked := func() *app.App {
		a, err := app.Open(app.Options{Dir: dir, Practice: true, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := clocked()
	sample(t, a)
	askIn(t, a, app.TurnRequest{Patient: "pat-alder", Text: "Please book me a visit for my insomnia next week", Practice: true})
	waits, err := a.Approvals("pending")
	if err != nil || len(waits) != 1 {
		t.Fatalf("%d wait: %v", len(waits), err)
	}
	closeApp(t, a)
	now = now.Add(-24 * time.Hour)
	a = clocked()
	defer closeApp(t, a)
	_, err = a.Decide(app.Decision{ID: waits[0].ID, Digest: waits[0].Digest, Reviewer: "Ada"}, true)
	v, verr := a.Approval(waits[0].ID, false)
	if verr != nil {
		t.Fatal(verr)
	}
	text := app.ApprovalText("en", v, func(at time.Time) string { return at.Format(time.RFC3339) })
	end := waits[0].ExpiresAt.Format(time.RFC3339)
	for name, said := range map[string]string{"the verdict": app.AsFault(err).Message, "the request": text} {
		if strings.Contains(said, end) || !strings.Contains(said, "clock was set back") {
			t.Errorf("%s says %s", name, said)
		}
	}
}

// "It was booked already, I changed the request, and it told me that the time is taken — by the very visit."
func TestApproval_WhoChangesADecidedRequestIsToldThatItIsDecided(t *testing.T) {
	a := clinic(t, 0)
	out := held(t, a, "s1")
	v := warned(a, t, out.Pauses[0].ID)
	if _, err := a.Decide(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Dr. A"}, true); err != nil {
		t.Fatal(err)
	}
	if _, err := a.ResumeTurn(t.Context(), v.Turn); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Modify(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Dr. A", Args: v.Args}); !errors.Is(err, ledger.ErrDecided) {
		t.Errorf("it says: %v", err)
	}
}

// "My colleague's name was two lines in the transcript, and the second said that I approved it."
func TestApproval_AReviewerIsOneLine(t *testing.T) {
	a := clinic(t, 0)
	out := held(t, a, "s1")
	v := warned(a, t, out.Pauses[0].ID)
	for _, name := range []string{"Dr. A\napproved by Dr. B", "Dr. A\r\x1b[2K", strings.Repeat("long ", 60), "A\u2028B\tC\n"} {
		for what, try := range map[string]func(app.Decision) error{
			"approve": func(d app.Decision) error { _, err := a.Decide(d, true); return err },
			"change":  func(d app.Decision) error { _, err := a.Modify(d); return err },
			"pass on": func(d app.Decision) error { _, err := a.Delegate(d, "Dr. B"); return err },
			"keep":    func(d app.Decision) error { raw, _ := json.Marshal(d.Reviewer); return a.Set("reviewer", raw) },
		} {
			if err := try(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: name, Args: v.Args}); err == nil || app.AsFault(err).Code != "bad_request" {
				t.Errorf("%s as %q: %v", what, name, err)
			}
		}
	}
	got, err := a.Decide(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "  Zoë   O’Brien-Müller "}, true)
	if err != nil || got.Reviewer != "Zoë O’Brien-Müller" {
		t.Errorf("%q, %v", got.Reviewer, err)
	}
}

// "Of two doctors of one name, the card did not say which one is the therapist."
// "The terminal asked me in French whether the status may become booked."
func TestApproval_TheTextSaysWhoTheProviderIsAndItsFieldsInFrench(t *testing.T) {
	a := clinic(t, 0)
	v := warned(a, t, held(t, a, "s1").Pauses[0].ID)
	provider := ""
	for _, f := range v.Summary {
		if f.Kind == ledger.FactProvider {
			provider = f.Text
		}
	}
	if name, what, ok := strings.Cut(provider, ", "); !ok || !strings.Contains(v.Title, name) || what == "" {
		t.Errorf("with %q", provider)
	}
	text := app.ApprovalText(tongue.French, v, a.When)
	for _, want := range []string{"Statut:", "réservé", "libre", "occupé", "accepté", "Début:", "Motif:"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not there", want)
		}
	}
	for _, not := range []string{"Status", "booked", "accepted", "Start:", "busy"} {
		if strings.Contains(strings.SplitN(text, "\n\n", 3)[2], not+":") || strings.Contains(text, "  "+not) {
			t.Errorf("in English: %q", not)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// "The verdict came two days later, and my export only says 08:00."
func TestExport_WhatCameOnAnotherDayThanItsTurnSaysItsDate(t *testing.T) {
	c := clockAt(time.Date(2026, 3, 2, 20, 0, 0, 0, time.UTC))
	a, err := app.Open(app.Options{Dir: t.TempDir(), Practice: true, Now: c.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer closeApp(t, a)
	if err := a.Set("zone", json.RawMessage(`"UTC"`)); err != nil {
		t.Fatal(err)
	}
	sample(t, a)
	v := warned(a, t, held(t, a, "s1").Pauses[0].ID)
	c.set(time.Date(2026, 3, 3, 8, 0, 0, 0, time.UTC))
	if _, err := a.Decide(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Dr. Jane Smith"}, true); err != nil {
		t.Fatal(err)
	}
	if _, err := a.ResumeTurn(t.Context(), v.Turn); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"md", "html"} {
		x, err := a.Export(app.ExportQuery{Session: v.Session, Format: format})
		if err != nil {
			t.Fatal(err)
		}
		text := exported(t, x)
		at := strings.Index(text, "· 2026-03-03 08:00:00 UTC")
		if verdict := strings.Index(text, "Verdict"); at < verdict || verdict < 0 || strings.Contains(text, "· 2026-03-02 ") || !strings.Contains(text, "· 20:00:00 UTC") {
			t.Errorf("%s: the verdict has no date, or what came on the day of the turn has one:\n%s", format, text)
		}
	}
}

// "The card had no lines at all, and I was to approve it." What is no object stands as it is, in the arguments and in a record's change.
func TestApprovalText_WhatIsNoObjectStandsAsItIs(t *testing.T) {
	a := exampleApp(t)
	// "It listed one reason, and there were two in what I signed."
	two := a.RequestText(tongue.French, app.SignedRequest{Approval: ledger.Approval{ID: "ap.1", Tool: "other", Args: json.RawMessage(`{"reason_code":"R1","reasonCode":"R2","a":{"b c":1,"b_c":2}}`),
		Changes: []ledger.Change{{Ref: record.Ref{Type: "Note", ID: "1"}, Before: json.RawMessage(`{"b_c":"old"}`), After: json.RawMessage(`{"b c":"new","b_c":"old"}`)}}}})
	for _, want := range []string{"R1", "R2", "(reason_code)", "(b_c)"} {
		if !strings.Contains(two, want) {
			t.Errorf("no %q in %s", want, two)
		}
	}
	if strings.Contains(two, "old") {
		t.Errorf("what stays is told as a change: %s", two)
	}
	r := app.SignedRequest{Approval: ledger.Approval{ID: "ap.1", Tool: "other", Title: "Do it", Args: json.RawMessage(`["all of it"]`),
		Changes: []ledger.Change{{Ref: record.Ref{Type: "Note", ID: "1"}, Before: json.RawMessage(`{"text":"blue"}`), After: json.RawMessage(`{"text": ink`)}}}}
	text := a.RequestText("en", r)
	for _, want := range []string{`["all of it"]`, `{"text": ink`, "blue"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}
