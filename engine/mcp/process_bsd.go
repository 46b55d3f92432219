//go:build unix && !linux

package mcp

import "syscall"

// processAttributes gives the program a group of its own. It sees its input end when
// this program is gone.
func processAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// carry: a program has its mark in its environment only.
func (m mark) carry(int) {}

// end: environments of others cannot be read here.
func (m mark) end() {}
