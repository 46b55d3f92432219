package store

import (
	"encoding/binary"
	"fmt"
)

// bbolt rewrites a whole leaf when one of its rows changes, and a large value
// makes its leaf large. So a value above inlineLimit is kept apart in pieces that
// fill a page each, and changing its neighbours does not copy it. A stored value
// begins with a mark: whole is followed by the value, pieces by the number of the
// pieces and the size.
const (
	inlineLimit = 2048 // bytes
	pieceSize   = 4000 // bytes

	markWhole  = 0
	markPieces = 1
)

// piecesBucket holds parts of large values: n, i → bytes.
var piecesBucket = newBucket("pieces", 1)

// bare buckets hold their values without a mark: meta because it is read before
// anything else, pieces because they are parts of values.
func bare(b bucket) bool { return b == metaBucket || b == piecesBucket }

type pieces struct {
	n    uint64
	size uint64 // bytes
}

func (p pieces) count() uint64 { return (p.size + pieceSize - 1) / pieceSize }

func (p pieces) key(i uint64) []byte { return numKey(numKey(nil, p.n), i) }

// parseValue tells the two kinds of stored values apart; whole is nil for pieces.
func parseValue(b bucket, stored []byte) (whole []byte, p pieces, err error) {
	switch {
	case bare(b):
		return stored, p, nil
	case len(stored) > 0 && stored[0] == markWhole:
		return stored[1:], p, nil
	case len(stored) == 17 && stored[0] == markPieces:
		p = pieces{binary.BigEndian.Uint64(stored[1:]), binary.BigEndian.Uint64(stored[9:])}
		return nil, p, nil
	}
	return nil, p, fmt.Errorf("%w (no value begins with %.1x)", ErrDamaged, stored)
}

// load turns what is stored under a key into the value.
func (t *tx) load(b bucket, k, stored []byte) ([]byte, error) {
	if bare(b) {
		return stored, nil
	}
	sealed, p, err := parseValue(b, stored)
	if err != nil {
		return nil, err
	}
	if sealed == nil {
		for i := range p.count() {
			piece, err := t.kv.get(piecesBucket, p.key(i))
			if err != nil {
				return nil, t.broken(piecesBucket, err)
			}
			if want := min(pieceSize, p.size-i*pieceSize); uint64(len(piece)) != want {
				return nil, fmt.Errorf("%w (piece %d of %d has %d bytes)", ErrDamaged, i, p.n, len(piece))
			}
			sealed = append(sealed, piece...)
		}
	}
	return unseal(b, k, sealed)
}

// save stores a value under a key, and drops the pieces of the one before.
func (t *tx) save(b bucket, k, v []byte) error {
	if err := t.dropPieces(b, k); err != nil {
		return err
	}
	sealed, err := seal(b, k, v)
	if err != nil {
		return err
	}
	if len(sealed) <= inlineLimit {
		return t.kv.put(b, k, append([]byte{markWhole}, sealed...))
	}
	n, err := t.free("pieces", piecesBucket, func(n uint64) []byte { return pieces{n: n}.key(0) })
	if err != nil {
		return err
	}
	p := pieces{n, uint64(len(sealed))}
	for i := range p.count() {
		at := i * pieceSize
		if err := t.kv.put(piecesBucket, p.key(i), sealed[at:min(at+pieceSize, p.size)]); err != nil {
			return err
		}
	}
	return t.kv.put(b, k, numKey(numKey([]byte{markPieces}, p.n), p.size))
}

func (t *tx) dropPieces(b bucket, k []byte) error {
	stored, err := t.kv.get(b, k)
	if err != nil || stored == nil || bare(b) {
		return err
	}
	whole, p, err := parseValue(b, stored)
	if err != nil {
		t.adrift = true // it does not say any more which pieces are its own
		return nil
	}
	if whole != nil {
		return nil
	}
	var own [][]byte
	for i := range p.count() {
		piece, err := t.kv.get(piecesBucket, p.key(i))
		if err != nil {
			return err
		}
		// A damaged number or size must not count to for ever, or name another's pieces.
		if uint64(len(piece)) != min(pieceSize, p.size-i*pieceSize) {
			t.adrift = true
			return nil
		}
		own = append(own, p.key(i))
	}
	if more, err := t.kv.get(piecesBucket, p.key(p.count())); err != nil {
		return err
	} else if more != nil {
		t.adrift = true
		return nil
	}
	for _, k := range own {
		if err := t.kv.del(piecesBucket, k); err != nil {
			return err
		}
	}
	return nil
}

// dropAdrift removes the pieces that belong to no value, and says how many there were. No value that can be read loses
// any.
func (t *tx) dropAdrift() (int, error) {
	owned, _, err := t.owners()
	if err != nil {
		return 0, err
	}
	var adrift [][]byte
	if err := t.eachStored(piecesBucket, func(k, _ []byte) {
		if len(k) != 16 || !owned[binary.BigEndian.Uint64(k)] {
			adrift = append(adrift, k)
		}
	}); err != nil {
		return 0, err
	}
	for _, k := range adrift {
		if err := t.kv.del(piecesBucket, k); err != nil {
			return 0, t.broken(piecesBucket, err)
		}
		t.writes++
	}
	t.adrift = false
	return len(adrift), nil
}

// owners are the numbers of the pieces that values name, and how many values don't say any more whether they have some.
func (t *tx) owners() (owned map[uint64]bool, unsaid int, err error) {
	owned = map[uint64]bool{}
	err = t.eachValue(func(_ bucket, _ []byte, whole bool, p pieces, err error) {
		if err != nil {
			unsaid++
		} else if !whole {
			owned[p.n] = true
		}
	})
	return owned, unsaid, err
}

// eachValue visits the values of all buckets but the bare ones: whether each is whole, else which pieces are its own.
func (t *tx) eachValue(fn func(b bucket, k []byte, whole bool, p pieces, err error)) error {
	for i := range buckets {
		b := bucket(i)
		if bare(b) {
			continue
		}
		if err := t.eachStored(b, func(k, stored []byte) {
			whole, p, err := parseValue(b, stored)
			fn(b, k, whole != nil, p, err)
		}); err != nil {
			return err
		}
	}
	return nil
}

// eachStored visits the rows of a bucket as they are stored.
func (t *tx) eachStored(b bucket, fn func(k, stored []byte)) error {
	c := t.kv.cursor(b, nil, nil)
	for k, stored, err := c.seek(nil); ; k, stored, err = c.next() {
		if err != nil {
			return t.broken(b, err)
		}
		if k == nil {
			return nil
		}
		fn(k, stored)
	}
}
