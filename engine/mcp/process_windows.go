package mcp

import (
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Programs on Windows do not start without SYSTEMROOT.
func alwaysGiven() []string { return []string{"PATH", "SYSTEMROOT", "PATHEXT"} }

// enclosure holds a program and all that it starts: a job object, which Windows ends with
// the last handle to it, so also when this process is killed. What a program starts before
// take has put it in is not held.
type enclosure struct {
	mark mark

	mu  sync.Mutex
	job windows.Handle // 0 where there is none
}

// enclose makes the enclosure of one start.
func enclose(m mark) *enclosure {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return &enclosure{mark: m}
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE}}
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		_ = windows.CloseHandle(job) // nothing is in it
		return &enclosure{mark: m}
	}
	return &enclosure{mark: m, job: job}
}

// firm says whether a start within the enclosure may be refused; it is put in afterwards.
func (e *enclosure) firm() bool { return false }

// attributes keeps a console window from opening (CREATE_NO_WINDOW).
func (e *enclosure) attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: 0x08000000}
}

// take encloses a program that has just started.
func (e *enclosure) take(pid int) {
	if e.job == 0 {
		return
	}
	p, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return // it has ended
	}
	// Where it is refused, what the program started sees its pipes end.
	_ = windows.AssignProcessToJobObject(e.job, p)
	_ = windows.CloseHandle(p)
}

// end ends the program and all that it started.
func (e *enclosure) end(int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.job != 0 {
		_ = windows.TerminateJobObject(e.job, 1) // on an error nothing is in it
	}
}

// release gives up what the enclosure itself takes.
func (e *enclosure) release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.job != 0 {
		_ = windows.CloseHandle(e.job)
		e.job = 0
	}
}

// endLeft: a job ends with the process that made it.
func (m mark) endLeft() {}
