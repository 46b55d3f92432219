package companion_test

import (
	"fmt"
	"strings"
	"testing"

	"holdpoint/engine/turn"
)

// "The small model lost the thread." It is told the last six exchanges, each message in one line of
// at most 700 characters, and a reply that never came as an empty one.
func TestCompanion_APromptHasTheLastSixExchangesInLines(t *testing.T) {
	w := newWorld(t, "teen", "en")
	w.say("s", everything["en"])
	var want []string
	for i := range 9 {
		e := turn.Exchange{User: fmt.Sprintf("I could not sleep\n  on night %d", i), Reply: fmt.Sprintf("Night %d is over.", i)}
		said, reply := fmt.Sprintf("I could not sleep on night %d", i), e.Reply
		switch i {
		case 2: // the seventh from the end: too far back
		case 4:
			e.Reply, e.Ended = "", "The turn was cancelled."
			reply = ""
		case 6:
			e.User = strings.Repeat("awake again, ", 100)
			said = strings.Repeat("awake again, ", 53) + "awake…" // of 700 characters, at a word
		}
		w.said["s"] = append(w.said["s"], e)
		if i >= 3 {
			want = append(want, "PERSON: "+said, "ASSISTANT: "+reply)
		}
	}
	w.say("s", "And tonight?")
	seen := 0
	for title, all := range w.voice.asked {
		for _, m := range all[len(all)-1].Messages {
			_, talk, found := strings.Cut(m.Text, "<conversation>\n")
			if !found || !strings.Contains(m.Text, "And tonight?") {
				continue
			}
			talk, _, _ = strings.Cut(talk, "\n</conversation>")
			lines := strings.Split(talk, "\n")
			if n := len(lines); n > 2 && strings.HasPrefix(lines[n-2], "PERSON: And tonight?") { // a summary has this turn, too
				lines = lines[:n-2]
			}
			if got := strings.Join(lines, "\n"); got != strings.TrimSpace(strings.Join(want, "\n")) {
				t.Errorf("%s is told\n%s\nnot\n%s", title, got, strings.Join(want, "\n"))
			}
			seen++
		}
	}
	if seen == 0 {
		t.Error("no prompt of the turn has the conversation")
	}
}
