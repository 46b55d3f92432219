//go:build unix && !linux

package mcp

import "syscall"

// processAttributes gives the program a group of its own. It sees its input end when
// this program is gone.
func processAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// endMarked: environments of others cannot be read here.
func endMarked(string) {}
