package definition

import (
	"embed"
	"errors"
	"fmt"
	"sync"
)

// ErrPattern says that no pattern has the name.
var ErrPattern = errors.New("definition: no such pattern")

var patternNames = []string{"react", "peoatr", "research", "autonomous", "deliberate", "debate", "pipeline", "verify"}

// patterns/before holds those that have changed since, as they were: runs that began on one
// go on on it.
//
//go:embed patterns/*.yaml patterns/before/*.yaml
var patternFiles embed.FS

// Pattern is a graph that comes with the language.
type Pattern struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description"`
	// Example is a message that shows the pattern, in practice mode too.
	Example string `json:"example"`
	// Doc is a paragraph from docs/patterns.md.
	Doc string `json:"doc"`
	// Text is the graph file, to start one's own from.
	Text       string     `json:"text"`
	Definition Definition `json:"-"`
}

var loaded = sync.OnceValue(func() []Pattern {
	out := make([]Pattern, len(patternNames))
	for i, name := range patternNames {
		text, err := patternFiles.ReadFile("patterns/" + name + ".yaml")
		if err != nil {
			panic("definition: " + err.Error()) // they are part of the program
		}
		def, err := Read(text)
		if err != nil {
			panic("definition: pattern " + name + ": " + err.Error())
		}
		out[i] = Pattern{ID: name, Title: def.Title, Description: def.Description, Example: def.Example, Doc: section(Doc("patterns"), name), Text: string(text), Definition: def}
	}
	return out
})

// EarlierPattern is the pattern as it was before it changed last; ok is false for one that
// never did.
func EarlierPattern(name string) (def Definition, ok bool, err error) {
	text, err := patternFiles.ReadFile("patterns/before/" + name + ".yaml")
	if err != nil {
		return Definition{}, false, nil // it never changed
	}
	def, err = Read(text)
	return def, err == nil, err
}

// Patterns lists all. The caller must not change the definitions.
func Patterns() []Pattern { return append([]Pattern(nil), loaded()...) }

// ByPattern finds a pattern. The error wraps ErrPattern.
func ByPattern(name string) (Pattern, error) {
	for _, p := range loaded() {
		if p.ID == name {
			return p, nil
		}
	}
	return Pattern{}, fmt.Errorf("%w: %q; use one of %v", ErrPattern, name, patternNames)
}
