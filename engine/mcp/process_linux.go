package mcp

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// enclosure holds a program and all that it will ever start. Where this process may make one
// it is a control group (cgroups(7), version 2) below its own, which nothing leaves that is
// not root; the mark finds the rest.
type enclosure struct {
	mark mark
	dir  string   // the control group's folder, or ""
	fd   *os.File // that folder, open
}

// groupName begins the names of the control groups of a mark.
func (m mark) groupName() string { return fmt.Sprintf("holdpoint-%08x-", m.folder) }

// enclose makes the enclosure of one start.
func enclose(m mark) *enclosure {
	e := &enclosure{mark: m}
	own := ownGroup()
	if own == "" {
		return e
	}
	dir := filepath.Join(own, fmt.Sprintf("%s%08x", m.groupName(), m.start))
	if os.Mkdir(dir, 0o700) != nil {
		return e // most often it is somebody else's
	}
	fd, err := os.Open(dir)
	// Kernels before 5.14 cannot end a group at once.
	if _, old := os.Stat(dir + "/cgroup.kill"); err != nil || old != nil {
		_ = os.Remove(dir) // an empty folder is left at worst
		return e
	}
	e.dir, e.fd = dir, fd
	return e
}

// ownGroup is the folder of this process's own control group, or "" where there is none
// to be seen.
func ownGroup() string {
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(groups)) {
		path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::/")
		if !ok {
			continue
		}
		for mount := range strings.Lines(string(mounts)) {
			// number parent device root place options … - type source options (proc_pid_mountinfo(5))
			place, kind, _ := strings.Cut(mount, " - ")
			if f := strings.Fields(place); strings.HasPrefix(kind, "cgroup2 ") && len(f) > 4 && f[3] == "/" {
				return filepath.Join(f[4], path)
			}
		}
	}
	return ""
}

// firm says whether there is more than the mark.
func (e *enclosure) firm() bool { return e.dir != "" }

// attributes gives the program a group of its own, has the kernel end it with this program,
// and starts it within the control group.
func (e *enclosure) attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if e.fd != nil {
		a.UseCgroupFD, a.CgroupFD = true, int(e.fd.Fd())
	}
	return a
}

// take encloses a program that has just started.
func (e *enclosure) take(pid int) { e.mark.carry(pid) }

// end ends the program and all that it started.
func (e *enclosure) end(pid int) {
	endGroup(pid)
	if e.dir != "" {
		endControlGroup(e.dir)
	}
	e.mark.end()
}

// release gives up what the enclosure itself takes.
func (e *enclosure) release() {
	if e.fd != nil {
		_ = e.fd.Close()     // it was only read
		_ = os.Remove(e.dir) // New looks for what is left
	}
}

// endLeft ends what programs of a process that died left behind.
func (m mark) endLeft() {
	if own := ownGroup(); own != "" {
		left, _ := filepath.Glob(filepath.Join(own, m.groupName()+"*")) // the pattern is sound
		for _, dir := range left {
			endControlGroup(dir)
			_ = os.Remove(dir)
		}
	}
	m.end()
}

// endControlGroup ends all that is in a control group and waits until it is empty, a second
// at most.
func endControlGroup(dir string) {
	events, err := os.Open(dir + "/cgroup.events")
	if err != nil {
		return // it is gone
	}
	defer events.Close()
	if os.WriteFile(dir+"/cgroup.kill", []byte("1"), 0) != nil {
		return
	}
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		state := make([]byte, 200)
		n, err := events.ReadAt(state, 0)
		if err != nil && n == 0 || bytes.Contains(state[:n], []byte("populated 0")) {
			return
		}
		// The kernel tells of a change as an exceptional condition; a signal may cut the wait short.
		_, _ = unix.Poll([]unix.PollFd{{Fd: int32(events.Fd()), Events: unix.POLLPRI}}, 100)
	}
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
