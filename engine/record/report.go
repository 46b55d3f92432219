package record

import (
	"slices"
	"strings"
)

// Count says what an import did with the resources of one type.
type Count struct {
	Type      string `json:"type,omitempty"`
	Read      int    `json:"read"`
	Created   int    `json:"created"`
	Updated   int    `json:"updated"`
	Unchanged int    `json:"unchanged"`
	Failed    int    `json:"failed"`
}

// LineError is one resource that could not be kept. Line counts from 1; in a
// Bundle it is the line on which the entry begins, in an agent's own format the number
// of the resource; 0 is the file itself.
type LineError struct {
	File  string `json:"file"`
	Line  int    `json:"line"`
	Error string `json:"error"`
}

// Skipped is a file that was not read, and why.
type Skipped struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// Report is what an import did. Read = Created + Updated + Unchanged + Failed, for
// each type and in all: nothing is lost in silence.
type Report struct {
	Types  []Count     `json:"types"` // by type; what names no type counts as "(unreadable)"
	Total  Count       `json:"total"`
	Errors []LineError `json:"errors"` // the first 100; Total.Failed counts all
	// Remarks are on lines and files that were read and that somebody has to look at: the
	// first 100; RemarkedLines counts all.
	Remarks       []LineError `json:"remarks,omitempty"`
	RemarkedLines int         `json:"remarked_lines,omitempty"`
	// Tables are files with columns and what those were taken for, also of files that were not
	// read because that is not known: the first of each source, at most 20.
	Tables []Table `json:"tables,omitempty"`
	// Skipped are the files that were not read, at most 100 of them; SkippedFiles counts all.
	Skipped      []Skipped `json:"skipped,omitempty"`
	SkippedFiles int       `json:"skipped_files,omitempty"`
	// Unresolved counts the resources that point at a Bundle entry that is not there.
	Unresolved int `json:"unresolved,omitempty"`
	// Stopped says that the import was cancelled; whole batches before it are kept.
	Stopped bool `json:"stopped,omitempty"`
}

// Progress says how far an import came: Read counts resources in all files.
type Progress struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Read int    `json:"read"`
}

func (i *importer) skip(file, reason string) {
	if i.report.SkippedFiles++; len(i.report.Skipped) < errorsKept {
		i.report.Skipped = append(i.report.Skipped, Skipped{file, reason})
	}
}

func (i *importer) count(typ string) *Count {
	c := i.counts[typ]
	if c == nil {
		c = &Count{Type: typ}
		i.counts[typ] = c
	}
	return c
}

func (i *importer) done() Report {
	for _, c := range i.counts {
		i.report.Types = append(i.report.Types, *c)
		t := &i.report.Total
		t.Read, t.Created, t.Updated, t.Unchanged, t.Failed = t.Read+c.Read, t.Created+c.Created, t.Updated+c.Updated, t.Unchanged+c.Unchanged, t.Failed+c.Failed
	}
	slices.SortFunc(i.report.Types, func(a, b Count) int { return strings.Compare(a.Type, b.Type) })
	return i.report
}

func (i *importer) fail(line int, typ string, err error) {
	c := i.count(typ)
	c.Read++
	c.Failed++
	i.read++
	i.at.Line = line
	if len(i.report.Errors) < errorsKept {
		i.report.Errors = append(i.report.Errors, LineError{i.at.File, line, strings.TrimPrefix(err.Error(), "record: ")})
	}
}

func (i *importer) remark(line int, r *Remark) {
	if i.report.RemarkedLines++; len(i.report.Remarks) < errorsKept {
		i.report.Remarks = append(i.report.Remarks, LineError{i.at.File, line, r.Reason})
	}
}
