package run

import (
	"strconv"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
)

// note is an event in short. Most of what a run tells are starts, completions,
// transitions and checkpoints, and they stay this small until somebody reads them.
type note struct {
	at     time.Time
	kind   noteKind
	small  bool  // a whole event that is surely not too large
	by     uint8 // place of the resolver in the chain
	node   int32
	to     int32
	n      int32 // attempt or step
	ms     int32
	status string // of a completion; reason of a transition
	patch  []graph.ChannelValue
	whole  *journal.Event
}

type noteKind uint8

const (
	noteWhole noteKind = iota
	noteStarted
	noteCompleted
	noteTransition
	noteStep
)

// notes are what one commit tells, in order.
type notes struct {
	graph         *graph.Graph
	session, turn string
	list          []note
}

func (n *notes) whole(e journal.Event) { n.list = append(n.list, note{whole: &e}) }

// appendTo appends the events in full, written out for readers.
func (n *notes) appendTo(out []journal.Event) []journal.Event {
	data := make([]byte, 0, n.size()) // of all events, one after the other
	for i := range n.list {
		if n.list[i].kind == noteWhole {
			e := *n.list[i].whole
			e.Render()
			out = append(out, e)
			continue
		}
		out = append(out, journal.Event{})
		data = n.event(&n.list[i], &out[len(out)-1], data)
	}
	return out
}

// size is about how many bytes the data of all notes takes.
func (n *notes) size() (bytes int) {
	for i := range n.list {
		o := &n.list[i]
		if o.kind == noteWhole {
			continue
		}
		bytes += 24
		for _, v := range o.patch {
			bytes += len(v.Channel) + len(v.Key) + len(v.Value) + 8
		}
	}
	return bytes
}

// event fills in the event that the note stands for; its data is written behind that
// of the events before it.
func (n *notes) event(o *note, e *journal.Event, data []byte) []byte {
	g := n.graph
	e.At, e.Session, e.Turn = o.at, n.session, n.turn
	at := len(data)
	switch o.kind {
	case noteStarted:
		e.Kind, e.Stage, e.Attempt = journal.StageStarted, g.Nodes[o.node].ID, int(o.n)
	case noteCompleted:
		e.Kind, e.Stage, e.Attempt, e.Status = journal.StageCompleted, g.Nodes[o.node].ID, int(o.n), o.status
		data = appendCompletion(data, int64(o.ms), o.patch)
	case noteTransition:
		e.Kind, e.From, e.Resolver, e.Reason = journal.Transition, g.Nodes[o.node].ID, chain[o.by].name, o.status
		if e.To = g.Prefix(int(o.node)) + graph.End; o.to != graph.AtEnd {
			e.To = g.Nodes[o.to].ID
		}
	case noteStep:
		e.Kind = journal.CheckpointSaved
		data = append(strconv.AppendInt(append(data, `{"step":`...), int64(o.n), 10), '}')
	}
	if len(data) > at {
		e.Data = data[at:len(data):len(data)]
	}
	return data
}

// move makes the notes speak of another graph, which has all stages of their own.
func (n *notes) move(next *graph.Graph) {
	if n.graph == next {
		return
	}
	for i := range n.list {
		o := &n.list[i]
		if o.kind == noteStarted || o.kind == noteCompleted || o.kind == noteTransition {
			o.node = int32(next.Index[n.graph.Nodes[o.node].ID])
			if o.kind == noteTransition && o.to != graph.AtEnd {
				o.to = int32(next.Index[n.graph.Nodes[o.to].ID])
			}
		}
	}
	n.graph = next
}

// oversized says whether an event may be too large for the journal as it is.
func (n *notes) oversized() bool {
	for i := range n.list {
		o := &n.list[i]
		if o.kind == noteWhole {
			if o.small {
				continue
			}
			if o.whole.Render(); journal.Oversized([]journal.Event{*o.whole}) {
				return true
			}
			continue
		}
		size := len(o.status)
		for _, v := range o.patch {
			size += len(v.Value) + len(v.Channel)
		}
		if size > journal.MemberRoom {
			return true
		}
	}
	return false
}
