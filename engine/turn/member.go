package turn

import "holdpoint/engine/model"

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
	value *model.StringDecoder // of the member, from its opening quote on

	depth   int
	inside  bool   // of another string
	escaped bool   // the next character there is part of an escape
	text    []byte // of that string so far, as it was written
	key     string // of the value that follows
	isValue bool   // a colon came
}

func (m *member) take(piece string) {
	for i := 0; i < len(piece) && m.value == nil; i++ {
		b := piece[i]
		switch {
		case m.inside && (b != '"' || m.escaped):
			m.escaped = b == '\\' && !m.escaped
			m.text = append(m.text, b)
		case m.inside:
			m.inside = false
			if m.depth == 1 && !m.isValue {
				m.key = string(m.text)
			}
		case b == '"' && m.depth == 1 && m.isValue && m.key == m.name:
			m.value, piece = &model.StringDecoder{}, piece[i+1:]
		case b == '"':
			m.inside, m.text = true, m.text[:0]
		case b == '{' || b == '[':
			m.depth++
		case b == '}' || b == ']':
			m.depth--
		case b == ':':
			m.isValue = true
		case b == ',':
			m.isValue = false
		}
	}
	if m.value != nil {
		if text := m.value.Add(piece); text != "" {
			m.write(text)
		}
	}
}
