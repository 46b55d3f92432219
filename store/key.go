package store

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"holdpoint/engine/run"
)

// A key is a row of parts. A text part ends with 00 01, and a zero byte inside it
// becomes 00 FF; so no text can look like two, a shorter text sorts before its
// extensions, and byte order is the order of the parts. Numbers and times have a
// fixed width and need no end.

// A key that is made longer stays as it is: two keys may go on from one.

func textKey(k []byte, parts ...string) []byte {
	size := len(k)
	for _, p := range parts {
		size += len(p) + 2
	}
	k = append(make([]byte, 0, size), k...)
	for _, p := range parts {
		for i := 0; i < len(p); i++ {
			k = append(k, p[i])
			if p[i] == 0 {
				k = append(k, 0xFF)
			}
		}
		k = append(k, 0, 1)
	}
	return k
}

func key(parts ...string) []byte { return textKey(nil, parts...) }

func numKey(k []byte, n uint64) []byte {
	return binary.BigEndian.AppendUint64(append(make([]byte, 0, len(k)+8), k...), n)
}

// timeKey orders instants of every year that a time.Time can hold.
func timeKey(k []byte, t time.Time) []byte {
	k = binary.BigEndian.AppendUint64(slices.Clip(k), uint64(t.Unix())^1<<63)
	return binary.BigEndian.AppendUint32(k, uint32(t.Nanosecond()))
}

const timeKeyLen = 12

// splitTime takes the time off a key that begins with one.
func splitTime(k []byte) (time.Time, error) {
	if len(k) < timeKeyLen {
		return time.Time{}, fmt.Errorf("store: key %q: %w", k, ErrDamaged)
	}
	return time.Unix(int64(binary.BigEndian.Uint64(k)^1<<63), int64(binary.BigEndian.Uint32(k[8:]))).UTC(), nil
}

// splitText takes the first text part off a key.
func splitText(k []byte) (part string, rest []byte, err error) {
	var out []byte
	for i := 0; i < len(k); i++ {
		if k[i] != 0 {
			out = append(out, k[i])
			continue
		}
		if i+1 == len(k) {
			break
		}
		switch k[i+1] {
		case 0xFF:
			out = append(out, 0)
			i++
		case 1:
			return string(out), k[i+2:], nil
		default:
			return "", nil, fmt.Errorf("store: key %x: %w", k, ErrDamaged)
		}
	}
	return "", nil, fmt.Errorf("store: key %x: %w", k, ErrDamaged)
}

// splitTexts takes a key of exactly n text parts apart.
func splitTexts(k []byte, n int) ([]string, error) {
	parts := make([]string, n)
	var err error
	rest := k
	for i := range parts {
		if parts[i], rest, err = splitText(rest); err != nil {
			return nil, err
		}
	}
	if len(rest) != 0 {
		return nil, fmt.Errorf("store: key %x: %w", k, ErrDamaged)
	}
	return parts, nil
}

// splitNum takes a number off the end of a key.
func splitNum(k []byte) (uint64, error) {
	if len(k) != 8 {
		return 0, fmt.Errorf("store: key %x: %w", k, ErrDamaged)
	}
	return binary.BigEndian.Uint64(k), nil
}

// pastPrefix is the first key after all keys that begin with p; nil for none.
func pastPrefix(p []byte) []byte {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i] != 0xFF {
			end := append([]byte(nil), p[:i+1]...)
			end[i]++
			return end
		}
	}
	return nil
}

func checkID(what, id string) error { return run.CheckID(what, id) }
