package session

import (
	"time"
)

// Scopes of consent: what the person of a session agreed to.
const (
	// Onboarding is before the person was asked.
	Onboarding = "onboarding"
	// PendingConsent is without a yes: the person was asked, said no, or took it back.
	PendingConsent = "pending_consent"
	// FullConsent is a yes.
	FullConsent = "full"
)

// ConsentScope is that of journal.MemoryUpdatedData which says that consent changed.
const ConsentScope = "consent"

// Scopes are all of them.
func Scopes() []string { return []string{Onboarding, PendingConsent, FullConsent} }

// Consent is what somebody said last, in any session.
type Consent struct {
	// Whom the agent talks with, e.g. companion:teen, or companion:teen:as:léa for one with a name.
	Whom string `json:"whom"`
	// Name is as they wrote it first; "" for none.
	Name  string `json:"name,omitempty"`
	Scope string `json:"scope"`
	// Session is where it was said.
	Session string    `json:"session"`
	At      time.Time `json:"at"`
	// Region is that which they gave for help lines, in any session; "" for none.
	Region string `json:"region,omitempty"`
	// Age is the bracket that they gave, in any session, as the agent names it; "" for none.
	Age string `json:"age,omitempty"`
}

// ConsentTx reads and writes consent inside one transaction.
type ConsentTx interface {
	// ConsentOf is what somebody said last; false for nothing yet.
	ConsentOf(whom string) (Consent, bool, error)
	// PutConsent writes it, and into the session's row as well, which may not be there yet.
	PutConsent(Consent) error
}
