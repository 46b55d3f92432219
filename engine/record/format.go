package record

import (
	"context"
	"encoding/json"
	"io"
)

// Format reads resources out of files that are neither NDJSON nor JSON.
type Format struct {
	// Extension of the files: small letters, with its dot.
	Extension string
	// About says for the help of imports what such a file holds, e.g. “visits as tables”.
	About string
	// Fits says by a file's first bytes (at most 64 KiB) whether it is of this format;
	// nil takes every file with the extension. The first format that fits reads it.
	Fits func(head []byte) bool
	// Columns says by the first bytes how the format understands a file's columns; nil
	// for formats without columns, which a person has no say in.
	Columns func(head []byte) (Mapping, error)
	// Read hands every line to keep, in the order of the file. What keep returns ends it.
	Read func(ctx context.Context, in File, keep func(Line) error) error
}

// File is one that a format reads.
type File struct {
	io.Reader
	Name string
	// Mapping is how its columns are understood: what Columns says, with the person's
	// changes.
	Mapping Mapping
}

// Line is a resource that a format read, or what is wrong with a line or remarkable about it.
// One of Resource, Make, Err and Remark is set; a line of a file may hold several.
type Line struct {
	// No counts from 1: the line of the file, or the number of the resource.
	No int
	// Type is what the line counts as where it does not become a record.
	Type     string
	Resource json.RawMessage
	// Make makes the resource in the transaction that writes it, out of what is there
	// already. A *Refusal is the line's error; with a *Remark the resource that is given
	// with it is kept, and the remark is told; any other ends the import.
	Make func(tx Tx) (json.RawMessage, error)
	Err  error
	// Remark is told beside what becomes of the line.
	Remark *Remark
}

// Remark is on a line that was read: it says otherwise than the record that is there, or what
// can hardly be.
type Remark struct {
	Reason string // for a person: what there is to look at, and what to do
}

func (r *Remark) Error() string { return r.Reason }
