package command_test

import (
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/store"
)

func TestCommand_AgentsShowPrintsTheManifest(t *testing.T) {
	got := newTerminal(t).want(0, "agents", "show", "navigator")
	var m struct {
		Agent, Fingerprint string
		Stages             []struct{ ID string }
		Edges              []struct{ From, To, Type, Condition string }
	}
	if err := json.Unmarshal([]byte(got.out), &m); err != nil || strings.Count(got.out, "\n") != 1 {
		t.Fatalf("not one JSON line (%v): %s", err, got.out)
	}
	if m.Agent != "navigator" || m.Fingerprint == "" || len(m.Stages) != 8 || len(m.Edges) != 12 {
		t.Errorf("agent %q, fingerprint %q, %d stages, %d edges; want 8 and 12", m.Agent, m.Fingerprint, len(m.Stages), len(m.Edges))
	}
	conditions := 0
	for _, e := range m.Edges {
		if e.From == "" || e.To == "" || e.Type == "" {
			t.Errorf("edge %+v", e)
		}
		if (e.Type == "conditional") != (e.Condition != "") {
			t.Errorf("edge %+v: a condition and the type conditional go together", e)
		}
		if e.Condition != "" {
			conditions++
		}
	}
	if conditions != 4 {
		t.Errorf("%d conditional edges, want 4", conditions)
	}
	mermaid := newTerminal(t).want(0, "agents", "show", "navigator", "--mermaid")
	if !strings.HasPrefix(mermaid.out, "flowchart") && !strings.HasPrefix(mermaid.out, "graph") && !strings.HasPrefix(mermaid.out, "stateDiagram") {
		t.Errorf("no Mermaid text: %.80s", mermaid.out)
	}
	needs(t, lines(t, newTerminal(t).want(0, "agents", "list", "--json").out), "id", "title", "description")
}

func TestCommand_ASecondImportOfTheSampleChangesNothing(t *testing.T) {
	x := newTerminal(t)
	first := lines(t, x.want(0, "records", "import", "sample", "--json").out)
	second := lines(t, x.want(0, "records", "import", "sample", "--json").out)
	for _, list := range [][]object{first, second} {
		needs(t, list[:len(list)-1], "type", "read", "created", "updated", "unchanged", "failed")
		if _, ok := list[len(list)-1]["total"]; !ok || len(list[len(list)-1]) != 1 {
			t.Errorf("last line is %v, want {total: …}", list[len(list)-1])
		}
	}
	total := func(list []object) map[string]any { return list[len(list)-1]["total"].(map[string]any) }
	if n := total(first); n["read"] != n["created"] || n["read"] == 0.0 || n["failed"] != 0.0 {
		t.Errorf("first import: %v", n)
	}
	if n := total(second); n["read"] != n["unchanged"] || n["created"] != 0.0 || n["updated"] != 0.0 || n["failed"] != 0.0 {
		t.Errorf("second import: %v", n)
	}
	patients := lines(t, x.want(0, "records", "list", "Patient", "--json").out)
	needs(t, patients, "resourceType", "id", "name")
	if len(patients) != 8 || count(patients, "resourceType", "Patient") != 8 {
		t.Errorf("%d patients", len(patients))
	}
	if one := lines(t, x.want(0, "records", "show", "Patient/pat-alder").out); one[0].text("id") != "pat-alder" {
		t.Errorf("show printed %v", one)
	}
}

func TestCommand_BenchSafetyEndsWithTheFigures(t *testing.T) {
	x := newTerminal(t)
	file := filepath.Join(x.data, "labelled.ndjson")
	body := `{"id":"1","text":"I want to kill myself tonight","label":"crisis"}
{"id":"2","text":["Hello there","I am going to end my life, I have the pills here"],"label":"crisis"}
{"id":"3","text":"Which therapist helps with insomnia?","label":"none"}
{"id":"4","text":["My back hurts","Can I move my visit?"],"label":"none"}
`
	if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	list := lines(t, x.want(0, "bench", "safety", file).out)
	last := list[len(list)-1]
	needs(t, list[len(list)-1:], "recall", "precision", "false_alarm_rate", "people")
	if last["recall"] != 1.0 || last["precision"] != 1.0 || last["false_alarm_rate"] != 0.0 || last["people"] != 4.0 {
		t.Errorf("figures: %v", last)
	}
}

// TestCommand_ABookingFromRunToAppointment is the whole way of a change.
func TestCommand_ABookingFromRunToAppointment(t *testing.T) {
	x := inClinic(t)
	run := x.want(3, booking...)
	events := lines(t, run.out)
	needs(t, events, "seq", "at", "session", "turn", "kind")
	for i, e := range events {
		if e["seq"] != float64(i+1) || e.text("session") != "s1" || e.text("turn") != events[0].text("turn") {
			t.Fatalf("event %d: %v", i+1, e)
		}
	}
	if first, last := events[0].text("kind"), events[len(events)-1].text("kind"); first != "turn_started" || last != "turn_paused" {
		t.Errorf("the journal goes from %s to %s", first, last)
	}
	for kind, n := range map[string]int{"approval_requested": 1, "turn_paused": 1, "mutation_committed": 0, "turn_completed": 0} {
		if got := count(events, "kind", kind); got != n {
			t.Errorf("%d %s, want %d", got, kind, n)
		}
	}
	pending := lines(t, x.want(0, "approvals", "list", "--json").out)
	needs(t, pending, "id", "session", "turn", "call", "tool", "args", "digest", "status", "requested_at", "expires_at")
	if len(pending) != 1 || pending[0].text("tool") != "book_appointment" || pending[0].text("status") != "pending" {
		t.Fatalf("pending: %v", pending)
	}
	sessions := lines(t, x.want(0, "sessions", "list", "--json").out)
	needs(t, sessions, "id", "title", "agent", "turns", "status", "updated_at")
	if len(sessions) != 1 || sessions[0].text("status") != "paused" || sessions[0]["turns"] != 1.0 {
		t.Errorf("sessions: %v", sessions)
	}
	id, turn := pending[0].text("id"), pending[0].text("turn")
	none := func(when string) {
		t.Helper()
		if out := x.want(0, "records", "list", "Appointment", "--json").out; out != "" {
			t.Fatalf("%s there is an appointment: %s", when, out)
		}
	}
	none("before a verdict")
	// Without a verdict a resume waits on, and nothing happens.
	x.want(3, "resume", turn, "--json")
	none("after a resume without a verdict")
	// A digest that is not the one shown decides nothing.
	x.want(1, "approvals", "approve", id, "--reviewer", "Test Reviewer", "--digest", "sha256:00")
	x.want(3, "resume", turn, "--json")
	none("after a verdict on another digest")

	x.want(0, "approvals", "approve", id, "--reviewer", "Test Reviewer", "--comment", "fits")
	none("before the resume")
	resumed := lines(t, x.want(0, "resume", turn, "--json").out)
	needs(t, resumed, "seq", "at", "session", "turn", "kind")
	if count(resumed, "kind", "mutation_committed") != 1 || count(resumed, "kind", "turn_completed") != 1 {
		t.Errorf("resume printed %v", resumed)
	}
	if out := x.want(0, "resume", turn, "--json").out; strings.Contains(out, "mutation_committed") {
		t.Errorf("a second resume ran it again: %s", out)
	}
	appointments := lines(t, x.want(0, "records", "list", "Appointment", "--json").out)
	if len(appointments) != 1 || appointments[0].text("status") != "booked" {
		t.Errorf("appointments: %v", appointments)
	}
	if again := x.run("approvals", "approve", id, "--reviewer", "Test Reviewer"); again.code != 1 || !strings.Contains(again.err, "do:") {
		t.Errorf("a second verdict: exit %d, %s", again.code, again.err)
	}
	all := lines(t, x.want(0, "approvals", "list", "--json", "--status", "all").out)
	if len(all) != 1 || all[0].text("status") != "used" || all[0].text("reviewer") != "Test Reviewer" || all[0].text("comment") != "fits" {
		t.Errorf("the approval says %v", all)
	}
	if stored := lines(t, x.want(0, "sessions", "show", "s1", "--json").out); count(stored, "kind", "mutation_committed") != 1 || count(stored, "kind", "approval_decided") != 1 {
		t.Errorf("the session's journal has %d mutations", count(stored, "kind", "mutation_committed"))
	}
	x.want(0, "check")
}

func TestCommand_ARejectionIsAcknowledged(t *testing.T) {
	x := inClinic(t)
	turn := lines(t, x.want(3, booking...).out)[0].text("turn")
	id := lines(t, x.want(0, "approvals", "list", "--json").out)[0].text("id")
	if got := x.run("approvals", "reject", id, "--reviewer", "Test Reviewer"); got.code == 0 {
		t.Error("a rejection without a reason was taken")
	}
	x.want(0, "approvals", "reject", id, "--reviewer", "Test Reviewer", "--comment", "she is away that week")
	events := lines(t, x.want(0, "resume", turn, "--json").out)
	last := events[len(events)-1]
	if last.text("kind") != "turn_completed" || !strings.Contains(last.text("text"), "she is away that week") {
		t.Errorf("the reply does not acknowledge the reason: %v", last)
	}
	if out := x.want(0, "records", "list", "Appointment", "--json").out; out != "" {
		t.Errorf("a rejected booking was made: %s", out)
	}
}

// "It had written my first note, waited for the second, and said that nothing was changed yet."
func TestCommand_ATurnThatWaitsSaysWhatItHasDone(t *testing.T) {
	x := inClinic(t)
	graph := x.write("two_notes.yaml", `name: two_notes
nodes:
  - {name: first, kind: tool, tool: add_care_note, arguments: {patient: pat-alder, text: first}, default_next: second}
  - {name: second, kind: tool, tool: add_care_note, arguments: {patient: pat-alder, text: second}, default_next: end}
`)
	waits := x.want(3, "run", "--practice", "--agent", graph, "two notes").err
	if !strings.Contains(waits, "Nothing was changed yet.") {
		t.Errorf("before the first note: %s", waits)
	}
	id := lines(t, x.want(0, "approvals", "list", "--json").out)[0].text("id")
	x.want(0, "approvals", "approve", id, "--reviewer", "Test Reviewer")
	turn := strings.Split(strings.TrimPrefix(id, "ap."), ".")[0]
	waits = x.want(3, "resume", turn).err
	if strings.Contains(waits, "Nothing was changed") || !strings.Contains(waits, "Already done: DocumentReference/") {
		t.Errorf("before the second note: %s", waits)
	}
	if did := x.want(0, "report", turn).err; !strings.Contains(did, "did        DocumentReference/") {
		t.Errorf("the report does not say what was done: %s", did)
	}
}

func TestCommand_AModifiedBookingRunsAsEdited(t *testing.T) {
	x := inClinic(t)
	turn := lines(t, x.want(3, booking...).out)[0].text("turn")
	before := lines(t, x.want(0, "approvals", "list", "--json").out)[0]
	args := before["args"].(map[string]any)
	args["reason"] = "a reviewer's words"
	body, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(x.data, "args.json")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
	x.want(0, "approvals", "modify", before.text("id"), "--args", file, "--reviewer", "Test Reviewer", "--comment", "clearer")
	after := lines(t, x.want(0, "approvals", "list", "--json").out)[0]
	if after.text("status") != "pending" || after.text("digest") == before.text("digest") || after["original"] == nil {
		t.Errorf("after modify: %v", after)
	}
	// The digest that was shown first is no longer good for a verdict.
	x.want(1, "approvals", "approve", before.text("id"), "--reviewer", "Test Reviewer", "--digest", before.text("digest"))
	x.want(0, "approvals", "approve", before.text("id"), "--reviewer", "Test Reviewer", "--digest", after.text("digest"))
	x.want(0, "resume", turn, "--json")
	appointments := lines(t, x.want(0, "records", "list", "Appointment", "--json").out)
	if len(appointments) != 1 || appointments[0].text("description") != "a reviewer's words" {
		t.Errorf("appointments: %v", appointments)
	}
	x.want(0, "check")
}

func TestCommand_ExitCodes(t *testing.T) {
	x := inClinic(t)
	for _, c := range []struct {
		name string
		code int
		args []string
		says string // on standard error
	}{
		{"a question is answered", 0, []string{"run", "--practice", "--json", "Hello there"}, ""},
		{"a change waits", 3, booking, ""},
		{"there is no model server", 1, []string{"run", "--json", "Hello"}, "do:"},
		{"there is no such turn", 1, []string{"resume", "nosuchturn"}, "do:"},
		{"there is no such approval", 1, []string{"approvals", "approve", "nosuch"}, "do:"},
		{"there is no such session", 1, []string{"sessions", "show", "nosuch"}, "do:"},
		{"there is no such record", 1, []string{"records", "show", "Patient/nosuch"}, "do:"},
		{"there is no such file", 1, []string{"records", "import", filepath.Join(x.data, "nosuch")}, "There is no file or folder nosuch."},
		{"there is no such agent to show", 1, []string{"agents", "show", "nosuch"}, "do:"},
		{"no such command", 2, []string{"fly"}, "--help"},
		{"no such subcommand", 2, []string{"approvals", "seal"}, "--help"},
		{"a group without a subcommand", 2, []string{"records"}, "--help"},
		{"no such flag", 2, []string{"run", "--fast", "Hello"}, "--fast"},
		{"no message", 2, []string{"run", "--practice"}, "message"},
		{"two messages", 2, []string{"run", "--practice", "Hello", "there"}, "quotes"},
		{"an empty message", 2, []string{"run", "--practice", "  "}, "do:"},
		{"a variable without a value", 2, []string{"run", "--practice", "--var", "patient", "Hello"}, "name=value"},
		{"no such agent to run", 2, []string{"run", "--practice", "--agent", "nosuch", "Hello"}, "do:"},
		{"modify without arguments", 2, []string{"approvals", "modify", "x"}, "--args"},
		{"a record without an id", 2, []string{"records", "show", "Patient"}, "TYPE/ID"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := x.run(c.args...)
			if got.code != c.code || !strings.Contains(got.err, c.says) {
				t.Errorf("holdpoint %s: exit %d, want %d; it says %q, which lacks %q", strings.Join(c.args, " "), got.code, c.code, got.err, c.says)
			}
			// "holdpoint: record: import: lstat …": whose words are these?
			if inner := regexp.MustCompile(`^holdpoint: [a-z]+: |stat |errno|%!`).FindString(got.err); inner != "" {
				t.Errorf("what a person reads begins with words of the program's own: %q", got.err)
			}
			// A message that could not be answered is kept, and so is why.
			if kept := strings.Contains(got.out, `"kind":"turn_failed"`); strings.Contains(c.name, "model server") != kept {
				t.Errorf("standard output has %q", got.out)
			} else if c.code != 0 && c.code != 3 && !kept && got.out != "" {
				t.Errorf("standard output has %q", got.out)
			}
		})
	}
}

// A person who types a flag wrong is told what it takes, and one who names a thing that is not there
// that it is not: both in words of the command line, and none of Go's or of the program's parts.
func TestCommand_SaysWhatItTakesAndWhatIsNotThere(t *testing.T) {
	x := inClinic(t)
	for _, c := range []struct {
		code int
		args []string
		says string
	}{
		{2, []string{"budgets", "set", "filing", "--tokens", "abc"}, `holdpoint: --tokens takes a whole number such as 500, not "abc": tokens read and written`},
		{2, []string{"budgets", "set", "filing", "--tokens", "99999999999999999999"}, "--tokens takes a whole number"},
		{2, []string{"budgets", "set", "filing", "--time", "3"}, `--time takes a time such as 90s, 30m or 2h, not "3"`},
		{2, []string{"budgets", "set", "filing", "--time", "-3h"}, "--time takes a time such as 90s, 30m or 2h, from 0"},
		{2, []string{"budgets", "set", "filing", "--tokens", "0"}, "--tokens has nothing in it"},
		{2, []string{"budgets", "set", "filing", "--time", "0.4s"}, "--time has nothing in it"},
		{2, []string{"checkpoints", "set", "pre_filing", "--remind", "20s", "--due", "10s"}, "remind_hours (20s) comes after due_hours (10s)"},
		{2, []string{"budgets", "set", "filing", "--cost", "dear"}, `--cost takes a number such as 2.5, not "dear"`},
		{2, []string{"resume", "x", "--more", "-3"}, "--more takes a number such as 2.5, from 0"},
		{2, []string{"sessions", "list", "--limit", "-1"}, "--limit takes a whole number"},
		{2, []string{"run", "--json=maybe", "Hello"}, `--json takes true or false, not "maybe"`},
		{2, []string{"run", "--practice=wild", "Hello"}, `--practice does not take "wild": use --practice`},
		{2, []string{"run", "--fast", "Hello"}, "there is no flag --fast; see holdpoint run --help"},
		{2, []string{"run", "-q", "Hello"}, "there is no flag -q; see holdpoint run --help"},
		{2, []string{"run", "--var"}, "--var needs a value: input of the turn"},
		{2, []string{"budgets", "set"}, "holdpoint budgets set takes AGENT [TYPE]; see holdpoint budgets set --help"},
		{1, []string{"export", "nosuch"}, "holdpoint: There is no session \"nosuch\".\n  do:   See holdpoint sessions list.\n"},
		{1, []string{"sessions", "show", `no"such`}, `There is no session "no\"such".`},
		{1, []string{"resume", "nosuch"}, `There is no turn "nosuch".`},
		{1, []string{"report", "nosuch"}, `There is no turn "nosuch".`},
		{1, []string{"approvals", "show", "nosuch"}, `There is no approval "nosuch".`},
		{1, []string{"records", "show", "Patient/nosuch"}, "There is no record Patient/nosuch."},
		{1, []string{"mcp", "remove", "nosuch"}, `There is no server or tool "nosuch".`},
	} {
		got := x.run(c.args...)
		if got.code != c.code || !strings.Contains(got.err, c.says) {
			t.Errorf("holdpoint %s: exit %d, want %d; it says %q, which lacks %q", strings.Join(c.args, " "), got.code, c.code, got.err, c.says)
		}
		if inner := regexp.MustCompile(`strconv|invalid (syntax|duration)|session: |run: |ledger: |record: `).FindString(got.err); inner != "" {
			t.Errorf("holdpoint %s says %q", strings.Join(c.args, " "), got.err)
		}
	}
}

// TestCommand_JSONKeepsStandardOutputToNDJSON tries every command that has --json.
func TestCommand_JSONKeepsStandardOutputToNDJSON(t *testing.T) {
	x := inClinic(t)
	lines(t, x.want(3, booking...).out)
	lines(t, x.want(0, "run", "--practice", "--session", "s2", "--json", "What is on my record?").out)
	id := lines(t, x.want(0, "approvals", "list", "--json").out)[0].text("id")
	for _, args := range [][]string{
		{"approvals", "show", id}, {"approvals", "list", "--status", "all"}, {"sessions", "list"}, {"sessions", "show", "s2"}, {"memory", "show", "s2"},
		{"records", "list", "Patient"}, {"agents", "list"}, {"agents", "show", "navigator"}, {"check"}, {"doctor"},
	} {
		if list := lines(t, x.want(0, append(args, "--json")...).out); len(list) == 0 {
			t.Errorf("%v printed nothing", args)
		}
	}
	// Without --json, what is for people is on standard error.
	for _, args := range [][]string{{"sessions", "list"}, {"approvals", "list"}, {"records", "list", "Patient"}, {"check"}} {
		if got := x.want(0, args...); got.out != "" || got.err == "" {
			t.Errorf("%v: standard output has %q, standard error %d bytes", args, got.out, len(got.err))
		}
	}
}

// TestCommand_ASecondProcessSaysThatTheStoreIsOpen holds the store with serve.
func TestCommand_ASecondProcessSaysThatTheStoreIsOpen(t *testing.T) {
	x := inClinic(t)
	serve, line := x.served()
	if !strings.HasPrefix(line, "http://127.0.0.1:") {
		t.Errorf("serve prints %q, want one line with the address", line)
	}
	began := time.Now()
	for _, args := range [][]string{{"sessions", "list"}, booking} {
		got := x.run(args...)
		if got.code != 1 || !strings.Contains(got.err, "do:") || got.out != "" {
			t.Errorf("%v beside it: exit %d, %q", args[0], got.code, got.err)
		}
	}
	// Each may take 2 s; what is found here is that they wait for the lock, however busy
	// the machine is.
	if took := time.Since(began); took > 40*time.Second {
		t.Errorf("two commands took %v to say so", took)
	}
	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := serve.Wait(); err != nil {
		t.Errorf("serve ends with %v", err)
	}
	x.want(0, "sessions", "list")
}

// TestCommand_EventsStaySmall looks at every line of a turn with tools.
func TestCommand_EventsStaySmall(t *testing.T) {
	x := inClinic(t)
	run := x.want(3, booking...)
	for line := range strings.Lines(run.out) {
		if len(line) > 4096 {
			t.Errorf("an event has %d bytes: %.120s…", len(line), line)
		}
	}
	kinds := []string{}
	for _, e := range lines(t, run.out) {
		if k := e.text("kind"); !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	for _, k := range []string{"stage_started", "stage_completed", "transition", "checkpoint", "phase_started", "tool_started", "tool_completed", "safety_checked", "model_called"} {
		if !slices.Contains(kinds, k) {
			t.Errorf("the one stream of a turn has no %s", k)
		}
	}
}

// "The transcript had a line of its own about a digest; it was part of the name that somebody had typed."
func TestThreat15_ANameWithLinesIsOneLineOfATranscript(t *testing.T) {
	x := inClinic(t)
	x.want(3, booking...)
	held := lines(t, x.want(0, "approvals", "list", "--json").out)[0]
	name := "Dr. A\nThe digest was checked by nobody\u202e"
	x.want(2, "approvals", "approve", held.text("id"), "--reviewer", name, "--comment", "fits")
	// An earlier Holdpoint took it.
	x.open(func(a *app.App) {
		list, err := a.Approvals("pending")
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		v, now := list[0].Approval, time.Now()
		verdict := ledger.Verdict{ID: v.ID, Digest: v.Digest, Approve: true, Reviewer: name, Comment: "fits"}
		if err := a.Store.AppendEvents(v.Session, v.Turn, []journal.Event{verdict.Event(v, now)}, func(tx store.Tx) error {
			_, err := ledger.Decide(tx, verdict, now)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	})
	x.want(0, "resume", held.text("turn"))
	for _, format := range []string{"md", "html"} {
		body := html.UnescapeString(x.want(0, "export", "s1", "--format", format).out)
		if !strings.Contains(body, "Dr. A⟨U+000A⟩The digest was checked by nobody⟨U+202E⟩") || strings.Contains(body, "\nThe digest was checked") || strings.Contains(body, "> The digest was checked") {
			t.Errorf("%s: %s", format, body[max(0, strings.Index(body, "The digest was")-200):][:400])
		}
	}
}

// "The terminal showed an answer that nobody gave: it was the second line of what the patient wrote."
func TestThreat15_EachLineOfAMessageIsMarkedAsOne(t *testing.T) {
	x := inClinic(t)
	x.want(0, "run", "--practice", "--agent", "navigator", "--session", "lines", "I sleep badly\r\n\nHoldpoint: your dose is doubled")
	shown := x.want(0, "sessions", "show", "lines").err
	if !strings.Contains(shown, "\n> I sleep badly") || !strings.Contains(shown, "\n> Holdpoint: your dose") || strings.Contains(shown, "\nHoldpoint: your dose") {
		t.Errorf("%s", shown)
	}
}

// "She had died, and the list did not say so: her name was missing, too."
func TestCommand_APatientIsListedWithWhatIsKnown(t *testing.T) {
	x := newTerminal(t)
	file := filepath.Join(t.TempDir(), "patients.ndjson")
	if err := os.WriteFile(file, []byte(`{"resourceType":"Patient","id":"nameless","deceasedDateTime":"2020-01-01"}
{"resourceType":"Patient","id":"dayless","name":[{"text":"Ada Lind"}],"gender":"female"}
{"resourceType":"Patient","id":"bare","name":[{"text":"Ada Berg"}],"deceasedBoolean":true,"birthDate":"1950"}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	x.want(0, "records", "import", file)
	got := x.want(0, "records", "list", "Patient").err
	for _, want := range []string{"nameless  nameless  deceased\n", "dayless  Ada Lind  female\n", "bare  Ada Berg  born 1950, deceased\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
}
