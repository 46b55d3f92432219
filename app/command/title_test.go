package command_test

import (
	"os"
	"path/filepath"
	"slices"
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

// "My screens were French, and the list said “Lou, a teenager (Companion)”."
func TestSessions_WhatTheProgramCalledASessionIsInTheReadersLanguage(t *testing.T) {
	x := newTerminal(t)
	x.want(0, "run", "--practice", "--agent", "companion", "--session", "named", "--var", "audience=teen", "--var", "language=en", "--var", "person=Lou", "Hello")
	x.want(0, "run", "--practice", "--agent", "companion", "--session", "nobody", "--var", "audience=parent", "--var", "language=en", "Hello")
	x.want(0, "run", "--practice", "--session", "own", "A teenager (Companion)")
	titles := func() (all []string) {
		for _, s := range lines(t, x.want(0, "sessions", "list", "--json").out) {
			all = append(all, s.text("title"))
		}
		slices.Sort(all)
		return all
	}
	for _, c := range []struct {
		language string
		want     []string
	}{
		{"fr", []string{"A teenager (Companion)", "Lou, ado (Compagnon)", "Un parent (Compagnon)"}},
		{"en", []string{"A parent (Companion)", "A teenager (Companion)", "Lou, a teenager (Companion)"}},
	} {
		x.want(0, "settings", "set", "language", c.language)
		if got := titles(); !slices.Equal(got, c.want) {
			t.Errorf("in %s they are called %q", c.language, got)
		}
	}
	// One that was begun in French is in English, too; a transcript is in its own language.
	x.want(0, "settings", "set", "language", "fr")
	x.want(0, "run", "--practice", "--agent", "companion", "--session", "later", "--var", "audience=parent", "--var", "language=fr", "--var", "person=Mia", "Bonjour")
	if got := titles(); !slices.Contains(got, "Mia, parent (Compagnon)") {
		t.Errorf("in fr they are called %q", got)
	}
	file := filepath.Join(t.TempDir(), "x.md")
	x.want(0, "export", "later", "--format", "md", "--language", "en", "-o", file)
	if got, err := os.ReadFile(file); err != nil || !strings.Contains(string(got), "# Mia, a parent (Companion)") {
		t.Errorf("the transcript in English begins with %.120q (%v)", got, err)
	}
	x.want(0, "settings", "set", "language", "en")
	if got := titles(); !slices.Contains(got, "Mia, a parent (Companion)") {
		t.Errorf("in en they are called %q", got)
	}
}
