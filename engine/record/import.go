package record

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/transform"

	"holdpoint/engine/charset"
)

// ImportOptions of an import; the zero value will do.
type ImportOptions struct {
	// Now is the clock for UpdatedAt; nil is the machine's.
	Now func() time.Time
	// Progress hears of every batch that was written.
	Progress func(Progress)
	// Formats are read beside NDJSON and JSON.
	Formats []Format
	// Folder is where an archive is kept while it is read; "" is the system's for such files.
	Folder string
	// Mapping is what a person chose for the columns of a source; nil chooses nothing.
	Mapping func(source string) (Choice, bool)
}

const (
	batchRecords = 500
	batchBytes   = 8 << 20
	maxLine      = 16 << 20 // bytes of one NDJSON line, Bundle entry or single resource
	errorsKept   = 100
	tablesKept   = 20
	// unreadable is the type under which lines are counted that say none.
	unreadable = "(unreadable)"
)

// ErrNothing says that there was nothing to import.
var ErrNothing = errors.New("record: no FHIR file there; name a folder or a .zip with .ndjson files, an .ndjson file or a .json Bundle")

// errTooLong is one line's or entry's error, not the import's.
var errTooLong = fmt.Errorf("longer than %d MiB", maxLine>>20)

// Import reads every .ndjson and .json file and every .zip of a folder and its subfolders, in the
// order of their names. Other files, links and what is not a plain file are
// skipped and named. Lines that cannot be kept do not stop it: they are in the
// report, which is right also when an error is returned. The same content again
// changes nothing. A cancelled ctx ends it between batches.
func Import(ctx context.Context, store Store, src fs.FS, o ImportOptions) (Report, error) {
	i := newImport(store, o)
	found := false
	err := fs.WalkDir(src, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("record: import: %w", err)
		case e.IsDir():
			return nil
		}
		if reason := i.unfit(e.Name(), e.Type()); reason != "" && !(isArchive(e.Name()) && e.Type().IsRegular()) {
			i.skip(name, reason)
			return nil
		}
		f, err := src.Open(name)
		if err != nil {
			return fmt.Errorf("record: import: %w", err)
		}
		took, err := i.any(ctx, name, f)
		found = found || took
		if closeErr := f.Close(); err == nil && closeErr != nil {
			err = fmt.Errorf("record: import: %w", closeErr)
		}
		return err
	})
	if err == nil && !found {
		err = ErrNothing
	}
	return i.done(), err
}

// ImportPath imports a folder as Import does, or one .ndjson or .json file. It
// reads nothing outside the folder: links are refused.
func ImportPath(ctx context.Context, store Store, name string, o ImportOptions) (report Report, err error) {
	info, err := os.Lstat(name)
	if err != nil {
		return Report{}, fmt.Errorf("record: import: %w", err)
	}
	dir, base := name, ""
	if !info.IsDir() {
		dir, base = filepath.Dir(name), filepath.Base(name)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Report{}, fmt.Errorf("record: import: %w", err)
	}
	defer func() {
		if closeErr := root.Close(); err == nil && closeErr != nil {
			err = fmt.Errorf("record: import: %w", closeErr)
		}
	}()
	if base == "" {
		return Import(ctx, store, root.FS(), o)
	}
	i := newImport(store, o)
	if isArchive(base) && info.Mode().IsRegular() {
		f, err := root.Open(base)
		if err != nil {
			return i.done(), fmt.Errorf("record: import: %w", err)
		}
		took, err := i.unpack(ctx, base, f, info.Size())
		if err = errors.Join(err, f.Close()); err == nil && !took {
			err = ErrNothing
		}
		return i.done(), err
	}
	if reason := i.unfit(base, info.Mode()); reason != "" {
		i.skip(base, reason)
		return i.done(), fmt.Errorf("%w (%s: %s)", ErrNothing, base, reason)
	}
	f, err := root.Open(base)
	if err != nil {
		return i.done(), fmt.Errorf("record: import: %w", err)
	}
	err = i.file(ctx, base, f)
	if closeErr := f.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("record: import: %w", closeErr)
	}
	return i.done(), err
}

// ImportFiles imports streams one after the other into one report, e.g. those of a folder;
// an archive (.zip) is as good as a folder. next gives the next name and stream, and io.EOF
// after the last.
func ImportFiles(ctx context.Context, store Store, next func() (name string, in io.Reader, err error), o ImportOptions) (Report, error) {
	i := newImport(store, o)
	found := false
	for {
		name, in, err := next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return i.done(), fmt.Errorf("record: import: %w", err)
		}
		took, err := i.any(ctx, name, in)
		found = found || took
		if err != nil {
			return i.done(), err
		}
	}
	if !found {
		return i.done(), ErrNothing
	}
	return i.done(), nil
}

// any reads a file or an archive; took is false when nothing in it is fit.
func (i *importer) any(ctx context.Context, name string, in io.Reader) (took bool, err error) {
	if isArchive(name) {
		return i.archive(ctx, name, in)
	}
	if reason := i.unfit(path.Base(name), 0); reason != "" {
		i.skip(name, reason)
		return false, nil
	}
	return true, i.file(ctx, name, in)
}

// ImportReader imports one stream; name decides between NDJSON and JSON by its
// ending and stands in the report.
func ImportReader(ctx context.Context, store Store, name string, r io.Reader, o ImportOptions) (Report, error) {
	i := newImport(store, o)
	if isArchive(name) {
		took, err := i.archive(ctx, name, r)
		if err == nil && !took {
			err = ErrNothing
		}
		return i.done(), err
	}
	if reason := i.unfit(name, 0); reason != "" {
		i.skip(name, reason)
		return i.done(), fmt.Errorf("%w (%s: %s)", ErrNothing, name, reason)
	}
	err := i.file(ctx, name, r)
	return i.done(), err
}

// entry is a record of the batch, or how it is made.
type entry struct {
	Record
	line int
	make func(tx Tx) (json.RawMessage, error)
}

// MappingOf says how the columns of a file are understood. A file of no format with
// columns is ErrNothing. Where no format knows the columns, the first one for such files
// says what they could mean.
func MappingOf(name string, o ImportOptions) (Mapping, error) {
	f, err := os.Open(name)
	if err != nil {
		return Mapping{}, fmt.Errorf("record: import: %w", err)
	}
	var head []byte
	in, err := charset.Open(f)
	if err == nil {
		head, err = in.Peek(headBytes)
	}
	if closeErr := f.Close(); err == nil || err == io.EOF {
		err = closeErr
	}
	if err != nil {
		return Mapping{}, fmt.Errorf("record: import: %w", err)
	}
	head = charset.Head(head)
	ext := strings.ToLower(filepath.Ext(name))
	for _, fits := range []bool{true, false} {
		for _, x := range o.Formats {
			if x.Extension == ext && x.Columns != nil && (!fits || x.Fits == nil || x.Fits(head)) {
				m, err := x.Columns(head)
				if err != nil {
					return m, fmt.Errorf("record: import: %s: %w", name, err)
				}
				m, _ = o.chosen(m)
				return m, nil
			}
		}
	}
	return Mapping{}, ErrNothing
}

// remarked is a remark on a line.
type remarked struct {
	*Remark
	line int
}

type importer struct {
	store Store
	o     ImportOptions
	// addOnly leaves records alone that exist.
	addOnly bool
	counts  map[string]*Count
	report  Report
	batch   []entry
	bytes   int // of the batch
	read    int // resources
	kept    int // of them, as far as they are written
	at      Progress
}

func newImport(store Store, o ImportOptions) *importer {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	return &importer{store: store, o: o, counts: map[string]*Count{}, report: Report{Types: []Count{}, Errors: []LineError{}}}
}

// unfit says why a file is not read; "" when it is.
func (i *importer) unfit(name string, mode fs.FileMode) string {
	ext := strings.ToLower(path.Ext(name))
	switch {
	case mode&fs.ModeSymlink != 0:
		return phrase("a link; name the file or folder itself")
	case !mode.IsRegular():
		return phrase("not a plain file")
	case ext != ".ndjson" && ext != ".jsonl" && ext != ".json" && !slices.ContainsFunc(i.o.Formats, func(f Format) bool { return f.Extension == ext }):
		return phrase("its name ends in none of %s, which can be imported", strings.Join(i.endings(), ", "))
	}
	return ""
}

// endings are those of names of files that are read.
func (i *importer) endings() []string {
	list := []string{".ndjson", ".jsonl", ".json"}
	for _, f := range i.o.Formats {
		if !slices.Contains(list, f.Extension) {
			list = append(list, f.Extension)
		}
	}
	return list
}

// headBytes of a file tell its format.
const headBytes = 64 << 10

// format is the one of a file's name and first bytes; nil for NDJSON and JSON. none says
// that there are formats for such files and that this file is of none of them.
func (o ImportOptions) format(name string, head []byte) (f *Format, none bool) {
	for k := range o.Formats {
		f := &o.Formats[k]
		if f.Extension != strings.ToLower(path.Ext(name)) {
			continue
		}
		if f.Fits == nil || f.Fits(head) || o.said(f, head) {
			return f, false
		}
		none = true
	}
	return nil, none
}

// said tells whether a person said what the columns of a file mean to a format.
func (o ImportOptions) said(f *Format, head []byte) bool {
	if f.Columns == nil || o.Mapping == nil {
		return false
	}
	m, err := f.Columns(head)
	if err != nil {
		return false
	}
	m, _ = o.chosen(m)
	return m.Chosen
}

// phrase is a sentence that screens show; its French stands with the others.
func phrase(format string, values ...any) string { return fmt.Sprintf(format, values...) }

func (i *importer) file(ctx context.Context, name string, r io.Reader) error {
	i.at = Progress{File: name}
	in, err := charset.Open(r)
	if err != nil {
		return fmt.Errorf("record: import: %s: %w", name, err)
	}
	head, err := in.Peek(headBytes)
	if err != nil && err != io.EOF {
		return fmt.Errorf("record: import: %s: %w", name, err)
	}
	zero := bytes.IndexByte(head, 0) >= 0
	head = charset.Head(head)
	read := i.lines
	if f, none := i.o.format(name, head); zero && (f != nil || none) {
		i.skip(name, phrase("it is not text: it has zero bytes; save it as UTF-8 and import it again"))
		return nil
	} else if f != nil {
		read = func(ctx context.Context, in *bufio.Reader) error { return i.resources(ctx, in, f, head) }
	} else if none && len(head) == 0 {
		i.skip(name, phrase("it is empty"))
		return nil
	} else if none {
		i.unknown(name, head)
		return nil
	} else if strings.EqualFold(path.Ext(name), ".json") {
		read = i.document
	}
	if err := read(ctx, in); err != nil {
		return err
	}
	return i.flush(ctx)
}

// unknown passes over a file of whose columns nobody knows what they mean, and tells them.
func (i *importer) unknown(name string, head []byte) {
	i.skip(name, phrase("its columns say nothing that is known here; holdpoint records mapping FILE shows them and takes what they mean"))
	for _, f := range i.o.Formats {
		if f.Columns == nil || f.Extension != strings.ToLower(path.Ext(name)) {
			continue
		}
		if m, err := f.Columns(bytes.Clone(head)); err == nil {
			chosen, _ := i.o.chosen(m)
			i.table(chosen, m)
			return
		}
	}
}

// table tells what the columns of the file at hand are taken for.
func (i *importer) table(m, proposed Mapping) {
	known := slices.ContainsFunc(i.report.Tables, func(t Table) bool { return t.Mapping.Source == m.Source })
	if !known && len(i.report.Tables) < tablesKept {
		i.report.Tables = append(i.report.Tables, Table{i.at.File, m, proposed})
	}
}

// resources reads a file of another format.
func (i *importer) resources(ctx context.Context, in *bufio.Reader, f *Format, head []byte) error {
	letters := &charset.Western{}
	file := File{Reader: transform.NewReader(in, letters), Name: path.Base(i.at.File)}
	if f.Columns != nil {
		m, err := f.Columns(bytes.Clone(head))
		if err != nil {
			return fmt.Errorf("record: import: %s: %w", i.at.File, err)
		}
		var c Choice
		file.Mapping, c = i.o.chosen(m)
		i.table(file.Mapping, m)
		if file.Mapping.Chosen {
			i.remark(0, &Remark{Reason: fmt.Sprintf("what was chosen for files with these columns was used: %s. holdpoint records mapping FILE shows it and changes it", c)})
		}
	}
	n := 0
	err := f.Read(ctx, file, func(l Line) error {
		n++
		switch {
		case l.Remark != nil:
			i.remark(l.No, l.Remark)
			return ctx.Err()
		case l.Err != nil:
			i.fail(l.No, cmp.Or(l.Type, unreadable), l.Err)
			// Bad lines fill no batch: a file of nothing else must end as well.
			return ctx.Err()
		case l.Make != nil:
			return i.keep(ctx, entry{Record: Record{Ref: Ref{Type: l.Type}}, line: l.No, make: l.Make}, batchBytes/batchRecords)
		}
		return i.add(ctx, l.No, l.Resource)
	})
	if letters.First > 0 {
		i.remark(letters.First, &Remark{Reason: "The file is not UTF-8 from here on and was read as Windows-1252; if letters look wrong, save it as UTF-8 and import it again."})
	}
	if err != nil && ctx.Err() != nil {
		return i.flush(ctx)
	}
	if err != nil {
		return fmt.Errorf("record: import: %s after %d resources: %w", i.at.File, n, err)
	}
	return nil
}

// lines reads NDJSON. A line that is too long is counted and passed over.
func (i *importer) lines(ctx context.Context, in *bufio.Reader) error {
	var line []byte
	for n := 1; ; n++ {
		var long bool
		var err error
		line, long, err = ReadLine(in, line[:0], maxLine)
		if err != nil && err != io.EOF {
			return fmt.Errorf("record: import: %s line %d: %w", i.at.File, n, err)
		}
		switch text := bytes.TrimSpace(line); {
		case long:
			i.fail(n, unreadable, errTooLong)
		case len(text) > 0:
			if addErr := i.add(ctx, n, text); addErr != nil {
				return addErr
			}
		}
		if err == io.EOF {
			return nil
		}
		// Bad lines fill no batch: a file of nothing else must end as well.
		if n%batchRecords == 0 && ctx.Err() != nil {
			return i.flush(ctx)
		}
	}
}

// ReadLine appends the next line with its end to line; of one that is longer than most bytes
// it keeps nothing. io.EOF comes with the last line.
func ReadLine(in *bufio.Reader, line []byte, most int) (_ []byte, long bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if !long {
			// The line's end does not count.
			if line = append(line, part...); len(bytes.TrimRight(line, "\r\n")) > most {
				long, line = true, line[:0]
			}
		}
		if err != bufio.ErrBufferFull {
			return line, long, err
		}
	}
}

func (i *importer) add(ctx context.Context, line int, raw []byte) error {
	if len(raw) > maxLine {
		i.fail(line, unreadable, errTooLong)
		return nil
	}
	r, err := New(raw, i.o.Now())
	if err != nil {
		i.fail(line, typeOf(raw), err)
		return nil
	}
	return i.keep(ctx, entry{Record: r, line: line}, len(r.Resource))
}

// keep puts a record into the batch and writes the batch when it is full.
func (i *importer) keep(ctx context.Context, e entry, size int) error {
	i.read++
	i.at.Line = e.line
	i.batch = append(i.batch, e)
	if i.bytes += size; len(i.batch) < batchRecords && i.bytes < batchBytes {
		return nil
	}
	return i.flush(ctx)
}

// typeOf names the type of a resource that could not be kept, where it says one.
func typeOf(raw []byte) string {
	if deeper(raw, maxDepth) {
		return unreadable
	}
	if typ := parseNode(raw).at("resourceType").exact(); typeForm.MatchString(typ) {
		return typ
	}
	return unreadable
}

// made is the record that a line makes.
func (i *importer) made(tx Tx, e entry) (Record, error) {
	raw, err := e.make(tx)
	var remark *Remark
	if err != nil && !errors.As(err, &remark) {
		return Record{}, err
	}
	r, newErr := New(raw, i.o.Now())
	return r, cmp.Or(newErr, err)
}

// flush writes a batch in one transaction, so that one sync to disk serves many.
// Counts change only once it is written.
func (i *importer) flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		i.report.Stopped = true
		return fmt.Errorf("record: import stopped; the %d resources before are kept: %w", i.kept, err)
	}
	if len(i.batch) == 0 {
		return nil
	}
	var counts map[string]*Count
	var failed []LineError
	var remarks []remarked
	err := i.store.UpdateRecords(func(tx Tx) error {
		counts, failed, remarks = map[string]*Count{}, nil, nil
		for _, e := range i.batch {
			r, err := e.Record, error(nil)
			if e.make != nil {
				var no *Refusal
				var remark *Remark
				if r, err = i.made(tx, e); errors.As(err, &remark) {
					remarks, err = append(remarks, remarked{remark, e.line}), nil
				}
				if errors.As(err, &no) || errors.Is(err, ErrResource) {
					failed = append(failed, LineError{e.Type, e.line, err.Error()})
					continue
				}
				if err != nil {
					return err
				}
			}
			c := counts[r.Type]
			if c == nil {
				c = &Count{}
				counts[r.Type] = c
			}
			old, err := tx.Record(r.Ref)
			switch {
			case errors.Is(err, ErrNotFound):
				c.Created++
			case err != nil:
				return err
			case i.addOnly || old.Version == r.Version && sameText(old.Resource, r.Resource):
				c.Unchanged++
				continue
			default:
				c.Updated++
			}
			if err := tx.PutRecord(r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("record: import: a batch of %d resources was not written: %w", len(i.batch), err)
	}
	for typ, n := range counts {
		c := i.count(typ)
		c.Read += n.Created + n.Updated + n.Unchanged
		c.Created, c.Updated, c.Unchanged = c.Created+n.Created, c.Updated+n.Updated, c.Unchanged+n.Unchanged
	}
	for _, f := range failed {
		i.read-- // fail counts it again
		i.fail(f.Line, f.File, errors.New(f.Error))
	}
	for _, r := range remarks {
		i.remark(r.line, r.Remark)
	}
	i.kept += len(i.batch) - len(failed)
	clear(i.batch)
	i.batch, i.bytes = i.batch[:0], 0
	i.at.Read = i.read
	i.o.Progress(i.at)
	return nil
}
