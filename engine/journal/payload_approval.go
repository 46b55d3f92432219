package journal

import (
	"encoding/json"
	"time"
)

// ApprovalRequestedData is what a person is asked to approve, in short.
type ApprovalRequestedData struct {
	// Digest is that of what would run.
	Digest    string    `json:"digest"`
	ExpiresAt time.Time `json:"expires_at"`
	Title     string    `json:"title"`
	// DueAt is by when a decision is wanted, For who alone may decide, in words; empty for
	// anybody.
	DueAt time.Time `json:"due_at,omitzero"`
	For   string    `json:"for,omitempty"`
}

func (ApprovalRequestedData) Kind() Kind { return ApprovalRequested }

// ApprovalDecidedData is a person's verdict.
type ApprovalDecidedData struct {
	// Digest is that of what the verdict is about; empty when the arguments were changed.
	Digest string `json:"digest"`
	// Meaning is what the reviewer signs for.
	Meaning  string `json:"meaning"`
	Reviewer string `json:"reviewer"`
	// Identity is by what the name is known: typed, account, passphrase or signature; "" in older
	// journals. Only the last two show that it is the person.
	Identity string `json:"identity,omitempty"`
	// Was is the digest of what was asked before the arguments were changed, and Title
	// says what would happen since.
	Was   string `json:"was,omitempty"`
	Title string `json:"title,omitempty"`
	// Changed are the arguments that the reviewer changed, long ones shortened.
	Changed []ChangedLine `json:"changed,omitempty"`
}

func (ApprovalDecidedData) Kind() Kind { return ApprovalDecided }

// ApprovalRefusedData is empty: the event's Approval is the request, Tool and Call what would have run; Status, Error and Reason say why it did not.
type ApprovalRefusedData struct{}

func (ApprovalRefusedData) Kind() Kind { return ApprovalRefused }

// ApprovalRemindedData is by when a decision is wanted.
type ApprovalRemindedData struct {
	DueAt time.Time `json:"due_at"`
}

func (ApprovalRemindedData) Kind() Kind { return ApprovalReminded }

// ApprovalEscalatedData is who may decide besides, in words.
type ApprovalEscalatedData struct {
	To string `json:"to"`
}

func (ApprovalEscalatedData) Kind() Kind { return ApprovalEscalated }

// ApprovalDelegatedData is who lets whom decide.
type ApprovalDelegatedData struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Was is the digest until then, Digest the one since: who may decide is part of it.
	Was    string `json:"was"`
	Digest string `json:"digest"`
}

func (ApprovalDelegatedData) Kind() Kind { return ApprovalDelegated }

// ChangedLine is an argument as people read it, before and after a reviewer changed it.
type ChangedLine struct {
	Label  string `json:"label"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// MutationCommittedData is what an approved call did.
type MutationCommittedData struct {
	// Refs are the records that it wrote, as Type/id.
	Refs   []string        `json:"refs"`
	Result json.RawMessage `json:"result"`
}

func (MutationCommittedData) Kind() Kind { return MutationCommitted }

// QuestionAnsweredData is a person's answer.
type QuestionAnsweredData struct {
	// Answer is {"answer": text}, {"approved": bool} or an object as the question's schema
	// has it; each may have a comment.
	Answer  json.RawMessage `json:"answer"`
	Choices []string        `json:"choices"`
	// Pause is the id of the pause that asked.
	Pause  string     `json:"pause"`
	Prompt LongString `json:"prompt"`
}

func (QuestionAnsweredData) Kind() Kind { return QuestionAnswered }
