package mcp

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// process is one run of a server that is a program.
type process struct {
	cmd       *exec.Cmd
	enclosure *enclosure
	stdin     io.WriteCloser
	stdout    io.ReadCloser
	gone      chan struct{} // closed once it has ended, was waited for and all that it started has ended
	last      *tail
}

// markName is the variable by which what a program started is known to be ours.
const markName = "HOLDPOINT_STARTED"

// mark tells what a program of one data folder started from everything else that runs.
type mark struct {
	folder uint32 // 31 bits of the digest of the data folder's path
	start  uint32 // 31 bits of chance, one number for each start; 0 stands for all of them
}

func markOf(folder string) mark {
	sum := sha256.Sum256([]byte(folder))
	return mark{folder: binary.BigEndian.Uint32(sum[:]) >> 1}
}

// fresh is the mark of one start.
func (m mark) fresh() mark {
	var b [4]byte
	_, _ = rand.Read(b[:]) // it never fails
	m.start = max(1, binary.BigEndian.Uint32(b[:])>>1)
	return m
}

func (m mark) number() uint64 { return 1<<62 | uint64(m.folder)<<31 | uint64(m.start) }

// covers says whether a number is this mark's, or for a mark of all starts one of theirs.
func (m mark) covers(n uint64) bool {
	if m.start == 0 {
		return n>>31 == m.number()>>31
	}
	return n == m.number()
}

// graceTime is how long a program may take to end by itself once its input is closed.
const graceTime = 2 * time.Second

// startProcess starts a program without a shell, in a group of its own, with PATH
// and the variables that were named and no others.
func startProcess(c Config, folder string, look func(string) (string, bool)) (*process, error) {
	// What the program starts inherits the mark, also when it leaves the group.
	mark := markOf(folder).fresh()
	theirIn, ourIn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ourOut, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), ourIn.Close())
	}
	p := &process{stdin: ourIn, stdout: ourOut, gone: make(chan struct{}), last: &tail{}}
	dir, err := os.UserHomeDir()
	if err != nil {
		dir = os.TempDir()
	}
	start := func(e *enclosure) error {
		p.enclosure = e
		p.cmd = exec.Command(c.Command, c.Args...)
		p.cmd.Env = append(environment(c.Env, look), markName+"="+strconv.FormatUint(mark.number(), 16))
		p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr, p.cmd.Dir = theirIn, theirOut, p.last, dir
		p.cmd.WaitDelay, p.cmd.SysProcAttr = graceTime, e.attributes()
		if err := p.cmd.Start(); err != nil {
			e.release()
			return err
		}
		e.take(p.cmd.Process.Pid)
		return nil
	}
	started := make(chan error)
	go func() {
		// Linux ends the program with the thread that started it, so that thread stays.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		e := enclose(mark)
		err := start(e)
		if err != nil && e.firm() { // a sandbox may refuse the enclosure and not the program
			err = start(&enclosure{mark: mark})
		}
		// These ends belong to the program; closing ours can't lose anything.
		_, _ = theirIn.Close(), theirOut.Close()
		started <- err
		if err != nil {
			return
		}
		_ = p.cmd.Wait() // how it ended is told by what it said
		p.enclosure.end(p.cmd.Process.Pid)
		p.enclosure.release()
		close(p.gone)
	}()
	if err := <-started; err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrUnreachable, err), ourIn.Close(), ourOut.Close())
	}
	return p, nil
}

// stop ends the program and all that it started: it may end by itself for graceTime, or
// until ctx is over, which is when nobody waits for it any more.
func (p *process) stop(ctx context.Context) {
	// The connection may have closed them before.
	_ = p.stdin.Close()
	timer := time.NewTimer(graceTime)
	defer timer.Stop()
	select {
	case <-p.gone:
	case <-timer.C:
		p.kill()
	case <-ctx.Done():
		p.kill()
	}
	_ = p.stdout.Close()
}

// kill ends the program and all that it started, at once.
func (p *process) kill() {
	select {
	case <-p.gone:
		return // its number may be another's by now
	default:
	}
	// Also what holds its standard error open, which would be waited for.
	p.enclosure.end(p.cmd.Process.Pid)
	// On an error it has ended.
	_ = p.cmd.Process.Kill()
	<-p.gone
}

func environment(names []string, look func(string) (string, bool)) []string {
	env := []string{}
	for _, name := range append(alwaysGiven(), names...) {
		if v, ok := look(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// tail keeps the end of what a program writes to its standard error. It is shown to
// the person who looks at the server and written nowhere.
type tail struct {
	mu  sync.Mutex
	end []byte
}

const mostTail = 2 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(p) >= mostTail {
		t.end = append(t.end[:0], p[len(p)-mostTail:]...)
		return len(p), nil
	}
	t.end = append(t.end, p...)
	if over := len(t.end) - mostTail; over > 0 {
		t.end = append(t.end[:0], t.end[over:]...)
	}
	return len(p), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bounded(string(t.end), 300)
}
