//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package store

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// abandon closes a file that bbolt can no longer close. Its memory map would keep
// the lock until the process ends, so that is given up by name.
func abandon(f *os.File) error {
	raw, err := f.SyscallConn()
	if err == nil {
		var uerr error
		err = raw.Control(func(fd uintptr) { uerr = syscall.Flock(int(fd), syscall.LOCK_UN) })
		err = errors.Join(err, uerr, f.Close())
	}
	if errors.Is(err, fs.ErrClosed) || errors.Is(err, os.ErrInvalid) {
		return nil // bbolt closed it after all
	}
	return err
}
