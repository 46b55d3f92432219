package app_test

import (
	"strings"
	"testing"

	"holdpoint/app"
)

// "I chose French, and the help was English."
func TestHelp_IsFrenchButForAuthors(t *testing.T) {
	english, french := app.Help("en"), app.Help("fr")
	if len(english) != len(french) {
		t.Fatalf("%d pages in English, %d in French", len(english), len(french))
	}
	ours := 0
	for i, p := range french {
		if p.ID != english[i].ID || english[i].Language != "en" {
			t.Errorf("page %d is %s in %s, and %s in French", i, english[i].ID, english[i].Language, p.ID)
		}
		// "Nodes, Flags, Patterns, Limits, Examples": a title is French also where the text is not.
		if p.Title == english[i].Title || strings.HasPrefix(p.Markdown, "# "+english[i].Title) {
			t.Errorf("%s has the English title %q", p.ID, p.Title)
		}
		if p.Language == "fr" {
			ours++
			if p.Title == english[i].Title || p.Markdown == english[i].Markdown {
				t.Errorf("%s is said to be French and is not", p.ID)
			}
		}
	}
	if authors := len(app.AuthorsHelp()); ours != len(french)-authors {
		t.Errorf("%d of %d pages are French", ours, len(french)-authors)
	}
}
