package turn_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"holdpoint/engine/model"
	"holdpoint/engine/turn"
)

// "I watched the answer being written, and saw a stray \n and half an accent."
func TestCompanion_C6_AMemberIsShownAsItIsWrittenWhereverThePiecesEnd(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const said = "Déjà « dit »: \"advice\": {no}\\ \\\\\n\tfin 😀 ✓\u2028."
	for _, object := range []string{
		string(model.JSON(map[string]any{"action": "advice", "advice": said, "other": "no"})),
		`{"reasoning":"first \"advice\": \"x\"","inner":{"advice":"wrong"},"list":["advice",1], "advice" : ` + string(model.JSON(said)) + `,"sources":["S1"]}`,
		strings.ReplaceAll(string(model.JSON(map[string]string{"advice": said})), "😀", `\ud83d\ude00`),
	} {
		for range 60 {
			var shown strings.Builder
			pieces := 0
			take := turn.MemberWriter("advice", func(text string) { shown.WriteString(text); pieces++ })
			for rest := object; rest != ""; {
				n := 1 + random.IntN(min(4, len(rest)))
				take(rest[:n])
				rest = rest[n:]
			}
			if shown.String() != said {
				t.Fatalf("%q was shown of %s", shown.String(), object)
			}
			if pieces < 5 {
				t.Errorf("it came in %d pieces", pieces)
			}
		}
	}
	shown := ""
	take := turn.MemberWriter("advice", func(text string) { shown += text })
	take(`{"reply":"not this","advice`)
	take(`":"so far`)
	if shown != "so far" {
		t.Errorf("%q", shown)
	}
}
