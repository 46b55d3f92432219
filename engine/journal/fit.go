package journal

import (
	"encoding/json"
	"unicode/utf8"
)

// An event stays under 4 KB: what is larger moves into blobs.
const (
	eventRoom  = 3000 // bytes of text and data that an event may carry, as JSON
	MemberRoom = 400  // bytes of one member of data when the event is too large
	TextRoom   = 1500
)

// Blobs keeps bodies that are too large for an event.
type Blobs interface {
	// PutBlob stores body under "sha256:" + hex and returns that name.
	PutBlob(body []byte) (string, error)
}

// Oversized says whether one of the events, which are rendered, carries more than fits.
func Oversized(events []Event) bool {
	for i := range events {
		if e := &events[i]; 6*(len(e.Text)+len(e.Data)+len(e.Reason)+len(e.Error)+len(e.Tool)) > eventRoom && weight(e) > eventRoom {
			return true
		}
	}
	return false
}

func weight(e *Event) int {
	return quoted(e.Text) + len(e.Data) + quoted(e.Reason) + quoted(e.Error) + quoted(e.Tool)
}

// quoted is about how many bytes s takes in JSON; hostile text is mostly escapes.
func quoted(s string) int {
	n := len(s)
	for _, r := range s {
		switch {
		case r == '"' || r == '\\' || r == '\n' || r == '\r' || r == '\t':
			n++
		case r < ' ' || r == utf8.RuneError || r == '\u2028' || r == '\u2029':
			n += 5
		}
	}
	return n
}

// Fit renders the events and moves what is too large in them into blobs.
func Fit(tx Blobs, events []Event) error {
	for i := range events {
		e := &events[i]
		e.Render()
		if !Oversized(events[i : i+1]) {
			continue
		}
		e.Reason, e.Error, e.Tool = cutQuoted(e.Reason, TextRoom/4), cutQuoted(e.Error, TextRoom/2), cutQuoted(e.Tool, MemberRoom)
		data, err := shrinkObject(tx, e.Data)
		if err != nil {
			return err
		}
		if quoted(e.Text) > TextRoom {
			ref, err := moveOut(tx, []byte(e.Text))
			if err != nil {
				return err
			}
			data["text"] = ref
			e.Text = cutQuoted(e.Text, TextRoom)
		}
		if len(data) > 0 {
			e.Data = raw(data)
		}
		if Oversized(events[i : i+1]) {
			if e.Data, err = moveOut(tx, e.Data); err != nil {
				return err
			}
		}
	}
	return nil
}

func shrinkObject(tx Blobs, data json.RawMessage) (map[string]json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	if len(data) == 0 {
		return members, nil
	}
	if err := json.Unmarshal(data, &members); err != nil || members == nil {
		ref, err := moveOut(tx, data)
		return map[string]json.RawMessage{"value": ref}, err
	}
	for k, v := range members {
		if len(v) <= MemberRoom {
			continue
		}
		var err error
		if k == "patch" {
			var patch map[string]json.RawMessage
			if patch, err = shrinkObject(tx, v); err == nil {
				members[k] = raw(patch)
			}
		} else {
			members[k], err = moveOut(tx, v)
		}
		if err != nil {
			return nil, err
		}
	}
	return members, nil
}

func moveOut(tx Blobs, body []byte) (json.RawMessage, error) {
	name, err := tx.PutBlob(body)
	if err != nil {
		return nil, err
	}
	return raw(Blob{name, len(body)}), nil
}

// Cut shortens s to at most n bytes without splitting a character.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// cutQuoted shortens s until it takes about n bytes in JSON.
func cutQuoted(s string, n int) string {
	if quoted(s) <= n {
		return s
	}
	room := n
	for i, r := range s {
		if room -= quoted(string(r)); room < 0 {
			return s[:i] + "…"
		}
	}
	return s
}
