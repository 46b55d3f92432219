//go:build unix

package mcp

import "syscall"

func alwaysGiven() []string { return []string{"PATH"} }

// endGroup ends what is left of a program's process group.
func endGroup(pid int) {
	// An error says that nothing is left.
	_ = syscall.Kill(-pid, syscall.SIGKILL)
}
