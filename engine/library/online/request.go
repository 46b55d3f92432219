package online

import (
	"errors"
	"time"
)

// Status is how far a request is.
type Status string

// A request waits, is refused, or is sent and then done or failed. One that failed may be
// approved again: it reads and changes nothing.
const (
	Waiting Status = "waiting"
	Refused Status = "refused"
	Sending Status = "sending"
	Done    Status = "done"
	Failed  Status = "failed"
)

// Request is one that may leave this machine: GET of the URL, without cookies, with a
// User-Agent that says no more than the program's name.
type Request struct {
	ID     string `json:"id"`
	Source string `json:"source"` // of Sources, by its ID
	// URL is all that is sent; Text is the part of it that a person wrote.
	URL  string `json:"url"`
	Text string `json:"text"`
	// Asks says what it asks for, After is the request whose answer led to it.
	Asks  string `json:"asks"`
	After string `json:"after,omitempty"`
	// Warning is what to think of before it is approved.
	Warning string `json:"warning,omitempty"`
	Limit   int    `json:"limit"` // records that are asked for

	Status  Status    `json:"status"`
	AskedAt time.Time `json:"asked_at"`
	// By is the person who approved or refused it, DecidedAt when.
	By        string    `json:"by,omitempty"`
	DecidedAt time.Time `json:"decided_at,omitzero"`
	Outcome
}

// Outcome is what became of a request that was sent.
type Outcome struct {
	// Attempts count how often it left: it is sent again when a source asks for patience.
	Attempts int `json:"attempts,omitempty"`
	// Total is how many records the source has, Records how many its answer held,
	// Created how many of them are new documents.
	Total   int    `json:"total,omitempty"`
	Records int    `json:"records,omitempty"`
	Created int    `json:"created,omitempty"`
	Error   string `json:"error,omitempty"`
	// RetryAt is when the source wants to be asked again.
	RetryAt time.Time `json:"retry_at,omitzero"`
	EndedAt time.Time `json:"ended_at,omitzero"`
}

// ErrNotFound says that there is no such request.
var ErrNotFound = errors.New("online: not found")

// Store keeps requests.
type Store interface {
	ViewOnline(func(Tx) error) error
	UpdateOnline(func(Tx) error) error
}

// Tx is one transaction.
type Tx interface {
	// Request reads one; ErrNotFound.
	Request(id string) (Request, error)
	// Requests visits all, the oldest first.
	Requests(fn func(Request) (bool, error)) error
	PutRequest(r Request) error
	DeleteRequest(id string) error
}
