package turn_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"holdpoint/engine/turn"
)

// pieces are what calls, made-up dialogues and nothing are written with, and words of people.
var pieces = strings.Fields(`book_appointment bookAppointment null undefined None None. nan nil object Object Action Action_Input tool function outil functools functions.a tools.b default_api.c
	final answer thought thoughts observation assistant Assistant user USER Humain PERSON navigator client question think PERSON. system response instruction ### ## # * ** _ __ > - + , ; . .. ... ? ! / \ | % & @ ' ’ « » “ ”
	json name nom arguments parameters input args s eos im_start tool_call reply text answer_text 12 7.5 a I you vous calling the appel d’outil d'outil python_tag eot_id x_y_z ok`)

// "The engine's benchmark spent a third of its time looking for braces in “hi and so on”." A text without any sign of a call says what a look
// at all of them would.
func TestPlain_ATextWithoutSignsIsReadAsOneThatIsLookedThrough(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	spaces := []string{" ", "", "  ", "\t", "\u00a0", " \r", "\u202f"}
	for range 60_000 {
		var b strings.Builder
		for range 1 + r.IntN(7) {
			b.WriteString(spaces[r.IntN(len(spaces))] + pieces[r.IntN(len(pieces))])
		}
		text := b.String() + spaces[r.IntN(len(spaces))]
		plain, cut := turn.Uncalled(text)
		if want, cuts := turn.Throughout(text); plain != want || cut != cuts {
			t.Fatalf("%q is %q %v, want %q %v", text, plain, cut, want, cuts)
		}
	}
}

func FuzzPlain_ATextWithoutSigns(f *testing.F) {
	f.Add("hi and so on")
	f.Fuzz(func(t *testing.T, text string) {
		plain, cut := turn.Uncalled(text)
		if want, cuts := turn.Throughout(text); plain != want || cut != cuts {
			t.Fatalf("%q is %q %v, want %q %v", text, plain, cut, want, cuts)
		}
	})
}
