package command_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// onTerminal runs the program at a terminal of its own and returns all that it wrote there.
func (x terminal) onTerminal(args ...string) string {
	x.t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		x.t.Skip("no terminals here: ", err)
	}
	defer ours.Close()
	n, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		x.t.Fatal(err)
	}
	theirs, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		x.t.Skip("no terminals here: ", err)
	}
	cmd := x.command(args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	if err := cmd.Start(); err != nil {
		x.t.Fatal(err)
	}
	_ = theirs.Close()
	said, _ := io.ReadAll(ours) // it ends with an error once nobody holds the other end
	_ = cmd.Wait()
	return string(said)
}

// "I ran it for the first time, and it never asked where I am." At a terminal it says how the region is
// chosen until it is; in a pipe it never does.
func TestRun_SaysAtATerminalHowTheRegionIsChosen(t *testing.T) {
	x := inClinic(t)
	run := []string{"run", "--practice", "Which medicines does she take?"}
	if got := x.want(0, run...); strings.Contains(got.err+got.out, "No region is chosen") {
		t.Errorf("in a pipe: %s", got.err)
	}
	if said := x.onTerminal(run...); !strings.Contains(said, "holdpoint settings set region CODE") {
		t.Errorf("at a terminal: %s", said)
	}
	x.want(0, "settings", "set", "region", "FR")
	if said := x.onTerminal(run...); strings.Contains(said, "No region is chosen") || !strings.Contains(said, "Practice mode") {
		t.Errorf("once it is chosen: %s", said)
	}
}
