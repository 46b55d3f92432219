package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// ErrUnknownKind says that an event is of a kind that this program does not know.
var ErrUnknownKind = errors.New("journal: unknown kind of event")

// Decode reads an event's payload: a value of its kind's …Data type. Journals may be older or newer than the program, so it takes what it can:
// members that are unknown are passed over, and those that are missing, that have another
// type or that moved into a blob stay empty. An error says that something could not be
// read; the payload then has the rest.
func Decode(e Event) (Payload, error) {
	zero, ok := payloads[e.Kind]
	if !ok {
		return nil, fmt.Errorf("%w: %q", ErrUnknownKind, e.Kind)
	}
	into := reflect.New(reflect.TypeOf(zero))
	err := decode(e, into.Interface())
	return into.Elem().Interface().(Payload), err
}

// Read is Decode for who knows the kind already: the payload is empty when the event is
// of another one.
func Read[T Payload](e Event) (T, error) {
	var p T
	if p.Kind() != e.Kind {
		return p, fmt.Errorf("journal: a %s is not a %s", e.Kind, p.Kind())
	}
	err := decode(e, &p)
	return p, err
}

func decode(e Event, into any) error {
	e.Render()
	if len(e.Data) == 0 {
		return nil
	}
	if err := json.Unmarshal(stay(e.Data, reflect.TypeOf(into).Elem()), into); err != nil {
		return fmt.Errorf("journal: data of a %s: %w", e.Kind, err)
	}
	return nil
}

// stay is data without the members that moved into blobs, but where any JSON may stand.
func stay(data json.RawMessage, into reflect.Type) json.RawMessage {
	if !strings.Contains(string(data), blobPrefix) {
		return data
	}
	if _, moved := AsBlob(data); moved {
		return json.RawMessage("{}")
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return data
	}
	left := len(members)
	for _, f := range reflect.VisibleFields(into) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Type == reflect.TypeFor[json.RawMessage]() || f.Type == reflect.TypeFor[*Blob]() {
			continue
		}
		if _, moved := AsBlob(members[name]); moved {
			delete(members, name)
		}
	}
	if len(members) == left {
		return data
	}
	return raw(members)
}

const blobPrefix = "sha256:"

// AsBlob says whether JSON is a reference that stands in the place of a body.
func AsBlob(data json.RawMessage) (Blob, bool) {
	var members map[string]json.RawMessage
	var b Blob
	ok := json.Unmarshal(data, &members) == nil && len(members) == 2 && members["blob"] != nil && members["size"] != nil &&
		json.Unmarshal(data, &b) == nil && strings.HasPrefix(b.Name, blobPrefix)
	return b, ok
}
