package turn

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// MemberWriter passes on the text of one member of a JSON object while a model writes the
// object: what stands in the string is written as it comes, without its escapes. A name inside
// of another string or of an inner object is not taken for the member.
func MemberWriter(name string, write func(string)) func(string) {
	m := &member{name: name, write: write}
	return m.take
}

// member is where in an object a stream is.
type member struct {
	name  string
	write func(string)

	depth   int
	inside  bool   // of a string
	text    []byte // of the string so far, as it was written
	told    int    // how much of it was passed on
	key     string // of the value that follows
	isValue bool   // a colon came
	over    bool
}

func (m *member) take(piece string) {
	for i := 0; i < len(piece) && !m.over; i++ {
		b := piece[i]
		if m.inside {
			if b == '"' && !m.escaped() {
				m.end()
				continue
			}
			m.text = append(m.text, b)
			continue
		}
		switch b {
		case '"':
			m.inside, m.text, m.told = true, m.text[:0], 0
		case '{', '[':
			m.depth++
		case '}', ']':
			m.depth--
		case ':':
			m.isValue = true
		case ',':
			m.isValue = false
		}
	}
	if m.inside && m.wanted() {
		m.tell(false)
	}
}

// wanted says that the string is the member's value.
func (m *member) wanted() bool { return m.depth == 1 && m.isValue && m.key == m.name }

// escaped says that the next character is part of an escape.
func (m *member) escaped() bool {
	n := 0
	for i := len(m.text) - 1; i >= 0 && m.text[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

func (m *member) end() {
	m.inside = false
	switch {
	case m.wanted():
		m.tell(true)
		m.over = true
	case m.depth == 1 && !m.isValue:
		m.key = string(m.text)
	}
}

// tell passes on what is new of the text. Half an escape, and half a character, wait.
func (m *member) tell(whole bool) {
	raw := m.text[m.told:]
	if !whole {
		raw = raw[:finished(raw)]
	}
	if len(raw) == 0 {
		return
	}
	var said string
	if json.Unmarshal([]byte(`"`+string(raw)+`"`), &said) != nil {
		m.over = true // it is no JSON; the whole answer says what became of it
		return
	}
	m.told += len(raw)
	m.write(said)
}

// finished is how much of a JSON string's text holds no half escape and no half character.
func finished(raw []byte) int {
	end := len(raw)
	// The longest escape is a pair of surrogates of six characters each.
	if at := strings.LastIndexByte(string(raw), '\\'); at >= 0 {
		// An escaped backslash is written with two: the last one begins an escape only where
		// an odd number stands together.
		n := 1
		for at-n >= 0 && raw[at-n] == '\\' {
			n++
		}
		if n%2 == 1 {
			rest := raw[at:]
			switch {
			case len(rest) < 2, rest[1] == 'u' && len(rest) < 6:
				end = at
			case rest[1] == 'u' && len(rest) < 12 && surrogate(rest):
				end = at // the other half follows
			}
			if end == at && at >= 6 && raw[at-6] == '\\' && raw[at-5] == 'u' && surrogate(raw[at-6:]) {
				end = at - 6
			}
		}
	}
	for back := 1; back < utf8.UTFMax && back <= end; back++ {
		if b := raw[end-back]; utf8.RuneStart(b) {
			if b >= utf8.RuneSelf && !utf8.FullRune(raw[end-back:end]) {
				end -= back
			}
			break
		}
	}
	return end
}

// surrogate says that an escape is the first half of a character.
func surrogate(escape []byte) bool {
	return len(escape) >= 4 && (escape[2] == 'd' || escape[2] == 'D') && strings.IndexByte("89abAB", escape[3]) >= 0
}
