package command_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// "I named a pipe by mistake, and had to kill it."
func TestThreat_APipeIsRefusedWhereAFileIsNamed(t *testing.T) {
	x := newTerminal(t)
	pipe := filepath.Join(x.data, "pipe.yaml")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	texts := filepath.Join(x.data, "texts")
	if err := errors.Join(os.MkdirAll(filepath.Join(texts, "adult"), 0o700), unix.Mkfifo(filepath.Join(texts, "adult", "en.yaml"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"rules", "add", pipe}, {"rules", "test", pipe, pipe}, {"agents", "check", pipe}, {"agents", "add", pipe}, {"approvals", "sign", pipe},
		{"approvals", "import", pipe}, {"approvals", "modify", "ap.1", "--args", pipe}, {"skills", "add", pipe}, {"records", "mapping", pipe}, {"bench", "safety", pipe},
		{"run", "--practice", "--agent", pipe, "hello"}, {"models", "import", pipe}, {"records", "import", pipe}, {"library", "import", pipe}, {"encoder", "import", pipe},
		{"texts", "sync", "companion", pipe}, {"models", "import", "/dev/zero"}, {"texts", "sync", "companion", texts}} {
		cmd := x.command(args...)
		var said bytes.Buffer
		cmd.Stderr, cmd.Stdout = &said, &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
		_ = cmd.Wait() // the exit status says it
		if !late.Stop() || cmd.ProcessState.ExitCode() < 1 || !strings.Contains(said.String(), "plain file") || strings.Contains(said.String(), "file..") {
			t.Errorf("%v: %v\n%s", args, cmd.ProcessState, said.String())
		}
	}
}

// "Ctrl+C did nothing while it waited for me to type."
func TestTerminal_WhatWaitsForInputStopsWhenItIsTold(t *testing.T) {
	x := newTerminal(t)
	for _, args := range [][]string{{"people", "passphrase", "Ada"}, {"rules", "add", "-"}} {
		cmd := x.command(args...)
		// It reads from a pipe that nobody writes to.
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waits(t, cmd.Process.Pid)
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
		_ = cmd.Wait() // how it ended is looked at
		if !late.Stop() || !cmd.ProcessState.Exited() {
			t.Errorf("%v: %v", args, cmd.ProcessState)
		}
		in.Close()
	}
}

// waits returns once a thread of the process reads from a pipe.
func waits(t *testing.T, pid int) {
	t.Helper()
	for range 6000 {
		threads, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "syscall"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range threads {
			// read(0, …)
			if body, err := os.ReadFile(name); err == nil && strings.HasPrefix(string(body), "0 0x0 ") {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("it does not read its input")
}

// "Everybody behind me could read my passphrase."
func TestTerminal_APassphraseIsAskedForAndNotShown(t *testing.T) {
	x := newTerminal(t)
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminals here:", err)
	}
	defer master.Close()
	at := int(master.Fd())
	if err := unix.IoctlSetPointerInt(at, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(at, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	cmd := x.command("people", "passphrase", "Ada")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	var shown bytes.Buffer
	piece := make([]byte, 4096)
	until := func(words string) {
		t.Helper()
		for !strings.Contains(shown.String(), words) {
			n, err := master.Read(piece)
			if shown.Write(piece[:n]); err != nil {
				t.Fatalf("%v before %q: %s", err, words, shown.String())
			}
		}
	}
	until("New passphrase of Ada: ")
	if _, err := io.WriteString(master, "blue pump over gravel\n"); err != nil {
		t.Fatal(err)
	}
	until("Ada signs with ed25519:")
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(shown.String(), "gravel") {
		t.Errorf("the terminal shows %s", shown.String())
	}
}
