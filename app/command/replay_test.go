package command_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// "I asked for another answer from the same reading, and it showed me a list again."
func TestReplay_ATurnIsCarriedOutAgainFromACheckpoint(t *testing.T) {
	x := inClinic(t)
	ask := []string{"run", "--practice", "--agent", "navigator", "--session", "s1", "--subject", "Patient/pat-alder", "--json", "I'd like to see someone about my sleep"}
	old := lines(t, x.want(0, ask...).out)
	turn, reply := old[0].text("turn"), old[len(old)-1].text("text")
	if reply == "" {
		t.Fatalf("the turn ended without a reply: %v", old[len(old)-1])
	}
	points := lines(t, x.want(0, "replay", turn, "--json").out)
	from := slices.IndexFunc(points, func(o object) bool { return fmt.Sprint(o["next"]) == "[navigator/think]" })
	if from < 0 {
		t.Fatalf("no checkpoint before the reply: %v", points)
	}
	step := fmt.Sprint(points[from]["step"])
	before := x.want(0, "sessions", "show", "s1", "--json").out
	if got := x.want(0, "replay", turn).err; !strings.Contains(got, step+"  next: navigator/think") {
		t.Errorf("the list for a person: %s", got)
	}
	if now := x.want(0, "sessions", "show", "s1", "--json").out; now != before {
		t.Error("listing the checkpoints ran something")
	}

	again := lines(t, x.want(0, "replay", turn, "--from", step, "--json").out)
	first, last := again[0], again[len(again)-1]
	if first.text("kind") != "turn_started" || first.text("session") != "s1" || first.text("turn") == turn || last.text("kind") != "turn_completed" || last.text("text") != reply {
		t.Errorf("the replay went from %v to %v; the reply was %q", first, last, reply)
	}
	if said := fmt.Sprint(first["data"]); !strings.Contains(said, turn) {
		t.Errorf("it does not say what it replays: %s", said)
	}
	// What was done before the checkpoint is kept, what comes after it is done again.
	for stage, want := range map[string]bool{"preflight": false, "context_assembly": false, "navigator/think": true, "finalize": true} {
		ran := slices.ContainsFunc(again, func(e object) bool { return e.text("kind") == "stage_started" && e.text("stage") == stage })
		if ran != want {
			t.Errorf("%s ran: %v", stage, ran)
		}
	}
	// The old turn stays as it was, and the new one is in the session.
	if now := x.want(0, "sessions", "show", "s1", "--json").out; !strings.HasPrefix(now, before) || count(lines(t, now), "kind", "turn_completed") != 2 {
		t.Errorf("the session is %s", now)
	}
	// A person reads the reply.
	if got := x.want(0, "replay", turn, "--from", step); !strings.Contains(got.out, strings.Fields(reply)[0]) {
		t.Errorf("%s\n%s", got.out, got.err)
	}
	if got := x.want(2, "replay", turn, "--from", "99"); !strings.Contains(got.err, "99") || !strings.Contains(got.err, "  do:   ") {
		t.Errorf("a checkpoint that is none: %s", got.err)
	}
	// From before a proposal, the new turn asks for a verdict of its own.
	held := lines(t, x.want(3, booking...).out)[0].text("turn")
	x.want(3, "replay", held, "--from", step)
	if list := lines(t, x.want(0, "approvals", "list", "--json").out); len(list) != 2 {
		t.Errorf("%d approvals wait: %v", len(list), list)
	}
}
