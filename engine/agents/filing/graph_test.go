package filing_test

import (
	"os"
	"testing"

	"holdpoint/engine/definition"
)

// The program reads its own graph without the checks that files of others get.
func TestFiling_ItsGraphIsADefinitionWithoutMistakes(t *testing.T) {
	text, err := os.ReadFile("graph.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := definition.Parse(text); err != nil {
		t.Error(err)
	}
}
