//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package store

import (
	"errors"
	"io/fs"
	"os"
)

// abandon closes a file that bbolt can no longer close; that frees its lock.
func abandon(f *os.File) error {
	err := f.Close()
	if errors.Is(err, fs.ErrClosed) || errors.Is(err, os.ErrInvalid) {
		return nil // bbolt closed it after all
	}
	return err
}
