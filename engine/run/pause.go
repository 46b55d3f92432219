package run

import (
	"fmt"
	"maps"
	"slices"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
)

// checkPauses sees to it that an answer can only mean one question.
func (d *driver) checkPauses(id graph.StageID, res *visited) error {
	if len(res.Patch) > 0 {
		return fmt.Errorf("%w: stage %q both paused and returned a patch", ErrPause, id)
	}
	seen := map[string]bool{}
	for _, p := range res.Pauses {
		if p.ID == "" || seen[p.ID] {
			return fmt.Errorf("%w: stage %q asks with id %q, which is empty or used twice", ErrPause, id, p.ID)
		}
		if other, ok := d.pauses[p.ID]; ok && other.Stage != id {
			return fmt.Errorf("%w: stages %q and %q both ask with id %q", ErrPause, other.Stage, id, p.ID)
		}
		seen[p.ID] = true
	}
	return nil
}

// pause makes hold points durable before their event can be seen. A question
// that is asked again is open again: the answer it had was not it.
func (d *driver) pause(id graph.StageID, asked []graph.Pause) {
	c := d.next()
	now := map[string]bool{}
	asked = slices.Clone(asked)
	if d.pauses == nil {
		d.pauses = map[string]graph.Pause{}
	}
	for i := range asked {
		p := &asked[i]
		now[p.ID] = true
		p.Stage, p.Answer, p.Seen = id, nil, false
		d.pauses[p.ID] = *p
		c.Pauses = append(c.Pauses, *p)
	}
	for _, pid := range slices.Sorted(maps.Keys(d.pauses)) {
		p := d.pauses[pid]
		switch {
		case p.Stage != id || now[pid]:
		case p.Answer == nil:
			delete(d.pauses, pid)
			c.Unask = append(c.Unask, pid)
		case !p.Seen:
			p.Seen = true
			d.pauses[pid] = p
			c.Pauses = append(c.Pauses, p)
		}
	}
	e := d.event(journal.StagePaused, id)
	e = e.With(journal.StagePausedData{Pauses: brief(asked)})
	d.say(e)
}

func brief(pauses []graph.Pause) []journal.Pause {
	out := make([]journal.Pause, len(pauses))
	for i, p := range pauses {
		out[i] = journal.Pause{ID: p.ID, Kind: journal.PauseKind(p.Kind), Stage: p.Stage}
		if out[i].Kind == journal.PauseQuestion && len(p.Data) > 0 {
			out[i].Data = p.Data // an approval has a row of its own; a question has only this
		}
	}
	return out
}

func (d *driver) paused() *ending {
	e := journal.Event{}.With(journal.TurnPausedData{Pauses: brief(d.openPauses())})
	return &ending{status: Paused, event: &e}
}
