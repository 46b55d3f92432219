package app

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
