package store

import (
	"bytes"
	"sync/atomic"

	"github.com/tidwall/btree"
)

// inMemory keeps each bucket in a copy-on-write tree. Readers take the current
// trees, which nobody changes; a writer changes copies and swaps them in.
type inMemory struct {
	now atomic.Pointer[trees]
}

type trees [maxBuckets]*btree.Map[string, []byte]

func newInMemory() *inMemory {
	m := new(inMemory)
	t := new(trees)
	for i := range buckets {
		t[i] = new(btree.Map[string, []byte])
	}
	m.now.Store(t)
	return m
}

func (m *inMemory) begin(write bool) (kvTx, error) {
	if !write {
		return &inMemoryTx{trees: m.now.Load()}, nil
	}
	t := new(trees)
	old := m.now.Load()
	for i := range buckets {
		t[i] = old[i].Copy()
	}
	return &inMemoryTx{trees: t, m: m}, nil
}

func (m *inMemory) close() error { return nil }

type inMemoryTx struct {
	*trees
	m *inMemory // nil in a view
}

func (t *inMemoryTx) get(b bucket, k []byte) ([]byte, error) {
	v, ok := t.trees[b].Get(string(k))
	if !ok {
		return nil, nil
	}
	return append([]byte{}, v...), nil
}

func (t *inMemoryTx) put(b bucket, k, v []byte) error {
	t.trees[b].Set(string(k), bytes.Clone(v))
	return nil
}

func (t *inMemoryTx) del(b bucket, k []byte) error {
	t.trees[b].Delete(string(k))
	return nil
}

func (t *inMemoryTx) dropBucket(string) error { return nil } // it never had one

func (t *inMemoryTx) commit() error {
	t.m.now.Store(t.trees)
	return nil
}

func (t *inMemoryTx) rollback() error { return nil }

func (t *inMemoryTx) cursor(b bucket, _, _ []byte) cursor {
	return &inMemoryCursor{it: t.trees[b].Iter()}
}

type inMemoryCursor struct {
	it btree.MapIter[string, []byte]
}

func (c *inMemoryCursor) at(ok bool) ([]byte, []byte, error) {
	if !ok {
		return nil, nil, nil
	}
	return []byte(c.it.Key()), append([]byte{}, c.it.Value()...), nil
}

func (c *inMemoryCursor) seek(k []byte) ([]byte, []byte, error) { return c.at(c.it.Seek(string(k))) }
func (c *inMemoryCursor) before(k []byte) ([]byte, []byte, error) {
	if c.it.Seek(string(k)) {
		return c.prev()
	}
	return c.last()
}

func (c *inMemoryCursor) next() ([]byte, []byte, error) { return c.at(c.it.Next()) }
func (c *inMemoryCursor) prev() ([]byte, []byte, error) { return c.at(c.it.Prev()) }
func (c *inMemoryCursor) last() ([]byte, []byte, error) { return c.at(c.it.Last()) }
