package command

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"time"

	"holdpoint/app/tongue"
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

// "For a minute it stood there and told me nothing": that nothing came from the model server is told, and since when; not
// while a model writes, nor between calls.
func TestPrinter_SaysThatNothingCameFromTheModelServer(t *testing.T) {
	for language, want := range map[string]string{"en": "  waiting          for the model server since 10:00:00: nothing came for %d s\n", "fr": "  en attente       du serveur de modèles depuis 10:00:00 : rien n’est venu pendant %d s\n"} {
		var told bytes.Buffer
		pr := &printer{p: &program{tongue: tongue.Tongue(language), out: io.Discard, err: &told}}
		at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.Local)
		reading := func(d journal.ModelReadingData) journal.Event {
			return journal.Event{Kind: journal.ModelReading, At: at}.With(d)
		}
		step := func(seconds int, wants string) {
			t.Helper()
			told.Reset()
			if pr.tick(at.Add(time.Duration(seconds) * time.Second)); told.String() != wants {
				t.Errorf("%s, after %d s: %q, want %q", language, seconds, told.String(), wants)
			}
		}
		step(100, "")
		pr.show(reading(journal.ModelReadingData{Tokens: 900}))
		step(9, "")
		step(10, fmt.Sprintf(want, 10))
		step(39, "")
		step(41, fmt.Sprintf(want, 41))
		pr.show(reading(journal.ModelReadingData{Tokens: 900, Begun: true}))
		step(200, "")
		pr.show(reading(journal.ModelReadingData{Tokens: 900}))
		pr.hear(journal.Event{Kind: journal.ModelCalled})
		step(200, "")
	}
}
