// Package record holds the data that mutations change: JSON objects with resourceType and id,
// FHIR R4 or an agent's own, as they were imported or written, each with a version that changes when, and
// only when, its content does.
package record

import (
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// ErrNotFound says that no record has the given reference.
var ErrNotFound = errors.New("record: not found")

// Ref names one record, e.g. {Patient, 123}. Its text form is "Patient/123".
type Ref struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

func (r Ref) String() string { return r.Type + "/" + r.ID }

// ParseRef reads TYPE/ID; ok is false for anything else.
func ParseRef(s string) (ref Ref, ok bool) {
	typ, id, ok := strings.Cut(s, "/")
	if !ok || !typeForm.MatchString(typ) || !idForm.MatchString(id) {
		return Ref{}, false
	}
	return Ref{Type: typ, ID: id}, true
}

// Record is one stored resource.
type Record struct {
	Ref
	// Version is the lower-case hex SHA-256 of the canonical (RFC 8785) JSON of Resource.
	Version string `json:"version"`
	// Resource is the JSON exactly as it came.
	Resource json.RawMessage `json:"resource"`
	// UpdatedAt is when this version was written here, UTC.
	UpdatedAt time.Time `json:"updated_at"`
}

// Tx reads and writes records inside one transaction. It is not safe for
// concurrent use and must not be kept after the transaction ends.
type Tx interface {
	// Record returns the record or an error that wraps ErrNotFound.
	Record(Ref) (Record, error)
	// PutRecord inserts or replaces r and keeps the indexes in step: the record is found
	// by RecordsReferring for everything that References(r) names, and by RecordNames
	// under all of Names(r).
	PutRecord(Record) error
	// DeleteRecord removes a record; a missing one is ErrNotFound.
	DeleteRecord(Ref) error
	// Records calls fn for each record of a type in id order, starting after the
	// id `after` ("" for the first), until fn returns false.
	Records(typ, after string, fn func(Record) (bool, error)) error
	// RecordsReferring does the same for the records of a type that refer to another
	// record, wherever in them.
	RecordsReferring(to Ref, typ string, fn func(Record) (bool, error)) error
	// RecordsAbout does the same for those of them that are about it; see IsAbout.
	RecordsAbout(to Ref, typ string, fn func(Record) (bool, error)) error
	// RecordNames calls fn for the folded names of a type's records that begin with a
	// text, in order, with the id of each, until fn returns false. A record without a
	// name is not among them.
	RecordNames(typ, prefix string, fn func(name, id string) (bool, error)) error
	// RecordTypes returns how many records each type has.
	RecordTypes() (map[string]int, error)
}

// Store opens transactions over records. Update commits durably (fsync) when fn
// returns nil and rolls back whole otherwise.
type Store interface {
	ViewRecords(fn func(Tx) error) error
	UpdateRecords(fn func(Tx) error) error
}
