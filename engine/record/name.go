package record

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// FoldName is a name as the index of names has it: small letters and digits, one blank
// between words, without accents and other signs, so that "O'Neil #2-H" is "o neil 2 h".
func FoldName(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(name) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			b.WriteRune(unicode.ToLower(r))
		default:
			gap = true
		}
	}
	return b.String()
}

// Names are what a record is found by, folded, each once: its name, its aliases and the
// number that it is filed under, where these are texts. People's names, which have parts,
// are not among them.
func Names(r Record) []string {
	var v struct {
		Name   any `json:"name"`
		Alias  any `json:"alias"`
		Number any `json:"number"`
	}
	// Most clinical records have neither, and reading them twice would slow imports.
	if !bytes.Contains(r.Resource, []byte(`"name"`)) && !bytes.Contains(r.Resource, []byte(`"alias"`)) || json.Unmarshal(r.Resource, &v) != nil {
		return nil
	}
	var out []string
	add := func(v any) {
		s, ok := v.(string)
		if s = FoldName(s); ok && s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	add(v.Name)
	aliases, _ := v.Alias.([]any)
	for _, a := range aliases {
		add(a)
	}
	add(v.Number)
	return out
}
