//go:build !linux

package store

// relax leaves it to the system which pages of the file stay in memory.
func (t *boltTx) relax() {}
