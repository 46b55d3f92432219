// Package ledger keeps the life of every mutating call: the approval that a person
// gives, and the entry that says how far the call came. The approval row is the only
// authority on a verdict, and it is carried out only if the journal says that a person
// gave it on the same digest.
package ledger

import (
	"encoding/json"
	"errors"
	"time"

	"holdpoint/engine/record"
	"holdpoint/engine/rule"
)

// Errors that callers distinguish.
var (
	ErrNotFound = errors.New("ledger: no such approval or call")
	// ErrDecided says that the approval already has a verdict; it is never changed again.
	ErrDecided = errors.New("ledger: already decided")
	// ErrVoid says that the approval was withdrawn: what it was about changed, or its turn was
	// given up. It is an ErrDecided too: nobody decides any more.
	ErrVoid error = withdrawn{}
	// ErrExpired says that the approval ran out before a verdict; a new one is needed.
	ErrExpired = errors.New("ledger: approval expired")
	// ErrUsed says that the approval was consumed by an execution before.
	ErrUsed = errors.New("ledger: approval already used")
	// ErrNotApproved says that no person approved the call.
	ErrNotApproved = errors.New("ledger: not approved")
	// ErrReviewer says that somebody else has to decide.
	ErrReviewer = errors.New("ledger: this waits for another reviewer")
	// ErrDelegation says that nobody else can be let decide.
	ErrDelegation = errors.New("ledger: this cannot be passed on")
	// ErrDigest says that what would run is not what was approved.
	ErrDigest = errors.New("ledger: digest differs from what was approved")
)

// Status is the state of an approval.
type Status string

const (
	Pending  Status = "pending"
	Approved Status = "approved"
	Rejected Status = "rejected"
	// Expired marks a row that ran out. A pending or approved row past ExpiresAt counts
	// as expired before it is marked (see At).
	Expired Status = "expired"
	// Used marks an approved row whose call was executed.
	Used Status = "used"
	// Void marks a row whose turn was abandoned or cancelled.
	Void Status = "void"
)

// Approval is one request to a person and, later, the verdict. Digest says which
// fields its digest covers.
type Approval struct {
	ID      string `json:"id"`
	Session string `json:"session"`
	Turn    string `json:"turn"`
	Call    string `json:"call"`
	Tool    string `json:"tool"`
	// Args is canonical JSON (RFC 8785); byte for byte what will run.
	Args json.RawMessage `json:"args"`
	// Targets are the records that the call reads or changes, with the versions shown to the person.
	Targets       []Target `json:"targets"`
	PolicyVersion string   `json:"policy_version"`
	Digest        string   `json:"digest"` // "sha256:" + lower-case hex
	// DigestVersion says what Digest covers; 0 for approvals that were requested before
	// it covered the title, the reason, the risk and the times.
	DigestVersion int `json:"digest_version,omitempty"`

	Status  Status   `json:"status"`
	Title   string   `json:"title"`            // one plain sentence: what will happen
	Reason  string   `json:"reason,omitempty"` // why the agent asks, in the model's words; hostile text
	Changes []Change `json:"changes"`          // before/after of each record
	// Summary is what it means, as its tool says it: who, with whom, when, where and why.
	// None in rows of older stores, and for tools that say none.
	Summary  []Fact `json:"summary,omitempty"`
	RiskHigh bool   `json:"risk_high,omitempty"`
	// Weak says that the model that asked for it is too small for its word to count alone.
	Weak bool `json:"weak,omitempty"`
	// Zone is that of the times in Title and Changes, by its name (IANA): the clinic's when
	// it was asked; "" in rows of older stores. What is planned again is planned in it.
	Zone        string    `json:"zone,omitempty"`
	RequestedAt time.Time `json:"requested_at"`
	ExpiresAt   time.Time `json:"expires_at"`

	// Checkpoint is the type of the hold point, For who alone may decide; nil is anybody.
	Checkpoint string         `json:"checkpoint,omitempty"`
	For        *rule.Reviewer `json:"for,omitempty"`
	// Rule is the one that holds it, Because why.
	Rule    string `json:"rule,omitempty"`
	Because string `json:"because,omitempty"`

	Terms
	// RemindedAt and EscalatedAt are when people were told of it.
	RemindedAt  *time.Time `json:"reminded_at,omitempty"`
	EscalatedAt *time.Time `json:"escalated_at,omitempty"`

	Reviewer string   `json:"reviewer,omitempty"`
	Identity Identity `json:"identity,omitempty"`
	Meaning  string   `json:"meaning,omitempty"` // meaning of the signature, for high-risk tools
	Comment  string   `json:"comment,omitempty"`
	// Warned are the warnings that stood beside it when the verdict was given; none in rows of
	// older stores. No digest covers them: what was asked is the same whatever else there is.
	Warned    []string   `json:"warned,omitempty"`
	DecidedAt *time.Time `json:"decided_at,omitempty"`
	UsedAt    *time.Time `json:"used_at,omitempty"`
	// Original keeps what was first requested when a reviewer modified the arguments.
	Original *Original `json:"original,omitempty"`
	// Erased says that its session was deleted: this is what Kept left of it, and Practice that a
	// script had asked.
	Erased   bool `json:"erased,omitempty"`
	Practice bool `json:"practice,omitempty"`
}

// Kept is what stays of an approval that was used when its session is deleted, because what
// it did stays: who gave it, by what they are known, when and on which digest, and which records
// it changed. What it said is gone.
func (a Approval) Kept(practice bool) Approval {
	k := Approval{ID: a.ID, Session: a.Session, Turn: a.Turn, Call: a.Call, Tool: a.Tool, PolicyVersion: a.PolicyVersion, Digest: a.Digest, DigestVersion: a.DigestVersion,
		Status: a.Status, RiskHigh: a.RiskHigh, Weak: a.Weak, RequestedAt: a.RequestedAt, ExpiresAt: a.ExpiresAt,
		Reviewer: a.Reviewer, Identity: a.Identity, Meaning: a.Meaning, DecidedAt: a.DecidedAt, UsedAt: a.UsedAt, Erased: true, Practice: practice}
	for _, c := range a.Changes {
		k.Changes = append(k.Changes, Change{Ref: c.Ref})
	}
	if a.Original != nil {
		k.Original = &Original{Digest: a.Original.Digest}
	}
	return k
}

// Identity is by what a reviewer's name is known; "" in what older versions stored.
type Identity string

// Identities. Only the last two show that it is the person.
const (
	IdentityTyped      Identity = "typed"      // somebody wrote the name
	IdentityAccount    Identity = "account"    // it is that of the system's account
	IdentityPassphrase Identity = "passphrase" // with the person's passphrase
	IdentitySignature  Identity = "signature"  // with a signature of theirs from elsewhere
)

// Terms are by when a decision is wanted, and who may decide besides For. They are zero in
// approvals of older stores.
type Terms struct {
	DueAt    time.Time `json:"due_at,omitzero"`
	RemindAt time.Time `json:"remind_at,omitzero"`
	// EscalateAt is from when on EscalateTo may decide as well.
	EscalateAt time.Time      `json:"escalate_at,omitzero"`
	EscalateTo *rule.Reviewer `json:"escalate_to,omitempty"`
	// NoDelegation says that nobody may let somebody else decide; Delegations are those who
	// were let, oldest first.
	NoDelegation bool         `json:"no_delegation,omitempty"`
	Delegations  []Delegation `json:"delegations,omitempty"`
}

// Delegation lets somebody else decide as well, by name.
type Delegation struct {
	From    string    `json:"from"`
	To      string    `json:"to"`
	At      time.Time `json:"at"`
	Comment string    `json:"comment,omitempty"`
}

// Target is a record an approved call depends on, at the version shown.
// Version is empty for a record that the call creates.
type Target struct {
	record.Ref
	Version string `json:"version,omitempty"`
}

// Change is what a call will do to one record. Before is null for a creation,
// After is null for a deletion.
type Change struct {
	Ref    record.Ref      `json:"ref"`
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

// FactKind is what a fact of a summary tells.
type FactKind string

const (
	FactPerson   FactKind = "person"   // whom it is for
	FactProvider FactKind = "provider" // with whom
	FactTime     FactKind = "time"
	FactPlace    FactKind = "place"
	FactAbout    FactKind = "about"  // what the visit is for
	FactReason   FactKind = "reason" // why it is done
)

// Fact is a line of a summary. A time has From, and Until where it ends, and no Text: each
// reader has it in the clinic's zone.
type Fact struct {
	Kind  FactKind  `json:"kind"`
	Text  string    `json:"text,omitempty"`
	From  time.Time `json:"from,omitzero"`
	Until time.Time `json:"until,omitzero"`
}

// Original is the request as it was before a reviewer edited it.
type Original struct {
	Args   json.RawMessage `json:"args"`
	Digest string          `json:"digest"`
	// Title, Summary and Reason are what was said of it; none in rows of older stores.
	Title   string `json:"title,omitempty"`
	Summary []Fact `json:"summary,omitempty"`
	Reason  string `json:"reason,omitempty"`
	// Changes are what would have been done; none in rows of older stores.
	Changes []Change `json:"changes,omitempty"`
}

// State is how far a mutating call came.
type State string

const (
	Proposed  State = "proposed"
	Cleared   State = "approved" // a person approved; nothing has started
	Started   State = "started"  // an outside effect may be under way
	Committed State = "committed"
	Refused   State = "refused" // a business refusal or a rejection: nothing happened
	Unknown   State = "unknown" // started, then the process died: never retried by the machine
)

// Entry is the ledger row of one call. Call ids are unique in a store and serve
// as the idempotency key.
type Entry struct {
	Call     string `json:"call"`
	Session  string `json:"session"`
	Turn     string `json:"turn"`
	Tool     string `json:"tool"`
	Approval string `json:"approval"`
	Digest   string `json:"digest"`
	State    State  `json:"state"`
	// Result is the tool's output once committed, or the refusal's explanation.
	Result    json.RawMessage `json:"result,omitempty"`
	UpdatedAt time.Time       `json:"updated_at"`
}

// Tx reads and writes approvals and entries inside one transaction.
type Tx interface {
	Approval(id string) (Approval, error) // wraps ErrNotFound
	PutApproval(Approval) error
	// Approvals lists rows oldest request first; status "" lists all. Unreadable rows are an error, never skipped.
	Approvals(status Status, fn func(Approval) (bool, error)) error
	Entry(call string) (Entry, error) // wraps ErrNotFound
	PutEntry(Entry) error
	// Verdict is the digest that the journal's newest approval of the row names; "" when
	// the journal has none, or the newest verdict was another.
	Verdict(Approval) (digest string, err error)
	// Entries lists the rows of one turn, or of all turns for "".
	Entries(turn string, fn func(Entry) (bool, error)) error
}

type withdrawn struct{}

func (withdrawn) Error() string {
	return "ledger: this is no longer asked: what it was about changed, or its turn was given up"
}

func (withdrawn) Is(target error) bool { return target == ErrDecided }
