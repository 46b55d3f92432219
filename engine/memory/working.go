package memory

import (
	"slices"
	"strings"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
)

// Entity is something that a conversation speaks of: a concern, a well, an operator.
type Entity struct {
	Kind string `json:"kind"`
	// ID is a record as TYPE/ID or a number that the field knows; "" for what has none.
	ID   string `json:"id,omitempty"`
	Text string `json:"text"`
}

func (e Entity) same(o Entity) bool {
	return e.Kind == o.Kind && e.ID == o.ID && (e.ID != "" || strings.EqualFold(e.Text, o.Text))
}

// line is the entity as a prompt has it.
func (e Entity) line() string {
	kind := OneLine(e.Kind, 40)
	if kind != "" {
		kind = strings.ToUpper(kind[:1]) + kind[1:] + ": "
	}
	if e.ID == "" {
		return kind + OneLine(e.Text, 200)
	}
	if e.Text == "" {
		return kind + OneLine(e.ID, 100)
	}
	return kind + OneLine(e.ID, 100) + " (" + OneLine(e.Text, 200) + ")"
}

// Bounds of a working memory.
const (
	// RecentEntities is how many records a session remembers to have touched: first in, first out.
	RecentEntities = 10
	maxEntities    = 40
	maxScratchpad  = 4000 // bytes, about
)

// Working is the working memory of a session.
type Working struct {
	Scratchpad string   `json:"scratchpad,omitempty"`
	Entities   []Entity `json:"entities,omitempty"`
	// Recent are the records that were touched last, as TYPE/ID, the newest last.
	Recent []string `json:"recent,omitempty"`
}

// Empty says that there is nothing in it.
func (w Working) Empty() bool {
	return w.Scratchpad == "" && len(w.Entities) == 0 && len(w.Recent) == 0
}

// Notes are a patch of a session's working memory.
type Notes struct {
	// Scratchpad replaces the text there; nil leaves it.
	Scratchpad *string
	// Entities are added; one that is known moves to the end with its new text.
	Entities []Entity
	// Recent were touched now, in this order.
	Recent []string
}

func (n Notes) empty() bool { return n.Scratchpad == nil && len(n.Entities)+len(n.Recent) == 0 }

// On gives the memory with the notes; the old one stays as it is.
func (n Notes) On(w Working) Working {
	if n.Scratchpad != nil {
		w.Scratchpad = shorten(*n.Scratchpad, maxScratchpad)
	}
	w.Entities = slices.Clone(w.Entities)
	for _, e := range n.Entities {
		w.Entities = append(slices.DeleteFunc(w.Entities, e.same), e)
	}
	w.Entities = w.Entities[max(0, len(w.Entities)-maxEntities):]
	w.Recent = slices.Clone(w.Recent)
	for _, id := range n.Recent {
		w.Recent = append(slices.DeleteFunc(w.Recent, func(o string) bool { return o == id }), id)
	}
	w.Recent = w.Recent[max(0, len(w.Recent)-RecentEntities):]
	return w
}

// Write lets a stage's result carry the notes into the working memory of the session: they
// are on disk with the result, or not at all.
func (n Notes) Write(r *graph.Result, session string) {
	if n.empty() {
		return
	}
	before := r.Do
	r.Do = func(tx graph.Tx, tell graph.Tell) error {
		if before != nil {
			if err := before(tx, tell); err != nil {
				return err
			}
		}
		rows, err := graph.Rows[Tx](tx)
		if err != nil {
			return err
		}
		w, err := rows.Working(session)
		if err != nil {
			return err
		}
		return rows.PutWorking(session, n.On(w))
	}
	r.Events = append(r.Events, journal.Event{}.With(journal.MemoryUpdatedData{Scope: "working", Keys: n.keys()}))
}

// keys name the parts that are written.
func (n Notes) keys() []string {
	keys := []string{}
	if n.Scratchpad != nil {
		keys = append(keys, "scratchpad")
	}
	if len(n.Entities) > 0 {
		keys = append(keys, "entities")
	}
	if len(n.Recent) > 0 {
		keys = append(keys, "recent_entities")
	}
	return keys
}
