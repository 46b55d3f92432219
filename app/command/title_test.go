package command_test

import (
	"strings"
	"testing"
)

// "The title of the conversation was not what had been written: something hid in it, and
// nobody said so."
func TestSessions_ATitleShowsWhatHidesInTheMessage(t *testing.T) {
	x := newTerminal(t)
	x.want(0, "run", "--practice", "pay \u202e001 to\u200b me\x1b[2J")
	if got := x.want(0, "sessions", "list").err; !strings.Contains(got, "pay ⟨U+202E⟩001 to⟨U+200B⟩ me⟨U+001B⟩[2J") {
		t.Errorf("people read %q", got)
	}
	if got := lines(t, x.want(0, "sessions", "list", "--json").out)[0].text("title"); got != "pay \u202e001 to\u200b me\x1b[2J" {
		t.Errorf("scripts read %q", got)
	}
}
