package record

import (
	"encoding/json"
	"strings"
)

// node is a place in a parsed resource. Reading is lenient: what is absent or of
// another kind than asked for is empty, never an error. Names are compared
// exactly, unlike encoding/json does for structs.
type node struct{ v any }

func parseNode(raw []byte) node {
	var v any
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		return node{}
	}
	return node{v}
}

// at descends by element names; a list on the way stands for its first item.
func (n node) at(names ...string) node {
	for _, name := range names {
		if l, ok := n.v.([]any); ok {
			if len(l) == 0 {
				return node{}
			}
			n.v = l[0]
		}
		m, ok := n.v.(map[string]any)
		if !ok {
			return node{}
		}
		n.v = m[name]
	}
	return n
}

// each returns the items of a list, or the node itself as the only one.
func (n node) each() []node {
	switch v := n.v.(type) {
	case nil:
		return nil
	case []any:
		out := make([]node, len(v))
		for i := range v {
			out[i] = node{v[i]}
		}
		return out
	}
	return []node{n}
}

// text returns a string trimmed of the blanks and line breaks of ASCII; "" for anything else.
// Others stay: whoever shows the text makes them visible.
func (n node) text() string {
	s, ok := n.v.(string)
	if !ok {
		return ""
	}
	return strings.Trim(s, " \t\r\n")
}

// exact returns a string as it stands; "" for anything else.
func (n node) exact() string {
	s, _ := n.v.(string) // the zero value stands for another kind
	return s
}

// number returns a number as such, and whether it was one.
func (n node) number() (float64, bool) {
	f, ok := n.v.(float64)
	return f, ok
}

// yes and no say that a boolean is there and true, or there and false.
func (n node) yes() bool { return n.v == true }
func (n node) no() bool  { return n.v == false }

// concept1 reads the first CodeableConcept of a list that says something.
func (n node) concept1() string {
	for _, c := range n.each() {
		if s := c.concept(); s != "" {
			return s
		}
	}
	return ""
}

// concept reads a CodeableConcept for people: its text, else the first display,
// else the first code.
func (n node) concept() string {
	if s := n.at("text").text(); s != "" {
		return s
	}
	codings := n.at("coding").each()
	for _, name := range []string{"display", "code"} {
		for _, c := range codings {
			if s := c.at(name).text(); s != "" {
				return s
			}
		}
	}
	return ""
}

// code returns the first code of a CodeableConcept, or the code itself where the
// element is a plain one.
func (n node) code() string {
	if s := n.text(); s != "" {
		return s
	}
	for _, c := range n.at("coding").each() {
		if s := c.at("code").text(); s != "" {
			return s
		}
	}
	return n.at("code").text()
}
