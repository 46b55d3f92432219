package app_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"holdpoint/app"
)

// "I exported into a pipe, as root to /dev/null, and what had stood there was a file."
func TestExport_WhatIsNoFileIsNotReplacedByOne(t *testing.T) {
	dir := t.TempDir()
	file, link, dangling, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "dangling"), filepath.Join(dir, "pipe")
	if err := errors.Join(os.WriteFile(file, []byte("before"), 0o600), os.Symlink(file, link), os.Symlink(filepath.Join(dir, "none"), dangling), unix.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	text := func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err }
	is := func(path string, mode os.FileMode) {
		t.Helper()
		if info, err := os.Lstat(path); err != nil || info.Mode().Type() != mode {
			t.Errorf("%s is %v now (%v)", path, info, err)
		}
	}
	if err := app.WriteFile(link, text); err != nil {
		t.Error(err)
	}
	is(link, os.ModeSymlink)
	if got, err := os.ReadFile(file); string(got) != "text" {
		t.Errorf("the file behind the link has %q, %v", got, err)
	}
	for path, says := range map[string]string{pipe: "Nobody reads", dangling: "link to what is not there", dir: "is a folder"} {
		if err := app.WriteFile(path, text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", path, err)
		}
	}
	is(dangling, os.ModeSymlink)
	r, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := app.WriteFile(pipe, text); err != nil {
		t.Error(err)
	}
	got := make([]byte, 4)
	if _, err := io.ReadFull(r, got); err != nil || string(got) != "text" {
		t.Errorf("the pipe has %q, %v", got, err)
	}
	is(pipe, os.ModeNamedPipe)
	if null := filepath.Join(dir, "null"); os.Symlink("/dev/null", null) == nil {
		if err := app.WriteFile(null, text); err != nil {
			t.Error(err)
		}
		is(null, os.ModeSymlink)
	}
}
