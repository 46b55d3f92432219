package model

import "syscall"

// childAttributes gives the server a process group of its own, which it can end as a
// whole, and has the kernel end the server with this program.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
