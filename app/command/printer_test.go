package command

import (
	"bytes"
	"testing"

	"holdpoint/engine/journal"
)

// "My own kind of event was in the journal, and resume said nothing of it."
func TestPrinter_ShowsAKindThatNoListKnowsByItsName(t *testing.T) {
	var out, told bytes.Buffer
	pr := &printer{p: &program{tongue: "en", out: &out, err: &told}}
	pr.print(journal.Event{Seq: 1, Kind: "equipment_moved", Stage: "survey", Reason: "to the north"})
	pr.print(journal.Event{Seq: 2, Kind: journal.Span, Stage: "survey"})
	if told.String() != "  equipment moved  survey to the north\n" || out.Len() > 0 {
		t.Errorf("%q %q", told.String(), out.String())
	}
}
