package store

import (
	"bytes"
	"encoding/json"
	"fmt"

	"holdpoint/engine/graph"
)

// channelRow is the value of a channel, of one key of a keyed channel, or one item
// of a list. A list is the items of its value, if it has one, and behind them its
// item rows in order: what is appended costs the same however long the list is.
type channelRow struct {
	Of      graph.RunID
	Channel string
	Key     string
	Item    uint64 // from 1; 0 for a value
	Value   []byte
}

// The key of an item ends with its number, whose first two bytes are zero: no key
// of a keyed channel begins so, see textKey.
const maxItem = 1<<48 - 1

var channels = table[channelRow]{name: "channels", since: 1, ascending: true, interleave: interleave{"runs", 1, 9},
	key: func(r *channelRow) []byte {
		k := key(string(r.Of), r.Channel)
		switch {
		case r.Item != 0:
			return numKey(k, r.Item)
		case r.Key != "":
			return textKey(k, r.Key)
		}
		return k
	},
	encode: func(r *channelRow) ([]byte, error) { return r.Value, nil },
	decode: func(k, raw []byte) (r channelRow, err error) {
		run, rest, err := splitText(k)
		if err != nil {
			return r, err
		}
		r.Of, r.Value = graph.RunID(run), raw
		if r.Channel, rest, err = splitText(rest); err != nil || len(rest) == 0 {
			return r, err
		}
		if len(rest) == 8 && rest[0] == 0 && rest[1] == 0 {
			r.Item, err = splitNum(rest)
			return r, err
		}
		r.Key, err = id(rest)
		return r, err
	},
	owner: &owner[channelRow]{table: "runs", key: func(r *channelRow) []byte { return key(string(r.Of)) }}}

func init() {
	channels.verify = func(*checker) func(*channelRow) error {
		var last channelRow
		return func(r *channelRow) error {
			was := last
			last = *r
			if len(r.Value) > 0 && !json.Valid(r.Value) {
				return fmt.Errorf("its value is no JSON: %w", ErrDamaged)
			}
			if r.Item == 0 {
				return nil
			}
			if was.Of != r.Of || was.Channel != r.Channel || was.Key != "" {
				was.Item = 0
			}
			if r.Item != was.Item+1 {
				return fmt.Errorf("item %d follows %d", r.Item, was.Item)
			}
			return nil
		}
	}
	channels.declare()
}

func (t *tx) setChannels(run graph.RunID, set []graph.ChannelValue) error {
	for _, c := range set {
		if err := t.setChannel(run, c); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) setChannel(run graph.RunID, c graph.ChannelValue) error {
	k := key(string(run), c.Channel)
	if c.Key != "" {
		k = textKey(k, c.Key)
		if c.Value == nil || string(c.Value) == "null" {
			return t.del(channels.bucket, k)
		}
		return t.put(channels.bucket, k, c.Value)
	}
	if c.Value != nil || len(c.Append) == 0 {
		if err := t.scan(channels.bucket, numKey(k, 1), numKey(k, maxItem), func(k, _ []byte) (bool, error) {
			return true, t.del(channels.bucket, k)
		}); err != nil {
			return err
		}
		if err := t.put(channels.bucket, k, c.Value); err != nil {
			return err
		}
	}
	return t.appendItems(k, c.Append)
}

// appendItems puts items behind those of the channel with key k.
func (t *tx) appendItems(k []byte, items []json.RawMessage) error {
	if len(items) == 0 {
		return nil
	}
	last := uint64(0)
	if err := t.scanDown(channels.bucket, numKey(k, 1), numKey(k, maxItem), func(at, _ []byte) (bool, error) {
		var err error
		last, err = splitNum(at[len(k):])
		return false, err
	}); err != nil {
		return err
	}
	for i, item := range items {
		if err := t.put(channels.bucket, numKey(k, last+1+uint64(i)), item); err != nil {
			return err
		}
	}
	return nil
}

// channels reads the channels of a run by name, lists as one value.
func (t *tx) channels(run graph.RunID) (out []graph.ChannelValue, err error) {
	var list []byte // of the channel that out ends with, while it is open
	shut := func() {
		if list != nil {
			out[len(out)-1].Value = append(list, ']')
			list = nil
		}
	}
	err = t.scanPrefix(channels.bucket, key(string(run)), func(k, v []byte) (bool, error) {
		r, err := channels.read(k, v)
		if err != nil {
			return false, err
		}
		if r.Item == 0 {
			shut()
			out = append(out, graph.ChannelValue{Channel: r.Channel, Key: r.Key, Value: json.RawMessage(v)})
			return true, nil
		}
		if n := len(out); n == 0 || out[n-1].Channel != r.Channel || out[n-1].Key != "" {
			shut()
			out = append(out, graph.ChannelValue{Channel: r.Channel})
		}
		if list == nil {
			if list, err = opened(out[len(out)-1].Value); err != nil {
				return false, fmt.Errorf("store: channel %q of run %q: %w", r.Channel, run, err)
			}
		}
		if len(list) > 1 {
			list = append(list, ',')
		}
		list = append(list, v...)
		return true, nil
	})
	shut()
	return out, err
}

// opened is a JSON list without its end, ready for more items.
func opened(value []byte) ([]byte, error) {
	value = bytes.TrimSpace(value)
	if len(value) == 0 || string(value) == "null" {
		return []byte{'['}, nil
	}
	if value[0] != '[' || value[len(value)-1] != ']' {
		return nil, fmt.Errorf("items follow what is not a list: %w", ErrDamaged)
	}
	return bytes.TrimRight(bytes.Clone(value[:len(value)-1]), " \t\r\n"), nil
}

// Channel reads the last value of one channel of a run that is no list; nil for none.
func (db *DB) Channel(run graph.RunID, name string) (json.RawMessage, error) {
	var raw []byte
	err := db.view(func(t *tx) (err error) {
		raw, err = t.get(channels.bucket, key(string(run), name))
		return err
	})
	return raw, err
}
