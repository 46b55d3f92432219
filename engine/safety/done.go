package safety

import "strings"

// mostDone is how many words a message has at most that only says that it is done.
const mostDone = 14

// Done is how a message that follows help for its writer's danger tells that what was feared is done.
type Done int

// The ways.
const (
	NotDone  Done = iota
	DoneBare      // “done”, « ça y est », “goodbye”: it may be of something else
	DoneIt        // “too late”, « j'ai sommeil », “he's at the door”
	DoneTook      // “I took them”, « la boîte est vide »
)

// SaysDone reads whether a message that follows help for its writer's danger tells, in English or French, that what
// was feared has happened, happens, or shows its effect.
func SaysDone(text string, danger Category) Done {
	if len(strings.Fields(text)) > mostDone {
		return NotDone
	}
	says := NotDone
	for _, c := range clausesOf(text) {
		t := tellsOf(c.text)
		switch {
		case t.of("undone"), business.MatchString(c.said), wanting.MatchString(c.said), thankful.MatchString(c.said) && !t.of("just_done"):
			return NotDone
		case t.of("took"):
			says = DoneTook
		case t.of("done_it"), (danger == Abuse || danger == ChildAbuse || danger == HarmOthers) && t.of("comes"):
			says = max(says, DoneIt)
		case t.of("just_done"):
			says = max(says, DoneBare)
		}
	}
	return says
}
