package store

import (
	"bytes"
	"sync/atomic"

	"github.com/tidwall/btree"
)

// memory keeps each bucket in a copy-on-write tree. Readers take the current
// trees, which nobody changes; a writer changes copies and swaps them in.
type memory struct {
	now atomic.Pointer[trees]
}

type trees [maxBuckets]*btree.Map[string, []byte]

func newMemory() *memory {
	m := new(memory)
	t := new(trees)
	for i := range buckets {
		t[i] = new(btree.Map[string, []byte])
	}
	m.now.Store(t)
	return m
}

func (m *memory) begin(write bool) (kvTx, error) {
	if !write {
		return &memoryTx{trees: m.now.Load()}, nil
	}
	t := new(trees)
	old := m.now.Load()
	for i := range buckets {
		t[i] = old[i].Copy()
	}
	return &memoryTx{trees: t, m: m}, nil
}

func (m *memory) close() error { return nil }

type memoryTx struct {
	*trees
	m *memory // nil in a view
}

func (t *memoryTx) get(b bucket, k []byte) ([]byte, error) {
	v, ok := t.trees[b].Get(string(k))
	if !ok {
		return nil, nil
	}
	return append([]byte{}, v...), nil
}

func (t *memoryTx) put(b bucket, k, v []byte) error {
	t.trees[b].Set(string(k), bytes.Clone(v))
	return nil
}

func (t *memoryTx) del(b bucket, k []byte) error {
	t.trees[b].Delete(string(k))
	return nil
}

func (t *memoryTx) dropBucket(string) error { return nil } // it never had one

func (t *memoryTx) commit() error {
	t.m.now.Store(t.trees)
	return nil
}

func (t *memoryTx) rollback() error { return nil }

func (t *memoryTx) cursor(b bucket) cursor { return &memoryCursor{it: t.trees[b].Iter()} }

type memoryCursor struct {
	it btree.MapIter[string, []byte]
}

func (c *memoryCursor) at(ok bool) ([]byte, []byte, error) {
	if !ok {
		return nil, nil, nil
	}
	return []byte(c.it.Key()), append([]byte{}, c.it.Value()...), nil
}

func (c *memoryCursor) seek(k []byte) ([]byte, []byte, error) { return c.at(c.it.Seek(string(k))) }
func (c *memoryCursor) next() ([]byte, []byte, error)         { return c.at(c.it.Next()) }
func (c *memoryCursor) prev() ([]byte, []byte, error)         { return c.at(c.it.Prev()) }
func (c *memoryCursor) last() ([]byte, []byte, error)         { return c.at(c.it.Last()) }
