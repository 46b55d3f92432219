package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gowebpki/jcs"

	"holdpoint/engine/journal"
	"holdpoint/engine/rule"
)

// ErrArguments says that a call's arguments are not a single, unambiguous JSON object.
var ErrArguments = errors.New("ledger: arguments are ambiguous")

// Canonical returns the RFC 8785 form of a JSON object. Text that two parsers
// could read differently (duplicate keys, trailing data, numbers beyond 2^53, not an
// object) is refused. Keys that differ in case are different keys.
func Canonical(args json.RawMessage) (json.RawMessage, error) {
	trimmed := bytes.Trim(args, " \t\r\n") // JSON's own blanks, no others
	if len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, fmt.Errorf("%w: not a JSON object", ErrArguments)
	}
	if !utf8.Valid(trimmed) {
		return nil, fmt.Errorf("%w: not UTF-8", ErrArguments)
	}
	if err := uniqueKeys(trimmed, func(key string) string { return key }); err != nil {
		return nil, err
	}
	out, err := jcs.Transform(trimmed)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrArguments, err)
	}
	return out, nil
}

// maxDepth is how deep arguments may be nested.
const maxDepth = 1000

// Unambiguous refuses JSON in which an object names a key twice, also as case variants of
// each other: readers that fold cases, as Go's, would take either. The error wraps ErrArguments.
func Unambiguous(raw []byte) error {
	return uniqueKeys(raw, func(key string) string { return strings.ToLower(strings.ToUpper(key)) })
}

// uniqueKeys walks the tokens and refuses an object that names a key twice, as same tells.
func uniqueKeys(raw []byte, same func(key string) string) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	type level struct {
		keys map[string]bool // nil for an array
		key  bool            // a key comes next
	}
	var stack []level
	for {
		tok, err := dec.Token()
		if err != nil {
			return fmt.Errorf("%w: %w", ErrArguments, err)
		}
		top := len(stack) - 1
		if n, ok := tok.(json.Number); ok && inexact(n) {
			return fmt.Errorf("%w: number %.40s cannot be kept exactly; send it as text", ErrArguments, n)
		}
		switch d, isDelim := tok.(json.Delim); {
		case isDelim && (d == '}' || d == ']'):
			stack = stack[:top]
		case top >= 0 && stack[top].keys != nil && stack[top].key:
			k, ok := tok.(string)
			if !ok || stack[top].keys[same(k)] {
				return fmt.Errorf("%w: key %q stands twice", ErrArguments, tok)
			}
			stack[top].keys[same(k)] = true
			stack[top].key = false
			continue
		case isDelim:
			l := level{}
			if d == '{' {
				l = level{keys: map[string]bool{}, key: true}
			}
			if stack = append(stack, l); len(stack) > maxDepth {
				return fmt.Errorf("%w: nested deeper than %d", ErrArguments, maxDepth)
			}
			continue
		}
		if len(stack) == 0 {
			break
		}
		// A value ended: in an object, a key comes next.
		if top = len(stack) - 1; stack[top].keys != nil {
			stack[top].key = true
		}
	}
	if dec.More() {
		return fmt.Errorf("%w: text after the object", ErrArguments)
	}
	return nil
}

// inexact says that n is so large that not every parser reads it alike (RFC 7493, 2.2).
func inexact(n json.Number) bool {
	f, err := n.Float64()
	return err != nil || math.Abs(f) > 1<<53-1
}

// digestVersion is what Digest covers in approvals that are requested now. Those of
// older stores have 0 and keep the digest that was shown.
const digestVersion = 2

// Digest is the SHA-256 over the canonical JSON of everything the person is
// shown and everything that will run: session, turn, call, tool, arguments,
// target records with versions, the change of each record, the policy version and, from
// version 2 on, the title, the summary, the reason, the risk, the times between which it holds,
// which rule holds it, why and for whom, and who else may decide.
func Digest(a Approval) (string, error) {
	first := digestOne{a.Session, a.Turn, a.Call, a.Tool, a.Args, a.Targets, a.Changes, a.PolicyVersion}
	var covered any = first
	switch a.DigestVersion {
	case 0:
	case digestVersion:
		covered = digestTwo{first, a.DigestVersion, a.Title, a.Reason, a.RiskHigh, a.RequestedAt.UTC(), a.ExpiresAt.UTC(), a.Checkpoint, a.For, a.Rule, a.Because, a.Summary, a.Terms}
	default:
		return "", fmt.Errorf("%w: digest version %d is of another Holdpoint", ErrDigest, a.DigestVersion)
	}
	body, err := json.Marshal(covered)
	if err != nil {
		return "", fmt.Errorf("ledger: digest: %w", err)
	}
	canonical, err := jcs.Transform(body)
	if err != nil {
		return "", fmt.Errorf("ledger: digest: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// In is a time in the approval's zone, where that is known: the same sentence comes of it
// as when it was asked, whatever zone the clinic has chosen since.
func (a Approval) In(t time.Time) time.Time {
	if a.Zone == "" {
		return t
	}
	place, err := time.LoadLocation(a.Zone)
	if err != nil {
		return t
	}
	return t.In(place)
}

// digestOne is what digests have covered from the first version on.
type digestOne struct {
	Session string          `json:"session"`
	Turn    string          `json:"turn"`
	Call    string          `json:"call"`
	Tool    string          `json:"tool"`
	Args    json.RawMessage `json:"args"`
	Targets []Target        `json:"targets"`
	Changes []Change        `json:"changes"`
	Policy  string          `json:"policy"`
}

type digestTwo struct {
	digestOne
	Version     int       `json:"version"`
	Title       string    `json:"title"`
	Reason      string    `json:"reason"`
	RiskHigh    bool      `json:"risk_high"`
	RequestedAt time.Time `json:"requested_at"`
	ExpiresAt   time.Time `json:"expires_at"`

	Checkpoint string         `json:"checkpoint,omitempty"`
	For        *rule.Reviewer `json:"for,omitempty"`
	Rule       string         `json:"rule,omitempty"`
	Because    string         `json:"because,omitempty"`

	Summary []Fact `json:"summary,omitempty"`

	Terms // nothing of them in older stores, and so nothing in their digests
}

// clockSlack is how far a clock may have been set back before approvals count as
// expired: with a wrong clock nobody knows how old they are.
const clockSlack = 5 * time.Minute

// At is the approval's status at a given time. Only a verdict in the row itself counts,
// and only until the row expires.
func (a Approval) At(now time.Time) Status {
	if a.Status != Pending && a.Status != Approved {
		return a.Status
	}
	if !now.Before(a.ExpiresAt) || now.Add(clockSlack).Before(a.RequestedAt) || a.DecidedAt != nil && now.Add(clockSlack).Before(*a.DecidedAt) {
		return Expired
	}
	return a.Status
}

// Request stores a new approval as pending and its call as proposed. Args must be
// canonical. An approval that is already stored under the id is returned unchanged.
// A second approval for the same call replaces the first, unless the call has started
// or was answered (ErrDecided).
func Request(tx Tx, a Approval) (Approval, error) {
	if a.Call == "" || a.ID == "" {
		return Approval{}, fmt.Errorf("ledger: an approval needs an id and a call")
	}
	if old, err := tx.Approval(a.ID); err == nil {
		if old.Call != a.Call || old.Session != a.Session || old.Turn != a.Turn || old.Tool != a.Tool {
			return Approval{}, fmt.Errorf("ledger: approval %s belongs to another call", a.ID)
		}
		return old, nil
	} else if !errors.Is(err, ErrNotFound) {
		return Approval{}, err
	}
	if err := isCanonical(a.Args); err != nil {
		return Approval{}, err
	}
	if err := supersede(tx, a); err != nil {
		return Approval{}, err
	}
	var err error
	a.DigestVersion = digestVersion
	if a.Digest, err = Digest(a); err != nil {
		return Approval{}, err
	}
	a.Status, a.Reviewer, a.Identity, a.Meaning, a.Comment = Pending, "", "", "", ""
	a.DecidedAt, a.UsedAt, a.Original, a.Warned = nil, nil, nil, nil
	if err := tx.PutApproval(a); err != nil {
		return Approval{}, err
	}
	return a, tx.PutEntry(Entry{Call: a.Call, Session: a.Session, Turn: a.Turn, Tool: a.Tool, Approval: a.ID,
		Digest: a.Digest, State: Proposed, UpdatedAt: a.RequestedAt})
}

// supersede voids the earlier approval of a call, to make room for a new one.
func supersede(tx Tx, a Approval) error {
	e, err := tx.Entry(a.Call)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if e.Session != a.Session || e.Turn != a.Turn || e.Tool != a.Tool {
		return fmt.Errorf("ledger: call %s belongs to another turn or tool", a.Call)
	}
	if e.State != Proposed && e.State != Cleared {
		return fmt.Errorf("%w: call %s is %s", ErrDecided, e.Call, e.State)
	}
	old, err := tx.Approval(e.Approval)
	if err != nil {
		return err
	}
	return Withdraw(tx, old, a.RequestedAt)
}

// Withdraw takes back an approval that waits or was given and not used: it is void, or
// expired if it ran out before. One with another status stays as it is.
func Withdraw(tx Tx, a Approval, now time.Time) error {
	if a.At(now) == Expired {
		return end(tx, a, Expired)
	}
	return end(tx, a, Void)
}

// end gives an approval that may still be used its last status.
func end(tx Tx, a Approval, as Status) error {
	if a.Status != Pending && a.Status != Approved {
		return nil
	}
	a.Status = as
	return tx.PutApproval(a)
}

// Lapse stores that an approval ran out, so that no clock brings it back. It says
// whether this was news.
func Lapse(tx Tx, id string, now time.Time) (news bool, err error) {
	a, err := tx.Approval(id)
	if err != nil || a.Status == Expired || a.At(now) != Expired {
		return false, err
	}
	return true, end(tx, a, Expired)
}

func isCanonical(args json.RawMessage) error {
	canonical, err := Canonical(args)
	if err != nil {
		return err
	}
	if !bytes.Equal(canonical, args) {
		return fmt.Errorf("%w: not in canonical form", ErrArguments)
	}
	return nil
}

// Verdict is what a person says about an approval.
type Verdict struct {
	ID string
	// Digest is the one that was shown. If the store has another, the verdict is refused.
	Digest   string
	Approve  bool
	Reviewer string
	// Identity is by what the name is known.
	Identity Identity
	// Roles are the reviewer's.
	Roles   []string
	Meaning string
	Comment string
	// Warned are the warnings that stood beside what was decided.
	Warned []string
}

// Event is the word of a verdict that goes into the journal in the same transaction:
// without it nothing is carried out.
func (v Verdict) Event(a Approval, now time.Time) journal.Event {
	status := journal.VerdictRejected
	if v.Approve {
		status = journal.VerdictApproved
	}
	return journal.Event{At: now, Session: a.Session, Turn: a.Turn, Approval: v.ID, Call: a.Call, Tool: a.Tool, Status: string(status), Reason: v.Comment}.
		With(journal.ApprovalDecidedData{Reviewer: v.Reviewer, Identity: string(v.Identity), Digest: v.Digest, Meaning: v.Meaning})
}

// Decide stores a verdict; whoever calls it journals the verdict's Event with it. It
// fails with ErrDecided, ErrExpired or ErrDigest; a failure changes nothing.
func Decide(tx Tx, v Verdict, now time.Time) (Approval, error) {
	a, e, err := open(tx, v.ID, v.Digest, now)
	if err != nil {
		return Approval{}, err
	}
	if v.Reviewer == "" {
		return Approval{}, fmt.Errorf("ledger: a verdict needs the name of the person who gives it")
	}
	if !a.May(v.Reviewer, v.Roles, now) {
		return Approval{}, fmt.Errorf("%w: %s decides here", ErrReviewer, a.Who(now))
	}
	if a.RiskHigh && v.Approve && v.Meaning == "" {
		return Approval{}, fmt.Errorf("ledger: this tool needs the meaning of the signature")
	}
	if !v.Approve && v.Comment == "" {
		return Approval{}, fmt.Errorf("ledger: a rejection needs a reason")
	}
	a.Status = Rejected
	state := Refused
	if v.Approve {
		a.Status, state = Approved, Cleared
	}
	a.Reviewer, a.Identity, a.Meaning, a.Comment, a.Warned, a.DecidedAt = v.Reviewer, v.Identity, v.Meaning, v.Comment, v.Warned, &now
	if err := tx.PutApproval(a); err != nil {
		return Approval{}, err
	}
	e.State, e.Digest, e.UpdatedAt = state, a.Digest, now
	return a, tx.PutEntry(e)
}

// Asked is nil while the approval with this digest still waits for a verdict; else the error
// says why none can be given.
func Asked(tx Tx, id, digest string, now time.Time) error {
	_, _, err := open(tx, id, digest, now)
	return err
}

// Modify replaces the arguments of a pending approval with a reviewer's, under a
// new digest. The first request stays in Original; the approval is still pending. Only who
// may decide, with their roles, may modify.
func Modify(tx Tx, id, digest string, next Approval, roles []string, now time.Time) (Approval, error) {
	a, err := tx.Approval(id)
	if err != nil {
		return Approval{}, err
	}
	if a.At(now) == Pending && !a.May(next.Reviewer, roles, now) {
		return Approval{}, fmt.Errorf("%w: %s decides here", ErrReviewer, a.Who(now))
	}
	return Prepare(tx, id, digest, next, now)
}

// Prepare is Modify for somebody who proved who they are and may not decide: whoever
// prepares a request fills it in, and another one decides on what it is then.
func Prepare(tx Tx, id, digest string, next Approval, now time.Time) (Approval, error) {
	a, e, err := open(tx, id, digest, now)
	if err != nil {
		return Approval{}, err
	}
	if err := isCanonical(next.Args); err != nil {
		return Approval{}, err
	}
	if a.Original == nil {
		a.Original = &Original{Args: a.Args, Digest: a.Digest, Title: a.Title, Summary: a.Summary, Reason: a.Reason, Changes: a.Changes}
	}
	a.Args, a.Targets, a.Changes, a.Title, a.Summary = next.Args, next.Targets, next.Changes, next.Title, next.Summary
	// Why it was asked for was said of what it was.
	a.Reviewer, a.Identity, a.Comment, a.Reason = next.Reviewer, next.Identity, next.Comment, ""
	return renewed(tx, a, e, now)
}

// renewed keeps a pending approval that is another one now, with its call, under a new digest.
func renewed(tx Tx, a Approval, e Entry, now time.Time) (Approval, error) {
	var err error
	a.DigestVersion = digestVersion
	if a.Digest, err = Digest(a); err != nil {
		return Approval{}, err
	}
	if err := tx.PutApproval(a); err != nil {
		return Approval{}, err
	}
	e.Digest, e.UpdatedAt = a.Digest, now
	return a, tx.PutEntry(e)
}

// open reads an approval that can still be decided, with its call, and checks it
// against its own digest.
func open(tx Tx, id, shown string, now time.Time) (Approval, Entry, error) {
	fail := func(err error) (Approval, Entry, error) { return Approval{}, Entry{}, err }
	a, err := tx.Approval(id)
	if err != nil {
		return fail(err)
	}
	switch a.At(now) {
	case Pending:
	case Expired:
		if now.Before(a.ExpiresAt) {
			return fail(fmt.Errorf("%w: the clock was set back since it was asked, so nobody knows how old it is; the turn asks again when it is resumed", ErrExpired))
		}
		return fail(fmt.Errorf("%w at %s; the turn asks again when it is resumed", ErrExpired, a.ExpiresAt.Format(time.RFC3339)))
	case Void:
		return fail(ErrVoid)
	default:
		return fail(fmt.Errorf("%w: it is %s", ErrDecided, a.Status))
	}
	actual, err := Digest(a)
	if err != nil {
		return fail(err)
	}
	if a.Digest != actual || shown != actual {
		return fail(fmt.Errorf("%w: read it again before deciding", ErrDigest))
	}
	e, err := tx.Entry(a.Call)
	if err != nil {
		return fail(err)
	}
	if e.Approval != a.ID || e.State != Proposed || e.Digest != actual {
		return fail(fmt.Errorf("%w: the call is %s and names approval %s", ErrDigest, e.State, e.Approval))
	}
	return a, e, nil
}
