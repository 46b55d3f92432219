package command_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/journal"
	"holdpoint/store"
)

// TestCommand_CtrlCLeavesAConsistentTranscript interrupts a turn at some of its
// events: it ends soon and in a way that has a name.
func TestCommand_CtrlCLeavesAConsistentTranscript(t *testing.T) {
	for _, n := range []int{1, 8, 20, 34, 47, 60} {
		t.Run(fmt.Sprintf("at line %d", n), func(t *testing.T) {
			t.Parallel()
			x := inClinic(t)
			cmd := x.command(booking...)
			pipe, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			r, printed := bufio.NewReader(pipe), 0
			var interrupted time.Time
			for {
				if _, err := r.ReadString('\n'); err == io.EOF {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				if printed++; printed == n {
					interrupted = time.Now()
					if err := cmd.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
						t.Fatal(err)
					}
				}
			}
			var exit *exec.ExitError
			if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			// A second is the promise; what is found here is that it waits for something,
			// however busy the machine is.
			if took := time.Since(interrupted); took > 30*time.Second {
				t.Errorf("it went on for %v", took)
			}
			x.open(func(a *app.App) {
				list := sessionJournal(t, a, "s1")
				last := list[len(list)-1].Kind
				want := map[journal.Kind]int{journal.TurnCancelled: 1, journal.TurnPaused: 3}
				if code, ok := want[last]; !ok || code != cmd.ProcessState.ExitCode() {
					t.Errorf("the journal ends with %s, exit %d", last, cmd.ProcessState.ExitCode())
				}
				if printed != len(list) {
					t.Errorf("%d events were printed, the journal has %d", printed, len(list))
				}
				waiting, err := a.Approvals("pending")
				if err != nil || (last == journal.TurnPaused) != (len(waiting) == 1) {
					t.Errorf("%d approvals wait after %s (%v)", len(waiting), last, err)
				}
			})
			if rep, err := store.Check(app.StorePath(x.data)); err != nil || len(rep.Problems) > 0 {
				t.Errorf("check: %v %v", err, rep.Problems)
			}
		})
	}
}

// TestCommand_TwoTurnsWaitForTheSameSlot approves both: one visit is booked, the
// other turn says why not.
func TestCommand_TwoTurnsWaitForTheSameSlot(t *testing.T) {
	x := inClinic(t)
	first := lines(t, x.want(3, booking...).out)[0].text("turn")
	second := lines(t, x.want(3, booking...).out)[0].text("turn")
	pending := lines(t, x.want(0, "approvals", "list", "--json").out)
	if len(pending) != 2 {
		t.Fatalf("%d approvals wait", len(pending))
	}
	for _, p := range pending {
		x.want(0, "approvals", "approve", p.text("id"), "--reviewer", "Test Reviewer")
	}
	x.want(0, "resume", first, "--json")
	events := lines(t, x.want(0, "resume", second, "--json").out)
	if last := events[len(events)-1].text("text"); !strings.Contains(last, "not possible") || !strings.Contains(last, "already booked") && !strings.Contains(last, "another appointment") {
		t.Errorf("the second turn says %q", last)
	}
	if list := lines(t, x.want(0, "records", "list", "Appointment", "--json").out); len(list) != 1 {
		t.Errorf("%d appointments", len(list))
	}
	x.want(0, "check")
}
