package command_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"holdpoint/app/command"
	"holdpoint/engine/agent"
	"holdpoint/engine/agents"
	"holdpoint/engine/agents/agenttest"
)

// asProgram makes the tests' own binary the program, with one agent more.
const asProgram = "HOLDPOINT_TEST_PROGRAM"

func programWithAnotherAgent() int {
	return command.Main(os.Args[1:], command.Options{Version: "test", Agents: []agent.New{agenttest.New}})
}

// atTheWells has a data folder with two wells, and the program with the agent that
// knows them.
func atTheWells(t *testing.T) terminal {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	x := newTerminal(t)
	x.program, x.env = self, []string{asProgram + "=1"}
	file := filepath.Join(t.TempDir(), "wells.csv")
	if err := os.WriteFile(file, []byte("w-1,Erika 1,North\nw-2,Erika 2,North\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x.want(0, "records", "import", file)
	return x
}

// TestAgents_OneMoreIsOneFolderAndOneLine books through the whole program with an agent
// that only its own package and the registry know.
func TestAgents_OneMoreIsOneFolderAndOneLine(t *testing.T) {
	x := atTheWells(t)
	wells := lines(t, x.want(0, "records", "list", "Well", "--json").out)
	if len(wells) != 2 {
		t.Fatalf("%v", wells)
	}
	if all := lines(t, x.want(0, "agents", "list", "--json").out); len(all) != len(agents.BuiltIn())+1 || all[len(all)-1].text("id") != agenttest.Name {
		t.Errorf("%v", all)
	}
	m := lines(t, x.want(0, "agents", "show", agenttest.Name).out)[0]
	if m.text("agent") != agenttest.Name || len(m["stages"].([]any)) != 3 || len(m["tools"].([]any)) != 2 || m.text("fingerprint") == "" {
		t.Errorf("%v", m)
	}

	events := lines(t, x.want(3, "run", "--practice", "--agent", agenttest.Name, "--session", "s1", "--subject", "Well/w-1", "--json", "Inspect the well: no leak").out)
	for _, kind := range []string{"turn_started", "safety_checked", "tool_completed", "approval_requested", "turn_paused"} {
		if count(events, "kind", kind) != 1 {
			t.Errorf("%d events of kind %s", count(events, "kind", kind), kind)
		}
	}
	pending := lines(t, x.want(0, "approvals", "list", "--json").out)
	if len(pending) != 1 || pending[0].text("tool") != agenttest.FileInspection {
		t.Fatalf("%v", pending)
	}
	if got := x.want(0, "records", "list", agenttest.Inspection, "--json").out; got != "" {
		t.Errorf("an inspection was filed before anybody approved it: %s", got)
	}
	x.want(0, "approvals", "approve", pending[0].text("id"), "--reviewer", "Test Reviewer")
	turn := pending[0].text("turn")
	x.want(0, "resume", turn, "--json")
	x.want(0, "resume", turn) // a second time runs nothing

	filed := lines(t, x.want(0, "records", "list", agenttest.Inspection, "--json").out)
	if len(filed) != 1 || filed[0].text("description") != "no leak" {
		t.Fatalf("%v", filed)
	}
	x.want(0, "records", "show", agenttest.Inspection+"/"+filed[0].text("id"))
	session := lines(t, x.want(0, "sessions", "list", "--json").out)[0]
	if session.text("subject") != "Well/w-1" || session.text("subject_name") != "Erika 1" || session.text("agent") != agenttest.Name || session["patient"] != nil {
		t.Errorf("%v", session)
	}
	for _, format := range []string{"md", "html", "json"} {
		out := filepath.Join(t.TempDir(), "transcript")
		x.want(0, "export", "s1", "--format", format, "-o", out)
		body, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"Erika 1", "w-1", "no leak", "Test Reviewer", agenttest.FileInspection, filed[0].text("id")} {
			if !strings.Contains(string(body), want) {
				t.Errorf("the %s transcript lacks %q", format, want)
			}
		}
	}
	// An open agent may call its tools, too.
	r := lines(t, x.want(0, "agents", "show", "reasoner").out)[0]
	if !slices.ContainsFunc(r["tools"].([]any), func(v any) bool { return v.(map[string]any)["name"] == agenttest.FileInspection }) {
		t.Error("the reasoner does not have the tools of the other agent")
	}
	x.want(0, "check")
}

// "I asked without choosing a well, and was told “/: record not found”." A tool says what is to be chosen.
func TestRun_AToolWithoutASubjectSaysWhatToChoose(t *testing.T) {
	x := atTheWells(t)
	events := lines(t, x.want(0, "run", "--practice", "--agent", agenttest.Name, "--session", "s1", "--json", "Inspect the well: no leak").out)
	for _, e := range events {
		if e.text("kind") == "tool_failed" || e.text("kind") == "tool_refused" && e.text("reason") != "no well is selected; choose one first" {
			t.Errorf("%s: %s%s", e.text("tool"), e.text("reason"), e.text("error"))
		}
	}
	if count(events, "kind", "tool_refused") == 0 {
		t.Error("nothing was refused")
	}
}

func TestRun_ASubjectIsAnyRecord(t *testing.T) {
	x := atTheWells(t)
	inspect := func(code int, args ...string) said {
		t.Helper()
		return x.want(code, append(append([]string{"run", "--practice", "--agent", agenttest.Name}, args...), "hello")...)
	}
	for name, args := range map[string][]string{
		"no such record":            {"--subject", "Well/w-9"},
		"no reference":              {"--subject", "w-1"},
		"another type":              {"--subject", "Weird Type/w-1"},
		"two subjects":              {"--subject", "Well/w-1", "--var", "subject=Well/w-2"},
		"a well and a patient":      {"--subject", "Well/w-1", "--var", "patient=w-1"},
		"an unknown patient":        {"--var", "patient=nobody"},
		"a type of another agent's": {"--agent", "navigator", "--subject", "Well/w-1"},
	} {
		if got := inspect(2, args...); !strings.Contains(got.err, "do:") {
			t.Errorf("%s: %s", name, got.err)
		}
	}
	if list := x.want(0, "sessions", "list", "--json").out; list != "" {
		t.Errorf("something ran: %s", list)
	}
	inspect(0, "--session", "s", "--subject", "Well/w-1", "--var", "subject=Well/w-1")
	inspect(0, "--session", "s") // goes on about the same
	for _, turn := range lines(t, x.want(0, "sessions", "show", "s", "--json").out) {
		if turn.text("kind") == "turn_started" && turn["data"].(map[string]any)["vars"].(map[string]any)["subject"] != "Well/w-1" {
			t.Errorf("%v", turn)
		}
	}
}

// TestRun_VarPatientIsTheSubject holds what scripts wrote before there were subjects.
func TestRun_VarPatientIsTheSubject(t *testing.T) {
	x := inClinic(t)
	for _, args := range [][]string{{"--var", "patient=pat-alder"}, {"--subject", "Patient/pat-alder"}, {"--subject", "Patient/pat-alder", "--var", "patient=pat-alder"}} {
		y := x.copy(t)
		y.want(0, append(append([]string{"run", "--practice", "--session", "s"}, args...), "Good morning")...)
		s := lines(t, y.want(0, "sessions", "list", "--json").out)[0]
		if s.text("subject") != "Patient/pat-alder" || s.text("patient") != "pat-alder" || s.text("patient_name") == "" || s.text("patient_name") != s.text("subject_name") {
			t.Errorf("%v: %v", args, s)
		}
		events := lines(t, y.want(0, "sessions", "show", "s", "--json").out)
		vars := events[0]["data"].(map[string]any)["vars"].(map[string]any)
		if vars["patient"] != "pat-alder" || vars["subject"] != "Patient/pat-alder" {
			t.Errorf("%v: the run's vars are %v", args, vars)
		}
	}
}
