package graph

import (
	"encoding/json"
	"fmt"
	"slices"
)

// ChannelValue is one serialised channel, or in a commit what is appended to one.
type ChannelValue struct {
	Channel string `json:"channel"`
	// Key is that of a keyed channel; "" for all others.
	Key   string          `json:"key,omitempty"`
	Value json.RawMessage `json:"value"`
	// Append are items, each one JSON value, that come behind those that the channel
	// has, or behind Value when that is set; a checkpoint has them all as one list in
	// Value. What was there is neither read nor written again.
	Append []json.RawMessage `json:"append,omitempty"`
}

// Empty is the state before anything was written.
func (g *Graph) Empty() Snapshot {
	values := make([]any, len(g.channels))
	for i, c := range g.channels {
		values[i] = c.zero
	}
	return Snapshot{g, values}
}

// Restore is the state that stored channels make.
func (g *Graph) Restore(values []ChannelValue, lenient bool) (Snapshot, error) {
	s := g.Empty()
	for _, cv := range values {
		def := g.byName[cv.Channel]
		if def == nil {
			if lenient {
				continue
			}
			return s, fmt.Errorf("%w: channel %q", ErrUnknownName, cv.Channel)
		}
		i := g.slots[def]
		if def.keyed {
			s.values[i] = put(s.values[i], cv.Key, cv.Value)
			continue
		}
		v, err := def.decode(cv.Value)
		if err != nil {
			return s, err
		}
		s.values[i] = v
	}
	return s, nil
}

// Known says whether the snapshot belongs to a graph; the zero Snapshot does not.
func (s Snapshot) Known() bool { return s.graph != nil }

// Of is the graph that the snapshot belongs to.
func (s Snapshot) Of() *Graph { return s.graph }

// On is the same state under a graph that grew out of the snapshot's own.
func (s Snapshot) On(g *Graph) Snapshot { return Snapshot{g, s.values} }

// Encode renders the channels in these slots; of keyed channels the keys that the
// writes touched.
func (s Snapshot) Encode(slots []int, writes []Write) ([]ChannelValue, error) {
	out := make([]ChannelValue, 0, len(slots))
	for _, i := range slots {
		c := s.graph.channels[i]
		if c.keyed {
			out = append(out, keyedValues(c, s.values[i], writes)...)
			continue
		}
		v, err := c.encode(s.values[i])
		if err != nil {
			return nil, err
		}
		out = append(out, ChannelValue{Channel: c.name, Value: v})
	}
	return out, nil
}

// Slot is the place of the written channel in the state, and whether there is one.
func (g *Graph) Slot(w Write) (int, bool) {
	i, ok := g.slots[w.channel]
	return i, ok
}

// Channel and Key name what the write changes. Folds says that writes of several
// stages at once are folded into one value.
func (w Write) Channel() string { return w.channel.name }
func (w Write) Key() string     { return w.key }
func (w Write) Folds() bool     { return w.channel.reduce != nil }

// Of says whether the write is one of a keyed channel.
func (c KeyedChannel) Wrote(w Write) bool { return w.channel == c.definition }

// Declared says whether the channel was made by Keyed and is not the zero value.
func (c KeyedChannel) Declared() bool { return c.definition != nil }

// Only is the snapshot with nothing in the keyed channel but these values.
func (s Snapshot) Only(c KeyedChannel, values map[string]json.RawMessage) Snapshot {
	return s.replaced(c.definition, values)
}

// Len is the length of the history in a state; 0 without a history.
func (h History) Len(s Snapshot) int {
	if h.channel == nil {
		return 0
	}
	return h.length(s.value(h.channel))
}

// Hide is the state with the history's fixed entries and those from mark on.
func (h History) Hide(s Snapshot, mark int) Snapshot {
	return s.replaced(h.channel, h.fixed(s.value(h.channel), mark))
}

// replaced is the snapshot with another value in one channel.
func (s Snapshot) replaced(d *definition, value any) Snapshot {
	i := s.graph.slots[d]
	next := Snapshot{s.graph, slices.Clone(s.values)}
	next.values[i] = value
	return next
}

// Render gives a patch as JSON by channel. What cannot be encoded says why.
func (p Patch) Render() map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(p))
	keyed := map[string]map[string]json.RawMessage{}
	for _, w := range p {
		if w.channel.keyed {
			if keyed[w.channel.name] == nil {
				keyed[w.channel.name] = map[string]json.RawMessage{}
			}
			v, _ := w.value.(json.RawMessage)
			keyed[w.channel.name][w.key] = v
			continue
		}
		v, err := w.channel.encode(w.value)
		if err != nil {
			v = raw(err.Error())
		}
		out[w.channel.name] = v
	}
	for name, values := range keyed {
		out[name] = raw(values)
	}
	return out
}
