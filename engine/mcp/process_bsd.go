//go:build unix && !linux

package mcp

import "syscall"

// enclosure holds a program and what it starts: here its process group. Environments of
// others cannot be read, so the mark finds nothing.
type enclosure struct{ mark mark }

func enclose(m mark) *enclosure { return &enclosure{mark: m} }

func (e *enclosure) firm() bool { return false }

// attributes gives the program a group of its own. It sees its input end when
// this program is gone.
func (e *enclosure) attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func (e *enclosure) take(int) {}

func (e *enclosure) end(pid int) { endGroup(pid) }

func (e *enclosure) release() {}

func (m mark) endLeft() {}
