package app_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/mcp"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
	"holdpoint/engine/visible"
	"holdpoint/engine/visible/visibletest"
	"holdpoint/store"
)

// told makes a session of turns that ended, as the store keeps them.
func told(t testing.TB, a *app.App, id string, turns int, say func(i int) (input, reply string)) {
	t.Helper()
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	var commits []*run.Commit
	for i := range turns {
		turn := fmt.Sprintf("%s.t%05d", id, i)
		input, reply := say(i)
		row := run.Run{ID: app.RunID(turn), Session: id, Turn: turn, Agent: "navigator", Input: input, Output: reply, Status: run.Completed,
			Practice: true, Model: "practice", StartedAt: at, UpdatedAt: at.Add(time.Second)}
		events := []journal.Event{{At: at, Kind: journal.TurnStarted, Text: input}}
		for k := range 12 {
			stage := graph.StageID(fmt.Sprintf("stage-%d", k))
			events = append(events, journal.Event{At: at, Kind: journal.StageStarted, Stage: stage}, journal.Event{At: at, Kind: journal.StageCompleted, Stage: stage},
				journal.Event{At: at, Kind: journal.Transition, From: stage, To: "next", Resolver: "static", Reason: "it is the only way"})
		}
		events = append(events, journal.Event{At: at, Kind: journal.Message, Message: turn + ".m", Text: reply}.With(journal.MessageData{Role: journal.Assistant}),
			journal.Event{At: at, Kind: journal.TurnCompleted, Text: reply})
		for k := range events {
			events[k].Session, events[k].Turn = id, turn
		}
		commits = append(commits, &run.Commit{Run: row.ID, Admit: true, Row: &row, Events: events})
		if len(commits) == 250 || i == turns-1 {
			if err := a.Store.Apply(commits...); err != nil {
				t.Fatal(err)
			}
			commits = nil
		}
		at = at.Add(time.Minute)
	}
}

// "The transcript hid what the model had written."
func TestThreat15_EveryExportShowsWhatHides(t *testing.T) {
	a := openApp(t, t.TempDir(), 0)
	defer closeApp(t, a)
	corpus := visibletest.Corpus(t)
	told(t, a, "s1", len(corpus), func(i int) (string, string) { return corpus[i].Raw, "Said: " + corpus[i].Raw })
	if err := a.Store.PutSession(session.Session{ID: "s1", Title: "Amara\nApproved \u202eyes"}); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"md", "html", "json"} {
		e, err := a.Export(app.ExportQuery{Session: "s1", Format: format, Trace: true})
		if err != nil {
			t.Fatal(err)
		}
		out := exported(t, e)
		for n, line := range strings.Split(out, "\n") {
			if shown := visible.Text(line); shown != line {
				t.Errorf("%s: line %d hides something: %s", format, n+1, shown)
			}
		}
		if format == "json" {
			var tr app.Transcript
			if err := json.Unmarshal([]byte(out), &tr); err != nil {
				t.Fatal(err)
			}
			for i, c := range corpus {
				if tr.Turns[i].Input != c.Raw {
					t.Errorf("%s: the JSON export has %+q", c.Name, tr.Turns[i].Input)
				}
			}
			continue
		}
		if !strings.Contains(html.UnescapeString(out), "Amara⟨U+000A⟩Approved ⟨U+202E⟩yes") {
			t.Errorf("%s: the title is not on one line", format)
		}
		plain := strings.NewReplacer(`\`, "", "  \n> ", "\n", "\n> ", "\n", "  \n", "\n").Replace(html.UnescapeString(out))
		for _, c := range corpus {
			want := strings.ReplaceAll(strings.ReplaceAll(c.Shown, "\r\n", "\n"), `\`, "")
			if !strings.Contains(plain, want) {
				t.Errorf("%s: %s is not shown as %q", format, c.Name, want)
			}
		}
	}
}

// drain takes an export and sees how much memory is in use meanwhile.
type drain struct {
	n, since int64
	peak     *atomic.Uint64
}

func (s *drain) Write(b []byte) (int, error) {
	s.n += int64(len(b))
	if s.since += int64(len(b)); s.since > 4<<20 {
		s.since = 0
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		s.peak.Store(max(s.peak.Load(), m.HeapInuse))
	}
	return len(b), nil
}

// "I exported the year's session, and the laptop stood still."
func TestExport_ALongSessionIsLinearAndStreams(t *testing.T) {
	if testing.Short() || raced {
		t.Skip("writes 3,000 turns; build/test runs it without the race detector")
	}
	a := openApp(t, t.TempDir(), 0)
	defer closeApp(t, a)
	reply := strings.Repeat("The patient sleeps badly – since March, with headaches. ", 40)
	say := func(i int) (string, string) {
		return fmt.Sprintf("Question %d: how did the patient sleep?", i), fmt.Sprintf("%d. %s", i, reply)
	}
	told(t, a, "short", 300, say)
	told(t, a, "long", 3000, say)
	var peak atomic.Uint64
	export := func(session, format string) (size int64, took time.Duration) {
		began := spent()
		e, err := a.Export(app.ExportQuery{Session: session, Format: format})
		if err != nil {
			t.Fatal(err)
		}
		s := &drain{peak: &peak}
		if err := e.Write(s); err != nil {
			t.Fatal(err)
		}
		return s.n, spent() - began
	}
	best := func(session, format string) (size int64, least time.Duration) {
		least = time.Hour
		for try := range 3 { // others use this machine, too
			n, took := export(session, format)
			if size, least = n, min(least, took); try >= 1 && least < time.Second {
				break
			}
		}
		return size, least
	}
	for _, format := range []string{"md", "html", "json"} {
		_, short := best("short", format)
		size, long := best("long", format)
		t.Logf("%s: 300 turns %v, 3,000 turns %v, %d MB", format, short, long, size>>20)
		if size < 6<<20 {
			t.Errorf("%s: %d bytes are not 3,000 turns", format, size)
		}
		if long > 30*max(short, 20*time.Millisecond) {
			t.Errorf("%s: ten times as long took %.0f times the time", format, float64(long)/float64(short))
		}
	}
	var eight sync.WaitGroup
	for i := range 8 {
		eight.Go(func() { export("long", []string{"md", "html", "json"}[i%3]) })
	}
	eight.Wait()
	if peak := peak.Load(); peak > 200<<20 {
		t.Errorf("%d MB were in use", peak>>20)
	} else {
		t.Logf("at most %d MB in use, eight at once included", peak>>20)
	}
	e, err := a.Export(app.ExportQuery{Session: "long", Format: "json"})
	if err != nil {
		t.Fatal(err)
	}
	// Somebody who takes the file slowly keeps nobody from writing.
	r, w := io.Pipe()
	written := make(chan error, 1)
	go func() {
		err := e.Write(w)
		written <- errors.Join(err, w.Close())
	}()
	if _, err := io.ReadFull(r, make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := a.Rename("long", "A year of nights"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		t.Fatal(err)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
}

// "The transcript fetched a picture from somewhere when I opened it."
func TestThreat12_PicturesAndLinksInExportsAreText(t *testing.T) {
	a := openApp(t, t.TempDir(), 0)
	defer closeApp(t, a)
	hostile := []string{"![x](https://beacon.example/x.png)", "![x][ref]\n\n[ref]: https://beacon.example/x.png", "<img src=https://beacon.example/x.png>",
		"[press](javascript:alert(1))", "<a href=smb://beacon.example/x>x</a>", "[x](ms-msdt:/id)", "<svg onload=alert(1)>", "`</code><script>alert(1)</script>",
		"**<img src=https://beacon.example/x.png>**", "| <svg onload=alert(1)> | b |\n|---|---|\n| <a href=x> | c |", "- <script>alert(1)</script>\n  1. [x](javascript:alert(1))", "```\n</pre><script>alert(1)</script>\n```", "## <a href=x>", "> <img src=x>"}
	told(t, a, "s1", len(hostile), func(i int) (string, string) { return hostile[i], hostile[i] + " said the model" })
	for _, format := range []string{"md", "html"} {
		e, err := a.Export(app.ExportQuery{Session: "s1", Format: format, Trace: true})
		if err != nil {
			t.Fatal(err)
		}
		out := exported(t, e)
		live := []string{"![", "](", "<img", "<svg", "<script", "<a "}
		if format == "html" {
			live = live[2:] // the others are text there
		}
		for _, what := range live {
			if strings.Contains(out, what) {
				t.Errorf("%s has %q", format, what)
			}
		}
	}
}

// "The end of the sentence that I approved was not shown."
func TestThreat14_LongDialogTextIsShownInFull(t *testing.T) {
	lines := make([]string, 10_000)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d **x** <b>", i)
	}
	args, err := json.Marshal(map[string]string{"note": strings.Join(lines, "\n")})
	if err != nil {
		t.Fatal(err)
	}
	text := app.ApprovalText("en", app.ApprovalView{Approval: ledger.Approval{ID: "ap", Title: "Write a note\nstatus     approved", Args: args}}, record.When)
	if !strings.Contains(text, "line 9999 **x**") || !strings.Contains(text, "line 5000 ") {
		t.Error("the arguments are cut")
	}
	if !strings.HasPrefix(text, "Write a note⟨U+000A⟩status     approved\n") {
		t.Errorf("a title makes a line of its own: %q", text[:80])
	}
}

// "It said until when I could have decided, and neither when I did nor why it is no longer asked."
func TestApprovals_OneThatIsOverSaysWhenAndWhy(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)
	when := func(at time.Time) string { return at.Format(time.RFC3339) }
	base := ledger.Approval{ID: "ap", Title: "Write a note", Args: json.RawMessage("{}"), RequestedAt: at, ExpiresAt: at.Add(time.Hour)}
	decided := at.Add(time.Minute)
	for name, c := range map[string]struct {
		status    ledger.Status
		decided   *time.Time
		view      app.ApprovalView
		has, lack string
	}{
		"waits":              {status: ledger.Pending, has: "expires       2026-03-01T10:30", lack: "decided"},
		"void":               {status: ledger.Void, view: app.ApprovalView{Why: "The record changed."}, has: "The record changed.", lack: "expires"},
		"void by the turn":   {status: ledger.Void, has: "The turn that asked was stopped or given up.", lack: "expires"},
		"rejected":           {status: ledger.Rejected, decided: &decided, has: "decided       2026-03-01T09:31", lack: "expires"},
		"expired":            {status: ledger.Expired, has: "expired       2026-03-01T10:30", lack: "expires"},
		"approved, not done": {status: ledger.Used, decided: &decided, view: app.ApprovalView{Outcome: ledger.Refused, Why: "The slot is taken."}, has: "not done      The slot is taken.", lack: "expires"},
	} {
		c.view.Approval = base
		c.view.Status, c.view.DecidedAt = c.status, c.decided
		if text := app.ApprovalText("en", c.view, when); !strings.Contains(text, c.has) || strings.Contains(text, c.lack) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// "A small file took all memory."
func TestThreat26_AYAMLBombIsRefused(t *testing.T) {
	a := openApp(t, t.TempDir(), 0)
	defer closeApp(t, a)
	bomb := "name: x\nstart: a\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 12; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	var before, mem runtime.MemStats
	runtime.ReadMemStats(&before)
	_, problems, err := a.PreviewAgent(bomb)
	runtime.ReadMemStats(&mem)
	if err != nil && len(problems) == 0 {
		t.Logf("refused: %v", err)
	} else if len(problems) == 0 {
		t.Error("a bomb is taken for a graph")
	}
	if took := mem.TotalAlloc - before.TotalAlloc; took > 128<<20 {
		t.Errorf("%d MB were taken", took>>20)
	}
}

// "The clock had fallen back to 1969, and nothing said so." "It would not start, and yet it
// left a data folder."
func TestOpen_AClockBefore1970IsAClearErrorAndLeavesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	_, err := app.Open(app.Options{Dir: dir, Practice: true, Now: func() time.Time { return time.Date(1969, 7, 20, 20, 17, 0, 0, time.UTC) }})
	if f := app.AsFault(err); f.Code != "clock" || f.Hint == "" || !strings.Contains(f.Message, "1970") {
		t.Errorf("%+v", f)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data folder is there: %v", err)
	}
}

// "I got an error with no word of what to do, and with my folder's name in it."
func TestFault_AFullDiskIsNamedAndNoFolderIs(t *testing.T) {
	dir := t.TempDir()
	full := &os.PathError{Op: "write", Path: dir + "/My Clinic/holdpoint.db", Err: syscall.ENOSPC}
	if f := app.AsFault(fmt.Errorf("store: commit: %w (%w)", full, store.ErrLatched)); f.Code != "disk_full" || f.Hint == "" || f.Safe == "" {
		t.Errorf("%+v", f)
	}
	other := &os.PathError{Op: "open", Path: dir + "/My Clinic/holdpoint.db", Err: syscall.EIO}
	if f := app.AsFault(fmt.Errorf("store: %w", other)); strings.Contains(f.Message, dir) || strings.Contains(f.Message, "Clinic/") || !strings.Contains(f.Message, "holdpoint.db") {
		t.Errorf("%+v", f)
	}
}

// "I named a file as the data folder, and it spoke of mkdir."
func TestOpen_AFileInPlaceOfTheDataFolderIsSaidPlainly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		_, err := app.Open(app.Options{Dir: dir})
		if f := app.AsFault(err); f.Code != "bad_request" || !strings.Contains(f.Message, "data folder") || !strings.Contains(f.Hint, "--data") || strings.Contains(f.Message, "mkdir") {
			t.Errorf("%s: %+v", dir, f)
		}
		_, err = store.Check(app.StorePath(dir))
		if f := app.AsFault(err); !strings.Contains(f.Message, "file") || strings.Contains(f.Message, "stat ") || f.Hint == "" {
			t.Errorf("check of %s: %+v", dir, f)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "mine" {
		t.Errorf("the file: %q, %v", got, err)
	}
}

// "The folder is on a read-only disk, and I could not even read in it."
func TestReadOnly_EverythingCanBeReadExportedAndDiagnosed(t *testing.T) {
	dir := t.TempDir()
	a := openApp(t, dir, 0)
	told(t, a, "s1", 2, func(int) (string, string) { return "How did she sleep?", "Well." })
	sample(t, a)
	request := askIn(t, a, app.TurnRequest{Patient: "pat-alder", Text: "Please book me a visit for my insomnia next week", Practice: true})
	waits, err := a.Approvals("pending")
	if err != nil || len(waits) != 1 {
		t.Fatalf("%d requests of %v wait: %v", len(waits), request, err)
	}
	closeApp(t, a)
	db, err := store.OpenReadOnly(app.StorePath(dir))
	if err != nil {
		t.Fatal(err)
	}
	if a, err = app.New(db, app.Options{Dir: dir, Practice: true}); err != nil {
		t.Fatal(err)
	}
	defer closeApp(t, a)
	e, err := a.Export(app.ExportQuery{Session: "s1"})
	if err != nil || !strings.Contains(exported(t, e), "Well.") {
		t.Errorf("export: %v", err)
	}
	if list, _, err := a.Sessions(store.SessionQuery{}); err != nil || len(list) != 2 {
		t.Errorf("sessions: %v", err)
	}
	if _, err := a.Approvals("pending"); err != nil {
		t.Errorf("approvals: %v", err)
	}
	// "The doctor said that all was well with a store that I could not write to."
	if checks := a.Doctor(t.Context()); len(checks) == 0 || checks[0].ID != "store" || checks[0].OK || !strings.Contains(checks[0].Detail, "cannot be written") || !strings.Contains(checks[0].Fix, "writable") {
		t.Errorf("the doctor: %+v", checks)
	}
	// "It said that nothing can be changed, when I only wanted to export a request."
	_, err = a.ExportRequest(waits[0].ID)
	if f := app.AsFault(err); f.Code != "read_only" || !strings.Contains(f.Message, "key") || !strings.Contains(f.Hint, "approvals show") {
		t.Errorf("a request: %+v", f)
	}
	// "It started my server, and then said that it could not keep it."
	started := filepath.Join(dir, "started")
	_, err = a.AddServer(t.Context(), app.AddServer{Config: mcp.Config{Title: "Notes", Transport: mcp.Stdio, Command: "/bin/sh", Args: []string{"-c", "touch " + started}}})
	if f := app.AsFault(err); f.Code != "read_only" {
		t.Errorf("a server: %+v", f)
	}
	if _, err := os.Stat(started); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the server was started: %v", err)
	}
	if err := a.Rename("s1", "x"); app.AsFault(err).Code != "read_only" {
		t.Errorf("a change: %v", err)
	}
}

// "I pasted a file that was no text, and it spoke of an admission." A message of bytes that
// are no UTF-8 is taken as far as it is text; one that is mostly escapes in JSON as well.
func TestBadInput_AMessageOfBytesThatAreHardlyText(t *testing.T) {
	a := openApp(t, t.TempDir(), 0)
	defer closeApp(t, a)
	for name, text := range map[string]string{"short": "a\xff\xfe b", "long": strings.Repeat("a\xff\xfe ", 10_000), "replaced": strings.Repeat("a\uFFFD ", 10_000),
		"quotes": strings.Repeat("\"\n", 30_000), "control": "a" + strings.Repeat("\x01", 60_000), "chinese": strings.Repeat("睡眠", 10_000)} {
		s := askIn(t, a, app.TurnRequest{Session: name, Text: text, Practice: true})
		if row, err := a.Store.Run(app.RunID(s.Turn)); err != nil || row.Input != strings.ToValidUTF8(text, "\uFFFD") {
			t.Errorf("%s: it is kept as %.20q (%v)", name, row.Input, err)
		}
	}
}
