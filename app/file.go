package app

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// plainFile refuses what is no plain file, where a person names one to be read: a pipe or a
// device may never end.
func plainFile(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return Bad(fmt.Sprintf("%s is not a plain file.", filepath.Base(path)), "Give a file.")
	}
	return nil
}

// OpenFile opens a plain file that a person named, to read it.
func OpenFile(path string) (*os.File, error) {
	if err := plainFile(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// WriteFile writes a whole file or none: a reader never sees half of it.
func WriteFile(path string, write func(io.Writer) error) error {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".holdpoint-*")
	if err != nil {
		return fmt.Errorf("app: export: %w", err)
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		if rmErr := os.Remove(f.Name()); rmErr != nil && !os.IsNotExist(rmErr) {
			return fmt.Errorf("app: export: %w (and %s is left behind)", err, filepath.Base(f.Name()))
		}
		return fmt.Errorf("app: export: %w", err)
	}
	return nil
}
