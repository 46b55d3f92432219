package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Named is what a person named to be read, a plain file or, where folders are taken, a
// folder. Anything else is refused before it is opened: a pipe or a device may never end.
func Named(path string, folders bool) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.Mode().IsRegular() || folders && info.IsDir():
		return info, nil
	case folders:
		return nil, Bad(fmt.Sprintf("%s is neither a plain file nor a folder.", filepath.Base(path)), "Give a file or a folder.")
	}
	return nil, Bad(fmt.Sprintf("%s is not a plain file.", filepath.Base(path)), "Give a file.")
}

// OpenFile opens a plain file that a person named, to read it.
func OpenFile(path string) (*os.File, error) {
	if _, err := Named(path, false); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// ReadFile is the whole of a plain file that a person named.
func ReadFile(path string) ([]byte, error) {
	if _, err := Named(path, false); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// plainFolder is a folder that a person named, of which nothing but plain files and folders
// are opened.
type plainFolder struct{ fs.FS }

func folderOf(path string) fs.FS { return plainFolder{os.DirFS(path)} }

func (f plainFolder) Open(name string) (fs.File, error) {
	info, err := fs.Stat(f.FS, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, Bad(fmt.Sprintf("%s is not a plain file.", filepath.Base(name)), "Give a file.")
	}
	return f.FS.Open(name)
}

// WriteFile writes a whole file or none: a reader never sees half of it. A link to a file
// stays one, and what is written into a pipe or a device goes into it.
func WriteFile(path string, write func(io.Writer) error) error {
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return Bad(fmt.Sprintf("%s is a folder.", filepath.Base(path)), "Name a file.")
	case err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice) != 0:
		return writeInto(path, write)
	case err == nil && !info.Mode().IsRegular():
		return Bad(fmt.Sprintf("%s is not a plain file.", filepath.Base(path)), "Name a file.")
	}
	if link, err := os.Lstat(path); err == nil && link.Mode()&fs.ModeSymlink != 0 {
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return Bad(fmt.Sprintf("%s is a link to what is not there.", link.Name()), "Name a file.")
		}
	}
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

// writeInto writes into a pipe or a device, which is not replaced.
func writeInto(path string, write func(io.Writer) error) error {
	// Without O_NONBLOCK a pipe that nobody reads would be waited for, deaf to signals.
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) {
		return Bad(fmt.Sprintf("Nobody reads from %s.", filepath.Base(path)), "Begin to read from it first, or name a file.")
	}
	if err != nil {
		return fmt.Errorf("app: export: %w", err)
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return fmt.Errorf("app: export: %w", err)
	}
	return nil
}
