package graph

import (
	"encoding/json"
	"maps"
)

// KeyedChannel is a channel of JSON values by key. A write changes one key, and
// only that key is stored; parallel branches may write different keys.
type KeyedChannel struct{ *definition }

// Keyed declares a keyed channel.
func Keyed(name string) KeyedChannel {
	d := define[map[string]json.RawMessage](name, "keyed")
	d.keyed = true
	return KeyedChannel{d}
}

// Cache is where outputs of Cacheable stages are kept, by stage and inputs.
var Cache = Keyed("stage_cache")

// Get reads all keys; nil where nothing was written. Treat it as read-only.
func (c KeyedChannel) Get(s Snapshot) map[string]json.RawMessage {
	m, _ := s.value(c.definition).(map[string]json.RawMessage)
	if s.keys != nil {
		return failureFound(m, s.keys.found)
	}
	return m
}

// Put writes one key; a nil value removes it.
func (c KeyedChannel) Put(key string, value json.RawMessage) Write {
	return Write{channel: c.definition, key: key, value: value}
}

// put returns the map with one key changed. The old one stays as it is, unless mine says
// that nobody else has it.
func put(old any, key string, value any, mine bool) any {
	next, _ := old.(map[string]json.RawMessage)
	if !mine || next == nil {
		m := next
		next = make(map[string]json.RawMessage, len(m)+2) // a stage writes two keys
		maps.Copy(next, m)
	}
	if v, _ := value.(json.RawMessage); v != nil && string(v) != "null" {
		next[key] = v
	} else {
		delete(next, key)
	}
	return next
}

// History is a list channel whose entries NoHistory hides.
type History struct {
	channel *definition
	length  func(list any) int
	fixed   func(list any, mark int) any
}

// HistoryOf makes a channel the history of a spec. fixed says which entries stay
// in sight, such as system messages.
func HistoryOf[T any](c ListChannel[T], fixed func(T) bool) History {
	return History{c.definition, func(list any) int { return len(list.([]T)) }, func(list any, mark int) any {
		var out []T
		for i, e := range list.([]T) {
			if i >= mark || fixed(e) {
				out = append(out, e)
			}
		}
		return out
	}}
}
