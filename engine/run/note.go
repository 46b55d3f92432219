package run

import (
	"slices"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
)

// note is an event in short. Most of what a run tells are starts, completions,
// transitions and checkpoints, and they stay this small until somebody reads them.
// It has no pointers: what does not fit stands beside it, in the notes.
type note struct {
	after  time.Duration // since notes.since
	kind   noteKind
	by     resolver
	status uint8 // of a completion: place in statuses
	stage  int32
	to     int32 // of a transition; of a whole event: its place in wholes
	n      int32 // attempt
	from   int32 // place of the event's data in notes.data
	end    int32
}

type noteKind uint8

const (
	noteWhole noteKind = iota
	noteBegan
	noteStarted
	noteCompleted
	noteTransition
	noteStep
	noteEnded
)

// statuses are what a completion may say beside that it is one.
var statuses = [...]string{"", string(journal.Cached), string(journal.Again)}

const (
	plainly uint8 = iota
	fromCache
	goesOn
)

// notes are what one commit tells, in order.
type notes struct {
	graph  *graph.Graph
	run    *Run // of which only what never changes is read, and Output once it is whole
	since  time.Time
	at     time.Time // of the last note, and since since
	lag    time.Duration
	list   []note
	wholes []journal.Event
	data   []byte // JSON, encoded once for whoever reads the events
	large  bool   // the data of one may be too large for the journal as it is
}

// whole adds an event that is not of the short kinds.
func (n *notes) whole(e journal.Event) {
	n.list = append(n.list, note{kind: noteWhole, to: int32(len(n.wholes))})
	n.wholes = append(n.wholes, e)
}

// roomiest is how many bytes of data a scratch keeps room for.
const roomiest = 64 << 10

// cut gives the notes lists of their own, no longer than they are, and those that they
// were made in back, or those from before where these are too large to keep.
func (n *notes) cut(data []byte) ([]note, []byte) {
	if cap(n.data) <= roomiest {
		data = n.data[:0]
	}
	list := n.list[:0]
	n.list, n.data = slices.Clone(n.list), slices.Clone(n.data)
	return list, data
}

// add appends the notes of a later commit, which speak of the same graph and run.
func (n *notes) add(later *notes) {
	lag := later.since.Sub(n.since)
	for _, o := range later.list {
		o.after += lag
		o.from, o.end = o.from+int32(len(n.data)), o.end+int32(len(n.data))
		if o.kind == noteWhole {
			o.to += int32(len(n.wholes))
		}
		n.list = append(n.list, o)
	}
	n.wholes, n.data, n.large = append(n.wholes, later.wholes...), append(n.data, later.data...), n.large || later.large
}

// each shows the events in full, one after the other and numbered from first on,
// unless that is 0. Those of short notes are all shown in e, one over the other.
func (n *notes) each(first uint64, e *journal.Event, see func(*journal.Event)) {
	if len(n.list) == 0 {
		return
	}
	*e = journal.Event{Session: n.run.Session, Turn: n.run.Turn, At: n.since}
	var after time.Duration // that e.At is at
	for i := range n.list {
		o, seq := &n.list[i], first
		if first > 0 {
			seq += uint64(i)
		}
		if o.kind == noteWhole {
			w := n.wholes[o.to]
			w.Render()
			w.Seq = seq
			see(&w)
			continue
		}
		if o.after != after {
			after, e.At = o.after, n.since.Add(o.after) // many come with one look at the clock
		}
		n.event(o, e)
		e.Seq = seq
		see(e)
	}
}

// event fills in the event that the note stands for, but for its time. Members that no note
// has are left as they are.
func (n *notes) event(o *note, e *journal.Event) {
	g := n.graph
	e.Data = n.data[o.from:o.end:o.end]
	e.Stage, e.Attempt, e.Status, e.From, e.To, e.Resolver, e.Text = "", 0, "", "", "", "", ""
	switch o.kind {
	case noteBegan:
		e.Kind, e.Text = journal.TurnStarted, n.run.Input
	case noteStarted:
		e.Kind, e.Stage, e.Attempt, e.Data = journal.StageStarted, g.Stages[o.stage].ID, int(o.n), nil
	case noteCompleted:
		e.Kind, e.Stage, e.Attempt, e.Status = journal.StageCompleted, g.Stages[o.stage].ID, int(o.n), statuses[o.status]
	case noteTransition:
		e.Kind, e.From, e.To, e.Resolver, e.Data = journal.Transition, g.Stages[o.stage].ID, o.leadsTo(g), resolvers[o.by], nil
	case noteStep:
		e.Kind = journal.CheckpointSaved
	case noteEnded:
		e.Kind, e.Text = journal.TurnCompleted, n.run.Output
	}
}

// leadsTo is the id of where a transition leads.
func (o *note) leadsTo(g *graph.Graph) graph.StageID {
	if o.to != graph.AtEnd {
		return g.Stages[o.to].ID
	}
	if g.Stages[o.stage].Parent < 0 {
		return graph.End
	}
	return g.Prefix(int(o.stage)) + graph.End
}

// move makes the notes speak of another graph, which has all stages of their own.
func (n *notes) move(next *graph.Graph) {
	if n.graph == next {
		return
	}
	for i := range n.list {
		o := &n.list[i]
		if o.kind == noteStarted || o.kind == noteCompleted || o.kind == noteTransition {
			o.stage = int32(next.Index[n.graph.Stages[o.stage].ID])
			if o.kind == noteTransition && o.to != graph.AtEnd {
				o.to = int32(next.Index[n.graph.Stages[o.to].ID])
			}
		}
	}
	n.graph = next
}

// oversized says whether an event may be too large for the journal as it is.
func (n *notes) oversized() bool {
	journal.Render(n.wholes)
	return n.large || journal.Oversized(n.wholes)
}
