package board

import (
	"slices"

	"holdpoint/engine/journal"
)

// Told are the events of what changed from one board to another: who is the model, the
// person or the rule behind it, why says it in words.
func (s *State) Told(next *State, by journal.ChangedBy, who, why string) (events []journal.Event) {
	for i := range next.Hypotheses {
		h := &next.Hypotheses[i]
		was := s.Hypothesis(h.ID)
		if was != nil && was.equal(h) {
			continue
		}
		d := journal.HypothesisChangedData{ID: h.ID, Statement: journal.LongString(h.Statement), Status: string(h.Status), Confidence: h.Confidence,
			Supporting: list(h.Supporting), Contradicting: list(h.Contradicting), Dissent: h.Dissent, By: by, Who: who}
		if was != nil {
			d.Before = &journal.HypothesisBefore{Status: string(was.Status), Confidence: was.Confidence}
		}
		events = append(events, journal.Event{Status: string(h.Status), Reason: why}.With(d))
	}
	for i := range next.Conflicts {
		c := &next.Conflicts[i]
		if was := s.Conflict(c.ID); was != nil && was.same(c) {
			continue
		}
		events = append(events, journal.Event{Status: string(c.Status), Reason: why}.With(journal.ConflictChangedData{ID: c.ID, Description: journal.LongString(c.Description), SourceA: c.SourceA, SourceB: c.SourceB,
			Hypothesis: c.Hypothesis, Status: string(c.Status), Resolution: journal.LongString(c.Resolution), Outcome: string(c.Outcome), By: by, Who: who}))
	}
	return events
}

func list(ids []string) []string { return append([]string{}, slices.Clone(ids)...) }
