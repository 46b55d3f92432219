package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

const (
	lockTimeout = time.Second
	fileMode    = 0o600
	folderMode  = 0o700
	// deepLimit is the file size in bytes up to which Open looks at every page;
	// above, at the branch pages only, so that a large store opens in well under a second.
	deepLimit = 64 << 20
	// minSize is two of bbolt's smallest pages: less it does not map.
	minSize = 8 << 10
)

// Open opens the store in a file and makes it, and its folder, if there is none.
//
// A file that exists is never made anew: one that is empty, is no Holdpoint
// store or whose pages make no sense is ErrDamaged and stays as it is. An empty
// file counts as damaged too, because new stores appear under their name only
// when they are complete, so an empty one has lost its contents. Other errors:
// ErrLocked, ErrReadOnly, ErrSchema.
func Open(path string) (*DB, error) {
	if err := create(path); err != nil {
		return nil, err
	}
	return open(path, false)
}

// OpenReadOnly opens a store that exists for reading; every write is ErrReadOnly.
func OpenReadOnly(path string) (*DB, error) { return open(path, true) }

func open(path string, readOnly bool) (*DB, error) {
	back, err := openBackend(path, readOnly)
	if err != nil {
		return nil, explain(path, err)
	}
	return newDB(back, readOnly), nil
}

func openBackend(path string, readOnly bool) (backend, error) {
	if !readOnly {
		return openToWrite(path)
	}
	f, err := openBolt(path, true)
	if err != nil {
		return nil, err
	}
	back, err := today(f)
	if back != backend(f) { // nothing more is read from the file
		err = errors.Join(err, f.close())
	}
	return back, err
}

// today is the file itself, or what it would be in today's format.
func today(f *boltFile) (_ backend, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer guard(&err)
	from, err := inspect(f)
	if err != nil {
		return nil, err
	}
	if from < schema() {
		return migratedCopy(f, from)
	}
	return f, nil
}

// openToWrite looks before it lets bbolt write: the shared lock keeps writers out
// meanwhile. A file of an older format is brought to today's.
func openToWrite(path string) (*boltFile, error) {
	// What is put in the file's place, or beside it, belongs where the file really is.
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	r, err := openBolt(path, true)
	if err != nil {
		return nil, err
	}
	_, err = inspect(r)
	if err = errors.Join(err, r.close()); err != nil {
		return nil, err
	}
	f, err := openBolt(path, false)
	if err != nil {
		return nil, err
	}
	from, err := shape(f) // again: another process may have come in between
	switch {
	case err != nil:
	case from < schema():
		err = upgrade(f, path, from)
	default:
		err = dropOlder(path)
	}
	if err == nil {
		err = derive(f)
	}
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// derive makes the buckets that can be filled anew and are not there.
func derive(f *boltFile) error {
	missing := func(b *bolt.Tx) (list []string) {
		for _, info := range buckets {
			if info.derived && b.Bucket([]byte(info.name)) == nil {
				list = append(list, info.name)
			}
		}
		return list
	}
	var list []string
	if err := f.db.View(func(b *bolt.Tx) error { list = missing(b); return nil }); err != nil || len(list) == 0 {
		return err
	}
	return f.db.Update(func(b *bolt.Tx) error {
		for _, name := range list {
			if _, err := b.CreateBucket([]byte(name)); err != nil {
				return err
			}
		}
		return nil
	})
}

// inspect says whether a file can be read without surprises, and its schema.
func inspect(f *boltFile) (from int, err error) {
	info, err := os.Stat(f.path)
	if err != nil {
		return 0, err
	}
	if problems := scanPages(f.path, info.Size() <= deepLimit); len(problems) > 0 {
		return 0, fmt.Errorf("%w (%s)", ErrDamaged, problems[0])
	}
	return shape(f)
}

// shape sees that a file has the buckets of its schema and no others.
func shape(f *boltFile) (from int, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer guard(&err)
	err = f.db.View(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte(metaBucket.String()))
		if b == nil {
			return fmt.Errorf("no meta: %w", ErrDamaged)
		}
		m, err := readMeta(func(k []byte) ([]byte, error) { return b.Get(k), nil })
		if err != nil {
			return err
		}
		from = m.Schema
		known := map[string]bool{}
		for _, info := range buckets {
			if info.interleave.is(from) {
				continue
			}
			known[info.name] = true
			if info.since <= from && !info.derived && tx.Bucket([]byte(info.name)) == nil {
				return fmt.Errorf("bucket %s is missing: %w", info.name, ErrDamaged)
			}
		}
		return tx.ForEach(func(name []byte, _ *bolt.Bucket) error {
			if !known[string(name)] && retired[string(name)] <= from {
				return fmt.Errorf("this program does not know the bucket %q: %w", name, ErrSchema)
			}
			return nil
		})
	})
	return from, err
}

// openBolt opens a file that exists and holds its lock: shared to read, exclusive to write.
func openBolt(path string, readOnly bool) (*boltFile, error) {
	for range 5 {
		f, same, err := tryBolt(path, readOnly)
		if err != nil || same {
			return f, err
		}
		// Compact put another file under the name while this one waited for the lock.
		if err := f.close(); err != nil {
			return nil, err
		}
	}
	return nil, ErrLocked
}

var errNotRegular = fmt.Errorf("not a regular file: %w", ErrDamaged)

func tryBolt(path string, readOnly bool) (_ *boltFile, same bool, err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, false, errNotRegular
	}
	var file *os.File
	done := false
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w (%v)", ErrDamaged, r)
		}
		if !done && file != nil {
			// bbolt gave up; after a panic it left the file open and locked.
			err = errors.Join(err, abandon(file))
		}
	}()
	db, err := bolt.Open(path, fileMode, &bolt.Options{
		Timeout:      lockTimeout,
		FreelistType: bolt.FreelistMapType,
		ReadOnly:     readOnly,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			f, err := os.OpenFile(name, flag&^os.O_CREATE, mode)
			if err != nil {
				return nil, err
			}
			file = f
			// bbolt would write a fresh database over an empty file.
			if info, err := f.Stat(); err != nil {
				return nil, err
			} else if !info.Mode().IsRegular() {
				return nil, errNotRegular
			} else if info.Size() < minSize {
				return nil, fmt.Errorf("the file has only %d bytes: %w", info.Size(), ErrDamaged)
			}
			return f, nil
		},
	})
	if err != nil {
		return nil, false, err
	}
	done = true
	locked, err := file.Stat()
	if err == nil {
		var named os.FileInfo
		if named, err = os.Stat(path); err == nil {
			return &boltFile{db: db, path: path, file: file}, os.SameFile(locked, named), nil
		}
	}
	return nil, false, errors.Join(err, db.Close())
}

// explain turns the errors of bbolt and the system into ours.
func explain(path string, err error) error {
	switch {
	case errors.Is(err, ErrDamaged), errors.Is(err, ErrSchema), errors.Is(err, ErrLocked):
	case errors.Is(err, berrors.ErrTimeout):
		err = ErrLocked
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum),
		errors.Is(err, berrors.ErrVersionMismatch), errors.Is(err, berrors.ErrInvalidMapping):
		err = fmt.Errorf("%w (%v)", ErrDamaged, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		err = fmt.Errorf("%w: %w", ErrReadOnly, err)
	}
	return fmt.Errorf("store: open %s: %w", path, err)
}

// create makes a new store if nothing has the name. The file is complete before
// it gets its name: a crash half-way leaves no store, not half a one.
func create(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return explain(path, errNotRegular) // opening a pipe would wait for ever
	}
	if _, err := os.Lstat(path); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return explain(path, err)
	}
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, folderMode); err != nil {
		return explain(path, err)
	}
	temp, err := os.CreateTemp(folder, unnamedStores(path)) // mode 0600
	if err != nil {
		return explain(path, err)
	}
	name := temp.Name()
	err = temp.Close()
	if err == nil {
		err = fill(name)
	}
	if err == nil {
		err = adopt(name, path)
	}
	if rerr := os.Remove(name); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
		err = errors.Join(err, rerr)
	}
	if err != nil {
		return explain(path, err)
	}
	return syncFolder(folder)
}

// unnamedStores is the pattern of what create works on.
func unnamedStores(path string) string { return "." + filepath.Base(path) + ".new-*" }

// fill writes an empty store into an empty file.
func fill(name string) (err error) {
	db, err := bolt.Open(name, fileMode, &bolt.Options{Timeout: lockTimeout, FreelistType: bolt.FreelistMapType})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.Update(func(b *bolt.Tx) error {
		for _, info := range buckets {
			if info.interleave.in != "" {
				continue
			}
			if _, err := b.CreateBucket([]byte(info.name)); err != nil {
				return err
			}
		}
		return writeMeta(&tx{kv: &boltTx{tx: b}, write: true})
	})
}

// adopt gives a complete file its name, unless another process was first.
func adopt(name, path string) error {
	err := os.Link(name, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	// A file system without links: the moment between the look and the move is a risk
	// only for two first starts in the same instant.
	if _, serr := os.Lstat(path); serr == nil {
		return nil
	}
	return os.Rename(name, path)
}

// syncFolder makes a new name in a folder durable. Windows has no such call and
// journals names by itself.
func syncFolder(folder string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(folder)
	if err != nil {
		return fmt.Errorf("store: sync %s: %w", folder, err)
	}
	err = errors.Join(f.Sync(), f.Close())
	if err != nil {
		return fmt.Errorf("store: sync %s: %w", folder, err)
	}
	return nil
}
