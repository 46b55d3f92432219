package run

import "holdpoint/engine/journal"

// Journal returns the events of a session with a seq above after, oldest first.
func (m *InMemory) Journal(session string, after uint64) []journal.Event {
	m.mu.RLock()
	defer m.mu.RUnlock()
	j := m.journals[session]
	if j == nil {
		return nil
	}
	var out []journal.Event
	keep := func(e *journal.Event) {
		if e.Seq > after {
			out = append(out, *e)
		}
	}
	for _, c := range j.commits {
		c.each(new(journal.Event), keep)
	}
	return out
}
