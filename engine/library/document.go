package library

import (
	"errors"
	"time"
)

// Errors that callers decide on.
var (
	// ErrNotFound says that the library has no such document or passage.
	ErrNotFound = errors.New("library: not found")
	// ErrBroken says that an index cannot be read; it is made anew from the passages.
	ErrBroken = errors.New("library: the index is damaged")
)

// Kinds of documents.
const (
	KindPDF      = "pdf"
	KindText     = "text"
	KindMarkdown = "markdown"
	KindHTML     = "html"
	KindAbstract = "abstract" // an entry of a file that holds many: JSON, CSV, MEDLINE, RIS
	KindNote     = "note"     // what a FHIR DocumentReference carries
)

// Kinds are all kinds, as filters take them.
var Kinds = []string{KindPDF, KindText, KindMarkdown, KindHTML, KindAbstract, KindNote}

// Document is what was imported: a file, or one entry of a file that holds many.
type Document struct {
	// ID is made of the content: 16 hex digits. The same content is the same document.
	ID string `json:"id"`
	// Name is the file's, or what its file calls an entry, for example a PubMed id.
	Name string `json:"name"`
	// Source is the folder or file that was imported, Path where in it the document is;
	// an entry's follows a "#".
	Source string `json:"source"`
	Path   string `json:"path"`
	Title  string `json:"title"`
	Kind   string `json:"kind"`
	// Date is a year, a month or a day as ISO 8601 has it; "" while unknown.
	Date string `json:"date,omitempty"`
	// Language is ISO 639-1, "" when it is not one that words are stemmed in.
	Language string `json:"language,omitempty"`
	Size     int64  `json:"size"` // bytes of the original
	// Pages is 0 for what has none. Textless counts those without text: pictures, scans.
	Pages    int `json:"pages,omitempty"`
	Textless int `json:"textless,omitempty"`
	// First is the number of the first passage; they are consecutive.
	First      uint64    `json:"first"`
	Passages   int       `json:"passages"`
	ImportedAt time.Time `json:"imported_at"`
	// URL is where it was published; "" while unknown. It is text to a person: nothing opens it.
	URL string `json:"url,omitempty"`
	// Publication says who wrote it and where it appeared; nil for files that don't.
	Publication *Publication `json:"publication,omitempty"`
	// Note says what a person should know of how it was read.
	Note string `json:"note,omitempty"`
}

// Departure says when a document left the library, and what came in its place.
type Departure struct {
	// At is the zero time while it is not known.
	At time.Time `json:"at,omitzero"`
	// Next is the document that the same file became; "" for one that was removed.
	Next string `json:"next,omitempty"`
}

// Passage is a piece of a document that a search finds: some sentences, at most maxPassage bytes.
type Passage struct {
	// N is its number in the library, from 1 on; it is never used again.
	N        uint64 `json:"n"`
	Document string `json:"document"`
	// Heading is that above it, Page its page from 1 on; "" and 0 without.
	Heading string `json:"heading,omitempty"`
	Page    int    `json:"page,omitempty"`
	Text    string `json:"text"`
	// Overlap is how many bytes at the beginning of Text the passage before ends with.
	Overlap int `json:"overlap,omitempty"`
	// From and To are where in the page's text it stands, counted as the reader of the
	// format counts characters; only for PDF.
	From int `json:"from,omitempty"`
	To   int `json:"to,omitempty"`

	also string // words that find the document, while its first passage is indexed
}

// Store keeps documents. Views are consistent; an update is on disk when it returns nil,
// and leaves nothing behind otherwise.
type Store interface {
	ViewLibrary(func(Tx) error) error
	UpdateLibrary(func(Tx) error) error
}

// Tx is one transaction.
type Tx interface {
	// Document reads one; ErrNotFound.
	Document(id string) (Document, error)
	// DocumentAt is the one that came from a place, and whether there is one.
	DocumentAt(source, path string) (Document, bool, error)
	// Documents visits all in the order of their passages.
	Documents(fn func(Document) (bool, error)) error
	// AddDocument keeps a new document with its passages and its original, and numbers them.
	AddDocument(d *Document, passages []Passage, original []byte) error
	// SetDocument replaces what is said of a document; its id, place and passages stay.
	SetDocument(d Document) error
	// DeleteDocument removes one with its passages and its original; what cites it is told why.
	DeleteDocument(id string, why Departure) error
	// Original is what a document was read from.
	Original(id string) ([]byte, error)
	// Passage reads one; ErrNotFound.
	Passage(n uint64) (Passage, error)
	// Passages visits those from one number up to, not including, another.
	Passages(from, to uint64, fn func(Passage) (bool, error)) error
	// LastPassage is the highest number that was given to a passage; 0 for none.
	LastPassage() (uint64, error)
	// Words and Meaning are the rows of the two indexes: both can be made anew.
	Words() Rows
	Meaning() Rows
}

// Rows are what an index keeps. Values are best below 2,000 bytes.
type Rows interface {
	Get(k []byte) ([]byte, error) // nil when there is none
	Put(k, v []byte) error
	Delete(k []byte) error
	Scan(prefix []byte, fn func(k, v []byte) (bool, error)) error
	// Clear deletes some rows and says whether there are more.
	Clear() (more bool, err error)
}
