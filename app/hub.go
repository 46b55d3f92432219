package app

import (
	"encoding/json"
	"sync"

	"holdpoint/engine/journal"
)

// Notice tells a screen that something outside a journal changed: "re-read that". One
// may get lost; what it is about is always there to be read.
type Notice struct {
	Kind NoticeKind `json:"kind"`
	// ID names what changed; absent for all of it.
	ID string `json:"id,omitempty"`
	// Gone says that the session was deleted: nothing of it is there to be asked for.
	Gone bool `json:"gone,omitempty"`
	// Data is the Job of a job, and the Fault of a fault.
	Data json.RawMessage `json:"data,omitempty"`
}

// NoticeKind says what changed.
type NoticeKind string

const (
	NoticeSession   NoticeKind = "session"   // a session or a turn of it; ID is the session's
	NoticeApprovals NoticeKind = "approvals" // what waits for a person; ID is the approval's, absent for questions and for several
	NoticeRecords   NoticeKind = "records"   // the records
	NoticeLibrary   NoticeKind = "library"   // the library's documents, or how far they are indexed
	NoticeModels    NoticeKind = "models"    // the models that are there or what they are used for
	NoticeJob       NoticeKind = "job"       // a job went on or ended; ID is its own, Data the Job
	NoticeState     NoticeKind = "state"     // settings and what the screens show of the program as a whole
	NoticeAgents    NoticeKind = "agents"    // the agents of files; ID is the agent's
	NoticeMemory    NoticeKind = "memory"    // what is remembered of conversations
	NoticeBoard     NoticeKind = "board"     // a person decided on a board; ID is the session's
	NoticeTexts     NoticeKind = "texts"     // what people and models read of an agent; ID is the agent's
	NoticeServers   NoticeKind = "servers"   // a server of tools; ID is the server's
	NoticeFault     NoticeKind = "fault"     // a turn could not begin or go on; ID is the session's, Data the Fault
)

// hub hands committed events and notices to whoever listens. A listener that
// falls behind is dropped from live delivery: it reads the journal again from the
// last sequence number it has, so nothing is lost and nothing piles up.
type hub struct {
	mu       sync.Mutex
	next     int
	journals map[int]*listener
	notices  map[int]chan Notice
	// partial is the text of messages that are being streamed, by session.
	partial map[string]map[string]*journal.Event
	// reading are the requests to models whose answer has not begun, by session and stage.
	reading map[string]map[journal.StageID]*journal.Event
}

type listener struct {
	session string // "" for all
	events  chan journal.Event
}

const listenerRoom = 1024

func newHub() *hub {
	return &hub{journals: map[int]*listener{}, notices: map[int]chan Notice{}, partial: map[string]map[string]*journal.Event{}, reading: map[string]map[journal.StageID]*journal.Event{}}
}

// publish takes the events in the order of their commit.
func (h *hub) publish(e *journal.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.track(e)
	for id, l := range h.journals {
		if l.session != "" && l.session != e.Session {
			continue
		}
		select {
		case l.events <- *e:
		default:
			close(l.events)
			delete(h.journals, id)
		}
	}
}

// track keeps the text so far of each streaming message, and which prompts are being read,
// for screens that come late.
func (h *hub) track(e *journal.Event) {
	switch e.Kind {
	case journal.ModelReading:
		m := h.reading[e.Session]
		if m == nil {
			m = map[journal.StageID]*journal.Event{}
			h.reading[e.Session] = m
		}
		begun := *e
		m[e.Stage] = &begun
	case journal.ModelCalled:
		delete(h.reading[e.Session], e.Stage)
	case journal.Token:
		delete(h.reading[e.Session], e.Stage)
		m := h.partial[e.Session]
		if m == nil {
			m = map[string]*journal.Event{}
			h.partial[e.Session] = m
		}
		if p := m[e.Message]; p == nil || e.Offset == 0 {
			whole := *e
			m[e.Message] = &whole
		} else {
			p.Text += e.Text
		}
	case journal.Message:
		delete(h.partial[e.Session], e.Message)
	case journal.TurnCompleted, journal.TurnFailed, journal.TurnCancelled, journal.TurnPaused, journal.TurnLimited:
		delete(h.partial, e.Session)
		delete(h.reading, e.Session)
	}
}

// listen returns a channel of live events of a session ("" for all), beginning
// with the text of messages that are under way and the prompts that are being read. The channel closes when the
// listener falls behind. stop must be called.
func (h *hub) listen(session string) (events <-chan journal.Event, stop func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := &listener{session, make(chan journal.Event, listenerRoom)}
	for s, m := range h.partial {
		if session == "" || s == session {
			for _, e := range m {
				l.events <- *e
			}
		}
	}
	for s, m := range h.reading {
		if session == "" || s == session {
			for _, e := range m {
				l.events <- *e
			}
		}
	}
	id := h.next
	h.next++
	h.journals[id] = l
	return l.events, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.journals, id)
	}
}

// notify tells every screen; one that does not keep up misses notices, not data.
func (h *hub) notify(n Notice) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.notices {
		select {
		case c <- n:
		default:
		}
	}
}

func (h *hub) watch() (<-chan Notice, func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	id := h.next
	h.next++
	c := make(chan Notice, 256)
	h.notices[id] = c
	return c, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.notices, id)
	}
}
