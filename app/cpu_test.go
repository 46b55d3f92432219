//go:build unix

package app_test

import (
	"syscall"
	"time"
)

// spent is how much of the processors this process has used: what something costs, also
// on a machine that has other things to do.
func spent() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
