package memory_test

import (
	"testing"

	"holdpoint/engine/memory"
)

// "It remembers ‘with a psychiatri’."
func TestMemory_IsCutAtAWord(t *testing.T) {
	for text, want := range map[string]string{
		"a visit with a psychiatrist":     "a visit with a…",
		"a visit with a psy chiatrist":    "a visit with a psy…",
		"nospaceinallofthiswordatallhere": "nospaceinallofthis…",
	} {
		if got := memory.OneLine(text, 18); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
