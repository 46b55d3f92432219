package app_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"holdpoint/app"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

// TestListen_OneThatFallsBehindIsDroppedAndReadsOnFromTheJournal never reads while
// turns run: the turns are not held up, the channel closes, and the journal has
// everything after the last event that was taken.
func TestListen_OneThatFallsBehindIsDroppedAndReadsOnFromTheJournal(t *testing.T) {
	a := clinic(t, 0)
	slow, stop := a.Listen("s1")
	defer stop()
	for i := range 60 { // a turn has about forty events
		if out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Patient: "pat-alder", Text: fmt.Sprintf("hello %d", i)}); err != nil || out.Run.Status != run.Completed {
			t.Fatalf("%s %v", out.Run.Status, err)
		}
	}
	last, taken := uint64(0), 0
	for e := range slow { // ends because the channel was closed
		if taken++; e.Seq > 0 {
			if e.Seq != last+1 {
				t.Fatalf("event %d came after %d", e.Seq, last)
			}
			last = e.Seq
		}
	}
	all, err := a.Store.LastSeq("s1")
	if err != nil || last == 0 || last >= all {
		t.Fatalf("taken up to %d of %d, %v", last, all, err)
	}
	for last < all {
		events, _, err := a.Journal("s1", last, 500)
		if err != nil || len(events) == 0 || events[0].Seq != last+1 {
			t.Fatalf("the journal after %d: %v", last, err)
		}
		last = events[len(events)-1].Seq
	}
	stop() // once more does no harm
	fresh, stopFresh := a.Listen("s1")
	defer stopFresh()
	if _, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Text: "again"}); err != nil {
		t.Fatal(err)
	}
	if e := until(t, fresh, journal.TurnStarted); e.Seq != all+1 {
		t.Errorf("a new listener begins at %d, want %d", e.Seq, all+1)
	}
}

// TestListen_OneThatComesLateGetsTheTextSoFar comes in the middle of a message.
func TestListen_OneThatComesLateGetsTheTextSoFar(t *testing.T) {
	a := clinic(t, 30*time.Millisecond)
	early, stop := a.Listen("")
	defer stop()
	s, err := a.StartTurn(t.Context(), app.TurnRequest{Text: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	var sofar string
	for e := range early {
		if e.Kind == journal.Token {
			if sofar += e.Text; strings.Count(sofar, " ") >= 4 {
				break
			}
		}
	}
	late, stopLate := a.Listen(s.Session)
	defer stopLate()
	first := <-late
	if first.Kind != journal.Token || first.Offset != 0 || !strings.HasPrefix(first.Text, sofar) {
		t.Fatalf("the late listener begins with %+v, said so far %q", first, sofar)
	}
	text := first.Text
	for e := range late {
		switch e.Kind {
		case journal.Token:
			if e.Offset != len(text) {
				t.Fatalf("a piece begins at %d, %d bytes were said", e.Offset, len(text))
			}
			text += e.Text
		case journal.Message:
			if e.Text != strings.TrimSpace(text) {
				t.Errorf("the pieces say %q, the message %q", text, e.Text)
			}
		case journal.TurnCompleted:
			// What is finished is not said again to the next one.
			next, stopNext := a.Listen(s.Session)
			defer stopNext()
			select {
			case e := <-next:
				t.Errorf("after the end: %+v", e)
			default:
			}
			return
		}
	}
}

func TestClose_LeavesNoGoroutine(t *testing.T) {
	before := goleak.IgnoreCurrent()
	a := openApp(t, t.TempDir(), time.Hour)
	sample(t, a)
	events, stop := a.Listen("")
	_, stopWatch := a.Watch()
	for i := range 3 {
		if _, err := a.StartTurn(t.Context(), app.TurnRequest{Session: fmt.Sprint("s", i), Text: "hello"}); err != nil {
			t.Fatal(err)
		}
	}
	until(t, events, journal.MessageStarted)
	turns, err := a.Turns("s1")
	if err != nil || len(turns) != 1 {
		t.Fatal(len(turns), err)
	}
	if err := a.Stop(turns[0].Turn); err != nil {
		t.Fatal(err)
	}
	stop()
	stopWatch()
	closeApp(t, a)
	shallow(t)
	goleak.VerifyNone(t, before)
}

// shallow waits until no goroutine is as deep in calls as a regular expression can be: goleak
// cannot read a stack of which Go leaves out the middle. What only computes may still be at
// it for a moment after a turn was stopped.
func shallow(t *testing.T) {
	t.Helper()
	buf := make([]byte, 4<<20)
	for end := time.Now().Add(30 * time.Second); strings.Contains(string(buf[:runtime.Stack(buf, true)]), " frames elided..."); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("something computes on after the end")
		}
	}
}

// endless is an NDJSON file of patients without an end.
type endless struct {
	n    int
	rest []byte
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		e.n++
		e.rest = fmt.Appendf(nil, `{"resourceType":"Patient","id":"endless-%d","name":[{"family":"F%d"}]}`+"\n", e.n, e.n)
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

func TestImportJob_CancelledInTheMiddleKeepsWholeRecordsAndEnds(t *testing.T) {
	a := clinic(t, 0)
	notices, stop := a.Watch()
	defer stop()
	ended := make(chan error, 1)
	var job app.Job
	go func() {
		var err error
		job, err = a.Upload(t.Context(), "records", "endless.ndjson", io.Reader(&endless{}))
		ended <- err
	}()
	deadline := time.After(30 * time.Second)
	for cancelled := false; !cancelled; {
		select {
		case n := <-notices:
			if n.Kind == "job" && strings.Contains(string(n.Data), `"status":"running"`) && !strings.Contains(string(n.Data), `"done":0`) {
				if err := a.CancelJob(n.ID); err != nil {
					t.Fatal(err)
				}
				cancelled = true
			}
		case <-deadline:
			t.Fatal("the import reports nothing")
		}
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Fatal(err)
		}
	case <-deadline:
		t.Fatal("the import goes on after its cancel")
	}
	if err := a.WaitJob(job.ID, func(app.Job) {}); err == nil || !strings.HasPrefix(err.Error(), "cancelled") {
		t.Errorf("the job ended with %v", err)
	}
	if err := a.CancelJob(job.ID); err == nil {
		t.Error("a cancelled job was cancelled again")
	}
	kept := 0
	if err := a.EachRecord("Patient", func(r app.RecordRow) error {
		if r.Resource == nil {
			return errors.New("a record without a body: " + r.ID)
		}
		kept++
		return nil
	}); err != nil || kept <= 8 {
		t.Errorf("%d patients, %v", kept, err)
	}
}
