package mcp

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// process is one run of a server that is a program.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	gone   chan struct{} // closed once it has ended and was waited for
	last   *tail
}

// markName is the variable by which what a program started is known to be ours.
const markName = "HOLDPOINT_STARTED"

// graceTime is how long a program may take to end by itself once its input is closed.
const graceTime = 2 * time.Second

// startProcess starts a program without a shell, in a group of its own, with PATH
// and the variables that were named and no others.
func startProcess(c Config, look func(string) (string, bool)) (*process, error) {
	cmd := exec.Command(c.Command, c.Args...)
	// What the program starts inherits the mark, also when it leaves the group.
	mark := markName + "=" + rand.Text()
	cmd.Env = append(environment(c.Env, look), mark)
	if dir, err := os.UserHomeDir(); err == nil {
		cmd.Dir = dir
	} else {
		cmd.Dir = os.TempDir()
	}
	p := &process{cmd: cmd, gone: make(chan struct{}), last: &tail{}}
	cmd.Stderr, cmd.WaitDelay, cmd.SysProcAttr = p.last, graceTime, processAttributes()
	theirIn, ourIn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ourOut, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), ourIn.Close())
	}
	cmd.Stdin, cmd.Stdout, p.stdin, p.stdout = theirIn, theirOut, ourIn, ourOut
	started := make(chan error)
	go func() {
		// Linux ends the program with the thread that started it, so that thread stays.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		// These ends belong to the program; closing ours can't lose anything.
		_, _ = theirIn.Close(), theirOut.Close()
		started <- err
		if err != nil {
			return
		}
		_ = cmd.Wait() // how it ended is told by what it said
		endGroup(cmd.Process.Pid)
		endMarked(mark)
		close(p.gone)
	}()
	if err := <-started; err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrUnreachable, err), ourIn.Close(), ourOut.Close())
	}
	return p, nil
}

// stop ends the program and all of its group, at the latest after graceTime.
func (p *process) stop() {
	// The connection may have closed them before.
	_ = p.stdin.Close()
	timer := time.NewTimer(graceTime)
	defer timer.Stop()
	select {
	case <-p.gone:
	case <-timer.C:
		endGroup(p.cmd.Process.Pid)
		// Where there are no groups; on an error it has ended.
		_ = p.cmd.Process.Kill()
		<-p.gone
	}
	_ = p.stdout.Close()
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
