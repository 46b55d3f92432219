//go:build unix && !linux

package model

import "syscall"

// childAttributes gives the server a process group of its own, which it can end as a whole.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
