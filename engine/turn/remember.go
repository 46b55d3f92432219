package turn

import (
	"context"

	"holdpoint/engine/graph"
	"holdpoint/engine/memory"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
)

// AboutOf is what a conversation about a record is remembered under.
func AboutOf(ref record.Ref) string {
	if ref.ID == "" {
		return memory.Person
	}
	return ref.String()
}

// Earlier finds the earlier conversations about the subject of the turn that are closest to
// its message; none where memory across sessions is off.
func Earlier(ctx context.Context, t *graph.Task) []memory.Used {
	d, err := DependenciesOf(t)
	if err != nil || d.Memory == nil {
		return nil
	}
	return d.Memory.Once(ctx, memory.Query{About: AboutOf(SubjectOf(t)), Without: t.Run.Session, Text: t.Run.Input})
}

// Remembered is the message of a prompt that tells of memory, as it is now: what was
// forgotten since it was recalled is not in it, and what is least close leaves it where the
// room, in characters, does not do. There is none when there is nothing to tell.
func Remembered(t *graph.Task, w memory.Working, used []memory.Used, room int) []model.Message {
	var recalled []memory.Recalled
	if d, err := DependenciesOf(t); err == nil && d.Memory != nil && len(used) > 0 {
		recalled = d.Memory.Read(used)
	}
	text := memory.Block(w, recalled)
	for len(text) > room && len(recalled) > 0 {
		recalled = recalled[:len(recalled)-1]
		text = memory.Block(w, recalled)
	}
	if text == "" || len(text) > room {
		return nil
	}
	m := model.Message{Role: "system", Text: text, Aside: []model.Aside{}}
	for _, r := range recalled {
		m.Aside = append(m.Aside, model.Aside{ID: r.ID, Similarity: r.Similarity})
	}
	return []model.Message{m}
}

// WorkingOf is the working memory of the turn's session; the zero value where it cannot be
// read.
func WorkingOf(t *graph.Task) (w memory.Working) {
	err := graph.View(t, func(tx memory.Tx) (err error) {
		w, err = tx.Working(t.Run.Session)
		return err
	})
	if err != nil {
		return memory.Working{} // what cannot be read is collected anew
	}
	return w
}
