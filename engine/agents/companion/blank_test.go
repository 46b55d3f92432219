package companion_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// lacking is a blank that a line may end at where French writes none, before and behind its marks.
var lacking = regexp.MustCompile(` [;:?!»]|«[ \n]|[^\s\x{a0}(«]»|\pL[;?!](?:\s|$)`)

// "On my telephone lines began with “?” and with “»”."
func TestCompanion_C22_FrenchMarksDoNotLeaveTheirWords(t *testing.T) {
	files, err := filepath.Glob("*/*/fr.yaml")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	seen := 0
	for _, file := range append(files, "context_questions/FR.yaml") {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var all yaml.Node
		if err := yaml.Unmarshal(body, &all); err != nil {
			t.Fatal(err)
		}
		var look func(name string, n *yaml.Node)
		look = func(name string, n *yaml.Node) {
			for i, one := range n.Content {
				if n.Kind == yaml.MappingNode && i%2 == 1 {
					name = n.Content[i-1].Value
				}
				look(name, one)
			}
			// What only models and code read has no lines to end.
			if n.Kind != yaml.ScalarNode || strings.HasSuffix(name, "_prompt") || strings.HasPrefix(name, "words_") || name == "url" {
				return
			}
			seen++
			if at := lacking.FindStringIndex(n.Value); at != nil {
				t.Errorf("%s:%d: %s: …%s…", file, n.Line, name, n.Value[max(0, at[0]-20):min(len(n.Value), at[1]+20)])
			}
		}
		look("", &all)
	}
	if seen < 200 {
		t.Errorf("%d texts were looked at", seen)
	}
}

// "Under its advice stood “Harcèlement : le dire et garder des preuves: Si …”, with two kinds of colons."
func TestCompanion_C22_ATitleWithAColonIsQuotedWithAFrenchOne(t *testing.T) {
	w := newWorld(t, "teen", "fr")
	x := w.say("s", "J'ai 15 ans et je vis en France. Depuis quelques semaines on me harcèle à l'école. J'ai essayé d'ignorer. J'aimerais que le harcèlement cesse.")
	if !strings.Contains(x.reply, "Harcèlement : le dire et garder des preuves : ") {
		t.Errorf("%q", x.reply)
	}
}
