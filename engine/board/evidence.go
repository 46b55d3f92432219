package board

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"holdpoint/engine/library"
)

// Evidence is a passage that a study found: a copy, so that a report's citations open
// even when the document has left the library.
type Evidence struct {
	ID string `json:"id"`
	// Passage is its number in the library, Document its document's id.
	Passage  uint64 `json:"passage"`
	Document string `json:"document"`
	Name     string `json:"name"`
	Title    string `json:"title"`
	// Source is where the document came from.
	Source string `json:"source"`
	Date   string `json:"date,omitempty"`
	// URL is where the document was published; "" while unknown.
	URL string `json:"url,omitempty"`
	// Publication is where the document was published; nil while unknown.
	Publication *library.Publication `json:"publication,omitempty"`
	// Page counts from 1; 0 where there are none. Place is which of the document's passages it is.
	Page    int    `json:"page,omitempty"`
	Place   int    `json:"place"`
	Heading string `json:"heading,omitempty"`
	Text    string `json:"text"`
	// Query is what it was found by.
	Query string    `json:"query"`
	At    time.Time `json:"at"`
	// Left says what became of the document when the library has the passage no more; Find says it of now.
	Left *library.Departure `json:"left,omitempty"`
}

// EvidenceID is that of a passage. A passage's number is never used again, so the id means the
// same in every study.
func EvidenceID(passage uint64) string { return "e" + strconv.FormatUint(passage, 10) }

// Piece is what the state knows of evidence; the rest is in the store.
type Piece struct {
	ID       string `json:"-"`
	Document string `json:"document"`
	// DuplicateOf is the evidence that says nearly the same; it counts for both.
	DuplicateOf string `json:"duplicate_of,omitempty"`
	// Differs says that its words are not those of what it repeats. It is judged then: meanings of
	// “tea helps” and “tea does not help” are near each other, and the one is no repetition of the other.
	Differs bool `json:"differs,omitempty"`
}

// ErrNotFound says that there is no such evidence.
var ErrNotFound = errors.New("board: not found")

// Tx are a board's rows in a transaction of the store. Studies are named by their run.
type Tx interface {
	// PutEvidence keeps evidence of a study; the same id replaces it.
	PutEvidence(study string, e Evidence) error
	// Evidence reads one; ErrNotFound.
	Evidence(study, id string) (Evidence, error)
	// AddDecision keeps a decision and numbers it, from 1 on.
	AddDecision(study string, d *Decision) error
	// Decisions visits those of a study, oldest first.
	Decisions(study string, fn func(Decision) (bool, error)) error

	// EvidenceOf visits the evidence of all studies that is of a document.
	EvidenceOf(document string, fn func(study string, e Evidence) (bool, error)) error

	// Passage and Document are those of the library.
	Passage(n uint64) (library.Passage, error)
	Document(id string) (library.Document, error)
}

// Find reads evidence of a study. A replay of a study has rows of its own only for what it
// found itself: the rest is read from the library, and what is there no more from another study
// that cites it. ErrNotFound.
func Find(tx Tx, study string, p Piece) (Evidence, error) {
	e, err := tx.Evidence(study, p.ID)
	if err == nil {
		return now(tx, e)
	}
	if !errors.Is(err, ErrNotFound) {
		return e, err
	}
	if n, bad := strconv.ParseUint(strings.TrimPrefix(p.ID, "e"), 10, 64); bad == nil {
		x, gone := tx.Passage(n)
		if gone == nil {
			var d library.Document
			if d, gone = tx.Document(x.Document); gone == nil {
				return Of(d, x), nil
			}
		}
		if !errors.Is(gone, library.ErrNotFound) {
			return e, gone
		}
	}
	return Kept(tx, p)
}

// Kept is a passage as some study keeps it that cites it. ErrNotFound.
func Kept(tx Tx, p Piece) (e Evidence, err error) {
	found := false
	err = tx.EvidenceOf(p.Document, func(_ string, x Evidence) (bool, error) {
		if found = x.ID == p.ID; found {
			e = x
		}
		return !found, nil
	})
	if err == nil && !found {
		err = fmt.Errorf("%w: evidence %s, and its document has left the library", ErrNotFound, p.ID)
	}
	if err != nil {
		return e, err
	}
	return now(tx, e)
}

// now is evidence with what is so today of its document.
func now(tx Tx, e Evidence) (Evidence, error) {
	n, err := Number(tx, &e)
	switch {
	case n != 0:
		e.Left = nil
	case e.Left == nil:
		e.Left = &library.Departure{}
	}
	return e, err
}

// Number is that which the passage has in the library: its own or, where the same document was
// imported again, the one that it got then. 0 when it is not there.
func Number(tx Tx, e *Evidence) (uint64, error) {
	d, err := tx.Document(e.Document)
	if errors.Is(err, library.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if e.Passage >= d.First && e.Passage < d.First+uint64(d.Passages) {
		return e.Passage, nil
	}
	if e.Place < 1 || e.Place > d.Passages {
		return 0, nil
	}
	p, err := tx.Passage(d.First + uint64(e.Place) - 1)
	if err != nil || p.Text != e.Text {
		return 0, err
	}
	return p.N, nil
}

// Of is a passage as evidence.
func Of(d library.Document, p library.Passage) Evidence {
	return Evidence{ID: EvidenceID(p.N), Passage: p.N, Document: d.ID, Name: d.Name, Title: d.Title, Source: d.Source, Date: d.Date, URL: d.URL, Publication: d.Publication,
		Page: p.Page, Place: int(p.N-d.First) + 1, Heading: p.Heading, Text: p.Text}
}

// DecisionsOf reads all decisions of a study.
func DecisionsOf(tx Tx, study string) (list []Decision, err error) {
	err = tx.Decisions(study, func(d Decision) (bool, error) {
		list = append(list, d)
		return true, nil
	})
	return list, err
}
