package store

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
)

// A test that needs another process runs this binary again with a role.
const roleEnv = "HOLDPOINT_STORE_ROLE"

var roles = map[string]func(args []string) error{
	"writer": writerRole,
	"holder": holderRole,
	"reader": readerRole,
}

func TestMain(m *testing.M) {
	role, ok := os.LookupEnv(roleEnv)
	if !ok {
		os.Exit(m.Run())
	}
	args := strings.Split(role, "\n")
	if err := roles[args[0]](args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func child(t *testing.T, role ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), roleEnv+"="+strings.Join(role, "\n"))
	cmd.Stderr = os.Stderr
	return cmd
}

func killSelf() error {
	p, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	if err := p.Kill(); err != nil {
		return err
	}
	select {} // the signal is on its way
}

// writerRole writes step after step and prints the number of each that was acknowledged.
// It kills itself before or after the n-th commit, or writes until it is killed.
func writerRole(args []string) error {
	path, when := args[0], args[1]
	kill, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	db, err := Open(path)
	if err != nil {
		return err
	}
	commits := 0
	die := func() error {
		if commits++; commits == kill {
			return killSelf()
		}
		return nil
	}
	switch when {
	case "before":
		db.beforeCommit = die
	case "after":
		db.afterCommit = die
	}
	if _, err := db.Run("r"); errors.Is(err, run.ErrNoRun) {
		if err := admitRow(db, newRun("r", "s"), nil, events(journal.TurnStarted)); err != nil {
			return err
		}
		fmt.Println("admitted")
	}
	cp, err := db.Acquire("r")
	if err != nil {
		return err
	}
	row := cp.Run
	for n := row.Step + 1; ; n++ {
		row.Step = n
		id := fmt.Sprint("a", n)
		if err := db.Apply(&run.Commit{Run: "r", LeaseEpoch: cp.Run.LeaseEpoch, Row: &row,
			Set:    chans("n", fmt.Sprint(n), "big", `"`+strings.Repeat("x", 700*(n%9))+`"`),
			Events: events(journal.StageStarted, journal.StageCompleted),
			Do: graph.In(func(tx Tx, _ graph.Tell) error {
				a, err := newApproval(id, "s")
				if err != nil {
					return err
				}
				a.Status = ledger.Used
				r, err := newRecord("Appointment", id, fmt.Sprintf(`{"n":%d,"participant":[{"actor":{"reference":"Patient/p"}}]}`, n))
				if err != nil {
					return err
				}
				return errors.Join(tx.PutApproval(a), tx.PutEntry(entryOf(a, ledger.Committed)), tx.PutRecord(r))
			})}); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// recovered checks a store after a kill: sound, nothing acknowledged is missing,
// and at most the one step under way is there besides.
func recovered(t *testing.T, path string, acked int) int {
	t.Helper()
	r, err := Check(path)
	if acked < 0 && errors.Is(err, fs.ErrNotExist) {
		return acked // killed before there was a store
	}
	must(t, err)
	if len(r.Problems) > 0 {
		t.Fatalf("the check found %q", r.Problems)
	}
	db := openFile(t, path)
	defer func() { must(t, db.Close()) }()
	row, err := db.Run("r")
	if errors.Is(err, run.ErrNoRun) && acked < 0 {
		return acked
	}
	must(t, err)
	if row.Step < acked || row.Step > max(acked, 0)+1 {
		t.Fatalf("acknowledged %d, recovered %d", acked, row.Step)
	}
	n := 0
	must(t, db.Read(func(tx Tx) error {
		for ; n < row.Step; n++ {
			id := fmt.Sprint("a", n+1)
			a, err := tx.Approval(id)
			must(t, err)
			e, err := tx.Entry(a.Call)
			must(t, err)
			_, err = tx.Record(record.Ref{Type: "Appointment", ID: id})
			must(t, err)
			if a.Status != ledger.Used || e.State != ledger.Committed {
				t.Errorf("step %d: approval %s, call %s", n+1, a.Status, e.State)
			}
		}
		types, err := tx.RecordTypes()
		if types["Appointment"] != row.Step {
			t.Errorf("%d effects of %d steps", types["Appointment"], row.Step)
		}
		return err
	}))
	if seq, err := db.LastSeq("s"); err != nil || seq != uint64(1+2*row.Step) {
		t.Errorf("last seq %d, %v", seq, err)
	}
	return row.Step
}

func TestKill_AtEveryCommitPointLosesNothingAcknowledged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holdpoint.db")
	acked := -1 // not even admitted
	for n := 1; n <= 6; n++ {
		for _, when := range []string{"before", "after"} {
			out, err := child(t, "writer", path, when, fmt.Sprint(n)).Output()
			if err == nil {
				t.Fatal("the child was not killed")
			}
			acked = lastAck(t, string(out), acked)
			acked = max(acked, recovered(t, path, acked))
		}
	}
}

func lastAck(t *testing.T, out string, acked int) int {
	t.Helper()
	for _, line := range strings.Fields(out) {
		if line == "admitted" {
			acked = max(acked, 0)
			continue
		}
		n, err := strconv.Atoi(line)
		must(t, err)
		if n <= acked {
			t.Errorf("step %d was done twice", n)
		}
		acked = n
	}
	return acked
}

func TestKill_AtRandomMomentsLosesNothingAcknowledged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holdpoint.db")
	acked := -1
	for i := range 8 {
		cmd := child(t, "writer", path, "never", "0")
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for range rand.IntN(25) + i%2 {
			if !lines.Scan() {
				break
			}
			acked = lastAck(t, lines.Text(), acked)
		}
		for range rand.IntN(2000) { // somewhere inside a commit
			runtime.Gosched()
		}
		must(t, cmd.Process.Kill())
		for lines.Scan() { // acknowledged before the signal arrived
			acked = lastAck(t, lines.Text(), acked)
		}
		if cmd.Wait() == nil {
			t.Fatal("the child was not killed")
		}
		acked = max(acked, recovered(t, path, acked))
	}
}
