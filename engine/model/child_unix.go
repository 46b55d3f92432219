//go:build unix

package model

import (
	"os"
	"syscall"
	"time"
)

// endGroup ends this process and all of its group.
func endGroup() {
	if syscall.Getpgrp() == os.Getpid() {
		// It ends this process, too; on an error the exit below does.
		_ = syscall.Kill(-os.Getpid(), syscall.SIGKILL)
	}
	os.Exit(0)
}

// waitForParent returns when the process that started this one is gone.
func waitForParent() {
	parent := os.Getppid()
	for os.Getppid() == parent && parent != 1 {
		time.Sleep(300 * time.Millisecond)
	}
}
