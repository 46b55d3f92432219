package expression

import "encoding/json"

// maxAnswer bounds the answer of a model that is searched for JSON, in bytes.
const maxAnswer = 256 << 10

// Object finds the first whole JSON object in a text by balancing braces outside
// of strings: models put prose and fences around what they were asked for.
func Object(text string) (json.RawMessage, bool) {
	text = text[:min(len(text), maxAnswer)]
	// Each try is linear; a hostile text full of braces gets a bounded number of them.
	tries := 0
	for i := 0; i < len(text) && tries < 64; i++ {
		if text[i] != '{' {
			continue
		}
		tries++
		end := balanced(text[i:])
		if end < 0 {
			continue
		}
		if raw := json.RawMessage(text[i : i+end]); json.Valid(raw) {
			return raw, true
		}
	}
	return nil, false
}

// balanced is the length of the object that a text begins with; -1 if its braces
// never close.
func balanced(text string) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}
