package run

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
)

// ErrNoPoint says that a run cannot be replayed from a checkpoint.
var ErrNoPoint = errors.New("run: cannot be replayed from there")

// Point is a checkpoint of a run that another run can begin at. What was done before it
// is kept, what comes after it is done anew.
type Point struct {
	// Turn is the one that the checkpoint is of, Step how many super-steps it had then.
	Turn string
	Step int
	// Frontier are the stages that come next.
	Frontier []graph.StageID

	state      graph.Patch
	finished   Counts
	joinInputs map[graph.StageID][]graph.StageID
}

// PointAt reads from a turn's events, in order, what held at one of its checkpoints. begin
// is the state that the turn began with, body reads a blob. A checkpoint before a stage
// that acts on anything outside is none to replay from: what it proposed or did belongs to
// the turn that asked for it. So is one after the graph was changed, and the end.
func PointAt(g *graph.Graph, turn string, step int, begin graph.Patch, events []journal.Event, body func(name string) ([]byte, error)) (Point, error) {
	p := Point{Turn: turn, Step: step, joinInputs: map[graph.StageID][]graph.StageID{}}
	state, err := g.Empty().Advance(begin)
	if err != nil {
		return p, err
	}
	at := 0 // the super-steps so far
	var done []journal.Event
	failed := map[graph.StageID]journal.Event{} // that nobody has passed by yet
	for _, e := range events {
		if e.Turn != turn {
			continue
		}
		switch e.Kind {
		case journal.GraphMutated:
			if at < step {
				return p, fmt.Errorf("%w: the graph was changed before", ErrNoPoint)
			}
		case journal.StageCompleted:
			if n, ok := g.Index[e.Stage]; ok && at < step && g.Stages[n].Stage.Graph == nil {
				done = append(done, e)
			}
		case journal.StageFailed:
			if at < step {
				failed[e.Stage] = e
			}
		case journal.Transition:
			if f, ok := failed[e.From]; ok && at < step {
				if state, err = state.Advance(passedBy(g, f)); err != nil {
					return p, err
				}
				delete(failed, e.From)
			}
			if n, ok := g.Index[e.To]; ok && at < step && slices.Contains(g.Stages[n].Inputs, g.Index[e.From]) {
				p.joinInputs[e.To] = append(p.joinInputs[e.To], e.From)
			}
		case journal.StageStarted:
			n, ok := g.Index[e.Stage]
			if !ok {
				return p, fmt.Errorf("%w: there is no stage %q any more", ErrNoPoint, e.Stage)
			}
			if at < step {
				delete(p.joinInputs, e.Stage)
			}
			if at <= step && g.Stages[n].Stage.Graph != nil {
				if state, err = state.Advance(g.Begin(state, n)); err != nil {
					return p, err
				}
			}
			if at == step && g.Stages[n].Stage.Graph == nil && !slices.Contains(p.Frontier, e.Stage) {
				p.Frontier = append(p.Frontier, e.Stage)
			}
		case journal.CheckpointSaved:
			d, err := journal.Read[journal.CheckpointSavedData](e)
			if err != nil {
				return p, err
			}
			// A barrier applies what its stages wrote in the order of the graph.
			slices.SortStableFunc(done, func(a, b journal.Event) int { return cmp.Compare(g.Index[a.Stage], g.Index[b.Stage]) })
			for _, c := range done {
				patch, err := patchOf(g, c, body)
				if err != nil {
					return p, fmt.Errorf("%w: what %s wrote cannot be read: %w", ErrNoPoint, c.Stage, err)
				}
				if state, err = state.Advance(patch); err != nil {
					return p, err
				}
				p.finished = p.finished.plus(c.Stage)
				if state, err = state.Advance(g.Mend(state, g.Index[c.Stage])); err != nil {
					return p, err
				}
			}
			done, at = nil, d.Step
		}
	}
	if at < step || len(p.Frontier) == 0 {
		return p, fmt.Errorf("%w: the turn has no checkpoint %d with something after it", ErrNoPoint, step)
	}
	for _, id := range p.Frontier {
		if s := g.Stages[g.Index[id]].Stage; s.SideEffects {
			return p, fmt.Errorf("%w: the stage %q comes next, and it acts; choose an earlier checkpoint", ErrNoPoint, id)
		}
		delete(p.joinInputs, id)
	}
	p.state, err = state.Whole()
	return p, err
}

// passedBy is what the failure of a stage wrote.
func passedBy(g *graph.Graph, e journal.Event) graph.Patch {
	n, ok := g.Index[e.Stage]
	if !ok {
		return nil
	}
	f := graph.Failure{Stage: e.Stage, Kind: graph.KindFailed, Message: bareText(e.Error)}
	if d, err := journal.Read[journal.StageFailedData](e); err == nil && d.Failure != "" {
		f.Kind = d.Failure
	}
	return g.Fail(n, f)
}

func (c Counts) plus(id graph.StageID) Counts {
	for i := range c {
		if c[i].Stage == id {
			c[i].N++
			return c
		}
	}
	return append(c, Count{id, 1})
}

// patchOf reads what a stage wrote from the event that says that it was completed.
func patchOf(g *graph.Graph, e journal.Event, body func(string) ([]byte, error)) (graph.Patch, error) {
	data, err := inFull(e.Data, body)
	if err != nil || len(data) == 0 {
		return nil, err
	}
	var told struct {
		Patch json.RawMessage `json:"patch"`
	}
	if err := json.Unmarshal(data, &told); err != nil {
		return nil, err
	}
	if told.Patch, err = inFull(told.Patch, body); err != nil || len(told.Patch) == 0 {
		return nil, err
	}
	var channels map[string]json.RawMessage
	if err := json.Unmarshal(told.Patch, &channels); err != nil {
		return nil, err
	}
	for name, value := range channels {
		if channels[name], err = inFull(value, body); err != nil {
			return nil, err
		}
	}
	return g.ReadPatch(channels)
}

// inFull is a value of an event, or the blob that stands in its place.
func inFull(raw json.RawMessage, body func(string) ([]byte, error)) (json.RawMessage, error) {
	var b map[string]json.RawMessage
	var ref journal.Blob
	if json.Unmarshal(raw, &b) != nil || len(b) != 2 || b["blob"] == nil || b["size"] == nil || json.Unmarshal(raw, &ref) != nil {
		return raw, nil
	}
	return body(ref.Name)
}

// startAt puts a new run where the point is.
func (d *driver) startAt(p Point) error {
	for _, id := range p.Frontier {
		n, ok := d.g.Index[id]
		if !ok {
			return fmt.Errorf("%w: stage %q is due", ErrDamaged, id)
		}
		for up := d.g.Stages[n].Parent; up >= 0; up = d.g.Stages[up].Parent {
			d.opened(up)
		}
		d.frontier = append(d.frontier, n)
	}
	slices.Sort(d.frontier)
	for _, c := range p.finished {
		if n, ok := d.g.Index[c.Stage]; ok {
			d.counts[n].finished = c.N
		}
	}
	for to, from := range p.joinInputs {
		n, ok := d.g.Index[to]
		if !ok {
			return fmt.Errorf("%w: stage %q at a join", ErrDamaged, to)
		}
		for _, id := range from {
			d.arrive(n, slices.Index(d.g.Stages[n].Inputs, d.g.Index[id]))
		}
	}
	d.row.Step = p.Step
	d.changed = true
	d.started(d.frontier)
	return nil
}
