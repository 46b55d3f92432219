package graph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ChannelValue is one serialised change of a channel: its new value, or what was
// added to a list.
type ChannelValue struct {
	Channel string `json:"channel"`
	// Key is that of a keyed channel; "" for all others.
	Key   string          `json:"key,omitempty"`
	Value json.RawMessage `json:"value"`
	// Append are items, each one JSON value, that come behind those that the channel
	// has, or behind Value when that is set; a checkpoint of the store on disk has them
	// all as one list in Value. What was there is neither read nor written again.
	Append []json.RawMessage `json:"append,omitempty"`
}

// Empty is the state before anything was written.
func (g *Graph) Empty() Snapshot { return Snapshot{graph: g, values: g.zeros} }

// Restore is the state that stored channels make. lenient passes over channels that
// the graph does not have.
func (g *Graph) Restore(values []ChannelValue, lenient bool) (Snapshot, error) {
	s := g.Empty()
	s.values = slices.Clone(s.values)
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
			s.values[i] = put(s.values[i], cv.Key, cv.Value, true)
			continue
		}
		raw := cv.Value
		if cv.Append != nil {
			raw = joined(cv.Append)
		}
		v, err := def.decode(raw)
		if err != nil {
			return s, err
		}
		if cv.Append != nil && def.extend != nil {
			if cv.Value != nil {
				if s.values[i], err = def.decode(cv.Value); err != nil {
					return s, err
				}
			}
			v = def.extend(s.values[i], []any{v}, true)
		}
		s.values[i] = v
	}
	return s, nil
}

// joined is the JSON list of the items.
func joined(items []json.RawMessage) json.RawMessage {
	return slices.Concat([]byte{'['}, bytes.Join(raws(items), []byte{','}), []byte{']'})
}

func raws(items []json.RawMessage) [][]byte {
	out := make([][]byte, len(items))
	for i, it := range items {
		out[i] = it
	}
	return out
}

// On is the same state under a graph that grew out of the snapshot's own.
func (s Snapshot) On(g *Graph) Snapshot {
	if len(g.channels) == len(s.values) {
		return Snapshot{graph: g, values: s.values}
	}
	next := Snapshot{graph: g, values: slices.Clone(g.zeros)} // what was added brought a scope along
	for i, d := range s.graph.channels {
		next.values[g.slots[g.byName[d.name]]] = s.values[i]
	}
	return next
}

// Values renders every channel as JSON, by name.
func (s Snapshot) Values() (map[string]json.RawMessage, error) {
	out := make(map[string]json.RawMessage, len(s.values))
	for i, v := range s.values {
		d := s.graph.channels[i]
		raw, _, err := d.encode(nil, v, nil)
		if err != nil {
			return nil, err
		}
		out[d.name] = raw
	}
	return out, nil
}

// Declares says what is wrong with a write to a channel that the graph does not have.
func (g *Graph) Declares(w Write) error {
	switch _, ok := g.slots[w.channel]; {
	case w.channel == nil:
		return fmt.Errorf("%w: write to a channel that was not made with Value, Append or Keyed", ErrUnknownName)
	case !ok:
		return fmt.Errorf("%w: write to channel %q", ErrUnknownName, w.channel.name)
	}
	return nil
}

// With returns a copy in which the writes were applied. Views of one state may be
// made at the same time.
func (s Snapshot) With(p Patch) (Snapshot, error) { return s.with(p, false) }

// Advance is With for the one goroutine that owns the state: lists grow in place,
// behind the end that earlier snapshots know, so a step costs what it adds.
func (s Snapshot) Advance(p Patch) (Snapshot, error) { return s.with(p, true) }

func (s Snapshot) with(p Patch, owned bool) (Snapshot, error) {
	if len(p) == 0 {
		return s, nil
	}
	p = s.scope.placed(p)
	values := make([]any, len(s.values))
	copy(values, s.values)
	next := Snapshot{s.graph, values, s.scope, s.keys}
	var lists []any
	for i := range p {
		w := &p[i]
		slot, ok := s.graph.slots[w.channel]
		if !ok {
			return s, s.graph.Declares(*w)
		}
		d := w.channel
		switch {
		case d.keyed:
			// Neighbours that write to the same map copy it once.
			next.values[slot] = put(next.values[slot], w.key, w.value, i > 0 && p[i-1].channel == d)
		case d.extend != nil:
			// Neighbours that add to the same list grow it once.
			if lists = append(lists, w.value); i+1 == len(p) || p[i+1].channel != d {
				next.values[slot] = d.extend(next.values[slot], lists, owned)
				lists = lists[:0]
			}
		default:
			next.values[slot] = w.value
		}
	}
	return next, nil
}

// Encoder encodes patches one after the other. The JSON that it returned stays as it
// is; the list of a patch does until Applied.
type Encoder struct {
	buf    []byte
	values []ChannelValue
	items  []json.RawMessage
}

// Applied says that nobody uses the lists that Patch returned any more.
func (e *Encoder) Applied() { e.values = e.values[:0] }

// Reset makes the encoder ready for another state; nothing that it returned changes.
func (e *Encoder) Reset() {
	clear(e.values[:cap(e.values)])
	e.Applied()
	e.buf, e.items = nil, nil
}

// Patch encodes a patch as it is stored and told. It refuses writes to channels that
// the graph does not declare: once stored they could not be read back.
func (e *Encoder) Patch(g *Graph, p Patch) ([]ChannelValue, error) {
	if e.buf == nil {
		e.buf = make([]byte, 0, 64)
	}
	from := len(e.values)
	for i := range p {
		w := &p[i]
		if _, ok := g.slots[w.channel]; !ok {
			return nil, g.Declares(*w)
		}
		d := w.channel
		if d.keyed {
			if w.key == "" {
				return nil, fmt.Errorf("%w: a write to channel %q needs a key", ErrUnknownName, d.name)
			}
			v, _ := w.value.(json.RawMessage)
			if v != nil && !json.Valid(v) {
				return nil, fmt.Errorf("graph: key %q of channel %q is not JSON", w.key, d.name)
			}
			e.values = append(e.values, ChannelValue{Channel: d.name, Key: w.key, Value: v})
			continue
		}
		at, first := len(e.buf), len(e.items)
		var err error
		if e.buf, e.items, err = d.encode(e.buf, w.value, e.items); err != nil {
			return nil, err
		}
		v := ChannelValue{Channel: d.name, Value: e.buf[at:len(e.buf):len(e.buf)]}
		if n := len(e.items); n > first {
			v.Append = e.items[first:n:n]
		}
		e.values = append(e.values, v)
	}
	return e.values[from:len(e.values):len(e.values)], nil
}

// Changes collects what is to be stored of the channels: the last value of each channel or
// key, and a list's additions together.
type Changes struct {
	list   []ChannelValue
	places Places
}

// Add takes writes and what Encoder.Patch made of them.
func (c *Changes) Add(writes []Write, encoded []ChannelValue) {
	for i := range writes {
		v, list := &encoded[i], writes[i].channel.extend != nil
		if list && v.Append == nil {
			continue
		}
		k := c.places.Find(c.list, v.Channel, v.Key)
		if k < 0 {
			k = len(c.list)
			c.list = append(c.list, ChannelValue{Channel: v.Channel, Key: v.Key})
			c.places.Added(c.list)
		}
		if list {
			c.list[k].Append = append(c.list[k].Append, v.Append...)
		} else {
			c.list[k].Value = v.Value
		}
	}
}

// Any says that something is to be stored.
func (c *Changes) Any() bool { return len(c.list) > 0 }

// Take hands out what was collected, as a list of its owner's; Changes are empty then.
func (c *Changes) Take() []ChannelValue {
	if !c.Any() {
		return nil
	}
	out := slices.Clone(c.list)
	clear(c.list)
	*c = Changes{list: c.list[:0]}
	return out
}

// Places finds values in a list that grows: by looking while they are few, with a map
// from then on. The zero value is for an empty list, or one of few.
type Places struct{ at map[place]int }

type place struct{ channel, key string }

// manyPlaces is from how many values on a map finds one faster than looking does.
const manyPlaces = 16

// Find is the place of a channel's or key's value, -1 where it has none.
func (p *Places) Find(list []ChannelValue, channel, key string) int {
	if p.at == nil {
		return slices.IndexFunc(list, func(v ChannelValue) bool { return v.Channel == channel && v.Key == key })
	}
	if i, ok := p.at[place{channel, key}]; ok {
		return i
	}
	return -1
}

// Added takes note of the list's last value.
func (p *Places) Added(list []ChannelValue) {
	from := len(list) - 1
	if p.at == nil {
		if len(list) <= manyPlaces {
			return
		}
		p.at, from = make(map[place]int, 2*len(list)), 0
	}
	for i, v := range list[from:] {
		p.at[place{v.Channel, v.Key}] = from + i
	}
}

// DecodePatch is the opposite of Encoder.Patch.
func (g *Graph) DecodePatch(values []ChannelValue) (Patch, error) {
	out := make(Patch, 0, len(values))
	for _, cv := range values {
		d := g.byName[cv.Channel]
		if d == nil {
			return nil, fmt.Errorf("graph: stored write to unknown channel %q", cv.Channel)
		}
		if d.keyed {
			out = append(out, Write{channel: d, key: cv.Key, value: cv.Value})
			continue
		}
		v, err := d.decode(cv.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, Write{channel: d, value: v})
	}
	return out, nil
}

// ReadPatch is the opposite of RenderPatch.
func (g *Graph) ReadPatch(channels map[string]json.RawMessage) (Patch, error) {
	var values []ChannelValue
	for _, name := range slices.Sorted(maps.Keys(channels)) {
		d := g.byName[name]
		if d == nil || !d.keyed {
			values = append(values, ChannelValue{Channel: name, Value: channels[name]})
			continue
		}
		var keys map[string]json.RawMessage
		if err := json.Unmarshal(channels[name], &keys); err != nil {
			return nil, fmt.Errorf("graph: write to channel %q: %w", name, err)
		}
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			values = append(values, ChannelValue{Channel: name, Key: key, Value: keys[key]})
		}
	}
	return g.DecodePatch(values)
}

// Whole is the patch that makes the state out of an empty one.
func (s Snapshot) Whole() (Patch, error) {
	channels, err := s.Values()
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(channels, func(_ string, v json.RawMessage) bool { return string(v) == "null" }) // never written
	return s.graph.ReadPatch(channels)
}

// RenderPatch gives an encoded patch as JSON by channel, as events tell it.
func RenderPatch(dst []byte, patch []ChannelValue) []byte {
	dst = append(dst, '{')
	if len(patch) == 1 && patch[0].Key == "" {
		dst = append(AppendText(dst, patch[0].Channel), ':')
		return append(append(dst, patch[0].Value...), '}')
	}
	said := make(map[string]bool, len(patch))
	for i, v := range patch {
		if said[v.Channel] {
			continue
		}
		said[v.Channel] = true
		if len(said) > 1 {
			dst = append(dst, ',')
		}
		dst = AppendText(dst, v.Channel)
		dst = append(dst, ':')
		if v.Key == "" {
			// The last write of a stage stands; earlier ones were never seen. To a list, all add.
			items, list := v.Append, v.Append != nil
			for _, later := range patch[i+1:] {
				if later.Channel == v.Channel {
					items = append(items[:len(items):len(items)], later.Append...)
					v = later
				}
			}
			if !list || len(items) == len(v.Append) {
				dst = append(dst, v.Value...)
				continue
			}
			dst = append(dst, '[')
			for i, item := range items {
				if i > 0 {
					dst = append(dst, ',')
				}
				dst = append(dst, item...)
			}
			dst = append(dst, ']')
			continue
		}
		dst = appendKeys(dst, patch[i:])
	}
	return append(dst, '}')
}

// appendKeys appends what a patch writes to the keyed channel of its first value, as an
// object in the order of the alphabet. The last write of a key stands.
func appendKeys(dst []byte, patch []ChannelValue) []byte {
	keys := make([]int, 0, len(patch))
	for i := range patch {
		if patch[i].Channel != patch[0].Channel {
			continue
		}
		at, found := slices.BinarySearchFunc(keys, patch[i].Key, func(k int, key string) int { return strings.Compare(patch[k].Key, key) })
		if found {
			keys[at] = i
		} else {
			keys = slices.Insert(keys, at, i)
		}
	}
	dst = append(dst, '{')
	for n, i := range keys {
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendText(dst, patch[i].Key), ':')
		if v := patch[i].Value; plainJSON(v) {
			dst = append(dst, v...)
		} else {
			dst = append(dst, raw(v)...)
		}
	}
	return append(dst, '}')
}

// plainJSON says that a value is a text that stands in JSON as it is.
func plainJSON(v json.RawMessage) bool {
	return len(v) > 1 && v[0] == '"' && v[len(v)-1] == '"' && plain(v[1:len(v)-1])
}

// AppendText appends a text as JSON.
func AppendText(dst []byte, s string) []byte {
	if plain(s) {
		return append(append(append(dst, '"'), s...), '"')
	}
	return append(dst, raw(s)...)
}

// Slot is the place of the written channel in the state, and whether there is one.
func (g *Graph) Slot(w Write) (int, bool) {
	i, ok := g.slots[w.channel]
	return i, ok
}

// Channel names the channel that the write changes.
func (w Write) Channel() string { return w.channel.name }

// Key names the key of a keyed channel that it changes; "" for any other channel.
func (w Write) Key() string { return w.key }

// Folds says that writes of several stages at once are folded into one value.
func (w Write) Folds() bool { return w.channel.extend != nil }

// Wrote says whether the write is one of this channel.
func (d *definition) Wrote(w Write) bool { return d != nil && w.channel == d }

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
	i := s.graph.slots[s.scope.of(d)]
	next := Snapshot{s.graph, slices.Clone(s.values), s.scope, s.keys}
	next.values[i] = value
	return next
}
