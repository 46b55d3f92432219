package turn

import (
	"slices"

	"holdpoint/engine/graph"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/session"
)

// Message is what a person said, with what an agent needs to begin a turn on it.
type Message struct {
	Text string
	// Vars are the run's inputs, fixed for the turn. The subject is among them.
	Vars map[string]string
	// History is what the session said before, oldest first; see Recall.
	History []Exchange
	// Earlier is the state that an earlier turn ended with and that this one goes on with, and
	// EarlierRun that turn's run; the zero Snapshot and "" for none.
	Earlier    graph.Snapshot
	EarlierRun graph.RunID
}

// SubjectOf is the record that a run is about; the zero Ref for none.
func SubjectOf(t *graph.Task) record.Ref { return session.SubjectOf(t.Run.Vars) }

// Exchange is one earlier turn of the conversation.
type Exchange = session.Exchange

// leastHistory is how many earlier exchanges a turn knows at least, mostHistory how
// many at most. In between the conversation's beginning stays where it is: the prompt
// keeps its prefix, and a mere acknowledgement changes nothing that a context tool is
// fed. Then a block leaves at once.
const leastHistory, mostHistory = 12, 24

const historyBlock = mostHistory - leastHistory

// Recall reads what a turn is shown of a conversation that has had this many turns.
// read gives the exchanges behind the first n turns.
// What lies further back is not read, so a long conversation costs no more than a
// short one.
func Recall(turns int, read func(n int) ([]Exchange, error)) ([]Exchange, error) {
	from := 0
	if over := turns - mostHistory; over > 0 {
		from = (over + historyBlock - 1) / historyBlock * historyBlock
	}
	for {
		list, err := read(from)
		if err != nil || from == 0 || len(list) >= leastHistory {
			return list, err
		}
		from -= historyBlock
	}
}

// Conversation is a history as messages.
func Conversation(history []Exchange) []model.Message {
	out := make([]model.Message, 0, 3*len(history)+1)
	for _, e := range history {
		out = append(out, model.Message{Role: "user", Text: e.User})
		if e.Reply != "" {
			out = append(out, model.Message{Role: "assistant", Text: e.Reply})
		}
		if e.Ended != "" {
			// As the assistant's words it would be said again.
			out = append(out, model.Message{Role: "system", Text: e.Ended})
		}
	}
	return out
}

// Weight is how much of a prompt's room a message takes, in characters.
func Weight(m model.Message) int {
	n := len(m.Text)
	for _, c := range m.Calls {
		n += len(c.Tool) + len(c.Arguments)
	}
	return n
}

// promptBlock is how many exchanges leave a prompt at once.
const promptBlock = 4

// LongestSaid bounds an earlier message in a prompt, in characters.
const LongestSaid = 2000

// Limit is how much of a conversation a prompt has.
type Limit struct {
	// Room is for all messages, in characters. Exchanges, where set, counts in its place: that many of
	// the last ones, whatever their length.
	Room, Exchanges int
	// Longest bounds each message, in characters; 0 leaves them whole.
	Longest int
}

// Trim is the end of the conversation so far that keeps to a limit. Exchanges leave at its beginning,
// each with its calls and results. Where a room is full, a block leaves at once while there are more,
// so that what is left stands where it stood for some turns and the model's server keeps it; and of an
// exchange that is too long by itself the newest messages stay.
func Trim(talk []model.Message, l Limit) []model.Message {
	cut := make([]model.Message, len(talk))
	var begins []int // of the exchanges
	size := 0
	for i, m := range talk {
		if i == 0 || m.Role == "user" {
			begins = append(begins, i)
		}
		cut[i] = shorten(m, l.Longest)
		size += Weight(cut[i])
	}
	if l.Exchanges > 0 {
		if over := len(begins) - l.Exchanges; over > 0 {
			cut = cut[begins[over]:]
		}
		return cut
	}
	room := l.Room
	for size > room && len(begins) > 1 {
		leave := 1
		if len(begins) > promptBlock {
			leave = promptBlock
		}
		for _, m := range cut[begins[0]:begins[leave]] {
			size -= Weight(m)
		}
		begins = begins[leave:]
	}
	if len(begins) > 0 {
		cut = cut[begins[0]:]
	}
	if size > room {
		cut, _ = Newest(cut, room, l.Longest, nil)
	}
	return cut
}

// Newest keeps the newest messages of a turn that fit a room, in characters, each cut to
// most; the first one that no longer fits ends them, unless keep says that it stays. left
// is what is left of the room.
func Newest(messages []model.Message, room, most int, keep func(i int) bool) (kept []model.Message, left int) {
	for i, m := range slices.Backward(messages) {
		m = shorten(m, most)
		if room -= Weight(m); room < 0 && (keep == nil || !keep(i)) {
			break
		}
		kept = append(kept, m)
	}
	slices.Reverse(kept)
	return kept, room
}

// shorten cuts a message to n characters, where n is not 0: a result by whole items, anything else at its end.
func shorten(m model.Message, n int) model.Message {
	switch {
	case n == 0:
	case m.Role == "tool":
		m.Text = Cut(m.Text, n)
	default:
		m.Text = model.Shorten(m.Text, n)
	}
	return m
}
