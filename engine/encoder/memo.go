package encoder

import "sync"

const (
	wide     = 512 // values of a vector, and of a token's row in the table
	side     = 256 // values of a branch
	branches = 3   // windows of 2, 3 and 5 tokens
	joined   = branches * side
	taps     = 2 + 3 + 5     // places in the windows of all branches
	all      = wide + joined // values of a token before they are added up

	known  = 3072 // tokens whose values are kept, 12 KB each
	block  = 128  // tokens that one goroutine works on at a time
	atOnce = 8    // goroutines: there are slots for the blocks of all of them
)

// half is the upper half of a float32: as many tokens again are at hand in the same memory,
// and what that costs in precision turns a vector by less than a thousandth.
type half uint16

// token is what a token contributes wherever it stands. A text's frequent tokens are
// computed once, and that is nearly all the work.
type token struct {
	x    [joined]half         // the branches' input, normalised
	part [2][taps * side]half // its part in the windows of both layers, by branch and place
}

// memo keeps the values of tokens that were used of late.
type memo struct {
	mu    sync.Mutex
	at    map[int32]int // slot by id
	slots []slot
	hand  int
	data  []token
}

type slot struct {
	id   int32 // -1 for none
	pins int   // blocks that read it now
	used bool  // since the hand was here
}

func newMemo(data []token) *memo {
	m := &memo{at: make(map[int32]int, len(data)), slots: make([]slot, len(data)), data: data}
	for i := range m.slots {
		m.slots[i].id = -1
	}
	return m
}

// take pins a slot for each of the ids, which differ. Those behind the returned number
// are not computed yet: ids and slots are ordered so that they come last. No more than
// block ids at a time and atOnce callers: then there is a slot for each.
func (m *memo) take(ids []int32, slots []int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	ready := 0
	for i, id := range ids {
		if s, ok := m.at[id]; ok {
			m.slots[s].pins++
			m.slots[s].used = true
			ids[i], ids[ready] = ids[ready], id
			slots[ready] = s
			ready++
		}
	}
	for i := ready; i < len(ids); i++ {
		for {
			s := &m.slots[m.hand]
			here := m.hand
			m.hand = (m.hand + 1) % len(m.slots)
			if s.pins > 0 {
				continue
			}
			if s.used {
				s.used = false
				continue
			}
			if s.id >= 0 {
				delete(m.at, s.id)
			}
			*s = slot{id: -1, pins: 1}
			slots[i] = here
			break
		}
	}
	return ready
}

// give unpins what take pinned. Those from ready on have been computed since: others
// may use them from now on.
func (m *memo) give(ids []int32, slots []int, ready int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, s := range slots {
		m.slots[s].pins--
		if _, other := m.at[ids[i]]; i >= ready && !other {
			// Half of a text's tokens never come again: who does not is the first to go.
			m.slots[s].id, m.slots[s].used = ids[i], false
			m.at[ids[i]] = s
		}
	}
}
