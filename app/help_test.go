package app_test

import (
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
		if p.Language == "fr" {
			ours++
			if p.Title == english[i].Title || p.Markdown == english[i].Markdown {
				t.Errorf("%s is said to be French and is not", p.ID)
			}
		}
	}
	if authors := len(app.AuthorsHelp()) + 1; ours != len(french)-authors { // and the page about servers of tools
		t.Errorf("%d of %d pages are French", ours, len(french)-authors)
	}
}
