package mcp

import "syscall"

// Programs on Windows do not start without SYSTEMROOT.
func alwaysGiven() []string { return []string{"PATH", "SYSTEMROOT", "PATHEXT"} }

// processAttributes keeps a console window from opening (CREATE_NO_WINDOW).
func processAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{CreationFlags: 0x08000000} }

// endGroup: there are no groups; what the program started sees its pipes end.
func endGroup(int) {}

// carry: a program has its mark in its environment only.
func (m mark) carry(int) {}

// end: environments of others cannot be read here.
func (m mark) end() {}
