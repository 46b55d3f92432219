package companion

import (
	"fmt"
	"io/fs"
	"strings"

	"go.yaml.in/yaml/v3"

	"holdpoint/engine/session"
)

// allowed is a row of consent.yaml.
type allowed struct {
	Card             *bool  `yaml:"card"`
	Questions        string `yaml:"questions"`
	Advise           *bool  `yaml:"advise"`
	Research         *bool  `yaml:"research"`
	DynamicQuestions *bool  `yaml:"dynamic_questions"`
	Recall           *bool  `yaml:"recall"`
	Remember         *bool  `yaml:"remember"`
}

func readConsent(files fs.FS) (map[string]allowed, error) {
	body, err := fs.ReadFile(files, "consent.yaml")
	if err != nil {
		return nil, err
	}
	d := yaml.NewDecoder(strings.NewReader(string(body)))
	d.KnownFields(true)
	var table map[string]allowed
	if err := d.Decode(&table); err != nil {
		return nil, fmt.Errorf("companion: consent.yaml: %w", err)
	}
	for _, scope := range session.Scopes() {
		a, ok := table[scope]
		if !ok || a.Card == nil || a.Advise == nil || a.Research == nil || a.DynamicQuestions == nil || a.Recall == nil || a.Remember == nil || a.Questions != "all" && a.Questions != "onboarding" {
			return nil, fmt.Errorf("companion: consent.yaml: the scope %s is not whole", scope)
		}
	}
	if len(table) != len(session.Scopes()) {
		return nil, fmt.Errorf("companion: consent.yaml has %d scopes; they are %s", len(table), strings.Join(session.Scopes(), ", "))
	}
	return table, nil
}

// oneOf says that a message is one of a list of phrases, or begins with one and a stop: what a
// person agrees to is read by code, and only where they say it plainly.
func oneOf(message, list string) bool {
	message = plainWords(message)
	for phrase := range strings.SplitSeq(list, ",") {
		if phrase = plainWords(phrase); phrase != "" && message == phrase {
			return true
		}
	}
	return false
}

// opens is oneOf for the first sentence of a message.
func opens(message, list string) bool {
	if oneOf(message, list) {
		return true
	}
	first := strings.IndexAny(message, ".!,;\n")
	return first > 0 && oneOf(message[:first], list)
}

// plainWords is a text in small letters, with straight apostrophes and single blanks.
func plainWords(s string) string {
	s = strings.ToLower(strings.NewReplacer("’", "'", "\u00a0", " ", "“", "", "”", "", "«", "", "»", "", `"`, "").Replace(s))
	return strings.Trim(strings.Join(strings.Fields(s), " "), " .!?,;:")
}
