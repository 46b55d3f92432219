package model

import (
	"os"
	"syscall"
)

// childAttributes keeps a console window from opening (CREATE_NO_WINDOW).
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: 0x08000000}
}

// endGroup ends this process; the runners that it started see that and end, too.
func endGroup() { os.Exit(0) }

// waitForParent returns when the process that started this one is gone.
func waitForParent() {
	parent, err := os.FindProcess(os.Getppid())
	if err != nil {
		return
	}
	// Both a result and an error mean that it can't be waited for any more.
	_, _ = parent.Wait()
}
