package graph

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// AnyChannel is a channel without its type, for lists of channels in a Spec.
type AnyChannel interface{ declared() *definition }

// definition is what the executor knows of a channel. Channels are compared by
// the pointer, so two specs never share state by a name alone.
type definition struct {
	name    string
	typ     string
	former  string // the type by which the first fingerprints knew it
	reducer string // "" for last value
	zero    any
	keyed   bool
	reduce  func(old, new any) any // nil for last value
	encode  func(any) (json.RawMessage, error)
	decode  func(json.RawMessage) (any, error)
}

func (d *definition) declared() *definition { return d }

// Channel is a typed slot of state. Declare each once, as a package variable.
type Channel[T any] struct{ *definition }

// Value declares a channel that keeps the last value. Two writes to it in one
// super-step are an error that names both stages.
func Value[T any](name string) Channel[T] { return Channel[T]{define[T](name, "", nil)} }

// Get reads the channel; the zero value of T where nothing was written.
// The value is shared with other readers: treat it as read-only.
func (c Channel[T]) Get(s Snapshot) T {
	v, _ := s.value(c.definition).(T) // an interface that holds nothing is nil, which is no T
	return v
}

// Formerly names the Go type that the channel had when fingerprints knew types, for
// one whose type has moved since: runs of then go on.
func (c Channel[T]) Formerly(typ string) Channel[T] { c.former = typ; return c }

// Set makes a write for a Patch.
func (c Channel[T]) Set(v T) Write { return Write{channel: c.definition, value: v} }

// ListChannel is a channel of a list that writes are appended to.
type ListChannel[T any] struct{ *definition }

// Append declares a list channel. Parallel branches add in spec order.
func Append[T any](name string) ListChannel[T] {
	return ListChannel[T]{define[[]T](name, "append", func(old, new any) any {
		// A fresh array each time: snapshots handed out earlier keep theirs.
		return slices.Concat(old.([]T), new.([]T))
	})}
}

// Get reads the list; nil where nothing was added. Treat it as read-only.
func (c ListChannel[T]) Get(s Snapshot) []T { return s.value(c.definition).([]T) }

// Formerly is Channel.Formerly.
func (c ListChannel[T]) Formerly(typ string) ListChannel[T] { c.former = typ; return c }

// Add makes a write that appends.
func (c ListChannel[T]) Add(v ...T) Write { return Write{channel: c.definition, value: v} }

func define[T any](name, reducer string, reduce func(old, new any) any) *definition {
	var zero T
	return &definition{
		name: name, typ: reflect.TypeFor[T]().String(), reducer: reducer, zero: zero, reduce: reduce,
		encode: func(v any) (json.RawMessage, error) {
			raw, err := json.Marshal(v)
			if err != nil {
				return nil, fmt.Errorf("graph: channel %q cannot be saved: %w", name, err)
			}
			return raw, nil
		},
		decode: func(raw json.RawMessage) (any, error) {
			var v T
			if err := json.Unmarshal(raw, &v); err != nil {
				return nil, fmt.Errorf("graph: channel %q cannot be read back: %w", name, err)
			}
			return v, nil
		},
	}
}

// Write is one change of one channel.
type Write struct {
	channel *definition
	key     string // of a keyed channel
	value   any
}

// Patch is what a stage changes; applied at the barrier of its super-step.
type Patch []Write

// Snapshot is a consistent, immutable view of a run's state. The goroutine that
// drives the run owns the state; stages only ever hold snapshots.
type Snapshot struct {
	graph  *Graph
	values []any
}

func (s Snapshot) value(d *definition) any {
	if s.graph != nil {
		if i, ok := s.graph.slots[d]; ok {
			return s.values[i]
		}
	}
	return d.zero
}

// Values renders every channel as JSON, by name.
func (s Snapshot) Values() (map[string]json.RawMessage, error) {
	out := make(map[string]json.RawMessage, len(s.values))
	for i, v := range s.values {
		d := s.graph.channels[i]
		raw, err := d.encode(v)
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

// With returns a copy in which the writes were applied, and appends the slots
// they touched to touched.
func (s Snapshot) With(p Patch, touched []int) (Snapshot, []int, error) {
	if len(p) == 0 {
		return s, touched, nil
	}
	next := Snapshot{s.graph, slices.Clone(s.values)}
	for _, w := range p {
		i, ok := s.graph.slots[w.channel]
		if !ok {
			return s, touched, s.graph.Declares(w)
		}
		switch {
		case w.channel.keyed:
			next.values[i] = put(next.values[i], w.key, w.value)
		case w.channel.reduce != nil:
			next.values[i] = w.channel.reduce(next.values[i], w.value)
		default:
			next.values[i] = w.value
		}
		if !slices.Contains(touched, i) {
			touched = append(touched, i)
		}
	}
	return next, touched, nil
}

// EncodePatch refuses writes to channels that the spec does not declare: once
// stored they could not be read back.
func (g *Graph) EncodePatch(p Patch) ([]ChannelValue, error) {
	var out []ChannelValue
	for _, w := range p {
		if err := g.Declares(w); err != nil {
			return nil, err
		}
		switch {
		case w.channel.keyed && w.key == "":
			return nil, fmt.Errorf("%w: a write to channel %q needs a key", ErrUnknownName, w.channel.name)
		case w.channel.keyed:
			v, _ := w.value.(json.RawMessage)
			if v != nil && !json.Valid(v) {
				return nil, fmt.Errorf("graph: key %q of channel %q is not JSON", w.key, w.channel.name)
			}
			out = append(out, ChannelValue{Channel: w.channel.name, Key: w.key, Value: v})
		default:
			raw, err := w.channel.encode(w.value)
			if err != nil {
				return nil, err
			}
			out = append(out, ChannelValue{Channel: w.channel.name, Value: raw})
		}
	}
	return out, nil
}

// DecodePatch is the opposite of EncodePatch.
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
