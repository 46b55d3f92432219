package mcp

import "syscall"

// processAttributes gives the program a group of its own and has the kernel end it
// with this program.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
