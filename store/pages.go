package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
)

// bbolt reads its pages through unchecked pointers: a flipped bit can send it
// outside the file or round in circles, which no recover catches. So the tree is
// walked here first, with every offset checked. The layout is that of bbolt's
// format 2 (go.etcd.io/bbolt/internal/common: page.go, meta.go, bucket.go).
const (
	pageHead    = 16 // id 8, flags 2, count 2, overflow 4
	elementSize = 16 // branch: pos 4, ksize 4, pgid 8; leaf: flags 4, pos 4, ksize 4, vsize 4
	metaSize    = 64 // magic, version, page size, flags: 4 each; root 8, sequence 8, freelist, pgid, txid, checksum: 8 each

	branchFlag   = 0x01
	leafFlag     = 0x02
	freelistFlag = 0x10
	bucketFlag   = 0x01

	boltMagic   = 0xED0CDAED
	boltVersion = 2
	noFreelist  = ^uint64(0)
	maxDepth    = 64
	maxProblems = 20
)

var le = binary.LittleEndian

type pageScan struct {
	f        io.ReaderAt
	pageSize int64
	pages    uint64 // pages in use, from the meta page
	deep     bool   // look at every leaf of every bucket, not only at branches
	seen     map[uint64]bool
	problems []string
}

// scanPages looks for pages that bbolt could not bear. The file must be locked.
func scanPages(path string, deep bool) []string {
	f, err := os.Open(path)
	if err != nil {
		return []string{err.Error()}
	}
	s := &pageScan{f: f, deep: deep, seen: map[uint64]bool{}}
	if err := s.all(); err != nil {
		s.report("%v", err)
	}
	if err := f.Close(); err != nil {
		s.report("%v", err)
	}
	return s.problems
}

func (s *pageScan) report(format string, args ...any) {
	if len(s.problems) < maxProblems {
		s.problems = append(s.problems, fmt.Sprintf(format, args...))
	}
}

type boltMeta struct{ pageSize, root, freelist, pages, txid uint64 }

func readBoltMeta(page []byte) (boltMeta, bool) {
	m := page[pageHead : pageHead+metaSize]
	sum := fnv.New64a()
	sum.Write(m[:metaSize-8])
	ok := le.Uint32(m) == boltMagic && le.Uint32(m[4:]) == boltVersion && le.Uint64(m[56:]) == sum.Sum64()
	return boltMeta{uint64(le.Uint32(m[8:])), le.Uint64(m[16:]), le.Uint64(m[32:]), le.Uint64(m[40:]), le.Uint64(m[48:])}, ok
}

// meta finds the newest valid meta page, as bbolt does.
func (s *pageScan) meta() (boltMeta, error) {
	head := make([]byte, pageHead+metaSize)
	var best boltMeta
	found := false
	try := func(at int64) {
		if _, err := s.f.ReadAt(head, at); err != nil {
			return
		}
		if m, ok := readBoltMeta(head); ok && (!found || m.txid > best.txid) {
			best, found = m, true
		}
	}
	try(0)
	size := int64(os.Getpagesize())
	if found {
		size = int64(best.pageSize)
	}
	try(size)
	if !found {
		return best, errors.New("no valid meta page")
	}
	return best, nil
}

func (s *pageScan) all() error {
	m, err := s.meta()
	if err != nil {
		return err
	}
	if m.pageSize < 512 || m.pageSize > 1<<16 || m.pageSize&(m.pageSize-1) != 0 {
		return fmt.Errorf("page size %d", m.pageSize)
	}
	s.pageSize, s.pages = int64(m.pageSize), m.pages
	if end := int64(m.pages) * s.pageSize; m.pages > 1<<40 {
		return fmt.Errorf("%d pages", m.pages)
	} else if _, err := s.f.ReadAt(make([]byte, 1), end-1); err != nil {
		return fmt.Errorf("the file is shorter than its %d pages", m.pages)
	}
	if err := s.freelist(m.freelist); err != nil {
		return err
	}
	// The root bucket holds only buckets; each of those is flat.
	return s.tree(m.root, s.depth(m.root), true, nil, func(name, value []byte, flags uint32) error {
		if flags&bucketFlag == 0 {
			return fmt.Errorf("root bucket holds a value under %q", name)
		}
		if len(value) < 16 {
			return fmt.Errorf("bucket %q has no head", name)
		}
		if root := le.Uint64(value); root != 0 {
			return s.tree(root, s.depth(root), s.deep, nil, flat)
		}
		return s.elements(value[16:], 0, nil, flat)
	})
}

func flat(k, _ []byte, flags uint32) error {
	if flags != 0 {
		return fmt.Errorf("key %x holds a bucket", k)
	}
	return nil
}

// page reads a page with its overflow after checking its head.
func (s *pageScan) page(id uint64) ([]byte, error) {
	if id < 2 || id >= s.pages {
		return nil, fmt.Errorf("page %d is outside the file", id)
	}
	head := make([]byte, pageHead)
	if _, err := s.f.ReadAt(head, int64(id)*s.pageSize); err != nil {
		return nil, fmt.Errorf("page %d: %w", id, err)
	}
	if got := le.Uint64(head); got != id {
		return nil, fmt.Errorf("page %d says that it is page %d", id, got)
	}
	overflow := uint64(le.Uint32(head[12:]))
	if id+overflow >= s.pages {
		return nil, fmt.Errorf("page %d runs out of the file", id)
	}
	for i := id; i <= id+overflow; i++ {
		if s.seen[i] {
			return nil, fmt.Errorf("page %d is used twice", i)
		}
		s.seen[i] = true
	}
	p := make([]byte, int64(overflow+1)*s.pageSize)
	if _, err := s.f.ReadAt(p, int64(id)*s.pageSize); err != nil {
		return nil, fmt.Errorf("page %d: %w", id, err)
	}
	return p, nil
}

func (s *pageScan) freelist(id uint64) error {
	if id == noFreelist {
		return errors.New("the list of free pages was not kept: not a Holdpoint store")
	}
	p, err := s.page(id)
	if err != nil {
		return err
	}
	if le.Uint16(p[8:]) != freelistFlag {
		return fmt.Errorf("page %d is not the list of free pages", id)
	}
	count, data := uint64(le.Uint16(p[10:])), p[pageHead:]
	if count == 0xFFFF { // too many for 16 bits: the number comes first
		count, data = le.Uint64(data), data[8:]
	}
	if count > uint64(len(data))/8 {
		return fmt.Errorf("list of %d free pages in %d bytes", count, len(data))
	}
	for i := range count {
		free := le.Uint64(data[8*i:])
		if free < 2 || free >= s.pages {
			return fmt.Errorf("free page %d is outside the file", free)
		}
		if s.seen[free] {
			return fmt.Errorf("page %d is free twice or the list itself", free)
		}
		s.seen[free] = true
	}
	return nil
}

// depth counts the branch levels above the leaves along the first path; they are
// the same everywhere in a B+ tree.
func (s *pageScan) depth(id uint64) int {
	head := make([]byte, pageHead+elementSize)
	for d := range maxDepth {
		if id >= s.pages {
			return d
		}
		if _, err := s.f.ReadAt(head, int64(id)*s.pageSize); err != nil || le.Uint16(head[8:]) != branchFlag {
			return d
		}
		id = le.Uint64(head[pageHead+8:])
	}
	return maxDepth
}

type element func(k, v []byte, flags uint32) error

// tree walks the pages under id, whose keys start at low; without leaves it stops
// above those. levels are the branch levels left.
func (s *pageScan) tree(id uint64, levels int, leaves bool, low []byte, fn element) error {
	if levels < 0 || levels >= maxDepth {
		return fmt.Errorf("page %d: the tree is too deep", id)
	}
	p, err := s.page(id)
	if err != nil {
		return err
	}
	want := uint16(leafFlag)
	if levels > 0 {
		want = branchFlag
	}
	if got := le.Uint16(p[8:]); got != want {
		return fmt.Errorf("page %d is of type %x, not %x", id, got, want)
	}
	if levels == 0 {
		return s.elements(p, id, low, fn)
	}
	count := int(le.Uint16(p[10:]))
	if count == 0 {
		return fmt.Errorf("page %d has no children", id)
	}
	if pageHead+count*elementSize > len(p) {
		return fmt.Errorf("page %d has %d elements", id, count)
	}
	for i := range count {
		at := pageHead + i*elementSize
		k, _, err := slice(p, at, le.Uint32(p[at:]), le.Uint32(p[at+4:]), 0)
		if err != nil {
			return fmt.Errorf("page %d element %d: %w", id, i, err)
		}
		if i > 0 && string(k) <= string(low) || string(k) < string(low) {
			return fmt.Errorf("page %d element %d is out of order", id, i)
		}
		low = k
		child := le.Uint64(p[at+8:])
		if child < 2 || child >= s.pages {
			return fmt.Errorf("page %d points outside the file", id)
		}
		if levels == 1 && !leaves {
			continue
		}
		if err := s.tree(child, levels-1, leaves, k, fn); err != nil {
			return err
		}
	}
	return nil
}

// elements checks one leaf: a page, or the body of an inline bucket.
func (s *pageScan) elements(p []byte, id uint64, low []byte, fn element) error {
	if len(p) < pageHead || le.Uint16(p[8:]) != leafFlag {
		return fmt.Errorf("page %d is not a leaf", id)
	}
	count := int(le.Uint16(p[10:]))
	if pageHead+count*elementSize > len(p) {
		return fmt.Errorf("page %d has %d elements", id, count)
	}
	for i := range count {
		at := pageHead + i*elementSize
		k, v, err := slice(p, at, le.Uint32(p[at+4:]), le.Uint32(p[at+8:]), le.Uint32(p[at+12:]))
		if err != nil {
			return fmt.Errorf("page %d element %d: %w", id, i, err)
		}
		if len(k) == 0 || i > 0 && string(k) <= string(low) || string(k) < string(low) {
			return fmt.Errorf("page %d element %d is out of order", id, i)
		}
		low = k
		if err := fn(k, v, le.Uint32(p[at:])); err != nil {
			return err
		}
	}
	return nil
}

// slice cuts key and value out of a page; positions count from the element.
func slice(p []byte, at int, pos, ksize, vsize uint32) (k, v []byte, err error) {
	start := uint64(at) + uint64(pos)
	mid := start + uint64(ksize)
	end := mid + uint64(vsize)
	if end > uint64(len(p)) {
		return nil, nil, errors.New("runs out of its page")
	}
	return p[start:mid], p[mid:end], nil
}
