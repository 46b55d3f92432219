package command_test

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"holdpoint/app"
)

// TestCommand_CompactLeavesNothingOfADeletedSession looks for its words in the file.
func TestCommand_CompactLeavesNothingOfADeletedSession(t *testing.T) {
	x := inClinic(t)
	const canary = "zanzibar-quokka-7731"
	inFile := func() bool {
		t.Helper()
		body, err := os.ReadFile(app.StorePath(x.data))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(body), canary)
	}
	x.want(0, "run", "--practice", "--session", "s1", "--var", "patient=pat-alder", "I dreamt of "+canary+" again")
	x.want(0, "run", "--practice", "--session", "s2", "Hello")
	if !inFile() {
		t.Fatal("the session left nothing that could be found")
	}
	x.want(0, "sessions", "delete", "s1")
	got := lines(t, x.want(0, "compact", "--json").out)
	needs(t, got, "before", "after")
	before, _ := got[0]["before"].(float64)
	after, _ := got[0]["after"].(float64)
	if info, err := os.Stat(app.StorePath(x.data)); err != nil || after != float64(info.Size()) || after >= before {
		t.Errorf("it says %v, the file has %d bytes (%v)", got, info.Size(), err)
	}
	if inFile() {
		t.Error("the canary is still in the file")
	}
	if entries, err := os.ReadDir(x.data); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v (%v)", entries, err)
	}
	x.want(0, "check")
	if got := x.want(0, "compact"); got.out != "" || !strings.Contains(got.err, "bytes") {
		t.Errorf("for people: %q, %q", got.out, got.err)
	}
	if sessions := lines(t, x.want(0, "sessions", "list", "--json").out); len(sessions) != 1 || sessions[0].text("id") != "s2" {
		t.Errorf("sessions: %v", sessions)
	}
}

func TestCommand_CompactSaysThatAnotherProcessHasTheStore(t *testing.T) {
	x := inClinic(t)
	serve, _ := x.served()
	if got := x.run("compact", "--json"); got.code != 1 || got.out != "" || !strings.Contains(got.err, "Another Holdpoint") || !strings.Contains(got.err, "do:") {
		t.Errorf("exit %d: %s%s", got.code, got.out, got.err)
	}
	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := serve.Wait(); err != nil {
		t.Error(err)
	}
	x.want(0, "compact")
	empty := newTerminal(t)
	if got := empty.run("compact"); got.code != 1 {
		t.Errorf("without a store: exit %d", got.code)
	}
	if entries, err := os.ReadDir(empty.data); err != nil || len(entries) != 0 {
		t.Errorf("compacting made %v (%v)", entries, err)
	}
}
