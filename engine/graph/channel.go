package graph

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// AnyChannel is a channel without its type, for lists of channels in a Spec.
type AnyChannel interface{ declared() *definition }

// definition is what is known of a channel. Channels are compared by the pointer,
// so two specs never share state by a name alone.
type definition struct {
	name    string
	typ     string
	kind    string // that of the Go type: "bool", "slice" …
	former  string // the type by which the first fingerprints knew it
	reducer string // "" for last value
	zero    any
	keyed   bool
	scoped  bool // stands for another one inside a scope, which says all of it
	// extend adds lists to a list in one go; nil for channels that are no lists. With
	// inPlace it may write behind the old list's end, where no snapshot looks.
	extend func(old any, lists []any, inPlace bool) any
	// encode appends a value's JSON; of a list it also returns its items.
	encode func(dst []byte, v any, items []json.RawMessage) ([]byte, []json.RawMessage, error)
	decode func(json.RawMessage) (any, error)
}

func (d *definition) declared() *definition { return d }

// Channel is a typed slot of state. Declare each once, as a package variable.
type Channel[T any] struct{ *definition }

// Value declares a channel that keeps the last value. Two writes to it in one
// super-step are an error that names both stages.
func Value[T any](name string) Channel[T] { return Channel[T]{define[T](name, "")} }

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
	d := define[[]T](name, "append")
	d.extend = func(old any, lists []any, inPlace bool) any {
		out, n := old.([]T), 0
		for _, l := range lists {
			n += len(l.([]T))
		}
		if !inPlace {
			out = out[:len(out):len(out)]
		}
		out = slices.Grow(out, n)
		for _, l := range lists {
			out = append(out, l.([]T)...)
		}
		return out
	}
	d.encode = func(dst []byte, v any, items []json.RawMessage) ([]byte, []json.RawMessage, error) {
		list := v.([]T)
		if list == nil {
			return append(dst, "null"...), items, nil
		}
		texts, _ := v.([]string) // which need no value on the heap each
		dst = append(dst, '[')
		for i := range list {
			if i > 0 {
				dst = append(dst, ',')
			}
			at := len(dst)
			var err error
			if texts != nil {
				dst = AppendText(dst, texts[i])
			} else if dst, err = appendJSON(dst, list[i]); err != nil {
				return dst, items, unsaved(name, err)
			}
			items = append(items, dst[at:len(dst):len(dst)])
		}
		return append(dst, ']'), items, nil
	}
	return ListChannel[T]{d}
}

// Get reads the list; nil where nothing was added. Treat it as read-only.
func (c ListChannel[T]) Get(s Snapshot) []T {
	list := s.value(c.definition).([]T)
	from := 0
	if s.scope != nil {
		from = min(s.scope.passed(s, c.definition), len(list))
	}
	return list[from:len(list):len(list)] // who appends to it gets a list of its own
}

// Formerly is Channel.Formerly.
func (c ListChannel[T]) Formerly(typ string) ListChannel[T] { c.former = typ; return c }

// Add makes a write that appends.
func (c ListChannel[T]) Add(v ...T) Write { return Write{channel: c.definition, value: v} }

// Added is what a write to the channel appends.
func (c ListChannel[T]) Added(w Write) []T {
	v, _ := w.value.([]T)
	return v
}

func define[T any](name, reducer string) *definition {
	var zero T
	return &definition{
		name: name, typ: reflect.TypeFor[T]().String(), kind: reflect.TypeFor[T]().Kind().String(), reducer: reducer, zero: zero,
		encode: func(dst []byte, v any, items []json.RawMessage) ([]byte, []json.RawMessage, error) {
			dst, err := appendJSON(dst, v)
			if err != nil {
				err = unsaved(name, err)
			}
			return dst, items, err
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

func unsaved(name string, err error) error {
	return fmt.Errorf("graph: channel %q cannot be saved: %w", name, err)
}

// appendJSON is json.Marshal without a copy for the values that states are mostly
// made of.
func appendJSON(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case int:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case string:
		if plain(v) {
			return append(append(append(dst, '"'), v...), '"'), nil
		}
	}
	raw, err := json.Marshal(v)
	return append(dst, raw...), err
}

// plain says that a text, or the bytes of one, stands in JSON as it is.
func plain[T ~string | ~[]byte](s T) bool {
	for i := 0; i < len(s); i++ {
		if !plainByte[s[i]] {
			return false
		}
	}
	return true
}

// plainByte are the bytes that stand in JSON as they are, whoever reads it.
var plainByte = func() (is [256]bool) {
	for c := ' '; c < 0x80; c++ {
		is[c] = !strings.ContainsRune(`"\<>&`, c)
	}
	return is
}()

// Write is one change of one channel.
type Write struct {
	channel *definition
	key     string // of a keyed channel
	value   any
	around  int // scopes further out
}

// Patch is what a stage changes; applied at the barrier of its super-step.
type Patch []Write

// Snapshot is a consistent, immutable view of a run's state. The goroutine that
// drives the run owns the state; stages only ever hold snapshots.
type Snapshot struct {
	graph  *Graph
	values []any
	scope  *scope       // whose context is seen
	keys   *failureKeys // of what runs in a branch, else nil
}

func (s Snapshot) value(d *definition) any {
	if s.graph != nil {
		if i, ok := s.graph.slots[s.scope.of(d)]; ok {
			return s.values[i]
		}
	}
	return d.zero
}
