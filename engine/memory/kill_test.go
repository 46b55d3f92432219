package memory_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"holdpoint/engine/memory"
	"holdpoint/store"
)

// The child of the kill test is this binary with a store's path in this variable.
const childEnv = "HOLDPOINT_LAKE_CHILD"

// killsEnv is how often the kill test kills; 1000 for the figure in the changelog.
const killsEnv = "HOLDPOINT_LAKE_KILLS"

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		if err := swim(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const swimmers, sessionsEach = 4, 5

// swim accepts version after version of some sessions, printing each that was accepted,
// while the lake makes and keeps them, until somebody kills the process.
func swim(path string) error {
	db, err := store.Open(path)
	if err != nil {
		return err
	}
	l := memory.Open(memory.Options{Store: db, Make: given, Now: time.Now})
	var out sync.Mutex
	var all sync.WaitGroup
	first := time.Now().UnixNano() // later than what earlier children wrote
	for s := range swimmers {
		all.Go(func() {
			for v := first; ; v++ {
				session := fmt.Sprintf("s%d-%d", s, v%sessionsEach)
				if err := l.Accept(context.Background(), row(session, fmt.Sprintf("version %d", v))); err != nil {
					return
				}
				out.Lock()
				fmt.Println(session, v)
				out.Unlock()
			}
		})
	}
	all.Wait()
	return db.Close()
}

// "It said that it would remember that." A child is killed at random times while it accepts
// and keeps; nothing that it acknowledged is lost, and nothing is there twice.
func TestCompanion_C20_Kill9LosesNothingThatWasAcceptedAndDoublesNothing(t *testing.T) {
	kills := 24
	if n, err := strconv.Atoi(os.Getenv(killsEnv)); err == nil {
		kills = n
	} else if testing.Short() {
		kills = 6
	}
	const seed = 20261122
	t.Logf("%d kills, seed %d; %s=1000 kills more", kills, seed, killsEnv)
	random := rand.New(rand.NewPCG(seed, 1))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "holdpoint.db")
	acknowledged := map[string]int64{}
	accepted, half := 0, 0
	for i := range kills {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), childEnv+"="+path)
		cmd.Stderr = os.Stderr
		pipe, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(pipe)
		if i%4 != 0 { // every fourth may die while it starts
			if !lines.Scan() {
				t.Fatal("the child ended before it accepted anything")
			}
			note(t, acknowledged, lines.Text())
			accepted++
		}
		// The time itself is what is tried here.
		timer := time.AfterFunc(time.Duration(random.IntN(100_000))*time.Microsecond, func() { cmd.Process.Kill() })
		for lines.Scan() {
			if note(t, acknowledged, lines.Text()) {
				accepted++
			}
		}
		timer.Stop()
		if cmd.Wait() == nil {
			t.Fatal("the child ended by itself")
		}
		if rest(t, path) > 0 {
			half++
		}
	}
	t.Logf("%d rows were acknowledged; %d of %d kills left rows in the queue", accepted, half, kills)
	db, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	l := memory.Open(memory.Options{Store: db, Make: given, Now: time.Now})
	l.Close(t.Context())
	got := texts(t, db)
	for session, v := range acknowledged {
		kept, err := strconv.ParseInt(strings.TrimPrefix(got[session], "version "), 10, 64)
		if err != nil || kept < v {
			t.Errorf("%s: version %d was acknowledged, %q is remembered", session, v, got[session])
		}
	}
	if len(got) > swimmers*sessionsEach || len(acknowledged) == 0 || waiting(t, l) != 0 {
		t.Errorf("%d are remembered of %d sessions, %d wait", len(got), swimmers*sessionsEach, waiting(t, l))
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	rep, err := store.Check(path)
	if err != nil || len(rep.Problems) > 0 {
		t.Errorf("check: %v %v", rep.Problems, err)
	}
}

// note takes an acknowledgement; a line that broke off is none.
func note(t *testing.T, acknowledged map[string]int64, line string) bool {
	t.Helper()
	session, version, ok := strings.Cut(line, " ")
	v, err := strconv.ParseInt(version, 10, 64)
	if !ok || err != nil || len(version) < 19 {
		return false
	}
	acknowledged[session] = max(acknowledged[session], v)
	return true
}

// rest is how many rows a killed child left in the queue.
func rest(t *testing.T, path string) (n int) {
	t.Helper()
	db, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.ViewMemory(func(tx memory.Tx) (err error) { n, err = tx.QueueLength(); return err }); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	return n
}
