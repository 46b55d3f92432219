package turn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"holdpoint/engine/model"
)

// Cut makes a tool's result fit a room, in characters. Of JSON whole items of lists go, the
// last of the last list first, since tools put first what is needed most, and "not_shown"
// says how many of each; what comes out is JSON. Other text loses its end.
func Cut(text string, room int) string {
	if len(text) <= room {
		return text
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	root, err := parse(dec)
	if err != nil || root.open == 0 {
		return model.Shorten(text, room)
	}
	gone := gone{}
	// What is left is written out only once it may fit: size is at most its length.
	for size := len(root.text("")); ; {
		if size <= room {
			if out := root.text(gone.text()); len(out) <= room {
				return out
			}
		}
		dropped := root.drop("", gone)
		if dropped == nil {
			break
		}
		size -= len(dropped.text("")) + len(",")
	}
	// No list is left: long texts lose their ends.
	for most := room; most >= 20; most /= 2 {
		root.shorten(most)
		if out := root.text(gone.text()); len(out) <= room {
			return out
		}
	}
	return `{"note":"the result is too long for this model"}`
}

// value is a JSON value whose names keep their order.
type value struct {
	open   json.Delim // '{', '[' or 0
	names  []string
	values []*value
	raw    string // of one without parts
}

func parse(dec *json.Decoder) (*value, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	open, ok := token.(json.Delim)
	if !ok {
		return &value{raw: encoded(token)}, nil
	}
	v := &value{open: open}
	for dec.More() {
		if open == '{' {
			name, err := dec.Token()
			if err != nil {
				return nil, err
			}
			v.names = append(v.names, fmt.Sprint(name))
		}
		inner, err := parse(dec)
		if err != nil {
			return nil, err
		}
		v.values = append(v.values, inner)
	}
	_, err = dec.Token()
	return v, err
}

func encoded(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil { // it came out of JSON: this cannot be reached
		return "null"
	}
	return strings.TrimSpace(b.String())
}

// text writes the value; more is a member that an object gets at its end.
func (v *value) text(more string) string {
	if v.open == 0 {
		return v.raw
	}
	parts := make([]string, 0, len(v.values)+1)
	for i, inner := range v.values {
		part := inner.text("")
		if v.open == '{' {
			part = encoded(v.names[i]) + ":" + part
		}
		parts = append(parts, part)
	}
	if v.open == '[' {
		return "[" + strings.Join(parts, ",") + "]"
	}
	if more != "" {
		parts = append(parts, more)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// drop takes the last item of the last list that has any; nil when there is none.
func (v *value) drop(name string, gone gone) *value {
	for i := len(v.values) - 1; i >= 0; i-- {
		inner := name
		if v.open == '{' {
			inner = v.names[i]
		}
		if v.open == '[' && i > 0 {
			break // the items of a list go as wholes, until one is left
		}
		if dropped := v.values[i].drop(inner, gone); dropped != nil {
			return dropped
		}
	}
	if v.open != '[' || len(v.values) == 0 {
		return nil
	}
	last := len(v.values) - 1
	dropped := v.values[last]
	v.values = v.values[:last]
	gone[name]++
	return dropped
}

func (v *value) shorten(most int) {
	for _, inner := range v.values {
		inner.shorten(most)
	}
	var s string
	if v.open == 0 && len(v.raw) > most && json.Unmarshal([]byte(v.raw), &s) == nil {
		v.raw = encoded(model.Shorten(s, most))
	}
}

// gone counts the items that were dropped, by the list's name.
type gone map[string]int

func (g gone) text() string {
	if len(g) == 0 {
		return ""
	}
	return `"not_shown":` + encoded(map[string]int(g))
}
