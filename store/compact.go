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

// ErrBusy says that something reads the store right now.
var ErrBusy = errors.New("store: in use; try again when it is idle")

// Compact rewrites a store that nobody has open without its free space and
// without the bytes of what was deleted. The new file is checked and on disk before it
// takes the old one's name; after an error or a crash the old one still has it.
//
// Damaged rows don't keep it from that: they are copied byte by byte, indexes are made anew out of the rows that can be
// read, and what belongs to no row any more goes; see Mended. A file whose pages make no sense is left alone (ErrDamaged).
func Compact(path string) (Mended, error) {
	f, err := openToWrite(path)
	if err != nil {
		return Mended{}, explain(path, err)
	}
	next, m, err := replace(f)
	if err == nil {
		err = dropOlder(f.path)
	}
	if err != nil {
		err = explain(path, err)
	}
	return m, errors.Join(err, next.close())
}

// Compact rewrites the open store's file without its free space and without the bytes of what was
// deleted, as the function Compact does with a store that nobody has open. Writers and new readers
// wait until it is done; with a reader under way it is ErrBusy. A store in memory has nothing to
// compact.
func (db *DB) Compact() (Mended, error) {
	db.write.Lock()
	defer db.write.Unlock()
	if err := db.state(true); err != nil {
		return Mended{}, err
	}
	f, ok := db.back.(*boltFile)
	if !ok {
		return Mended{}, nil
	}
	if !db.shut() {
		return Mended{}, ErrBusy
	}
	next, m, err := replace(f)
	db.reopen(next)
	if failed := (uncertain{}); errors.As(err, &failed) {
		return m, db.fail(failed.error)
	}
	if err == nil {
		// What was deleted is in the file of the older format, too.
		err = dropOlder(next.path)
	}
	if err != nil {
		return m, explain(f.path, err)
	}
	return m, nil
}

// shut keeps readers out, unless there are some.
func (db *DB) shut() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.views > 0 {
		return false
	}
	db.moving = true
	return true
}

func (db *DB) reopen(back backend) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.back, db.moving = back, false
	db.moved.Broadcast()
}

// Space is the size of the store's file and how much of that is free, in bytes; both
// are 0 in memory. What was free when the store was opened counts from the first write.
func (db *DB) Space() (size, free int64, err error) {
	back, err := db.enter()
	if err != nil {
		return 0, 0, err
	}
	defer db.leave()
	f, ok := back.(*boltFile)
	if !ok {
		return 0, 0, nil
	}
	page := 0
	// A file that grows is mapped anew, and not while somebody reads.
	if err := f.db.View(func(tx *bolt.Tx) error { page = tx.DB().Info().PageSize; return nil }); err != nil {
		return 0, 0, fmt.Errorf("store: size: %w", err)
	}
	s := f.db.Stats()
	info, err := os.Stat(f.path) // behind what is free of it, as it only grows
	if err != nil {
		return 0, 0, fmt.Errorf("store: size: %w", err)
	}
	return info.Size(), int64(s.FreePageN+s.PendingPageN) * int64(page), nil
}

// replace puts a copy without free space in the place of an open file and closes that.
// It returns the file that is open afterwards, which after an error is mostly the old one.
func replace(src *boltFile) (*boltFile, Mended, error) {
	m, err := mend(src)
	if err != nil {
		return src, m, err
	}
	temp := compacting(src.path)
	// The lock on the store makes this name ours: what has it is left from a crash.
	if err := removeIfThere(temp); err != nil {
		return src, m, err
	}
	dst, err := rewrite(temp, src, m.Left)
	if err != nil {
		return src, m, errors.Join(err, removeIfThere(temp))
	}
	if runtime.GOOS == "windows" {
		dst, err := replaceClosed(dst, src)
		return dst, m, err
	}
	// Both locks are held until the new name is durable, and whoever waits for the old
	// file's sees that the name is another's.
	if err := os.Rename(temp, src.path); err != nil {
		return src, m, errors.Join(err, dst.close(), removeIfThere(temp))
	}
	dst.path = src.path
	return dst, m, errors.Join(syncFolder(filepath.Dir(src.path)), src.close())
}

// replaceClosed is for Windows, which cannot replace an open file.
func replaceClosed(dst, src *boltFile) (*boltFile, error) {
	err := errors.Join(dst.close(), src.close())
	if err == nil {
		err = os.Rename(dst.path, src.path)
	}
	if err != nil {
		err = errors.Join(err, removeIfThere(dst.path))
	}
	f, oerr := openBolt(src.path, false)
	if oerr != nil {
		return src, errors.Join(err, oerr)
	}
	return f, err
}

// compacting is the name of the copy until it takes the store's.
func compacting(path string) string { return path + ".compact" }

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// problemsOf are what a check finds in the rows of a file whose pages make sense; if they don't it is ErrDamaged.
func problemsOf(f *boltFile) ([]string, error) {
	r := Report{Problems: []string{}}
	if err := checkFile(f, &r); err != nil {
		return nil, err
	}
	if len(r.Problems) > 0 && r.Rows == nil {
		return nil, fmt.Errorf("%w (%s)", ErrDamaged, r.Problems[0])
	}
	return r.Problems, nil
}

const compactBatch = 16 << 20 // bytes a transaction

// rewrite makes the copy, checks it and returns it open. It has the problems that are left in the other, and no more.
func rewrite(temp string, src *boltFile, left []string) (_ *boltFile, err error) {
	db, err := bolt.Open(temp, fileMode, &bolt.Options{Timeout: lockTimeout, FreelistType: bolt.FreelistMapType})
	if err != nil {
		return nil, err
	}
	err = bolt.Compact(db, src.db, compactBatch)
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	dst, err := openBolt(temp, false)
	if err != nil {
		return nil, err
	}
	if err = sameContents(src.db, dst.db); err == nil {
		var now []string
		if now, err = problemsOf(dst); err == nil && len(now) > len(left) {
			err = fmt.Errorf("%w (%s)", ErrDamaged, now[0])
		}
	}
	if err != nil {
		return nil, errors.Join(err, dst.close())
	}
	return dst, nil
}

func sameContents(a, b *bolt.DB) error {
	return a.View(func(ta *bolt.Tx) error {
		return b.View(func(tb *bolt.Tx) error {
			for _, info := range buckets {
				if info.interleave.in != "" {
					continue // its parent has its rows
				}
				x, y := ta.Bucket([]byte(info.name)).Cursor(), tb.Bucket([]byte(info.name)).Cursor()
				kx, vx := x.First()
				ky, vy := y.First()
				for kx != nil || ky != nil {
					if string(kx) != string(ky) || string(vx) != string(vy) {
						return fmt.Errorf("the copy of %s differs", info.name)
					}
					kx, vx = x.Next()
					ky, vy = y.Next()
				}
			}
			return nil
		})
	})
}
