// Package session describes a conversation.
package session

import (
	"errors"
	"time"
)

// ErrNotFound says that no session has the id, ErrDamaged that what is kept of it cannot be read.
var (
	ErrNotFound = errors.New("session: not found")
	ErrDamaged  = errors.New("session: its row is damaged")
)

// Session is one conversation with an agent, usually about one record.
type Session struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Agent string `json:"agent"`
	// Subject is the record that the session is about, as TYPE/ID; empty for none. Rows
	// of older stores have Patient only; About knows both.
	Subject string `json:"subject,omitempty"`
	// Patient is the subject's id if it is a Patient.
	Patient string `json:"patient,omitempty"`
	// Practice marks a session that has had a turn on the scripted model.
	Practice bool `json:"practice,omitempty"`
	// Branch is the turn of another session that this one was made from: it remembers what
	// was said before that turn.
	Branch string `json:"branch,omitempty"`
	// Consent is the scope that the session's person agreed to; "" for agents that ask for none.
	Consent string `json:"consent,omitempty"`
	// Turns counts runs; Status is that of the newest; Approvals counts those pending.
	Turns     int       `json:"turns"`
	Status    string    `json:"status"`
	Approvals int       `json:"approvals"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	// Damaged says that the row cannot be read: the id and when it was changed are all that is known.
	Damaged bool `json:"damaged,omitempty"`
}

// InDanger is the title of a session that somebody began in danger: what they wrote then stands in no
// list that others look at. It is told in the language of whoever reads it.
const InDanger = "Help in danger"

// Unnamed is the title of a session whose first message brought a check-in: the turn went on, and the
// words that it asked about stand in no list either. It says nothing of danger, since there may be none.
const Unnamed = "Untitled session"

// Unreadable is the title of a session whose row is damaged.
const Unreadable = "Damaged session"

// TitleTx changes what a session is called inside one transaction.
type TitleTx interface {
	// Entitle gives a session another title in the place of the beginning of a message, or of what
	// stands there since that message brought a check-in; any other title stays.
	Entitle(session, message, title string) error
}
