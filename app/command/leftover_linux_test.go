package command_test

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// "The machine's watchdog killed it, and what its tool server had started ran on for days."
func TestDoors_WhatAKilledInstanceLeftBehindEndsWithTheNextCommand(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid here")
	}
	x := newTerminal(t)
	x.want(0, "sessions", "list")
	dir := t.TempDir()
	ready, held := dir+"/ready", dir+"/held"
	for _, name := range []string{ready, held} {
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// It starts a child that keeps our environment and one that drops it, both in sessions of
	// their own. Every one of them has the pipe, which is closed with the last of them.
	server := dir + "/server"
	body := "#!/bin/sh\nexec 9> " + held + "\nsetsid sleep 600 &\nsetsid env -i \"$(command -v sleep)\" 600 &\necho > " + ready + "\nexec sleep 600\n"
	if err := os.WriteFile(server, []byte(body), 0o700); err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() {
		f, err := os.Open(held)
		if err == nil {
			defer f.Close()
			_, err = f.Read(make([]byte, 1))
		}
		over <- err
	}()
	cmd := x.command("mcp", "add", "Mute", "--command", server)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Open(ready); err != nil { // opens once the server writes to it
		t.Fatal(err)
	} else {
		_, _ = f.Read(make([]byte, 1))
		f.Close()
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	x.want(0, "sessions", "list")
	select {
	case <-over:
	case <-time.After(20 * time.Second):
		t.Error("something that the dead instance had started is still there")
	}
}
