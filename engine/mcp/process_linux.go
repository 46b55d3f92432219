package mcp

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// processAttributes gives the program a group of its own and has the kernel end it
// with this program.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// limitLocks is RLIMIT_LOCKS, which no kernel since 2.4 heeds: its value limits nothing. What
// a program starts inherits it, also in another session and with an empty environment, and
// cannot raise it again without being root.
const limitLocks = 10

// carry gives a program that has just started the mark as that limit, and then what it has
// started by now: what comes later inherits it. Where the kernel refuses, the mark in the
// environment remains.
func (m mark) carry(pid int) {
	n := m.number()
	if unix.Prlimit(pid, limitLocks, &unix.Rlimit{Cur: n, Max: n}, nil) != nil {
		return
	}
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid)) // none, where it is gone
	for _, each := range strings.Fields(string(children)) {
		if child, err := strconv.Atoi(each); err == nil {
			m.carry(child)
		}
	}
}

// end ends whatever carries the mark: what a program started and put into another group or
// session. Further looks find what was started during the one before.
func (m mark) end() {
	for range 10 {
		files, err := filepath.Glob("/proc/[0-9]*")
		if err != nil {
			return
		}
		found := false
		for _, dir := range files {
			pid, err := strconv.Atoi(filepath.Base(dir))
			if err == nil && pid != os.Getpid() && m.on(dir) && syscall.Kill(pid, syscall.SIGKILL) == nil {
				found = true
			}
		}
		if !found {
			return
		}
	}
}

// on says whether the process of a folder of /proc carries the mark. One that cannot be
// read is somebody else's, or gone.
func (m mark) on(dir string) bool {
	limits, err := os.ReadFile(dir + "/limits")
	if err != nil {
		return false
	}
	if _, rest, ok := bytes.Cut(limits, []byte("Max file locks")); ok {
		if f := bytes.Fields(rest); len(f) > 1 {
			if n, err := strconv.ParseUint(string(f[1]), 10, 64); err == nil && m.covers(n) {
				return true
			}
		}
	}
	env, err := os.ReadFile(dir + "/environ")
	if err != nil {
		return false
	}
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, []byte(markName+"=")); ok {
			if n, err := strconv.ParseUint(string(value), 16, 64); err == nil && m.covers(n) {
				return true
			}
		}
	}
	return false
}
