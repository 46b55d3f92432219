package library

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Problem is a file, or an entry of one, that was not taken, and why.
type Problem struct {
	File  string `json:"file"`
	Entry string `json:"entry,omitempty"`
	Error string `json:"error"`
}

// Report is what an import did. Read = Created + Updated + Unchanged + Duplicates + Failed.
type Report struct {
	Source     string `json:"source"`
	Files      int    `json:"files"` // that were opened
	Read       int    `json:"read"`  // documents
	Created    int    `json:"created"`
	Updated    int    `json:"updated"`    // the file has other contents than before, or says more of where it was published
	Unchanged  int    `json:"unchanged"`  // it was there already
	Duplicates int    `json:"duplicates"` // the same contents are there from another place
	Failed     int    `json:"failed"`
	Passages   int    `json:"passages"` // of what was created or updated
	// Problems and Skipped are the first 50 of each file or zip, and 1000 in all; Failed and
	// SkippedFiles count all.
	// Skipped files are of kinds that are not read.
	Problems     []Problem `json:"problems"`
	Skipped      []Problem `json:"skipped,omitempty"`
	SkippedFiles int       `json:"skipped_files,omitempty"`
	// Notes are of documents that were read and have something a person should know.
	// The first 50 that are about equal contents, and 100 in all; MoreNotes counts the others.
	Notes     []Problem `json:"notes,omitempty"`
	MoreNotes int       `json:"more_notes,omitempty"`
	// Stopped says that it was cancelled; what was taken before is kept.
	Stopped bool `json:"stopped,omitempty"`
	// ByWordsOnly says that nothing compares meanings here.
	ByWordsOnly bool `json:"by_words_only,omitempty"`
}

// Progress says how far an import is, as what says: "documents" that were read, of which the total
// is 0, for it is not known; then, while passages are indexed by "words" and by "meanings", entries
// of the indexes, one for each passage in each, so that done never falls back between the two.
type Progress func(done, total int, what string)

const (
	maxFile      = 64 << 20 // bytes of one file, also inside a zip
	maxUnpacked  = 2 << 30  // bytes that a zip may become
	maxZipFiles  = 100_000
	maxRatio     = 200  // how much smaller a file in a zip may be than what comes out
	told         = 1000 // problems, and skipped files
	toldEach     = 50   // of one file or zip, so that those after it are told, too
	noted        = 100
	batchBytes   = 4 << 20
	batchEntries = 256
)

// ErrNothing says that there was nothing to import.
var ErrNothing = errors.New("library: nothing to import there; name a file, a folder or a zip with " + strings.Join(Extensions(), ", "))

// importer is one import under way.
type importer struct {
	l      *Library
	reader reader
	report Report
	told   Progress
	source string
	// places are those that this import has seen, by what was in them.
	places map[string]string
	// within is the zip that is being read; tells counts what was told of a file or zip.
	within string
	tells  map[string]int
	batch  []prepared
	bytes  int
	read   int
}

// prepared is a document that is to be written.
type prepared struct {
	d        Document
	passages []Passage
	original []byte
	file     string
}

// ImportPath takes a file, a folder with all below it, or a zip. A file that cannot be read is
// in the report, and the rest goes on. The same again changes nothing. Documents are kept
// as they are read, so one that is stopped, or killed, goes on where it was when it is
// started again. In the end the indexes take in what came.
func (l *Library) ImportPath(ctx context.Context, name string, progress Progress) (Report, error) {
	if err := l.ready(); err != nil {
		return Report{}, err
	}
	info, err := os.Lstat(name)
	if err != nil {
		return Report{}, fmt.Errorf("library: import: %w", err)
	}
	whole, err := filepath.Abs(name)
	if err != nil {
		return Report{}, fmt.Errorf("library: import: %w", err)
	}
	dir, base := whole, ""
	if !info.IsDir() {
		dir, base = filepath.Dir(whole), filepath.Base(whole)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Report{}, fmt.Errorf("library: import: %w", err)
	}
	defer root.Close() // it was only read
	i := l.importer(filepath.Base(dir), progress)
	if base != "" {
		i.file(ctx, root.FS(), base, info.Mode(), info.Size())
		return i.end(ctx)
	}
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			i.fail(name, "", fmt.Errorf("it cannot be opened: %w", err))
			return nil
		case e.IsDir():
			if name != "." && strings.HasPrefix(e.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		info, err := e.Info()
		if err != nil {
			i.fail(name, "", err)
			return nil
		}
		i.file(ctx, root.FS(), name, e.Type(), info.Size())
		return i.stop
	})
	if err != nil && i.stop == nil && ctx.Err() == nil {
		i.stop = err
	}
	return i.end(ctx)
}

// ImportReader takes one file that comes as a stream.
func (l *Library) ImportReader(ctx context.Context, source, name string, r io.Reader, progress Progress) (Report, error) {
	if err := l.ready(); err != nil {
		return Report{}, err
	}
	i := l.importer(source, progress)
	i.stream(ctx, path.Base(path.Clean("/"+filepath.ToSlash(name))), r)
	return i.end(ctx)
}

// ImportFiles takes the files of a folder that come as streams, each under its path below the folder;
// next gives one after the other, and io.EOF after the last. They become what ImportPath makes of the
// folder: source is its name.
func (l *Library) ImportFiles(ctx context.Context, source string, next func() (name string, r io.Reader, err error), progress Progress) (Report, error) {
	if err := l.ready(); err != nil {
		return Report{}, err
	}
	i := l.importer(source, progress)
	for i.stop == nil && ctx.Err() == nil {
		name, r, err := next()
		if err == io.EOF {
			break
		}
		if err != nil {
			err = fmt.Errorf("library: import: not all files came: %w", err)
			if flushErr := i.flush(context.WithoutCancel(ctx)); flushErr != nil {
				err = flushErr
			}
			i.stop = err
			break
		}
		name = strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/")
		if dir := path.Dir(name); strings.HasPrefix(dir, ".") && dir != "." || strings.Contains(dir, "/.") {
			continue // as in a folder that is walked
		}
		i.stream(ctx, name, r)
	}
	return i.end(ctx)
}

// stream takes one file that comes as a stream.
func (i *run) stream(ctx context.Context, name string, r io.Reader) {
	if reason := unfit(name, 0); reason != "" {
		i.skip(name, reason) // unread: it may be a film
		return
	}
	body, err := readAll(r)
	if err != nil {
		i.fail(name, "", err)
		return
	}
	i.body(ctx, name, body)
}

func (l *Library) importer(source string, progress Progress) *run {
	if progress == nil {
		progress = func(int, int, string) {}
	}
	return &run{importer: importer{l: l, reader: reader{pdf: l.o.PDF}, told: progress, source: source, places: map[string]string{}, tells: map[string]int{},
		report: Report{Source: source, Problems: []Problem{}}}}
}

// run is an importer with what ended it.
type run struct {
	importer
	stop error
}

// unfit says why a file is not read; "" when it is.
func unfit(name string, mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return phrase("a link; name the file or folder itself")
	case !mode.IsRegular():
		return phrase("not a plain file")
	case formatOf(name) == nil && !strings.EqualFold(path.Ext(name), ".zip"):
		return phrase("not a kind of file that is read")
	}
	return ""
}

// shown is a name as it may stand in a report and a row: hostile names stay short and valid.
func shown(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	for len(name) > 1000 {
		_, n := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-n]
	}
	return name
}

func (i *importer) fail(file, entry string, err error) {
	i.report.Read++
	i.report.Failed++
	if i.tell(i.report.Problems, file) {
		i.report.Problems = append(i.report.Problems, Problem{shown(file), shown(entry), strings.TrimPrefix(err.Error(), "library: ")})
	}
}

func (i *importer) skip(file, reason string) {
	if i.report.SkippedFiles++; i.tell(i.report.Skipped, file) {
		i.report.Skipped = append(i.report.Skipped, Problem{File: shown(file), Error: reason})
	}
}

// tell says whether a list has room for one more of a file.
func (i *importer) tell(list []Problem, file string) bool {
	of := cmp.Or(i.within, file)
	if len(list) >= told || i.tells[of] >= toldEach {
		return false
	}
	i.tells[of]++
	return true
}

func readAll(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(body) > maxFile {
		err = fmt.Errorf("it is larger than %d MiB", maxFile>>20)
	}
	return body, err
}

// file takes one file of a folder.
func (i *run) file(ctx context.Context, folder fs.FS, name string, mode fs.FileMode, size int64) {
	if reason := unfit(name, mode); reason != "" {
		i.skip(name, reason)
		return
	}
	f, err := folder.Open(name)
	if err != nil {
		i.fail(name, "", fmt.Errorf("it cannot be opened: %w", bare(err)))
		return
	}
	defer f.Close() // it was only read
	if at, ok := f.(io.ReaderAt); ok && strings.EqualFold(path.Ext(name), ".zip") {
		i.zip(ctx, name, at, size)
		return
	}
	body, err := readAll(f)
	if err != nil {
		i.fail(name, "", bare(err))
		return
	}
	i.body(ctx, name, body)
}

// bare takes the path off an error of the file system: the report names the file.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// zip takes the files of a zip, as long as they stay within bounds.
func (i *run) zip(ctx context.Context, name string, r io.ReaderAt, size int64) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		i.fail(name, "", fmt.Errorf("it is not a zip that can be read: %w", err))
		return
	}
	if len(z.File) > maxZipFiles {
		i.fail(name, "", fmt.Errorf("it has %d files; at most %d are read from one zip", len(z.File), maxZipFiles))
		return
	}
	i.within = name
	defer func() { i.within = "" }()
	left := int64(maxUnpacked)
	for _, f := range z.File {
		inside := name + "/" + strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(f.Name, `\`, "/")), "/")
		switch {
		case i.stop != nil || ctx.Err() != nil:
			return
		case f.FileInfo().IsDir() || strings.HasPrefix(path.Base(inside), "."):
			continue
		case strings.EqualFold(path.Ext(inside), ".zip"):
			i.skip(inside, "a zip in a zip; unpack it first")
			continue
		}
		if reason := unfit(inside, f.Mode()&^fs.ModePerm); reason != "" {
			i.skip(inside, reason)
			continue
		}
		if f.Flags&1 != 0 {
			i.fail(inside, "", errors.New("it is encrypted; unpack it with its password first"))
			continue
		}
		body, err := unpacked(f, left)
		left -= int64(len(body))
		if err != nil {
			i.fail(inside, "", err)
			if left <= 0 {
				return
			}
			continue
		}
		i.body(ctx, inside, body)
	}
}

// unpacked reads a file of a zip. What is in the zip's directory about sizes need not be true.
func unpacked(f *zip.File, left int64) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("it cannot be unpacked: %w", err)
	}
	defer r.Close() // what it would say, reading said
	limit := min(int64(maxFile), left)
	if enough := int64(f.CompressedSize64)*maxRatio + 1<<20; enough < limit {
		limit = enough
	}
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case err != nil:
		return body[:min(int64(len(body)), limit)], fmt.Errorf("it cannot be unpacked: %w", err)
	case int64(len(body)) > limit && limit == maxFile:
		return body, fmt.Errorf("it is larger than %d MiB", maxFile>>20)
	case int64(len(body)) > limit:
		return body, errors.New("it grows out of all proportion when it is unpacked, as a bomb does; it was left alone")
	}
	return body, nil
}

// body takes the contents of a file.
func (i *run) body(ctx context.Context, name string, body []byte) {
	if strings.EqualFold(path.Ext(name), ".zip") {
		i.zip(ctx, name, bytes.NewReader(body), int64(len(body)))
		return
	}
	i.report.Files++
	name = shown(name)
	if len(body) == 0 {
		i.fail(name, "", errors.New("it is empty"))
		return
	}
	f := formatOf(name)
	if bytes.HasPrefix(body, []byte("%PDF-")) {
		f = formatOf("x.pdf") // whatever it is called
	}
	// A file that is there already is not read again: PDFs take a while.
	if known, err := i.known(ctx, name, body); known || err != nil {
		i.stop = err
		return
	}
	entries, records := 0, map[noDocument]int{}
	err := i.guarded(func() error {
		return f.read(ctx, &i.reader, name, body, func(e *entry, err error) error {
			var f *failed
			var other noDocument
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case errors.As(err, &f) && errors.As(f.err, &other):
				records[other]++
				return nil
			case errors.As(err, &f):
				i.fail(name, f.key, f.err)
				return nil
			case err != nil:
				return err
			}
			entries++
			return i.take(ctx, name, e, body)
		})
	})
	for _, kind := range slices.Sorted(maps.Keys(records)) {
		i.skip(name, phrase("%d of its entries are FHIR records of the type %s, and no documents; records are imported on the Records screen", records[kind], cutTo(title(string(kind)), 40)))
	}
	switch {
	case err == nil && entries == 0 && i.stop == nil && len(records) == 0:
		i.fail(name, "", errors.New("no document is in it"))
	case err == nil || ctx.Err() != nil:
	case i.stop == nil:
		i.fail(name, "", err)
	}
}

// guarded turns a panic of a format's parser into an error: files are hostile.
func (i *run) guarded(fn func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("it makes its reader fail; it is broken or made to do that")
		}
	}()
	return fn()
}

func idOf(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write(p)
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// known counts a file that is there from the same place, as one document and with these contents.
func (i *run) known(ctx context.Context, name string, body []byte) (bool, error) {
	id := idOf(body)
	there := false
	err := i.l.o.Store.ViewLibrary(func(tx Tx) error {
		d, ok, err := tx.DocumentAt(i.source, name)
		there = ok && d.ID == id
		return err
	})
	if there {
		i.places[name] = id
		i.report.Read++
		i.report.Unchanged++
		i.step(ctx)
	}
	return there, err
}

func (i *run) step(context.Context) {
	i.read++
	i.told(i.read, 0, "documents")
}

// take prepares one document.
func (i *run) take(ctx context.Context, name string, e *entry, body []byte) error {
	place, id := name, ""
	if e.key != "" {
		e.key = shown(e.key)
		place = name + "#" + e.key
	}
	if e.original == nil {
		e.original = body
		id = idOf(body)
	} else {
		// The same text under two ids is one document.
		parts := [][]byte{[]byte(e.kind), []byte(e.date)}
		for _, x := range e.sections {
			parts = append(parts, []byte(x.heading), []byte(x.text))
		}
		for _, p := range e.passages {
			parts = append(parts, []byte(p.Text))
		}
		id = idOf(parts...)
	}
	if before, twice := i.places[place]; twice {
		if before != id {
			i.fail(name, e.key, errors.New("another document of this file has the same id; the first was taken"))
			return nil
		}
		i.report.Read++
		i.report.Duplicates++
		return nil
	}
	i.places[place] = id
	passages := e.passages
	if passages == nil {
		passages = cut(e.sections)
	}
	if len(passages) == 0 {
		i.fail(name, e.key, errNoText)
		return nil
	}
	all := passages[0].Text
	for _, p := range passages[1:min(len(passages), 12)] {
		all += " " + p.Text
	}
	if e.url == "" {
		e.url = e.where.address()
	}
	d := Document{ID: id, Name: path.Base(name), Source: i.source, Path: place, Title: title(e.title), Kind: e.kind, Date: e.date, Language: languageOf(all),
		Size: int64(len(e.original)), Pages: e.pages, Textless: e.textless, URL: e.url, Publication: e.where, Note: e.note, ImportedAt: i.l.o.Now().UTC()}
	if e.key != "" {
		d.Name = e.key
	}
	i.batch = append(i.batch, prepared{d, passages, e.original, name})
	i.bytes += len(e.original)
	if i.bytes < batchBytes && len(i.batch) < batchEntries {
		return nil
	}
	return i.flush(ctx)
}

// title is one line of at most 300 bytes.
func title(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	for len(s) > 300 {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s
}

// flush writes what was prepared in one transaction. Counts change once it is on disk.
func (i *run) flush(ctx context.Context) error {
	if len(i.batch) == 0 {
		return nil
	}
	l := i.l
	l.work.Lock()
	defer l.work.Unlock()
	var counts Report
	var added []Document
	var gone []string
	renamed := false
	err := l.o.Store.UpdateLibrary(func(tx Tx) error {
		counts, added, gone, renamed = Report{}, nil, nil, false
		note := func(p Problem, most int) {
			if len(i.report.Notes)+len(counts.Notes) < most {
				counts.Notes = append(counts.Notes, p)
			} else {
				counts.MoreNotes++
			}
		}
		for k := range i.batch {
			p := &i.batch[k]
			old, ok, err := tx.DocumentAt(p.d.Source, p.d.Path)
			if err != nil {
				return err
			}
			if ok && old.ID == p.d.ID {
				if next, more := old.published(&p.d); more {
					if err := tx.SetDocument(next); err != nil {
						return err
					}
					counts.Updated++
					renamed = true
				} else {
					counts.Unchanged++
				}
				continue
			}
			if same, err := tx.Document(p.d.ID); err == nil {
				counts.Duplicates++
				note(Problem{p.file, p.d.Name, "the same contents are there already as " + same.Path + " of " + same.Source}, noted/2)
				continue
			} else if !errors.Is(err, ErrNotFound) {
				return err
			}
			if ok {
				if err := l.remove(tx, old.ID, Departure{At: l.o.Now(), Next: p.d.ID}); err != nil {
					return err
				}
				gone = append(gone, old.ID)
				counts.Updated++
			} else {
				counts.Created++
			}
			if err := tx.AddDocument(&p.d, p.passages, p.original); err != nil {
				return err
			}
			counts.Passages += len(p.passages)
			added = append(added, p.d)
			if p.d.Note != "" {
				entry := ""
				if p.d.Path != p.file {
					entry = p.d.Name
				}
				note(Problem{p.file, entry, p.d.Note}, noted)
			}
		}
		if renamed {
			// The words that find a document stand in the index: without its state it is made anew.
			return tx.Words().Delete(stateKey)
		}
		return nil
	})
	if err != nil {
		i.stop = fmt.Errorf("library: import: %d documents could not be kept: %w", len(i.batch), err)
		return i.stop
	}
	if renamed {
		if err := l.reset(Tx.Words, (*memory).dropWords); err != nil {
			i.stop = fmt.Errorf("library: import: %w", err)
		}
	}
	l.forget(gone)
	l.mu.Lock()
	for k := range added {
		l.mem.add(&added[k])
	}
	l.mu.Unlock()
	r := &i.report
	r.Read += len(i.batch)
	r.Created, r.Updated, r.Unchanged, r.Duplicates = r.Created+counts.Created, r.Updated+counts.Updated, r.Unchanged+counts.Unchanged, r.Duplicates+counts.Duplicates
	r.Passages += counts.Passages
	r.Notes, r.MoreNotes = append(r.Notes, counts.Notes...), r.MoreNotes+counts.MoreNotes
	i.read += len(i.batch)
	clear(i.batch)
	i.batch, i.bytes = i.batch[:0], 0
	i.told(i.read, 0, "documents")
	if i.stop != nil {
		return i.stop
	}
	return ctx.Err()
}

// end writes what is left and indexes what came.
func (i *run) end(ctx context.Context) (Report, error) {
	err := i.stop
	if err == nil {
		err = ctx.Err()
	}
	if i.stop == nil {
		// What was read completely is kept, also when it was cancelled since.
		if flushErr := i.flush(context.WithoutCancel(ctx)); err == nil {
			err = flushErr
		}
	}
	r := &i.report
	if r.Stopped = ctx.Err() != nil; r.Stopped {
		err = fmt.Errorf("library: import stopped; the %d documents before are kept: %w", r.Created+r.Updated, ctx.Err())
	}
	if r.Created+r.Updated > 0 {
		i.l.o.Changed()
	}
	if err != nil {
		return *r, err
	}
	if r.Read == 0 {
		return *r, ErrNothing
	}
	if e, err := i.l.o.Encoder(ctx); err == nil && e == nil {
		r.ByWordsOnly = true
	}
	if behind, err := i.l.Behind(ctx); err == nil && !behind {
		return *r, nil
	}
	if err := i.l.Index(ctx, i.told); err != nil {
		r.Stopped = ctx.Err() != nil
		return *r, fmt.Errorf("library: the documents are kept, and not all of them can be found yet: %w", err)
	}
	i.l.o.Changed()
	return *r, nil
}
