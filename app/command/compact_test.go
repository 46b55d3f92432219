package command_test

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/session"
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

// "I deleted all that he had said, and compacted. His name was in the file, and what he had told it." Nothing that a
// person typed is left once their sessions are deleted: no message, comment, changed argument, title, correction,
// draft or search, and no name that was given with a consent. Who approved what stays, by name, as the deletion says.
func TestCommand_CompactLeavesNothingThatAPersonTyped(t *testing.T) {
	x := inClinic(t)
	const canary = "zanzibarquokka"
	has := func() string {
		t.Helper()
		body, err := os.ReadFile(app.StorePath(x.data))
		if err != nil {
			t.Fatal(err)
		}
		body = bytes.ToLower(body)
		if at := bytes.Index(body, []byte(canary)); at >= 0 {
			return string(body[max(0, at-100):min(len(body), at+100)])
		}
		return ""
	}
	said := "I cannot sleep, says " + canary
	talk := []string{"run", "--practice", "--agent", "companion", "--var", "audience=teen", "--var", "language=en", "--var", "person=Zanzibarquokka"}
	for _, session := range []string{"c1", "c2"} {
		x.want(0, append(slices.Clone(talk), "--session", session, said)...)
	}
	x.want(0, "sessions", "consent", "c1", "withdraw", "--delete")
	for _, verdict := range []string{"approve", "reject", "modify"} {
		session := "n-" + verdict
		x.want(3, "run", "--practice", "--agent", "navigator", "--session", session, "--var", "patient=pat-alder", "Please book a visit for the insomnia next week, says "+canary)
		id := lines(t, x.want(0, "approvals", "list", "--status", "pending", "--json").out)[0].text("id")
		args := []string{"approvals", verdict, id, "--reviewer", "Test Reviewer", "--comment", canary + " said so"}
		if verdict == "modify" {
			continue // it waits when its session is deleted
		}
		x.want(0, args...)
	}
	x.open(func(a *app.App) {
		if err := errors.Join(a.Rename("n-modify", "About "+canary), a.SaveDraft("n-reject", canary+" also")); err != nil {
			t.Fatal(err)
		}
	})
	if has() == "" {
		t.Fatal("there is nothing to find")
	}
	x.want(0, "sessions", "delete", "c1")
	if got := lines(t, x.want(0, "sessions", "consent", "c2", "--json").out); got[0].text("scope") != session.PendingConsent {
		t.Errorf("what they said last went with a session that is not their last: %v", got)
	}
	for _, id := range []string{"c2", "n-approve", "n-reject", "n-modify"} {
		x.want(0, "sessions", "delete", id)
	}
	x.want(0, "compact")
	if found := has(); found != "" {
		t.Errorf("left is %q", found)
	}
	x.want(0, "check")
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
