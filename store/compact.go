package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	bolt "go.etcd.io/bbolt"
)

// Compact rewrites a store that nobody has open without its free space and
// without the bytes of what was deleted. The new file is checked and on disk before it
// takes the old one's name; after an error or a crash the old one still has it.
// A damaged store is left alone (ErrDamaged).
func Compact(path string) error {
	src, err := openToWrite(path)
	if err != nil {
		return explain(path, err)
	}
	open := true
	defer func() {
		if open {
			// Only after an error, which says more than this one could.
			_ = src.close()
		}
	}()
	if err := sound(src); err != nil {
		return explain(path, err)
	}
	temp := path + ".compact"
	// The lock on the store makes this name ours: what has it is left from a crash.
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return explain(path, err)
	}
	if err := rewrite(temp, src); err != nil {
		return errors.Join(explain(path, err), removeIfThere(temp))
	}
	// Windows cannot replace an open file. Elsewhere the lock is held until the new name
	// is durable, and whoever waits for it sees that the file has changed.
	if runtime.GOOS == "windows" {
		open = false
		if err := src.close(); err != nil {
			return errors.Join(explain(path, err), removeIfThere(temp))
		}
	}
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(explain(path, err), removeIfThere(temp))
	}
	if err := syncFolder(filepath.Dir(path)); err != nil {
		return err
	}
	if open {
		open = false
		if err := src.close(); err != nil {
			return explain(path, err)
		}
	}
	return nil
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// sound fails with ErrDamaged when a check of pages and rows finds anything.
func sound(f *boltFile) error {
	r := Report{}
	if err := checkFile(f, &r); err != nil {
		return err
	}
	if len(r.Problems) > 0 {
		return fmt.Errorf("%w (%s)", ErrDamaged, r.Problems[0])
	}
	return nil
}

const compactBatch = 16 << 20 // bytes a transaction

func rewrite(temp string, src *boltFile) (err error) {
	db, err := bolt.Open(temp, fileMode, &bolt.Options{Timeout: lockTimeout, FreelistType: bolt.FreelistMapType})
	if err != nil {
		return err
	}
	dst := &boltFile{db: db}
	defer func() { err = errors.Join(err, dst.close()) }()
	if err := bolt.Compact(db, src.db, compactBatch); err != nil {
		return err
	}
	if err := sameContents(src.db, db); err != nil {
		return err
	}
	return sound(dst)
}

func sameContents(a, b *bolt.DB) error {
	return a.View(func(ta *bolt.Tx) error {
		return b.View(func(tb *bolt.Tx) error {
			for _, info := range buckets {
				name := info.name
				x, y := ta.Bucket([]byte(name)).Cursor(), tb.Bucket([]byte(name)).Cursor()
				kx, vx := x.First()
				ky, vy := y.First()
				for kx != nil || ky != nil {
					if string(kx) != string(ky) || string(vx) != string(vy) {
						return fmt.Errorf("the copy of %s differs", name)
					}
					kx, vx = x.Next()
					ky, vy = y.Next()
				}
			}
			return nil
		})
	})
}
